"""What people write to the bot on Telegram: plays, hints, and words that mean nothing or are not for it."""

import pytest

from adapters.telegram import reception
from bot.engine.notation import write
from tests.adapters.telegram.room import Room, answers, code_in, now, ready, said, state
from tests.servers.telegram import Chat, Message

UNREADABLE = "I cannot read “{}”. Write a play like 13/8 6/5, 8/5(2), bar/22 or 6/off."
NO_CHECKER = "You have no checker there: 23."
NOT_YOUR_TURN = "It is not your turn."
NO_MATCH = "You have no match under way here. Begin one with /challenge or /computer."
UNKNOWN_COMMAND = "I do not know this command. /help tells what there is."


# Plays.


async def test_a_play_is_plain_text_in_private(room: Room) -> None:
    await room.ayse.start()
    board = await _against_the_computer(room, room.ayse.private)
    play = await _legal(room, room.ayse.private)
    await room.ayse.say(room.ayse.private, f"  {play.upper()} ")
    await room.server.until(lambda: "Confirm" in board.labels)
    assert f": {play}. Confirm?" in said(board)
    assert answers(room.ayse.private) == []


@pytest.mark.parametrize("form", ["/move {}", "/move@tavla_bot {}", "/MOVE\n{}"])
async def test_a_play_is_typed_with_move_in_a_group(room: Room, form: str) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    play = await _legal(room, room.group)
    await mover.say(room.group, form.format(play))
    await room.server.until(lambda: "Confirm" in board.labels)
    assert f"{mover.name}, " in said(board)
    assert f": {play}. To be confirmed." in said(board)
    assert room.group.boards == [board]
    assert len(answers(room.group)) == 1  # the challenge that was accepted


