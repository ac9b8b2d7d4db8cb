"""What waits to be fetched by the bot, and the one poll that may wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.servers.telegram_rules import Refused
from tests.servers.telegram_spec import Json

# Telegram sends these only to bots that name them.
_ASKED_FOR = {"chat_member", "message_reaction", "message_reaction_count"}


class Updates:
    """The queue behind getUpdates.

    An update stays until a later offset confirms it, so a bot that dies before that is told again.
    """

    def __init__(self) -> None:
        self.sent: dict[int, Json] = {}
        self.polls = 0
        self.conflicts = 0
        self._allowed: set[str] | None = None
        self._pending: dict[int, Json] = {}
        self._held: dict[int, Json] | None = None
        self._again: list[Json] = []
        self._next = 700_000_001
        self._wake: asyncio.Future[Refused | None] | None = None
        # Whether the bot of the waiting poll has hung up: a dead poll is no conflict.
        self._gone: Callable[[], bool] = bool

    @property
    def polling(self) -> bool:
        """Whether a poll is waiting now."""
        return self._wake is not None

    @property
    def pending(self) -> int:
        """How many updates are not confirmed."""
        return len(self._pending) + len(self._held or ())

    def emit(self, kind: str, payload: Json) -> int:
        """Queues an update; returns its id, 0 when the bot does not want this kind."""
        if kind in _ASKED_FOR if self._allowed is None else kind not in self._allowed:
            return 0
        number, self._next = self._next, self._next + 1
        update = {"update_id": number, kind: payload}
        self.sent[number] = update
        (self._pending if self._held is None else self._held)[number] = update
        self._awake(None)
        return number

    def resend(self, number: int) -> None:
        """Delivers an update once more, confirmed or not."""
        self._again.append(self.sent[number])
        self._awake(None)

    def hold(self) -> None:
        """Collects what comes from now on."""
        self._held = {} if self._held is None else self._held

    def release(self) -> None:
        """Hands over what was collected."""
        self._pending.update(self._held or {})
        self._held = None
        self._awake(None)

    def forget(self) -> None:
        """Drops all that waits, as bots may ask for."""
        self._pending.clear()

    def end(self, reason: Refused) -> None:
        """Ends a waiting poll with a refusal."""
        self._awake(reason)

    async def fetch(self, parameters: Json, gone: Callable[[], bool]) -> list[Json]:
        """One getUpdates. `gone` tells whether its bot has hung up.

        Raises Refused (409) when another poll comes while this one waits.
        """
        self.polls += 1
        self._set(parameters)
        self._evict()
        loop = asyncio.get_running_loop()
        until = loop.time() + min(parameters.get("timeout", 0), 50)
        limit = min(max(parameters.get("limit", 100), 1), 100)
        while not (batch := self._batch(limit)) and (left := until - loop.time()) > 0 and not gone():
            wake = self._wake = loop.create_future()
            self._gone = gone
            try:
                refusal = await asyncio.wait_for(wake, left)
            except TimeoutError:
                continue
            finally:
                if self._wake is wake:
                    self._wake = None
            if refusal is not None:
                raise refusal
        return batch

    def _set(self, parameters: Json) -> None:
        if "allowed_updates" in parameters:
            self._allowed = set(parameters["allowed_updates"]) or None
        offset = parameters.get("offset", 0)
        if offset < 0:
            offset = [0, *self._pending][max(offset, -len(self._pending))] if self._pending else 0
        for number in [number for number in self._pending if number < offset]:
            del self._pending[number]

    def _batch(self, limit: int) -> list[Json]:
        again, self._again = self._again, []
        return (again + list(self._pending.values())[: limit - len(again)])[:limit]

    def _evict(self) -> None:
        if self._wake is None:
            return
        if not self._gone():
            self.conflicts += 1
        reason = "terminated by other getUpdates request; make sure that only one bot instance is running"
        self._awake(Refused(409, f"Conflict: {reason}"))

    def _awake(self, reason: Refused | None) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(reason)
