"""A view holds what one viewer needs, in his language, and nothing of anybody else's."""

import re
from dataclasses import replace

import pytest

from bot.engine.match import Phase
from bot.service.actions import Verb, decode
from bot.service.ports import Ranked
from bot.service.table import Seat, Table, Tally
from render.buttons import STEP_PLACES
from render.buttons import buttons as buttons_of
from render.describe import describe
from render.view import Look, View, view
from render.words import languages, words
from tests.render.tables import COMPUTER, VIEWERS, at, did, moments, took

UNFILLED = re.compile(r"%[(sd%]|\{|None|Seat\(")


def seen(table: Table, seat: int | None = 0, look: Look | None = None, language: str = "en") -> View:
    return view(table, seat, words(language), look)


def texts(shown: View) -> list[str]:
    return [shown.title, *shown.lines, *shown.small, shown.alt, *(button.label for button in shown.buttons)]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("seat", VIEWERS)
def test_every_moment_of_whole_matches_can_be_shown(seat: int | None, language: str) -> None:
    for table, _ in moments():
        shown = seen(table, seat, language=language)
        assert (shown.match, shown.revision, shown.successor) == (table.id, table.revision, None)
        assert all(text.strip() == text != "" for text in texts(shown))
        assert not [text for text in texts(shown) if UNFILLED.search(text)]
        assert all("\n" not in text for text in texts(shown))
        assert table.commitment in shown.small[0]
        hash(shown.picture)


@pytest.mark.parametrize("seat", VIEWERS)
def test_attention_is_asked_of_whoever_has_to_do_something(seat: int | None) -> None:
    for table, _ in moments():
        shown = seen(table, seat)
        assert shown.attention == (seat in table.awaited and table.match.phase is not Phase.OVER)
        assert shown.buttons or not shown.attention


def test_only_the_player_who_is_to_move_sees_steps() -> None:
    table = at(roll=(6, 3))
    steps = [[button for button in seen(table, seat).buttons if button.place < STEP_PLACES] for seat in (0, 1, None)]
    assert steps[0]
    assert steps[1:] == [[], []]


def test_a_hint_is_told_and_drawn() -> None:
    table = at(roll=(3, 1), seats=COMPUTER)
    best = Ranked(table.match.game.turn().plays()[0], 0.2, 0.55, 0.17, 0.0, 0.1, 0.0)
    shown = seen(table, 0, Look(hint=[best, best]))
    assert [line[:7] for line in shown.lines[-2:]] == ["Hint 1:", "Hint 2:"]
    assert shown.picture.hint
    assert not seen(table).picture.hint


def test_the_look_changes_how_it_is_shown_and_nothing_else() -> None:
    table = at(roll=(3, 1), seats=COMPUTER)
    shown = seen(table, 0, Look(theme="clear", home_left=True, panel="concede", tally=Tally(3, 4)))
    assert (shown.picture.theme, shown.picture.home_left) == ("clear", True)
    assert [decode(button.action).verb for button in shown.buttons] == [
        Verb.PANEL,
        Verb.CONCEDE_GAME,
        Verb.CONCEDE_MATCH,
    ]
    assert "3" in shown.lines[-1]
    assert shown.alt == seen(table).alt
    assert shown.lines[:-1] == seen(table).lines


def test_the_way_to_the_rematch_is_shown() -> None:
    assert seen(replace(at(), successor="zbcdefghjk")).successor == "zbcdefghjk"


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("seats", [(Seat(1), Seat(2)), (Seat(1, "Ali"), Seat(2, "Ali"))], ids=["unnamed", "equal"])
def test_two_players_of_one_name_are_told_apart_everywhere(seats: tuple[Seat, Seat], language: str) -> None:
    one, other = words(language).names(seats)
    table = did(at(roll=(6, 3), seats=seats), 0, Verb.CONCEDE_GAME)
    shown = seen(table, None, language=language)
    assert one in shown.title
    assert other in shown.title
    assert any(one in line and other not in line for line in shown.lines)
    assert (shown.picture.bottom.name, shown.picture.top.name) == (one, other)


