"""A challenge by link: the challenger's page waits, the friend's page asks, both go on to the table by themselves."""

from typing import Any

from aiohttp import web

from adapters.web.cookies import admit, give_seat, hashed, key_of, turn_keyring, words_of
from adapters.web.forms import fields, seat_for, sender
from adapters.web.live import follow
from adapters.web.site import SITE, page
from bot.engine.errors import Refusal
from bot.service.table import Challenge, Who
from render import terms

PATH = "/c/{challenge:[a-z0-9]{10}}"


def routes() -> list[web.RouteDef]:
    return [
        web.get(PATH, _with_slash),
        web.get(f"{PATH}/", invitation),
        web.get(f"{PATH}/waiting", waiting),
        web.get(f"{PATH}/table", table),
        web.get(f"{PATH}/live", live),
        web.post(f"{PATH}/accept", accept),
        web.post(f"{PATH}/decline", decline),
        web.post(f"{PATH}/withdraw", withdraw),
    ]


async def invitation(request: web.Request) -> web.Response:
    """What the friend sees who opens the link."""
    return await _asked(request, await _challenge(request))


async def waiting(request: web.Request) -> web.Response:
    """What the challenger sees: the link to send."""
    challenge = await _challenge(request)
    key = key_of(request, 0, challenge.challenger)
    if key is None:
        raise web.HTTPSeeOther(f"/c/{challenge.id}/")
    if challenge.state == "accepted":
        raise web.HTTPSeeOther(f"/c/{challenge.id}/table")
    link = f"{request.scheme}://{request.host}/c/{challenge.id}/"
    near = request.host.partition(":")[0] in ("127.0.0.1", "localhost")
    response = page(request, "waiting.html", link=link, near=near, **_told(request, challenge))
    give_seat(request, response, f"/c/{challenge.id}/", 0, key)
    return response


async def table(request: web.Request) -> web.Response:
    """The way to the table for whoever holds one of its seats; for others it is the way to watch."""
    challenge = await _challenge(request)
    if challenge.match is None:
        raise web.HTTPSeeOther(f"/c/{challenge.id}/")
    key = key_of(request, 0, challenge.challenger)
    if key is None:
        raise web.HTTPSeeOther(f"/t/{challenge.match}/")
    return _sit_down(request, challenge.match, 0, key)


async def live(request: web.Request) -> web.WebSocketResponse:
    """The socket of both pages: says how the challenge stands whenever that changes."""
    site, id = request.app[SITE], request.match_info["challenge"]
    await site.lobby.look(id)

    async def state() -> dict[str, object]:
        return {"state": (await site.lobby.look(id)).state}

    return await follow(request, id, state)


async def accept(request: web.Request) -> web.Response:
    """Sits down at the other seat; whoever comes second is told so."""
    form, who = await fields(request), sender(request)
    if who is None:
        return page(request, "message.html", 400, no_cookies=True)
    site, id = request.app[SITE], request.match_info["challenge"]
    seat = await seat_for(request, who, form.get("name", ""))
    try:
        match, key = (await site.lobby.accept(id, seat)).id, who.key
    except Refusal as refusal:
        challenge = await _challenge(request)
        match, key = challenge.match or "", await _key_of_guest(request, challenge)
        if not key:
            return await _asked(request, challenge, refusal)
    response = _sit_down(request, match, 1, key)
    turn_keyring(request, response)
    return response


async def decline(request: web.Request) -> web.Response:
    """Says no."""
    challenge, who = await _challenge(request), sender(request)
    if who is None:
        return page(request, "message.html", 400, no_cookies=True)
    seat = await seat_for(request, who, "")
    try:
        await request.app[SITE].lobby.decline(challenge.id, Who(seat.player or 0, seat.secret))
    except Refusal as refusal:
        return await _asked(request, await _challenge(request), refusal)
    raise web.HTTPSeeOther(f"/c/{challenge.id}/")


async def withdraw(request: web.Request) -> web.Response:
    """The challenger takes his challenge back."""
    challenge = await _challenge(request)
    key = key_of(request, 0, challenge.challenger)
    who = Who(challenge.challenger.player or 0, hashed(key) if key else "-")
    try:
        await request.app[SITE].lobby.withdraw(challenge.id, who)
    except Refusal as refusal:
        return await _asked(request, await _challenge(request), refusal)
    raise web.HTTPSeeOther(f"/c/{challenge.id}/waiting")


async def _with_slash(request: web.Request) -> web.Response:
    raise web.HTTPSeeOther(f"{request.path}/")


async def _challenge(request: web.Request) -> Challenge:
    return await request.app[SITE].lobby.look(request.match_info["challenge"])


async def _asked(request: web.Request, challenge: Challenge, refusal: Refusal | None = None) -> web.Response:
    """The friend's page as the challenge stands now."""
    mine = key_of(request, 0, challenge.challenger) is not None
    values = _told(request, challenge)
    response = page(request, "invitation.html", 409 if refusal else 200, refusal=refusal, mine=mine, **values)
    admit(request, response)
    return response


def _told(request: web.Request, challenge: Challenge) -> dict[str, Any]:
    words = words_of(request)
    return {
        "challenge": challenge,
        "challenger": words.seat(challenge.challenger),
        "game": words.game(challenge.terms.game),
        "rules": list(terms.told(challenge.terms, words)),
    }


async def _key_of_guest(request: web.Request, challenge: Challenge) -> str:
    """The key to the other seat, if this browser has accepted before and only the answer was lost; else ""."""
    if challenge.match is None:
        return ""
    table = await request.app[SITE].matches.look(challenge.match)
    return key_of(request, 1, table.seats[1]) or ""


def _sit_down(request: web.Request, match: str, number: int, key: str) -> web.Response:
    response = web.Response(status=303, headers={"Location": f"/t/{match}/?seat={number}"})
    give_seat(request, response, f"/t/{match}/", number, key)
    return response
