"""What becomes of a match when its chat changes: messages deleted, the bot blocked or thrown out, groups that grow."""

import pytest

from adapters.chat import stage
from tests.adapters.telegram.room import Room, code_in, forward, now, other_than, said, state
from tests.servers.telegram import Chat, Message, User

NO_PHOTOS = "Bad Request: not enough rights to send photos to the chat"
NO_WORDS = "Bad Request: not enough rights to send text messages to the chat"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be shown is tried again soon."""
    monkeypatch.setattr(stage, "FIRST_PAUSE", 0.1)


async def _typed(room: Room, board: Message, mover: User) -> int:
    """Whoever is to move types a step; returns the revision that comes of it."""
    revision = await room.revision()
    await mover.say(board.chat, f"/move {forward(board)[0]}")
    return revision + 1


# --- messages ---


async def test_a_deleted_board_is_posted_anew(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    board.chat.remove(board)
    revision = await _typed(room, board, mover)
    fresh = await room.live()
    assert fresh.photo
    assert room.group.boards == [fresh]
    await room.step()
    assert now(room.group) is fresh
    assert await room.revision() == revision + 1


async def test_a_deleted_board_comes_back_on_demand(room: Room) -> None:
    board = await room.begun()
    board.chat.remove(board)
    await room.mehmet.say(room.group, "/board")
    fresh = await room.live()
    assert said(fresh) == said(board)
    await room.step()


async def test_a_deleted_invitation_comes_back_when_its_terms_change_hands(room: Room) -> None:
    """Whoever has the link takes it up all the same."""
    await room.ayse.start()
    await room.ayse.say(room.ayse.private, "/challenge 1")
    invitation = await room.live(room.ayse.private, label="Withdraw")
    room.ayse.private.remove(invitation)
    await room.mehmet.start(code_in(invitation))
    await room.mehmet.press(await room.live(room.mehmet.private, label="Accept"), "Accept")
    for chat in (room.ayse.private, room.mehmet.private):
        await room.live(chat, label="In words")


# --- private chats ---


async def test_a_blocked_bot_lets_the_friend_play_on(room: Room) -> None:
    mover, other = await _friends_turn(room)
    await _blocks(room, other)
    await _plays(room, mover)
    await _plays(room, mover)
    assert _refused(room, other.private) == []


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("way", ["/start", "/board"])
async def test_whoever_has_blocked_the_bot_gets_his_table_back(room: Room, way: str, told: bool) -> None:
    """Whether the bot was told of the block, or learnt it only when it wanted to write."""
    mover, other = await _friends_turn(room)
    (old,) = other.private.boards
    await _blocks(room, other, told=told)
    await _plays(room, mover)
    await room.settled()
    assert _refused(room, other.private) == ([] if told else [403])
    _unblocks(other, told=told)
    await (_found_again(room, other) if way == "/start" else other.say(other.private, way))
    await room.server.until(lambda: len(other.private.boards) == 2)
    await _plays(room, mover)
    await _plays(room, mover)
    await _plays(room, other)
    await room.settled()
    assert other.private.boards[0] is old
    assert len(other.private.boards) == 2


async def _blocks(room: Room, user: User, *, told: bool = True) -> None:
    """Somebody blocks the bot at a quiet moment."""
    await room.settled()
    if told:
        user.block()
    user.blocked = True
    await room.settled()


def _unblocks(user: User, *, told: bool) -> None:
    if told:
        user.unblock()
    user.blocked = False


async def _found_again(room: Room, user: User) -> None:
    """Somebody starts the bot anew and goes to his match by buttons alone."""
    await user.start()
    welcome = await room.live(user.private, label="My matches")
    await user.press(welcome, "My matches")
    matches = await room.server.until(lambda: other_than(now(user.private), welcome))
    await user.press(matches, matches.labels[0])


async def _plays(room: Room, user: User) -> None:
    """Somebody presses the first button of his board that goes on, once he has one."""
    board = await room.server.until(lambda: next(board for board in reversed(user.private.boards) if forward(board)))
    before = state(board)
    await user.press(board, forward(board)[0])
    await room.server.until(lambda: state(board) != before)


async def _friends_turn(room: Room) -> tuple[User, User]:
    """Two friends play, each in his own chat, until there is a step to play: who plays, who waits."""
    await room.with_friends()
    while True:
        mover = await room.server.until(lambda: next(user for user in room.people if _may(user)))
        other = next(user for user in room.people if user is not mover)
        if any("/" in label for label in (await room.live(mover.private)).labels):
            return mover, other
        await _plays(room, mover)


def _may(user: User) -> bool:
    """Whether somebody has a button that goes on."""
    board = now(user.private)
    return board is not None and bool(forward(board))


# --- groups ---


async def test_whoever_is_thrown_out_of_a_group_goes_on_in_private(room: Room) -> None:
    await room.begun()
    _, mover, other = await room.turn()
    room.group.kick()
    for user in (mover, other):
        await user.start()
        await user.say(user.private, "/board")
        await room.server.until(lambda user=user: user.private.boards)  # type: ignore[misc]  # a lambda has no types
    revision = await room.revision(mover.private)
    await room.step([mover], mover.private)
    assert await room.revision(mover.private) == revision + 1
    await room.settled()
    assert said(other.private.boards[-1]) != ""
    assert _refused(room, room.group) == []


async def test_a_group_that_takes_the_bot_back_gets_its_board_on_demand(room: Room) -> None:
    await room.begun()
    old, mover, _ = await room.turn()
    room.group.kick()
    await room.settled()
    room.group.kicked = False
    room.group.change_bot(room.ayse, "kicked", "member")
    await mover.say(room.group, "/board")
    fresh = await room.server.until(lambda: other_than(now(room.group), old))
    assert said(fresh) == said(old)
    await room.step()
    assert now(room.group) is fresh


async def test_a_group_that_threw_the_bot_out_unnoticed_is_left_after_one_try(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    await mover.start()
    revision = await room.revision()
    room.group.kicked = True
    await mover.say(mover.private, f"/move {forward(board)[0]}")
    await room.server.until(lambda: _refused(room, room.group))
    await room.settled(0.6)
    assert len(_refused(room, room.group)) == 1
    await mover.say(mover.private, "/board")
    await room.live(mover.private, label="In words")
    assert await room.revision(mover.private) == revision + 1


@pytest.mark.parametrize("told", [True, False])
async def test_a_group_that_becomes_a_supergroup_keeps_its_match(
    room: Room, monkeypatch: pytest.MonkeyPatch, told: bool
) -> None:
    """Whether the bot was told, or learns it only when it wants to write."""
    old = room.server.group("Kahve", *room.people, supergroup=False)
    await room.begun(old)
    board, mover, _ = await room.turn(old)
    revision = await room.revision(old)
    new = _migrated(room, monkeypatch, old, told=told)
    await room.settled()
    assert bool(await room.bot.store.screens_in("telegram", str(new.id))) == told
    mover.tap(board, forward(board)[0])
    fresh = await room.live(new)
    assert await room.revision(new) == revision + 1
    await room.step(chat=new)
    await room.settled()
    assert new.boards == [fresh]
    assert now(new) is fresh


async def test_a_board_can_be_asked_for_in_the_supergroup(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    old = room.server.group("Kahve", *room.people, supergroup=False)
    await room.begun(old)
    new = _migrated(room, monkeypatch, old, told=True)
    await room.mehmet.say(new, "/board")
    fresh = await room.live(new)
    await room.step(chat=new)
    assert new.boards == [fresh]


def _migrated(room: Room, monkeypatch: pytest.MonkeyPatch, group: Chat, *, told: bool) -> Chat:
    """The supergroup that a group has become."""
    with monkeypatch.context() as unheard:
        if not told:
            unheard.setattr(room.server.world, "emit", lambda *_: 0)
        return group.migrate()


# --- rights ---


@pytest.mark.parametrize("reason", [NO_PHOTOS, NO_WORDS, "Bad Request: CHAT_WRITE_FORBIDDEN"])
async def test_without_the_right_to_write_the_match_goes_on_elsewhere(room: Room, reason: str) -> None:
    await room.begun()
    board, mover, _ = await room.turn()
    revision = await room.revision()
    for method in ("editMessageMedia", "sendPhoto", "sendMessage"):
        room.server.fail(method, 400, reason, times=99, chat=room.group)
    await mover.press(board, forward(board)[0])
    await room.settled(0.6)
    assert len(_refused(room, room.group)) == 1
    await mover.start()
    await mover.say(mover.private, "/board")
    await room.server.until(lambda: mover.private.boards)
    assert await room.revision(mover.private) == revision + 1
    room.server.mend()
    await mover.say(room.group, "/board")
    fresh = await room.server.until(lambda: other_than(now(room.group), board))
    mover.tap(board, forward(board)[0])
    await room.server.until(lambda: not board.buttons)
    await room.step()
    assert now(room.group) is fresh


async def test_an_answer_that_may_not_be_written_keeps_nobody_waiting(room: Room) -> None:
    room.server.fail("sendMessage", 400, NO_WORDS, times=2, chat=room.group)
    await room.ayse.say(room.group, "/help")
    await room.ayse.say(room.group, "/challenge")
    await room.server.until(lambda: len(_refused(room, room.group)) == 2)
    await room.begun()


def _refused(room: Room, chat: Chat) -> list[int]:
    """How calls in a chat were refused."""
    return [call.status for call in room.server.called(chat=chat) if call.status >= 400]


# --- topics ---


async def test_a_closed_topic_leaves_the_others_alone(room: Room) -> None:
    """Two matches, each in its topic; one topic is closed in the middle."""
    forum = room.server.group("Kulüp", *room.people, forum=True)
    closed, open_ = forum.topic("Tavla"), forum.topic("Tavla 2")
    for thread in (closed, open_):
        await room.begun(forum, thread=thread)
        await room.turn(forum, thread)
    board, mover, _ = await room.turn(forum, closed)
    room.server.fail("editMessageMedia", 400, "Bad Request: TOPIC_CLOSED", chat=forum)
    await mover.press(board, forward(board)[0])
    await room.server.until(lambda: _refused(room, forum))
    board, mover, _ = await room.turn(forum, open_)
    before = state(board)
    await mover.say(forum, f"/move {forward(board)[0]}", reply_to=board, thread=open_)
    await room.server.until(lambda: state(board) != before)


async def test_a_deleted_topic_lets_the_match_go_on_in_another(room: Room) -> None:
    forum = room.server.group("Kulüp", *room.people, forum=True)
    deleted, other = forum.topic("Tavla"), forum.topic("Tavla 2")
    await room.begun(forum, thread=deleted)
    board, mover, _ = await room.turn(forum, deleted)
    await mover.say(forum, f"/move {forward(board)[0]}", thread=deleted)
    await room.settled()
    forum.remove(board)
    del forum.topics[deleted]
    await mover.say(forum, "/board", thread=other)
    fresh = await room.live(forum, other)
    await room.step(chat=forum, thread=other)
    assert now(forum, other) is fresh
    await room.settled()
    assert [message for message in forum.boards if message.buttons] == [fresh]
