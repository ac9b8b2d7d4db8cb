"""What Telegram is asked for, and what its answers mean for a message."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from telegram import Bot
from telegram.error import NetworkError, RetryAfter, TimedOut
from telegram.request import BaseRequest, RequestData

from adapters.chat.ports import Closed, Gone, Held, Moved, Trouble
from adapters.telegram.budget import Budget
from adapters.telegram.posts import PICTURE, Posts, seconds
from bot.service.table import Shown
from render.buttons import Button
from render.message import Message
from tests.render.tables import at
from tests.render.test_message import message_of

SECRET = "sesame"
PNG = b"\x89PNG a picture"
BOARD = message_of(at(roll=(6, 3)), 0)
WORDS = Message(SECRET, ("line",), buttons=(Button("Accept", "id.0", 0, "main"),))
HERE = Shown("abc", "telegram", "-100", message="5", shared=True)
SENT = {"message_id": 6, "date": 1_700_000_000, "chat": {"id": -100, "type": "supergroup", "title": "Café"}}
TAKEN = 200, {"ok": True, "result": SENT}
UNCHANGED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)
Answer = tuple[int, Any] | Exception


def refused(description: str, code: int = 400, **parameters: int) -> Answer:
    """An answer of Telegram that is none of success."""
    more = {"parameters": parameters} if parameters else {}
    return code, {"ok": False, "error_code": code, "description": description, **more}


def bad(description: str) -> Answer:
    return refused(f"Bad Request: {description}")


class Wire(BaseRequest):
    """A Telegram that answers everything alike, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answer: Answer = TAKEN
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.files: list[tuple[str, bytes]] = []

    @property
    def read_timeout(self) -> float:
        return 1.0

    async def initialize(self) -> None:
        """Nothing to open."""

    async def shutdown(self) -> None:
        """Nothing to close."""

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_: Any, **__: Any
    ) -> tuple[int, bytes]:
        assert request_data is not None
        self.asked.append((url.rpartition("/")[2], dict(request_data.parameters)))
        for name, content, _kind in (request_data.multipart_data or {}).values():
            assert isinstance(content, bytes)
            self.files.append((name, content))
        if isinstance(self.answer, Exception):
            raise self.answer
        code, said = self.answer
        return code, said if isinstance(said, bytes) else json.dumps(said).encode()


class Waits:
    """Remembers for how long somebody would have slept, on a clock that goes on by it."""

    def __init__(self) -> None:
        self.now = 0.0

    async def sleep(self, wait: float) -> None:
        self.now += wait


@pytest.fixture(autouse=True)
def _new_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the program does: durations of the library are timedelta."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def posts(wire: Wire, waits: Waits) -> Posts:
    posts = Posts(Budget(lambda: waits.now, waits.sleep))
    posts.connected(Bot("1:token", request=wire, get_updates_request=wire))
    return posts


async def trouble_of(posts: Posts, wire: Wire, answer: Answer) -> Trouble:
    """What an answer to a post and to a change means; the same, whatever is changed."""
    wire.answer = answer
    caught = []
    for message, png in ((WORDS, None), (BOARD, PNG), (BOARD, None)):
        with pytest.raises(Trouble) as posted:
            await posts.post(HERE, message, png, None, "")
        with pytest.raises(Trouble) as edited:
            await posts.edit(HERE, message, png, None)
        caught += [posted.value, edited.value]
    assert len({(type(trouble), str(trouble)) for trouble in caught}) == 1
    return caught[0]


# What errors mean.


@pytest.mark.parametrize(
    "text",
    [
        "message to edit not found",
        "message can't be edited",
        "MESSAGE_ID_INVALID",
        "there is no caption in the message to edit",
        "there is no text in the message to edit",
        "message to be replied not found",
    ],
)
async def test_a_message_that_cannot_be_changed_is_gone(posts: Posts, wire: Wire, text: str) -> None:
    assert type(await trouble_of(posts, wire, bad(text))) is Gone


