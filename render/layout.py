"""Where everything lies on the board picture: plain numbers, no drawing.

All design lengths are pixels of a picture 1280 wide and 1024 high; a `Layout` scales them to any width and, for
home boards on the left, mirrors the board (not the two strips, whose text always reads from the left).
Spots are centres and boxes are (left, top, right, bottom), both in pixels of the scaled picture.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from render.picture import Where

Box = tuple[int, int, int, int]
CubePlace = Where | None | Literal["none"]

WIDTH, HEIGHT = 1280, 1024
WIDTHS = range(320, 2561)
"""The widths a picture may have."""
STRIP, RIM, FRAME = 70, 46, 30
PITCH, BAR_WIDTH, SEPARATOR, TRAY = 85, 82, 16, 102
HALF = 6 * PITCH
FIELD_TOP, FIELD_BOTTOM, MIDDLE = STRIP + RIM, HEIGHT - STRIP - RIM, HEIGHT // 2
BAR_LEFT = FRAME + HALF
RIGHT_HALF = BAR_LEFT + BAR_WIDTH
TRAY_LEFT = RIGHT_HALF + HALF + SEPARATOR
TRAY_HEIGHT = 363

CHECKER, STEP, FIRST = 76, 73, 41
"""Diameter; distance of neighbours in a stack of up to five; the first centre from the rim."""
FULL = 5
"""So many checkers touch; taller stacks are squeezed into the height of these."""
POINT_BASE, POINT_HEIGHT = 79, 352
SLAB_WIDTH, SLAB_HEIGHT, SLAB_STEP = 84, 21, 20.5
DIE, DIE_STEP = 68, 84
CUBE, CUBE_FROM_RIM = 66, 41
PINNED_STEP = 46
"""The least a pinned checker peeks out below a squeezed stack."""

ICON, NAME, TEXT_RIGHT, PIPS_RIGHT, TEXT_GAP, ACCENT = 50, 88, 1250, 1122, 44, 10
"""Along a strip, from the left: checker icon, start of the name, end of the score, end of the pips when there is
a score, the least gap between texts, width of the accent bar."""


class Spot(NamedTuple):
    """A centre in pixels."""

    x: float
    y: float


class Rect(NamedTuple):
    """Fractions (0..1) of the picture's width and height."""

    left: float
    top: float
    width: float
    height: float


class Areas(NamedTuple):
    """What can be touched on the picture: the 24 slots, each side's half of the bar, each side's tray."""

    points: dict[int, Rect]
    bar: dict[Where, Rect]
    tray: dict[Where, Rect]


def other(side: Where) -> Where:
    return "top" if side == "bottom" else "bottom"


def on_top(slot: int) -> bool:
    """Slots 13..24 hang from the upper rim."""
    return slot > 12


def column(slot: int) -> int:
    """0..11 from the left of the unmirrored board."""
    return slot - 13 if on_top(slot) else 12 - slot


def _from_rim(top: bool, distance: float) -> float:
    return FIELD_TOP + distance if top else FIELD_BOTTOM - distance


def _up_stack(index: int, count: int, pinned: bool) -> float:
    """Distance of checker `index` (0 the lowest) from the first one in a stack of `count`."""
    if count <= FULL:
        return index * STEP
    if not pinned:
        return index * (FULL - 1) * STEP / (count - 1)
    return 0 if index == 0 else PINNED_STEP + (index - 1) * ((FULL - 1) * STEP - PINNED_STEP) / (count - 2)


