"""Open sockets: each is a screen of the service, shown anew whenever what it watches has changed."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from aiohttp import WSCloseCode, WSMsgType, web

from adapters.web.site import SITE
from bot.service.screens import Show

MOST_BYTES = 1024
HEARTBEAT = 20.0
"""Seconds between pings: a browser that does not answer is gone."""

GOODBYE = 2.0
"""Seconds that a browser gets to answer a goodbye."""


async def opened(request: web.Request) -> web.WebSocketResponse:
    """The socket of a page, ready to talk."""
    socket = web.WebSocketResponse(timeout=GOODBYE, heartbeat=HEARTBEAT, max_msg_size=MOST_BYTES)
    await socket.prepare(request)
    return socket


@asynccontextmanager
async def showing(request: web.Request, socket: web.WebSocketResponse, watched: str, show: Show) -> AsyncIterator[None]:
    """Shows `watched` on the socket as long as the block runs."""
    site = request.app[SITE]
    site.sockets.add(socket)
    screen = site.screens.open(watched, show)
    try:
        yield
    finally:
        site.screens.close(watched, screen)
        site.sockets.discard(socket)


async def send(socket: web.WebSocketResponse, message: str) -> None:
    """Sends, unless the browser has just gone."""
    if not socket.closed:
        with suppress(ConnectionResetError):
            await socket.send_str(message)


async def heard(socket: web.WebSocketResponse) -> AsyncIterator[str]:
    """Every text that the browser sends, until it goes."""
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            yield message.data


async def follow(
    request: web.Request, watched: str, state: Callable[[], Awaitable[dict[str, object]]]
) -> web.WebSocketResponse:
    """A socket that only tells how something stands."""
    socket = await opened(request)

    async def show() -> None:
        await send(socket, json.dumps(await state()))

    async with showing(request, socket, watched, show):
        async for _ in heard(socket):
            pass
    return socket


async def close_all(app: web.Application) -> None:
    """Says goodbye to every page, so that the server can end; the pages look for it again."""
    sockets = list(app[SITE].sockets)
    await asyncio.gather(*(socket.close(code=WSCloseCode.GOING_AWAY) for socket in sockets), return_exceptions=True)
