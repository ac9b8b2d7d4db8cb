"""What every page needs: the service, and the templates filled with the reader's words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from aiohttp import web
from babel import Locale
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from adapters.web.cookies import words_of
from adapters.web.gallery import Gallery
from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.ports import Now, Store
from bot.service.screens import Screens
from render.pictures import Pictures
from render.words import languages

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Site:
    """All that is handed in, what was shown lately, and the sockets that are open."""

    matches: Matches
    lobby: Lobby
    screens: Screens
    store: Store
    pictures: Pictures
    now: Now
    host: str
    gallery: Gallery = field(default_factory=Gallery)
    sockets: set[web.WebSocketResponse] = field(default_factory=set)


SITE = web.AppKey("site", Site)


def page(request: web.Request, template: str, status: int = 200, **values: object) -> web.Response:
    """A page of the site; the template gets `say` and `count` of the reader's language."""
    words = words_of(request)
    text = _template(template).render(
        say=words.say,
        count=words.count,
        words=words,
        status=status,
        languages=_named_languages(),
        here=request.path_qs if request.method == "GET" else "/",
        **values,
    )
    return web.Response(text=text, status=status, content_type="text/html")


@cache
def _template(name: str) -> Template:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


@cache
def _named_languages() -> Mapping[str, str]:
    """The languages shipped, each by its own name."""
    return {code: (Locale.parse(code).language_name or code).capitalize() for code in languages()}
