"""Work that rows stand for: claimed by lease, done, and claimed again by whoever comes if it was not."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping

from bot.service.ports import Now, Store
from bot.service.table import Job

log = logging.getLogger(__name__)

LEASE = 30.0
"""Seconds for which a claimed job belongs to its worker."""
POLL = 1.0
"""Seconds between looks at the store; a poke is only a hint."""
AT_ONCE = 8

Work = Callable[[Job], Awaitable[None]]


class Jobs:
    """Does the jobs of a store, each kind by its own work."""

    def __init__(self, store: Store, now: Now, work: Mapping[str, Work]) -> None:
        self._store = store
        self._now = now
        self._work = work
        self._poked = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()

    def poke(self) -> None:
        """There may be something to do now."""
        self._poked.set()

    async def run(self) -> None:
        """Works until it is cancelled; then the jobs in hand are dropped and their leases run out."""
        try:
            while True:
                await self._round()
                # Not wait_for: in Python 3.11 it swallows a cancellation that comes together with the event.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(POLL):
                        await self._poked.wait()
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def _round(self) -> None:
        self._poked.clear()
        free = AT_ONCE - len(self._running)
        try:
            jobs = await self._store.claim(self._now(), LEASE, free) if free else ()
        except Exception:
            log.exception("jobs could not be claimed")
            return
        for job in jobs:
            task = asyncio.create_task(self._do(job))
            self._running.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self.poke()

    async def _do(self, job: Job) -> None:
        try:
            await self._work[job.kind](job)
        except Exception:
            log.exception("job %s of match %s failed, try %d", job.kind, job.match, job.tries)
