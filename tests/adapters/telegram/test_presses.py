"""Presses on Telegram: whose they are, which of them count, how each is answered; and who is called."""

import logging

import pytest

from bot.service import jobs
from bot.service.flow import QUIET
from tests.adapters.telegram.room import (
    NOT_YOURS,
    Answer,
    Room,
    forward,
    now,
    other_than,
    pinged,
    ready,
    said,
    state,
)
from tests.servers.telegram import Chat, Message, User

MOVED_ON = "The board has moved on. This is how it stands now."
UNKNOWN = "This button is not known here. Open the table again."


# Whose turn it is.


async def test_in_a_group_only_whoever_is_to_move_can_press(room: Room) -> None:
    eve = room.server.user("Eve")
    eve.join(room.group)
    await room.begun()
    board, mover, waiting = await room.turn()
    before, edits, revision = state(board), board.edits, await room.revision()
    for label in _steps(board):
        assert (await waiting.press(board, label)).text == NOT_YOURS[0]
        assert (await eve.press(board, label)).text == NOT_YOURS[1]
    assert (await eve.press(board, _leaving(board))).text == NOT_YOURS[1]
    await room.settled()
    assert (state(board), board.edits) == (before, edits)
    assert await room.revision() == revision
    await mover.press(board, _steps(board)[0])
    await room.server.until(lambda: state(board) != before)


# Presses that come twice, late or side by side.


