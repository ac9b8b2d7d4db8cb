"""Builds the fixed palettes: `python -m render.palettes`, after any change of colours or drawing.

Each theme is trained on whole pictures and, far heavier than their share of the area, on its sprites: the felt
would starve the checkers otherwise. Dithering is never used, so what a palette lacks is seen as bands.
"""

from collections.abc import Iterator

from PIL import Image

from render.board import draw
from render.drawing import sprites
from render.drawing.kit import Sprite, kit_of
from render.picture import Arrow, Die, Mark, Picture, PictureCube, PictureSide, Target
from render.theme import ASSETS, THEMES, Theme

COLOURS = 200
SHEET = 1280


def sample(theme: Theme, light_below: bool) -> Picture:
    """A composed position with everything on it."""
    first = (2, 2, 0, 0, 0, 0, 4, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1)
    second = (3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)
    return Picture(
        PictureSide("Ayşe", light_below, first, 159, "3/7", tuple(range(1, 7))),
        PictureSide("Дмитрий", not light_below, second, 158, "5/7", tuple(range(19, 25))),
        to_move="bottom",
        dice=(Die(6), Die(3, faded=True)),
        last=(Arrow("top", 10, 15), Arrow("top", 18, 17)),
        hint=(Arrow("bottom", 12, 7),),
        marks=(Mark("bottom", 8, "B"), Mark("bottom", 6)),
        targets=(Target("bottom", 3),),
        cube=PictureCube(2),
        theme=theme.name,
    )


def shapes(theme: Theme) -> Iterator[Sprite]:
    kit = kit_of(theme.name, 1280, False)
    for light in (True, False):
        yield sprites.checker(kit, light)
        yield sprites.checker(kit, light)
        yield sprites.die(kit, light, 5, False)
        yield sprites.slab(kit, light)
    yield sprites.cube(kit, 64)
    yield sprites.tag(kit, "A")


def sheet(theme: Theme) -> Image.Image:
    """What the palette is chosen for."""
    pictures = [draw(sample(theme, light)).reduce(2) for light in (True, False)]
    image = Image.new("RGB", (SHEET, 2 * pictures[0].height), theme.felt)
    for n, picture in enumerate(pictures):
        image.paste(picture, (0, n * picture.height))
    x, y, grounds = 660, 0, (theme.felt, theme.points[0], theme.points[1], theme.bar)
    for round_ in range(8):
        image.paste(grounds[round_ % 4], (x, y, SHEET, y + 100))
        for n, shape in enumerate(shapes(theme)):
            shape.paste(image, x + 2 + n % 7 * 88, y + n // 7 * 100)
            y += 100 if n == 6 else 0
        y = (round_ + 1) * 128
    return image


def build(theme: Theme) -> bytes:
    """The theme's palette, dark to light; black comes first, so that index 0 always exists."""
    chosen = sheet(theme).quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
    flat = chosen.getpalette() or []
    found = {(flat[n], flat[n + 1], flat[n + 2]) for n in range(0, len(flat), 3)}
    return bytes(v for rgb in sorted(found, key=lambda c: (2 * c[0] + 5 * c[1] + c[2], c)) for v in rgb)


def main() -> None:
    for theme in THEMES.values():
        colours = build(theme)
        lines = [colours[n : n + 36].hex(" ", 3) for n in range(0, len(colours), 36)]
        (ASSETS / f"{theme.name}.palette").write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
