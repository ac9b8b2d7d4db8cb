"""What the service needs of the outside: each the smallest thing that does, with a real fake in the tests."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from bot.engine.board import Position
from bot.engine.events import Event
from bot.engine.steps import Play
from bot.engine.variant import Variant
from bot.service.table import Challenge, Commit, Delivery, Job, Seating, Shown, Table, Tally

Now = Callable[[], float]
"""Seconds since the epoch."""


class Store(Protocol):
    """Keeps players, challenges, matches, jobs and screens. Every method is one transaction.

    What a method has returned from survives a crash of the machine. Unknown ids raise
    `Unreadable("unknown_match")` or `Unreadable("unknown_challenge")`.
    """

    async def player(self, platform: str, platform_id: str, name: str = "") -> int:
        """The player behind an account, made at the first call; a name that is given is kept."""
        ...

    async def name(self, player: int) -> str:
        """The name last given for a player, "" if none."""
        ...

    async def accounts(self, player: int) -> Mapping[str, str]:
        """Under which id each platform knows a player."""
        ...

    async def load(self, match: str) -> Table:
        """The table as saved last, its successor filled in."""
        ...

    async def seed(self, match: str) -> bytes:
        """The seed of a match's dice: for rolling, and for revealing at the end."""
        ...

    async def events(self, match: str) -> Sequence[tuple[int, float, Event]]:
        """All that happened, in order, each with the revision that saved it and the time."""
        ...

    async def save(self, commit: Commit) -> None:
        """Saves an action. Raises `Stale("board_moved_on")` if another came first, `Stale("already_done")` if
        its delivery was seen before; then nothing is changed."""
        ...

    async def seat(self, seating: Seating) -> None:
        """Creates a match, and takes up its challenge in the same transaction.

        Raises `Stale` as `put_challenge` does, or `Stale("already_done")` if the match that this one follows has
        its rematch already or the delivery was seen before.
        """
        ...

    async def put_challenge(self, challenge: Challenge, delivery: Delivery | None = None) -> None:
        """Stores a new challenge (revision 1), or a changed one over the revision before.

        Raises `Stale("challenge_gone")` if the stored one is not open any more, `Stale("challenge_changed")` if it
        is at another revision, `Stale("already_done")` if its delivery was seen before.
        """
        ...

    async def challenge(self, challenge: str) -> Challenge: ...

    async def expire(self, now: float) -> Sequence[str]:
        """Ends the open challenges whose time is over; returns their ids."""
        ...

    async def delivered(self, delivery: Delivery) -> str | None:
        """The match or challenge that an update was for, None if it has done nothing yet."""
        ...

    async def matches_of(self, player: int, limit: int = 50) -> Sequence[Table]:
        """The matches that a player sits in, unfinished ones first, then the newest."""
        ...

    async def tally(self, player: int, game: str) -> Tally:
        """Points won in finished games of `game` between a player and the computer, all levels."""
        ...

    async def claim(self, now: float, lease: float, limit: int) -> Sequence[Job]:
        """Takes up to `limit` due jobs whose lease is free, oldest first, leases them until `now + lease` and
        counts the try (the jobs returned have it counted)."""
        ...

    async def drop(self, job: Job) -> None:
        """Removes a job that has nothing to do any more, if it is still for the same revision."""
        ...

    async def put_screen(self, screen: Shown) -> Shown:
        """Stores a screen, new (its id is given) or changed. One that was removed meanwhile stays removed."""
        ...

    async def screens(self, watched: str) -> Sequence[Shown]:
        """The screens of a match or challenge, the oldest first."""
        ...

    async def screens_in(self, platform: str, chat: str, limit: int = 50) -> Sequence[Shown]:
        """The screens in a chat, the newest message first."""
        ...

    async def behind(self, platform: str, limit: int = 100) -> Sequence[Shown]:
        """Screens of a platform that show an older revision than there is, but for those that only a press changes."""
        ...

    async def remove_screen(self, screen: int) -> None: ...

    async def leave_chat(self, platform: str, chat: str, thread: str | None = None) -> None:
        """Removes every screen in a chat, or in one thread of it ("" is a thread too: all that is in none)."""
        ...

    async def move_chat(self, platform: str, old: str, new: str) -> None:
        """A chat has got another number: its screens go along, but for those of which there is one already."""
        ...

    async def note(self, name: str) -> str:
        """What was noted under a name, "" if nothing."""
        ...

    async def put_note(self, name: str, text: str) -> None:
        """Notes something about this installation, such as what a platform was told last."""
        ...

    async def probe(self) -> None:
        """Answers if the store can be read."""
        ...

    async def close(self) -> None: ...


class Question(NamedTuple):
    """What a computer is asked: the board as the player on roll sees it, and the dice to play."""

    variant: Variant
    position: Position
    dice: tuple[int, ...]
    level: str = "hard"
    seed: int = 0
    """Makes a weaker level's mistakes repeatable."""


class Ranked(NamedTuple):
    """A play with what it is worth: equity in points a game, chances of a win and of what it includes."""

    play: Play
    equity: float
    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float


class Thought(NamedTuple):
    """Every play (or the best of them), best first, and the one that the level makes."""

    plays: tuple[Ranked, ...]
    chosen: Play


class Thinker(Protocol):
    """A computer player. Thinking never holds up the event loop."""

    async def think(self, question: Question) -> Thought: ...

    async def close(self) -> None: ...
