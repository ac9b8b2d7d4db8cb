"""What one viewer is shown of a table: the same sentences, buttons and picture on every platform."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.engine.match import Phase
from bot.service.ports import Ranked
from bot.service.table import Table, Tally
from render import buttons as controls
from render.buttons import Button
from render.describe import describe
from render.picture import Picture
from render.sentences import Teller
from render.words import Words


@dataclass(frozen=True, slots=True)
class View:
    """A table for one viewer. `small`: lines of fine print; `buttons` carry their places (0-24)."""

    match: str
    revision: int
    title: str
    lines: tuple[str, ...]
    small: tuple[str, ...]
    picture: Picture
    alt: str
    buttons: tuple[Button, ...]
    attention: bool
    """Whether the viewer is the one who has to do something."""
    successor: str | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """How a viewer likes it: what is chosen once, and which buttons he has opened."""

    theme: str = "walnut"
    home_left: bool = False
    panel: str = ""
    """"" for the main buttons, "concede", "abort", or "f13" for the steps of the checkers on 13."""
    shared: bool = False
    """Whether others read along: nobody is told "you", and whoever is to move gets the buttons."""
    opened_by: int | None = None
    """The seat whose panel a shared table shows; the other player is not to concede by it."""
    hint: Sequence[Ranked] = ()
    tally: Tally | None = None
    seed: bytes | None = None
    """Of the dice, once it is revealed."""


def view(table: Table, seat: int | None, words: Words, look: Look | None = None) -> View:
    """The table as `seat` sees it (None: somebody who watches). The viewer's own checkers run to the bottom right.

    A shared one is seen by both (`seat` None), or of the two players only `seat` is there.
    """
    look = look or Look()
    teller = Teller(table, None if look.shared else seat, words, shared=look.shared)
    if look.shared and seat is None:
        seat = _acting(table)
    acting = seat is not None and seat in table.awaited and table.match.phase is not Phase.OVER
    return View(
        match=table.id,
        revision=table.revision,
        title=teller.title(),
        lines=(*teller.lines(look.tally), *teller.hint(look.hint)),
        small=teller.small(look.seed),
        picture=describe(table, seat, words, look.theme, look.home_left, look.hint, shared=look.shared),
        alt=teller.position(),
        buttons=controls.buttons(
            table, seat if look.opened_by is None else look.opened_by, words, look.panel, shared=look.shared
        ),
        attention=acting,
        successor=table.successor,
    )


def _acting(table: Table) -> int | None:
    """The seat whose buttons a shared table shows: whoever can go on, and has not yet asked for a rematch."""
    return next((seat for seat in table.awaited if not table.match.rematch[seat]), None)
