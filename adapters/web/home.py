"""The home page: one press starts a match or a challenge; below it the matches in play."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiohttp import web

from adapters.web.cookies import account, admit, choose_language, give_seat, turn_keyring, words_of
from adapters.web.forms import PLATFORM, Sender, fields, read_terms, seat_for, sender
from adapters.web.once import Once
from adapters.web.site import SITE, page
from bot import variants
from bot.engine.errors import Refusal
from bot.engine.match import Phase
from bot.service.table import LEVELS, Table, Tally
from render import terms
from render.sentences import Teller
from render.words import Words

FRIEND = "friend"
FINISHED_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """A match in the list, as one of its seats sees it."""

    link: str
    title: str
    waiting: bool
    over: bool


class Home:
    """The pages that belong to no match."""

    def __init__(self) -> None:
        self._once = Once()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self.show),
            web.post("/start", self.start),
            web.post("/language", self.language),
        ]

    async def show(self, request: web.Request) -> web.Response:
        response = await _home(request, {})
        admit(request, response)
        return response

    async def start(self, request: web.Request) -> web.Response:
        """Starts what the form asks for; a refusal shows the form again."""
        form, who = await fields(request), sender(request)
        if who is None:
            return page(request, "message.html", 400, no_cookies=True)
        try:
            place = await self._once((who, *sorted(form.items())), lambda: _started(request, form, who))
        except Refusal as refusal:
            return await _home(request, form, refusal)
        response = web.Response(status=303, headers={"Location": place})
        give_seat(request, response, place[: place.rindex("/") + 1], 0, who.key)
        turn_keyring(request, response)
        return response

    async def language(self, request: web.Request) -> web.Response:
        """Changes the language and goes back to where that was asked."""
        form = await fields(request)
        back = form.get("back", "/")
        local = back.startswith("/") and back[1:2] not in ("/", "\\") and back.isprintable()
        response = web.Response(status=303, headers={"Location": back if local else "/"})
        choose_language(request, response, form.get("language", ""))
        return response


async def _started(request: web.Request, form: Mapping[str, str], who: Sender) -> str:
    """Sits down; returns the address of the table, or of the page that waits for a friend."""
    site = request.app[SITE]
    asked = read_terms(form)
    seat = await seat_for(request, who, form.get("name", ""))
    opponent = form.get("opponent", LEVELS[0])
    if opponent == FRIEND:
        challenge = await site.lobby.challenge(seat, asked, PLATFORM)
        return f"/c/{challenge.id}/waiting"
    table = await site.lobby.against_computer(seat, asked, opponent[:20], PLATFORM)
    return f"/t/{table.id}/?seat=0"


async def _home(request: web.Request, form: Mapping[str, str], refusal: Refusal | None = None) -> web.Response:
    """The home page, the form filled in as it was sent."""
    site, words, known = request.app[SITE], words_of(request), account(request)
    player = await site.store.player(PLATFORM, known) if known else None
    tables = await site.store.matches_of(player) if player is not None else ()
    return page(
        request,
        "home.html",
        400 if refusal else 200,
        refusal=refusal,
        form=form,
        name=form.get("name", await site.store.name(player) if player is not None else ""),
        opponents=[(level, words.say("Computer (%(level)s)", level=words.level(level))) for level in LEVELS],
        lengths=terms.OFFERED,
        length=form.get("length", str(terms.FIRST_CHOSEN)),
        games={game: words.game(game) for game in variants.games()},
        rules={game: terms.choices(game, words) for game in variants.games()},
        matches=_entries(tables, player, words),
        tallies=await _tallies(request, player),
    )


def _entries(tables: Sequence[Table], player: int | None, words: Words) -> list[Entry]:
    """Every seat of the player: those that wait for him first, then the unfinished ones, then some finished ones."""
    found = [
        _entry(table, number, words)
        for table in tables
        for number, seat in enumerate(table.seats)
        if seat.player is not None and seat.player == player
    ]
    going_on = sorted((entry for entry in found if not entry.over), key=lambda entry: not entry.waiting)
    return going_on + [entry for entry in found if entry.over][:FINISHED_SHOWN]


def _entry(table: Table, number: int, words: Words) -> Entry:
    over = table.match.phase is Phase.OVER
    # A rematch is entered through the match before it: there the browser certainly has its seat's secret.
    link = f"/t/{table.follows}/rematch?seat={number}" if table.follows else f"/t/{table.id}/?seat={number}"
    return Entry(link, Teller(table, number, words).title(), number in table.awaited and not over, over)


async def _tallies(request: web.Request, player: int | None) -> list[tuple[str, Tally]]:
    """The running tally against the computer, for each game that was played."""
    if player is None:
        return []
    store, words = request.app[SITE].store, words_of(request)
    found = [(words.game(game), await store.tally(player, game)) for game in variants.games()]
    return [(game, tally) for game, tally in found if tally != Tally()]
