"""What goes wrong between the bot and Telegram: the newest board is shown in the end, and nothing is done twice."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta

import pytest

from adapters.chat import stage
from adapters.telegram import app, budget, http
from adapters.telegram.budget import Limit
from bot.service.actions import Action, decode_any
from tests.adapters.telegram.room import Room, forward, now, opened_bot, opened_room, state
from tests.adapters.web.room import Clock
from tests.servers import telegram_rules
from tests.servers.telegram import Chat, Message, Request, TelegramServer

LATE = 60.0
"""Seconds after which nobody waits for an answer any more."""
Fault = Callable[[TelegramServer, str], None]


def _bad_gateway(server: TelegramServer, method: str) -> None:
    server.fail(method, 502, "Bad Gateway")


def _bad_gateway_though_done(server: TelegramServer, method: str) -> None:
    server.fail(method, 502, "Bad Gateway", after=True)


def _cut(server: TelegramServer, method: str) -> None:
    server.fail(method, 0, "")


def _cut_though_done(server: TelegramServer, method: str) -> None:
    server.fail(method, 0, "", after=True)


def _no_answer(server: TelegramServer, method: str) -> None:
    server.slow(method, LATE)


def _no_answer_though_done(server: TelegramServer, method: str) -> None:
    server.slow(method, LATE, after=True)


LOST: tuple[Fault, ...] = (_bad_gateway, _cut, _no_answer)
UNNOTICED: tuple[Fault, ...] = (_bad_gateway_though_done, _cut_though_done, _no_answer_though_done)
fault_of_any_kind = pytest.mark.parametrize("fault", LOST + UNNOTICED)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot waits for nothing as long as it would in earnest."""
    monkeypatch.setattr(stage, "FIRST_PAUSE", 0.1)
    monkeypatch.setattr(app, "FIRST_PAUSE", 0.1)
    monkeypatch.setattr(app, "POLL", timedelta(seconds=1))
    monkeypatch.setattr(http, "READ", 0.5)


def revision_on(board: Message) -> int:
    """The revision that the buttons of a board are for."""
    (revision,) = {action.revision for action in map(decode_any, _data(board)) if isinstance(action, Action)}
    return revision


def _data(board: Message) -> list[str]:
    return [button.data for button in board.buttons if button.data]


async def _pressed_on(room: Room, chat: Chat | None = None) -> tuple[Message, int]:
    """Whoever is to move presses a step, whatever is answered: the board, and the revision that it will show."""
    board, mover, _ = await room.turn(chat)
    revision = await room.revision(chat) + 1
    mover.tap(board, forward(board)[0])
    return board, revision


# --- calls that fail ---


@fault_of_any_kind
async def test_a_change_that_fails_is_made_again(room: Room, fault: Fault) -> None:
    await room.begun()
    await room.turn()
    fault(room.server, "editMessageMedia")
    changes = len(room.server.called("editMessageMedia"))
    board, revision = await _pressed_on(room)
    await room.server.until(lambda: len(room.server.called("editMessageMedia")) == changes + 2)
    await room.settled(0.6)
    assert len(room.server.called("editMessageMedia")) == changes + 2
    assert revision_on(board) == revision
    assert await room.revision() == revision
    assert now(room.group) is board
    assert room.group.boards == [board]


@pytest.mark.parametrize("fault", LOST)
async def test_a_board_that_could_not_be_sent_is_sent_again(room: Room, fault: Fault) -> None:
    fault(room.server, "sendPhoto")
    board = await room.begun()
    await room.settled()
    assert room.group.boards == [board]


@pytest.mark.parametrize("fault", UNNOTICED)
async def test_of_two_boards_the_first_loses_its_buttons_when_it_is_pressed(room: Room, fault: Fault) -> None:
    fault(room.server, "sendPhoto")
    await room.begun()
    await room.server.until(lambda: len(room.group.boards) == 2)
    first, second = room.group.boards
    board, mover, _ = await room.turn()
    assert board is second
    before, revision = state(second), await room.revision()
    await mover.press(first, stale=second.button(forward(second)[0]).data)
    await room.server.until(lambda: state(second) != before and not first.buttons)
    assert await room.revision() == revision + 1
    await room.settled()
    assert room.group.boards == [first, second]


@fault_of_any_kind
async def test_a_press_that_cannot_be_answered_is_shown_all_the_same(room: Room, fault: Fault) -> None:
    await room.begun()
    await room.turn()
    fault(room.server, "answerCallbackQuery")
    answers = len(room.server.called("answerCallbackQuery"))
    board, revision = await _pressed_on(room)
    await room.server.until(lambda: revision_on(board) == revision)
    await room.settled(0.6)
    assert await room.revision() == revision
    assert len(room.server.called("answerCallbackQuery")) == answers + 1
    await room.step()


