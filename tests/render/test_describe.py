"""The picture says what the match says, to whoever looks."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from bot.engine.board import BAR, CHECKERS, OFF, POINTS
from bot.engine.match import Phase
from bot.engine.notation import ways
from bot.engine.variant import PARALLEL
from bot.service.actions import Verb
from bot.service.ports import Ranked
from bot.service.table import Seat, Table
from render.describe import describe
from render.picture import Arrow, Die, Picture, PictureSide
from render.words import words
from tests.engine.toys import Blocking, Pinning
from tests.render.tables import START, VIEWERS, at, did, moments, told, took


def picture(table: Table, seat: int | None = 0) -> Picture:
    return describe(table, seat, words("en"))


@cache
def pictures(viewer: int | None) -> tuple[tuple[Table, Picture], ...]:
    """Whole matches as a viewer sees them."""
    return tuple((table, picture(table, viewer)) for table, _ in moments())


def side_of(shown: Picture, viewer: int | None, seat: int) -> PictureSide:
    return shown.bottom if seat == (viewer or 0) else shown.top


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_checker_lies_where_the_match_has_it(viewer: int | None) -> None:
    for table, shown in pictures(viewer):
        for seat, side in enumerate(table.match.game.now()):
            drawn = side_of(shown, viewer, seat)
            assert sum(drawn.checkers) == CHECKERS
            assert (drawn.checkers[OFF], drawn.checkers[BAR], drawn.pips) == (side.off, side.bar, side.pips)
            for slot in POINTS:
                own = slot if seat == (viewer or 0) else table.match.game.variant.faces[slot]
                assert drawn.checkers[slot] == side.points[own]
        assert shown.bottom.light == (viewer in (0, None))
        assert shown.top.light != shown.bottom.light
        assert {shown.bottom.name, shown.top.name} == set(words("en").names(table.seats))
        hash(shown)


def test_both_seats_see_the_same_board_from_their_own_side() -> None:
    for (_, one), (_, other) in zip(pictures(0), pictures(1), strict=True):
        for slot in POINTS:
            assert one.bottom.checkers[slot] == other.top.checkers[25 - slot]
            assert one.top.checkers[slot] == other.bottom.checkers[25 - slot]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_numbers_are_the_players_own_and_for_others_those_of_whoever_moves(viewer: int | None) -> None:
    for table, shown in pictures(viewer):
        match = table.match
        moving = match.game.on_roll if match.stage in (Phase.ROLL, Phase.PLAY) else None
        turned = viewer is None and moving == 1
        assert shown.numbers[1:] == (tuple(range(24, 0, -1)) if turned else tuple(range(1, 25)))
        assert shown.to_move == (None if moving is None else "bottom" if moving == (viewer or 0) else "top")


@pytest.mark.parametrize("viewer", [0, 1])
def test_the_buttons_name_what_the_picture_shows(viewer: int) -> None:
    """Marked are just the slots whose printed numbers the steps begin with."""
    for table, shown in pictures(viewer):
        acting = table.match.phase is Phase.PLAY and viewer in table.awaited
        starts = {step.start for step in table.match.game.turn().steps()} if acting else set()
        assert {mark.slot for mark in shown.marks} == starts
        assert len(shown.marks) == len(starts)
        assert all(mark.side == "bottom" and shown.bottom.checkers[mark.slot] for mark in shown.marks)
        assert all(shown.numbers[slot] == slot for slot in starts if slot != BAR)
    assert not any(shown.marks for _, shown in pictures(None))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_dice_are_those_of_the_roll_and_bright_as_far_as_they_can_be_played(viewer: int | None) -> None:
    for table, shown in pictures(viewer):
        game = table.match.game
        if shown.opening:
            assert (game.roll, game.turns) == (None, 0)
            assert not shown.dice
            continue
        assert Counter(die.value for die in shown.dice) == Counter(game.roll.dice if game.roll else ())
        bright = Counter(die.value for die in shown.dice if not die.faded)
        assert bright == (Counter(game.turn().left) if game.turn().steps() else Counter())
        if game.roll:
            assert shown.dice_of == ("bottom" if game.on_roll == (viewer or 0) else "top")


@pytest.mark.parametrize("viewer", VIEWERS)
def test_arrows_tell_the_last_play_and_end_at_its_checkers(viewer: int | None) -> None:
    for table, shown in pictures(viewer):
        game = table.match.game
        moved = [past for past in game.recent if past.steps]
        if not moved or game.so_far:
            assert not shown.last
            continue
        past = moved[-1]
        drawn = side_of(shown, viewer, past.seat)
        assert len(shown.last) == len(ways(past.steps))
        assert sum(1 for arrow in shown.last if arrow.end == OFF) == sum(1 for step in past.steps if step.end == OFF)
        for slot, count in Counter(arrow.end for arrow in shown.last).items():
            assert drawn.checkers[slot] >= count
        assert {arrow.side for arrow in shown.last} == {"bottom" if past.seat == (viewer or 0) else "top"}


def test_a_game_opens_with_one_die_on_each_side() -> None:
    table, game = told(0)[0].table, told(0)[0].table.match.game
    assert game.opening is not None
    assert picture(table, 0).opening == picture(table, None).opening == tuple(game.opening)
    assert picture(table, 1).opening == tuple(reversed(game.opening))
    rolled = did(table, table.awaited[0], Verb.ROLL, (5, 4))
    assert picture(rolled).opening is None
    assert picture(rolled).dice


def test_played_dice_fade_one_by_one() -> None:
    table = at(roll=(6, 3))
    assert picture(table).dice == (Die(6), Die(3))
    half = took(table, 0, (24, 3))
    assert picture(half).dice == (Die(6), Die(3, faded=True))
    doubles = took(at(roll=(3, 3)), 0, (24, 3), (24, 3))
    assert [die.faded for die in picture(doubles).dice] == [True, True, False, False]


def test_a_rest_that_cannot_be_played_fades() -> None:
    """The 6 can be played by two checkers, after it the 5 by none."""
    whole = took(at("20:1 18:1 1:13", "18:2 16:2 12:2 10:2 6:7", roll=(6, 5)), 0, (20, 6))
    assert whole.match.game.turn().left == (5,)
    assert picture(whole).dice == (Die(6, faded=True), Die(5, faded=True))


FIVE_POINTS = "24:1 8:2 6:3 5:3 4:2 3:2 2:2"
SIX_POINTS = "24:1 8:2 6:2 5:2 4:2 3:2 2:2 1:2"
ON_BAR = "25:1 13:14"


@pytest.mark.parametrize("mover", [0, 1])
def test_dice_that_passed_lie_with_whoever_threw_them(mover: int) -> None:
    table = took(at(FIVE_POINTS, ON_BAR, roll=(2, 1), on_roll=mover), mover, (8, 2), (8, 1))
    passed = did(table, mover, Verb.CONFIRM, (5, 5), (4, 3))
    for viewer in VIEWERS:
        shown = picture(passed, viewer)
        assert shown.passed == (5, 5, 5, 5)
        assert shown.dice == (Die(4), Die(3))
        assert shown.dice_of == ("bottom" if mover == (viewer or 0) else "top")
        assert len(shown.last) == 2  # the play before


def test_whoever_is_closed_out_threw_no_dice() -> None:
    table = took(at(SIX_POINTS, ON_BAR, roll=(2, 1)), 0, (8, 2), (8, 1))
    assert picture(did(table, 0, Verb.CONFIRM, (4, 3))).passed == ()


def test_the_final_board_keeps_the_last_play() -> None:
    table = took(at("6:1 1:1", "6:2", roll=(6, 1)), 0, (6, 6), (1, 1))
    shown = picture(did(table, 0, Verb.CONFIRM))
    assert shown.bottom.checkers[OFF] == CHECKERS
    assert shown.last == (Arrow("bottom", 6, OFF), Arrow("bottom", 1, OFF))
    assert (shown.dice, shown.passed, shown.to_move, shown.bottom.score) == ((), (), None, "1/5")


def test_one_arrow_is_one_checkers_way() -> None:
    whole = took(at(roll=(3, 3)), 0, (24, 3), (24, 3), (21, 3), (13, 3))
    shown = picture(did(whole, 0, Verb.CONFIRM, (5, 2)), 1)
    assert sorted(shown.last, key=lambda arrow: arrow.start) == [
        Arrow("top", 1, 4),
        Arrow("top", 1, 7),
        Arrow("top", 12, 15),
    ]


def test_a_hint_is_drawn_as_arrows() -> None:
    table = at(roll=(3, 1))
    best = next(play for play in table.match.game.turn().plays() if {step.end for step in play.steps} == {5})
    shown = describe(table, 0, words("en"), hint=[Ranked(best, 0.2, 0.5, 0.1, 0.0, 0.1, 0.0)])
    assert set(shown.hint) == {Arrow("bottom", 8, 5), Arrow("bottom", 6, 5)}


def test_looks_are_handed_on() -> None:
    shown = describe(at(roll=(3, 1)), 0, words("tr"), "paper", True)
    assert (shown.theme, shown.home_left, shown.pips_word) == ("paper", True, "pip")


def test_in_games_with_one_direction_the_other_side_is_half_a_board_away() -> None:
    table = at("24:10 20:5", "24:14 3:1", roll=(5, 3), variant=Blocking())
    shown = picture(table)
    assert (shown.top.checkers[12], shown.top.checkers[15]) == (14, 1)
    assert set(shown.top.home) == set(range(13, 19))
    other = picture(table, 1)
    assert (other.bottom.checkers[24], other.bottom.checkers[3]) == (14, 1)
    assert (other.top.checkers[12], other.top.checkers[8]) == (10, 5)
    watched = at(START, START, roll=(5, 3), on_roll=1, variant=Blocking())
    assert picture(watched, None).numbers == (0, *PARALLEL[1:25])


def test_pinned_checkers_lie_at_their_slots() -> None:
    table = at("24:14 5:1", "24:14 20:1", roll=(5, 3), variant=Pinning())
    sides = (table.match.game.sides[0], table.match.game.sides[1]._replace(pinned=frozenset({20})))
    table = replace(table, match=replace(table.match, game=replace(table.match.game, sides=sides)))
    assert picture(table).top.pinned == {5}
    assert picture(table, 1).bottom.pinned == {20}


def test_scores_are_shown_with_the_length() -> None:
    shown = picture(at(roll=(3, 1), score=(1, 3), seats=(Seat(1), Seat(2))), 1)
    assert (shown.bottom.score, shown.top.score) == ("3/5", "1/5")
    assert (shown.bottom.name, shown.top.name) == ("Player 2", "Player 1")
