"""Challenges on Telegram, and the commands around a match, by what people write and press."""

import pytest

from adapters.chat.stage import SWEEP
from bot.service.lobby import LASTS
from render.commands import COMMANDS
from tests.adapters.telegram.room import Room, code_in, forward, now, other_than, pinged, ready, said, state
from tests.servers.telegram import Chat, Message, User
from tests.servers.telegram_text import spotted, units

FOR_SOMEBODY_ELSE = "This challenge is for somebody else."
OVER = "This challenge is no longer open."


# Whom a challenge is for.


async def test_a_challenge_by_user_name_is_for_that_person_alone(room: Room) -> None:
    eve = _joined(room, "Eve", "eve")
    await room.ayse.say(room.group, "/challenge @MEHMET 3")
    invitation = await room.live(label="Accept")
    assert "Ayşe challenges @mehmet." in said(invitation)
    assert (await eve.press(invitation, "Accept")).text == FOR_SOMEBODY_ELSE
    assert (await eve.press(invitation, "Decline")).text == FOR_SOMEBODY_ELSE
    await room.mehmet.press(invitation, "Accept")
    board = await _board(room.group, room)
    assert "match to 3 points · Ayşe 0 – 0 Mehmet" in said(board)
    assert "Accepted." in said(invitation)
    assert invitation.edits == 1
    assert now(room.group) is board


async def test_a_challenge_by_reply_is_for_the_author_and_calls_him(room: Room) -> None:
    can = _joined(room, "Can")
    await can.say(room.group, "who plays?")
    await room.ayse.say(room.group, "/challenge", reply_to=room.group.messages[-1])
    invitation = await room.live(label="Accept")
    assert "Ayşe challenges Can." in said(invitation)
    assert pinged(invitation) == [can]
    assert (await room.mehmet.press(invitation, "Accept")).text == FOR_SOMEBODY_ELSE
    await can.press(invitation, "Accept")
    assert "Ayşe 0 – 0 Can" in said(await _board(room.group, room))


async def test_somebody_without_a_user_name_is_challenged_by_a_mention(room: Room) -> None:
    can = _joined(room, "Can Öz")
    await _mention(room.ayse, room.group, "/challenge {} 7", can)
    invitation = await room.live(label="Accept")
    assert "Ayşe challenges Can Öz." in said(invitation)
    assert "match to 7 points" in said(invitation)
    assert pinged(invitation) == [can]
    assert (await room.mehmet.press(invitation, "Accept")).text == FOR_SOMEBODY_ELSE
    await can.press(invitation, "Accept")
    await _board(room.group, room)


async def test_a_challenge_to_anyone_here_is_taken_by_whoever_comes_first(room: Room) -> None:
    eve = _joined(room, "Eve")
    await room.ayse.say(room.group, "/challenge")
    invitation = await room.live(label="Accept")
    assert "Ayşe is looking for an opponent" in said(invitation)
    assert "Decline" not in invitation.labels
    assert pinged(invitation) == []
    taps = [(user, user.tap(invitation, "Accept")) for user in (eve, room.mehmet)]
    told = {user: (await user.answer(tap)).text for user, tap in taps}
    board = await _board(room.group, room)
    (late,) = [user for user in told if told[user]]
    (first,) = [user for user in told if not told[user]]
    assert told[late] == OVER
    assert f"Ayşe 0 – 0 {first.name}" in said(board)
    assert room.group.boards == [board]


async def test_an_own_challenge_cannot_be_accepted(room: Room) -> None:
    await room.ayse.say(room.group, "/challenge")
    invitation = await room.live(label="Accept")
    assert "your own challenge" in (await room.ayse.press(invitation, "Accept")).text
    await room.mehmet.press(invitation, "Accept")
    await _board(room.group, room)
    assert invitation.edits == 1


@pytest.mark.parametrize("way", ["by name", "by reply", "by mention"])
async def test_nobody_can_challenge_himself(room: Room, way: str) -> None:
    if way == "by name":
        await room.ayse.say(room.group, "/challenge @Ayse")
    elif way == "by reply":
        await room.ayse.say(room.group, "hello")
        await room.ayse.say(room.group, "/challenge", reply_to=room.group.messages[-1])
    else:
        await _mention(room.ayse, room.group, "/challenge {}", room.ayse)
    await room.told("You cannot challenge yourself.")
    assert now(room.group) is None