async def test_a_press_that_is_answered_too_late_counts(room: Room) -> None:
    await room.begun()
    await room.turn()
    room.server.query_seconds = 0
    board, revision = await _pressed_on(room)
    await room.server.until(lambda: revision_on(board) == revision)
    assert room.server.called("answerCallbackQuery")[-1].status == 400


async def test_a_flood_wait_delays_that_chat_alone(room: Room) -> None:
    bar = room.server.group("Bar", *room.people)
    for chat in (room.group, bar):
        await room.begun(chat)
        await room.turn(chat)
    _flooded(room.server, "editMessageMedia", room.group)
    board, revision = await _pressed_on(room)
    held = await room.server.until(lambda: _refused(room.server, 429))
    for _ in range(3):
        await room.step(chat=bar)
    assert revision_on(board) < revision
    await room.server.until(lambda: revision_on(board) == revision)
    calls = room.server.called(chat=room.group)
    following = calls[calls.index(held[0]) + 1]
    assert following.at - held[0].answered_at >= 1


@pytest.mark.parametrize("method", ["sendPhoto", "sendMessage"])
async def test_a_flood_wait_keeps_back_a_new_message_and_loses_none(room: Room, method: str) -> None:
    _flooded(room.server, method, room.group)
    board = await room.begun()
    assert _refused(room.server, 429)
    assert room.group.boards == [board]


def _flooded(server: TelegramServer, method: str, chat: Chat) -> None:
    server.fail(method, 429, "Too Many Requests: retry after 1", parameters={"retry_after": 1}, chat=chat)


def _refused(server: TelegramServer, status: int) -> list[Request]:
    """The calls that were answered so."""
    return [call for call in server.requests if call.status == status]


# --- updates that come twice ---


async def test_a_press_that_arrives_twice_counts_once(room: Room) -> None:
    """To undo twice would be possible, but was not asked for."""
    await room.begun()
    board, mover, _ = await room.turn()
    while "Confirm" not in board.labels:
        await room.step([mover])
    steps, before = await room.revision(), state(board)
    await mover.press(board, "Undo")
    await room.server.until(lambda: state(board) != before)
    shown = state(board)
    await _arrives_again(room, "callback_query")
    assert await room.revision() == steps + 1
    assert state(board) == shown


async def test_a_challenge_that_arrives_twice_is_made_once(room: Room) -> None:
    await room.ayse.say(room.group, "/challenge 3")
    invitation = await room.live()
    await _arrives_again(room, "message")
    assert [message for message in room.group.messages if message.sender.is_bot] == [invitation]


async def test_an_acceptance_that_arrives_twice_begins_one_match(room: Room) -> None:
    board = await room.begun()
    await _arrives_again(room, "callback_query")
    assert room.group.boards == [board]
    assert len(await room.bot.store.screens_in("telegram", str(room.group.id))) == 2