@pytest.mark.parametrize(
    "answer",
    [
        bad("chat not found"),
        bad("not enough rights to send photos to the chat"),
        bad("not enough rights to send text messages to the chat"),
        bad("have no rights to send a message"),
        bad("need administrator rights in the channel chat"),
        bad("CHAT_WRITE_FORBIDDEN"),
        bad("CHAT_RESTRICTED"),
        bad("message thread not found"),
        bad("TOPIC_CLOSED"),
        bad("TOPIC_DELETED"),
        bad("PEER_ID_INVALID"),
        bad("user is deactivated"),
        refused("Forbidden: bot was blocked by the user", 403),
        refused("Forbidden: bot was kicked from the supergroup chat", 403),
        refused("Forbidden: bot is not a member of the supergroup chat", 403),
        refused("Forbidden: bot can't initiate conversation with a user", 403),
        refused("Forbidden: user is deactivated", 403),
        refused("Forbidden: the group chat was deleted", 403),
    ],
    ids=lambda answer: str(answer[1]["description"]),
)
async def test_a_chat_where_the_bot_may_not_write_is_closed(posts: Posts, wire: Wire, answer: Answer) -> None:
    assert type(await trouble_of(posts, wire, answer)) is Closed


async def test_a_group_that_became_a_supergroup_has_moved(posts: Posts, wire: Wire) -> None:
    told = refused("Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=-100200)
    trouble = await trouble_of(posts, wire, told)
    assert isinstance(trouble, Moved)
    assert trouble.chat == "-100200"


@pytest.mark.parametrize("chat", ["-100", "77"])
async def test_a_chat_that_wants_less_is_left_alone_for_so_long(
    posts: Posts, wire: Wire, waits: Waits, chat: str
) -> None:
    wire.answer = refused("Too Many Requests: retry after 17", 429, retry_after=17)
    with pytest.raises(Held) as caught:
        await posts.edit(replace(HERE, chat=chat), WORDS, None, None)
    assert caught.value.seconds == 17
    assert await posts.ready(replace(HERE, chat="-200"))
    assert waits.now == 0
    assert await posts.ready(replace(HERE, chat=chat))
    assert waits.now == 17


@pytest.mark.parametrize("environment", ["1", ""])
@pytest.mark.filterwarnings("ignore:.*attribute `retry_after`")
def test_a_wait_is_read_in_either_form(monkeypatch: pytest.MonkeyPatch, environment: str) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", environment)
    assert isinstance(RetryAfter(3).retry_after, timedelta) == bool(environment)
    assert seconds(RetryAfter(3)) == 3.0


@pytest.mark.parametrize(
    "answer",
    [
        bad("wrong file identifier/HTTP URL specified"),
        bad("IMAGE_PROCESS_FAILED"),
        bad("BUTTON_DATA_INVALID"),
        bad("message is too long"),
        refused("Internal Server Error", 500),
        refused("Bad Gateway", 502),
        refused("Unauthorized", 401),
        refused("Conflict: terminated by other getUpdates request", 409),
        (504, b"<html>Gateway Time-out</html>"),
        TimedOut(),
        NetworkError("ServerDisconnectedError"),
    ],
    ids=str,
)
async def test_whatever_else_goes_wrong_is_tried_again_later(posts: Posts, wire: Wire, answer: Answer) -> None:
    trouble = await trouble_of(posts, wire, answer)
    assert type(trouble) is Trouble
    assert str(trouble)


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (bad(f'can\'t parse entities: Unsupported start tag "{SECRET}" at byte offset 3'), Trouble),
        (bad(f"inline keyboard button URL '{SECRET}' is invalid: Wrong HTTP URL"), Trouble),
        (bad(f'can\'t find field "{SECRET}"'), Trouble),
        (bad(f"message to edit not found: {SECRET}"), Gone),
        (refused(f"Forbidden: {SECRET}", 403), Closed),
        (refused(f"Internal Server Error: {SECRET}", 500), Trouble),
        ((400, f"<html>/bot1:{SECRET}/sendMessage".encode()), Trouble),
        ((502, f"<html>/bot1:{SECRET}/sendMessage".encode()), Trouble),
        (NetworkError(SECRET), Trouble),
    ],
    ids=str,
)
async def test_no_trouble_tells_what_was_sent(posts: Posts, wire: Wire, answer: Answer, trouble: type[Trouble]) -> None:
    found = await trouble_of(posts, wire, answer)
    assert type(found) is trouble
    assert SECRET not in str(found)


