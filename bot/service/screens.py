"""Screens converge: whoever watches is shown the table as it is, newest wins, nobody waits for another."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Protocol

from bot.service.table import Table

log = logging.getLogger(__name__)

Show = Callable[[], Awaitable[None]]
"""Shows a screen what there is now; shows nothing new if it shows that already."""


class Chats(Protocol):
    """A platform whose screens outlast the process: they are rows of the store."""

    def wake(self, watched: str) -> None:
        """There is something new to see of a match or challenge."""
        ...

    async def ring(self, table: Table) -> None:
        """Tells whoever is awaited at a table; telling twice does no harm."""
        ...


class Screens:
    """The screens that are live in this process, by what they watch: a match or a challenge."""

    def __init__(self) -> None:
        self._chats: list[Chats] = []
        self._watching: dict[str, set[Screen]] = defaultdict(set)

    def open(self, watched: str, show: Show) -> "Screen":
        """A screen that `show`s at every wake of `watched`, and once at the start."""
        screen = Screen(show)
        self._watching[watched].add(screen)
        return screen

    def close(self, watched: str, screen: "Screen") -> None:
        """The screen is gone."""
        self._watching[watched].discard(screen)
        if not self._watching[watched]:
            del self._watching[watched]
        screen.stop()

    def wake(self, watched: str) -> None:
        """There is something new to see."""
        for screen in self._watching.get(watched, ()):
            screen.wake()
        for chats in self._chats:
            chats.wake(watched)

    def join(self, chats: Chats) -> None:
        """A platform that is woken and rung too."""
        self._chats.append(chats)

    async def ring(self, table: Table) -> None:
        """Tells whoever is awaited at a table, wherever he may see it; raises the first failure."""
        await asyncio.gather(*(chats.ring(table) for chats in self._chats))


class Screen:
    """One slot, newest wins: while a showing runs, any number of wakes make one more."""

    def __init__(self, show: Show) -> None:
        self._show = show
        self._behind = asyncio.Event()
        self._behind.set()
        self._task = asyncio.create_task(self._run())

    def wake(self) -> None:
        self._behind.set()

    def stop(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        while True:
            await self._behind.wait()
            self._behind.clear()
            try:
                await self._show()
            except Exception:
                log.exception("a screen could not be shown")
