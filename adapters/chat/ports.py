"""What the chats work with, what they need of a platform, and how a platform says that something did not work."""

from dataclasses import dataclass
from typing import Protocol

from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.ports import Now, Store
from bot.service.screens import Screens
from bot.service.table import Shown
from render.message import Message
from render.pictures import Pictures


@dataclass(frozen=True, slots=True)
class House:
    """What every platform is handed: the service, its pictures and the time."""

    store: Store
    matches: Matches
    lobby: Lobby
    screens: Screens
    pictures: Pictures
    now: Now


class Trouble(Exception):
    """A message could not be sent or changed. As such: try again later."""


class Held(Trouble):
    """The platform wants nothing more in this chat for so many `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"held back for {seconds:g} s")
        self.seconds = seconds


class Gone(Trouble):
    """The message cannot be changed any more (deleted, too old): a new one has to take its place."""


class Closed(Trouble):
    """The bot may not write there (blocked, left, not permitted); `why` for the log."""


class Moved(Trouble):
    """The chat has another number now: `chat`."""

    def __init__(self, chat: str) -> None:
        super().__init__(f"moved to {chat}")
        self.chat = chat


class Via(Protocol):
    """A press that waits for its answer: through it a message is changed at no cost."""

    async def acknowledge(self) -> None:
        """Answers the press without showing anything; nothing happens if it is answered already."""
        ...


class Platform(Protocol):
    """Messages of one chat platform. All methods raise `Trouble`."""

    name: str
    """As in `Shown.platform`."""
    keeps: float
    """Seconds after which a message is replaced rather than changed."""
    whispers: bool
    """Whether it can answer one person in a shared chat, buttons included."""
    describes: bool
    """Whether a picture carries its text for those who cannot see it."""

    async def ready(self, screen: Shown) -> bool:
        """Waits until something may be sent to the chat of `screen`. False: sparingly, without a new picture."""
        ...

    async def post(self, screen: Shown, message: Message, png: bytes | None, via: Via | None, call: str) -> str:
        """Sends a new message to the place of `screen`; returns its number.

        `call`: the platform's id of who is to be called by it, "" for nobody.
        """
        ...

    async def edit(self, screen: Shown, message: Message, png: bytes | None, via: Via | None) -> None:
        """Makes the message of `screen` show `message`; without `png` its picture stays. Repeating it does no harm."""
        ...

    async def retire(self, screen: Shown) -> None:
        """Takes the buttons off the message of `screen`; one that is gone is no trouble."""
        ...

    def link(self, code: str) -> str:
        """What a friend opens or types to find the challenge `code`."""
        ...