@dataclass(frozen=True, slots=True)
class Layout:
    """The geometry of one picture size."""

    width: int = WIDTH
    home_left: bool = False

    @property
    def scale(self) -> float:
        return self.width / WIDTH

    @property
    def height(self) -> int:
        return round(self.width * HEIGHT / WIDTH)

    def px(self, length: float) -> int:
        """A design length in whole pixels, never nothing."""
        return max(1, round(length * self.scale))

    def spot(self, x: float, y: float) -> Spot:
        """A design place on the board, mirrored if need be."""
        return Spot((WIDTH - x if self.home_left else x) * self.scale, y * self.scale)

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """A design box on the board, mirrored if need be."""
        if self.home_left:
            left, right = WIDTH - right, WIDTH - left
        return self.strip_box(left, top, right, bottom)

    def strip_box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """A design box that is never mirrored."""
        k = self.scale
        return round(left * k), round(top * k), round(right * k), round(bottom * k)

    # -- the board ------------------------------------------------------------------------------------------------

    def halves(self) -> tuple[Box, Box]:
        """The two playing fields, outer board first."""
        left, right = (self.box(x, FIELD_TOP, x + HALF, FIELD_BOTTOM) for x in (FRAME, RIGHT_HALF))
        return left, right

    def bar_box(self) -> Box:
        return self.box(BAR_LEFT, FIELD_TOP, RIGHT_HALF, FIELD_BOTTOM)

    def tray_box(self, side: Where) -> Box:
        top = FIELD_TOP if side == "top" else FIELD_BOTTOM - TRAY_HEIGHT
        return self.box(TRAY_LEFT, top, TRAY_LEFT + TRAY, top + TRAY_HEIGHT)

    def strip(self, side: Where) -> Box:
        top = 0 if side == "top" else HEIGHT - STRIP
        return self.strip_box(0, top, WIDTH, top + STRIP)

    def point_x(self, slot: int) -> float:
        """The design x of a slot's middle, unmirrored."""
        place = column(slot)
        return FRAME + PITCH * (place + 0.5) + (BAR_WIDTH if place >= 6 else 0)

    def number(self, slot: int) -> Spot:
        """The centre of a point's number in the rim."""
        return self._rim(self.point_x(slot), on_top(slot))

    def off_number(self, side: Where) -> Spot:
        return self._rim(TRAY_LEFT + TRAY / 2, side == "top")

    def _rim(self, x: float, top: bool) -> Spot:
        return self.spot(x, _from_rim(top, -RIM / 2 - 2))

    def home_line(self, slot: int) -> Box:
        """The underline of one home slot, in the rim beside the field."""
        x, top = self.point_x(slot), on_top(slot)
        first, second = sorted((_from_rim(top, -9), _from_rim(top, -2)))
        return self.box(x - PITCH / 2, first, x + PITCH / 2, second)

    # -- what lies on it ------------------------------------------------------------------------------------------

    def checker(self, slot: int, index: int, count: int, pinned: bool = False) -> Spot:
        """Checker `index` (0 the lowest) of a stack of `count`, the lowest being `pinned` or not."""
        return self.spot(self.point_x(slot), _from_rim(on_top(slot), FIRST + _up_stack(index, count, pinned)))

    def bar(self, side: Where, index: int, count: int, cube: CubePlace = "none") -> Spot:
        """Checker `index` of `count` on the bar: in the half where that side enters, from the middle outwards.

        `cube` says which end of the bar the cube lies at (None: in the middle), "none" that there is no cube.
        """
        first = 84.0 if cube is None else 46.0
        last = MIDDLE - FIELD_TOP - (FIRST + CUBE_FROM_RIM + CUBE / 2 + 6 if cube == other(side) else FIRST)
        step = min(STEP, (last - first) / max(1, count - 1))
        away = first + index * step
        return self.spot(BAR_LEFT + BAR_WIDTH / 2, MIDDLE - away if side == "bottom" else MIDDLE + away)

    def slab(self, side: Where, index: int) -> Spot:
        """Borne-off checker `index` lying on edge in its tray."""
        away = 5 + SLAB_HEIGHT / 2 + index * SLAB_STEP
        return self.spot(TRAY_LEFT + TRAY / 2, _from_rim(side == "top", away))

    def off_place(self, side: Where, count: int) -> Spot:
        """Where a ring shows the next place in a tray that holds `count`."""
        away = min(FIRST + 4 + count * SLAB_STEP, TRAY_HEIGHT - FIRST - 4)
        return self.spot(TRAY_LEFT + TRAY / 2, _from_rim(side == "top", away))

    def die(self, side: Where, index: int, count: int) -> Spot:
        """Die `index` of `count` in the half at that side's right hand (the board's mirroring does not move it)."""
        step = min(DIE_STEP, (HALF - DIE - 16) / max(1, count - 1))
        left, right = FRAME + HALF / 2, RIGHT_HALF + HALF / 2
        if self.home_left:
            left, right = WIDTH - right, WIDTH - left
        middle = right if side == "bottom" else left
        return Spot((middle + (index - (count - 1) / 2) * step) * self.scale, MIDDLE * self.scale)

    def cube(self, owner: Where | None) -> Spot:
        y = MIDDLE if owner is None else _from_rim(owner == "top", CUBE_FROM_RIM)
        return self.spot(BAR_LEFT + BAR_WIDTH / 2, y)

    def cuts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where the picture is cut into cells, x then y: along the columns and the rims, so that a cell's content
        is mostly the same few checkers again."""
        inner = [FRAME + PITCH * n for n in range(1, 7)] + [RIGHT_HALF + PITCH * n for n in range(7)]
        xs = {0, self.width, *(round(self.spot(x, 0).x) for x in inner)}
        rows = (0, STRIP, FIELD_TOP, FIELD_TOP + 190, MIDDLE - 36, MIDDLE + 36, FIELD_BOTTOM - 190, FIELD_BOTTOM)
        ys = {self.height, *(round(y * self.scale) for y in (*rows, HEIGHT - STRIP))}
        return tuple(sorted(xs)), tuple(sorted(ys))


def areas(home_left: bool = False) -> Areas:
    """The touchable areas as fractions of the picture, the same for every width.

    A slot's area is its column from the strip (its number included) to just short of the middle. Of a side's bar
    it is the half where that side's checkers wait to enter; of a tray its half of the tray's column.
    """
    layout = Layout(WIDTH, home_left)
    reach = MIDDLE - STRIP - 34

    def rect(x: float, width: float, top: bool) -> Rect:
        left, upper, right, lower = layout.box(x, STRIP, x + width, STRIP + reach)
        y = upper if top else HEIGHT - lower
        return Rect(left / WIDTH, y / HEIGHT, (right - left) / WIDTH, reach / HEIGHT)

    sides: tuple[Where, Where] = ("bottom", "top")
    return Areas(
        {
            slot: rect(FRAME + PITCH * column(slot) + (BAR_WIDTH if column(slot) >= 6 else 0), PITCH, on_top(slot))
            for slot in range(1, 25)
        },
        {side: rect(BAR_LEFT, BAR_WIDTH, side == "bottom") for side in sides},
        {side: rect(TRAY_LEFT, TRAY, side == "top") for side in sides},
    )
