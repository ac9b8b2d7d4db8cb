"""What a pressed button does: on a table, on a challenge, or in place of a command."""

from dataclasses import dataclass

from adapters.chat.people import Person, Place
from adapters.chat.ports import House, Platform, Via
from adapters.chat.replies import Done, Opened, Reply, Said
from adapters.chat.showing import Peek
from adapters.chat.sitting import Sitting, screen_at
from adapters.chat.stage import Stage
from bot.engine.errors import Illegal, NotYours, Stale
from bot.service.actions import Action, Ask, Asking, Verb
from bot.service.lobby import changed
from bot.service.table import Shown, Table, Who
from render.buttons import FIRST, buttons
from render.message import Message
from render.sentences import Teller
from render.words import Words

MAIN = "main"
"""The panel that a live message shows by itself."""


@dataclass(frozen=True, slots=True)
class Press:
    """One press: who, where, on which message; `live`: it is one that the stage keeps up to date, through `via`."""

    person: Person
    place: Place
    message: str
    words: Words
    via: Via | None = None
    live: bool = True


class Presses:
    """Carries presses out."""

    def __init__(self, stage: Stage, platform: Platform, sitting: Sitting, house: House) -> None:
        self._stage = stage
        self._platform = platform
        self._sitting = sitting
        self._matches = house.matches
        self._lobby = house.lobby

    # Tables.

    async def at_table(self, press: Press, action: Action) -> Reply:
        """Does what a button of a table asks; raises `Refusal`."""
        who = await self._sitting.who(press.person)
        match action.verb:
            case Verb.SHOW:
                return await self._opened(press, action.match, who)
            case Verb.WORDS:
                return await self._in_words(press, action.match, who)
            case Verb.PANEL if self._platform.whispers and action.panel != MAIN and press.live:
                return await self._whispered(press, action, who)
            case _ if press.live:
                return await self._on_live(press, action, who)
            case _:
                return Done(self._told(await self._do(action, who), who, press.words))

    async def _on_live(self, press: Press, action: Action, who: Who) -> Reply:
        """A press on a live message, which shows what came of it; a stale one too."""
        pressed = screen_at(press.place, action.match, who.player, press.words.language, press.message)
        async with self._stage.pressing(pressed) as screen:
            via = press.via if screen.message == press.message else None
            try:
                peek = await self._peek(action, who)
                table = await self._matches.look(action.match) if peek else await self._do(action, who)
            except Stale:
                await self._shown(press, screen, via, forced=True)
                raise
            await self._shown(press, screen, via, peek, table=table)
        return Done("" if peek and peek.panel else self._told(table, who, press.words))

    async def _shown(
        self,
        press: Press,
        screen: Shown,
        via: Via | None,
        peek: Peek | None = None,
        *,
        table: Table | None = None,
        forced: bool = False,
    ) -> None:
        """The live message is shown anew; a press on another one is only answered."""
        self._stage.show(screen, via, peek, table=table, forced=forced)
        if via is None and press.via is not None:
            await press.via.acknowledge()

    async def _do(self, action: Action, who: Who) -> Table:
        return await self._matches.press(who, action)

    async def _peek(self, action: Action, who: Who) -> Peek | None:
        """Other buttons or a hint, where a press asks for no more than that."""
        if action.verb is Verb.HINT:
            return Peek(action.revision, hint=await self._matches.hint(who, action))
        if action.verb is not Verb.PANEL:
            return None
        table = await self._mine(action.match, who)
        if table.revision != action.revision:
            raise Stale("board_moved_on")
        if action.panel == MAIN:
            return Peek(action.revision)
        seat = table.seat_of(who)
        if action.panel.startswith("f") and table.match.game.on_roll != seat:
            raise NotYours("not_your_turn")
        if action.panel == "concede" and seat is not None and not table.match.may_concede(seat):
            raise Illegal("declined_this_turn")
        return Peek(action.revision, action.panel, seat)

    async def _whispered(self, press: Press, action: Action, who: Who) -> Reply:
        """The buttons of a panel for whoever asked alone."""
        table = await self._mine(action.match, who)
        if table.revision != action.revision:
            return await self._on_live(press, action, who)  # where it is refused as stale, and shown anew
        offered = buttons(table, table.seat_of(who), press.words, action.panel)
        kept = tuple(button for button in offered if button.place != FIRST)
        return Said(Message(lines=(press.words.say("Are you sure?"),), buttons=kept))

    async def _opened(self, press: Press, match: str, who: Who) -> Opened:
        await self._mine(match, who)
        return Opened(screen_at(press.place, match, who.player, press.words.language))

    async def _in_words(self, press: Press, match: str, who: Who) -> Said:
        table = await self._matches.look(match)
        seat = table.seat_of(who) if press.place.private else None
        return Said(Message(lines=(Teller(table, seat, press.words).position(),)))

    async def _mine(self, match: str, who: Who) -> Table:
        table = await self._matches.look(match)
        if table.seat_of(who) is None:
            raise NotYours("not_your_match")
        return table

    def _told(self, table: Table, who: Who, words: Words) -> str:
        return Teller(table, table.seat_of(who), words).to_do()

    # Challenges.

    async def on_challenge(self, press: Press, asking: Asking) -> Reply:
        """Does what a button of a challenge asks; raises `Refusal`."""
        seat = await self._sitting.seat(press.person)
        pressed = screen_at(press.place, asking.challenge, seat.player or 0, press.words.language, press.message)
        async with self._stage.pressing(pressed) as screen:
            via = press.via if screen.message == press.message else None
            try:
                peek = await self._asked(press, asking, screen)
            except Stale:
                await self._shown(press, screen, via, forced=True)
                raise
            await self._shown(press, screen, via, peek)
        return Done()

    async def _asked(self, press: Press, asking: Asking, screen: Shown) -> Peek | None:
        seat, username = await self._sitting.seat(press.person), press.person.username
        who = Who(seat.player or 0)
        match asking.ask:
            case Ask.ACCEPT:
                await self._lobby.accept(asking.challenge, seat, revision=asking.revision, username=username)
                await self._stage.belongs_to(screen, who.player)
            case Ask.DECLINE:
                await self._lobby.decline(asking.challenge, who, username=username)
            case Ask.WITHDRAW:
                await self._lobby.withdraw(asking.challenge, who)
            case Ask.START:
                await self._lobby.start(asking.challenge, asking.revision, who, asking.value)
            case Ask.CHANGE | Ask.PANEL:
                return await self._changing(asking, who)
        return None

    async def _changing(self, asking: Asking, who: Who) -> Peek:
        """Changes the terms, or shows the buttons for that: which stay, for the next change."""
        challenge = await self._lobby.owned(asking.challenge, who)
        if challenge.revision != asking.revision:
            raise Stale("challenge_changed")
        if asking.ask is Ask.PANEL:
            return Peek(challenge.revision, "" if asking.value == MAIN else asking.value)
        terms = changed(challenge.terms, asking.value)
        challenge = await self._lobby.change(asking.challenge, asking.revision, who, terms)
        return Peek(challenge.revision, "length" if asking.value.startswith("length.") else "rules")
