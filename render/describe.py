"""From a table to the description of its picture: numbers turned into slots, nothing drawn yet."""

from collections import Counter
from collections.abc import Iterable, Sequence

from bot.engine.board import BAR, HOME, OFF, POINTS, Side
from bot.engine.game import Game
from bot.engine.match import Phase
from bot.engine.notation import ways
from bot.engine.steps import Step
from bot.engine.variant import Variant
from bot.service.ports import Ranked
from bot.service.table import Table
from render.picture import Arrow, Die, Mark, Picture, PictureSide, Where
from render.words import Words


def describe(
    table: Table,
    seat: int | None,
    words: Words,
    theme: str = "walnut",
    home_left: bool = False,
    hint: Sequence[Ranked] = (),
    *,
    shared: bool = False,
) -> Picture:
    """The picture of a table with `seat` at the bottom and in its numbers.

    Where several look on (`seat` None, or `shared`), seat 0 is at the bottom and the numbers are those of whoever is
    to move; the checkers that `seat` can move are marked all the same.
    """
    game, bottom = table.match.game, 0 if shared else seat or 0
    places = _Places(game.variant, bottom)
    on_roll = game.on_roll if table.match.stage in (Phase.ROLL, Phase.PLAY) else None
    opening = _opening(table, bottom)
    return Picture(
        bottom=places.side(bottom, game.now()[bottom], table, words),
        top=places.side(1 - bottom, game.now()[1 - bottom], table, words),
        numbers=places.numbers(on_roll if (shared or seat is None) and on_roll is not None else bottom),
        to_move=None if on_roll is None else places.where(on_roll),
        dice=() if opening else _dice(game),
        dice_of=places.where(game.on_roll or 0),
        opening=opening,
        passed=_passed(game),
        last=_last(places, game),
        hint=tuple(places.arrows(seat or 0, hint[0].play.steps)) if hint else (),
        marks=_marks(places, table, seat),
        pips_word=words.say("pips"),
        theme=theme,
        home_left=home_left,
    )


class _Places:
    """Where a seat's own numbers lie on the picture: the slots are the bottom seat's numbers."""

    def __init__(self, variant: Variant, bottom: int) -> None:
        self._variant = variant
        self._bottom = bottom

    def where(self, seat: int) -> Where:
        return "bottom" if seat == self._bottom else "top"

    def slot(self, seat: int, point: int) -> int:
        """The slot of a seat's own point; bar and off stay what they are."""
        turned = seat != self._bottom and point not in (BAR, OFF)
        return self._variant.faces[point] if turned else point

    def numbers(self, seat: int) -> tuple[int, ...]:
        """The number that `seat` gives to each slot."""
        return (0, *(self.slot(seat, slot) for slot in POINTS))

    def side(self, seat: int, side: Side, table: Table, words: Words) -> PictureSide:
        checkers = [0] * 26
        for point, count in enumerate(side.points):
            checkers[self.slot(seat, point)] = count
        score = f"{table.match.score[seat]}/{table.match.shape.target}"
        home = tuple(sorted(self.slot(seat, point) for point in HOME))
        pinned = frozenset(self.slot(seat, point) for point in side.pinned)
        name = words.names(table.seats)[seat]
        return PictureSide(name, seat == 0, tuple(checkers), side.pips, score, home, pinned)

    def arrows(self, seat: int, steps: Iterable[Step]) -> list[Arrow]:
        """One arrow for each checker's whole way."""
        return [
            Arrow(self.where(seat), self.slot(seat, way[0].start), self.slot(seat, way[-1].end)) for way in ways(steps)
        ]


def _opening(table: Table, bottom: int) -> tuple[int, int] | None:
    """The opening dice, as long as nothing else has been thrown."""
    game = table.match.game
    if game.opening is None or table.match.stage is not Phase.ROLL or game.turns:
        return None
    return (game.opening.first, game.opening.second) if bottom == 0 else (game.opening.second, game.opening.first)


def _dice(game: Game) -> tuple[Die, ...]:
    """The dice in hand, the larger first as they are written; played ones and those that cannot be played are faded."""
    if game.roll is None:
        return ()
    turn = game.turn()
    faded = Counter(taken.die for taken in game.so_far)
    if not turn.steps():
        faded.update(turn.node.dice)
    return tuple(_die(die, faded) for die in game.variant.dice(game.roll))


def _die(die: int, faded: Counter[int]) -> Die:
    faded[die] -= 1
    return Die(die, faded[die] >= 0)


def _passed(game: Game) -> tuple[int, ...]:
    """The dice of the turn before, if none of them could be played."""
    past = game.recent[-1] if game.recent else None
    if past is None or past.passed is None or past.roll is None or game.result:
        return ()
    return game.variant.dice(past.roll) if past.roll.double else tuple(past.roll)


def _last(places: _Places, game: Game) -> tuple[Arrow, ...]:
    """The last play that moved anything, unless the next one has begun."""
    past = next((past for past in reversed(game.recent) if past.steps), None)
    if past is None or game.so_far:
        return ()
    return tuple(places.arrows(past.seat, past.steps))


def _marks(places: _Places, table: Table, seat: int | None) -> tuple[Mark, ...]:
    """The viewer's checkers that can begin a legal play."""
    if seat is None or seat not in table.awaited or table.match.phase is not Phase.PLAY:
        return ()
    starts = dict.fromkeys(step.start for step in table.match.game.turn().steps())
    return tuple(Mark(places.where(seat), places.slot(seat, start)) for start in starts)