def test_turkish_and_english_say_different_things() -> None:
    """But for the notation and the names, nothing English is left."""
    for table, _ in moments():
        english, turkish = seen(table), seen(table, language="tr")
        plain = {button.label for button in english.buttons if button.kind in ("step", "shortcut")}
        both = set(texts(english)) & set(texts(turkish)) - plain
        assert all(re.fullmatch(r".+, \d-\d: [-\d/* ()a-z]+", text) for text in both), both


# A shared table: all read along, whoever is to move has the buttons.

SHARED = Look(shared=True)
TO_YOU = {"en": re.compile(r"\b[Yy]ou(rs?)?\b"), "tr": re.compile(r"\b[Ss]iz\w*|\w+[ıiuü]n[ıiuü]z\b|\battınız\b")}
"""What is said to somebody rather than of him."""


def told_of_all(shown: View) -> list[str]:
    return [shown.title, *shown.lines, *shown.small, shown.alt]


@pytest.mark.parametrize("language", languages())
def test_at_a_shared_table_nobody_is_told_you(language: str) -> None:
    for table, _ in moments():
        shown = seen(table, None, SHARED, language)
        assert not [text for text in told_of_all(shown) if TO_YOU[language].search(text)], shown.lines
        assert all(text.strip() == text != "" for text in texts(shown))
        assert not [text for text in texts(shown) if UNFILLED.search(text)]


@pytest.mark.parametrize("language", languages())
def test_otherwise_it_is_said_to_players_that_it_is_about_them(language: str) -> None:
    """The law above would notice."""
    told = [
        bool(TO_YOU[language].search(" ".join(told_of_all(seen(table, 0, language=language)))))
        for table, _ in moments()
    ]
    assert all(told)


def test_everybody_at_a_shared_table_is_told_the_same() -> None:
    for table, _ in moments():
        assert len({tuple(told_of_all(seen(table, seat, SHARED))) for seat in VIEWERS}) == 1


def test_the_buttons_of_a_shared_table_are_those_of_whoever_can_go_on() -> None:
    for table, _ in moments():
        acting = [seat for seat in table.awaited if not table.match.rematch[seat]]
        expected = buttons_of(table, acting[0], words("en")) if acting else ()
        assert seen(table, None, SHARED).buttons == expected
        assert seen(table, None).buttons == ()
        if table.match.phase is not Phase.OVER:
            assert expected
            assert seen(table, None, SHARED).attention


@pytest.mark.parametrize("seat", [0, 1])
def test_where_only_one_of_them_is_the_buttons_are_always_his(seat: int) -> None:
    for table, _ in moments():
        shown = seen(table, seat, SHARED)
        assert shown.buttons == seen(table, seat).buttons
        assert shown.attention == seen(table, seat).attention


def test_after_one_has_asked_for_a_rematch_the_other_one_can_agree() -> None:
    table = did(did(at(roll=(6, 3)), 0, Verb.CONCEDE_MATCH), 1, Verb.ACCEPT)
    for seat in (0, 1):
        asked = did(table, seat, Verb.REMATCH)
        assert [decode(button.action).verb for button in seen(asked, None, SHARED).buttons] == [Verb.REMATCH]
        assert (
            f"{('Ayşe', 'Mehmet')[seat]} asks for a rematch: press “Rematch” to agree."
            in seen(asked, None, SHARED).lines
        )
        assert seen(did(asked, 1 - seat, Verb.REMATCH), None, SHARED).buttons == ()


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_picture_of_a_shared_table_lies_the_same_for_all_and_is_numbered_for_whoever_is_to_move(
    viewer: int | None,
) -> None:
    for table, _ in moments():
        picture, match = seen(table, viewer, SHARED).picture, table.match
        watched = describe(table, None, words("en"))
        assert replace(picture, marks=()) == watched
        assert picture.bottom.light
        assert picture.bottom.name == words("en").names(table.seats)[0]
        moving = match.game.on_roll if match.stage in (Phase.ROLL, Phase.PLAY) else None
        assert picture.numbers[1:] == tuple(range(24, 0, -1) if moving == 1 else range(1, 25))


