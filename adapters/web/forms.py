"""What is sent by a form, and who sends it."""

from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

from adapters.web.cookies import account, hashed, next_key
from adapters.web.site import SITE
from bot.service.table import Seat
from render.words import clean_name

PLATFORM = "web"


@dataclass(frozen=True, slots=True)
class Sender:
    """A browser that is about to sit down: its player's account, and the secret of its next seat."""

    account: str
    key: str


async def fields(request: web.Request) -> Mapping[str, str]:
    """The text fields of a form, the first of each name."""
    if request.content_type.startswith("multipart/"):  # no page of ours sends any: its parser has no place here
        raise web.HTTPUnsupportedMediaType
    try:
        sent = await request.post()
    except (LookupError, ValueError) as error:
        raise web.HTTPBadRequest from error
    return {name: value for name, value in reversed(list(sent.items())) if isinstance(value, str)}


def sender(request: web.Request) -> Sender | None:
    """Who sends a form; None if his browser keeps no cookies."""
    known, key = account(request), next_key(request)
    return Sender(known, key) if known and key else None


async def seat_for(request: web.Request, sender: Sender, name: str) -> Seat:
    """A new seat of the sender, under the name that he gives."""
    shown = clean_name(name)
    player = await request.app[SITE].store.player(PLATFORM, sender.account, shown)
    return Seat(player, shown, secret=hashed(sender.key))
