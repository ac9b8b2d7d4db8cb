"""The computer behind the service's `Thinker` port: it thinks in processes of its own."""

import asyncio
import logging
import threading
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor

from bot.ai.levels import level
from bot.ai.thinking import think
from bot.ai.workers import stop, uninterrupted, workers
from bot.service.ports import Question, Thought

log = logging.getLogger(__name__)

LIMIT = 10.0
"""Seconds for one decision, the start of a worker included; a decision takes milliseconds."""
GRACE = 1.0
"""Seconds that a decision in hand may still take when the pool is closed."""


class Closed(Exception):
    """The pool takes no questions any more."""


class Pool:
    """Fulfils `Thinker`. Processes start with the first question, or earlier by `warm`; lost ones are replaced."""

    def __init__(self, count: int = 1, limit: float = LIMIT) -> None:
        """`count`: processes, and questions thought about at a time; `limit`: seconds for one of them."""
        self._count = count
        self._limit = limit
        self._turns = asyncio.Semaphore(count)
        self._lock = threading.Lock()  # starting and stopping take long: they happen in threads
        self._executor: ProcessPoolExecutor | None = None
        self._closed = False
        self._warming: asyncio.Future[object] | None = None

    def warm(self) -> None:
        """Starts the processes now, in the background; called from a running loop."""
        self._warming = asyncio.get_running_loop().run_in_executor(None, self._start)

    async def think(self, question: Question) -> Thought:
        """The decision. A question whose worker died is asked once more.

        Raises `Unreadable` for an unknown level, `TimeoutError` after `limit` seconds, `BrokenExecutor` if
        workers died twice, `Closed`.
        """
        level(question.level)  # asked here: a `Refusal` does not come back whole from another process
        async with self._turns:
            try:
                return await self._ask(question)
            except BrokenExecutor:
                log.warning("a worker died, its question is asked again")
                return await self._ask(question)

    async def close(self) -> None:
        """Ends the processes; returns within about `GRACE` seconds, when they are gone."""
        await asyncio.to_thread(self._close)

    async def _ask(self, question: Question) -> Thought:
        executor, answer = await asyncio.to_thread(self._submit, question)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(answer), self._limit)
        except (BrokenExecutor, TimeoutError):
            await asyncio.to_thread(self._retire, executor)
            raise

    def _start(self) -> None:
        with self._lock, uninterrupted():
            if not self._closed:
                self._started().submit(level, "hard")  # imports what a question needs

    def _started(self) -> ProcessPoolExecutor:
        """The executor; its processes start when something is submitted."""
        if self._executor is None:
            self._executor = workers(self._count)
        return self._executor

    def _submit(self, question: Question) -> tuple[ProcessPoolExecutor, Future[Thought]]:
        with self._lock, uninterrupted():
            if self._closed:
                raise Closed
            executor = self._started()
            try:
                return executor, executor.submit(think, question)
            except BrokenExecutor:
                self._executor = None
                raise

    def _retire(self, executor: ProcessPoolExecutor) -> None:
        """Ends the processes of `executor`; the next question finds new ones."""
        with self._lock:
            if self._executor is executor:
                self._executor = None
        stop(executor, 0)

    def _close(self) -> None:
        with self._lock:
            self._closed, executor, self._executor = True, self._executor, None
        if executor is not None:
            stop(executor, GRACE)
