"""The colours of the board picture, as data.

A theme's palette (at most 256 colours, fixed) lies as hexadecimal text in `assets/<name>.palette`; it is built
offline by `render/palettes.py` and must be built anew when a colour here changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from PIL import Image

Colour = tuple[int, int, int]

ASSETS = Path(__file__).parent / "assets"


def colour(text: str) -> Colour:
    """The colour written as six hexadecimal digits."""
    red, green, blue = bytes.fromhex(text)
    return red, green, blue


def mix(one: Colour, two: Colour, part: float) -> Colour:
    """`part` (0..1) of the way from one colour to the other."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, two, strict=True))
    return red, green, blue


def shade(base: Colour, part: float) -> Colour:
    """Lighter by `part` (towards white), or darker if it is below 0."""
    return mix(base, (255, 255, 255), part) if part > 0 else mix(base, (0, 0, 0), -part)


@dataclass(frozen=True, slots=True)
class CheckerColours:
    """A checker, and the die and slab of the same side."""

    face: Colour
    rim: Colour
    groove: Colour
    ink: Colour
    """Numbers on the face, pips of the die."""
    lift: float = 0.2
    """How much lighter the lit edge is than the face; the shaded edge is darker by `drop`."""
    drop: float = 0.13


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour that a picture uses."""

    name: str
    page: Colour
    roll: Colour
    """The strip of the side to move."""
    text: Colour
    dim: Colour
    frame: Colour
    frame_light: Colour
    frame_dark: Colour
    bar: Colour
    felt: Colour
    felt_edge: Colour
    points: tuple[Colour, Colour]
    """The point at the bottom right (slot 1) has the second one."""
    tray: Colour
    numbers: Colour
    light: CheckerColours
    dark: CheckerColours
    cube: Colour
    cube_ink: Colour
    last: Colour
    last_case: Colour
    pick: Colour
    pick_ink: Colour
    grain: float = 0.16
    """Strength of the wood's grain."""

    def checker(self, light: bool) -> CheckerColours:
        return self.light if light else self.dark


WALNUT = Theme(
    name="walnut",
    page=colour("17181B"),
    roll=colour("26282D"),
    text=colour("F4F1EA"),
    dim=colour("A9A59C"),
    frame=colour("5F3D27"),
    frame_light=colour("8F6543"),
    frame_dark=colour("331D10"),
    bar=colour("52331F"),
    felt=colour("2B6157"),
    felt_edge=colour("214E46"),
    points=(colour("D8BE92"), colour("A2543A")),
    tray=colour("24544A"),
    numbers=colour("F3E0BB"),
    light=CheckerColours(colour("F5EBD6"), colour("A08A66"), colour("D2BE9A"), colour("3A2A1A")),
    dark=CheckerColours(colour("231F1D"), colour("0A0807"), colour("5E564F"), colour("F5EBD6"), 0.16, 0.28),
    cube=colour("F3E7CC"),
    cube_ink=colour("3A2A1A"),
    last=colour("F2A33A"),
    last_case=colour("241A10"),
    pick=colour("35C1EE"),
    pick_ink=colour("07202B"),
)

MIDNIGHT = Theme(
    name="midnight",
    page=colour("111318"),
    roll=colour("222938"),
    text=colour("F1F3F7"),
    dim=colour("9AA3B2"),
    frame=colour("2C323E"),
    frame_light=colour("434B5C"),
    frame_dark=colour("171A21"),
    bar=colour("282D38"),
    felt=colour("1B2330"),
    felt_edge=colour("141A25"),
    points=(colour("53627C"), colour("323F55")),
    tray=colour("141922"),
    numbers=colour("C7D0DF"),
    light=CheckerColours(colour("F4F2EC"), colour("8F96A3"), colour("CBCCCB"), colour("1B2330")),
    dark=CheckerColours(colour("E0574F"), colour("6E1F1C"), colour("F59A90"), colour("FFF6F3"), 0.2, 0.22),
    cube=colour("E9ECF2"),
    cube_ink=colour("1B2330"),
    last=colour("FFBE45"),
    last_case=colour("14171D"),
    pick=colour("4FD2FF"),
    pick_ink=colour("06202C"),
    grain=0.05,
)

PAPER = Theme(
    name="paper",
    page=colour("F6F1E7"),
    roll=colour("E5DAC6"),
    text=colour("2B241C"),
    dim=colour("75695A"),
    frame=colour("CDB491"),
    frame_light=colour("E3CFB0"),
    frame_dark=colour("A0845F"),
    bar=colour("C4A981"),
    felt=colour("F4EBDB"),
    felt_edge=colour("DCCDB4"),
    points=(colour("D9A679"), colour("8C9C8F")),
    tray=colour("E6D8C0"),
    numbers=colour("4A3826"),
    light=CheckerColours(colour("FFFDF7"), colour("8A7A62"), colour("DFD2BA"), colour("2B241C"), 0.6, 0.1),
    dark=CheckerColours(colour("2F3A4A"), colour("10161F"), colour("65758C"), colour("FFFDF7"), 0.14, 0.22),
    cube=colour("FFFDF7"),
    cube_ink=colour("2B241C"),
    last=colour("E0701A"),
    last_case=colour("FFFDF7"),
    pick=colour("0B84C6"),
    pick_ink=colour("FFFFFF"),
    grain=0.1,
)

CLEAR = Theme(
    name="clear",
    page=colour("14161A"),
    roll=colour("2A2E36"),
    text=colour("FFFFFF"),
    dim=colour("B4B9C2"),
    frame=colour("3A404B"),
    frame_light=colour("565E6C"),
    frame_dark=colour("1C2026"),
    bar=colour("343A44"),
    felt=colour("6F8096"),
    felt_edge=colour("58677B"),
    points=(colour("93A4B8"), colour("56657B")),
    tray=colour("4A5768"),
    numbers=colour("E6EBF2"),
    light=CheckerColours(colour("FFFFFF"), colour("4A5360"), colour("C9CFD6"), colour("101418"), 0.6, 0.12),
    dark=CheckerColours(colour("15181C"), colour("000000"), colour("6A737F"), colour("FFFFFF"), 0.16, 0.3),
    cube=colour("FFFFFF"),
    cube_ink=colour("101418"),
    last=colour("FFB000"),
    last_case=colour("101418"),
    pick=colour("56D4FF"),
    pick_ink=colour("04202C"),
    grain=0.05,
)

THEMES: Mapping[str, Theme] = MappingProxyType({theme.name: theme for theme in (WALNUT, MIDNIGHT, PAPER, CLEAR)})


def theme_of(name: str) -> Theme:
    """The theme of that name; walnut if there is none, so that an old setting never stops a table."""
    return THEMES.get(name, WALNUT)


@lru_cache(maxsize=16)
def palette_bytes(name: str) -> bytes:
    """The theme's palette as red, green, blue, red … (at most 768 bytes)."""
    return bytes.fromhex((ASSETS / f"{name}.palette").read_text(encoding="ascii"))


@lru_cache(maxsize=16)
def palette(name: str) -> Image.Image:
    """The palette as `Image.quantize` wants it; shared by all threads, hence never changed."""
    image = Image.new("P", (1, 1))
    image.putpalette(palette_bytes(name))
    return image
