"""Who somebody in a chat is to the service, and which of his matches he means."""

from adapters.chat.people import Person, Place
from bot.engine.errors import Ambiguous, Illegal
from bot.engine.match import Phase
from bot.service.ports import Store
from bot.service.table import Seat, Shown, Table, Who
from render.words import clean_name

KNOWN = 10_000
"""People whose numbers are remembered."""


class Sitting:
    """Players and their matches, as seen from the chats."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[Person, Seat] = {}

    async def seat(self, person: Person) -> Seat:
        """A seat for somebody, under the name that he shows."""
        if person not in self._known:
            if len(self._known) >= KNOWN:
                self._known.clear()
            name = clean_name(person.name)
            self._known[person] = Seat(await self._store.player(person.platform, person.id, name), name)
        return self._known[person]

    async def player(self, person: Person) -> int:
        """The number of the player."""
        return (await self.seat(person)).player or 0

    async def who(self, person: Person) -> Who:
        """Somebody as he acts at a table."""
        return Who(await self.player(person))

    async def matches(self, player: int) -> list[Table]:
        """The unfinished matches of a player, those that wait for him first."""
        tables = [table for table in await self._store.matches_of(player) if table.match.phase is not Phase.OVER]
        return sorted(tables, key=lambda table: not waits_for(table, player))

    async def meant(self, player: int, place: Place, message: str = "", *, surely: bool = False) -> Table:
        """The match that a player means by a command: the one of the message he replies to, else the one shown here
        (those that wait for him first, then the newest message), else the only one he has.

        Raises `Illegal` if there is none, `Ambiguous` if more than one could be meant and it has to be known `surely`.
        """
        tables = {table.id: table for table in await self.matches(player)}
        screens = await self._store.screens_in(place.platform, place.chat)
        shown = [tables[screen.watched] for screen in screens if _here(screen, place) and screen.watched in tables]
        replied = [screen.watched for screen in screens if message and screen.message == message]
        if replied and replied[0] in tables:
            return tables[replied[0]]
        found = shown or list(tables.values())
        waiting = [table for table in found if waits_for(table, player)]
        if not found:
            raise Illegal("no_match_here")
        if surely and len(waiting or found) > 1:
            raise Ambiguous("which_match")
        return (waiting or found)[0]


def waits_for(table: Table, player: int) -> bool:
    """Whether a match waits for a player."""
    return table.seat_of(Who(player)) in table.awaited


def screen_at(place: Place, watched: str, player: int, language: str, message: str = "") -> Shown:
    """A screen for a match or challenge at a place: in a private chat it is the player's own."""
    return Shown(
        watched,
        place.platform,
        place.chat,
        place.thread,
        message,
        player=player if place.private else None,
        shared=not place.private,
        by_press=place.by_press,
        language=language,
    )


def _here(screen: Shown, place: Place) -> bool:
    return screen.thread == place.thread
