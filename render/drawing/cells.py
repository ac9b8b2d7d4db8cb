"""Pictures put together from cells that earlier pictures had too.

A picture is cut along the columns and rims. What lies in a cell (which sprites, where) is the key of its finished
look in palette indices; most cells of most pictures have been drawn before. The empty board fills the rest.
"""

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable
from functools import lru_cache

from PIL import Image

from render.drawing.ground import ground
from render.drawing.kit import Kit, Placed
from render.drawing.png import to_palette
from render.layout import Box

BYTES = 24 << 20
"""All kept cells together; a picture of the default size has 1.3 MB."""

Cell = tuple[int, int]
Key = tuple[Kit, Cell, tuple[Placed, ...]]


class Cells:
    """The cells drawn lately, in any number of threads."""

    def __init__(self, limit: int = BYTES) -> None:
        self._limit = limit
        self._size = 0
        self._kept: OrderedDict[Key, Image.Image] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Image.Image | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Key, image: Image.Image) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = image
            self._size += image.width * image.height
            while self._size > self._limit:
                _, oldest = self._kept.popitem(last=False)
                self._size -= oldest.width * oldest.height


@lru_cache(maxsize=1)
def _cells() -> Cells:
    return Cells()


@lru_cache(maxsize=8)
def _empty(kit: Kit) -> Image.Image:
    """The empty board in palette indices, with the column that `to_png` wants; shared, never drawn on."""
    board = ground(kit)
    wide = Image.new("P", (board.width + 1, board.height))
    wide.paste(to_palette(board, kit.theme.name), (1, 0))
    return wide


@lru_cache(maxsize=32)
def _cuts(kit: Kit) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return kit.layout.cuts()


def indexed(kit: Kit, scene: Iterable[Placed]) -> Image.Image:
    """The scene on the empty board in palette indices, one column wider than the picture (see `to_png`)."""
    image = _empty(kit).copy()
    for cell, placed in _sorted(kit, scene).items():
        box = _box(kit, cell)
        steady = next((n for n, one in enumerate(placed) if one.sprite.passing), len(placed))
        if steady:
            image.paste(_kept((kit, cell, tuple(placed[:steady]))), (box[0] + 1, box[1]))
        if steady < len(placed):
            covered = _covered(box, placed[steady:])
            image.paste(_drawn(kit, covered, placed), (covered[0] + 1, covered[1]))
    return image


def _sorted(kit: Kit, scene: Iterable[Placed]) -> dict[Cell, list[Placed]]:
    """What lies in which cell, in drawing order."""
    xs, ys = _cuts(kit)
    cells: dict[Cell, list[Placed]] = {}
    for placed in scene:
        width, height = placed.sprite.size
        rows = _range(ys, placed.y, placed.y + height)
        for column in _range(xs, placed.x, placed.x + width):
            for row in rows:
                cells.setdefault((column, row), []).append(placed)
    return cells


def _range(cuts: tuple[int, ...], start: int, end: int) -> range:
    """The cells between these cuts that lie between two pixels."""
    return range(max(0, bisect_right(cuts, start) - 1), min(len(cuts) - 1, bisect_left(cuts, end)))


def _box(kit: Kit, cell: Cell) -> Box:
    xs, ys = _cuts(kit)
    column, row = cell
    return xs[column], ys[row], xs[column + 1], ys[row + 1]


def _kept(key: Key) -> Image.Image:
    """The cell with the key's sprites, from memory or drawn now."""
    found = _cells().get(key)
    if found is None:
        kit, cell, placed = key
        found = _drawn(kit, _box(kit, cell), placed)
        _cells().put(key, found)
    return found


def _covered(box: Box, placed: list[Placed]) -> Box:
    """The part of the box that these sprites cover."""
    return (
        max(box[0], min(x for _, x, _ in placed)),
        max(box[1], min(y for _, _, y in placed)),
        min(box[2], max(x + sprite.size[0] for sprite, x, _ in placed)),
        min(box[3], max(y + sprite.size[1] for sprite, _, y in placed)),
    )


def _drawn(kit: Kit, box: Box, placed: Iterable[Placed]) -> Image.Image:
    """The sprites on the empty board inside the box, in palette indices."""
    left, upper, right, lower = box
    part = ground(kit).crop(box)
    for sprite, x, y in placed:
        if x < right and y < lower and x + sprite.size[0] > left and y + sprite.size[1] > upper:
            sprite.paste(part, x - left, y - upper)
    return to_palette(part, kit.theme.name)
