"""What a live message shows: the table or the challenge as it is now, as whoever it is for sees it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.chat.ports import House, Platform
from bot.engine.errors import Unreadable
from bot.engine.match import Phase
from bot.service.actions import Action, Verb, encode
from bot.service.ports import Ranked
from bot.service.table import Challenge, Shown, Table, Who
from render.buttons import Button
from render.invitations import Viewer, invitation
from render.message import Message, table_message
from render.view import Look, view
from render.words import Words, words

CONTROLS = range(20, 25)
IN_WORDS = 25
"""The place of the button for those who cannot see the picture: below all others."""


@dataclass(frozen=True, slots=True)
class Peek:
    """Other buttons (those of `seat`) or a hint in a live message, until the next change. For a board at `revision`
    alone."""

    revision: int = 0
    panel: str = ""
    seat: int | None = None
    hint: Sequence[Ranked] = ()


@dataclass(frozen=True, slots=True)
class Showing:
    """A message with what it shows. `busy`: in the middle of a turn; `follow`: the match that goes on from here."""

    message: Message
    revision: int
    game: int = 0
    busy: bool = False
    follow: str | None = None


class Shows:
    """Composes the messages of one platform."""

    def __init__(self, platform: Platform, house: House) -> None:
        self._platform = platform
        self._store = house.store
        self._matches = house.matches
        self._lobby = house.lobby

    async def compose(self, screen: Shown, peek: Peek, known: Table | None = None) -> Showing:
        """What `screen` has to show now. `known`: the table, as far as a press has brought it."""
        try:
            if known is None or known.revision < screen.shown_revision:
                known = await self._matches.look(screen.watched)
            return await self._table(screen, peek, known)
        except Unreadable:
            return await self._challenge(screen, peek)

    async def following(self, screen: Shown, match: str) -> Shown | None:
        """The screen on which a match follows what `screen` shows; None where nobody of its players is."""
        table = await self._matches.look(match)
        player = screen.player
        if player is None and not table.follows:
            player = await self._left_behind(screen, table)
        if player is not None and table.seat_of(Who(player)) is None:
            return None
        fresh = Shown(match, screen.platform, screen.chat, screen.thread, player=player, shared=screen.shared)
        return replace(fresh, by_press=screen.by_press, language=screen.language, form=screen.form)

    async def called(self, screen: Shown, table: Table) -> str:
        """The platform's id of whoever is to be called to a table by `screen`; "" for nobody."""
        seat = _absent(table)
        player = None if seat is None else table.seats[seat].player
        if player is None or screen.player not in (None, player):
            return ""
        return (await self._store.accounts(player)).get(self._platform.name, "")

    async def _left_behind(self, screen: Shown, table: Table) -> int | None:
        """The challenger, if his challenge in a shared chat was taken up elsewhere: then only he is there."""
        others = await self._store.screens(screen.watched)
        if any(other.player is not None and other.player == table.seats[1].player for other in others):
            return table.seats[0].player
        return None if table.computer is None else table.seats[0].player

    async def _table(self, screen: Shown, peek: Peek, table: Table) -> Showing:
        told = words(screen.language)
        seat = None if screen.player is None else table.seat_of(Who(screen.player))
        tally = None
        if screen.player is not None and table.computer is not None:
            tally = await self._store.tally(screen.player, table.match.game.variant.id)
        fresh = peek if peek.revision == table.revision else Peek()
        seed = await self._matches.revealed(table)
        look = Look(
            panel=fresh.panel,
            shared=screen.shared,
            opened_by=fresh.seat,
            hint=fresh.hint,
            tally=tally,
            seed=seed,
        )
        message = self._completed(table_message(table, view(table, seat, told, look)), screen, table, told)
        busy = table.match.phase is Phase.PLAY and bool(table.match.game.so_far)
        return Showing(message, table.revision, table.match.game.number, busy, table.successor)

    def _completed(self, message: Message, screen: Shown, table: Table, told: Words) -> Message:
        """With the buttons that only some platforms or places need."""
        more = []
        if not self._platform.describes:
            more.append(_button(table, Verb.WORDS, told.say("In words"), IN_WORDS))
        free = sorted(set(CONTROLS) - {button.place for button in message.buttons})
        if screen.by_press and free:
            more.append(_button(table, Verb.PANEL, told.say("Show again"), free[0], "main"))
        return replace(message, buttons=(*message.buttons, *more))

    async def _challenge(self, screen: Shown, peek: Peek) -> Showing:
        challenge = await self._lobby.look(screen.watched)
        told = words(screen.language)
        opponent = f"@{challenge.named}" if challenge.named else ""
        if challenge.opponent is not None:
            opponent = await self._store.name(challenge.opponent) or told.say("Player")
        panel = peek.panel if peek.revision == challenge.revision else ""
        link = self._platform.link(challenge.id)
        viewer = _viewer(screen, challenge)
        message = invitation(challenge, told, viewer, opponent=opponent, link=link, panel=panel)
        return Showing(message, challenge.revision, follow=challenge.match)


def _viewer(screen: Shown, challenge: Challenge) -> Viewer:
    if screen.player is None:
        return "all"
    return "challenger" if screen.player == challenge.challenger.player else "guest"


def _absent(table: Table) -> int | None:
    """The seat whose turn it is; when both could go on, the one that has not just moved."""
    if len(table.awaited) == 1:
        return table.awaited[0]
    recent = table.match.game.recent
    return 1 - recent[-1].seat if recent else None


def _button(table: Table, verb: Verb, label: str, place: int, panel: str = "") -> Button:
    return Button(label, encode(Action(table.id, table.revision, verb, panel=panel)), place, "plain")
