"""The one generator of legal plays: every game of the family is played through it.

The laws it keeps (`rules.md` 1.3): as many dice as possible are used; if only one of two different dice
can be played, the larger; a step that ends the game uses all. Everything else is legality of a step.
"""

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from bot.engine.board import BAR, OFF, Position, Side
from bot.engine.errors import Illegal
from bot.engine.steps import Play, Step
from bot.engine.variant import Contact, Variant


class Node(NamedTuple):
    """A moment within a turn: the board, the dice still to play, what the game remembers of the turn."""

    position: Position
    dice: tuple[int, ...]
    trace: Hashable = None


Ways = list[tuple[Step, Node]]
Memo = dict[Node, tuple[int, Ways]]
Found = dict[Position, tuple[tuple[Step, ...], tuple[int, ...]]]
"""Boards with the first steps that lead there and the dice left over."""


def obstacle(variant: Variant, position: Position, start: int, die: int) -> str | None:
    """The common rule that forbids moving a checker from `start` by `die`, as a reason; None if none does."""
    me, opponent = position
    points, pinned = me
    if not points[start]:
        return "no_checker"
    if points[BAR] and start != BAR:
        return "bar_first"
    if start in pinned:
        return "pinned"
    end = start - die
    if end <= OFF:
        return _bearing_off(variant, me, start, die)
    held = opponent.points[variant.faces[end]]
    if held > 1 or (held and variant.contact is Contact.BLOCK) or end in pinned:
        return "blocked"
    return None


def _bearing_off(variant: Variant, me: Side, start: int, die: int) -> str | None:
    if not variant.all_home(me):
        return "not_home"
    if start < die and any(me.points[start + 1 : 7]):
        return "higher_first"
    return None


def moved(variant: Variant, position: Position, step: Step) -> Position:
    """The board after one step of `me`, hits and pins included."""
    me, opponent = position
    points = list(me.points)
    points[step.start] -= 1
    points[step.end] += 1
    if step.hit:
        opponent = _hit(opponent, variant.faces[step.end])
    elif variant.contact is Contact.PIN:
        opponent = _pins(variant, opponent, step, left=not points[step.start])
    return Position(Side(tuple(points), me.pinned), opponent)


def _hit(opponent: Side, point: int) -> Side:
    points = list(opponent.points)
    points[point] -= 1
    points[BAR] += 1
    return Side(tuple(points), opponent.pinned)


def _pins(variant: Variant, opponent: Side, step: Step, *, left: bool) -> Side:
    """The opponent after a step that may pin where it ends and, if its start is `left` empty, free who lies there."""
    pinned = opponent.pinned
    if step.end != OFF and opponent.points[variant.faces[step.end]]:
        pinned |= {variant.faces[step.end]}
    if left:
        pinned -= {variant.faces[step.start]}
    return Side(opponent.points, pinned)


def step_of(variant: Variant, position: Position, start: int, die: int) -> Step:
    """The step from `start` by `die`, its end and its hit filled in; legality is not looked at."""
    end = start - die
    if end <= OFF:
        return Step(start, OFF, die)
    hits = variant.contact is Contact.HIT and position.opponent.points[variant.faces[end]] > 0
    return Step(start, end, die, hits)


