"""Laws of the legal plays, for every game that is built and for toys of the other kinds of contact."""

from collections.abc import Hashable, Iterator
from functools import cache
from itertools import permutations

import pytest

from bot.engine.board import CHECKERS, POINTS, Position, Side, side
from bot.engine.dice import ROLLS, Roll
from bot.engine.errors import Illegal
from bot.engine.plays import Turn, combined, legal_plays, moved, obstacle, repeated, step_of
from bot.engine.steps import Step
from bot.engine.variant import Variant
from bot.variants import games, variant
from tests.engine.playing import random_turns
from tests.engine.test_rule_cases import CASES, Case, side_of
from tests.engine.toys import Blocking, Pinning

TAVLA = variant("tavla")
FAMILY = [*(variant(game) for game in games()), variant("tavla", {"hit_and_run": "forbid_home"}), Blocking(), Pinning()]
every_game = pytest.mark.parametrize("rules", FAMILY, ids=repr)


@every_game
def test_facing_is_its_own_inverse(rules: Variant) -> None:
    assert sorted(rules.facing(point) for point in POINTS) == list(POINTS)
    assert all(rules.facing(rules.facing(point)) == point for point in POINTS)


@every_game
def test_checkers_are_conserved_and_points_have_one_owner(rules: Variant) -> None:
    for turn in random_turns(rules, seed=1):
        for play in turn.plays():
            for each in play.position:
                assert sum(each.points) == CHECKERS
                assert min(each.points) >= 0
            if not rules.outcome(play.position):
                rules.check(play.position)


@every_game
def test_every_step_offered_begins_a_play_that_uses_the_most_dice(rules: Variant) -> None:
    for turn in random_turns(rules, seed=2):
        most = turn.most()
        assert all(len(play.steps) == most or rules.finished(play.position) for play in turn.plays())
        for step in turn.steps():
            after = turn.take(step.start, step.die)
            assert after.done == (step,)
            assert 1 + after.most() == most


@every_game
def test_plays_are_what_a_plain_search_finds(rules: Variant) -> None:
    for number, turn in enumerate(random_turns(rules, seed=3)):
        if number % 17 == 0:
            found = {play.position for play in turn.plays()}
            assert found == plain_search(rules, turn.position, turn.node.dice), turn.position


def plain_search(rules: Variant, position: Position, dice: tuple[int, ...]) -> set[Position]:
    """The boards of all legal plays by trying every order of dice, with nothing remembered or cut short."""
    ends: dict[tuple[int, int], set[Position]] = {}
    for order in set(permutations(dice)):
        for steps, end, used in walks(rules, position, order):
            ends.setdefault((len(order) if rules.finished(end) else len(steps), used), set()).add(end)
    most = max(count for count, _ in ends)
    if most == 1 and len(set(dice)) == 2:
        larger = max(used for count, used in ends if count == 1)
        return ends[1, larger]
    return {end for (count, _), found in ends.items() if count == most for end in found}


def walks(
    rules: Variant, position: Position, order: tuple[int, ...]
) -> Iterator[tuple[tuple[Step, ...], Position, int]]:
    """(steps, end, die of the only step or 0) of every walk that cannot go on with the next die of `order`."""
    edge: list[tuple[tuple[Step, ...], Position, Hashable]] = [((), position, None)]
    while edge:
        steps, board, trace = edge.pop()
        onward = []
        if len(steps) < len(order) and not rules.finished(board):
            for start in range(25, 0, -1):
                die = order[len(steps)]
                step = step_of(rules, board, start, die)
                if obstacle(rules, board, start, die) is None and rules.forbids(board, step, trace) is None:
                    onward.append(((*steps, step), moved(rules, board, step), rules.trace(trace, step)))
        if not onward:
            yield steps, board, steps[0].die if len(steps) == 1 else 0
        edge += onward


@every_game
def test_a_play_is_listed_by_its_first_sequence(rules: Variant) -> None:
    for turn in random_turns(rules, seed=4):
        if len(turn.node.dice) == 2:
            for play in turn.plays():
                others = [steps for steps in sequences(turn) if steps[1] == play.position]
                assert play.steps == min((steps for steps, _ in others), key=canonical)


def sequences(turn: Turn) -> list[tuple[tuple[Step, ...], Position]]:
    """Every legal sequence to the end of a turn."""
    if not turn.steps():
        return [(turn.done, turn.position)]
    return [found for step in turn.steps() for found in sequences(turn.take(step.start, step.die))]


def canonical(steps: tuple[Step, ...]) -> list[tuple[int, int]]:
    return [(-step.start, -step.die) for step in steps]


def test_could_enter_with_either_die_but_must_use_the_larger() -> None:
    """One checker on the bar, each die enters, then nothing else goes: only the larger die may be played."""
    board = Position(side([(25, 1), (1, 14)]), side([(11, 2), (3, 13)]))
    turn = Turn.begin(TAVLA, board, (6, 5))
    assert [play.steps[0].die for play in turn.plays()] == [6]
    with pytest.raises(Illegal, match="larger_die"):
        turn.take(25, 5)


def test_a_step_that_would_leave_the_other_die_unplayed_is_refused_with_its_reason() -> None:
    case = next(case for case in CASES if case["id"] == "T05_must_use_both")
    turn = Turn.begin(TAVLA, case_board(case), (5, 2))
    with pytest.raises(Illegal, match="both_dice"):
        turn.take(9, 2)


