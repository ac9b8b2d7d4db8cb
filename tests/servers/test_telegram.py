"""The local Telegram is one, as far as python-telegram-bot can tell: a small bot of it plays against it by hand."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from PIL import Image
from telegram import (
    BotCommand,
    CallbackQuery,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaPhoto,
    ReplyParameters,
    Update,
)
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)
from telegram.ext import Application, ApplicationBuilder, CallbackQueryHandler, MessageHandler, TypeHandler, filters
from telegram.request import HTTPXRequest

from tests.servers.telegram import Answer, Chat, Message, TelegramServer, User

# What our own bot will ask for.
WANTED = ["message", "edited_message", "callback_query", "my_chat_member"]
NEVER = 10.0


def picture(shade: int, size: tuple[int, int] = (64, 48)) -> bytes:
    """A PNG that differs with its shade."""
    file = io.BytesIO()
    Image.new("RGB", size, (shade % 256, 90, 40)).save(file, "PNG")
    return file.getvalue()


def keys(*labels: str, count: int = 0) -> InlineKeyboardMarkup:
    """One row of buttons; what one does is its lower-cased label and the count."""
    row = [InlineKeyboardButton(label, callback_data=f"{label.lower()}:{count}") for label in labels]
    return InlineKeyboardMarkup([row])


class Echo:
    """A bot that repeats what it hears, and shows a board to /start, whose buttons change it."""

    def __init__(self, address: str, token: str) -> None:
        # Few connections: httpcore's pool takes time with their square. And two for polls, since one that was cancelled
        # may occupy its own for a while. No certificates: reading them takes longer than most tests.
        calls = HTTPXRequest(8, pool_timeout=NEVER, httpx_kwargs={"verify": False})
        polls = HTTPXRequest(2, httpx_kwargs={"verify": False})
        builder: Any = ApplicationBuilder().token(token).base_url(f"{address}/bot").base_file_url(f"{address}/file/bot")
        builder = builder.request(calls).get_updates_request(polls).concurrent_updates(64)
        self.app: Application[Any, Any, Any, Any, Any, Any] = builder.build()
        self.bot = self.app.bot
        self.heard: list[Update] = []
        self.errors: list[TelegramError] = []
        self.silent = False
        self.app.add_handler(TypeHandler(Update, self._hear), group=-1)
        self.app.add_handler(MessageHandler(filters.Regex("^/start"), self._board))
        self.app.add_handler(MessageHandler(filters.TEXT & filters.UpdateType.MESSAGE, self._repeat))
        self.app.add_handler(CallbackQueryHandler(self._pressed))

    async def _hear(self, update: Update, _: Any) -> None:
        self.heard.append(update)

    async def _board(self, update: Update, _: Any) -> None:
        assert update.message
        await update.message.reply_photo(picture(0), caption="<b>Your</b> roll", parse_mode="HTML", reply_markup=KEYS)

    async def _repeat(self, update: Update, _: Any) -> None:
        assert update.message
        assert update.message.text
        await update.message.reply_text(update.message.text)

    async def _pressed(self, update: Update, _: Any) -> None:
        query = update.callback_query
        assert query
        assert query.data
        if self.silent:
            return
        if query.data.startswith("box"):
            await query.answer("Not your turn", show_alert=True)
        else:
            await query.answer("You rolled 6-5")
            await self._roll(query, int(query.data.partition(":")[2]) + 1)

    async def _roll(self, query: CallbackQuery, count: int) -> None:
        media = InputMediaPhoto(picture(count), caption=f"Roll {count}")
        await query.edit_message_media(media, reply_markup=keys("Roll", "Box", count=count))


KEYS = keys("Roll", "Box")


@asynccontextmanager
async def echoing(server: TelegramServer) -> AsyncIterator[Echo]:
    """The bot, wired by hand and stopped in order."""
    echo = Echo(server.address, server.token)
    async with echo.app:
        await echo.app.start()
        assert echo.app.updater
        await echo.app.updater.start_polling(allowed_updates=WANTED, timeout=10, error_callback=echo.errors.append)
        await server.until(lambda: server.polling)
        try:
            yield echo
        finally:
            # The error that ended the polling for good comes out here, and nowhere else.
            with suppress(InvalidToken):
                await echo.app.updater.stop()
            await echo.app.stop()


@pytest.fixture(autouse=True)
def _new_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the library give durations as timedelta: it warns about every RetryAfter otherwise."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        yield server


@pytest.fixture
async def echo(server: TelegramServer) -> AsyncIterator[Echo]:
    async with echoing(server) as echo:
        yield echo


@pytest.fixture
def ayse(server: TelegramServer) -> User:
    return server.user("Ayşe", "ayse", "tr")


async def board(server: TelegramServer, user: User) -> Message:
    """The board that /start shows him."""
    await user.start()
    return await server.until(lambda: user.private.boards[0])


async def refused(call: Awaitable[Any], kind: type[TelegramError] = BadRequest) -> str:
    """How a call was refused, in small letters since the library changes the capitals."""
    with pytest.raises(kind) as caught:
        await call
    assert type(caught.value) is kind
    return str(caught.value).lower()


# --- presses and pictures ---


async def test_a_press_is_answered_by_a_toast_and_another_board(server: TelegramServer, echo: Echo, ayse: User) -> None:
    shown = await board(server, ayse)
    assert (shown.photo, shown.caption, shown.labels) == (picture(0), "Your roll", ["Roll", "Box"])
    assert shown.entities == [{"type": "bold", "offset": 0, "length": 4}]
    assert await ayse.press(shown, "Roll") == Answer("You rolled 6-5")
    await server.until(lambda: shown.edits)
    assert (shown.photo, shown.caption, shown.entities) == (picture(1), "Roll 1", [])
    assert shown.keyboard[0][0].data == "roll:1"
    assert [call.method for call in server.called()][-2:] == ["answerCallbackQuery", "editMessageMedia"]
    assert list(server.called("editMessageMedia")[0].files.values()) == [picture(1)]
    assert server.faults == []


async def test_an_alert_is_told_from_a_toast(server: TelegramServer, echo: Echo, ayse: User) -> None:
    assert await ayse.press(await board(server, ayse), "box:0") == Answer("Not your turn", alert=True)


async def test_only_buttons_that_are_there_can_be_pressed(server: TelegramServer, echo: Echo, ayse: User) -> None:
    shown = await board(server, ayse)
    with pytest.raises(AssertionError, match="no button 'Double'"):
        await ayse.press(shown, "Double")
    await ayse.press(shown, stale="box:99")
    assert [update.callback_query.data for update in echo.heard if update.callback_query] == ["box:99"]


async def test_a_press_that_the_bot_forgets_fails_the_test(server: TelegramServer, echo: Echo, ayse: User) -> None:
    shown = await board(server, ayse)
    echo.silent = True
    with pytest.raises(AssertionError, match="no answer"):
        await ayse.press(shown, "Roll", seconds=0.1)


async def test_a_hundred_presses_at_once(server: TelegramServer, echo: Echo) -> None:
    people = [server.user(f"Player {number}") for number in range(100)]
    boards = await asyncio.gather(*(board(server, person) for person in people))
    taps = [(person, person.tap(shown, "Roll")) for person, shown in zip(people, boards, strict=True)]
    answers = await asyncio.gather(*(person.answer(query) for person, query in taps))
    assert set(answers) == {Answer("You rolled 6-5")}
    await server.until(lambda: all(shown.edits for shown in boards))
    assert server.faults == []


async def test_queries_are_answered_once_and_soon(server: TelegramServer, echo: Echo, ayse: User) -> None:
    shown = await board(server, ayse)
    first = ayse.tap(shown, "Box")
    await ayse.answer(first)
    assert "query is too old" in await refused(echo.bot.answer_callback_query(first))
    echo.silent = True
    server.query_seconds = -1.0
    second = ayse.tap(shown, "Box")
    assert "query id is invalid" in await refused(echo.bot.answer_callback_query(second))
    assert server.faults == []


async def test_an_edit_without_a_keyboard_removes_it(server: TelegramServer, echo: Echo, ayse: User) -> None:
    shown = await board(server, ayse)
    await echo.bot.edit_message_caption(ayse.id, shown.id, caption="Over")
    assert (shown.caption, shown.keyboard, shown.photo) == ("Over", [], picture(0))


async def test_what_changes_nothing_is_not_modified(server: TelegramServer, echo: Echo, ayse: User) -> None:
    shown = await board(server, ayse)
    same = InputMediaPhoto(picture(0), caption="<b>Your</b> roll", parse_mode="HTML")
    for again in (
        echo.bot.edit_message_media(same, ayse.id, shown.id, reply_markup=KEYS),
        echo.bot.edit_message_reply_markup(ayse.id, shown.id, reply_markup=KEYS),
        echo.bot.edit_message_caption(
            ayse.id, shown.id, caption="<b>Your</b> roll", parse_mode="HTML", reply_markup=KEYS
        ),
    ):
        assert (await refused(again)).startswith("message is not modified: specified new message content")
    assert shown.edits == 0
    await echo.bot.edit_message_media(same, ayse.id, shown.id)
    assert shown.keyboard == []


async def test_pictures_sent_before_are_known_by_id_and_can_be_fetched(
    server: TelegramServer, echo: Echo, ayse: User
) -> None:
    await ayse.start()
    sent = await echo.bot.send_photo(ayse.id, picture(7))
    size = sent.photo[-1]
    assert (size.width, size.height) == (64, 48)
    assert bytes(await (await size.get_file()).download_as_bytearray()) == picture(7)
    again = await echo.bot.send_photo(ayse.id, size.file_id)
    seen = ayse.private.get(again.message_id)
    assert seen
    assert seen.photo == picture(7)
    assert "wrong file identifier" in await refused(echo.bot.send_photo(ayse.id, "nothing"))


async def test_documents_and_animations_are_kept(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await board(server, ayse)
    await echo.bot.send_document(ayse.id, b"match", filename="match.txt", caption="All moves")
    sent = ayse.private.last
    assert (sent.kind, sent.file, sent.file_name, sent.caption) == ("document", b"match", "match.txt", "All moves")
    await echo.bot.send_animation(ayse.id, b"GIF89a", filename="roll.gif")
    assert ayse.private.last.kind == "animation"
    await echo.bot.edit_message_media(InputMediaPhoto(picture(1)), ayse.id, ayse.private.last.id)
    assert ayse.private.last.photo == picture(1)
    assert server.faults == []


# --- limits ---


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no picture", "image_process_failed"),
        (picture(0, (9_000, 1_001)), "photo_invalid_dimensions"),
        (picture(0, (210, 10)), "photo_invalid_dimensions"),
    ],
    ids=["broken", "large", "long"],
)
async def test_photos_are_pictures_of_some_size(
    server: TelegramServer, echo: Echo, ayse: User, data: bytes, said: str
) -> None:
    await ayse.start()
    assert said in await refused(echo.bot.send_photo(ayse.id, data))
    assert len(server.faults) == 1


async def test_data_of_a_button_has_64_bytes(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await ayse.start()

    async def marked(data: str) -> None:
        markup = InlineKeyboardMarkup([[InlineKeyboardButton("Çek", callback_data=data)]])
        await echo.bot.send_message(ayse.id, "Roll", reply_markup=markup)

    await marked("ş" * 32)
    assert server.faults == []
    assert await refused(marked("ş" * 32 + "x")) == "button_data_invalid"
    assert server.faults[-1] == "sendMessage: Bad Request: BUTTON_DATA_INVALID"


async def test_keyboards_have_8_a_row_and_100_in_all(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await ayse.start()
    key = InlineKeyboardButton("6", callback_data="6")
    for rows in ([[key] * 9], [[key] * 8] * 13):
        call = echo.bot.send_message(ayse.id, "Roll", reply_markup=InlineKeyboardMarkup(rows))
        assert await refused(call) == "reply markup is too long"
    await echo.bot.send_message(ayse.id, "Roll", reply_markup=InlineKeyboardMarkup([[key] * 8] * 12))


async def test_links_of_buttons_have_a_full_host(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await ayse.start()
    local = InlineKeyboardMarkup([[InlineKeyboardButton("Open", url="http://localhost:8080/")]])
    assert "wrong http url" in await refused(echo.bot.send_message(ayse.id, "Here", reply_markup=local))


async def test_texts_captions_and_alerts_have_their_lengths(server: TelegramServer, echo: Echo, ayse: User) -> None:
    shown = await board(server, ayse)
    await echo.bot.send_message(ayse.id, f"<b>{'x' * 4096}</b>", parse_mode="HTML")
    assert await refused(echo.bot.send_message(ayse.id, "x" * 4097)) == "message is too long"
    assert await refused(echo.bot.send_message(ayse.id, " \n ")) == "message text is empty"
    await echo.bot.edit_message_caption(ayse.id, shown.id, caption="x" * 1024)
    call = echo.bot.edit_message_caption(ayse.id, shown.id, caption="x" * 1025)
    assert await refused(call) == "message caption is too long"
    echo.silent = True
    shown.markup = KEYS.to_dict()
    query = ayse.tap(shown, "Roll")
    assert await refused(echo.bot.answer_callback_query(query, "x" * 201)) == "message_too_long"
    await echo.bot.answer_callback_query(query, "x" * 200)
    assert (await ayse.answer(query)).text == "x" * 200


async def test_text_is_formatted_by_tags(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await ayse.start()
    html = f'🎲 <a href="tg://user?id={ayse.id}">Ayşe</a> &amp; <i>two <b>words</b></i> <code>/x</code> /help\n'
    await echo.bot.send_message(ayse.id, html, parse_mode="HTML")
    said = ayse.private.last
    assert said.text == "🎲 Ayşe & two words /x /help"
    raw = said.text.encode("utf-16-le")
    found = [(e["type"], raw[2 * e["offset"] :][: 2 * e["length"]].decode("utf-16-le")) for e in said.entities]
    assert found == [
        ("text_mention", "Ayşe"),
        ("italic", "two words"),
        ("bold", "words"),
        ("code", "/x"),
        ("bot_command", "/help"),
    ]
    assert said.entities[0]["user"]["id"] == ayse.id


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<b>open", 'can\'t find end tag corresponding to start tag "b"'),
        ("<b>x</i>", 'unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("ş <table>", 'unsupported start tag "table" at byte offset 3'),
        ("1 < 2", "unclosed start tag at byte offset 2"),
        ("x</b>", "unexpected end tag at byte offset 1"),
    ],
)
async def test_bad_tags_are_refused(server: TelegramServer, echo: Echo, ayse: User, html: str, said: str) -> None:
    await ayse.start()
    call = echo.bot.send_message(ayse.id, html, parse_mode="HTML")
    assert await refused(call) == f"can't parse entities: {said}"
    assert server.faults


async def test_floods_are_held_back_in_each_chat(ayse: User) -> None:
    clock = [1000.0]
    async with TelegramServer(now=lambda: clock[0]) as server, echoing(server) as echo:
        ali = server.user("Ali")
        group, other = server.group("Tavla", ali), server.group("Narde", ali)
        await ali.start()
        await server.until(lambda: ali.private.last)
        server.flood = True
        for number in range(20):
            clock[0] += 0.1
            await echo.bot.send_message(group.id, str(number))
        with pytest.raises(RetryAfter) as caught:
            await echo.bot.edit_message_text("more", group.id, group.last.id)
        assert caught.value.retry_after == timedelta(seconds=59)  # the first of the twenty was 1.9 s ago
        assert group.last.text == "19"
        await echo.bot.delete_message(group.id, group.last.id)
        await echo.bot.send_message(other.id, "other chats go on")
        for _ in range(22):  # twenty at once, and two that were saved up meanwhile
            clock[0] += 0.1
            await echo.bot.send_message(ali.id, "burst")
        await refused(echo.bot.send_message(ali.id, "too many"), RetryAfter)
        clock[0] += 60
        await echo.bot.send_message(group.id, "again")
        assert (server.floods, server.faults) == (2, [])


# --- chats ---


async def test_groups_keep_ordinary_talk_from_the_bot(server: TelegramServer, echo: Echo, ayse: User) -> None:
    group = server.group("Tavla", ayse)
    assert await ayse.say(group, "good evening") == 0
    assert await ayse.say(group, "/new@other_bot") == 0
    assert await ayse.say(group, "/new@tavla_bot 5")
    assert await ayse.say(group, "/new 5")
    assert await ayse.say(group, "well, @tavla_bot?")
    await server.until(lambda: group.last.text == "well, @tavla_bot?")
    assert await ayse.say(group, "yes", reply_to=group.last)
    server.privacy = False
    assert await ayse.say(group, "good night")
    await server.until(lambda: group.last.text == "good night")
    texts = [update.message.text for update in echo.heard if update.message]
    assert texts == [None, "/new@tavla_bot 5", "/new 5", "well, @tavla_bot?", "yes", "good night"]


async def test_commands_carry_their_entity(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await ayse.say(ayse.private, "🎲 /new@tavla_bot and /хода")
    heard = await server.until(lambda: echo.heard[0].message)
    assert list(heard.parse_entities().values()) == ["/new@tavla_bot"]


async def test_topics_of_a_forum(server: TelegramServer, echo: Echo, ayse: User) -> None:
    forum = server.group("Club", ayse, forum=True)
    topic = forum.topic("Tavla")
    await ayse.say(forum, "/start", thread=topic)
    shown = await server.until(lambda: forum.boards[0])
    assert (shown.thread, shown.topic) == (topic, True)
    heard = echo.heard[-1].message
    assert heard
    assert (heard.message_thread_id, heard.is_topic_message) == (topic, True)
    assert heard.reply_to_message
    assert heard.reply_to_message.forum_topic_created
    await ayse.press(shown, "Roll")
    await ayse.say(forum, "/start")
    await server.until(lambda: len(forum.boards) == 2)
    assert forum.last.thread is None
    assert await refused(echo.bot.send_message(forum.id, "x", message_thread_id=999)) == "message thread not found"
    assert server.faults == []


async def test_replies_in_a_supergroup_only_look_like_a_topic(server: TelegramServer, echo: Echo, ayse: User) -> None:
    group = server.group("Tavla", ayse)
    await ayse.say(group, "/first")
    await server.until(lambda: group.last)
    await ayse.say(group, "second", reply_to=group.last)
    heard = await server.until(lambda: next(u.message for u in echo.heard if u.message and u.message.text == "second"))
    assert heard.message_thread_id is not None
    assert not heard.is_topic_message
    call = echo.bot.send_message(group.id, "x", message_thread_id=heard.message_thread_id)
    assert await refused(call) == "message thread not found"
    assert len(server.faults) == 1


async def test_a_group_becomes_a_supergroup(server: TelegramServer, echo: Echo, ayse: User) -> None:
    group = server.group("Tavla", ayse, supergroup=False)
    await ayse.say(group, "/start")
    old = await server.until(lambda: group.boards[0])
    new = group.migrate()
    for call in (
        echo.bot.send_message(group.id, "x"),
        echo.bot.edit_message_caption(group.id, old.id, caption="x"),
    ):
        with pytest.raises(ChatMigrated) as caught:
            await call
        assert caught.value.new_chat_id == new.id
    moved = await server.until(lambda: [u.message for u in echo.heard if u.message and not u.message.text][1:])
    assert [(m.chat_id, m.migrate_to_chat_id, m.migrate_from_chat_id) for m in moved] == [
        (group.id, new.id, None),
        (new.id, None, group.id),
    ]
    await ayse.say(new, "/start")
    await server.until(lambda: new.boards)
    assert server.faults == []


async def test_strangers_and_blockers_are_not_written_to(server: TelegramServer, echo: Echo, ayse: User) -> None:
    assert await refused(echo.bot.send_message(1, "hello")) == "chat not found"
    chat = server.private(ayse)
    call = echo.bot.send_message(chat.id, "hello")
    assert await refused(call, Forbidden) == "forbidden: bot can't initiate conversation with a user"
    await board(server, ayse)
    ayse.block()
    call = echo.bot.send_message(chat.id, "hello")
    assert await refused(call, Forbidden) == "forbidden: bot was blocked by the user"
    await ayse.start("join_7")
    await server.until(lambda: len(chat.boards) == 2)
    changes = [u.my_chat_member.new_chat_member.status for u in echo.heard if u.my_chat_member]
    assert changes == ["kicked", "member"]
    assert chat.messages[-2].text == "/start join_7"
    assert server.faults == []


async def test_a_bot_that_is_thrown_out_hears_and_says_nothing(server: TelegramServer, echo: Echo, ayse: User) -> None:
    group = server.group("Tavla", ayse)
    group.kick()
    call = echo.bot.send_message(group.id, "hello")
    assert await refused(call, Forbidden) == "forbidden: bot was kicked from the supergroup chat"
    assert await ayse.say(group, "/new") == 0


async def test_who_is_in_a_group(server: TelegramServer, echo: Echo, ayse: User) -> None:
    ali, stranger = server.user("Ali"), server.user("Can")
    group = server.group("Tavla", ayse, ali)
    members = [await echo.bot.get_chat_member(group.id, user.id) for user in (ayse, ali, stranger)]
    assert [member.status for member in members] == ["creator", "member", "left"]
    assert [member.user.id for member in await echo.bot.get_chat_administrators(group.id)] == [ayse.id]
    assert (await echo.bot.get_chat(group.id)).title == "Tavla"
    ali.leave(group)
    assert (await echo.bot.get_chat_member(group.id, ali.id)).status == "left"
    await server.until(lambda: any(u.message and u.message.left_chat_member for u in echo.heard))


# --- messages that are gone, old or another's ---


async def test_messages_that_cannot_be_changed(ayse: User) -> None:
    clock = [1000.0]
    async with TelegramServer(now=lambda: clock[0]) as server, echoing(server) as echo:
        ali = server.user("Ali")
        shown = await board(server, ali)
        group = server.group("Tavla", ali)
        assert await refused(echo.bot.edit_message_text("x", ali.id, 999)) == "message to edit not found"
        assert await refused(echo.bot.delete_message(ali.id, 999)) == "message to delete not found"
        call = echo.bot.edit_message_text("x", ali.id, shown.id)
        assert await refused(call) == "there is no text in the message to edit"
        lost = ReplyParameters(999)
        call = echo.bot.send_message(ali.id, "x", reply_parameters=lost)
        assert await refused(call) == "message to be replied not found"
        await echo.bot.send_message(
            ali.id, "x", reply_parameters=ReplyParameters(999, allow_sending_without_reply=True)
        )
        await ali.say(group, "/new")
        await server.until(lambda: group.last)
        said = group.messages[-2]
        assert await refused(echo.bot.delete_message(group.id, said.id)) == "message can't be deleted"
        assert server.faults == []
        assert await refused(echo.bot.edit_message_text("x", group.id, said.id)) == "message can't be edited"
        await echo.bot.delete_message(ali.id, ali.private.last.id)
        assert [message.text for message in ali.private.deleted] == ["x"]
        clock[0] += 49 * 3600
        call = echo.bot.delete_message(ali.id, shown.id)
        assert await refused(call) == "message can't be deleted for everyone"


async def test_a_press_on_a_deleted_message_comes_without_it(server: TelegramServer, echo: Echo, ayse: User) -> None:
    shown = await board(server, ayse)
    await echo.bot.delete_message(ayse.id, shown.id)
    with pytest.raises(AssertionError, match="is deleted"):
        await ayse.press(shown, "Box")
    assert (await ayse.press(shown, stale="box:0")).alert
    query = echo.heard[-1].callback_query
    assert query
    assert query.message
    assert not query.message.is_accessible


# --- updates ---


async def test_an_update_that_is_sent_again_is_heard_twice(server: TelegramServer, echo: Echo, ayse: User) -> None:
    number = await ayse.say(ayse.private, "once")
    await server.until(lambda: echo.heard)
    server.resend(number)
    await server.until(lambda: len(echo.heard) == 2)
    assert [update.update_id for update in echo.heard] == [number, number]
    await ayse.say(ayse.private, "next")
    await server.until(lambda: len(echo.heard) == 3)


async def test_updates_wait_for_a_bot_that_is_down(server: TelegramServer, ayse: User) -> None:
    await ayse.say(ayse.private, "early")
    async with echoing(server) as echo:
        await server.until(lambda: ayse.private.last.text == "early")
        server.hold_updates()
        await ayse.say(ayse.private, "held")
        await asyncio.sleep(0.05)
        assert len(echo.heard) == 1
        server.release_updates()
        await server.until(lambda: ayse.private.last.text == "held")
    await ayse.say(ayse.private, "late")
    async with echoing(server) as echo:
        await server.until(lambda: ayse.private.last.text == "late")
        assert len(echo.heard) == 1


async def test_an_unconfirmed_update_comes_again(server: TelegramServer, ayse: User) -> None:
    bot = Echo(server.address, server.token).bot
    async with bot:
        first = await ayse.say(ayse.private, "one")
        second = await ayse.say(ayse.private, "two")
        for _ in range(2):
            assert [update.update_id for update in await bot.get_updates()] == [first, second]
        assert [update.update_id for update in await bot.get_updates(limit=1)] == [first]
        assert [update.update_id for update in await bot.get_updates(offset=-1)] == [second]
        assert [update.update_id for update in await bot.get_updates()] == [second]
        assert await bot.get_updates(second + 1) == ()
        assert (await bot.get_webhook_info()).pending_update_count == 0


async def test_only_wanted_updates_come(server: TelegramServer, ayse: User) -> None:
    bot = Echo(server.address, server.token).bot
    async with bot:
        await bot.get_updates(allowed_updates=["callback_query"])
        assert await ayse.say(ayse.private, "one") == 0
        await bot.get_updates()
        assert await ayse.say(ayse.private, "the setting stays") == 0
        await bot.get_updates(allowed_updates=[])
        assert await ayse.say(ayse.private, "two")


async def test_an_edited_message_is_told_apart(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await ayse.say(ayse.private, "one")
    await server.until(lambda: ayse.private.last)
    await ayse.edit(ayse.private.messages[0], "two")
    await server.until(lambda: echo.heard[-1].edited_message)


async def test_of_two_polls_the_older_one_ends(server: TelegramServer, echo: Echo) -> None:
    other = Echo(server.address, server.token).bot
    async with other:
        await other.get_updates(timeout=0)
        await server.until(lambda: echo.errors)
    assert isinstance(echo.errors[0], Conflict)
    assert server.conflicts == 1


async def test_a_bot_that_hangs_up_is_no_conflict(server: TelegramServer) -> None:
    for _ in range(2):
        async with echoing(server):
            pass
    assert server.conflicts == 0


async def test_a_worthless_token_ends_the_polling_without_a_word(server: TelegramServer, echo: Echo) -> None:
    server.revoke()
    await refused(echo.bot.get_me(), InvalidToken)
    await server.until(lambda: server.called("getUpdates")[-1].status == 401)
    await asyncio.sleep(0.1)
    assert not server.polling
    assert echo.errors == []


async def test_another_token_is_refused(server: TelegramServer) -> None:
    with pytest.raises(InvalidToken):
        async with Echo(server.address, "1:other").bot:
            pass


# --- faults of the network, and of the bot ---


async def test_calls_fail_as_planned(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await ayse.start()
    await server.until(lambda: ayse.private.last)
    group = server.group("Tavla", ayse)
    server.fail("sendMessage", 502, "Bad Gateway", times=2)
    for _ in range(2):
        assert await refused(echo.bot.send_message(ayse.id, "x"), NetworkError) == "bad gateway"
    server.fail("sendMessage", 429, "Too Many Requests: retry after 3", parameters={"retry_after": 3}, chat=group)
    await echo.bot.send_message(ayse.id, "x")
    await refused(echo.bot.send_message(group.id, "x"), RetryAfter)
    server.fail("sendMessage", 0, "", after=True)
    await refused(echo.bot.send_message(ayse.id, "was sent"), NetworkError)
    assert ayse.private.last.text == "was sent"
    server.fail("*", 0, "")
    await refused(echo.bot.send_message(ayse.id, "was not sent"), NetworkError)
    assert ayse.private.last.text == "was sent"
    server.fail("sendMessage", 500, "Internal Server Error", times=1000)
    server.mend()
    await echo.bot.send_message(ayse.id, "well again")


async def test_slow_calls_time_out(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await ayse.start()
    await server.until(lambda: ayse.private.last)
    server.slow("sendMessage", NEVER, after=True)
    await refused(echo.bot.send_message(ayse.id, "was sent", read_timeout=0.1), TimedOut)
    assert ayse.private.last.text == "was sent"
    server.slow("sendMessage", NEVER)
    await refused(echo.bot.send_message(ayse.id, "was not", read_timeout=0.1), TimedOut)
    assert ayse.private.last.text == "was sent"


async def test_an_outage_ends_where_it_began(server: TelegramServer, echo: Echo, ayse: User) -> None:
    address = server.address
    await server.down()
    await ayse.say(ayse.private, "during")
    await refused(echo.bot.get_me(), NetworkError)
    await server.up()
    assert server.address == address
    await server.until(lambda: ayse.private.last.text == "during")


async def raw(server: TelegramServer, method: str, **fields: Any) -> tuple[int, str]:
    """A call that the library would not make: status and description."""
    data = {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.address}/bot{server.token}/{method}", data=data) as response,
    ):
        return response.status, (await response.json()).get("description", "")


async def test_an_unknown_method_is_a_fault(server: TelegramServer) -> None:
    assert await raw(server, "makeTea") == (404, "Not Found")
    assert await raw(server, "sendDice", chat_id=1) == (404, "Not Found")
    assert {"makeTea: not served here", "sendDice: not served here"} <= set(server.faults)


async def test_requests_are_held_against_the_description(server: TelegramServer, echo: Echo, ayse: User) -> None:
    if not server.validated:
        pytest.skip("needs ../shared/telegram_bot_api.json")
    await ayse.start()
    await echo.bot.send_message(ayse.id, "x", api_kwargs={"shout": True})
    await raw(server, "sendMessage", chat_id=ayse.id, text="x", protect_content="perhaps")
    assert (await raw(server, "sendMessage", chat_id=ayse.id))[0] == 400
    buttons = [{"text": "x", "callback_data": 5}, {"text": "y", "style": "huge", "url": "tg://x"}, {"text": "z"}]
    await raw(server, "sendMessage", chat_id=ayse.id, text="x", reply_markup={"inline_keyboard": [buttons]})
    media = {"type": "photo", "media": "attach://nothing", "loud": True}
    await raw(server, "editMessageMedia", chat_id=ayse.id, message_id=1, media=media)
    await raw(server, "editMessageMedia", media={"type": "photo", "media": "x"})
    await raw(server, "getUpdates", offset="soon")
    expected = (
        "sendMessage: shout is unknown",
        "sendMessage: protect_content is no Boolean: 'perhaps'",
        "sendMessage: text is missing",
        "sendMessage: reply_markup.inline_keyboard[0][0].callback_data is no String: 5",
        "sendMessage: reply_markup.inline_keyboard[0][1].style is none of",
        "sendMessage: reply_markup.inline_keyboard[0][2] must do exactly one thing",
        "editMessageMedia: media.loud is unknown",
        "editMessageMedia: chat_id is missing",
        "getUpdates: offset is no Integer: 'soon'",
    )
    for fault in expected:
        assert any(found.startswith(fault) for found in server.faults), (fault, server.faults)


async def test_without_the_description_the_rules_still_hold(tmp_path: Path) -> None:
    async with TelegramServer(spec=tmp_path / "none.json") as server, echoing(server) as echo:
        assert not server.validated
        ali = server.user("Ali")
        shown = await board(server, ali)
        assert (await ali.press(shown, "Box")).alert
        await ali.press(shown, "Roll")
        await server.until(lambda: shown.edits)
        await refused(echo.bot.send_message(ali.id, "x" * 4097))
        assert server.faults == ["sendMessage: Bad Request: message is too long"]


async def test_the_answers_themselves_are_as_described(server: TelegramServer, echo: Echo, ayse: User) -> None:
    if not server.validated:
        pytest.skip("needs ../shared/telegram_bot_api.json")
    bot = echo.bot
    shown = await board(server, ayse)
    forum, group = server.group("Club", ayse, forum=True), server.group("Tavla", ayse, supergroup=False)
    await ayse.say(forum, "/start", thread=forum.topic("Tavla"))
    await server.until(lambda: forum.boards)
    await ayse.press(shown, "Roll")
    await bot.send_document(group.id, b"x", filename="x.txt", caption="<b>x</b>", parse_mode="HTML")
    await bot.send_animation(group.id, b"x", filename="x.gif")
    await bot.set_my_commands([BotCommand("new", "A new match")], language_code="tr")
    assert (await bot.get_my_commands(language_code="tr"))[0].command == "new"
    await bot.delete_my_commands(language_code="tr")
    await bot.set_my_description("Plays tavla")
    await bot.set_my_short_description("Plays")
    assert (await bot.get_my_description(language_code="tr")).description == "Plays tavla"
    assert (await bot.get_my_short_description()).short_description == "Plays"
    await bot.send_chat_action(group.id, "typing")
    await bot.get_chat(ayse.id)
    await bot.get_chat(forum.id)
    await bot.get_chat_member(group.id, ayse.id)
    await bot.get_chat_administrators(group.id)
    await bot.get_webhook_info()
    await ayse.edit(ayse.private.messages[0], "x")
    group.migrate()
    forum.kick()
    ayse.block()
    calls = [call for call in server.requests if call.status == 200]
    assert len({call.method for call in calls}) > 15
    assert [e for call in calls for e in server.spec.answer_errors(call.method, call.result)] == []
    assert [error for update in server.updates.sent.values() for error in server.spec.update_errors(update)] == []
    assert server.faults == []


async def test_until_tells_what_went_on(server: TelegramServer, echo: Echo, ayse: User) -> None:
    await board(server, ayse)
    with pytest.raises(TimeoutError, match=r"(?s)not within 0\.1 s.*sendPhoto"):
        await server.until(lambda: False, seconds=0.1)


async def test_messages_are_numbered_as_telegram_does(server: TelegramServer, ayse: User) -> None:
    def numbers(chat: Chat) -> list[int]:
        return [message.id for message in chat.messages]

    group, club, basic = server.group("A", ayse), server.group("B", ayse), server.group("C", ayse, supergroup=False)
    await ayse.start()
    assert (numbers(group), numbers(club)) == ([1], [1])
    assert set(numbers(basic)).isdisjoint(numbers(ayse.private))
