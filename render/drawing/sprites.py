"""Checkers, dice, cube, rings and tags as sprites, drawn once per theme and size."""

from collections.abc import Iterable
from functools import lru_cache

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

from render.drawing.kit import SMOOTH, Kit, Sprite, centred
from render.drawing.lettering import word
from render.layout import ACCENT, CHECKER, CUBE, DIE, SLAB_HEIGHT, SLAB_WIDTH, STRIP, WIDTH, Spot
from render.theme import CheckerColours, Colour, mix, shade

KEPT = 4096
SHADOW, SHADOW_DOWN, SHADOW_BLUR = 0.5, 3, 2.4
FADED = 0.33
PIPS = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


class Plate:
    """A small picture in the making, drawn `SMOOTH` times larger around its middle; lengths are design pixels."""

    def __init__(self, kit: Kit, width: float, height: float, ground: Colour = (0, 0, 0)) -> None:
        self.k = kit.layout.scale * SMOOTH
        self.size = kit.layout.px(width), kit.layout.px(height)
        self.large = self.size[0] * SMOOTH, self.size[1] * SMOOTH
        self.ink = Image.new("RGB", self.large, ground)
        self.mask = Image.new("L", self.large)

    def box(self, half_width: float, half_height: float, down: float = 0) -> tuple[float, float, float, float]:
        x, y = self.large[0] / 2, self.large[1] / 2 + down * self.k
        w, h = half_width * self.k, half_height * self.k
        return x - w, y - h, x + w - 1, y + h - 1

    def disc(self, radius: float, down: float = 0) -> Image.Image:
        """The mask of a disc."""
        mask = Image.new("L", self.large)
        ImageDraw.Draw(mask).ellipse(self.box(radius, radius, down), fill=255)
        return mask

    def block(self, half_width: float, half_height: float, radius: float) -> Image.Image:
        """The mask of a rectangle with round corners."""
        mask = Image.new("L", self.large)
        ImageDraw.Draw(mask).rounded_rectangle(self.box(half_width, half_height), radius * self.k, fill=255)
        return mask

    def lay(self, ink: Colour | Image.Image, shape: Image.Image) -> None:
        """Ink through a shape, onto the plate."""
        self.ink.paste(ink, (0, 0, *self.large), shape)
        self.mask = ImageChops.lighter(self.mask, shape)

    def cut(self, shape: Image.Image) -> None:
        """A hole of that shape."""
        self.mask.paste(0, (0, 0, *self.large), shape)

    def slope(self, top: Colour, bottom: Colour, half_height: float) -> Image.Image:
        """A picture of the plate's size going from one colour to the other over that height."""
        _, upper, _, lower = self.box(1, half_height)
        ramp = Image.new("L", self.large)
        ramp.paste(255, (0, round(lower), *self.large))
        height = round(lower) - round(upper)
        ramp.paste(Image.linear_gradient("L").resize((self.large[0], height)), (0, round(upper)))
        return ImageOps.colorize(ramp, top, bottom)

    def done(self, letters: Sprite | None = None) -> Sprite:
        """The finished sprite, with a word in its middle."""
        return centred(self._small(letters), self.mask.reduce(SMOOTH))

    def done_on_shadow(self, kit: Kit, letters: Sprite | None = None, part: float = 1) -> Sprite:
        """The finished sprite above its own soft shadow; `part` is how much it covers of what lies below."""
        ink, mask, k = self._small(letters), self.mask.reduce(SMOOTH), kit.layout.scale
        cast = Image.new("L", mask.size)
        cast.paste(mask.point(lambda v: round(v * SHADOW)), (0, round(SHADOW_DOWN * k)))
        dark = Image.new("RGB", ink.size)
        dark.paste(ink, (0, 0), mask)
        whole = ImageChops.screen(mask, cast.filter(ImageFilter.GaussianBlur(SHADOW_BLUR * k)))
        return centred(dark, whole if part == 1 else whole.point(lambda v: round(v * part)))

    def _small(self, letters: Sprite | None) -> Image.Image:
        ink = self.ink.reduce(SMOOTH)
        if letters:
            put = letters.at(Spot(ink.width / 2, ink.height / 2))
            letters.paste(ink, put.x, put.y)
        return ink