@pytest.mark.parametrize(
    ("me", "opponent", "start", "die", "reason"),
    [
        ([(24, 2), (6, 13)], [(6, 15)], 24, 5, "blocked"),
        ([(25, 1), (6, 14)], [(3, 15)], 6, 2, "bar_first"),
        ([(13, 1), (6, 14)], [(3, 15)], 6, 6, "not_home"),
        ([(6, 1), (4, 14)], [(24, 15)], 4, 5, "higher_first"),
        ([(6, 15)], [(3, 15)], 5, 1, "no_checker"),
        ([(6, 15)], [(3, 15)], 6, 3, "no_such_die"),
    ],
)
def test_refusals_name_their_rule(
    me: list[tuple[int, int]], opponent: list[tuple[int, int]], start: int, die: int, reason: str
) -> None:
    dice = (4, 2) if reason == "no_such_die" else (die, die, die, die)
    turn = Turn.begin(TAVLA, Position(side(me), side(opponent)), dice)
    with pytest.raises(Illegal, match=reason):
        turn.take(start, die)


def test_the_hitter_stays_where_the_house_rule_says_so() -> None:
    rules = variant("tavla", {"hit_and_run": "forbid_home"})
    turn = Turn.begin(rules, Position(side([(10, 1), (5, 14)]), side([(19, 1), (2, 14)])), (4, 3)).take(10, 4)
    with pytest.raises(Illegal, match="hit_and_run"):
        turn.take(6, 3)


def test_a_second_checker_on_the_hitters_point_may_go_on() -> None:
    rules = variant("tavla", {"hit_and_run": "forbid_home"})
    board = Position(side([(10, 2), (1, 13)]), side([(19, 1), (2, 14)]))
    after = Turn.begin(rules, board, (4, 4, 4, 4)).take(10, 4).take(10, 4)
    assert (6, 4) in {(step.start, step.die) for step in after.steps()}


def case_board(case: Case) -> Position:
    fields = case["position"]
    me, opponent = side_of(fields["me"], fields.get("me_bar", 0)), side_of(fields["opp"], fields.get("opp_bar", 0))
    pinned = (frozenset(fields.get("pinned_me", ())), frozenset(25 - point for point in fields.get("pinned_opp", ())))
    return Position(Side(me.points, pinned[0]), Side(opponent.points, pinned[1]))


@cache
def of_game(game: str) -> list[Case]:
    kinds = ("final_positions", "pass")
    found = [case for case in CASES if case["game"] == game and case["expected"]["kind"] in kinds]
    return [case for case in found if case["dice"]]  # what remains of a series is no roll


@pytest.mark.parametrize("case", of_game("mahbusa"), ids=lambda case: case["id"])
def test_pins(case: Case) -> None:
    rules = Pinning({"mother": case["options"].get("mother", "on")})
    plays = legal_plays(rules, case_board(case), rules.dice(Roll(*case["dice"])))
    expected = case["expected"]
    assert len(plays) == expected["count"]
    if expected["final"]:
        wanted = {case_board({**case, "position": final}) for final in expected["final"]}
        assert {play.position for play in plays} == wanted


@pytest.mark.parametrize("case", of_game("gulbara"), ids=lambda case: case["id"])
def test_blocking_without_further_rules(case: Case) -> None:
    rules = Blocking()
    plays = legal_plays(rules, case_board(case), rules.dice(Roll(*case["dice"])))
    wanted = {side_of(final["me"], 0) for final in case["expected"]["final"]}  # nobody is hit: the opponent stays
    assert {play.position.me for play in plays} == wanted
    assert len(plays) == case["expected"]["count"]


def test_one_checker_by_both_dice_is_a_shortcut() -> None:
    turn = Turn.begin(TAVLA, Position(TAVLA.start, TAVLA.start), (6, 3))
    ways = {(steps[0].start, steps[-1].end) for steps in combined(turn)}
    assert ways == {(24, 15), (13, 4)}


def test_a_shortcut_over_a_blot_is_not_the_one_beside_it() -> None:
    board = Position(side([(13, 1), (1, 14)]), side([(18, 1), (6, 14)]))
    ways = combined(Turn.begin(TAVLA, board, (6, 4)))
    assert {tuple((step.end, step.hit) for step in steps) for steps in ways} == {
        ((7, True), (3, False)),
        ((9, False), (3, False)),
    }


def test_doubles_offer_two_and_four_of_the_same_step() -> None:
    turn = Turn.begin(TAVLA, Position(TAVLA.start, TAVLA.start), (1, 1, 1, 1))
    runs = {(run[0].start, len(run)) for run in repeated(turn)}
    assert {(24, 2), (8, 2), (6, 2), (6, 4)} <= runs
    assert (8, 4) not in runs


@every_game
def test_shortcuts_are_legal(rules: Variant) -> None:
    for number, turn in enumerate(random_turns(rules, seed=5)):
        if number % 5 == 0:
            for steps in (*combined(turn), *repeated(turn)):
                after = turn
                for step in steps:
                    after = after.take(step.start, step.die)


def test_the_21_rolls_have_36_chances() -> None:
    assert len(ROLLS) == 21
    assert sum(chances for _, chances in ROLLS) == 36
