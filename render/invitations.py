"""A challenge as a chat shows it: who, what, under which rules, and what can be pressed until somebody sits down."""

from collections.abc import Iterator
from typing import Literal

from bot import variants
from bot.service.actions import Ask, Asking, encode
from bot.service.table import LEVELS, Challenge
from render import terms
from render.buttons import Button, Kind
from render.message import Message
from render.words import N_, Words

Viewer = Literal["challenger", "guest", "all"]
"""Whose message it is: the challenger's own, that of somebody who has the code, or one that everybody there reads."""

STATES = {
    "accepted": N_("Accepted."),
    "declined": N_("Declined."),
    "withdrawn": N_("Withdrawn."),
    "expired": N_("Nobody has accepted in time."),
}
LONGEST_LABEL = 80
"""Characters that a button of Discord takes."""


def invitation(
    challenge: Challenge, words: Words, viewer: Viewer, *, opponent: str = "", link: str = "", panel: str = ""
) -> Message:
    """The challenge as it stands. `opponent`: the name of whom it is for; `link`: the way to it for a friend.

    `panel`: "" for the main buttons, "length" or "rules" for those that change it.
    """
    asked = challenge.terms
    title = f"{words.game(asked.game)} · {words.length(asked.shape.target)}"
    lines = (_headline(challenge, words, opponent), *terms.told(asked, words), *_stands(challenge, words))
    if challenge.state != "open":
        return Message(title, lines)
    ways = tuple(_ways(challenge, words, viewer, link))
    return Message(title, lines, ways, buttons=_Making(challenge, words, viewer).buttons(panel))


def _headline(challenge: Challenge, words: Words, opponent: str) -> str:
    name = words.seat(challenge.challenger)
    if challenge.computer:
        return words.say("%(name)s against the computer. How strong shall it play?", name=name)
    if opponent:
        return words.say("%(name)s challenges %(opponent)s.", name=name, opponent=opponent)
    return words.say("%(name)s is looking for an opponent: whoever accepts plays.", name=name)


def _ways(challenge: Challenge, words: Words, viewer: Viewer, link: str) -> Iterator[str]:
    """How a friend in another chat finds the challenge: said where he is not already."""
    if viewer == "guest" or challenge.computer or not (challenge.to_anyone or viewer == "challenger"):
        return
    yield words.say("A friend elsewhere opens or types this: %(link)s", link=link)
    yield words.say("On any other platform: /challenge with the code %(code)s", code=challenge.id)


def _stands(challenge: Challenge, words: Words) -> Iterator[str]:
    if challenge.state in STATES and not (challenge.computer and challenge.state == "accepted"):
        yield words.say(STATES[challenge.state])


class _Making:
    """Makes the buttons of one message."""

    def __init__(self, challenge: Challenge, words: Words, viewer: Viewer) -> None:
        self._challenge = challenge
        self._words = words
        self._viewer = viewer

    def buttons(self, panel: str) -> tuple[Button, ...]:
        if panel == "length":
            return tuple(self._lengths())
        if panel == "rules":
            return tuple(self._rules())
        return (*self._answers(), *self._own())

    def _answers(self) -> Iterator[Button]:
        say = self._words.say
        if self._challenge.computer:
            for place, level in enumerate(LEVELS):
                yield self._button(Ask.START, self._words.level(level).capitalize(), place, "main", level)
        elif self._viewer != "challenger":
            yield self._button(Ask.ACCEPT, say("Accept"), 0, "main")
            if not self._challenge.to_anyone:
                yield self._button(Ask.DECLINE, say("Decline"), 1, "plain")

    def _own(self) -> Iterator[Button]:
        say = self._words.say
        if self._viewer == "guest":
            return
        yield self._button(Ask.PANEL, say("Length…"), 5, "plain", "length")
        if variants.games()[self._challenge.terms.game].options:
            yield self._button(Ask.PANEL, say("House rules…"), 6, "plain", "rules")
        yield self._button(Ask.WITHDRAW, say("Withdraw"), 7, "plain")

    def _lengths(self) -> Iterator[Button]:
        chosen = self._challenge.terms.shape.target
        for place, length in enumerate(terms.OFFERED):
            label = f"· {length} ·" if length == chosen else str(length)
            yield self._button(Ask.CHANGE, label, place, "step", f"length.{length}")
        yield self._back(10)

    def _rules(self) -> Iterator[Button]:
        """One button a rule, which goes on to its next value; two in a row where one would not do."""
        asked = self._challenge.terms
        variant = variants.variant(asked.game, asked.rules)
        in_row = 1 + (len(variant.options) > 4)
        for number, (rule, values) in enumerate(variant.options.items()):
            now = values.index(variant.rules[rule])
            label = terms.rule_told(rule, values[now], self._words)[:LONGEST_LABEL]
            place = number // in_row * 5 + number % in_row
            yield self._button(Ask.CHANGE, label, place, "step", f"{rule}.{(now + 1) % len(values)}")
        yield self._back(20)

    def _back(self, place: int) -> Button:
        return self._button(Ask.PANEL, self._words.say("Back"), place, "plain", "main")

    def _button(self, ask: Ask, label: str, place: int, kind: Kind, value: str = "") -> Button:
        return Button(label, encode(Asking(self._challenge.id, self._challenge.revision, ask, value)), place, kind)