async def test_a_trouble_tells_what_is_wrong(posts: Posts, wire: Wire) -> None:
    assert str(await trouble_of(posts, wire, bad("can't parse entities: something"))) == "can't parse entities"
    assert str(await trouble_of(posts, wire, bad("not enough rights"))) == "not enough rights"
    assert str(await trouble_of(posts, wire, refused("Forbidden: bot was blocked by the user", 403))) == "Forbidden"


@pytest.mark.parametrize(("message", "png"), [(WORDS, None), (BOARD, PNG), (BOARD, None)])
async def test_a_message_that_shows_it_already_is_no_trouble(
    posts: Posts, wire: Wire, message: Message, png: bytes | None
) -> None:
    wire.answer = bad(UNCHANGED)
    await posts.edit(HERE, message, png, None)
    assert len(wire.asked) == 1


# What is asked for.


@pytest.mark.parametrize(
    ("message", "png", "method"),
    [(WORDS, None, "editMessageText"), (BOARD, PNG, "editMessageMedia"), (BOARD, None, "editMessageCaption")],
)
async def test_a_change_keeps_the_buttons_and_tells_the_picture_only_if_there_is_one(
    posts: Posts, wire: Wire, message: Message, png: bytes | None, method: str
) -> None:
    await posts.edit(HERE, message, png, None)
    ((asked, values),) = wire.asked
    assert asked == method
    assert (values["chat_id"], values["message_id"]) == (-100, 5)
    assert values["reply_markup"]["inline_keyboard"]
    assert [content for _, content in wire.files] == [png] * bool(png)


@pytest.mark.parametrize(("message", "png", "method"), [(WORDS, None, "sendMessage"), (BOARD, PNG, "sendPhoto")])
async def test_a_new_message_stands_in_its_topic_and_is_known_by_its_number(
    posts: Posts, wire: Wire, message: Message, png: bytes | None, method: str
) -> None:
    assert await posts.post(replace(HERE, thread="3"), message, png, None, "") == "6"
    ((asked, values),) = wire.asked
    assert asked == method
    assert (values["chat_id"], values["message_thread_id"], values["parse_mode"]) == (-100, 3, "HTML")
    assert values["reply_markup"]["inline_keyboard"]
    assert wire.files == [(PICTURE, PNG)] * bool(png)


@pytest.mark.parametrize(("message", "png", "field"), [(WORDS, None, "text"), (BOARD, PNG, "caption")])
async def test_only_whoever_is_called_is_notified(
    posts: Posts, wire: Wire, message: Message, png: bytes | None, field: str
) -> None:
    await posts.post(HERE, message, png, None, "")
    await posts.post(HERE, message, png, None, "77")
    await posts.post(replace(HERE, chat="77", shared=False), message, png, None, "77")
    silent = [values.get("disable_notification", False) for _, values in wire.asked]
    mentions = ["tg://user?id=77" in values[field] for _, values in wire.asked]
    assert silent == [True, False, False]
    assert mentions == [False, True, False], "in private nobody has to be named"


# Retired messages, and being connected.


async def test_a_retired_message_loses_its_buttons_once(posts: Posts, wire: Wire) -> None:
    await posts.retire(HERE)
    await posts.retire(HERE)
    assert wire.asked == [], "nobody waits for it"
    await posts.close()
    assert wire.asked == [("editMessageReplyMarkup", {"chat_id": -100, "message_id": 5})]


@pytest.mark.parametrize(
    "answer", [bad("message to edit not found"), refused("Forbidden: x", 403), TimedOut()], ids=str
)
async def test_a_message_that_cannot_be_retired_is_no_trouble(posts: Posts, wire: Wire, answer: Answer) -> None:
    wire.answer = answer
    await posts.retire(HERE)
    await asyncio.gather(*posts._retiring.values())
    assert len(wire.asked) == 1
    await posts.retire(HERE)
    await posts.close()
    assert len(wire.asked) == 2, "it can be retired again"


async def test_without_a_connection_a_chat_waits_and_a_call_is_trouble(posts: Posts, wire: Wire) -> None:
    posts.connected(None)
    assert posts.link("code") == "code"
    with pytest.raises(Trouble, match="not connected"):
        await posts.edit(HERE, WORDS, None, None)
    waiting = asyncio.create_task(posts.ready(HERE))
    await asyncio.sleep(0)
    assert not waiting.done()
    posts.connected(Bot("1:token", request=wire, get_updates_request=wire))
    assert await waiting
