"""Text: what the bundled font can show of it, how much fits, and strings as sprites."""

import threading
import unicodedata
from functools import lru_cache
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from render.drawing.kit import Sprite
from render.theme import ASSETS, Colour

Anchor = Literal["left", "middle", "right"]

LONGEST = 200
"""Characters of a text that are looked at; far more than fit on a strip."""
CAP_MIDDLE = 0.364
"""Half the height of Inter's capitals and digits, in font sizes."""
ELLIPSIS = "…"

_freetype = threading.Lock()


@lru_cache(maxsize=1)
def glyphs() -> frozenset[str]:
    """All characters of the bundled font (space apart)."""
    return frozenset((ASSETS / "glyphs.txt").read_text(encoding="utf-8")) - {"\n"}


def legible(text: str) -> str:
    """The text without what the font lacks (other scripts, emoji, controls, bidi and zero-width characters)."""
    kept = (c if c in glyphs() else " " if c.isspace() else "" for c in unicodedata.normalize("NFC", text[:LONGEST]))
    return " ".join("".join(kept).split())


@lru_cache(maxsize=64)
def _font(bold: bool, size: int) -> ImageFont.FreeTypeFont:
    # The basic layout needs no optional library, so every machine draws the same.
    name = "Inter-Bold.otf" if bold else "Inter-SemiBold.otf"
    return ImageFont.truetype(str(ASSETS / name), size, layout_engine=ImageFont.Layout.BASIC)


def length(text: str, size: int, bold: bool = False) -> float:
    """The width of a text in pixels."""
    with _freetype:
        return _font(bold, size).getlength(text)


@lru_cache(maxsize=512)
def fitted(text: str, size: int, limit: int) -> str:
    """The legible part of a text, cut with an ellipsis so that it is at most `limit` pixels wide; or nothing."""
    text = legible(text)
    if length(text, size) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if length(_cut(text, middle), size) <= limit else (low, middle - 1)
    return _cut(text, low) if low else ""


def _cut(text: str, letters: int) -> str:
    return text[:letters].rstrip() + ELLIPSIS


@lru_cache(maxsize=1024)
def word(text: str, size: int, ink: Colour, anchor: Anchor = "middle", bold: bool = True) -> Sprite:
    """A string as a sprite; placed by one end or its middle, and by the middle of its capitals' height.

    The bold font has ASCII and × only; all else is semi-bold.
    """
    pad, ascent, descent = 2, round(size * 1.1), round(size * 0.36)
    width = length(text, size, bold)
    mask = Image.new("L", (round(width) + 2 * pad, ascent + descent))
    with _freetype:
        ImageDraw.Draw(mask).text((pad, ascent), text, fill=255, font=_font(bold, size), anchor="ls")
    along = {"left": 0.0, "middle": width / 2, "right": width}[anchor]
    return Sprite(ink, mask, mask.size, (pad + along, ascent - CAP_MIDDLE * size))
