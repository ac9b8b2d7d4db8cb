"""The chats of one made-up platform: everything is real but the platform, which keeps its messages in a list."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from adapters.chat.desk import Desk
from adapters.chat.people import Asked, Person, Place
from adapters.chat.ports import Trouble, Via
from adapters.chat.replies import Opened, Reply
from adapters.chat.stage import Stage
from bot.service.matches import Matches
from bot.service.ports import Store
from bot.service.screens import Screens
from bot.service.table import Delivery, Shown
from render.buttons import Button
from render.message import Message
from storage.sqlite import MEMORY
from tests.adapters.chat.house import ended, opened_house
from tests.adapters.web.room import Clock


@dataclass
class Posted:
    """A message as it stands in a chat."""

    number: str
    chat: str
    thread: str
    message: Message
    png: bytes | None
    call: str = ""
    edits: int = 0
    retired: bool = False

    def data(self, label: str) -> str:
        """What the button with that label carries."""
        return next(button.action for button in self.message.buttons if button.label == label)

    @property
    def labels(self) -> list[str]:
        return [button.label for button in self.buttons]

    @property
    def buttons(self) -> tuple[Button, ...]:
        return () if self.retired else self.message.buttons


class Tap:
    """A `Via` that counts how it is answered."""

    def __init__(self) -> None:
        self.acknowledged = 0
        self.edited = 0

    async def acknowledge(self) -> None:
        self.acknowledged += 1


@dataclass
class Club:
    """Fulfils `Platform`. `troubles` are raised by the next calls, by their name; `sparing` makes it hold back."""

    name: str = "club"
    keeps: float = float("inf")
    whispers: bool = False
    describes: bool = True
    sparing: bool = False
    messages: dict[str, Posted] = field(default_factory=dict)
    troubles: dict[str, list[Trouble]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers = itertools.count(1)

    async def ready(self, screen: Shown) -> bool:
        return not self.sparing

    async def post(self, screen: Shown, message: Message, png: bytes | None, via: Via | None, call: str) -> str:
        self._called("post")
        number = str(next(self._numbers))
        self.messages[number] = Posted(number, screen.chat, screen.thread, message, png, call)
        self._through(via)
        return number

    async def edit(self, screen: Shown, message: Message, png: bytes | None, via: Via | None) -> None:
        self._called("edit")
        posted = self.messages[screen.message]
        posted.message, posted.png = message, png or posted.png
        posted.edits += 1
        self._through(via)

    async def retire(self, screen: Shown) -> None:
        self._called("retire")
        self.messages[screen.message].retired = True

    def link(self, code: str) -> str:
        return f"club/{code}"

    def _through(self, via: Via | None) -> None:
        if isinstance(via, Tap):
            via.edited += 1

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.troubles.get(name):
            raise self.troubles[name].pop(0)


class Room:
    """A whole bot for one platform, and people who use it."""

    def __init__(self, club: Club, clock: Clock) -> None:
        self.club = club
        self.clock = clock
        self._updates = itertools.count(1)

    desk: Desk
    stage: Stage
    matches: Matches
    screens: Screens
    store: Store

    def person(self, name: str, language: str = "en") -> Person:
        return Person("club", f"id-{name}", name, name.casefold(), language)

    def delivery(self) -> Delivery:
        return Delivery("club", str(next(self._updates)))

    async def ask(self, person: Person, place: Place, command: str, **options: str) -> Reply:
        """A command; what it opens is shown."""
        return await self.deliver(Asked(command, person, place, self.delivery(), options))

    async def deliver(self, asked: Asked) -> Reply:
        reply = await self.desk.command(asked)
        if isinstance(reply, Opened):
            await self.stage.open(reply.screen, call=reply.call)
        await self.settled()
        return reply

    async def press(
        self, person: Person, place: Place, posted: Posted, label: str, *, via: Via | None = None, data: str = ""
    ) -> Reply:
        """Presses a button by its label (or one that carries `data`) and waits for what there is to be seen."""
        text = data or posted.data(label)
        reply = await self.desk.press(person, place, posted.number, text, self.delivery(), via)
        if isinstance(reply, Opened):
            await self.stage.open(reply.screen, via)
        await self.settled()
        return reply

    def live(self, place: Place) -> Posted:
        """The newest message of a chat that still has buttons."""
        return next(posted for posted in reversed(self.here(place)) if posted.buttons)

    def here(self, place: Place) -> list[Posted]:
        return [
            posted
            for posted in self.club.messages.values()
            if (posted.chat, posted.thread) == (place.chat, place.thread)
        ]

    async def settled(self) -> None:
        """Waits until nothing is left to be shown."""
        idle = 0
        for _ in range(1000):
            busy = self.stage._woken or self.stage._slots
            idle = 0 if busy else idle + 1
            if idle > 3:  # between a wake and its slot lies a look into the store
                return
            await asyncio.sleep(0.003)
        raise AssertionError("there is still something to show")

    async def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(1000):
            if condition():
                return
            await asyncio.sleep(0.005)
        raise AssertionError("it never happened")


@asynccontextmanager
async def opened_room(club: Club | None = None, folder: Path | None = None) -> AsyncIterator[Room]:
    """A room on a database in `folder` (in memory without one), closed at the end."""
    room = Room(club or Club(), Clock())
    database = folder / "tavla.db" if folder else MEMORY
    async with opened_house(room.clock, database) as house:
        room.store, room.matches, room.screens = house.store, house.matches, house.screens
        room.stage = Stage(room.club, house)
        room.desk = Desk(room.stage, room.club, house)
        house.screens.join(room.stage)
        showing = asyncio.create_task(room.stage.run())
        try:
            yield room
        finally:
            await ended(showing)
            await room.stage.close()
