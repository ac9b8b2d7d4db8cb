"""How the bot begins and ends: what it tells Telegram and the operator, what a restart finds, what is never logged."""

import asyncio
import io
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from adapters.chat import stage
from adapters.telegram import app
from bot.redaction import CHATTY, hide
from bot.service.table import Commit
from render.commands import COMMANDS
from render.words import languages
from tests.adapters.chat.house import ended
from tests.adapters.telegram.room import Bot, Room, forward, opened_bot, opened_room, said, state
from tests.adapters.web.room import Clock
from tests.servers.telegram import Message, TelegramServer
from tests.test_kill import assert_replays

LATE = 60.0
"""Seconds after which nobody waits for an answer any more."""
PROMPT = 3.0
"""Seconds within which the bot is to have ended."""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "tavla.db"


# --- a restart ---


def _fails(server: TelegramServer) -> None:
    server.fail("editMessageMedia", 500, "Internal Server Error", times=99)


def _hangs(server: TelegramServer) -> None:
    server.slow("editMessageMedia", LATE, times=99)


def _hangs_though_done(server: TelegramServer) -> None:
    server.slow("editMessageMedia", LATE, after=True)


@pytest.mark.parametrize("fault", [_fails, _hangs, _hangs_though_done])
async def test_what_was_saved_and_not_shown_is_shown_after_the_restart(
    unhurried: None,
    server: TelegramServer,
    database: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Callable[[TelegramServer], None],
) -> None:
    monkeypatch.setattr(stage, "GRACE", 0.1)
    async with opened_room(server, database) as room:
        board = await room.begun()
        fault(server)
        told = await _rolled(room, board)
        await server.until(lambda: server.called("editMessageMedia"))
        saved = await room.bot.store.load((await room.bot.store.screens_in("telegram", str(room.group.id)))[0].watched)
    server.mend()
    before = len(server.called("editMessageMedia"))
    async with opened_bot(server, room.clock, database) as bot:
        await server.until(lambda: len(server.called("editMessageMedia")) > before and told in said(board))
        assert await bot.store.load(saved.id) == saved
        assert room.group.boards == [board]
        later = Room(server, bot, room.clock)
        later.group, later.people = room.group, room.people
        await later.step()
        assert room.group.boards == [board]


async def _rolled(room: Room, board: Message) -> str:
    """Whoever starts rolls: his dice, as the toast told them."""
    for user in room.people:
        toast = (await user.press(board, forward(board)[0])).text
        if toast.startswith("Your move: "):
            return toast.removeprefix("Your move: ").removesuffix(".")
    raise AssertionError("nobody may roll")


# --- what Telegram is told ---