def faces(colours: CheckerColours, part: float = 1) -> tuple[Colour, Colour]:
    """The lit and the shaded end of a surface; a negative `part` turns the light round (a hollow)."""
    lit, dim = shade(colours.face, colours.lift * abs(part)), shade(colours.face, -colours.drop * abs(part))
    return (lit, dim) if part > 0 else (dim, lit)


@lru_cache(maxsize=KEPT)
def checker(kit: Kit, light: bool) -> Sprite:
    """A checker seen from above: rim, bevel, flat face, groove, hollow middle."""
    colours, r = kit.theme.checker(light), CHECKER / 2
    plate = Plate(kit, CHECKER + 8, CHECKER + 16)
    plate.lay(colours.rim, plate.disc(r))
    plate.lay(plate.slope(*faces(colours, 1.35), r), plate.disc(r - 2.2))
    plate.lay(plate.slope(*faces(colours, 0.55), r), plate.disc(r - 7))
    g = r * 0.66
    plate.lay(mix(colours.groove, colours.rim, 0.25), plate.disc(g))
    plate.lay(colours.groove, plate.disc(g, 0.7))
    plate.lay(plate.slope(*faces(colours, -0.8), g), plate.disc(g - 2.6))
    return plate.done_on_shadow(kit)


@lru_cache(maxsize=KEPT)
def icon(kit: Kit, light: bool) -> Sprite:
    """The small checker at the head of a strip."""
    colours = kit.theme.checker(light)
    plate = Plate(kit, 46, 46)
    edge = mix(colours.rim, colours.groove, 0.0 if light else 0.8)
    plate.lay(edge, plate.disc(21))
    plate.lay(plate.slope(*faces(colours), 20), plate.disc(19))
    plate.lay(colours.groove, plate.disc(12.6))
    plate.lay(plate.slope(*faces(colours, -0.8), 12), plate.disc(10.6))
    return plate.done()


@lru_cache(maxsize=KEPT)
def slab(kit: Kit, light: bool) -> Sprite:
    """A borne-off checker seen edge-on."""
    colours, w, h = kit.theme.checker(light), SLAB_WIDTH / 2, SLAB_HEIGHT / 2
    plate = Plate(kit, SLAB_WIDTH + 2, SLAB_HEIGHT + 2)
    plate.lay(colours.rim if light else mix(colours.rim, colours.groove, 0.75), plate.block(w, h, 5.5))
    plate.lay(plate.slope(*faces(colours), h), plate.block(w - 2, h - 2, 4))
    plate.lay(colours.groove, plate.block(w - 9, 1.1, 1))
    return plate.done()


@lru_cache(maxsize=KEPT)
def die(kit: Kit, light: bool, value: int, faded: bool) -> Sprite:
    """A die in its owner's colours; a faded one lets the board through."""
    colours, half = kit.theme.checker(light), DIE / 2
    plate = Plate(kit, DIE + 8, DIE + 14)
    plate.lay(colours.rim if light else mix(colours.rim, colours.groove, 0.6), plate.block(half, half, 15))
    plate.lay(plate.slope(*faces(colours, 0.9), half), plate.block(half - 2, half - 2, 13.5))
    for across, down in PIPS[value]:
        ImageDraw.Draw(plate.ink).ellipse(_pip(plate, across * 18.5, down * 18.5), fill=colours.ink)
    return plate.done_on_shadow(kit, part=FADED if faded else 1)


def _pip(plate: Plate, across: float, down: float, radius: float = 6.8) -> tuple[float, float, float, float]:
    left, upper, right, lower = plate.box(radius, radius, down)
    return left + across * plate.k, upper, right + across * plate.k, lower


@lru_cache(maxsize=KEPT)
def cube(kit: Kit, value: int) -> Sprite:
    """The doubling cube; long numbers are set smaller."""
    half, face = CUBE / 2, kit.theme.cube
    plate = Plate(kit, CUBE + 8, CUBE + 14)
    plate.lay(shade(face, -0.35), plate.block(half, half, 12))
    plate.lay(plate.slope(shade(face, 0.5), shade(face, -0.08), half), plate.block(half - 1.6, half - 1.6, 10.5))
    size = {1: 38, 2: 36, 3: 29}.get(len(str(value)), 22)
    return plate.done_on_shadow(kit, word(str(value), kit.layout.px(size), kit.theme.cube_ink))


