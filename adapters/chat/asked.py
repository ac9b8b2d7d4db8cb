"""What the options of a command mean."""

from dataclasses import replace

from adapters.chat.people import Asked
from bot import variants
from bot.engine.errors import Unreadable
from bot.engine.match import LENGTHS, Shape
from bot.service.table import Shown, Terms
from render.terms import FIRST_CHOSEN

CLOCKS = ("none",)
"""The clocks that there are."""


def terms(asked: Asked) -> Terms:
    """The terms of a match that a command asks for; raises `Unreadable` for what cannot be."""
    clock = asked.options.get("clock", CLOCKS[0]).casefold()
    if clock not in CLOCKS:
        raise Unreadable("unknown_clock", clock=clock[:20], possible=CLOCKS)
    return Terms(game(asked), shape=Shape(target=_length(asked)), clock=clock)


def game(asked: Asked) -> str:
    """The game that a command names, the first one if it names none; raises `Unreadable` for an unknown one."""
    games = tuple(variants.games())
    name = asked.options.get("game", "").casefold() or games[0]
    if name not in games:
        raise Unreadable("unknown_game", game=name[:20], possible=games)
    return name


def scope(asked: Asked) -> str:
    """Where a match begins, as it is kept."""
    return f"{asked.place.platform}:{asked.place.chat}"


def for_guest(screen: Shown, player: int) -> Shown:
    """A screen that is one player's alone, though others may read along."""
    return replace(screen, player=player)


def _length(asked: Asked) -> int:
    text = asked.options.get("length", str(FIRST_CHOSEN))
    if not (text.isascii() and text.isdecimal() and len(text) < 4):
        raise Unreadable("bad_length", length=text[:20], least=LENGTHS.start, most=LENGTHS.stop - 1)
    return int(text)
