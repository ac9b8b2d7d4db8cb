"""What a board picture shows, as data: hashable, hence the key of the picture cache.

A picture knows no rules. Points are *slots*: the numbers of the player drawn at the bottom, 1 at the bottom
right, 6|7 beside the bar, 12 bottom left, 13 top left, 24 top right. Whoever describes a picture has
already turned each side's own numbers into slots (`render.view`).
"""

from dataclasses import dataclass
from typing import Literal

Where = Literal["bottom", "top"]

OFF, BAR = 0, 25


@dataclass(frozen=True, slots=True)
class PictureSide:
    """One player as drawn: his strip (name, pips, score), his checkers and where his home is."""

    name: str
    light: bool
    checkers: tuple[int, ...]
    """26 counts: [0] borne off, [1..24] on that slot, [25] on the bar; pinned checkers are counted."""
    pips: int
    score: str = ""
    """Shown as it is ("3/7"); empty: nothing."""
    home: tuple[int, ...] = ()
    """The slots of his home board, underlined in his colour."""
    pinned: frozenset[int] = frozenset()
    """Slots where his lowest checker lies under the other colour (mahbusa)."""


@dataclass(frozen=True, slots=True)
class Die:
    """One die; `faded` dice are played already or cannot be played."""

    value: int
    faded: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """A checker of `side` went from slot `start` (25 the bar) to slot `end` (0 off)."""

    side: Where
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A checker that can be taken up: a ring and a letter on the top checker of `slot` (25 the bar)."""

    side: Where
    slot: int
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """A place where a checker can land: a dashed ring on the next free place of `slot` (0 off)."""

    side: Where
    slot: int


@dataclass(frozen=True, slots=True)
class PictureCube:
    """The doubling cube; without an owner it lies in the middle."""

    value: int
    owner: Where | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """The whole board as drawn."""

    bottom: PictureSide
    top: PictureSide
    numbers: tuple[int, ...] = tuple(range(25))
    """[1..24]: the number printed at each slot; [0] is not used."""
    to_move: Where | None = None
    dice: tuple[Die, ...] = ()
    """The dice of whoever threw last, in the right-hand half (a double: four)."""
    dice_of: Where = "bottom"
    opening: tuple[int, int] | None = None
    """The opening roll instead of `dice`: (bottom's die in the right half, top's die in the left half)."""
    passed: tuple[int, ...] = ()
    """The dice of the turn before, if none could be played: faded, in the left-hand half."""
    last: tuple[Arrow, ...] = ()
    """The last play, one arrow a checker's whole way; equal arrows are drawn once with their number."""
    hint: tuple[Arrow, ...] = ()
    """A proposed play, drawn in the colour of `marks`."""
    marks: tuple[Mark, ...] = ()
    targets: tuple[Target, ...] = ()
    cube: PictureCube | None = None
    pips_word: str = "pips"
    theme: str = "walnut"
    home_left: bool = False
    """Mirrors the slots left to right (home boards on the left), not the pixels."""
    width: int = 1280
    """In pixels; the height is 4/5 of it."""
