"""What all drawing shares: the theme and size of a set of sprites, and the sprite itself."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from PIL import Image

from render.layout import Layout, Spot
from render.theme import Colour, Theme, theme_of

SMOOTH = 4
"""Shapes are drawn this many times larger and averaged down; Pillow's own edges are not smoothed."""


@dataclass(frozen=True, eq=False, slots=True)
class Kit:
    """Theme and geometry of one kind of picture; equal only to itself, hence a cheap cache key."""

    theme: Theme
    layout: Layout


@lru_cache(maxsize=16)
def kit_of(theme: str, width: int, home_left: bool) -> Kit:
    return Kit(theme_of(theme), Layout(width, home_left))


@dataclass(frozen=True, eq=False, slots=True)
class Sprite:
    """Something drawn once: an opaque picture, or ink (a picture or one colour) to be laid through a mask.

    `anchor` is the spot of it, in pixels from its top left corner, that is put where the sprite is placed.
    """

    ink: Image.Image | Colour
    mask: Image.Image | None
    size: tuple[int, int]
    anchor: tuple[float, float]
    passing: bool = False
    """Rarely the same again (an arrow): not worth keeping what is drawn with it."""

    def at(self, spot: Spot) -> "Placed":
        return Placed(self, round(spot.x - self.anchor[0]), round(spot.y - self.anchor[1]))

    def paste(self, image: Image.Image, x: int, y: int) -> None:
        """Lay the sprite on an RGB image, its top left corner at (x, y); what lies outside is cut off."""
        image.paste(self.ink, (x, y, x + self.size[0], y + self.size[1]), self.mask)


class Placed(NamedTuple):
    """A sprite and where its top left corner comes to lie."""

    sprite: Sprite
    x: int
    y: int


def centred(ink: Image.Image | Colour, mask: Image.Image) -> Sprite:
    """A sprite that is placed by its middle."""
    return Sprite(ink, mask, mask.size, (mask.width / 2, mask.height / 2))
