"""The terms of a match as people choose and read them: game, length, house rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot import variants
from bot.engine.variant import Value
from bot.service.table import Terms
from render.words import N_, Words

OFFERED = (1, 2, 3, 5, 7, 9, 11, 15, 21, 25)
FIRST_CHOSEN = 5

RULES: Mapping[str, str] = {
    "opening": N_("Whoever starts"),
    "next_starter": N_("The next game is started by"),
    "hit_and_run": N_("A checker that hits in its home board"),
    "closed_out": N_("A checker on the bar before six closed points"),
}
VALUES: Mapping[tuple[str, str], str] = {
    ("opening", "reroll"): N_("rolls both dice afresh"),
    ("opening", "play"): N_("plays the two opening dice"),
    ("next_starter", "fresh"): N_("a new opening roll"),
    ("next_starter", "winner"): N_("the winner of the last game"),
    ("next_starter", "alternate"): N_("each player in turn"),
    ("hit_and_run", "allow"): N_("may move on in the same turn"),
    ("hit_and_run", "forbid_home"): N_("stays there for this turn"),
    ("closed_out", "skip"): N_("does not roll"),
    ("closed_out", "roll"): N_("rolls all the same"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One house rule of a game as it is offered: the name of its field, what it is about, (value, words) each."""

    field: str
    label: str
    values: tuple[tuple[str, str], ...]


def choices(game: str, words: Words) -> list[Choice]:
    """The house rules of a game, the usual value of each first."""
    options = variants.games()[game].options
    return [
        Choice(f"{game}.{rule}", _rule(rule, words), tuple((str(each), _value(rule, each, words)) for each in values))
        for rule, values in options.items()
    ]


def told(terms: Terms, words: Words) -> Iterator[str]:
    """Every rule that a match under these terms is played by, in words."""
    for rule, value in variants.variant(terms.game, terms.rules).rules.items():
        yield rule_told(rule, value, words)


def rule_told(rule: str, value: Value, words: Words) -> str:
    """A house rule with what is chosen: "Whoever starts: plays the two opening dice"."""
    return f"{_rule(rule, words)}: {_value(rule, value, words)}"


def _rule(rule: str, words: Words) -> str:
    return words.say(RULES.get(rule, rule))


def _value(rule: str, value: Value, words: Words) -> str:
    return words.say(VALUES.get((rule, str(value)), str(value)))