async def test_commands_are_told_once_and_again_when_they_have_changed(
    server: TelegramServer, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for told in (len(languages()), 0):
        assert await _told_at_start(server, database) == told
    assert {language for _, language in server.commands} == {"", *languages()} - {"en"}
    assert all([it["command"] for it in list_] == list(COMMANDS) for list_ in server.commands.values())
    fewer = dict(list(COMMANDS.items())[1:])
    monkeypatch.setattr(app, "COMMANDS", fewer)
    for told in (len(languages()), 0):
        assert await _told_at_start(server, database) == told
    assert all([it["command"] for it in list_] == list(fewer) for list_ in server.commands.values())


async def test_commands_that_were_not_taken_are_told_at_the_next_start(server: TelegramServer, database: Path) -> None:
    server.fail("setMyCommands", 500, "Internal Server Error")
    assert await _told_at_start(server, database) == 1
    assert await _told_at_start(server, database) == len(languages())


async def _told_at_start(server: TelegramServer, database: Path) -> int:
    """How many lists of commands are told by a bot that starts on a database and ends."""
    before = len(server.called("setMyCommands"))
    async with opened_bot(server, Clock(), database):
        await server.until(lambda: server.polling)
    return len(server.called("setMyCommands")) - before


# --- tokens ---


@pytest.mark.parametrize("token", ["1:wrong-token", "no-token-at-all", "1:with a blank", "1:with/slash", "1:şöyle"])
async def test_a_wrong_token_is_told_in_one_line_and_ends_it(server: TelegramServer, token: str) -> None:
    async with opened_bot(server, Clock(), token=token) as bot:
        await asyncio.wait_for(asyncio.shield(bot.running), PROMPT)
        (line,) = bot.said
        assert "TELEGRAM_TOKEN" in line
        assert token not in line
        assert len(server.called()) <= 1
        assert not bot.telegram.healthy


async def test_a_token_that_is_revoked_ends_it_too(
    unhurried: None, server: TelegramServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened_room(server) as room:
        await room.begun()
        board, mover, _ = await room.turn()
        revision = await room.revision()
        mover.tap(board, forward(board)[0])
        server.revoke()
        await asyncio.wait_for(asyncio.shield(room.bot.running), PROMPT)
        assert [line for line in room.bot.said if "not accepted" in line] == room.bot.said[-1:]
        assert await room.revision() in (revision, revision + 1)
        assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


# --- what is never logged ---

PRIVATE = "Top secret: my cat is called Boncuk 77"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the program would write into its log when it is asked for everything."""
    root, text = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in CHATTY}
    root.handlers[:] = [logging.StreamHandler(text)]
    root.setLevel(logging.DEBUG)
    yield text
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, was in levels.items():
        logging.getLogger(name).setLevel(was)


async def test_neither_the_token_nor_what_people_write_is_logged(
    unhurried: None, server: TelegramServer, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide([server.token])
    _begins_badly(server, monkeypatch)
    async with opened_room(server) as room:
        await _everything_goes_wrong(room, monkeypatch)
    _tells_nothing(written.getvalue(), server, room)


async def test_what_the_bot_itself_logs_needs_no_hiding_of_the_token(
    unhurried: None, server: TelegramServer, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide([])
    _begins_badly(server, monkeypatch)
    async with opened_room(server) as room:
        await _everything_goes_wrong(room, monkeypatch)
    _tells_nothing(written.getvalue(), server, room)


async def test_no_object_of_ours_shows_the_token(server: TelegramServer) -> None:
    async with opened_room(server) as room:
        telegram = room.bot.telegram
        parts = [part for part in vars(telegram).values() if not isinstance(part, str)]
        assert not [part for part in (telegram, *parts) if server.token.rpartition(":")[2] in repr(part)]


def _begins_badly(server: TelegramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first logins fail."""
    monkeypatch.setattr(app, "FIRST_PAUSE", 0.1)
    server.fail("getMe", 502, PRIVATE)
    server.fail("getMe", 0, "")


async def _everything_goes_wrong(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """People write and press while calls fail in every way, and the bot itself has a fault."""
    monkeypatch.setattr(stage, "FIRST_PAUSE", 0.1)
    await room.begun()
    board, mover, other = await room.turn()
    for chat in (mover.private, room.group):
        for text in (PRIVATE, f"/challenge {PRIVATE}", f"/move {PRIVATE}", f"/{PRIVATE}"):
            await mover.say(chat, text, reply_to=board if chat is room.group else None)
    await room.settled()
    for code, reason in (
        (400, f"Bad Request: entity: {PRIVATE}"),
        (403, f"Forbidden: {PRIVATE}"),
        (0, ""),
        (502, PRIVATE),
    ):
        calls = len(room.server.called())
        room.server.fail("*", code, reason)
        await other.say(room.group, f"/move {PRIVATE}")
        await room.server.until(lambda calls=calls: len(room.server.called()) > calls)  # type: ignore[misc]  # no types
        await room.settled()
    await _with_a_fault(room, monkeypatch)
    await room.server.down()
    await mover.say(room.group, f"/board {PRIVATE}")
    await room.server.up()
    await room.server.until(lambda: room.server.polling)
    await room.settled()


async def _with_a_fault(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("made up by the test")

    with monkeypatch.context() as faulty:
        for name in ("press", "type"):
            faulty.setattr(room.bot.matches, name, broken)
        board, mover, _ = await room.turn()
        assert "went wrong" in (await mover.press(board, forward(board)[0])).text
        await mover.say(room.group, "/move 13/8 6/5")
        await room.settled()


def _tells_nothing(log: str, server: TelegramServer, room: Room) -> None:
    assert "made up by the test" in log, "the log tells what goes wrong"
    assert server.token.rpartition(":")[2] not in log
    for words in (
        "Boncuk",
        "Top secret",
        *(user.name for user in room.people),
        *(user.username for user in room.people),
    ):
        assert words not in log


# --- the end ---


async def test_a_bot_with_nothing_to_do_ends_at_once(server: TelegramServer) -> None:
    async with opened_room(server) as room:
        assert await _seconds_to_end(room.bot) < PROMPT


async def test_a_bot_ends_soon_during_an_outage(
    unhurried: None, server: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the library means to wait before its next poll."""
    monkeypatch.setattr(app, "HUNG_UP_WITHIN", 0.1)
    async with opened_room(server) as room:
        await room.begun()
        await server.down()
        await asyncio.sleep(2.7)
        assert await _seconds_to_end(room.bot) < 1


async def _seconds_to_end(bot: Bot) -> float:
    began = time.monotonic()
    await ended(bot.running)
    return time.monotonic() - began


Save = Callable[[Commit], Awaitable[None]]


def _slowly(save: Save, before: float, after: float) -> Save:
    """A store that takes its time before it saves, or before it says so."""

    async def slow(commit: Commit) -> None:
        await asyncio.sleep(before)
        await save(commit)
        await asyncio.sleep(after)

    return slow


@pytest.mark.parametrize(
    ("pauses", "saved", "shown"),
    [((0.3, 0), True, True), ((0, 0.3), True, True), ((LATE, 0), False, False), ((0, LATE), True, False)],
)
async def test_a_press_under_way_at_the_end_is_saved_or_not_and_never_half(
    unhurried: None,
    server: TelegramServer,
    database: Path,
    monkeypatch: pytest.MonkeyPatch,
    pauses: tuple[float, float],
    saved: bool,
    shown: bool,
) -> None:
    monkeypatch.setattr(app, "FINISHED_WITHIN", 1.0)
    async with opened_room(server, database) as room:
        await room.begun()
        board, mover, _ = await room.turn()
        revision, look = await room.revision(), state(board)
        (screen,) = await room.bot.store.screens_in("telegram", str(room.group.id), 1)
        monkeypatch.setattr(room.bot.store, "save", _slowly(room.bot.store.save, *pauses))
        query = mover.tap(board, forward(board)[0])
        await server.until(lambda: server.updates.pending == 0)
        await ended(room.bot.running)
        assert (state(board) != look) == shown
        if shown:
            assert (await mover.answer(query, PROMPT)).text.startswith("Your move")
    await assert_replays(database, screen.watched)
    async with opened_bot(server, room.clock, database) as bot:
        if saved:
            await server.until(lambda: state(board) != look)
        assert (await bot.store.load(screen.watched)).revision == revision + saved
        later = Room(server, bot, room.clock)
        later.group, later.people = room.group, room.people
        await later.step()
