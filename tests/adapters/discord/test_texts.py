"""What Discord makes of our texts: only what we mean."""

import re

import discord
import pytest

from adapters.discord.texts import MOST_TEXT, escape, letter, line, markdown
from render.buttons import Button
from render.message import Message


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain words, 13/8 6/5 · bar/22 – 8/5(2)", "plain words, 13/8 6/5 · bar/22 – 8/5(2)"),
        ("**b** _i_ ~~s~~ `c` ||x||", r"\*\*b\*\* \_i\_ \~\~s\~\~ \`c\` \|\|x\|\|"),
        ("a\\b", "a\\\\b"),
        ("# heading", r"\# heading"),
        ("  > quoted", r"  \> quoted"),
        ("- list\n-# small", "\\- list\n\\-# small"),
        ("1. first", r"1\. first"),
        ("[here](http://evil.example)", r"\[here](http:\//evil\.example)"),
        ("discord.gg/abc", r"discord\.gg/abc"),
        ("@everyone", "@\u200beveryone"),
        ("<@123456789012345678>", "\\<@\u200b123456789012345678>"),
        ("<#1> <t:1> </move:1>", r"\<#1> \<t:1> \</move:1>"),
        ("3.5 – 2.5", "3.5 – 2.5"),
    ],
)
def test_a_text_stands_as_it_is(text: str, written: str) -> None:
    assert escape(text) == written


def test_no_name_forges_a_mention_or_a_link() -> None:
    for wild in ("<@1>", "@here", "https://x.y", "[a](b)", "<a:b:1>", "<https://x>"):
        sent = line(f"Hello {wild}!").content
        assert not re.search(r"(?<!\\)<[@#a:]|@here|://|(?<!\\)\[", sent)


def test_the_title_is_bold_and_fine_print_small() -> None:
    message = Message("A * B", ("one", "", "# two"), ("fine",))
    assert markdown(message) == "**A \\* B**\none\n\n\\# two\n-# fine"


def test_a_long_text_fits_and_keeps_its_newest_lines() -> None:
    message = Message("T", tuple(f"{'*' * 80} {number}" for number in range(40)), ("x" * 900,))
    text = markdown(message)
    assert len(text) <= MOST_TEXT
    assert text.startswith("**T**")
    assert text.endswith("39")
    assert len(letter(message, call="1" * 19).content) <= MOST_TEXT


def _button(place: int, label: str = "x", action: str = "", kind: str = "step") -> Button:
    return Button(label, action or f"id.{place}", place, kind)  # type: ignore[arg-type]


async def test_buttons_lie_in_five_rows_by_their_places() -> None:
    buttons = tuple(_button(place) for place in (0, 1, 4, 10, 20, 24, 25, 31))
    view = letter(Message(buttons=buttons)).sent()["view"]
    rows = [[part["custom_id"] for part in row["components"]] for row in view.to_components()]
    assert rows == [["id.0", "id.1", "id.4"], ["id.10"], ["id.20", "id.24"]]


async def test_all_places_can_be_taken_at_once() -> None:
    view = letter(Message(buttons=tuple(_button(place) for place in range(25)))).sent()["view"]
    assert [len(row["components"]) for row in view.to_components()] == [5] * 5


async def test_a_button_has_a_label_and_a_data_that_discord_takes() -> None:
    kinds = ("step", "shortcut", "main", "plain", "danger")
    buttons = tuple(_button(place, "ş" * 100, kind=kind) for place, kind in enumerate(kinds))
    for item in letter(Message(buttons=buttons)).sent()["view"].children:
        assert len(item.label) == 80
        assert item.style in discord.ButtonStyle


async def test_an_action_is_there_once() -> None:
    view = letter(Message(buttons=(_button(0, action="same"), _button(1, action="same")))).sent()["view"]
    assert len(view.children) == 1


async def test_views_are_not_kept() -> None:
    assert letter(Message(buttons=(_button(0),))).sent()["view"].is_finished()


async def test_a_change_replaces_the_picture_or_keeps_it() -> None:
    with_picture = letter(Message("t", alt="ş" * 2000), b"png").edited()
    (file,) = with_picture["attachments"]
    assert file.filename == "board.png"
    assert len(file.description) == 1024
    assert "attachments" not in letter(Message("t")).edited()
    assert letter(Message("t")).edited(keep=False)["attachments"] == []
    assert letter(Message("t")).edited()["view"] is None


async def test_only_whoever_is_called_is_notified() -> None:
    quiet, loud = letter(Message("t")), letter(Message("t"), call="42")
    assert quiet.sent()["allowed_mentions"].to_dict() == {"parse": []}
    assert loud.content == "<@42> **t**"
    assert loud.sent()["allowed_mentions"].to_dict() == {"parse": [], "users": [42]}
    assert loud.edited()["allowed_mentions"].to_dict() == {"parse": []}