def test_at_a_shared_table_the_checkers_of_whoever_is_to_move_are_marked_by_the_numbers_on_his_buttons() -> None:
    marked = set()
    for table, _ in moments():
        acting = table.match.phase is Phase.PLAY
        seat = table.awaited[0]
        shown = seen(table, None, SHARED)
        starts = {step.start for step in table.match.game.turn().steps()} if acting else set()
        assert {25 if mark.slot == 25 else shown.picture.numbers[mark.slot] for mark in shown.picture.marks} == starts
        side = "bottom" if seat == 0 else "top"
        lying = shown.picture.bottom if seat == 0 else shown.picture.top
        assert all(mark.side == side and lying.checkers[mark.slot] for mark in shown.picture.marks)
        marked |= {side for _ in shown.picture.marks}
        assert seen(table, 1 - seat, SHARED).picture.marks == () or not acting
    assert marked == {"bottom", "top"}


def test_the_position_of_a_shared_table_is_told_by_the_numbers_in_its_picture() -> None:
    for table, _ in moments():
        shown, names = seen(table, None, SHARED), words("en").names(table.seats)
        numbered = 0 if shown.picture.numbers[1] == 1 else 1
        assert shown.alt.startswith(f"Points by the numbers of {names[numbered]}. {names[0]}, light:")


def test_a_hint_at_a_shared_table_is_drawn_for_whoever_asked() -> None:
    for mover in (0, 1):
        seats = COMPUTER if mover == 0 else (COMPUTER[1], COMPUTER[0])
        table = at(roll=(3, 1), seats=seats, on_roll=mover)
        best = Ranked(table.match.game.turn().plays()[0], 0.2, 0.55, 0.17, 0.0, 0.1, 0.0)
        for seat in (mover, None):
            hint = seen(table, seat, Look(shared=True, hint=[best])).picture.hint
            assert {arrow.side for arrow in hint} == {"bottom" if mover == 0 else "top"}
            assert hint == describe(table, mover, words("en"), hint=[best], shared=True).hint


def test_half_a_turn_of_somebody_is_told_to_all() -> None:
    table = at(roll=(6, 3), on_roll=1)
    assert "Mehmet has 6-3 to play." in seen(table, None, SHARED).lines
    half = took(table, 1, (24, 6))
    assert "Mehmet, 6-3: 24/18 so far." in seen(half, None, SHARED).lines
    assert "Mehmet, 6-3: 24/18 13/10. To be confirmed." in seen(took(half, 1, (13, 3)), None, SHARED).lines
    assert "Mehmet has 6-3 to play." in seen(half, None).lines, "whoever only watches sees it on the board"


def test_what_is_offered_and_declined_is_told_to_all() -> None:
    offered = did(at(roll=(6, 3)), 0, Verb.CONCEDE_GAME)
    assert "Ayşe offers to concede this game: 2 points (mars)." in seen(offered, None, SHARED).lines
    declined = did(offered, 1, Verb.DECLINE)
    assert "The offer to concede was declined: the game goes on." in seen(declined, None, SHARED).lines
    assert "declined" not in " ".join(seen(at(roll=(6, 3)), None, SHARED).lines)


def test_the_tally_at_a_shared_table_is_told_to_nobody_in_particular() -> None:
    shown = seen(at(roll=(6, 3), seats=COMPUTER), 0, Look(shared=True, tally=Tally(3, 4)))
    assert not [line for line in shown.lines if TO_YOU["en"].search(line)]
