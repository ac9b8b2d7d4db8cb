"""A match is a function of what happened: `apply` decides on a command, `evolve` tells what an event changes.

Time and luck are handed in. Every change is an event, so that replaying the events gives the same match.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from bot.engine import commands as ask
from bot.engine import events as told
from bot.engine.clock import Clock, started
from bot.engine.commands import Command, Scope
from bot.engine.dice import Dice
from bot.engine.errors import Illegal, NotYours, Unreadable
from bot.engine.events import Event
from bot.engine.game import Game, PastTurn, Result, Taken, begun, by_seat
from bot.engine.plays import Turn
from bot.engine.seats import put
from bot.engine.variant import Variant

LENGTHS = range(1, 26)


class Phase(StrEnum):
    """What a match waits for. A concession may lie over any of them (`Match.phase`)."""

    OPENING = "opening"
    ROLL = "roll"
    PLAY = "play"
    CONCESSION = "concession"
    BETWEEN = "between"
    OVER = "over"


class Shape(NamedTuple):
    """How a match is won: `kind` "points" up to `target`."""

    kind: str = "points"
    target: int = 5


class Offer(NamedTuple):
    """A concession that waits for its answer; `points` is what the game is worth."""

    seat: int
    scope: Scope
    points: int


class End(NamedTuple):
    """How a match ended; an aborted one has no winner."""

    winner: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Match:
    """The whole state of a match between seat 0 (the challenger) and seat 1."""

    shape: Shape
    programme: tuple[Variant, ...]
    """The games to be played in turn, each with its rules settled."""
    game: Game
    stage: Phase = Phase.OPENING
    score: tuple[int, int] = (0, 0)
    next_roll: int = 0
    offer: Offer | None = None
    declined: tuple[int | None, int | None] = (None, None)
    """The turn in which each seat's concession was declined: it may not offer again in that turn."""
    clock: Clock = Clock()
    end: End | None = None
    rematch: tuple[bool, bool] = (False, False)

    @property
    def phase(self) -> Phase:
        """What the match waits for now."""
        return Phase.CONCESSION if self.offer else self.stage

    @property
    def may_abort(self) -> bool:
        """Until the second roll of the match a player may leave without a result."""
        going_on = self.offer is None and self.stage not in (Phase.BETWEEN, Phase.OVER)
        return going_on and self.game.number == 1 and sum(self.game.rolls) < 2

    def may_concede(self, seat: int) -> bool:
        """Whether `seat` may offer a concession now."""
        in_game = self.stage in (Phase.ROLL, Phase.PLAY)
        return in_game and self.offer is None and self.declined[seat] != self.game.turns

    def concession(self, seat: int) -> int:
        """The points that `seat` gives away by conceding the game now."""
        return self.game.variant.worth(self.game.now()[seat])

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """What can be conceded: a match of one game has nothing beyond the game."""
        return ("game",) if self.shape.target == 1 else ("game", "match")


class Change(NamedTuple):
    """A match after a command, and what happened."""

    match: Match
    events: tuple[Event, ...]


def start(shape: Shape, programme: tuple[Variant, ...], clock: str = "none") -> Match:
    """A match before its first roll; raises `Unreadable` for a length outside 1..25."""
    if shape.target not in LENGTHS:
        raise Unreadable("bad_length", length=shape.target, least=LENGTHS.start, most=LENGTHS.stop - 1)
    return Match(shape, programme, begun(1, programme[0], None), clock=started(clock))


def awaited(match: Match) -> tuple[int, ...]:
    """The seats that can take the match further; none: the table proceeds by itself."""
    if match.stage in (Phase.BETWEEN, Phase.OVER):
        return (0, 1)
    if match.offer:
        return (1 - match.offer.seat,)
    on_roll = match.game.on_roll
    if on_roll is not None and (_first_throw(match) or (match.stage is Phase.PLAY and _choice(match.game))):
        return (on_roll,)
    return ()


def apply(match: Match, command: Command, now: float, dice: Dice) -> Change:
    """The match after `command` at `now`; raises `Refusal` and changes nothing if it cannot be."""
    telling = _Telling(match)
    match command:
        case ask.Proceed():
            _proceed(telling, dice)
        case ask.Throw(seat):
            _throw(telling, seat, dice)
        case ask.TakeSteps(seat, steps):
            _take_steps(telling, seat, steps)
        case ask.Undo(seat):
            _undo(telling, seat)
        case ask.Confirm(seat):
            _confirm(telling, seat)
        case ask.Concede(seat, scope):
            _concede(telling, seat, scope)
        case ask.AnswerConcession(seat, accept):
            _answer_concession(telling, seat, accept)
        case ask.NextGame():
            _next_game(telling)
        case ask.Abort():
            _abort(telling)
        case ask.AskRematch(seat):
            _ask_rematch(telling, seat)
    return Change(telling.match, tuple(telling.events))


def replay(match: Match, events: Iterable[Event]) -> Match:
    """The match after all that happened."""
    for event in events:
        match = evolve(match, event)
    return match


