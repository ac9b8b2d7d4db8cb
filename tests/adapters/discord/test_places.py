"""Where people play: threads, chats that the bot is not in, channels that it may not write to."""

import asyncio

import pytest

from adapters.discord import answers
from tests.adapters.discord.room import Room, forward, state
from tests.servers.discord_rules import ATTACH_FILES, SEND_MESSAGES, SEND_MESSAGES_IN_THREADS, VIEW_CHANNEL


async def test_a_thread_is_a_place_of_its_own(room: Room) -> None:
    thread = room.channel.thread("our match")
    await room.begun(thread)
    for _ in range(6):
        await room.step([room.ayse, room.mehmet], thread)
    assert room.channel.messages == []
    assert len(thread.messages) == 2


async def test_a_thread_that_sleeps_is_woken_by_a_change(room: Room) -> None:
    people = (room.ayse, room.mehmet)
    thread = room.channel.thread("our match")
    board = await room.begun(thread)
    other = room.guild.channel("other")
    _, mover, _ = await room.turn(people, thread)
    before = state(board)
    thread.archive()
    play = (await mover.autocomplete(thread, "move", "play"))[0]["value"]
    await mover.command(thread, "move", play=play)
    await room.server.until(lambda: state(board) != before)
    assert not thread.archived
    assert other.messages == []


async def test_a_locked_thread_is_given_up_and_the_match_goes_on_elsewhere(room: Room) -> None:
    people = (room.ayse, room.mehmet)
    thread = room.channel.thread("our match")
    await room.begun(thread)
    _, mover, _ = await room.turn(people, thread)
    play = (await mover.autocomplete(thread, "move", "play"))[0]["value"]
    thread.archive(locked=True)
    await mover.command(thread, "move", play=play)
    await room.server.until(lambda: room.server.calls("POST", rf"channels/{thread.id}/messages"))
    await mover.command(room.channel, "board")
    assert "Confirm" in (await room.live()).labels


async def test_a_match_among_friends_where_the_bot_is_not(room: Room) -> None:
    channel = room.server.private(room.ayse, room.mehmet)
    await room.begun(channel)
    await room.whole_match([room.ayse, room.mehmet], channel)
    assert room.server.calls("*", rf"/channels/{channel.id}") == []
    assert all(len(message.attachments) <= 1 for message in channel.messages)


async def test_a_match_in_a_server_that_has_not_invited_the_bot(room: Room) -> None:
    guild = room.server.guild("Elsewhere", room.ayse, room.mehmet, installed=False)
    channel = guild.channel("games")
    await room.begun(channel)
    for _ in range(6):
        await room.step([room.ayse, room.mehmet], channel)
    assert room.server.calls("*", rf"/channels/{channel.id}") == []


async def test_what_is_typed_where_the_bot_is_not_changes_the_board_while_a_press_is_fresh(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = room.server.private(room.ayse, room.mehmet)
    await room.begun(channel)
    board, mover, _ = await room.turn([room.ayse, room.mehmet], channel)
    first, *_ = await mover.autocomplete(channel, "move", "play")
    await mover.command(channel, "move", play=first["value"])
    await room.server.until(lambda: "Confirm" in board.labels)
    monkeypatch.setattr(answers, "TOKEN_LIVES", -1.0)
    await room.press(mover, board, "Undo")
    await room.server.until(lambda: "Confirm" not in board.labels)
    before = state(board)
    await mover.command(channel, "move", play=first["value"])
    await _a_moment(0.3)
    assert state(board) == before
    await room.press(mover, board, "Show again")
    await room.server.until(lambda: "Confirm" in board.labels)


async def test_the_board_of_the_computer_follows_where_the_bot_is_not(room: Room) -> None:
    channel = room.server.private(room.ayse, room.mehmet)
    await room.ayse.command(channel, "computer", level="easy", length=1)
    await room.whole_match([room.ayse], channel)


async def test_without_external_apps_nothing_is_opened(room: Room) -> None:
    guild = room.server.guild("Strict", room.ayse, room.mehmet, installed=False)
    channel, room.ayse.permissions = guild.channel("games"), 0
    used = await room.ayse.command(channel, "challenge")
    assert "Use External Apps" in used.ephemeral[0].content
    assert await room.bot.store.screens_in("discord", str(channel.id)) == []


@pytest.mark.parametrize(
    ("permission", "name"),
    [(VIEW_CHANNEL, "View Channels"), (SEND_MESSAGES, "Send Messages"), (ATTACH_FILES, "Attach Files")],
)
async def test_a_missing_permission_is_named_before_anything_is_opened(room: Room, permission: int, name: str) -> None:
    room.channel.deny(permission)
    for command in ("challenge", "computer", "board"):
        used = await room.ayse.command(room.channel, command)
        assert f"“{name}”" in used.ephemeral[0].content
    assert room.channel.messages == []
    assert await room.bot.store.screens_in("discord", str(room.channel.id)) == []


async def test_the_permission_for_threads_is_needed_in_threads_alone(room: Room) -> None:
    room.guild.permit(room.guild.permissions & ~SEND_MESSAGES_IN_THREADS)
    await room.begun()
    used = await room.ayse.command(room.channel.thread("here"), "challenge")
    assert "“Send Messages in Threads”" in used.ephemeral[0].content


async def test_a_permission_that_is_lost_is_named_at_the_next_press(room: Room) -> None:
    people = (room.ayse, room.mehmet)
    board = await room.begun()
    _, mover, _ = await room.turn(people)
    play = (await mover.autocomplete(room.channel, "move", "play"))[0]["value"]
    room.channel.deny(ATTACH_FILES)
    await mover.command(room.channel, "move", play=play)
    await room.server.until(lambda: [call for call in room.server.calls("PATCH", "/channels/") if call.code == 50013])
    pressed = await room.press(mover, board, forward(board)[0])
    await room.server.until(lambda: any("“Attach Files”" in told.content for told in pressed.ephemeral))
    tried = len(room.server.calls("*", f"/channels/{room.channel.id}"))
    room.channel.deny(0)
    await mover.command(room.channel, "board")
    await room.server.until(lambda: not board.buttons)
    assert len(room.server.calls("POST", f"/channels/{room.channel.id}")) <= tried


async def test_where_the_bot_was_thrown_out_nothing_is_tried_any_more(room: Room) -> None:
    board = await room.begun()
    (screen,) = await room.bot.store.screens_in("discord", str(board.channel.id), 1)
    room.guild.remove_bot()
    for _ in range(100):
        if not await room.bot.store.screens_in("discord", str(board.channel.id)):
            break
        await _a_moment()
    assert await room.bot.store.screens(screen.watched) == []
    channel = room.server.dm(room.ayse)
    await room.ayse.command(channel, "board")
    assert (await room.live(channel)).buttons


async def test_a_deleted_channel_is_forgotten(room: Room) -> None:
    await room.begun()
    await room.turn((room.ayse, room.mehmet))
    room.channel.delete()
    for _ in range(100):
        if not await room.bot.store.screens_in("discord", str(room.channel.id)):
            return
        await _a_moment()
    raise AssertionError("the screens are still there")


async def _a_moment(seconds: float = 0.02) -> None:
    await asyncio.sleep(seconds)
