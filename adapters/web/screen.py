"""A table on one open page: what the page shows, and what is pressed there."""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from adapters.web.bucket import Bucket
from adapters.web.live import send
from adapters.web.site import Site
from adapters.web.spots import spots
from bot.engine.errors import NotYours, Refusal, Stale, Unreadable
from bot.service import actions
from bot.service.actions import Action, Verb
from bot.service.ports import Ranked
from bot.service.table import Table, Who
from render.view import Look, View, view
from render.words import Words

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at a table: at a seat that is his, or as a stranger (`seat` and `who` are None)."""

    words: Words
    seat: int | None = None
    who: Who | None = None


async def seen(site: Site, table: Table, viewer: Viewer, panel: str = "", hint: Sequence[Ranked] = ()) -> View:
    """The table as the viewer sees it, with his tally against the computer."""
    tally = None
    if viewer.who and table.computer is not None:
        tally = await site.store.tally(viewer.who.player, table.match.game.variant.id)
    seed = await site.matches.revealed(table)
    return view(table, viewer.seat, viewer.words, Look(panel=panel, hint=hint, tally=tally, seed=seed))


class TableScreen:
    """Shows a table to one socket and does what it asks. Panel and hint last until the board moves on."""

    def __init__(self, site: Site, socket: web.WebSocketResponse, match: str, viewer: Viewer) -> None:
        self._site = site
        self._socket = socket
        self._match = match
        self._viewer = viewer
        self._bucket = Bucket(site.now)
        self._one_at_a_time = asyncio.Lock()
        self._revision = 0
        self._panel = ""
        self._hint: Sequence[Ranked] = ()
        self._sent = ""

    async def show(self) -> None:
        """Sends the table as it is now, unless the page shows that already."""
        await self._show(again=False)

    async def hear(self, text: str) -> None:
        """Does what the page asks, shows what came of it, then answers: why it was refused, or nothing."""
        refusal = None
        if not self._bucket.take():  # and nothing is shown: who floods shall cost little
            await self._answer(self._viewer.words.refusal(Refusal("too_fast")))
            return
        try:
            await self._do(_read(text))
        except Refusal as refused:
            refusal = self._viewer.words.refusal(refused)
        except Exception:
            log.exception("a press on match %s failed", self._match)
            refusal = self._viewer.words.say("Something went wrong here. Please try again.")
        try:
            await self._show(again=True)
        finally:
            await self._answer(refusal)

    async def _answer(self, refusal: str | None) -> None:
        await send(self._socket, json.dumps({"answer": {"refusal": refusal}}))

    async def _do(self, asked: dict[str, str]) -> None:
        if "look" in asked:
            return
        if self._viewer.who is None:
            raise NotYours("not_your_match")
        if "type" in asked:
            await self._site.matches.type(self._viewer.who, self._match, asked["type"])
        else:
            await self._press(self._viewer.who, actions.decode(asked["press"]))

    async def _press(self, who: Who, action: Action) -> None:
        if action.match != self._match:
            raise Unreadable("bad_button")
        if action.verb is Verb.HINT:
            self._hint = await self._site.matches.hint(who, action)
            self._revision = action.revision
        elif action.verb is Verb.PANEL:
            await self._open(action)
        else:
            await self._site.matches.press(who, action)

    async def _open(self, action: Action) -> None:
        """Other buttons for this page alone."""
        if (await self._site.matches.look(self._match)).revision != action.revision:
            raise Stale("board_moved_on")
        self._panel = action.panel
        self._revision = action.revision

    async def _show(self, *, again: bool) -> None:
        async with self._one_at_a_time:
            table = await self._site.matches.look(self._match)
            if table.revision != self._revision:
                self._revision, self._panel, self._hint = table.revision, "", ()
            shown = await seen(self._site, table, self._viewer, self._panel, self._hint)
            message = json.dumps({"view": self._painted(shown)})
            if again or message != self._sent:
                self._sent = message
                await send(self._socket, message)

    def _painted(self, shown: View) -> dict[str, object]:
        """The view as the page's script paints it."""
        return {
            "revision": shown.revision,
            "title": shown.title,
            "lines": shown.lines,
            "small": shown.small,
            "alt": shown.alt,
            "picture": self._site.gallery.hang(self._match, shown.picture),
            "attention": shown.attention,
            "successor": shown.successor and way_on(self._match, shown.successor, self._viewer.seat),
            "buttons": [
                {name: getattr(button, name) for name in ("label", "action", "place", "kind", "start", "end")}
                for button in shown.buttons
            ],
            "spots": [
                {"point": spot.point, "label": spot.label, "box": spot.box}
                for spot in (spots(shown, self._viewer.words) if self._viewer.who else ())
            ],
        }


def way_on(match: str, successor: str, seat: int | None) -> str:
    """The address that leads to the rematch: through the old match for its players, whose seats go along."""
    return f"/t/{successor}/" if seat is None else f"/t/{match}/rematch?seat={seat}"


def _read(text: str) -> dict[str, str]:
    """What a page asks: one of "press", "type" and "look", with a text; raises `Unreadable` for anything else."""
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable("bad_button") from error
    if not (isinstance(asked, dict) and len(asked) == 1 and asked.keys() <= {"press", "type", "look"}):
        raise Unreadable("bad_button")
    if not all(isinstance(value, str) for value in asked.values()):
        raise Unreadable("bad_button")
    return asked
