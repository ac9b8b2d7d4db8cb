"""How much may be sent: one budget a chat and one over all, so that no chat ever waits for another.

Telegram publishes no exact limits: groups take about 20 calls a minute (edits counted), private chats about one a
second, all chats together about 30 a second (its FAQ, "My bot is hitting limits").
"""

import asyncio
from collections.abc import Awaitable, Callable

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]

GROUP_BURST, GROUP_A_SECOND = 20.0, 20.0 / 60
PRIVATE_BURST, PRIVATE_A_SECOND = 20.0, 1.0
ALL_BURST, ALL_A_SECOND = 30.0, 30.0
RESERVE = 6.0
"""Calls left in a group below which pictures are spared, so that every press can still be answered by new buttons."""
KEPT = 1000
"""Chats remembered before those are forgotten that have their whole budget again."""


class _Bucket:
    """Calls that may be made now; time brings them back."""

    def __init__(self, burst: float, a_second: float, now: float) -> None:
        self._burst = burst
        self._a_second = a_second
        self._left = burst
        self._filled = now
        self.held = 0.0
        """Nothing before this time, whatever is left."""

    def left(self, now: float) -> float:
        """What may be called now; below 0: more was called than that."""
        self._left = min(self._burst, self._left + max(0.0, now - self._filled) * self._a_second)
        self._filled = now
        return self._left

    def wait(self, now: float) -> float:
        """Seconds until there is one."""
        return max(0.0, self.held - now, (1 - self.left(now)) / self._a_second)

    def take(self) -> None:
        self._left -= 1

    def full(self, now: float) -> bool:
        return self.left(now) >= self._burst and self.held <= now


class Budget:
    """The budgets of all chats; `clock` in seconds."""

    def __init__(self, clock: Clock, sleep: Sleep = asyncio.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._chats: dict[str, _Bucket] = {}
        self._all = _Bucket(ALL_BURST, ALL_A_SECOND, clock())

    async def take(self, chat: str) -> bool:
        """Waits for a call and takes it; returns whether the chat has plenty left."""
        while (wait := max(self._bucket(chat).wait(self._clock()), self._all.wait(self._clock()))) > 0:
            await self._sleep(wait)
        self.spend(chat)
        return not is_group(chat) or self._bucket(chat).left(self._clock()) >= RESERVE

    def spend(self, chat: str) -> None:
        """A call that does not wait, such as the answer to a command: later ones wait longer."""
        self._bucket(chat).take()
        self._all.take()

    def hold(self, chat: str, seconds: float) -> None:
        """Telegram wants nothing more in this chat for so long."""
        self._bucket(chat).held = self._clock() + seconds

    def _bucket(self, chat: str) -> _Bucket:
        if chat not in self._chats:
            self._forget()
            rates = (GROUP_BURST, GROUP_A_SECOND) if is_group(chat) else (PRIVATE_BURST, PRIVATE_A_SECOND)
            self._chats[chat] = _Bucket(*rates, self._clock())
        return self._chats[chat]

    def _forget(self) -> None:
        if len(self._chats) >= KEPT:
            now = self._clock()
            self._chats = {chat: bucket for chat, bucket in self._chats.items() if not bucket.full(now)}


def is_group(chat: str) -> bool:
    """Telegram numbers groups below 0 and private chats by their person."""
    return chat.startswith("-")