@pytest.mark.parametrize("way", ["by name", "by reply"])
async def test_a_bot_is_not_challenged(room: Room, way: str) -> None:
    await room.mehmet.say(room.group, "/rules")
    rules = await room.told("Tavla")
    await room.ayse.say(room.group, "/challenge @tavla_bot" if way == "by name" else "/challenge", reply_to=rules)
    await room.told("That is a bot.")
    assert now(room.group) is None


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("/challenge @mehmet 26", "26 is not possible"),
        ("/challenge @mehmet 0", "0 is not possible"),
        ("/challenge soon", "I do not understand “soon” here."),
        ("/computer fierce", "I do not understand “fierce” here."),
        ("/challenge abcdefghij", "This challenge does not exist."),
    ],
)
async def test_what_cannot_be_asked_is_refused_with_its_reason(room: Room, asked: str, why: str) -> None:
    await room.ayse.say(room.group, asked)
    refusal = await room.told(why)
    assert refusal.reply_to is room.group.messages[-2]
    assert now(room.group) is None


# What can become of it.


async def test_a_declined_challenge_is_over(room: Room) -> None:
    await room.ayse.say(room.group, "/challenge @mehmet")
    invitation = await room.live(label="Decline")
    accept = invitation.button("Accept").data
    assert "your own challenge" in (await room.ayse.press(invitation, "Decline")).text
    await room.mehmet.press(invitation, "Decline")
    await room.server.until(lambda: not invitation.buttons)
    assert "Declined." in said(invitation)
    assert (await room.mehmet.press(invitation, stale=accept)).text == OVER


async def test_only_the_challenger_can_withdraw(room: Room) -> None:
    await room.ayse.say(room.group, "/challenge @mehmet")
    invitation = await room.live(label="Withdraw")
    accept = invitation.button("Accept").data
    assert (await room.mehmet.press(invitation, "Withdraw")).text == FOR_SOMEBODY_ELSE
    assert invitation.buttons
    await room.ayse.press(invitation, "Withdraw")
    await room.server.until(lambda: not invitation.buttons)
    assert "Withdrawn." in said(invitation)
    assert (await room.mehmet.press(invitation, stale=accept)).text == OVER
    assert room.group.boards == []


async def test_the_challenger_alone_changes_the_length_and_nobody_accepts_it_unseen(room: Room) -> None:
    await room.ayse.say(room.group, "/challenge @mehmet")
    invitation = await room.live(label="Accept")
    seen = invitation.button("Accept").data
    assert "match to 5 points" in said(invitation)
    assert (await room.mehmet.press(invitation, "Length…")).text == FOR_SOMEBODY_ELSE
    assert "Length…" in invitation.labels
    await room.ayse.press(invitation, "Length…")
    await room.server.until(lambda: "· 5 ·" in invitation.labels)
    await room.ayse.press(invitation, "11")
    await room.server.until(lambda: "· 11 ·" in invitation.labels)
    assert "match to 11 points" in said(invitation)
    assert "has been changed" in (await room.mehmet.press(invitation, stale=seen)).text
    await room.server.until(lambda: "Accept" in invitation.labels)
    await room.mehmet.press(invitation, "Accept")
    assert "match to 11 points" in said(await _board(room.group, room))


async def test_an_expired_challenge_loses_its_buttons(room: Room) -> None:
    await room.ayse.say(room.group, "/challenge @mehmet")
    invitation = await room.live(label="Accept")
    room.clock.now += LASTS + 1
    await room.bot.lobby.sweep()
    await room.server.until(lambda: not invitation.buttons, seconds=SWEEP / 2)  # at once, not when it is found behind
    assert "Nobody has accepted in time." in said(invitation)


async def test_a_press_on_an_expired_challenge_is_refused_and_takes_its_buttons(room: Room) -> None:
    await room.ayse.say(room.group, "/challenge @mehmet")
    invitation = await room.live(label="Accept")
    room.clock.now += LASTS + 1
    assert (await room.mehmet.press(invitation, "Accept")).text == OVER
    await room.server.until(lambda: not invitation.buttons)
    assert "Nobody has accepted in time." in said(invitation)
    assert room.group.boards == []


# By link.


async def test_two_friends_play_by_link_each_in_his_own_chat(room: Room) -> None:
    await room.with_friends()
    for _ in range(20):
        mover, waiting = await _whose_turn(room)
        own, theirs = mover.private.boards[-1], waiting.private.boards[-1]
        before = state(own), state(theirs)
        await mover.press(own, forward(own)[0])
        await room.server.until(lambda: state(own) != before[0] and state(theirs) != before[1])  # noqa: B023
    mover, waiting = await _whose_turn(room)
    (own,), (theirs,) = mover.private.boards, waiting.private.boards
    assert "single game · Ayşe 0 – 0 Mehmet" in said(own)
    assert "Your move" in said(own)
    assert f"{mover.name} has" in said(theirs)
    assert own.photo != theirs.photo
    assert now(mover.private) is own
    assert now(waiting.private) is theirs
    assert (own.edits, theirs.edits) == (20, 20)


