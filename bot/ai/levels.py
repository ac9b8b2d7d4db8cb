"""How well a computer plays: how unsteady its eye is, and how bad a play it still makes."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from bot.ai.chances import Evaluator
from bot.ai.evaluation import HandWritten
from bot.ai.features import contact
from bot.engine.errors import Unreadable
from bot.engine.steps import Play
from bot.service.ports import Question, Ranked


class Level(NamedTuple):
    """A strength of play, in points a game."""

    noise: float
    """The standard deviation of what its eye errs by, for each play anew."""
    margin: float
    """What it gives away at most: a play that loses more is never made."""


SIGHT: Evaluator = HandWritten()
"""The best evaluation there is: it ranks the plays for every level."""

LEVELS: Mapping[str, Level] = {
    "easy": Level(0.20, 0.30),
    "medium": Level(0.09, 0.18),
    "hard": Level(0.0, 0.0),
}


def level(name: str) -> Level:
    """The level called `name`; raises `Unreadable` naming what is possible."""
    if name not in LEVELS:
        raise Unreadable("unknown_level", level=name, possible=tuple(LEVELS))
    return LEVELS[name]


def choice(question: Question, ranked: Sequence[Ranked]) -> Play:
    """The play that the level asked for makes of `ranked`, best first; the same one for the same seed.

    Where nothing can be met any more, and where the game can be ended, every level knows what to do.
    """
    asked, best = level(question.level), ranked[0]
    variant = question.variant
    if len(ranked) == 1 or not asked.noise or variant.finished(best.play.position):
        return best.play
    if not contact(variant, question.position):
        return best.play
    tempting = [entry for entry in ranked if entry.equity >= best.equity - asked.margin]
    return _tempted(asked, question, tempting)


def _tempted(asked: Level, question: Question, tempting: Sequence[Ranked]) -> Play:
    """The play that looks best to an unsteady eye."""
    luck = Random(question.seed)  # noqa: S311 -- mistakes, not dice: they shall be the same when asked again
    return max(tempting, key=lambda entry: entry.equity + luck.gauss(0, asked.noise)).play