class _Telling:
    """A match as it goes on event by event, within one command."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.events: list[Event] = []

    def tell(self, event: Event) -> None:
        self.events.append(event)
        self.match = evolve(self.match, event)


# What a command comes to.


def _proceed(telling: _Telling, dice: Dice) -> None:
    match = telling.match
    if awaited(match):
        raise Illegal("waits_for_a_person")
    if match.stage is Phase.OPENING:
        telling.tell(told.OpeningRolled(match.next_roll, dice(match.next_roll)))
    elif match.stage is Phase.ROLL:
        _roll(telling, dice)
    else:
        _play_forced(telling)


def _throw(telling: _Telling, seat: int, dice: Dice) -> None:
    if telling.match.offer:
        raise Illegal("offer_pending")
    if telling.match.stage is not Phase.ROLL:
        raise Illegal("rolled_already" if telling.match.stage is Phase.PLAY else "not_playing")
    if telling.match.game.on_roll != seat:
        raise NotYours("not_your_turn")
    _roll(telling, dice)


def _roll(telling: _Telling, dice: Dice) -> None:
    match, seat = telling.match, telling.match.game.on_roll or 0
    if match.game.variant.rolls(match.game.position):
        telling.tell(told.Rolled(seat, match.next_roll, dice(match.next_roll)))
    else:
        telling.tell(told.Passed(seat, "closed_out"))


def _play_forced(telling: _Telling) -> None:
    """The turn in hand leads to one board only: it is played; or to none: it passes."""
    seat = telling.match.game.on_roll or 0
    if not telling.match.game.turn().most():
        telling.tell(told.Passed(seat, "no_play"))
        return
    _step_while_forced(telling, seat)
    _end_turn(telling, seat, forced=True)


def _take_steps(telling: _Telling, seat: int, steps: tuple[tuple[int, int], ...]) -> None:
    turn = _turn_of(telling.match, seat)
    if not steps:
        raise Unreadable("no_steps")
    if not turn.steps():
        raise Illegal("turn_complete")
    chosen = False
    for start, die in steps:
        choice = len(turn.steps()) > 1 and not chosen
        turn = turn.take(start, die)
        telling.tell(told.Stepped(seat, start, die, chosen=choice))
        chosen = chosen or choice
    _step_while_forced(telling, seat)


def _step_while_forced(telling: _Telling, seat: int) -> None:
    """Plays on as long as the rest of the turn can lead to one board only."""
    turn = telling.match.game.turn()
    if turn.steps() and len(plays := turn.plays()) == 1:
        for step in plays[0].steps:
            telling.tell(told.Stepped(seat, step.start, step.die, chosen=False))


def _undo(telling: _Telling, seat: int) -> None:
    _turn_of(telling.match, seat)
    so_far = telling.match.game.so_far
    chosen = [number for number, taken in enumerate(so_far) if taken.chosen]
    if not chosen:
        raise Illegal("nothing_to_undo")
    telling.tell(told.Undone(seat, chosen[-1]))


def _confirm(telling: _Telling, seat: int) -> None:
    if _turn_of(telling.match, seat).steps():
        raise Illegal("turn_incomplete")
    _end_turn(telling, seat, forced=False)


def _end_turn(telling: _Telling, seat: int, *, forced: bool) -> None:
    telling.tell(told.Played(seat, forced))
    game = telling.match.game
    outcome = game.variant.outcome(game.seen_by(seat))
    if outcome and outcome.winner:
        winner = seat if outcome.winner == "me" else 1 - seat
        _end_game(telling, told.GameEnded(winner, outcome.points, outcome.kind, "play"))


def _end_game(telling: _Telling, ended: told.GameEnded) -> None:
    telling.tell(ended)
    if telling.match.score[ended.winner] >= telling.match.shape.target:
        telling.tell(told.MatchEnded(ended.winner, "score"))


def _concede(telling: _Telling, seat: int, scope: Scope) -> None:
    match = telling.match
    if match.offer:
        raise Illegal("offer_pending")
    if match.stage not in (Phase.ROLL, Phase.PLAY):
        raise Illegal("nothing_to_concede")
    if not match.may_concede(seat):
        raise Illegal("declined_this_turn")
    if scope not in match.scopes:
        raise Illegal("only_one_game")
    telling.tell(told.Conceded(seat, scope, match.concession(seat)))


def _answer_concession(telling: _Telling, seat: int, accept: bool) -> None:
    offer = telling.match.offer
    if offer is None:
        raise Illegal("no_offer")
    if offer.seat == seat:
        raise NotYours("own_offer")
    telling.tell(told.ConcessionAnswered(seat, accept))
    if not accept:
        return
    if offer.scope == "match":
        telling.tell(told.MatchEnded(seat, "concession"))
    else:
        kind = telling.match.game.variant.kind(offer.points)
        _end_game(telling, told.GameEnded(seat, offer.points, kind, "concession"))


def _next_game(telling: _Telling) -> None:
    match = telling.match
    if match.stage is not Phase.BETWEEN:
        raise Illegal("not_between_games")
    number = match.game.number + 1
    telling.tell(told.GameBegan(number, _next_starter(match)))


def _next_starter(match: Match) -> int | None:
    """Who starts the next game under its house rule, or None for an opening roll."""
    rule = _next_variant(match).rules.get("next_starter")
    if rule == "winner" and match.game.result:
        return match.game.result.winner
    if rule == "alternate" and match.game.starter is not None:
        return 1 - match.game.starter
    return None


def _next_variant(match: Match) -> Variant:
    return match.programme[match.game.number % len(match.programme)]


def _abort(telling: _Telling) -> None:
    if not telling.match.may_abort:
        raise Illegal("too_late_to_abort")
    telling.tell(told.MatchEnded(None, "aborted"))


def _ask_rematch(telling: _Telling, seat: int) -> None:
    if telling.match.stage is not Phase.OVER:
        raise Illegal("match_not_over")
    if telling.match.rematch[seat]:
        raise Illegal("rematch_asked")
    telling.tell(told.RematchAsked(seat))


def _turn_of(match: Match, seat: int) -> Turn:
    """The turn in hand, if it is `seat`'s to play now; raises `Refusal` otherwise."""
    if match.offer:
        raise Illegal("offer_pending")
    if match.stage is not Phase.PLAY:
        raise Illegal("not_playing")
    if match.game.on_roll != seat:
        raise NotYours("not_your_turn")
    return match.game.turn()


