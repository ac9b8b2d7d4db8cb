"""Who is let in: requests for this host, and changes from its own pages only. What leaves has its safety headers."""

import ipaddress
import logging
import re
from collections.abc import Awaitable, Callable

from aiohttp import web

from adapters.web.site import SITE, page
from bot.engine.errors import Refusal

log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?")
_MET = "met"
_LONGEST_PATH = 200
"""Characters; the longest address of ours has about sixty."""
_COME_IN = """<!doctype html>
<title>tavla</title>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<meta http-equiv="refresh" content="0">
"""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Server": "tavla",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # "no-referrer" would make browsers send "Origin: null" with our own forms; nothing goes to others this way either.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """The safety headers of every answer; what says nothing else is not kept by the browser."""
    response.headers.update(_HEADERS)
    response.headers.setdefault("Cache-Control", "no-cache" if request.path.startswith("/static/") else "no-store")


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuses what is not for this host (DNS rebinding) or comes from a foreign page."""
    if len(request.path) > _LONGEST_PATH:
        return web.Response(status=414, text="There is no such address here.\n")
    host = request.headers.getall("Host", [])
    if len(host) != 1 or not known_host(host[0], request.app[SITE].host):
        return web.Response(status=421, text="This address is not served here.\n")
    changes = request.method not in ("GET", "HEAD") or "Upgrade" in request.headers
    if changes and request.headers.get("Origin") not in (f"http://{host[0]}", f"https://{host[0]}"):
        return web.Response(status=403, text="This has to come from a page of this address.\n")
    if _from_elsewhere(request):
        return _come_in(request)
    return await handler(request)


@web.middleware
async def tell_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Every error is a page in the reader's language."""
    try:
        return await handler(request)
    except Refusal as refusal:
        status = 404 if refusal.reason in ("unknown_match", "unknown_challenge") else 400
        return page(request, "message.html", status, refusal=refusal)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return page(request, "message.html", error.status)
    except Exception:
        log.exception("%s %s failed", request.method, request.path)
        return page(request, "message.html", 500)


def known_host(header: str, configured: str) -> bool:
    """Whether a Host header names this place: an IP address, localhost, or the host that is configured."""
    form = _HOST.fullmatch(header)
    if form is None:
        return False
    name = form[1].strip("[]").casefold()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in ("localhost", configured.casefold())
    return True


def _from_elsewhere(request: web.Request) -> bool:
    """Whether somebody follows a link from a foreign page: then the browser keeps its strict cookies back."""
    page_wanted = request.method == "GET" and request.headers.get("Sec-Fetch-Dest") == "document"
    return page_wanted and request.headers.get("Sec-Fetch-Site") == "cross-site" and _MET not in request.cookies


def _come_in(request: web.Request) -> web.Response:
    """Asks for the same page again from here, so that the cookies come along; a short-lived mark ends any circle."""
    response = web.Response(text=_COME_IN, content_type="text/html")
    response.set_cookie(_MET, "1", max_age=5, httponly=True, samesite="Lax", secure=request.secure)
    return response
