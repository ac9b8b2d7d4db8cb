"""What the bot says about itself can be read and pressed, in every language."""

from dataclasses import replace

import pytest

from bot import variants
from bot.service.actions import MOST_BYTES, Action, Run, Verb, decode_any
from bot.service.table import Seat, Table
from render import guide
from render.commands import COMMANDS
from render.message import Message, rows
from render.rulebook import RULES, TIPS
from render.words import LONGEST_NAME, languages, words
from tests.render.tables import COMPUTER, at

LONGEST_LABEL = 34
LONGEST_MESSAGE = 2000
"""Characters that Discord takes; Telegram takes 4096."""


def many(number: int, seats: tuple[Seat, Seat] = (Seat(1, "Ayşe"), Seat(2, "Mehmet"))) -> list[Table]:
    """As many matches; in every second one it is seat 1 that is to move."""
    return [
        replace(at(roll=(6, 3), on_roll=place % 2, seats=seats), id=f"m{place:09}", revision=place + 1)
        for place in range(number)
    ]


def runs(message: Message) -> list[Run | object]:
    return [decode_any(button.action) for button in message.buttons]


def whole_messages(language: str) -> list[Message]:
    told, tables = words(language), many(12, (Seat(1, "W" * LONGEST_NAME), Seat(2, "M" * LONGEST_NAME)))
    return [
        *(guide.welcome(told, tables[:number]) for number in (0, 1, 12)),
        *(guide.help_for(told, tables[:number]) for number in (0, 1, 12)),
        *(guide.games(told, tables[:number], 1) for number in (0, 1, 12)),
        *(guide.rules(told, game) for game in variants.games()),
    ]


@pytest.mark.parametrize("language", languages())
def test_everything_fits_and_can_be_pressed(language: str) -> None:
    for message in whole_messages(language):
        assert message.within(LONGEST_MESSAGE) == message
        assert all(line == line.strip() != "" for line in (message.title, *message.lines))
        assert not [line for line in message.lines if "%(" in line]
        places = [button.place for button in message.buttons]
        assert places == sorted(set(places))
        assert all(0 < len(button.label) <= LONGEST_LABEL for button in message.buttons)
        assert all(len(button.action.encode()) <= MOST_BYTES for button in message.buttons)
        assert all(len(row) <= 5 for row in rows(message.buttons))
        assert all(isinstance(action, Action | Run) for action in runs(message))


@pytest.mark.parametrize("language", languages())
def test_the_entrance_leads_to_commands_that_there_are(language: str) -> None:
    for message in (guide.welcome(words(language), ()), guide.help_for(words(language), ())):
        assert runs(message) == [Run("computer"), Run("challenge"), Run("games"), Run("rules")]
        assert [len(row) for row in rows(message.buttons)] == [2, 2]
    assert {run.command for run in runs(guide.welcome(words(language), ())) if isinstance(run, Run)} <= COMMANDS.keys()


def test_the_welcome_says_what_it_is_and_what_waits() -> None:
    lines = guide.welcome(words("en"), ()).lines
    assert lines == (
        "Tavla with a friend or against the computer: a whole match, at once or over days.",
        "Press a button to begin.",
    )
    assert guide.welcome(words("en"), many(1)).lines[1] == "1 match waits for you: /games"
    assert guide.welcome(words("tr"), many(3)).lines[1] == "Sizi bekleyen 3 maç var: /games"


@pytest.mark.parametrize("language", languages())
def test_the_help_names_every_command_after_what_waits(language: str) -> None:
    lines = guide.help_for(words(language), many(2)).lines
    assert lines[0].startswith(("2", "Sizi bekleyen 2"))
    assert [line.split(" – ")[0] for line in lines[1:]] == [f"/{name}" for name in COMMANDS]
    assert len(guide.help_for(words(language), ()).lines) == len(COMMANDS)


# Matches.


def test_each_match_is_listed_with_the_button_of_its_number() -> None:
    tables = many(3)
    message = guide.games(words("en"), tables, 1)
    assert message.title == "Your matches"
    assert message.lines == (
        "1. Tavla · match to 5 points · Ayşe 0 – 0 Mehmet – your turn",
        "2. Tavla · match to 5 points · Ayşe 0 – 0 Mehmet",
        "3. Tavla · match to 5 points · Ayşe 0 – 0 Mehmet – your turn",
    )
    assert [button.label for button in message.buttons] == ["1", "2", "3"]
    assert runs(message) == [Action(table.id, table.revision, Verb.SHOW) for table in tables]


def test_ten_matches_are_listed_at_most_the_first_ones() -> None:
    message = guide.games(words("en"), many(12), 1)
    assert len(message.lines) == len(message.buttons) == guide.LISTED == 10
    assert runs(message) == runs(guide.games(words("en"), many(10), 1))
    assert [len(row) for row in rows(message.buttons)] == [5, 5]


def test_the_turn_is_told_to_whoever_asks_and_to_no_stranger() -> None:
    (table,) = many(1)
    told = {player: guide.games(words("en"), [table], player).lines[0].endswith("your turn") for player in (1, 2, 3)}
    assert told == {1: True, 2: False, 3: False}
    thinking = at(roll=(6, 3), on_roll=1, seats=COMPUTER)
    assert not guide.games(words("en"), [thinking], 1).lines[0].endswith("your turn")


def test_whoever_has_no_match_can_begin_one() -> None:
    message = guide.games(words("en"), (), 1)
    assert (message.title, message.lines) == ("You have no match under way.", ())
    assert runs(message) == [Run("computer"), Run("challenge")]


# Rules.


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", variants.games())
def test_every_game_has_its_rules_in_a_page_and_three_tips(game: str, language: str) -> None:
    message = guide.rules(words(language), game)
    assert message.title == words(language).game(game)
    assert len(RULES[game]) >= 6
    assert len(TIPS[game]) == 3
    assert len(message.lines) == len(RULES[game]) + 1 + 3
    assert message.lines[-4].endswith(":")
    assert all(line.endswith(".") for line in (*message.lines[:-4], *message.lines[-3:]))


def test_no_rules_are_written_for_a_game_that_there_is_not() -> None:
    assert set(RULES) == set(TIPS) == set(variants.games())
