"""What can be pressed: what is legal now, each at its place, nothing else."""

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import pytest

from bot.engine.errors import Refusal
from bot.engine.match import Phase
from bot.engine.notation import write_step
from bot.service.actions import MOST_BYTES, Action, Verb, decode
from bot.service.table import Table
from render.buttons import STEP_PLACES, Button
from tests.engine.toys import Blocking
from tests.render.tables import COMPUTER, at, moments, pressed, shown, told

LONGEST_LABEL = 34
PLACES = range(25)
GOING_ON = (Verb.ROLL, Verb.CONFIRM, Verb.STEPS)
FINAL = (Verb.ACCEPT, Verb.CONCEDE_GAME, Verb.CONCEDE_MATCH, Verb.NEXT_GAME, Verb.ABORT, Verb.REMATCH)
"""What cannot be taken back."""


def verbs(found: tuple[Button, ...]) -> dict[int, Verb]:
    return {button.place: decode(button.action).verb for button in found}


def labels(found: tuple[Button, ...]) -> list[str]:
    return [button.label for button in found]


def by_label(table: Table, seat: int, label: str, panel: str = "") -> Action:
    return next(decode(button.action) for button in shown(table, seat, panel) if button.label == label)


class Shown(NamedTuple):
    """What a player is shown at a moment: `panel` is the one for conceding, as far as it can be opened."""

    table: Table
    seat: int
    main: tuple[Button, ...]
    panel: tuple[Button, ...]


@cache
def all_shown(language: str = "en") -> tuple[Shown, ...]:
    """Everything that both players are shown in whole matches."""
    return tuple(_shown(moment.table, seat, language) for moment in moments() for seat in (0, 1))


def _shown(table: Table, seat: int, language: str = "en") -> Shown:
    main, panel = (shown(table, seat, panel, language) for panel in ("", "concede"))
    return Shown(table, seat, main, panel)


@pytest.mark.parametrize("language", ["en", "tr"])
def test_buttons_are_few_short_and_each_at_its_own_place(language: str) -> None:
    for table, _, main, panel in all_shown(language):
        for found in (main, panel):
            places = [button.place for button in found]
            assert places == sorted(set(places))
            assert set(places) <= set(PLACES)
            assert len(set(labels(found))) == len(found)
            assert all(0 < len(label) <= LONGEST_LABEL for label in labels(found)), labels(found)
        for button in (*main, *panel):
            assert len(button.action.encode()) <= MOST_BYTES
            action = decode(button.action)
            assert (action.match, action.revision) == (table.id, table.revision)


def test_every_step_shown_can_be_taken() -> None:
    for table, _, main, _ in all_shown():
        for steps in filter(None, [decode(button.action).steps for button in main]):
            turn = table.match.game.turn()
            for start, die in steps:
                turn = turn.take(start, die)


def test_every_button_shown_is_accepted() -> None:
    """Each third moment stands for the steps, which the test before this one has tried."""
    for number, (table, seat, main, panel) in enumerate(all_shown()):
        for action in {decode(button.action) for button in (*main, *panel)}:
            if action.verb not in (Verb.PANEL, Verb.HINT) and not (action.verb is Verb.STEPS and number % 3):
                assert pressed(table, seat, action).revision == table.revision + 1


def test_whatever_would_be_accepted_has_a_button() -> None:
    """But for what would only be in the way: aborting while something else is asked."""
    simple = [verb for verb in Verb if verb not in (Verb.STEPS, Verb.PANEL, Verb.HINT, Verb.ABORT)]
    for moment in told(0)[::2]:
        for seat in (0, 1):
            found = {verb for panel in ("", "concede") for verb in verbs(shown(moment.table, seat, panel)).values()}
            for verb in simple:
                assert (verb in found) == accepted(moment.table, seat, verb), verb


def accepted(table: Table, seat: int, verb: Verb) -> bool:
    try:
        pressed(table, seat, Action(table.id, table.revision, verb))
    except Refusal:
        return False
    return seat in table.awaited or verb in (Verb.CONCEDE_GAME, Verb.CONCEDE_MATCH)


def test_there_is_one_button_for_each_legal_step_then_the_shortcuts() -> None:
    for table, seat, found, _ in all_shown():
        kinds = [button.kind for button in found if button.place < STEP_PLACES]
        if table.match.phase is not Phase.PLAY or seat not in table.awaited:
            assert not kinds
            continue
        assert kinds == sorted(kinds, key=["step", "shortcut"].index)
        steps, legal = [button for button in found if button.kind == "step"], table.match.game.turn().steps()
        assert sorted(button.label for button in steps) == sorted(write_step(step) for step in legal)
        assert {(button.start, button.end) for button in steps} == {(step.start, step.end) for step in legal}


def test_somebody_who_watches_has_no_buttons() -> None:
    assert not any(shown(moment.table, None, panel) for moment in moments() for panel in ("", "concede", "f13"))


def test_what_cannot_be_taken_back_never_takes_the_place_of_what_moves_the_game_on() -> None:
    for number in (0, 2, 4):
        for seat in (0, 1):
            for before, after in pairwise(_shown(moment.table, seat) for moment in told(number)[-130:]):
                used = {place for place, verb in verbs(before.main).items() if verb in GOING_ON}
                for found in (after.main, after.panel):
                    assert not {place for place, verb in verbs(found).items() if verb in FINAL} & used


