"""A message as a chat shows it: text, a picture, buttons; the same on every chat platform."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.engine.match import Phase
from bot.service.table import Table
from render.buttons import Button
from render.picture import Picture
from render.view import View


@dataclass(frozen=True, slots=True)
class Message:
    """What is shown, as plain text: a title that stands out, lines, lines of fine print.

    `picture` is to be drawn, None: there is none; `alt` tells it in words. The places of the `buttons` lie in rows of
    five (0-4, 5-9, …), gaps close up.
    """

    title: str = ""
    lines: tuple[str, ...] = ()
    small: tuple[str, ...] = ()
    picture: Picture | None = None
    alt: str = ""
    buttons: tuple[Button, ...] = ()

    def within(self, limit: int) -> "Message":
        """The message with at most `limit` characters of text: fine print goes first, then the oldest lines."""
        if self.length <= limit:
            return self
        kept = Message(self.title, self.lines, (), self.picture, self.alt, self.buttons)
        while kept.length > limit and kept.lines:
            kept = Message(self.title, kept.lines[1:], (), self.picture, self.alt, self.buttons)
        return kept

    @property
    def length(self) -> int:
        """Characters of the text, a line break for each line."""
        return sum(len(line) + 1 for line in (self.title, *self.lines, *self.small))


def rows(buttons: Sequence[Button]) -> Iterator[tuple[Button, ...]]:
    """The buttons by their rows, empty rows left out."""
    for row in sorted({button.place // 5 for button in buttons}):
        yield tuple(button for button in buttons if button.place // 5 == row)


def table_message(table: Table, shown: View) -> Message:
    """A table in a chat. The proof of the dice stands there when a match begins and when it is over."""
    begins = table.match.game.number == 1 and table.match.game.turns == 0
    proof = shown.small if begins or table.match.phase is Phase.OVER else ()
    return Message(shown.title, shown.lines, proof, shown.picture, shown.alt, shown.buttons)
