"""The page of a table, its pictures, its socket, and the way on to the rematch."""

from aiohttp import web

from adapters.web.cookies import give_seat, key_of, words_of
from adapters.web.live import heard, opened, showing
from adapters.web.screen import TableScreen, Viewer, seen, way_on
from adapters.web.site import SITE, page
from bot.service.table import Table, Who

PATH = "/t/{match:[a-z0-9]{10}}"
FOR_EVER = "private, max-age=31536000, immutable"


def routes() -> list[web.RouteDef]:
    return [
        web.get(PATH, _with_slash),
        web.get(f"{PATH}/", table),
        web.get(f"{PATH}/board/{{key:[0-9a-f]{{1,64}}}}.png", picture),
        web.get(f"{PATH}/rematch", rematch),
        web.get(f"{PATH}/live", live),
    ]


async def table(request: web.Request) -> web.Response:
    """The table as it is now; the socket keeps it up to date."""
    site, found = request.app[SITE], await _table(request)
    number, key = _seat(request, found)
    viewer = _viewer(request, found)
    shown = await seen(site, found, viewer)
    response = page(
        request,
        "table.html",
        view=shown,
        seat=viewer.seat,
        picture=site.gallery.hang(found.id, shown.picture),
        successor=shown.successor and way_on(found.id, shown.successor, viewer.seat),
        mine=[] if viewer.who else _held(request, found),
        steps=range(20),
        controls=range(20, 25),
    )
    if number is not None and key:
        give_seat(request, response, f"/t/{found.id}/", number, key)
    return response


async def picture(request: web.Request) -> web.Response:
    """A board that was shown lately; its address changes with what it shows, so it may be kept for ever."""
    site = request.app[SITE]
    shown = site.gallery.find(request.match_info["match"], request.match_info["key"])
    if shown is None:
        raise web.HTTPNotFound
    drawn = await site.pictures.png(shown)
    return web.Response(body=drawn, content_type="image/png", headers={"Cache-Control": FOR_EVER})


async def rematch(request: web.Request) -> web.Response:
    """Leads on to the rematch; a player's seat goes along."""
    found = await _table(request)
    number, key = _seat(request, found)
    match = found.successor or found.id
    response = web.Response(status=303)
    response.headers["Location"] = f"/t/{match}/" if number is None else f"/t/{match}/?seat={number}"
    if number is not None and key:
        give_seat(request, response, f"/t/{match}/", number, key)
    return response


async def live(request: web.Request) -> web.WebSocketResponse:
    """The socket of a table's page."""
    found = await _table(request)
    viewer = _viewer(request, found)
    socket = await opened(request)
    screen = TableScreen(request.app[SITE], socket, found.id, viewer)
    async with showing(request, socket, found.id, screen.show):
        async for text in heard(socket):
            await screen.hear(text)
    return socket


async def _with_slash(request: web.Request) -> web.Response:
    raise web.HTTPSeeOther(f"{request.path}/")


async def _table(request: web.Request) -> Table:
    return await request.app[SITE].matches.look(request.match_info["match"])


def _seat(request: web.Request, table: Table) -> tuple[int | None, str | None]:
    """The seat that the address asks for, and the browser's key to it."""
    number = {"0": 0, "1": 1}.get(request.query.get("seat", ""))
    return number, None if number is None else key_of(request, number, table.seats[number])


def _viewer(request: web.Request, table: Table) -> Viewer:
    number, key = _seat(request, table)
    player = table.seats[number].player if number is not None and key else None
    if number is None or player is None:
        return Viewer(words_of(request))
    return Viewer(words_of(request), number, Who(player, table.seats[number].secret))


def _held(request: web.Request, table: Table) -> list[tuple[int, str]]:
    """The seats that this browser holds, with the names of who sits there."""
    names = words_of(request).names(table.seats)
    return [
        (number, names[number]) for number, seat in enumerate(table.seats) if key_of(request, number, seat) is not None
    ]
