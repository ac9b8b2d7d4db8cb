"""The list of commands is one that every platform takes, in every language."""

import re
from collections.abc import Sequence

import pytest

from render.commands import COMMANDS, Command, Option
from render.words import languages, words

NAME = re.compile(r"[a-z]{1,32}")
"""What Discord and Telegram both take as a name."""
LONGEST_PURPOSE = 100
"""Discord's limit; Telegram takes 256."""
MOST_OPTIONS = 25

OPTIONS = [option for command in COMMANDS.values() for option in command.options]
EACH: list[Command | Option] = [*COMMANDS.values(), *OPTIONS]


def purposes(language: str) -> list[str]:
    return [words(language).say(each.purpose) for each in EACH]


def test_names_are_those_that_both_platforms_take() -> None:
    for each in EACH:
        assert NAME.fullmatch(each.name)
    assert [command.name for command in COMMANDS.values()] == list(COMMANDS)


@pytest.mark.parametrize("language", languages())
def test_purposes_are_one_short_line(language: str) -> None:
    for purpose in purposes(language):
        assert 3 <= len(purpose) <= LONGEST_PURPOSE, purpose
        assert purpose == purpose.strip()
        assert "\n" not in purpose
        assert not purpose.endswith("."), "a line in a menu is no sentence"


@pytest.mark.parametrize("language", languages())
def test_no_two_commands_and_no_two_options_of_one_read_alike(language: str) -> None:
    groups: list[Sequence[Command | Option]] = [tuple(COMMANDS.values())]
    groups += [command.options for command in COMMANDS.values()]
    for group in groups:
        assert len({words(language).say(each.purpose) for each in group}) == len(group)


def test_what_must_be_said_comes_first() -> None:
    """Discord refuses a command whose required options come after others."""
    for command in COMMANDS.values():
        required = [option.required for option in command.options]
        assert required == sorted(required, reverse=True)
        assert len(required) <= MOST_OPTIONS
        assert len({option.name for option in command.options}) == len(required)


def test_an_option_means_the_same_in_every_command() -> None:
    kinds = {(option.name, option.kind) for option in OPTIONS}
    assert len(kinds) == len({name for name, _ in kinds})


def test_what_cannot_be_done_without_a_word_asks_for_it() -> None:
    required = {
        name: [option.name for option in command.options if option.required] for name, command in COMMANDS.items()
    }
    assert {name: options for name, options in required.items() if options} == {"move": ["play"]}
