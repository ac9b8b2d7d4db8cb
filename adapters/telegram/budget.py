"""How much may be sent: one budget a chat and one over all, so that no chat ever waits for another.

Telegram publishes no exact limits: groups take about 20 calls a minute (edits counted), private chats about one a
second, all chats together about 30 a second (its FAQ, "My bot is hitting limits").
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


class Limit(NamedTuple):
    """At most `most` calls in any `span` seconds, `burst` of them at once: the rest is spread over that time."""

    most: int
    span: float
    burst: int


GROUP = Limit(20, 61.0, 16)
PRIVATE = Limit(30, 30.5, 20)
ALL = Limit(28, 1.1, 28)
"""The spans are a little longer than Telegram's, for what is delayed on the way."""
RESERVE = 6
"""Calls left in a group below which pictures are spared, so that every press can still be answered by new buttons."""
KEPT = 1000
"""Chats remembered before those are forgotten that have their whole budget again."""


class _Calls:
    """The latest calls of one chat, or of all."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._times: deque[float] = deque()
        self.held = 0.0
        """Nothing before this time, whatever is left."""

    def left(self, now: float) -> int:
        """What may be called now; below 0: more was called than that."""
        while self._times and self._times[0] <= now - self._limit.span:
            self._times.popleft()
        return self._limit.most - len(self._times)

    def wait(self, now: float) -> float:
        """Seconds until there is one."""
        return max(0.0, self.held - now, self._due(now) - now)

    def take(self, now: float) -> None:
        self._times.append(now)

    def idle(self, now: float) -> bool:
        return self.left(now) == self._limit.most and self.held <= now

    def _due(self, now: float) -> float:
        """When the next call may be made."""
        most, span, burst = self._limit
        left = self.left(now)
        if left > most - burst:
            return now
        if left <= 0:
            return self._times[-most] + span
        return self._times[-1] + (self._times[0] + span - now) / left


class Budget:
    """The budgets of all chats; `clock` in seconds."""

    def __init__(self, clock: Clock, sleep: Sleep = asyncio.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._chats: dict[str, _Calls] = {}
        self._all = _Calls(ALL)

    async def take(self, chat: str) -> bool:
        """Waits for a call and takes it; returns whether the chat has plenty left."""
        while (wait := max(self._calls(chat).wait(self._clock()), self._all.wait(self._clock()))) > 0:
            await self._sleep(wait)
        now, calls = self._clock(), self._calls(chat)
        calls.take(now)
        self._all.take(now)
        return not is_group(chat) or calls.left(now) >= RESERVE

    def hold(self, chat: str, seconds: float) -> None:
        """Telegram wants nothing more in this chat for so long."""
        self._calls(chat).held = self._clock() + seconds

    def _calls(self, chat: str) -> _Calls:
        if chat not in self._chats:
            self._forget()
            self._chats[chat] = _Calls(GROUP if is_group(chat) else PRIVATE)
        return self._chats[chat]

    def _forget(self) -> None:
        if len(self._chats) >= KEPT:
            now = self._clock()
            self._chats = {chat: calls for chat, calls in self._chats.items() if not calls.idle(now)}


def is_group(chat: str) -> bool:
    """Telegram numbers groups below 0 and private chats by their person."""
    return chat.startswith("-")
