"""A view holds what one viewer needs, in his language, and nothing of anybody else's."""

import re
from dataclasses import replace

import pytest

from bot.engine.match import Phase
from bot.service.actions import Verb, decode
from bot.service.ports import Ranked
from bot.service.table import Seat, Table, Tally
from render.buttons import STEP_PLACES
from render.view import Look, View, view
from render.words import languages, words
from tests.render.tables import COMPUTER, VIEWERS, at, did, moments

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
