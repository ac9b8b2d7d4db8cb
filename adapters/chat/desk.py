"""What comes of a command in a chat: the same on every platform. It asks the service and words the answer."""

import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

from adapters.chat import asked as reading
from adapters.chat.people import Asked, Person, Place
from adapters.chat.ports import House, Platform, Via
from adapters.chat.presses import Press, Presses
from adapters.chat.replies import Done, Opened, Reply, Said
from adapters.chat.showing import Peek
from adapters.chat.sitting import Sitting, screen_at, waits_for
from adapters.chat.stage import Stage
from bot.engine.errors import Illegal, Refusal, Stale, Unreadable
from bot.engine.notation import write
from bot.service.actions import Action, Asking, Run, Verb, decode_any
from bot.service.fairness import ID_LENGTH
from bot.service.table import Delivery, Who
from render import guide
from render.message import Message
from render.sentences import Teller
from render.words import Words, preferred, words

log = logging.getLogger(__name__)

MOST_COMPLETIONS = 25
LONGEST_COMPLETION = 100
_CODE = re.compile(rf"[a-z0-9]{{{ID_LENGTH}}}")
_WORDS_OF = "w"
"""Before a match's id in the address that leads to its position in words."""

_Answer = Callable[[Asked, Words], Awaitable[Reply]]