async def test_a_typed_play_that_arrives_twice_is_played_once(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    revision = await room.revision()
    await mover.say(room.group, f"/move {forward(board)[0]}")
    await room.server.until(lambda: revision_on(board) > revision)
    shown = state(board)
    await _arrives_again(room, "message")
    assert state(board) == shown
    assert await room.revision() == revision_on(board)


async def _arrives_again(room: Room, kind: str) -> None:
    """The latest update of a kind is delivered once more, and the bot has done what it does about it."""
    number = max(number for number, update in room.server.updates.sent.items() if kind in update)
    polls = room.server.polls
    room.server.resend(number)
    await room.server.until(lambda: room.server.polls > polls)
    await room.settled()


# --- no connection at all ---


async def test_what_happens_during_an_outage_is_shown_after_it(room: Room) -> None:
    await room.begun()
    await room.turn()
    await room.server.down()
    board, revision = await _pressed_on(room)
    await asyncio.sleep(0.3)
    await room.server.up()
    await room.server.until(lambda: revision_on(board) == revision)
    await room.step()
    assert len([line for line in room.bot.said if "connected" in line]) == 1


async def test_a_board_that_an_outage_keeps_back_is_shown_after_it(room: Room) -> None:
    await room.begun()
    await room.turn()
    room.server.slow("editMessageMedia", LATE)
    board, revision = await _pressed_on(room)
    await room.server.until(lambda: room.server.called("editMessageMedia")[-1].status == 0)
    await room.server.down()
    await asyncio.sleep(0.3)
    await room.server.up()
    await room.server.until(lambda: revision_on(board) == revision)
    assert await room.revision() == revision


async def test_a_bot_that_starts_during_an_outage_connects_after_it() -> None:
    async with TelegramServer() as server:
        await server.down()
        async with opened_bot(server, Clock()) as bot:
            await asyncio.sleep(0.3)
            assert bot.telegram.silence == float("inf")
            await server.up()
            await server.until(lambda: server.polling)
            assert bot.telegram.healthy
        assert server.faults == []


@pytest.mark.parametrize("method", ["getMe", "deleteWebhook", "setMyCommands", "getUpdates"])
@pytest.mark.parametrize("fault", [_bad_gateway, _cut, _no_answer])
async def test_whatever_fails_first_the_bot_connects(fault: Fault, method: str) -> None:
    async with TelegramServer() as server:
        fault(server, method)
        async with opened_bot(server, Clock()) as bot:
            await server.until(lambda: server.polling and bot.telegram.healthy)
            assert len([line for line in bot.said if "connected" in line]) == 1
        assert server.faults == []


# --- polls ---


async def test_another_process_with_the_same_token_is_told_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with TelegramServer() as server, opened_bot(server, Clock()):
        await _conflicts(server, 2)
        assert len(_told(caplog, "another process polls")) == 1
        monkeypatch.setattr(app, "ALARM_EVERY", 0)
        await _conflicts(server, 1)
        assert len(_told(caplog, "another process polls")) == 2
        await _answers(server)
        assert server.faults == []


async def _conflicts(server: TelegramServer, times: int) -> None:
    """So many polls are ended by another process."""
    reason = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    before = len(_refused(server, 409))
    server.fail("getUpdates", 409, reason, times=times)
    await server.until(lambda: len(_refused(server, 409)) == before + times and server.polling)


async def test_a_silent_poller_is_built_anew(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(http, "READ", LATE)
    monkeypatch.setattr(app, "SILENT_TOO_LONG", 1.5)
    async with TelegramServer() as server, opened_bot(server, Clock()) as bot:
        await server.until(lambda: server.polls == 4)
        assert len(server.called("getMe")) == 1
        server.slow("getUpdates", LATE)
        await server.until(lambda: len(server.called("getMe")) == 2 and bot.telegram.healthy)
        assert len(_told(caplog, "no poll was finished")) == 1
        await _answers(server)
        assert len([line for line in bot.said if "connected" in line]) == 1
        assert server.faults == []


def _told(caplog: pytest.LogCaptureFixture, words: str) -> list[str]:
    """The errors in the log that say this."""
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    return [line for line in lines if words in line]


async def _answers(server: TelegramServer) -> None:
    """Somebody new is heard."""
    zeynep = server.user("Zeynep", "zeynep")
    await zeynep.start()
    await server.until(lambda: zeynep.private.last)


# --- too much at once ---

FASTER = 10
"""Telegram's minute is so much shorter here, and so is all that the bot knows of it."""
PRESSES, PRESSING = 60, 20.0 / FASTER
LATEST = 20.0 / FASTER
"""Seconds within which new buttons are there even in a group that has used up most of its minute."""
PROMPT = 3.0 / FASTER


@pytest.fixture
async def busy(server: TelegramServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    """A room in which Telegram counts calls and the bot keeps its budgets."""
    most, span, burst = budget.GROUP
    monkeypatch.setattr(budget, "GROUP", Limit(most, span / FASTER, burst))
    monkeypatch.setattr(telegram_rules, "GROUP_SECONDS", telegram_rules.GROUP_SECONDS / FASTER)
    monkeypatch.setattr(stage, "PICTURE_LATER", stage.PICTURE_LATER / FASTER)
    server.flood = True
    async with opened_room(server) as room:
        yield room


async def test_sixty_presses_in_twenty_seconds_provoke_no_flood_wait(busy: Room) -> None:
    await busy.begun(length=25)
    board, _, _ = await busy.turn()
    pressing = asyncio.create_task(_pressed_often(busy, board))
    late = [0.0]
    while not pressing.done():
        await asyncio.sleep(PRESSING / PRESSES / 10)
        late.append(await _lateness(busy, board))
    assert max(late) < LATEST
    await busy.server.until(lambda: busy.server.called(chat=busy.group)[-1].method == "editMessageMedia")
    assert revision_on(board) == await busy.revision()
    assert busy.server.floods == 0


@pytest.mark.xfail(
    strict=True,
    reason="Stage._show takes a call of the budget also when nothing is sent: while a picture is spared, one each 6 s",
)
async def test_a_group_that_has_run_low_recovers_while_it_is_quiet(busy: Room) -> None:
    await busy.begun(length=25)
    while not busy.server.called("editMessageCaption"):
        board, mover, _ = await busy.turn()
        mover.tap(board, forward(board)[0])
        await asyncio.sleep(PRESSING / PRESSES)
    await asyncio.sleep(3 * LATEST / 2)
    async with asyncio.timeout(PROMPT):
        await busy.step()


async def _pressed_often(room: Room, board: Message) -> None:
    for number in range(PRESSES):
        room.people[number % 2].tap(board, forward(board)[0])
        await asyncio.sleep(PRESSING / PRESSES)


async def _lateness(room: Room, board: Message) -> float:
    """After how many seconds a board shows what there is now."""
    began, revision = time.monotonic(), await room.revision()
    await room.server.until(lambda: revision_on(board) >= revision)
    return time.monotonic() - began