async def test_a_link_leads_to_the_match_for_its_players_alone(room: Room) -> None:
    eve = room.server.user("Eve")
    code = await room.with_friends()
    (old,) = room.mehmet.private.boards
    await room.mehmet.start(code)
    await room.server.until(lambda: len(room.mehmet.private.boards) == 2 and not old.buttons)
    await eve.start(code)
    await room.told(OVER, eve.private)
    assert eve.private.boards == []


async def test_ones_own_link_shows_the_challenge_without_accept(room: Room) -> None:
    await room.ayse.start()
    await room.ayse.say(room.ayse.private, "/challenge")
    invitation = await room.live(room.ayse.private, label="Withdraw")
    assert "Accept" not in invitation.labels
    await room.ayse.start(code_in(invitation))
    again = await room.server.until(lambda: other_than(now(room.ayse.private, label="Withdraw"), invitation))
    assert again.labels == ["Length…", "House rules…", "Withdraw"]
    await room.server.until(lambda: not invitation.buttons)


async def test_a_challenge_of_a_group_is_taken_up_elsewhere_by_its_code(room: Room) -> None:
    eve = room.server.user("Eve")
    await room.ayse.say(room.group, "/challenge 1")
    invitation = await room.live(label="Accept")
    await eve.start()
    await eve.say(eve.private, f"/challenge {code_in(invitation)}")
    await eve.press(await room.live(eve.private, label="Accept"), "Accept")
    await room.server.until(lambda: eve.private.boards and room.group.boards)
    assert not invitation.buttons
    assert "Ayşe 0 – 0 Eve" in said(room.group.boards[-1])
    assert "Ayşe 0 – 0 Eve" in said(eve.private.boards[-1])


# Topics of a forum.


async def test_a_challenge_in_a_topic_stays_there_with_its_match(room: Room) -> None:
    forum = room.server.group("Club", *room.people, forum=True)
    topic, other = forum.topic("Tavla"), forum.topic("Other")
    board = await room.begun(forum, thread=topic)
    for _ in range(4):
        await room.step(chat=forum, thread=topic)
    assert forum.boards == [board]
    assert {message.thread for message in forum.messages if message.sender.is_bot} == {topic}
    await room.mehmet.say(forum, "/board", thread=other)
    again = await room.live(forum, other)
    assert again.photo is not None
    assert board.buttons


async def test_a_topic_does_not_make_every_challenge_one_to_its_founder(room: Room) -> None:
    forum = room.server.group("Club", *room.people, forum=True)
    topic = forum.topic("Tavla")
    await room.mehmet.say(forum, "/challenge", thread=topic)
    invitation = await room.live(forum, topic, "Accept")
    assert "Mehmet is looking for an opponent" in said(invitation)


# The computer, and the other commands.


async def test_the_computer_is_played_by_one_word_and_by_a_choice(room: Room) -> None:
    await room.ayse.start()
    await room.ayse.say(room.ayse.private, "/computer hard 3")
    board = await _board(room.ayse.private, room)
    assert "match to 3 points · Ayşe 0 – 0 Computer (hard)" in said(board)
    await room.mehmet.start()
    await room.mehmet.say(room.mehmet.private, "/computer")
    await room.mehmet.press(await room.live(room.mehmet.private, label="Medium"), "Medium")
    assert "Mehmet 0 – 0 Computer (medium)" in said(await _board(room.mehmet.private, room))


async def test_a_match_against_the_computer_in_a_group_is_its_players_alone(room: Room) -> None:
    await room.ayse.say(room.group, "/computer")
    invitation = await room.live(label="Easy")
    assert (await room.mehmet.press(invitation, "Easy")).text == FOR_SOMEBODY_ELSE
    await room.ayse.press(invitation, "Easy")
    board = await _board(room.group, room)
    await room.server.until(lambda: forward(board))
    assert "only watching" in (await room.mehmet.press(board, forward(board)[0])).text
    await room.step([room.ayse])


