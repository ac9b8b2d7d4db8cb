"""The games of the family, one file each, found by being here."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from bot.engine.errors import Unreadable
from bot.engine.variant import Value, Variant


@cache
def games() -> Mapping[str, type[Variant]]:
    """Every game by its id, in the order of the ids."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        game: type[Variant] = importlib.import_module(f"{__name__}.{module.name}").GAME
        found[game.id] = game
    return found


def variant(game: str, rules: Mapping[str, Value] | None = None) -> Variant:
    """The game `game` under house rules `rules`; raises `Unreadable` naming what is possible."""
    if game not in games():
        raise Unreadable("unknown_game", game=game, possible=tuple(games()))
    return games()[game](rules)
