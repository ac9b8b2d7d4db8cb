"""Arrows: tapered, bowed and cased, cut into slices so that little more than what they cover is pasted."""

import math
from functools import lru_cache

from PIL import Image, ImageDraw

from render.drawing.kit import Kit, Placed, Sprite
from render.layout import Spot
from render.theme import Colour

SHARP = 3
"""Arrows are drawn three times larger: they are seldom the same, so this is paid for almost every picture."""
SLICE = 64
STEPS = 12
CASE = 3.6
"""Width of the dark (or light) line round an arrow."""
Points = list[tuple[float, float]]


def bow(kit: Kit, start: Spot, end: Spot) -> Spot:
    """The control point of the curve: moves along one row bow towards the middle, others bend a little."""
    k = kit.layout.scale
    middle_x, middle_y = (start.x + end.x) / 2, (start.y + end.y) / 2
    across, down = end.x - start.x, end.y - start.y
    length = math.hypot(across, down) or 1.0
    centre = kit.layout.height / 2
    if (start.y < centre) == (end.y < centre):
        lift = 1.5 * min(0.2 * length, 90 * k)
        return Spot(middle_x, middle_y + (lift if start.y < centre else -lift))
    bend = 1.6 * 22 * k
    return Spot(middle_x - down / length * bend, middle_y + across / length * bend)


def _curve(start: Spot, control: Spot, end: Spot, t: float) -> Spot:
    a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
    return Spot(a * start.x + b * control.x + c * end.x, a * start.y + b * control.y + c * end.y)


def midway(kit: Kit, start: Spot, end: Spot) -> Spot:
    """The middle of the arrow's shaft, for its number."""
    return _curve(start, bow(kit, start, end), end, 0.5)


def arrow(kit: Kit, start: Spot, end: Spot, short: float, hint: bool) -> list[Placed]:
    """The arrow from one spot to another, its tip `short` pixels before the end."""
    x, y = round(start.x), round(start.y)
    control = bow(kit, start, end)
    shape = tuple(round(v) for v in (end.x - x, end.y - y, control.x - x, control.y - y, short))
    return [Placed(sprite, x + dx, y + dy) for sprite, dx, dy in _slices(kit, shape, hint)]


@lru_cache(maxsize=64)
def _slices(kit: Kit, shape: tuple[int, ...], hint: bool) -> tuple[tuple[Sprite, int, int], ...]:
    """An arrow that starts at (0, 0), as sprites with the place of their corners."""
    theme = kit.theme
    fill, case = (theme.pick, theme.pick_ink) if hint else (theme.last, theme.last_case)
    inner, outer = _outline(shape, kit.layout.scale, 0), _outline(shape, kit.layout.scale, CASE)
    left, upper = (math.floor(min(values)) - 1 for values in zip(*outer, strict=True))
    right, lower = (math.ceil(max(values)) + 1 for values in zip(*outer, strict=True))
    size = right - left, lower - upper
    masks = _filled(inner, left, upper, size), _filled(outer, left, upper, size)
    return tuple((sprite, left + x, upper + y) for sprite, x, y in _cut(*masks, fill, case))


def _filled(outline: Points, left: int, upper: int, size: tuple[int, int]) -> Image.Image:
    """The outline as a mask, `SHARP` times larger than `size`."""
    mask = Image.new("L", (size[0] * SHARP, size[1] * SHARP))
    ImageDraw.Draw(mask).polygon([((x - left) * SHARP, (y - upper) * SHARP) for x, y in outline], fill=255)
    return mask


def _cut(inner: Image.Image, outer: Image.Image, fill: Colour, case: Colour) -> list[tuple[Sprite, int, int]]:
    """The arrow in slices across its longer side, each as small as what it covers: most of the box is empty."""
    slices, size = [], outer.size
    step, upright = SLICE * SHARP, size[1] > size[0]
    for n in range(0, max(size), step):
        whole = (0, n, size[0], min(n + step, size[1])) if upright else (n, 0, min(n + step, size[0]), size[1])
        covered = outer.crop(whole).getbbox()
        if covered:
            left, upper = (whole[i] + covered[i] // SHARP * SHARP for i in (0, 1))
            right, lower = (whole[i] - -covered[i + 2] // SHARP * SHARP for i in (0, 1))
            box = left, upper, right, lower
            mask = outer.crop(box).reduce(SHARP)
            ink = Image.new("RGB", mask.size, case)
            ink.paste(fill, (0, 0, *mask.size), inner.crop(box).reduce(SHARP))
            slices.append((Sprite(ink, mask, mask.size, (0, 0), passing=True), left // SHARP, upper // SHARP))
    return slices


def _outline(shape: tuple[int, ...], k: float, grown: float) -> Points:
    """The arrow's outline: a shaft growing from 2.4 to 7.4, a head 31 long and 40 wide; `grown` on all sides."""
    end, control, start = Spot(shape[0], shape[1]), Spot(shape[2], shape[3]), Spot(0, 0)
    neck_at = _before(start, control, end, shape[4] + 31 * k)
    tip, neck = (_curve(start, control, end, t) for t in (_before(start, control, end, shape[4]), neck_at))
    left: Points = []
    right: Points = []
    for n in range(-1, STEPS + 1):
        # The growth lets the shaft begin a little before its start.
        t = neck_at * n / STEPS if n >= 0 else -grown * k / (math.hypot(control.x, control.y) * 2 or 1.0)
        spot, (nx, ny) = _curve(start, control, end, t), _normal(start, control, end, t)
        half = (2.4 + 5 * max(0, n) / STEPS + grown) * k
        left.append((spot.x + nx * half, spot.y + ny * half))
        right.append((spot.x - nx * half, spot.y - ny * half))
    return [*left, *_head(neck, tip, k, grown), *reversed(right)]


def _head(neck: Spot, tip: Spot, k: float, grown: float) -> Points:
    long = math.hypot(tip.x - neck.x, tip.y - neck.y) or 1.0
    ux, uy = (tip.x - neck.x) / long, (tip.y - neck.y) / long
    back, wide, ahead = grown * k, (20 + 1.75 * grown) * k, 1.7 * grown * k
    base_x, base_y = neck.x - ux * back, neck.y - uy * back
    first, last = (base_x - uy * wide, base_y + ux * wide), (base_x + uy * wide, base_y - ux * wide)
    return [first, (tip.x + ux * ahead, tip.y + uy * ahead), last]


def _normal(start: Spot, control: Spot, end: Spot, t: float) -> tuple[float, float]:
    dx = (1 - t) * (control.x - start.x) + t * (end.x - control.x)
    dy = (1 - t) * (control.y - start.y) + t * (end.y - control.y)
    length = math.hypot(dx, dy) or 1.0
    return -dy / length, dx / length


def _before(start: Spot, control: Spot, end: Spot, distance: float) -> float:
    """The parameter of the last place on the curve that is `distance` from its end."""
    low, high = 0.0, 1.0
    for _ in range(14):
        middle = (low + high) / 2
        spot = _curve(start, control, end, middle)
        low, high = (middle, high) if math.hypot(end.x - spot.x, end.y - spot.y) > distance else (low, middle)
    return low
