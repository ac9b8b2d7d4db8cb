"""What is sent by a form, what it asks for, and who sends it."""

from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

from adapters.web.cookies import account, hashed, next_key
from adapters.web.site import SITE
from bot import variants
from bot.engine.errors import Unreadable
from bot.engine.match import LENGTHS, Shape
from bot.engine.variant import Value
from bot.service.table import Seat, Terms
from render.terms import FIRST_CHOSEN
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


def read_terms(form: Mapping[str, str]) -> Terms:
    """The terms that a form asks for; raises `Unreadable` for what cannot be."""
    game = form.get("game", "tavla")
    variant = variants.games().get(game)
    if variant is None:
        raise Unreadable("unknown_game", game=game[:20], possible=tuple(variants.games()))
    rules = {
        rule: _chosen(rule, form[f"{game}.{rule}"], values)
        for rule, values in variant.options.items()
        if f"{game}.{rule}" in form
    }
    changed = {rule: value for rule, value in rules.items() if value != variant.options[rule][0]}
    return Terms(game, changed, Shape(target=_length(form)))


def _length(form: Mapping[str, str]) -> int:
    text = form.get("length", str(FIRST_CHOSEN))
    text = (form.get("other_length", "") if text == "other" else text).strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 4):
        raise Unreadable("bad_length", length=text[:20] or "–", least=LENGTHS.start, most=LENGTHS.stop - 1)
    return int(text)


def _chosen(rule: str, text: str, values: tuple[Value, ...]) -> Value:
    for value in values:
        if str(value) == text:
            return value
    raise Unreadable("unknown_value", rule=rule, value=text[:20], possible=values)
