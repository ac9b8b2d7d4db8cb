"""A message as Telegram takes it: HTML, and a keyboard below it."""

from collections.abc import Iterator
from html import escape

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from render.buttons import STEP_PLACES, Button
from render.message import Message, rows
from render.words import words

CAPTION, TEXT, TOAST = 1024, 4096, 200
"""The most that Telegram takes, in UTF-16 units after the tags are read."""
_CONTROLS = (range(STEP_PLACES, STEP_PLACES + 3), range(STEP_PLACES + 3, STEP_PLACES + 5))
"""The controls in two rows: five would be too narrow on a phone."""


def html(message: Message, call: str = "", language: str = "") -> str:
    """The text: title bold, fine print in italics; before it whoever is called (his id) in `language`."""
    title = [f"<b>{escape(message.title)}</b>"] if message.title else []
    called = [f'<a href="tg://user?id={int(call)}">{escape(summons(language))}</a>'] if call else []
    lines = (escape(line) for line in message.lines)
    return "\n".join([*called, *title, *lines, *(f"<i>{escape(line)}</i>" for line in message.small)])


def summons(language: str) -> str:
    """What somebody is called with."""
    return words(language).say("Over to you!")


def fitted(message: Message, limit: int, call: str = "", language: str = "") -> str:
    """The HTML of a message of which at most `limit` units are seen."""
    room = limit - (units(summons(language)) + 1 if call else 0)
    while units(_plain(message)) > room and (message.lines or message.small):
        message = message.within(message.length - 1)
    return html(message, call, language)


def keyboard(message: Message) -> InlineKeyboardMarkup | None:
    """The buttons in their rows; None where there are none."""
    found = [
        [InlineKeyboardButton(button.label, callback_data=button.action) for button in row]
        for row in _rows(message.buttons)
    ]
    return InlineKeyboardMarkup(found) if found else None


def units(text: str) -> int:
    """The length of a text as Telegram counts."""
    return len(text.encode("utf-16-le")) // 2


def cut(text: str, limit: int = TOAST) -> str:
    """A text of at most `limit` units."""
    while units(text) > limit:
        text = text[: len(text) - max(1, (units(text) - limit) // 2) - 1].rstrip() + "…"
    return text


def _plain(message: Message) -> str:
    return "\n".join([message.title, *message.lines, *message.small])


def _rows(buttons: tuple[Button, ...]) -> Iterator[tuple[Button, ...]]:
    for row in rows(buttons):
        parts = [tuple(button for button in row if button.place in part) for part in _CONTROLS]
        yield from [part for part in parts if part] or [row]