def _dashes(plate: Plate, radius: float, width: float, spread: float) -> Image.Image:
    """The mask of twelve dashes round a circle, each `spread` degrees long."""
    mask = Image.new("L", plate.large)
    box = plate.box(radius + width / 2, radius + width / 2)
    for n in range(12):
        middle = 30 * n + 15
        ImageDraw.Draw(mask).arc(box, middle - spread / 2, middle + spread / 2, 255, round(width * plate.k))
    return mask


@lru_cache(maxsize=KEPT)
def vacated(kit: Kit, hint: bool) -> Sprite:
    """The dashed ring round the place that a checker left (or, proposed, would leave)."""
    plate = Plate(kit, CHECKER + 8, CHECKER + 8, kit.theme.last_case)
    plate.lay(kit.theme.last_case, _dashes(plate, 33, 7.5, 23))
    plate.lay(kit.theme.pick if hint else kit.theme.last, _dashes(plate, 33, 4, 18))
    return plate.done()


@lru_cache(maxsize=KEPT)
def target(kit: Kit) -> Sprite:
    """The dashed ring round a place where a checker can land, with a dot in its middle."""
    plate = Plate(kit, CHECKER + 8, CHECKER + 8, kit.theme.pick_ink)
    plate.lay(kit.theme.pick_ink, _dashes(plate, 35, 9, 24))
    plate.lay(kit.theme.pick, _dashes(plate, 35, 6, 20))
    _rings(plate, ((kit.theme.pick_ink, 11), (kit.theme.pick, 9.4)))
    return plate.done()


@lru_cache(maxsize=KEPT)
def tag(kit: Kit, letter: str) -> Sprite:
    """The ring and lettered disc on a checker that can be taken up; between them the checker shows."""
    pick, ink = kit.theme.pick, kit.theme.pick_ink
    plate = Plate(kit, CHECKER + 8, CHECKER + 8, ink)
    _rings(plate, ((ink, 41.5), (pick, 40)))
    plate.lay(ink, plate.disc(33.6))
    plate.cut(plate.disc(32.2))
    _rings(plate, ((ink, 28.6), (pick, 27)) if letter else ((ink, 11), (pick, 9.4)))
    return plate.done(word(letter, kit.layout.px(37), ink) if letter else None)


def _rings(plate: Plate, rings: Iterable[tuple[Colour, float]]) -> None:
    for ink, radius in rings:
        plate.lay(ink, plate.disc(radius))


@lru_cache(maxsize=KEPT)
def times(kit: Kit, count: int, hint: bool) -> Sprite:
    """The "×2" disc of merged arrows."""
    plate = Plate(kit, 60, 60)
    fill = kit.theme.pick if hint else kit.theme.last
    case = kit.theme.pick_ink if hint else kit.theme.last_case
    _rings(plate, ((case, 27), (fill, 24.5)))
    return plate.done(word(f"×{count}", kit.layout.px(30), case))


@lru_cache(maxsize=KEPT)
def pill(kit: Kit, light: bool, count: int) -> Sprite:
    """A stack's number at its rim end, where its top face is taken."""
    colours, half = kit.theme.checker(light), 20 + 9 * (len(str(count)) - 1)
    plate = Plate(kit, 2 * half + 4, 44)
    plate.lay(colours.rim if light else mix(colours.rim, colours.groove, 0.8), plate.block(half, 20, 11))
    plate.lay(colours.face, plate.block(half - 2.4, 17.6, 9))
    return plate.done(word(str(count), kit.layout.px(34), colours.ink))


@lru_cache(maxsize=KEPT)
def home_line(kit: Kit, light: bool, width: int, height: int) -> Sprite:
    """The underline of a home board in its owner's colour."""
    colours = kit.theme.checker(light)
    line = Image.new("RGB", (width, height), colours.rim if light else shade(colours.groove, 0.25))
    edge = kit.layout.px(1.5)
    line.paste(colours.face, (edge, edge, width - edge, height - edge))
    return Sprite(line, None, line.size, (0, 0))


@lru_cache(maxsize=KEPT)
def roll_strip(kit: Kit) -> Sprite:
    """The brighter strip of the side to move, with the accent bar at its left end."""
    strip = Image.new("RGB", (kit.layout.px(WIDTH), kit.layout.px(STRIP)), kit.theme.roll)
    strip.paste(kit.theme.last, (0, 0, kit.layout.px(ACCENT), strip.height))
    return Sprite(strip, None, strip.size, (0, 0))
