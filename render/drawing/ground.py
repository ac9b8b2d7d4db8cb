"""The empty board: wood, felt and points, the same for every picture of one theme and size."""

import math
import random
from functools import lru_cache

from PIL import Image, ImageChops, ImageDraw, ImageOps

from render.drawing.kit import SMOOTH, Kit
from render.layout import (
    FIELD_BOTTOM,
    FIELD_TOP,
    FRAME,
    HALF,
    HEIGHT,
    PITCH,
    POINT_BASE,
    POINT_HEIGHT,
    RIGHT_HALF,
    STRIP,
    TRAY_HEIGHT,
    TRAY_LEFT,
    WIDTH,
    Box,
)
from render.theme import Colour, mix, shade


@lru_cache(maxsize=8)
def ground(kit: Kit) -> Image.Image:
    """The empty board as an RGB image, without numbers; shared, never to be drawn on."""
    layout = kit.layout
    image = Image.new("RGB", (layout.width, layout.height), kit.theme.page)
    _frame(image, kit)
    for number, half in enumerate(layout.halves()):
        _recess(image, kit, half, kit.theme.felt, kit.theme.felt_edge)
        _points(image, kit, half, number)
        _shadow(image, kit, half)
    for box in (layout.tray_box("top"), layout.tray_box("bottom")):
        _recess(image, kit, box, kit.theme.tray, shade(kit.theme.tray, -0.25))
        _shadow(image, kit, box)
    return image


# -- wood -----------------------------------------------------------------------------------------------------------


def _rings(length: int, luck: random.Random, scale: float) -> Image.Image:
    """A column of grey values: fine fibres upon broad bands, as a saw cuts through a tree's rings."""
    bands = [(luck.uniform(0.5, 1), luck.uniform(9, 40) * scale, luck.uniform(0, math.tau)) for _ in range(5)]
    values = []
    for y in range(length):
        broad = sum(weight * math.sin(y / wave * math.tau + phase) for weight, wave, phase in bands)
        fibre = -2.6 if luck.random() < 0.1 / scale else luck.uniform(-0.7, 0.7)
        values.append(max(0, min(255, round(128 + 22 * broad + 26 * fibre))))
    return Image.frombytes("L", (1, length), bytes(values))


def _wood(kit: Kit, size: tuple[int, int], base: Colour, seed: int, wave: float = 5) -> Image.Image:
    """A board of wood, its grain running along it in waves of so many design pixels."""
    (width, height), k = size, kit.layout.scale
    sway, luck = round(wave * k), random.Random(seed)  # noqa: S311  the grain of painted wood, not dice
    rings = _rings(height + 2 * sway, luck, k).resize((width, height + 2 * sway))
    reach, start = 150 * k, luck.uniform(0, math.tau)
    cuts = [round(width * n / 24) for n in range(25)]
    offs = [sway * (1 + 0.7 * math.sin(start + x / reach) + 0.3 * math.sin(x / reach * 2.3)) for x in cuts]
    mesh = [
        ((left, 0, right, height), (left, a, left, a + height, right, b + height, right, b))
        for left, right, a, b in zip(cuts, cuts[1:], offs, offs[1:], strict=False)
    ]
    grey = rings.transform(size, Image.Transform.MESH, mesh, Image.Resampling.BILINEAR)
    strength = kit.theme.grain
    # Few tones: they compress well and leave the palette to the checkers.
    few = grey.point(lambda v: round(v / 15) * 15)
    return ImageOps.colorize(few, shade(base, -strength * 1.5), shade(base, strength), base)


def _frame(image: Image.Image, kit: Kit) -> None:
    """Stiles, bar and separator upright, the two rails across them with mitred corners."""
    layout, theme = kit.layout, kit.theme
    inner = (FRAME, RIGHT_HALF, TRAY_LEFT, WIDTH - FRAME)
    image.paste(theme.frame_dark, layout.strip_box(0, STRIP, WIDTH, HEIGHT - STRIP))
    for seed, (left, right, base, wave) in enumerate(
        (
            (0, inner[0], theme.frame, 0),
            (FRAME + HALF, inner[1], theme.bar, 5),
            (RIGHT_HALF + HALF, inner[2], theme.frame, 0),
            (inner[3], WIDTH, theme.frame, 0),
        )
    ):
        box = layout.box(left, STRIP, right, HEIGHT - STRIP)
        # The narrow stiles' grain is straight: rows that repeat cost next to no bytes.
        wood = _wood(kit, _size(box)[::-1], base, seed + 1, wave)
        image.paste(wood.transpose(Image.Transpose.ROTATE_90), box)
    block = layout.box(TRAY_LEFT, FIELD_TOP + TRAY_HEIGHT, WIDTH - FRAME, FIELD_BOTTOM - TRAY_HEIGHT)
    image.paste(_wood(kit, _size(block), theme.frame, 11), block)
    for seed, top in ((21, STRIP), (22, FIELD_BOTTOM)):
        _rail(image, kit, layout.strip_box(0, top, WIDTH, top + FIELD_TOP - STRIP), seed)
    _bevels(image, kit)


