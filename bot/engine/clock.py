"""Time per decision and the bank behind it (`rules.md` 8.2). Times are seconds since the epoch, handed in."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from bot.engine.seats import put


class Pace(NamedTuple):
    """What a kind of clock grants: seconds a decision, seconds of bank a player and match."""

    decision: float
    bank: float


PACES: dict[str, Pace | None] = {
    "live": Pace(30, 90),
    "daily": Pace(24 * 3600, 72 * 3600),
    "slow": Pace(72 * 3600, 0),
    "none": None,
}
TIMEOUTS_LOSE = 2


@dataclass(frozen=True, slots=True)
class Clock:
    """Both players' time. `timeouts` counts each player's expired decisions in a row."""

    kind: str = "none"
    banks: tuple[float, float] = (0.0, 0.0)
    decision_start: float | None = None
    deadline: float | None = None
    timeouts: tuple[int, int] = (0, 0)
    paused: bool = False

    def spent(self, seat: int, seconds: float) -> "Clock":
        """The clock after a decision of `seat` took `seconds`: what exceeds the decision's own time leaves the bank."""
        pace = PACES[self.kind]
        if pace is None:
            return self
        over = max(0.0, seconds - pace.decision)
        return replace(self, banks=put(self.banks, seat, max(0.0, self.banks[seat] - over)))

    def expires(self, seat: int, seconds: float) -> bool:
        """Whether a decision of `seat` that takes `seconds` runs out of its time and the bank."""
        pace = PACES[self.kind]
        return pace is not None and seconds >= pace.decision + self.banks[seat]

    def completed(self, seat: int) -> "Clock":
        """After `seat` has completed a decision by hand: its time-outs are forgotten."""
        return replace(self, timeouts=put(self.timeouts, seat, 0))

    def expired(self, seat: int) -> "Clock":
        """After a decision of `seat` was made for it: one more time-out, the bank is empty."""
        counted = put(self.timeouts, seat, self.timeouts[seat] + 1)
        return replace(self, timeouts=counted, banks=put(self.banks, seat, 0.0))

    def loser(self) -> int | None:
        """The seat that has lost the match by time-outs in a row, if any."""
        return next((seat for seat in (0, 1) if self.timeouts[seat] >= TIMEOUTS_LOSE), None)


def started(kind: str) -> Clock:
    """A clock at the start of a match; raises KeyError for an unknown kind."""
    pace = PACES[kind]
    bank = pace.bank if pace else 0.0
    return Clock(kind, (bank, bank))
