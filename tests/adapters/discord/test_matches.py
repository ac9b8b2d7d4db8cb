"""People play on Discord: the real client against a Discord of our own, by what they can press and type."""

from tests.adapters.discord.room import Room, forward, state
from tests.servers.discord import Message


async def test_a_new_user_plays_the_computer_by_buttons_alone(room: Room) -> None:
    channel = room.server.dm(room.ayse)
    asked = await room.ayse.command(channel, "help")
    (hello,) = asked.ephemeral
    await room.press(room.ayse, hello, "Play the computer")
    invitation = await room.live(channel)
    await room.press(room.ayse, invitation, "Length…")
    await room.server.until(lambda: "1" in invitation.labels)
    await room.press(room.ayse, invitation, "1")
    await room.server.until(lambda: "· 1 ·" in invitation.labels)
    await room.press(room.ayse, invitation, "Back")
    await room.server.until(lambda: "Easy" in invitation.labels)
    await room.press(room.ayse, invitation, "Easy")
    end = await room.whole_match([room.ayse], channel)
    assert "won" in end.content
    assert [message for message in channel.messages if message.buttons] == [end]


async def test_two_people_in_a_server_play_a_whole_match(room: Room) -> None:
    await room.begun()
    await room.whole_match([room.ayse, room.mehmet])
    invitation, board = room.channel.messages
    assert not invitation.buttons
    assert "Accepted." in invitation.content
    (picture,) = board.attachments
    assert picture.filename == "board.png"
    assert 0 < len(picture.description) <= 1024
    assert board.edits > 50
    assert _kept_views(room) == 0


async def test_a_challenge_mentions_whom_it_is_for(room: Room) -> None:
    await room.ayse.command(room.channel, "challenge", opponent=room.mehmet)
    invitation = await room.live()
    assert "Ayşe challenges Mehmet." in invitation.content
    assert invitation.mentions == [room.mehmet]


async def test_nobody_but_whoever_is_to_move_is_ever_mentioned(room: Room) -> None:
    people = (room.ayse, room.mehmet)
    await room.begun()
    invitation = room.channel.messages[0]
    board, mover, waiting = await room.turn(people)
    while (await room.turn(people))[1] is mover:
        await room.step(people)
    room.clock.now += 40
    told = await room.server.until(lambda: room.channel.last if room.channel.last is not board else None)
    assert told.mentions == [waiting]
    assert told.content.startswith(waiting.mention)
    await room.server.until(lambda: not board.buttons)
    assert board.attachments
    await room.step(people)
    assert all(message.mentions == [] for message in room.channel.messages if message not in (invitation, told))


async def test_a_stranger_is_refused_in_private(room: Room) -> None:
    eve = room.server.user("eve")
    room.guild.join(eve)
    await room.begun()
    board, _, _ = await room.turn((room.ayse, room.mehmet))
    before = state(board)
    pressed = await room.press(eve, board, forward(board)[0])
    (refusal,) = pressed.ephemeral
    assert "only watching" in refusal.content
    assert state(board) == before


async def test_the_one_who_waits_is_refused_in_private(room: Room) -> None:
    await room.begun()
    board, _, waiting = await room.turn((room.ayse, room.mehmet))
    pressed = await room.press(waiting, board, forward(board)[0])
    assert [message.content for message in pressed.ephemeral] == ["It is not your turn."]


async def test_a_double_tap_plays_once(room: Room) -> None:
    await room.begun()
    board, mover, _ = await room.turn((room.ayse, room.mehmet))
    revision = await _revision(room, board)
    taps = [await mover.press(board, forward(board)[0], wait=False) for _ in range(2)]
    for tap in taps:
        await tap.answered()
    await room.server.until(lambda: any(tap.ephemeral for tap in taps))
    assert await _revision(room, board) == revision + 1
    assert ["moved on" in told.content for tap in taps for told in tap.ephemeral] == [True]


async def test_a_stale_press_shows_the_board_and_says_so(room: Room) -> None:
    people = (room.ayse, room.mehmet)
    await room.begun()
    board, mover, _ = await room.turn(people)
    old = board.button(forward(board)[0]).custom_id
    await room.step(people)
    pressed = await mover.press(board, old, stale=True)
    await room.server.until(lambda: pressed.ephemeral)
    assert pressed.responses[0][0] == 7
    assert "moved on" in pressed.ephemeral[0].content


