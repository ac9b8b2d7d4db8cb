"""The local web table as one application; all that it needs is handed in."""

from aiohttp import web

from adapters.web import challenges, tables
from adapters.web.gate import add_headers, guard, tell_errors
from adapters.web.health import healthy
from adapters.web.home import Home
from adapters.web.live import close_all
from adapters.web.site import FOLDER, SITE, Site
from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.ports import Now, Store
from bot.service.screens import Screens
from render.pictures import Pictures

MOST_BYTES = 64 << 10
"""What the body of a request may hold."""


def make_app(
    *,
    matches: Matches,
    lobby: Lobby,
    screens: Screens,
    store: Store,
    pictures: Pictures,
    now: Now,
    host: str,
) -> web.Application:
    """The application, to be served by `serve`. `host`: the name it may be called by, besides addresses."""
    app = web.Application(middlewares=[guard, tell_errors], client_max_size=MOST_BYTES)
    app[SITE] = Site(matches, lobby, screens, store, pictures, now, host)
    app.on_response_prepare.append(add_headers)
    app.on_shutdown.append(close_all)
    app.add_routes([web.get("/healthz", healthy), *Home().routes(), *challenges.routes(), *tables.routes()])
    app.router.add_static("/static/", FOLDER / "static")
    return app