def test_the_panel_for_conceding_has_nothing_where_it_was_opened() -> None:
    opened = 0
    for _, _, main, panel in all_shown():
        here = {button.place for button in main if decode(button.action).panel == "concede"}
        opened += bool(here)
        assert not here & verbs(panel).keys()
    assert opened > 100


def test_the_useful_steps_come_first() -> None:
    found = shown(at(opponent="24:2 13:4 8:3 6:5 4:1", roll=(3, 1)), 0)
    assert labels(found)[0] == "24/21*"  # a hit; then what lands on checkers of one's own


def test_shortcuts_take_one_checker_far_or_several_of_a_point() -> None:
    assert "13/4" in labels(shown(at(roll=(6, 3)), 0))
    doubles = labels(shown(at(roll=(3, 3)), 0))
    assert {"8/5 ×2", "6/3 ×2", "13/10 ×4", "13/7", "24/15"} <= set(doubles)
    table = at(roll=(3, 3))
    after = pressed(table, 0, by_label(table, 0, "13/10 ×4"))
    assert [taken.start for taken in after.match.game.so_far] == [13] * 4


def test_a_half_played_turn_can_be_undone_a_whole_one_confirmed() -> None:
    table = at(roll=(6, 3))
    assert not {"Undo", "Confirm"} & set(labels(shown(table, 0)))
    half = pressed(table, 0, by_label(table, 0, "24/18"))
    assert "Undo" in labels(shown(half, 0))
    assert "Confirm" not in labels(shown(half, 0))
    whole = pressed(half, 0, by_label(half, 0, "13/10"))
    assert labels(shown(whole, 0)) == ["Confirm", "Undo", "Concede…"]
    again = pressed(whole, 0, by_label(whole, 0, "Undo"))
    assert again.match.game.so_far == half.match.game.so_far


def test_hints_are_offered_against_the_computer_as_long_as_something_can_be_moved() -> None:
    assert "Hint" not in labels(shown(at(roll=(6, 3)), 0))
    table = at(roll=(6, 3), seats=COMPUTER)
    assert "Hint" in labels(shown(table, 0))
    whole = pressed(table, 0, by_label(table, 0, "24/15"))
    assert "Hint" not in labels(shown(whole, 0))


def test_conceding_shows_its_worth() -> None:
    assert labels(shown(at(roll=(6, 3)), 1, "concede")) == [
        "Back",
        "Concede this game (−2 · mars)",
        "Concede the match (you lose it)",
    ]
    late = at("6:2", "6:2", roll=(6, 3))
    assert labels(shown(late, 0, "concede")) == ["Back", "Concede this game (−1)", "Concede the match (you lose it)"]


def test_a_panel_that_is_not_possible_now_is_the_main_one() -> None:
    table = at(roll=(6, 3))
    offered = pressed(table, 0, by_label(table, 0, "Concede this game (−2 · mars)", "concede"))
    assert shown(offered, 0, "concede") == shown(offered, 0) == ()
    assert labels(shown(offered, 1, "concede")) == ["Decline, play on", "Accept"]
    for panel in ("f1", "f99", "main", "nonsense"):
        assert shown(table, 0, panel) == shown(table, 0)


SPREAD = "24:1 23:1 22:1 21:1 20:1 19:1 18:1 17:1 16:1 15:1 14:1 13:1 11:1 10:1 9:1"


@pytest.fixture
def crowded() -> Table:
    """A turn with more steps than there are places: 15 lone checkers, none of them blocked by the other side."""
    return at(SPREAD, "24:15", roll=(5, 3), variant=Blocking())


def test_with_too_many_steps_the_checker_is_chosen_first(crowded: Table) -> None:
    assert len(crowded.match.game.turn().steps()) > STEP_PLACES
    found = [button for button in shown(crowded, 0) if button.place < STEP_PLACES]
    movable = {step.start for step in crowded.match.game.turn().steps()}
    assert {button.label for button in found} == {f"{point}…" for point in movable}
    assert {button.start for button in found} == movable


def test_then_its_targets(crowded: Table) -> None:
    for checker in [button for button in shown(crowded, 0) if button.place < STEP_PLACES]:
        opened = shown(crowded, 0, decode(checker.action).panel)
        steps = [step for step in crowded.match.game.turn().steps() if step.start == checker.start]
        assert {write_step(step) for step in steps} <= set(labels(opened))
        assert "Back" in labels(opened)
        for button in opened:
            assert button.start in (checker.start, None)
            if button.start is not None:
                pressed(crowded, 0, decode(button.action))
    assert "20/12" not in labels(shown(crowded, 0, "f20"))  # the other side holds it
    assert "24/16" in labels(shown(crowded, 0, "f24"))


def test_the_steps_of_a_crowded_board_lead_to_its_legal_plays(crowded: Table) -> None:
    """By steps alone, each computed afresh after a tap."""
    plays = {play.position for play in crowded.match.game.turn().plays()}
    first = next(button for button in shown(crowded, 0, "f24") if button.label == "24/19")
    half = pressed(crowded, 0, decode(first.action))
    seconds = [decode(button.action) for button in shown(half, 0) if button.kind == "step"]
    assert len(seconds) > 10
    assert {pressed(half, 0, action).match.game.turn().position for action in seconds} <= plays
