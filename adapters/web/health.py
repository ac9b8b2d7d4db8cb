"""Whether this process is well: the store answers in time."""

import asyncio
import logging

from aiohttp import web

from adapters.web.site import SITE

log = logging.getLogger(__name__)

IN_TIME = 2.0


async def healthy(request: web.Request) -> web.Response:
    """Says "ok", or 503 if the store does not answer within two seconds."""
    try:
        async with asyncio.timeout(IN_TIME):
            await request.app[SITE].store.probe()
    except Exception:
        log.exception("the store does not answer")
        return web.Response(status=503, text="the store does not answer\n")
    return web.Response(text="ok\n")