async def test_a_double_press_counts_once(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    revision, label = await room.revision(), _steps(board)[0]
    taps = [mover.tap(board, label) for _ in range(2)]
    told = [(await mover.answer(tap)).text for tap in taps]
    assert told.count(MOVED_ON) == 1
    assert await room.revision() == revision + 1
    await room.server.until(lambda: "Undo" in board.labels)


async def test_two_buttons_pressed_before_the_board_is_repainted_are_one_step(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    revision = await room.revision()
    room.server.slow("editMessageMedia", 0.2)
    taps = {label: mover.tap(board, label) for label in _steps(board)[:2]}
    told = {label: (await mover.answer(tap)).text for label, tap in taps.items()}
    (played,) = [label for label, text in told.items() if text != MOVED_ON]
    assert await room.revision() == revision + 1
    await room.server.until(lambda: f": {played}" in said(board))


async def test_a_stale_press_changes_nothing_and_repaints_the_board(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    old = board.button(_steps(board)[0]).data
    await room.step()
    before, revision = state(board), await room.revision()
    await mover.press(board, _leaving(board))
    await room.server.until(lambda: "Back" in board.labels)
    assert (await mover.press(board, stale=old)).text == MOVED_ON
    await room.server.until(lambda: state(board) == before)
    assert await room.revision() == revision


async def test_a_press_that_is_answered_too_late_counts_all_the_same(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    revision = await room.revision()
    room.server.query_seconds = -1.0
    mover.tap(board, _steps(board)[0])
    await room.server.until(lambda: "Undo" in board.labels)
    await room.server.until(lambda: room.server.called("answerCallbackQuery")[-1].status == 400)
    assert await room.revision() == revision + 1
    await room.settled()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


# Messages that are not the live one.


async def test_a_press_on_a_message_retired_long_ago_is_shown_on_the_live_one(room: Room) -> None:
    first, mover, live = await _replaced(room)
    data, revision = live.button(_steps(live)[0]).data, await room.revision()
    await mover.press(first, stale=data)
    await room.server.until(lambda: "Undo" in live.labels)
    assert await room.revision() == revision + 1
    assert (await mover.press(first, stale=data)).text == MOVED_ON
    await room.settled()
    assert await room.revision() == revision + 1
    assert now(room.group) is live
    assert not first.buttons
    assert len(room.group.boards) == 3


async def test_a_message_that_kept_its_buttons_loses_them_by_a_press(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    room.server.fail("editMessageReplyMarkup", 500, "Internal Server Error")
    await room.ayse.say(room.group, "/board")
    live = await room.server.until(lambda: other_than(now(room.group), board))
    await room.server.until(lambda: room.server.called("editMessageReplyMarkup"))
    assert board.buttons
    await mover.press(board, _steps(board)[0])
    await room.server.until(lambda: not board.buttons and "Undo" in live.labels)


async def test_a_press_on_a_message_that_is_gone_counts_and_brings_a_new_board(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    data = board.button(_steps(board)[0]).data
    room.group.remove(board)
    await mover.press(board, stale=data)
    again = await room.live()
    assert "Undo" in again.labels
    assert room.group.boards == [again]


@pytest.mark.parametrize("forum", [False, True])
async def test_a_press_whose_message_is_not_told_any_more_changes_it_in_place(room: Room, forum: bool) -> None:
    chat = room.server.group("Club", *room.people, forum=forum)
    thread = chat.topic("Tavla") if forum else None
    await room.begun(chat, thread=thread)
    board, mover, _ = await room.turn(chat, thread)
    before = state(board)
    assert (await _press_untold(room, mover, board, _steps(board)[0])).text not in ("", MOVED_ON, UNKNOWN)
    await room.server.until(lambda: state(board) != before)
    await room.settled()
    assert "Undo" in board.labels
    assert chat.boards == [board]
    await room.mehmet.say(chat, "/board", thread=thread)
    await room.server.until(lambda: not board.buttons)
    old = state(board)
    await room.step(chat=chat, thread=thread)
    await room.settled()
    assert state(board) == old


# Data that no button of the message carries.


@pytest.mark.parametrize(
    "data", ["what is this", "x", "ş" * 32, "!nothing.1.a", "test000002.1.q", "test000002.1.s.99-9", "{match}.zz", "0"]
)
async def test_data_that_means_nothing_is_refused(room: Room, data: str) -> None:
    board = await room.begun()
    before, revision = state(board), await room.revision()
    assert (await room.ayse.press(board, stale=data)).text == UNKNOWN
    assert state(board) == before
    assert await room.revision() == revision


async def test_data_of_a_match_or_command_that_there_is_not_is_refused(room: Room) -> None:
    board = await room.begun()
    before = state(board)
    assert (await room.ayse.press(board, stale="nosuchmatc.1.z")).text == UNKNOWN
    assert (await room.ayse.press(board, stale="!nosuchonee.1.a")).text == UNKNOWN
    assert "I do not know this command." in (await room.ayse.press(board, stale="/nonsense")).text
    await room.settled()
    assert state(board) == before
    await room.step()
    assert now(room.group) is board


async def test_data_of_another_match_paints_nothing_over_this_one(room: Room) -> None:
    eve = room.server.user("Eve")
    eve.join(room.group)
    await eve.start()
    await eve.say(eve.private, "/computer easy 1")
    own = await room.server.until(lambda: ready(now(eve.private)))
    board = await room.begun()
    before = state(board)
    data = own.button(forward(own)[0]).data
    await room.ayse.press(board, stale=data)
    await eve.press(board, stale=data)
    await room.step([eve], eve.private)
    await room.settled()
    assert state(board) == before
    await room.step()
    assert "Ayşe 0 – 0 Mehmet" in said(board)


# The position in words.


async def test_a_position_in_words_pops_up_for_whoever_asks_in_a_group(room: Room) -> None:
    eve = room.server.user("Eve")
    eve.join(room.group)
    board = await room.begun()
    for user in (room.ayse, eve):
        answer = await user.press(board, "In words")
        assert answer.alert
        assert answer.text.startswith("Points by the numbers of ")
        assert "Mehmet, dark: 2 on 24, 5 on 13, 3 on 8, 5 on 6" in answer.text
    await room.step()
    assert board.edits == 1
    assert room.server.called("sendMessage")[1:] == []


async def test_a_position_too_long_to_pop_up_is_behind_a_link_to_ones_own_chat(room: Room) -> None:
    eve = room.server.user("Eve")
    eve.join(room.group)
    await room.begun()
    board = await _scattered(room)
    for user, told in ((room.ayse, "Points by your own numbers"), (eve, "Points by the numbers of")):
        answer = await user.press(board, "In words")
        link, _, payload = answer.url.partition("?start=")
        assert (answer.text, link) == ("", "https://t.me/tavla_bot")
        await user.start(payload)
        assert len((await room.told(told, user.private)).text) > 200
    assert now(room.group) is board


async def test_in_words_is_a_message_in_private(room: Room) -> None:
    await room.with_friends()
    (board,) = room.mehmet.private.boards
    answer = await room.mehmet.press(board, "In words")
    assert (answer.text, answer.url, answer.alert) == ("", "", False)
    told = await room.told("Points by your own numbers", room.mehmet.private)
    assert "You, dark: 2 on 24, 5 on 13, 3 on 8, 5 on 6" in told.text
    assert now(room.mehmet.private) is board


# Who is called.


@pytest.fixture
def watchful(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is due is looked for all the time."""
    monkeypatch.setattr(jobs, "POLL", 0.02)


@pytest.mark.usefixtures("watchful")
async def test_whoever_is_to_move_is_called_once_by_a_new_board(room: Room) -> None:
    await room.begun()
    board, acted, awaited = await _passed(room)
    room.clock.now += QUIET - 1
    await room.settled(0.1)
    assert _called(room.group) == []
    room.clock.now += 2
    called = await room.server.until(lambda: other_than(now(room.group), board))
    assert pinged(called) == [awaited]
    assert said(called).startswith("Over to you!")
    await room.server.until(lambda: not board.buttons)
    assert board.photo
    for _ in range(3):
        room.clock.now += QUIET + 1
        await room.settled(0.1)
    assert _called(room.group) == [awaited]
    assert now(room.group) is called
    loud = [call for call in room.server.called("sendPhoto") if not call.parameters["disable_notification"]]
    assert [call.result["message_id"] for call in loud] == [called.id]
    await room.step([awaited])
    assert acted not in _called(room.group)


@pytest.mark.usefixtures("watchful")
async def test_nobody_is_called_who_has_just_acted_or_acts_in_time(room: Room) -> None:
    await room.begun()
    _, _, awaited = await _passed(room)
    room.clock.now += QUIET - 1
    await room.step([awaited])
    for _ in range(3):
        room.clock.now += QUIET + 1
        await room.settled(0.1)
    assert _called(room.group) == []
    assert len(room.group.boards) == 1


@pytest.mark.usefixtures("watchful")
async def test_in_private_chats_only_whoever_is_to_move_hears_of_it(room: Room) -> None:
    await room.with_friends()
    awaited = next(user for user in room.people if forward(user.private.boards[0]))
    other = next(user for user in room.people if user is not awaited)
    (board,) = awaited.private.boards
    room.clock.now += QUIET + 1
    called = await room.server.until(lambda: other_than(now(awaited.private), board))
    await room.settled()
    assert pinged(called) == []
    assert not room.server.called("sendPhoto", awaited.private)[-1].parameters["disable_notification"]
    assert len(other.private.boards) == 1


def _steps(board: Message) -> list[str]:
    """The buttons that play one step."""
    return [label for label in board.labels if "/" in label and " " not in label]


def _leaving(board: Message) -> str:
    """The button that leads out of the match."""
    return next(label for label in board.labels if label in ("Abort…", "Concede…"))


async def _scattered(room: Room) -> Message:
    """The board of a match in which the checkers stand on many points."""
    for _ in range(11):
        await room.step()
    return await room.step()


async def _replaced(room: Room) -> tuple[Message, User, Message]:
    """A match whose board was shown anew twice: the first board, who is to move, the live one."""
    await room.begun()
    first, mover, _ = await room.turn()
    for _ in range(2):
        live = await room.live()
        await room.ayse.say(room.group, "/board")
        await room.server.until(lambda: not live.buttons)  # noqa: B023
    return first, mover, await room.live()


async def _passed(room: Room) -> tuple[Message, User, User]:
    """A match in which the turn has just passed: the board, who has played, who is to move."""
    _, mover, waiting = await room.turn()
    while (await room.turn())[1] is mover:
        await room.step()
    return await room.live(), mover, waiting


async def _press_untold(room: Room, user: User, message: Message, label: str) -> Answer:
    """A press on a message so old that Telegram tells no more of it than its number."""
    world, data = room.server.world, message.button(label).data
    assert data
    query = world.ask(user, message, data)
    number = {"message_id": message.id, "chat": message.chat.json(), "date": 0}
    told = {"id": query.id, "from": user.json(), "message": number, "data": data, "chat_instance": "1"}
    world.emit("callback_query", told)
    return await user.answer(query.id)


def _called(chat: Chat) -> list[User]:
    """Who has been called in a chat by its boards."""
    return [user for board in chat.boards for user in pinged(board)]
