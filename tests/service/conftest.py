"""A whole service in memory: real store, a thinker that plays the first legal play, a clock that the test turns."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest

from bot.engine.match import Phase, Shape
from bot.engine.plays import legal_plays
from bot.service.actions import Action, Verb
from bot.service.flow import COMPUTER, NOTICE, REMATCH
from bot.service.jobs import Jobs
from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.ports import Question, Ranked, Store, Thought
from bot.service.table import Job, Seat, Table, Terms, Who
from storage.sqlite import MEMORY, open_sqlite


class FirstPlay:
    """A computer that plays the first legal play; it can be told to fail."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.failing = False

    async def think(self, question: Question) -> Thought:
        self.asked.append(question)
        if self.failing:
            raise RuntimeError("this thinker fails")
        plays = legal_plays(question.variant, question.position, question.dice)
        ranked = tuple(Ranked(play, -number / 100, 0.5, 0.1, 0.0, 0.1, 0.0) for number, play in enumerate(plays))
        return Thought(ranked, plays[0])

    async def close(self) -> None:
        """Nothing to close."""


@dataclass
class Service:
    """What the tests talk to, and what was told to whoever listens."""

    store: Store
    thinker: FirstPlay
    time: float = 1000.0
    saved: list[Table] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    rung: list[Table] = field(default_factory=list)
    deaf: bool = False
    """Whether nobody hears when it is rung for him."""

    def __post_init__(self) -> None:
        self.matches = Matches(self.store, self.thinker, self.now, self.saved.append)
        self.lobby = Lobby(self.store, self.now, self.saved.append, self.changed.append)
        work = {COMPUTER: self.matches.computer, REMATCH: self.matches.rematch, NOTICE: self.notice}
        self.jobs = Jobs(self.store, self.now, work)

    def now(self) -> float:
        return self.time

    async def notice(self, job: Job) -> None:
        await self.matches.notice(job, self.ring)

    async def ring(self, table: Table) -> None:
        if self.deaf:
            raise RuntimeError("nobody hears")
        self.rung.append(table)

    async def waiting(self) -> Sequence[Job]:
        """The jobs that there are, due or not; looking does not lease them."""
        return await self.store.claim(self.time + 1000, 0, 99)

    async def person(self, name: str) -> Seat:
        """Somebody who can sit down."""
        return Seat(await self.store.player("test", name, name), name)

    async def two(self, length: int = 3) -> Table:
        """A table with Ayşe (who challenged) and Mehmet."""
        ayse, mehmet = await self.person("Ayşe"), await self.person("Mehmet")
        challenge = await self.lobby.challenge(ayse, Terms(shape=Shape(target=length)), "test")
        return await self.lobby.accept(challenge.id, mehmet)

    async def against_computer(self, length: int = 3, level: str = "hard") -> Table:
        terms = Terms(shape=Shape(target=length))
        return await self.lobby.against_computer(await self.person("Ayşe"), terms, level, "test")

    async def do(self, table: Table, verb: Verb, seat: int, *steps: tuple[int, int]) -> Table:
        """A press of whoever sits at `seat`, on the board as `table` shows it."""
        return await self.matches.press(who(table, seat), Action(table.id, table.revision, verb, steps))

    async def go_on(self, table: Table) -> Table:
        """The awaited person does the first thing that brings the match on."""
        seat = table.awaited[0]
        if table.seats[seat].computer:
            (job,) = await self.store.claim(self.time, 30, 1)
            await self.matches.computer(job)
            return await self.matches.look(table.id)
        match table.match.phase:
            case Phase.ROLL:
                return await self.do(table, Verb.ROLL, seat)
            case Phase.BETWEEN:
                return await self.do(table, Verb.NEXT_GAME, seat)
            case _:
                steps = table.match.game.turn().steps()
                verb = Verb.STEPS if steps else Verb.CONFIRM
                return await self.do(table, verb, seat, *((step.start, step.die) for step in steps[:1]))

    async def until_play(self, table: Table, seat: int) -> Table:
        """The table once `seat` has a whole roll to play."""
        while not (table.match.phase is Phase.PLAY and table.awaited == (seat,) and not table.match.game.so_far):
            table = await self.go_on(table)
        return table


def who(table: Table, seat: int) -> Who:
    player = table.seats[seat].player
    assert player is not None
    return Who(player, table.seats[seat].secret)


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    store = await open_sqlite(MEMORY, lambda: 1000.0)
    yield Service(store, FirstPlay())
    await store.close()