class Turn:
    """One roll and how far it has been played. Taking a step gives a new turn."""

    def __init__(self, variant: Variant, node: Node, done: tuple[Step, ...] = (), known: Memo | None = None):
        self.variant = variant
        self.node = node
        self.done = done
        self._known: Memo = {} if known is None else known
        self._plays: list[Play] | None = None

    @classmethod
    def begin(cls, variant: Variant, position: Position, dice: tuple[int, ...]) -> "Turn":
        """The turn of `me` with `dice` to play: two, or four equal ones."""
        return cls(variant, Node(position, dice))

    @property
    def position(self) -> Position:
        return self.node.position

    @property
    def left(self) -> tuple[int, ...]:
        """The dice not played yet; none once the game is over."""
        return () if self.variant.finished(self.position) else self.node.dice

    def steps(self) -> list[Step]:
        """The steps that begin a legal play from here, highest checker first, then the larger die."""
        return [step for step, _ in self._legal(self.node)]

    def most(self) -> int:
        """The most dice that can still be played; all of them if the game can be ended."""
        return self._look(self.node)[0]

    def take(self, start: int, die: int) -> "Turn":
        """The turn after one more step; raises `Illegal` with the reason if it does not begin a legal play."""
        for step, node in self._legal(self.node):
            if step.start == start and step.die == die:
                return Turn(self.variant, node, (*self.done, step), self._known)
        raise Illegal(self.why_not(start, die), start=start, end=max(start - die, OFF), die=die)

    def plays(self) -> list[Play]:
        """Every way to finish the turn, once for each board it can lead to, with its first legal sequence."""
        if self._plays is None:
            found: Found = {}
            self._gather(self.node, (), found, set())
            self._plays = [Play(steps, position, left) for position, (steps, left) in found.items()]
        return list(self._plays)

    def why_not(self, start: int, die: int) -> str:
        """The reason why a checker cannot go from `start` by `die` now."""
        if not OFF < start <= BAR:
            return "no_checker"
        if die not in self.left:
            return "no_such_die"
        reason = obstacle(self.variant, self.position, start, die)
        if reason is None:
            step = step_of(self.variant, self.position, start, die)
            reason = self.variant.forbids(self.position, step, self.node.trace)
        if reason is not None:
            return reason
        return "larger_die" if self.most() == 1 else "both_dice"

    def _gather(self, node: Node, steps: tuple[Step, ...], found: Found, seen: set[Node]) -> None:
        if node in seen:
            return
        seen.add(node)
        ways = self._legal(node)
        if not ways:
            left = () if self.variant.finished(node.position) else node.dice
            found.setdefault(node.position, (steps, left))
        for step, after in ways:
            if after.dice:
                self._gather(after, (*steps, step), found, seen)
            else:
                found.setdefault(after.position, ((*steps, step), ()))

    def _legal(self, node: Node) -> Ways:
        return self._look(node)[1]

    def _look(self, node: Node) -> tuple[int, Ways]:
        """The most dice that can be played from `node`, and the steps that begin such a play."""
        if not node.dice:
            return 0, []
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._search(node)
        return known

    def _search(self, node: Node) -> tuple[int, Ways]:
        if self.variant.finished(node.position):
            return len(node.dice), []
        ways, most = [], 0
        for step, after in self._reachable(node):
            count = 1 + (self._look(after)[0] if after.dice else 0)
            ways.append((count, step, after))
            most = max(most, count)
        either = most == 1 and len(set(node.dice)) == 2
        larger = max(step.die for _, step, _ in ways) if either else 0
        legal = [(step, after) for count, step, after in ways if count == most and step.die >= larger]
        return most, legal

    def _reachable(self, node: Node) -> Iterator[tuple[Step, Node]]:
        """Every single step that is legal by itself, in canonical order, and the moment after it."""
        variant, position = self.variant, node.position
        points = position.me.points
        starts = (BAR,) if points[BAR] else [point for point in range(24, 0, -1) if points[point]]
        rests = [(die, _without(node.dice, die)) for die in sorted(set(node.dice), reverse=True)]
        for start in starts:
            for die, rest in rests:
                if obstacle(variant, position, start, die) is not None:
                    continue
                step, trace = step_of(variant, position, start, die), node.trace
                if variant.restricts:
                    if variant.forbids(position, step, trace) is not None:
                        continue
                    trace = variant.trace(trace, step)
                yield step, Node(moved(variant, position, step), rest, trace)


def _without(dice: tuple[int, ...], die: int) -> tuple[int, ...]:
    place = dice.index(die)
    return dice[:place] + dice[place + 1 :]


def legal_plays(variant: Variant, position: Position, dice: tuple[int, ...]) -> list[Play]:
    """Every legal play of `dice` for `me`, once for each board it leads to; one empty play if none can be played."""
    return Turn.begin(variant, position, dice).plays()


def combined(turn: Turn) -> list[tuple[Step, ...]]:
    """One checker by two dice or more ("13/4"), each way that leads to a board of its own, shortest first."""
    found: dict[Position, tuple[Step, ...]] = {}
    singles = {turn.take(step.start, step.die).position for step in turn.steps()}
    edge: list[tuple[Turn, tuple[Step, ...]]] = [(turn.take(step.start, step.die), (step,)) for step in turn.steps()]
    while edge:
        onward = [
            (after.take(step.start, step.die), (*steps, step))
            for after, steps in edge
            for step in after.steps()
            if step.start == steps[-1].end
        ]
        for after, steps in onward:
            if after.position not in singles:
                found.setdefault(after.position, steps)
        edge = onward
    return list(found.values())


def repeated(turn: Turn) -> list[tuple[Step, ...]]:
    """On doubles: the same step by two, and by four, checkers of one point, where that is legal."""
    runs = [_run(turn, first) for first in turn.steps()]
    return [run[:count] for run in runs for count in (2, 4) if len(run) >= count]


def _run(turn: Turn, first: Step) -> tuple[Step, ...]:
    """The step `first` as often as it can be taken again from the same point."""
    run: tuple[Step, ...] = ()
    while any((step.start, step.die) == (first.start, first.die) for step in turn.steps()):
        turn = turn.take(first.start, first.die)
        run = (*run, turn.done[-1])
    return run