def _size(box: Box) -> tuple[int, int]:
    return box[2] - box[0], box[3] - box[1]


def _rail(image: Image.Image, kit: Kit, box: Box, seed: int) -> None:
    """A rail whose ends are cut slantwise to meet the outer stiles."""
    width, height = _size(box)
    cut = kit.layout.px(FRAME)
    upper = box[1] < image.height // 2
    long, short = ((0, width), (cut, width - cut)) if upper else ((cut, width - cut), (0, width))
    mask = Image.new("L", (width, height))
    corners = [(long[0], 0), (long[1], 0), (short[1], height), (short[0], height)]
    ImageDraw.Draw(mask).polygon(corners, fill=255)
    image.paste(_wood(kit, (width, height), kit.theme.frame, seed), box, mask)
    seam = mix(kit.theme.frame, kit.theme.frame_dark, 0.7)
    for x_from, x_to in ((long[0], short[0]), (long[1] - 1, short[1] - 1)):
        ImageDraw.Draw(image).line((x_from, box[1], x_to, box[3]), fill=seam, width=kit.layout.px(1.5))


def _bevels(image: Image.Image, kit: Kit) -> None:
    """The lit upper and the shaded lower edge of the frame."""
    layout, theme, draw = kit.layout, kit.theme, ImageDraw.Draw(image)
    left, top, right, bottom = layout.strip_box(0, STRIP, WIDTH, HEIGHT - STRIP)
    edge = layout.px(3)
    draw.rectangle(_inside((left, top, right, top + edge)), fill=theme.frame_light)
    draw.rectangle(_inside((left, bottom - edge, right, bottom)), fill=theme.frame_dark)


def _inside(box: Box) -> Box:
    """The same box for `ImageDraw`, which counts its last row and column in."""
    return box[0], box[1], box[2] - 1, box[3] - 1


# -- felt -----------------------------------------------------------------------------------------------------------


def _recess(image: Image.Image, kit: Kit, box: Box, fill: Colour, edge: Colour) -> None:
    """A field let into the wood: light catches the far lip, the near one lies in the dark."""
    left, top, right, bottom = box
    lip = kit.layout.px(3)
    draw = ImageDraw.Draw(image)
    draw.rectangle((left - lip, top - lip, right + lip - 1, bottom + lip - 1), fill=kit.theme.frame_dark)
    draw.rectangle((left, bottom, right + lip - 1, bottom + lip - 1), fill=kit.theme.frame_light)
    draw.rectangle((right, top, right + lip - 1, bottom + lip - 1), fill=kit.theme.frame_light)
    draw.rectangle(_inside(box), fill=edge)
    draw.rectangle((left + 1, top + 1, right - 2, bottom - 2), fill=fill)


def _shadow(image: Image.Image, kit: Kit, box: Box) -> None:
    """What the frame casts on the field: soft, from above and from the left."""
    width, height = _size(box)
    deep = kit.layout.px(13)
    ramp = Image.linear_gradient("L").transpose(Image.Transpose.FLIP_TOP_BOTTOM).point(lambda v: (v * v) // 620)
    few = ramp.resize((1, deep)).point(lambda v: v // 9 * 9)
    mask = Image.new("L", (width, height))
    mask.paste(few.resize((width, deep)), (0, 0))
    side = Image.new("L", (width, height))
    side.paste(few.transpose(Image.Transpose.ROTATE_90).resize((deep, height)), (0, 0))
    image.paste((0, 0, 0), box, ImageChops.lighter(mask, side))


def _points(image: Image.Image, kit: Kit, half: Box, number: int) -> None:
    """The twelve points of a half; each is two faces of slightly different light, as cut from veneer."""
    for top in (False, True):
        for place in range(6):
            odd = (place + number * 6 + (1 if top else 0)) % 2
            ink = kit.theme.points[1 - odd if kit.layout.home_left else odd]
            for ink_part, mask in zip((ink, shade(ink, -0.075)), _wedge(kit, top), strict=True):
                x = half[0] + round(place * PITCH * kit.layout.scale)
                image.paste(ink_part, (x, half[1] if top else half[3] - mask.height), mask)


@lru_cache(maxsize=32)
def _wedge(kit: Kit, top: bool) -> tuple[Image.Image, Image.Image]:
    """The masks of one point: all of it, and its right-hand face."""
    k, wide, high = kit.layout.scale * SMOOTH, kit.layout.px(PITCH), kit.layout.px(POINT_HEIGHT)
    middle, base, tip = wide * SMOOTH / 2, POINT_BASE / 2 * k, 1.6 * k
    low, peak = (0, high * SMOOTH) if top else (high * SMOOTH, 0)
    whole = [(middle - base, low), (middle - tip, peak), (middle + tip, peak), (middle + base, low)]
    right = [(middle, low), (middle, peak), *whole[2:]]
    masks = []
    for shape in (whole, right):
        mask = Image.new("L", (wide * SMOOTH, high * SMOOTH))
        ImageDraw.Draw(mask).polygon(shape, fill=255)
        masks.append(mask.reduce(SMOOTH))
    return masks[0], masks[1]
