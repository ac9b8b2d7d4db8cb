"""Telegram's Bot API over aiohttp, which discord.py brings along: over httpx, the library's own client, a press
took a quarter more of the processor's time (`tavla bench platforms`, 36 ms against 28 ms)."""

import asyncio
import time
from typing import Any

import aiohttp
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

READ, CONNECT, UPLOAD = 10.0, 5.0, 30.0
"""Seconds: until an answer begins, until there is a connection, for a whole request that is not a poll."""
_REFUSED = (401, 404)
_NOTHING = 200, b'{"ok": true, "result": []}'
_BREATH = 0.1


class Requests(BaseRequest):
    """Requests of one kind, over at most `connections`; more wait for a free one."""

    def __init__(self, connections: int) -> None:
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        return READ

    async def initialize(self) -> None:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self._connections)
            # A proxy of the environment counts, as it does for the library's own client.
            self._session = aiohttp.ClientSession(connector=connector, trust_env=True)

    async def shutdown(self) -> None:
        if self._session:
            session, self._session = self._session, None
            await session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = None,
        write_timeout: Any = None,
        connect_timeout: Any = None,
        pool_timeout: Any = None,
    ) -> tuple[int, bytes]:
        """Status and body. Raises `TimedOut` or `NetworkError`; neither tells the address, which holds the token."""
        if self._session is None:
            raise RuntimeError("not initialized")
        wait = read_timeout if isinstance(read_timeout, int | float) else READ
        timeout = aiohttp.ClientTimeout(total=max(UPLOAD, wait), sock_connect=CONNECT, sock_read=wait)
        try:
            async with self._session.request(method, url, data=_body(request_data), timeout=timeout) as answer:
                return answer.status, await answer.read()
        except TimeoutError:
            raise TimedOut from None
        except (aiohttp.ClientError, OSError) as error:
            raise NetworkError(type(error).__name__) from None


class Polls(Requests):
    """The connections of the polls alone, so that nothing else keeps them waiting.

    Notes when a poll was `finished` last, and that the token is `refused`. python-telegram-bot would end its polling
    for good then, tell nobody and log it at length: it hears that there is nothing new, until it is stopped.
    """

    def __init__(self) -> None:
        super().__init__(connections=2)
        self.finished = time.monotonic()
        self.refused = asyncio.Event()

    async def do_request(self, *arguments: Any, **named: Any) -> tuple[int, bytes]:
        """As any request."""
        if self.refused.is_set():
            await asyncio.sleep(_BREATH)
            return _NOTHING
        code, answer = await super().do_request(*arguments, **named)
        if code in _REFUSED:
            self.refused.set()
            return _NOTHING
        if code == 200:
            self.finished = time.monotonic()
        return code, answer


def _body(data: RequestData | None) -> aiohttp.FormData | dict[str, str] | None:
    """Parameters as a form, with files as a form of several parts."""
    if data is None:
        return None
    if not data.contains_files:
        return data.json_parameters
    form = aiohttp.FormData(data.json_parameters)
    for name, (file_name, content, kind) in (data.multipart_data or {}).items():
        form.add_field(name, content, filename=file_name, content_type=kind)
    return form
