"""A message fits where it is sent, and its buttons lie in rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bot.engine.match import Phase
from bot.service.table import Table
from render.buttons import Button
from render.message import Message, rows, table_message
from render.view import Look, view
from render.words import languages, words
from tests.render.tables import at, moments

LINES = some.lists(some.text(max_size=60), max_size=12).map(tuple)
PLACES = some.lists(some.integers(0, 25), max_size=26, unique=True)
CAPTION = 1024
"""Characters that Telegram takes below a picture; every other place takes more."""


def button(place: int) -> Button:
    return Button(str(place), f"/{'x' * (1 + place % 20)}", place, "plain")


def message_of(table: Table, seat: int | None, language: str = "en", *, shared: bool = False) -> Message:
    seed = b"\xff" * 32 if table.match.phase is Phase.OVER else None
    return table_message(table, view(table, seat, words(language), Look(shared=shared, seed=seed)))


@given(title=some.text(max_size=20), lines=LINES, small=LINES, limit=some.integers(30, 400))
def test_a_message_is_cut_to_what_fits_newest_lines_last(
    title: str, lines: tuple[str, ...], small: tuple[str, ...], limit: int
) -> None:
    whole = Message(title, lines, small, alt="position", buttons=(button(3),))
    cut = whole.within(limit)
    written = (cut.title, *cut.lines, *cut.small)
    assert len("\n".join(written)) < cut.length <= limit
    assert (cut.title, cut.alt, cut.picture, cut.buttons) == (title, "position", None, whole.buttons)
    assert cut.lines == lines[len(lines) - len(cut.lines) :]
    if cut != whole:
        assert whole.length > limit
        assert cut.small == ()
    if len(cut.lines) < len(lines):
        longer = Message(title, lines[-len(cut.lines) - 1 :])
        assert longer.length > limit, "no more is left out than has to be"


def test_fine_print_goes_first_then_the_oldest_line() -> None:
    whole = Message("Title", ("old", "new"), ("proof",))
    assert whole.length == len("Title\nold\nnew\nproof\n")
    assert whole.within(whole.length) == whole
    assert whole.within(whole.length - 1) == Message("Title", ("old", "new"))
    assert whole.within(len("Title\nnew\n")) == Message("Title", ("new",))
    assert whole.within(1) == Message("Title"), "what it is about is always told"


@given(places=PLACES)
def test_buttons_lie_in_rows_of_five_in_their_order(places: list[int]) -> None:
    found = tuple(button(place) for place in sorted(places))
    lying = list(rows(found))
    assert [each for row in lying for each in row] == list(found)
    assert all(0 < len(row) <= 5 for row in lying)
    assert all(len({each.place // 5 for each in row}) == 1 for row in lying)
    assert len(lying) == len({place // 5 for place in places})


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(("seat", "shared"), [(0, False), (1, False), (None, True)])
def test_a_table_fits_below_its_picture_without_losing_a_line(seat: int | None, shared: bool, language: str) -> None:
    for table, _ in moments():
        message = message_of(table, seat, language, shared=shared)
        assert message.within(CAPTION).lines == message.lines
        assert message.picture is not None
        assert message.alt


def test_the_proof_of_the_dice_stands_at_the_beginning_and_at_the_end() -> None:
    seen = set()
    for table, _ in moments():
        message, game = message_of(table, 0), table.match.game
        begins, over = game.number == 1 and game.turns == 0, table.match.phase is Phase.OVER
        assert bool(message.small) == (begins or over)
        assert not message.small or table.commitment in message.small[0]
        assert ("ff" * 32 in " ".join(message.small)) == over
        seen.add((begins, over))
    assert {(True, False), (False, False), (False, True)} <= seen


def test_a_message_is_what_the_view_is() -> None:
    table = at(roll=(6, 3))
    shown, message = view(table, 0, words("en")), message_of(table, 0)
    assert (message.title, message.lines, message.alt) == (shown.title, shown.lines, shown.alt)
    assert (message.picture, message.buttons) == (shown.picture, shown.buttons)