async def test_a_button_that_nobody_knows_is_answered(room: Room) -> None:
    board = await room.begun()
    for unknown in ("what is this", "x", "!nothing.1.a", "/nonsense"):
        pressed = await room.ayse.press(board, unknown, stale=True)
        assert not pressed.failed
        await pressed.settled()
        assert "not know" in pressed.ephemeral[0].content


async def test_a_play_is_typed_with_completion(room: Room) -> None:
    await room.begun()
    _, mover, _ = await room.turn((room.ayse, room.mehmet))
    offered = await mover.autocomplete(room.channel, "move", "play")
    assert 0 < len(offered) <= 25
    fewer = await mover.autocomplete(room.channel, "move", "play", play=offered[0]["value"][:2])
    assert all(offered[0]["value"][:2] in choice["name"] for choice in fewer)
    before = state(room.now(room.channel))
    typed = await mover.command(room.channel, "move", play=offered[0]["value"])
    assert typed.ephemeral
    await room.server.until(lambda: state(room.now(room.channel)) != before)
    assert "Confirm" in (await room.live()).labels


async def test_what_cannot_be_played_is_refused_in_private(room: Room) -> None:
    await room.begun()
    _, mover, _ = await room.turn((room.ayse, room.mehmet))
    typed = await mover.command(room.channel, "move", play="nonsense <@1> **bold**")
    (refusal,) = typed.ephemeral
    assert "nonsense" in refusal.content
    assert "**bold" not in refusal.content
    assert len(room.channel.messages) == 2


async def test_conceding_is_confirmed_in_private_and_done_there(room: Room) -> None:
    people = (room.ayse, room.mehmet)
    await room.begun()
    board, mover, _ = await room.turn(people)
    while "Concede…" not in (await room.live()).labels:
        await room.step(people)
        board, mover, _ = await room.turn(people)
    asked = await room.press(mover, board, "Concede…")
    (question,) = asked.ephemeral
    choice = next(label for label in question.labels if label.startswith("Concede"))
    await room.press(mover, question, choice)
    assert question.buttons == []
    await room.server.until(lambda: "Accept" in board.labels)


async def test_a_board_is_shown_again_and_the_old_one_retired(room: Room) -> None:
    board = await room.begun()
    await room.ayse.command(room.channel, "board")
    again = await room.server.until(lambda: room.channel.last if room.channel.last is not board else None)
    await room.server.until(lambda: not board.buttons)
    assert again.buttons
    assert board.attachments


async def test_every_command_is_answered(room: Room) -> None:
    await room.begun()
    for name in ("games", "rules", "help", "hint", "board"):
        used = await room.ayse.command(room.channel, name)
        assert not used.failed
        assert used.responses


async def test_answers_are_in_the_language_of_whoever_asks(room: Room) -> None:
    board = await room.begun()
    deniz = room.server.user("deniz", locale="tr")
    room.guild.join(deniz)
    pressed = await room.press(deniz, board, forward(board)[0])
    assert "izliyorsunuz" in pressed.ephemeral[0].content


async def test_the_next_game_has_a_new_message_and_the_old_one_keeps_its_board(room: Room) -> None:
    people = (room.ayse, room.mehmet)
    board = await room.begun(length=3)
    while "Next game" not in (await room.live()).labels:
        await room.step(people)
    picture = board.attachments[0].data
    await room.step(people)
    await room.server.until(lambda: not board.buttons)
    assert board.attachments[0].data == picture


async def test_names_are_only_names(room: Room) -> None:
    wild = room.server.user("wild", display="@everyone **x** [a](http://b.c) # <@1>")
    room.guild.join(wild)
    await wild.command(room.channel, "challenge")
    invitation = await room.live()
    assert "@everyone" not in invitation.content
    assert "**x**" not in invitation.content
    assert "http://" not in invitation.content
    assert invitation.mentions == []


async def _revision(room: Room, board: Message) -> int:
    (screen,) = await room.bot.store.screens_in("discord", str(board.channel.id), 1)
    return (await room.bot.store.load(screen.watched)).revision


def _kept_views(room: Room) -> int:
    """What discord.py remembers of messages with buttons: it would never forget."""
    client = room.bot.discord._client
    assert client is not None
    kept = client._connection._view_store
    return len(kept._views) + len(kept._synced_message_views) + len(kept._dynamic_items)
