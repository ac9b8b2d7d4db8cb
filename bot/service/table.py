"""A table: one match with the people at it, as it is kept and shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.engine.events import Event
from bot.engine.match import Match, Shape, awaited
from bot.engine.variant import Value

DICE_SCHEME = 1
"""How rolls follow from a seed: the scheme of `bot.service.fairness`."""

LEVELS = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits at a seat: a player, or the computer at a `level`.

    `secret`: SHA-256 (hex) of the seat's secret at the local table, where one browser may hold both seats.
    """

    player: int | None
    name: str = ""
    level: str | None = None
    secret: str = ""

    @property
    def computer(self) -> bool:
        return self.level is not None


@dataclass(frozen=True, slots=True)
class Who:
    """Whoever does something: a player, at the local table with the hash of the seat's secret."""

    player: int
    secret: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """What is agreed in a challenge: the game with its house rules (those that differ), the shape, the clock."""

    game: str = "tavla"
    rules: Mapping[str, Value] = field(default_factory=dict)
    shape: Shape = Shape()
    clock: str = "none"
    rated: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One match at one revision. Times are seconds since the epoch."""

    id: str
    revision: int
    match: Match
    seats: tuple[Seat, Seat]
    scope: str
    """Where it is played: "web", or a platform and its chat ("telegram:-100123")."""
    commitment: str
    """SHA-256 (hex) of the seed of the dice, shown before the first roll."""
    created: float
    updated: float
    nonces: tuple[str, str] = ("", "")
    """SHA-256 (hex) of each player's nonce; empty: none was given."""
    rated: bool = False
    dice_scheme: int = DICE_SCHEME
    follows: str | None = None
    """The match that this one is the rematch of."""
    successor: str | None = None
    """The rematch of this one."""

    def seat_of(self, who: Who) -> int | None:
        """The seat that `who` holds, None for a stranger."""
        for number, seat in enumerate(self.seats):
            if seat.player == who.player and seat.secret == who.secret:
                return number
        return None

    @property
    def computer(self) -> int | None:
        """The computer's seat, if it plays."""
        return next((number for number, seat in enumerate(self.seats) if seat.computer), None)

    @property
    def awaited(self) -> tuple[int, ...]:
        return awaited(self.match)


@dataclass(frozen=True, slots=True)
class Job:
    """Work to be done later for a match: one a kind. `expect_revision`: for this board only."""

    match: str
    kind: str
    run_at: float
    expect_revision: int
    tries: int = 0


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game, for tallies and history."""

    number: int
    game: str
    winner: int
    points: int
    kind: str
    by: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """The update that brought a typed command: the same one may come twice."""

    platform: str
    update: str


@dataclass(frozen=True, slots=True)
class Commit:
    """All that one action changes, saved together or not at all.

    `table` has the new revision; it is saved if the stored one is the revision before. `jobs` are all that
    the match still has from now on.
    """

    table: Table
    events: tuple[Event, ...]
    jobs: tuple[Job, ...] = ()
    results: tuple[GameResult, ...] = ()
    delivery: Delivery | None = None


@dataclass(frozen=True, slots=True)
class Challenge:
    """An invitation before it is a match. `state`: open, accepted, declined, withdrawn.

    `id` is what the link or button carries and cannot be guessed. `opponent`: the player it is for, None for
    whoever comes. `named`: the user name it is for, where only that is known ("mehmet"). `computer`: it is to
    become a match against the computer, and its challenger starts it. `match`: what it became.
    """

    id: str
    revision: int
    terms: Terms
    challenger: Seat
    opponent: int | None
    scope: str
    created: float
    expires: float
    state: str = "open"
    match: str | None = None
    named: str = ""
    computer: bool = False

    @property
    def to_anyone(self) -> bool:
        """Whether whoever comes may take it up."""
        return self.opponent is None and not self.named and not self.computer


@dataclass(frozen=True, slots=True)
class Seating:
    """A new match: its table at revision 1 with the events so far, its seed, and the challenge it takes up."""

    commit: Commit
    seed: bytes
    challenge: Challenge | None = None
    """As it shall be: accepted, its revision one up."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A message in a chat that shows a match or a challenge, and the revision it shows. `id` is None before it is kept.

    `watched`: the id of the match or challenge. `chat`, `thread`, `message`: the platform's own numbers as text;
    no `message`: it is still to be sent. `player`: whose screen it is, None: of all who are in that chat.
    `shared`: others read along, so that nobody is told "you". `by_press`: the platform lets it be changed only in
    answer to a press there. `form`: "picture" or "text". `game`: the number of the game it shows.
    `shown_hash`: of what was sent last.
    """

    watched: str
    platform: str
    chat: str
    thread: str = ""
    message: str = ""
    player: int | None = None
    shared: bool = False
    by_press: bool = False
    language: str = "en"
    form: str = "picture"
    game: int = 0
    shown_revision: int = 0
    shown_hash: str = ""
    posted_at: float = 0.0
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Points won in games against the computer: the player's and the computer's."""

    mine: int = 0
    computer: int = 0