async def test_games_lists_ones_matches_and_shows_one_by_a_tap(room: Room) -> None:
    await room.begun()
    await room.ayse.start()
    chat = room.ayse.private
    await room.ayse.say(chat, "/computer easy 1")
    await _board(chat, room)
    await room.ayse.say(chat, "/games")
    listed = await room.live(chat, label="2")
    number, entry = next(line.split(". ", 1) for line in said(listed).splitlines() if "Mehmet" in line)
    assert "single game · Ayşe 0 – 0 Mehmet" in entry
    assert "Computer (easy)" in said(listed)
    await room.ayse.press(listed, number)
    board = await room.server.until(lambda: other_than(now(chat), listed))
    assert "Ayşe 0 – 0 Mehmet" in said(board)


async def test_somebody_without_matches_is_told_how_to_begin(room: Room) -> None:
    await room.ayse.start()
    await room.ayse.say(room.ayse.private, "/games")
    listed = await room.server.until(lambda: _with(room.ayse.private, "You have no match under way."))
    assert listed.labels == ["Play the computer", "Challenge a friend"]
    await room.ayse.say(room.ayse.private, "/board")
    await room.told("You have no match under way here.", room.ayse.private)


async def test_board_shows_the_table_anew_and_the_old_one_loses_its_buttons(room: Room) -> None:
    board = await room.begun()
    picture = board.photo
    await room.mehmet.say(room.group, "/board")
    again = await room.server.until(lambda: other_than(now(room.group), board))
    await room.server.until(lambda: not board.buttons)
    assert again.photo == board.photo == picture
    assert again.labels
    await room.step()
    assert board.photo == picture
    assert now(room.group) is again


async def test_help_and_rules_answer_whoever_asks(room: Room) -> None:
    for chat in (room.group, room.ayse.private):
        await room.ayse.say(chat, "/help")
        helped = await room.server.until(lambda chat=chat: _with(chat, "What I can do"))  # type: ignore[misc]
        assert all(f"/{name} –" in said(helped) for name in COMMANDS)
        await room.ayse.say(chat, "/rules")
        rules = await room.told("Three tips:", chat)
        assert said(rules).startswith("Tavla\n")
        for told in (helped, rules):
            assert bool(told.reply_to) == (chat is room.group)


async def test_a_turkish_user_reads_turkish_in_private(room: Room) -> None:
    deniz = room.server.user("Deniz", language="tr")
    chat = deniz.private
    await deniz.start()
    welcome = await room.live(chat)
    assert said(welcome).startswith("Hoş geldiniz!")
    await deniz.say(chat, "/computer")
    await deniz.press(await room.live(chat, label="Kolay"), "Kolay")
    board = await _board(chat, room)
    assert "Bilgisayar (kolay)" in said(board)
    assert "Sıra sizde" in said(board)
    assert "Yazıyla" in board.labels
    assert "Sıra sizde" in (await deniz.press(board, forward(board)[0])).text
    await deniz.say(chat, "/rules")
    await room.told("Üç öğüt:", chat)


async def test_a_shared_table_speaks_the_challengers_language_and_toasts_the_readers(room: Room) -> None:
    deniz = _joined(room, "Deniz", language="tr")
    board = await room.begun()
    await room.server.until(lambda: forward(board))
    assert "izliyorsunuz" in (await deniz.press(board, forward(board)[0])).text
    await room.step()
    assert "to play" in said(board) or "so far" in said(board)


def _joined(room: Room, name: str, username: str = "", language: str = "en") -> User:
    """Somebody else in the group."""
    user = room.server.user(name, username, language)
    user.join(room.group)
    return user


async def _board(chat: Chat, room: Room) -> Message:
    """The first board in a chat, once it can be pressed."""
    return await room.server.until(lambda: ready(chat.boards[0]))


async def _mention(author: User, chat: Chat, text: str, whom: User) -> None:
    """Writes to a chat with the name of somebody in it, as apps do who offer people without a user name."""
    before, _, _ = text.partition("{}")
    entity = {"type": "text_mention", "offset": units(before), "length": units(whom.name), "user": whom.json()}
    written = text.format(whom.name)
    message = chat.add(author, text=written, entities=spotted(written, [entity]))
    chat._world.emit("message", message.json())


async def _whose_turn(room: Room) -> tuple[User, User]:
    """Who has buttons that go on, and who waits, where each has his own chat."""
    mover = await room.server.until(
        lambda: next(user for user in room.people if any(forward(board) for board in user.private.boards))
    )
    return mover, next(user for user in room.people if user is not mover)


def _with(chat: Chat, text: str) -> Message:
    """The newest message of the bot that says so."""
    return next(message for message in reversed(chat.messages) if message.sender.is_bot and text in said(message))
