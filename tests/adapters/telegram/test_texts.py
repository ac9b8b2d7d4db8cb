"""A message as Telegram takes it: its tags can be read, it is not too long, and its buttons can be pressed."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as some

from adapters.telegram.texts import CAPTION, TEXT, TOAST, cut, fitted, html, keyboard, summons, units
from bot.service.actions import MOST_BYTES
from render.buttons import STEP_PLACES, Button
from render.message import Message, table_message
from render.view import view
from render.words import languages, words
from tests.render.tables import moments
from tests.servers import telegram_rules
from tests.servers.telegram_text import parse_html

AYSE = {"id": 77, "first_name": "Ayşe"}
NAMES = some.text("aş<>&\"'/=;b \N{GAME DIE}", max_size=60)
"""What a name can be made of to break a text: signs of tags and of entities, letters of one, two and four bytes."""
PAGES = some.builds(
    Message, some.text("ş<&\N{GAME DIE}", max_size=40), some.lists(NAMES, max_size=40).map(tuple), some.just(("proof",))
)


class Read(NamedTuple):
    """What is to be seen of a text: its characters, and by kind what stands out."""

    text: str
    marked: list[tuple[str, str]]
    called: list[int]


def read(sent: str) -> Read:
    """The text as Telegram reads it; fails for tags that it refuses."""
    text, entities = parse_html(sent, {77: AYSE}.get)
    marked = [(entity["type"], _part(text, entity)) for entity in entities]
    return Read(text, marked, [entity["user"]["id"] for entity in entities if "user" in entity])


def _part(text: str, entity: dict[str, Any]) -> str:
    start = 2 * entity["offset"]
    return text.encode("utf-16-le")[start : start + 2 * entity["length"]].decode("utf-16-le")


def test_the_title_is_bold_and_fine_print_in_italics() -> None:
    seen = read(html(Message("Tavla", ("Ayşe: 3", "Mehmet: 4"), ("proof", "rules"))))
    assert seen.text == "Tavla\nAyşe: 3\nMehmet: 4\nproof\nrules"
    assert seen.marked == [("bold", "Tavla"), ("italic", "proof"), ("italic", "rules")]


def test_a_message_without_a_title_begins_with_its_first_line() -> None:
    assert html(Message(lines=("one", "two"))) == "one\ntwo"


@pytest.mark.parametrize("language", languages())
def test_whoever_is_called_stands_before_all_else(language: str) -> None:
    seen = read(html(Message("Tavla", ("one",)), "77", language))
    assert seen.text.splitlines() == [words(language).say("Over to you!"), "Tavla", "one"]
    assert seen.marked[0] == ("text_mention", summons(language))
    assert seen.called == [77]


def test_nobody_is_called_by_an_id_that_is_none() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        html(Message("Tavla"), '7"><b>')


@given(title=NAMES, line=NAMES, fine=NAMES)
def test_names_stand_as_they_are(title: str, line: str, fine: str) -> None:
    seen = read(html(Message(title, (line,), (fine,)), "77"))
    assert seen.text == "\n".join([summons(""), *([title] if title else []), line, fine])
    assert seen.marked == [
        (kind, text)
        for kind, text in (("text_mention", summons("")), ("bold", title), ("italic", fine))
        if text  # nothing is marked where nothing stands
    ]


def test_a_length_counts_as_telegram_does() -> None:
    assert [units(text) for text in ("", "a", "ş", "–", "\N{GAME DIE}", "a\N{GAME DIE}ş")] == [0, 1, 1, 1, 2, 4]


@given(message=PAGES, limit=some.integers(120, 600), call=some.sampled_from(("", "77")))
def test_what_is_cut_can_be_read_and_fits(message: Message, limit: int, call: str) -> None:
    seen = read(fitted(message, limit, call))
    assert units(seen.text) <= limit
    assert seen.called == ([77] if call else [])
    whole = read(html(message, call)).text
    if seen.text != whole:
        assert units(whole) + (not message.title) > limit, "nothing is cut that fits"
        assert message.title in seen.text
        assert "proof" not in seen.text


def test_the_limits_are_those_of_telegram() -> None:
    assert (CAPTION, TEXT, TOAST) == (telegram_rules.CAPTION, telegram_rules.TEXT, telegram_rules.ALERT)


@pytest.mark.parametrize("limit", [CAPTION, TEXT])
@pytest.mark.parametrize("call", ["", "77"])
def test_what_just_fits_is_not_cut(limit: int, call: str) -> None:
    room = limit - units("T\n") - (units(summons("")) + 1 if call else 0)
    for line in ("<" * (room - 1), "\N{GAME DIE}" * ((room - 1) // 2)):
        seen = read(fitted(Message("T", (line,)), limit, call))
        assert seen.text.endswith(f"T\n{line}")
        assert units(seen.text) in (limit - 1, limit - 2)


@pytest.mark.parametrize("limit", [CAPTION, TEXT])
def test_a_call_takes_its_place(limit: int) -> None:
    lines = ("old", "a" * (limit - 10))
    assert read(fitted(Message("T", lines), limit)).text.startswith("T\nold\n")
    assert read(fitted(Message("T", lines), limit, "77")).text == f"{summons('')}\nT"


@pytest.mark.parametrize("sign", ["a", "&", "\N{GAME DIE}"])
def test_fine_print_goes_before_old_lines_and_those_before_new_ones(sign: str) -> None:
    lines = tuple(f"{number:02}{sign * 200}" for number in range(13))
    seen = read(fitted(Message("Title", lines, ("proof",)), CAPTION))
    kept = len(seen.text.split("\n")) - 1
    assert kept == CAPTION // units(lines[0] + "\n")
    assert seen.text == "\n".join(["Title", *lines[-kept:]])


@given(text=some.text("aş \N{GAME DIE}", max_size=700))
def test_a_toast_is_cut_to_what_telegram_takes(text: str) -> None:
    shown = cut(text)
    assert units(shown) <= TOAST
    if units(text) <= TOAST:
        assert shown == text
    else:
        assert shown.endswith("…")
        assert text.startswith(shown[:-1])


@pytest.mark.parametrize("length", [TOAST + 1, TOAST + 2, 1000])
@pytest.mark.parametrize("sign", ["a", "\N{GAME DIE}"])
def test_no_more_of_a_toast_is_cut_than_has_to_be(sign: str, length: int) -> None:
    text = "a" * (length % 2) + sign * (length // units(sign))
    assert TOAST - 2 <= units(cut(text)) <= TOAST < units(text)


# Buttons.


def _button(place: int) -> Button:
    return Button(f"label {place}", f"id.{place}", place, "step")


def test_buttons_lie_in_their_rows_and_carry_their_action() -> None:
    markup = keyboard(Message(buttons=tuple(map(_button, (0, 1, 4, 10, 12)))))
    assert markup is not None
    sent = [[(button.text, button.callback_data) for button in row] for row in markup.inline_keyboard]
    assert sent == [
        [("label 0", "id.0"), ("label 1", "id.1"), ("label 4", "id.4")],
        [("label 10", "id.10"), ("label 12", "id.12")],
    ]


@pytest.mark.parametrize(
    ("places", "rows"),
    [
        ((0, 1, 2, 3, 4), [[0, 1, 2], [3, 4]]),
        ((1, 3), [[1], [3]]),
        ((0, 2), [[0, 2]]),
        ((4,), [[4]]),
    ],
)
def test_controls_lie_in_two_rows(places: tuple[int, ...], rows: list[list[int]]) -> None:
    buttons = tuple(_button(STEP_PLACES + place) for place in places)
    markup = keyboard(Message(buttons=buttons))
    assert markup is not None
    sent = [[button.callback_data for button in row] for row in markup.inline_keyboard]
    assert sent == [[f"id.{STEP_PLACES + place}" for place in row] for row in rows]


def test_without_buttons_there_is_no_keyboard() -> None:
    assert keyboard(Message("Tavla", ("one",))) is None


@pytest.mark.parametrize("language", languages())
def test_every_board_of_a_match_is_taken_by_telegram(language: str) -> None:
    longest = 0
    for table, _ in moments():
        for seat in (0, 1):
            message = table_message(table, view(table, seat, words(language)))
            assert units(read(fitted(message, CAPTION, "77", language)).text) <= CAPTION
            markup = keyboard(message)
            sent = markup.to_dict() if markup else None
            telegram_rules.check_keyboard(sent)
            rows = sent["inline_keyboard"] if sent else []
            longest = max([longest, *(len(button["callback_data"].encode()) for row in rows for button in row)])
            assert [button["callback_data"] for row in rows for button in row] == [b.action for b in message.buttons]
    assert 20 < longest <= MOST_BYTES