async def test_a_play_is_a_reply_to_the_board_in_a_group(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    play = await _legal(room, room.group)
    await mover.say(room.group, play, reply_to=board)
    await room.server.until(lambda: "Confirm" in board.labels)
    assert f": {play}. To be confirmed." in said(board)


async def test_one_step_of_a_play_may_be_typed_and_taken_back(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    before, step = state(board), next(label for label in board.labels if "/" in label)
    await mover.say(room.group, f"/move {step}")
    await room.server.until(lambda: f": {step} so far." in said(board))
    await mover.press(board, "Undo")
    await room.server.until(lambda: state(board)[1:3] == before[1:3])


async def test_a_reply_says_which_of_two_matches_is_meant(room: Room) -> None:
    first = await _against_the_computer(room, room.group)
    second = await _against_the_computer(room, room.group)
    before, step = state(second), _step(first)
    await room.ayse.say(room.group, f"/move {step}")
    await room.told("You have more than one match here: answer to its board, or look at /games.")
    await room.ayse.say(room.group, step, reply_to=first)
    await room.server.until(lambda: "Undo" in first.labels)
    assert state(second) == before


# Refusals.


@pytest.mark.parametrize(
    ("typed", "why"), [("23/22", NO_CHECKER), ("nice one", UNREADABLE.format("nice")), ("6/13", "only move to lower")]
)
async def test_in_a_group_a_refusal_answers_its_author_and_goes_after_a_while(
    room: Room, monkeypatch: pytest.MonkeyPatch, typed: str, why: str
) -> None:
    monkeypatch.setattr(reception, "REFUSAL_STAYS", 0.2)
    await room.begun()
    board, mover, _ = await room.turn()
    before, revision = state(board), await room.revision()
    await mover.say(room.group, f"/move {typed}")
    written = room.group.messages[-1]
    refusal = await room.told(why)
    assert refusal.reply_to is written
    await room.server.until(lambda: refusal.deleted)
    assert room.group.messages[-1] is written
    assert state(board) == before
    assert await room.revision() == revision


async def test_in_private_a_refusal_stays(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reception, "REFUSAL_STAYS", 0.0)
    await room.ayse.start()
    chat = room.ayse.private
    board = await _against_the_computer(room, chat)
    before = state(board)
    await room.ayse.say(chat, "23/22")
    refusal = await room.told(NO_CHECKER, chat)
    await room.settled()
    assert refusal in chat.messages
    assert refusal.reply_to is None
    assert room.server.called("deleteMessage") == []
    assert state(board) == before


@pytest.mark.parametrize("form", ["/move {}", "{}"])
async def test_whoever_waits_or_watches_cannot_play_by_typing(room: Room, form: str) -> None:
    eve = room.server.user("Eve")
    eve.join(room.group)
    await room.begun()
    board, _, waiting = await room.turn()
    before, revision = state(board), await room.revision()
    typed = form.format(_step(board))
    await waiting.say(room.group, typed, reply_to=board)
    assert (await room.told(NOT_YOUR_TURN)).reply_to is room.group.messages[-2]
    await eve.say(room.group, typed, reply_to=board)
    assert (await room.told(NO_MATCH)).reply_to is room.group.messages[-2]
    assert state(board) == before
    assert await room.revision() == revision


async def test_in_a_group_without_a_match_there_is_nothing_to_move(room: Room) -> None:
    for command in ("/move 13/8", "/board", "/hint"):
        await room.ayse.say(room.group, command)
        written = room.group.messages[-1]
        await room.server.until(lambda: room.group.last.reply_to is written)  # noqa: B023
        assert room.group.last.text == NO_MATCH


async def test_a_move_without_a_play_is_told_how_to_write_one(room: Room) -> None:
    await room.begun()
    _, mover, _ = await room.turn()
    await mover.say(room.group, "/move")
    await room.told(UNREADABLE.format(""))


# Hints.


async def test_a_hint_against_the_computer_is_said_and_drawn(room: Room) -> None:
    await room.ayse.start()
    chat = room.ayse.private
    board = await _against_the_computer(room, chat)
    picture, revision = board.photo, await room.revision(chat)
    await room.ayse.say(chat, "/hint")
    told = await room.told("Hint 1:", chat)
    best = await _legal(room, chat)
    assert f"Hint 1: {best} wins about 50 % of the games" in told.text
    await room.server.until(lambda: board.photo != picture)
    assert "Hint 1:" in said(board)
    assert await room.revision(chat) == revision
    await room.step([room.ayse], chat)
    assert "Hint 1:" not in said(board)


async def test_there_are_no_hints_between_people(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    before = state(board)
    assert "Hint" not in board.labels
    await mover.say(room.group, "/hint")
    await room.told("Hints are given against the computer only.")
    assert state(board) == before


# What is not for the bot, or means nothing.


async def test_talk_in_a_group_is_not_for_the_bot(room: Room) -> None:
    room.server.privacy = False
    await room.begun()
    board, mover, _ = await room.turn()
    before, calls = state(board), len(room.server.called())
    step = _step(board)
    await mover.say(room.group, step)
    await room.mehmet.say(room.group, "hello", reply_to=room.group.messages[-1])
    for text in (f"/move@other_bot {step}", "/weather", f"look: /move {step}", "@tavla_bot 13/8"):
        heard = await mover.say(room.group, text)
        assert heard
    await room.settled()
    assert len(room.server.called()) == calls
    assert state(board) == before
    await room.step()
    assert now(room.group) is board


async def test_an_unknown_command_is_refused_where_it_can_only_be_for_the_bot(room: Room) -> None:
    await room.ayse.start()
    await room.ayse.say(room.ayse.private, "/weather tomorrow")
    await room.told(UNKNOWN_COMMAND, room.ayse.private)
    await room.ayse.say(room.group, "/weather@tavla_bot")
    assert (await room.told(UNKNOWN_COMMAND)).reply_to is room.group.messages[-2]


async def test_words_in_private_are_answered_by_the_help(room: Room) -> None:
    await room.ayse.start()
    await room.ayse.say(room.ayse.private, "how do I play?")
    helped = await room.server.until(
        lambda: next(message for message in room.ayse.private.messages if "What I can do" in said(message))
    )
    assert "/challenge –" in said(helped)


async def test_a_code_in_private_shows_its_challenge(room: Room) -> None:
    await room.ayse.say(room.group, "/challenge")
    code = code_in(await room.live(label="Accept"))
    await room.mehmet.start()
    await room.mehmet.say(room.mehmet.private, code)
    assert "Ayşe is looking for an opponent" in said(await room.live(room.mehmet.private, label="Accept"))


async def test_what_people_write_is_never_read_as_markup(room: Room) -> None:
    await room.begun()
    _, mover, _ = await room.turn()
    await mover.say(room.group, "/move <b>13/8</b>&amp;")
    assert (await room.told("I cannot read")).text == UNREADABLE.format("<b>13/8</b>&amp;")
    wild = room.server.user("<i>Wild</i> & Co")
    await wild.start()
    await wild.say(wild.private, "/challenge")
    assert "<i>Wild</i> & Co is looking for an opponent" in said(await room.live(wild.private, label="Withdraw"))


async def _against_the_computer(room: Room, chat: Chat) -> Message:
    """A match of Ayşe against the computer, with a step to be played: its board."""
    before = now(chat)
    await room.ayse.say(chat, "/computer easy 1")
    board = await room.server.until(lambda: ready(_board(now(chat), before)))
    while not any("/" in label for label in board.labels):
        await room.step([room.ayse], chat)
    return board


def _board(message: Message | None, before: Message | None) -> Message | None:
    """The message if it is a board, and another one than before."""
    return message if message and message.photo and message is not before else None


def _step(board: Message) -> str:
    """The first step that a board offers."""
    return next(label for label in board.labels if "/" in label)


async def _legal(room: Room, chat: Chat) -> str:
    """The first legal play on the newest board of a chat."""
    (screen,) = await room.bot.store.screens_in("telegram", str(chat.id), 1)
    table = await room.bot.store.load(screen.watched)
    return write(table.match.game.turn().plays()[0].steps)
