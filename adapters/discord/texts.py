"""Messages as Discord writes them: markdown, buttons in rows, a picture with its text."""

import io
import re
from dataclasses import dataclass
from typing import Any

import discord

from render.buttons import Button
from render.message import Message

MOST_TEXT = 2000
MOST_ALT = 1024
MOST_LABEL = 80
PLACES = range(25)
"""Five rows of five; what lies beyond them is for other platforms."""
_ROOM_TO_CALL = 24
"""Characters that a mention in front of the text takes."""

_STYLES = {
    "main": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
    "step": discord.ButtonStyle.primary,
    "shortcut": discord.ButtonStyle.secondary,
    "plain": discord.ButtonStyle.secondary,
}
_ANYWHERE = re.compile(r"[\\*_~`|<\[]")
_AT_START = re.compile(r"^(\s*)([-#>]|\d+(?=\.(?:\s|$)))", re.MULTILINE)
# A name could be the address of a site or of a server, which Discord makes a link of, even in the middle of a word.
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=[^\W\d])(?=\.[^\W\d])")


def escape(text: str) -> str:
    """The text as it stands, whatever is in it: no markdown, no link, no mention."""
    escaped = _ADDRESS.sub(r"\\", _ANYWHERE.sub(r"\\\g<0>", text))
    escaped = _AT_START.sub(_numbered, escaped)
    return escaped.replace("@", "@\u200b")


def _numbered(found: re.Match[str]) -> str:
    """The start of a line that would be a heading, a quotation or a list; of a number the dot is escaped."""
    return f"{found[1]}{found[2]}\\" if found[2].isdecimal() else f"{found[1]}\\{found[2]}"


def markdown(message: Message, limit: int = MOST_TEXT) -> str:
    """The text of a message, at most `limit` characters: title bold, fine print small."""
    room = limit
    while len(text := _written(message.within(room))) > limit and room > 0:
        room -= len(text) - limit
    return text[:limit]


def _written(message: Message) -> str:
    title = [f"**{escape(message.title)}**"] if message.title else []
    small = [f"-# {escape(line)}" for line in message.small if line]
    return "\n".join([*title, *(escape(line) for line in message.lines), *small])


@dataclass(frozen=True, slots=True)
class Letter:
    """A message ready to be sent, any number of times. `call`: the id of who is to be notified by it, "" for nobody."""

    content: str
    buttons: tuple[Button, ...] = ()
    png: bytes | None = None
    alt: str = ""
    call: str = ""

    def sent(self) -> dict[str, Any]:
        """The arguments with which it is sent as a new message."""
        arguments: dict[str, Any] = {"content": self.content, "allowed_mentions": self._mentions()}
        if self.png is not None:
            arguments["file"] = self._file(self.png)
        if view := self._view():
            arguments["view"] = view
        return arguments

    def edited(self, *, keep: bool = True) -> dict[str, Any]:
        """The arguments with which a message is made into it. `keep`: without a picture of its own an old one stays."""
        arguments: dict[str, Any] = {"content": self.content, "view": self._view(), "allowed_mentions": _NOBODY}
        # Without the list of attachments Discord keeps the old pictures, and the new one comes on top.
        if self.png is not None:
            arguments["attachments"] = [self._file(self.png)]
        elif not keep:
            arguments["attachments"] = []
        return arguments

    def _mentions(self) -> discord.AllowedMentions:
        if not self.call:
            return _NOBODY
        return discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=[discord.Object(int(self.call))]
        )

    def _file(self, png: bytes) -> discord.File:
        return discord.File(io.BytesIO(png), "board.png", description=self.alt[:MOST_ALT] or None)

    def _view(self) -> discord.ui.View | None:
        """The buttons. The view has stopped before it is sent: discord.py would keep a view that has not, one for each
        message for ever, and all presses are taken in one place (`Client.on_interaction`)."""
        view = discord.ui.View(timeout=None)
        for button in _pressable(self.buttons):
            view.add_item(
                discord.ui.Button(
                    label=button.label[:MOST_LABEL],
                    style=_STYLES[button.kind],
                    custom_id=button.action,
                    row=button.place // 5,
                )
            )
        view.stop()
        return view if view.children else None


_NOBODY = discord.AllowedMentions.none()


def letter(message: Message, png: bytes | None = None, call: str = "") -> Letter:
    """The message as a letter; `call`: the platform's id of who is mentioned in front of it, "" for nobody."""
    text = markdown(message, MOST_TEXT - _ROOM_TO_CALL)
    content = f"<@{call}> {text}" if call else text
    return Letter(content, message.buttons, png, message.alt, call)


def line(text: str) -> Letter:
    """A sentence."""
    return Letter(escape(text)[:MOST_TEXT])


def _pressable(buttons: tuple[Button, ...]) -> list[Button]:
    """Those that have a place here, each action once: Discord refuses a message that has one twice."""
    first = {button.action: button for button in reversed(buttons) if button.place in PLACES}
    return [button for button in buttons if first.get(button.action) is button]