class Desk:
    """Takes the commands and presses of one platform."""

    def __init__(self, stage: Stage, platform: Platform, house: House) -> None:
        self._stage = stage
        self._platform = platform
        self._store = house.store
        self._matches = house.matches
        self._lobby = house.lobby
        self._sitting = Sitting(house.store)
        self._presses = Presses(stage, platform, self._sitting, house)
        self._answers: Mapping[str, _Answer] = {
            "start": self._start,
            "challenge": self._challenge,
            "computer": self._computer,
            "games": self._games,
            "board": self._board,
            "move": self._move,
            "hint": self._hint,
            "rules": self._rules,
            "help": self._help,
            "text": self._text,
        }

    def words(self, person: Person) -> Words:
        """The words in which somebody is answered."""
        return words(preferred(person.language))

    async def command(self, asked: Asked) -> Reply:
        """Does what a command asks; raises `Refusal`. The same delivery again does nothing again."""
        answer = self._answers.get(asked.command)
        if answer is None:
            raise Unreadable("unknown_command")
        try:
            return await answer(asked, self.words(asked.person))
        except Stale as stale:
            if stale.reason != "already_done":
                raise
            return await self._once_more(asked)

    async def press(
        self,
        person: Person,
        place: Place,
        message: str,
        text: str,
        delivery: Delivery,
        via: Via | None = None,
        *,
        live: bool = True,
    ) -> Reply:
        """Does what the button with the data `text` on a message asks; raises `Refusal`.

        `live`: the message is one that the stage keeps. After `Done` and `Stale` the stage answers `via`; else it is
        for the caller.
        """
        press = Press(person, place, message, self.words(person), via if live else None, live)
        match decode_any(text):
            case Action() as action:
                return await self._presses.at_table(press, action)
            case Asking() as asking:
                return await self._presses.on_challenge(press, asking)
            case Run(command, value):
                options = {"level": value} if command == "computer" and value else {}
                return await self.command(Asked(command, person, place, delivery, options))

    async def plays(self, person: Person, place: Place, typed: str) -> Sequence[str]:
        """The legal plays that begin or go on as is typed, at most 25; none where nothing is to be played."""
        try:
            table = await self._sitting.meant(await self._sitting.player(person), place)
            if table.seat_of(await self._sitting.who(person)) not in table.awaited:
                return ()
            found = dict.fromkeys(write(play.steps) for play in table.match.game.turn().plays())
        except Refusal:
            return ()
        wanted = " ".join(typed.casefold().split())
        fitting = [play for play in found if wanted in play and 0 < len(play) <= LONGEST_COMPLETION]
        return fitting[:MOST_COMPLETIONS]

    # Coming in.

    async def _start(self, asked: Asked, told: Words) -> Reply:
        """Somebody opens the chat with the bot, perhaps through a link."""
        code = asked.options.get("code", "")
        if code.startswith(_WORDS_OF) and _CODE.fullmatch(code[1:]):
            return await self._in_words(asked, told, code[1:])
        if code:
            return await self._look_at(asked, told, code)
        return Said(guide.welcome(told, await self._sitting.matches(await self._sitting.player(asked.person))))

    async def _in_words(self, asked: Asked, told: Words, match: str) -> Reply:
        table = await self._matches.look(match)
        seat = table.seat_of(await self._sitting.who(asked.person))
        return Said(Message(lines=(Teller(table, seat, told).position(),)))

    async def _challenge(self, asked: Asked, told: Words) -> Reply:
        if code := asked.options.get("code", ""):
            return await self._look_at(asked, told, code)
        if asked.opponent and asked.opponent.bot:
            raise Illegal("bots_do_not_play")
        opponent = None if asked.opponent is None else await self._sitting.player(asked.opponent)
        seat = await self._sitting.seat(asked.person)
        challenge = await self._lobby.challenge(
            seat, reading.terms(asked), reading.scope(asked), opponent, named=asked.named, delivery=asked.delivery
        )
        screen = screen_at(asked.place, challenge.id, seat.player or 0, told.language)
        return Opened(screen, asked.opponent.id if asked.opponent and screen.shared else "")

    async def _look_at(self, asked: Asked, told: Words, code: str) -> Reply:
        """A challenge from elsewhere, or the match that it has become, in this chat."""
        player = await self._sitting.player(asked.person)
        challenge = await self._lobby.look(code.casefold()[:ID_LENGTH])
        watched = challenge.id
        if challenge.match:
            table = await self._matches.look(challenge.match)
            if table.seat_of(Who(player)) is None:
                raise Stale("challenge_gone")
            watched = table.id
        elif challenge.state != "open":
            raise Stale("challenge_gone")
        screen = screen_at(asked.place, watched, player, told.language)
        return Opened(screen if watched != challenge.id else reading.for_guest(screen, player))

    async def _computer(self, asked: Asked, told: Words) -> Reply:
        seat = await self._sitting.seat(asked.person)
        terms, scope, level = reading.terms(asked), reading.scope(asked), asked.options.get("level", "")
        if level:
            table = await self._lobby.against_computer(seat, terms, level, scope, asked.delivery)
            return Opened(reading.for_guest(screen_at(asked.place, table.id, 0, told.language), seat.player or 0))
        challenge = await self._lobby.challenge(seat, terms, scope, computer=True, delivery=asked.delivery)
        return Opened(screen_at(asked.place, challenge.id, seat.player or 0, told.language))

    async def _once_more(self, asked: Asked) -> Reply:
        """A command that came twice: what it brought is shown, unless it is here already."""
        watched = await self._store.delivered(asked.delivery)
        if watched is None:
            raise Stale("already_done")
        player = await self._sitting.player(asked.person)
        screen = screen_at(asked.place, watched, player, self.words(asked.person).language)
        return Done() if await self._stage.find(screen) else Opened(screen)

    # Matches.

    async def _games(self, asked: Asked, told: Words) -> Reply:
        player = await self._sitting.player(asked.person)
        return Said(guide.games(told, await self._sitting.matches(player), player))

    async def _board(self, asked: Asked, told: Words) -> Reply:
        player = await self._sitting.player(asked.person)
        table = await self._sitting.meant(player, asked.place, asked.message)
        screen = screen_at(asked.place, table.id, player, told.language)
        return Opened(screen if table.computer is None else reading.for_guest(screen, player))

    async def _move(self, asked: Asked, told: Words) -> Reply:
        who = await self._sitting.who(asked.person)
        table = await self._sitting.meant(who.player, asked.place, asked.message, surely=True)
        table = await self._matches.type(who, table.id, asked.options.get("play", ""), asked.delivery)
        return Done(Teller(table, table.seat_of(who), told).to_do())

    async def _hint(self, asked: Asked, told: Words) -> Reply:
        """The hint is drawn on the live message here, and said."""
        who = await self._sitting.who(asked.person)
        table = await self._sitting.meant(who.player, asked.place, asked.message)
        ranked = await self._matches.hint(who, Action(table.id, table.revision, Verb.HINT))
        screen = await self._stage.find(screen_at(asked.place, table.id, who.player, told.language))
        if screen:
            self._stage.show(screen, peek=Peek(table.revision, hint=ranked))
        return Said(Message(lines=tuple(Teller(table, table.seat_of(who), told).hint(ranked))))

    # Words.

    async def _rules(self, asked: Asked, told: Words) -> Reply:
        return Said(guide.rules(told, reading.game(asked)))

    async def _help(self, asked: Asked, told: Words) -> Reply:
        tables = await self._sitting.matches(player := await self._sitting.player(asked.person))
        return Said(guide.help_for(told, [table for table in tables if waits_for(table, player)]))

    async def _text(self, asked: Asked, told: Words) -> Reply:
        """What is no command: the code of a challenge, or a play."""
        text = asked.options.get("play", "").strip()
        if _CODE.fullmatch(text):
            return await self._look_at(asked, told, text)
        if asked.place.private and not any(letter.isdigit() for letter in text):
            return await self._help(asked, told)
        return await self._move(asked, told)
