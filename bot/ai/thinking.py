"""A computer's decision: every legal play ranked, and one chosen. A function of the question alone."""

from collections.abc import Sequence

from bot.ai.chances import Chances, Evaluator, decided
from bot.ai.levels import SIGHT, choice, level
from bot.engine.plays import legal_plays
from bot.engine.steps import Play
from bot.engine.variant import Variant
from bot.service.ports import Question, Ranked, Thought


def think(question: Question) -> Thought:
    """Every legal play of the question, best first as the strongest level sees it, and the level's own choice.

    Where nothing can be played that is one empty play. Raises `Unreadable` for an unknown level.
    """
    level(question.level)
    plays = legal_plays(question.variant, question.position, question.dice)
    ranked = rank(question.variant, plays, SIGHT)
    return Thought(ranked, choice(question, ranked))


def rank(variant: Variant, plays: Sequence[Play], evaluator: Evaluator) -> tuple[Ranked, ...]:
    """`plays` with what they are worth to whoever makes them, best first; ties by pips, then by the steps."""
    worth = zip(plays, chances_after(variant, plays, evaluator), strict=True)
    return tuple(sorted((Ranked(play, chances.equity, *chances) for play, chances in worth), key=_order))


def chances_after(variant: Variant, plays: Sequence[Play], evaluator: Evaluator) -> list[Chances]:
    """The chances of whoever makes each play; those that end the game are known, the others are asked in one go."""
    ends = [variant.outcome(play.position) for play in plays]
    going_on = [play.position.turned() for play, end in zip(plays, ends, strict=True) if end is None]
    told = iter(evaluator(variant, going_on))
    return [next(told).turned() if end is None else decided(end) for end in ends]


def _order(entry: Ranked) -> tuple[float, int, Play]:
    return -entry.equity, entry.play.position.me.pips, entry.play