def _first_throw(match: Match) -> bool:
    """Whether the starter sees the opening dice and throws afresh; later rolls come by themselves."""
    return match.stage is Phase.ROLL and match.game.turns == 0 and match.game.opening is not None


def _choice(game: Game) -> bool:
    """Whether the player on roll has anything to decide, or a decision to confirm."""
    return bool(game.so_far) or len(game.turn().plays()) > 1


# What an event changes.


def evolve(match: Match, event: Event) -> Match:
    """The match after `event`; what is legal was decided before."""
    match event:
        case told.GameBegan():
            return _game_began(match, event)
        case told.OpeningRolled():
            return _opening_rolled(match, event)
        case told.Rolled(seat, index, roll):
            rolls = _counted(match.game.rolls, seat)
            return replace(
                match, game=replace(match.game, roll=roll, rolls=rolls), next_roll=index + 1, stage=Phase.PLAY
            )
        case told.Stepped(_, start, die, chosen):
            so_far = (*match.game.so_far, Taken(start, die, chosen))
            return replace(match, game=replace(match.game, so_far=so_far))
        case told.Undone(_, kept):
            return replace(match, game=replace(match.game, so_far=match.game.so_far[:kept]))
        case told.Played() | told.Passed():
            return _turn_ended(match, event)
        case told.Conceded(seat, scope, points):
            return replace(match, offer=Offer(seat, scope, points))
        case told.ConcessionAnswered(seat, accepted):
            declined = match.declined if accepted else put(match.declined, 1 - seat, match.game.turns)
            return replace(match, offer=None, declined=declined)
        case told.GameEnded():
            return _game_ended(match, event)
        case told.MatchEnded(winner, reason):
            return replace(match, stage=Phase.OVER, end=End(winner, reason), offer=None)
        case told.RematchAsked(seat):
            return replace(match, rematch=put(match.rematch, seat, True))


def _game_began(match: Match, event: told.GameBegan) -> Match:
    stage = Phase.OPENING if event.starter is None else Phase.ROLL
    game = begun(event.number, _next_variant(match), event.starter, match.game.result)
    return replace(match, game=game, stage=stage, declined=(None, None))


def _opening_rolled(match: Match, event: told.OpeningRolled) -> Match:
    """The higher die starts, with these dice or with a fresh roll; equal dice are thrown again."""
    game = replace(match.game, opening=event.roll)
    match = replace(match, game=game, next_roll=event.index + 1)
    if event.roll.double:
        return match
    starter = 0 if event.roll.first > event.roll.second else 1
    game = replace(game, starter=starter, on_roll=starter)
    if game.variant.rules.get("opening") == "play":
        game = replace(game, roll=event.roll, rolls=_counted(game.rolls, starter))
        return replace(match, game=game, stage=Phase.PLAY)
    return replace(match, game=game, stage=Phase.ROLL)


def _turn_ended(match: Match, event: told.Played | told.Passed) -> Match:
    game, turn = match.game, match.game.turn()
    forced, passed = (event.forced, None) if isinstance(event, told.Played) else (False, event.reason)
    past = PastTurn(event.seat, game.roll, turn.done, forced, passed)
    return replace(match, game=game.after(past, by_seat(turn.position, event.seat)), stage=Phase.ROLL)


def _game_ended(match: Match, event: told.GameEnded) -> Match:
    result = Result(event.winner, event.points, event.kind, event.by)
    score = put(match.score, event.winner, match.score[event.winner] + event.points)
    return replace(match, game=replace(match.game, result=result), score=score, stage=Phase.BETWEEN)


def _counted(pair: tuple[int, int], seat: int) -> tuple[int, int]:
    return put(pair, seat, pair[seat] + 1)
