"""What goes wrong between the bot and Discord: nothing is lost, nothing is done twice, everybody is answered."""

import asyncio
from pathlib import Path

import discord
import pytest

from adapters.discord import answers, app
from bot.service.table import Table
from tests.adapters.chat.house import ended
from tests.adapters.discord.room import Room, forward, opened_bot, other_than, state
from tests.adapters.web.room import Clock
from tests.servers.discord import DiscordServer, Message, User


async def _mover(room: Room) -> tuple[Message, User]:
    board, mover, _ = await room.turn((room.ayse, room.mehmet))
    return board, mover


async def _revision(room: Room) -> int:
    screens = await room.bot.store.screens_in("discord", str(room.channel.id))
    return max([(await room.bot.store.load(screen.watched)).revision for screen in screens[:1]])


async def _plays(room: Room, board: Message, user: User) -> None:
    """A press has its effect on the board that everybody sees."""
    before, revision = state(board), await _revision(room)
    await user.press(board, forward(board)[0])
    await room.server.until(lambda: state(room.now(room.channel)) != before)
    assert await _revision(room) == revision + 1


async def test_a_deleted_board_is_posted_anew(room: Room) -> None:
    await room.begun()
    board, mover = await _mover(room)
    play = (await mover.autocomplete(room.channel, "move", "play"))[0]["value"]
    board.delete()
    await mover.command(room.channel, "move", play=play)
    fresh = await room.live()
    assert fresh is not board
    assert "Confirm" in fresh.labels


async def test_a_board_that_takes_no_more_changes_is_posted_anew(room: Room) -> None:
    await room.begun()
    board, mover = await _mover(room)
    play = (await mover.autocomplete(room.channel, "move", "play"))[0]["value"]
    board.age(3700)
    room.server.old_edits = 0
    await mover.command(room.channel, "move", play=play)
    fresh = await room.server.until(lambda: other_than(room.channel.last, board))
    assert "Confirm" in fresh.labels


async def test_a_board_that_nears_an_hour_is_replaced(room: Room) -> None:
    people = (room.ayse, room.mehmet)
    await room.begun()
    board, _, _ = await room.turn(people)
    room.clock.now += 51 * 60
    fresh = await room.step(people)
    await room.server.until(lambda: not board.buttons)
    assert fresh is not board
    assert board.attachments


async def test_a_press_that_comes_too_late_counts_and_the_board_tells_it(room: Room) -> None:
    room.server.deadline = 0.3
    await room.begun()
    board, mover = await _mover(room)
    room.server.hold()
    before = state(board)
    pressed = await mover.press(board, forward(board)[0])
    assert pressed.failed
    room.server.release()
    await room.server.until(lambda: state(board) != before)
    assert room.server.calls("PATCH", f"/channels/{room.channel.id}/messages/{board.id}")


async def test_an_answer_that_took_effect_though_discord_failed_is_not_given_twice(room: Room) -> None:
    await room.begun()
    board, mover = await _mover(room)
    room.server.fail("POST", "/callback", 502, after=True)
    await _plays(room, board, mover)
    await room.server.until(lambda: [call for call in room.server.calls("POST", "/callback") if call.code == 40060])


async def test_an_answer_that_is_lost_on_the_way_is_given_again(room: Room) -> None:
    await room.begun()
    board, mover = await _mover(room)
    for after in (False, True):
        room.server.fail("POST", "/callback", 0, after=after)
        await _plays(room, board, mover)
        board, mover = await _mover(room)


async def test_a_command_whose_answer_took_effect_unnoticed_opens_one_board(room: Room) -> None:
    room.server.fail("POST", "/callback", 502, after=True)
    await room.ayse.command(room.channel, "challenge")
    invitation = await room.live()
    await room.server.until(lambda: [call for call in room.server.calls("POST", "/callback") if call.code == 40060])
    await room.press(room.mehmet, invitation, "Accept")
    await room.server.until(lambda: other_than(room.now(room.channel), invitation))
    assert len(room.channel.messages) == 2


async def test_too_many_requests_are_waited_out(room: Room) -> None:
    await room.begun()
    board, mover = await _mover(room)
    play = (await mover.autocomplete(room.channel, "move", "play"))[0]["value"]
    before = state(board)
    room.server.fail("PATCH", "/channels/", 429, retry_after=0.3)
    await mover.command(room.channel, "move", play=play)
    await room.server.until(lambda: state(board) != before)


async def test_a_ban_by_cloudflare_is_kept_to(room: Room) -> None:
    await room.begun()
    board, mover = await _mover(room)
    play = (await mover.autocomplete(room.channel, "move", "play"))[0]["value"]
    before = state(board)
    room.server.fail("PATCH", "/channels/", 429, headers={"Retry-After": "1"})
    await mover.command(room.channel, "move", play=play)
    await room.server.until(lambda: state(board) != before)
    calls = [call for call in room.server.calls("PATCH", "/channels/") if call.status in (200, 429)]
    assert calls[-1].at - calls[-2].at >= 1


async def test_an_outage_delays_the_board_and_loses_nothing(room: Room) -> None:
    await room.begun()
    board, mover = await _mover(room)
    play = (await mover.autocomplete(room.channel, "move", "play"))[0]["value"]
    before = state(board)
    room.server.fail("PATCH", "/channels/", 503, times=2)
    await mover.command(room.channel, "move", play=play)
    await room.server.until(lambda: state(board) != before, 20)


async def test_a_press_that_cannot_be_answered_still_changes_the_board(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "GIVEN_WITHIN", 0.3)
    room.server.deadline = 0.5
    await room.begun()
    board, mover = await _mover(room)
    room.server.fail("POST", "/callback", 503, times=99)
    await _plays(room, board, mover)
    assert room.server.calls("PATCH", f"/channels/{room.channel.id}/messages/{board.id}")


async def test_what_was_pressed_before_the_end_is_answered(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    await room.begun()
    board, mover = await _mover(room)
    _slow(room, monkeypatch)
    pressed = await mover.press(board, forward(board)[0], wait=False)
    await asyncio.sleep(0.05)
    await ended(room.bot.running)
    assert pressed.responses[0][0] == 7


async def test_a_press_delivered_twice_plays_once(room: Room) -> None:
    await room.begun()
    board, mover = await _mover(room)
    before, revision = state(board), await _revision(room)
    pressed = await mover.press(board, forward(board)[0], wait=False)
    await mover.press(board, "", again=pressed)
    await room.server.until(lambda: state(board) != before)
    await room.server.until(lambda: len(room.server.calls("POST", f"{pressed.id}/.*/callback")) >= 2)
    assert await _revision(room) == revision + 1


async def test_a_command_delivered_twice_opens_one_challenge(room: Room) -> None:
    used = await room.ayse.command(room.channel, "challenge")
    used.deliver()
    await room.live()
    await asyncio.sleep(0.3)
    assert len(room.channel.messages) == 1


async def test_what_happens_while_the_gateway_is_away_is_done_when_it_is_back(room: Room) -> None:
    await room.begun()
    board, mover = await _mover(room)
    before, revision = state(board), await _revision(room)
    room.server.disconnect()
    await mover.press(board, forward(board)[0])
    await room.server.until(lambda: state(board) != before)
    assert await _revision(room) == revision + 1
    assert room.server.events.resumed == 1


async def test_a_session_that_cannot_be_resumed_begins_anew(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(self: discord.Client, shard_id: int | None, *, initial: bool = False) -> None:
        """Without discord.py's five seconds."""

    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)
    await room.begun()
    room.server.disconnect(resumable=False)
    await room.server.until(lambda: room.server.events.identified == 2)
    await _plays(room, *await _mover(room))
    assert len([line for line in room.bot.said if "connected" in line]) == 1


async def test_a_restart_between_the_save_and_the_board_shows_it(tmp_path: Path) -> None:
    clock, database = Clock(), tmp_path / "tavla.db"
    async with DiscordServer() as server:
        async with opened_bot(server, clock, database) as bot:
            await server.until(lambda: bot.said)
            room = Room(server, bot, clock)
            await room.begun()
            board, mover = await _mover(room)
            play = (await mover.autocomplete(room.channel, "move", "play"))[0]["value"]
            server.fail("PATCH", "/channels/", 500, times=99)
            await mover.command(room.channel, "move", play=play)
            await server.until(lambda: server.calls("PATCH", "/channels/"))
        before = state(board)
        server.rest.plans.clear()
        commands = len(server.calls("PUT", "/commands"))
        async with opened_bot(server, clock, database):
            await server.until(lambda: state(board) != before)
            assert "Confirm" in board.labels
            assert len(server.calls("PUT", "/commands")) == commands == 1
        assert server.faults == []


async def test_a_slow_press_is_deferred_and_then_shown(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "DEFER_AFTER", 0.05)
    await room.begun()
    board, mover = await _mover(room)
    _slow(room, monkeypatch)
    before = state(board)
    pressed = await mover.press(board, forward(board)[0])
    assert pressed.responses[0][0] == 6
    await room.server.until(lambda: state(board) != before)
    assert room.server.calls("PATCH", "/webhooks/.*@original")


async def test_a_slow_press_is_refused_in_private(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "DEFER_AFTER", 0.05)
    await room.begun()
    board, _, waiting = await room.turn((room.ayse, room.mehmet))
    _slow(room, monkeypatch)
    pressed = await waiting.press(board, forward(board)[0])
    await pressed.settled()
    await room.server.until(lambda: pressed.ephemeral)
    assert pressed.ephemeral[0].content == "It is not your turn."


async def test_a_slow_command_is_deferred_in_private_and_its_board_is_for_all(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "DEFER_AFTER", 0.05)
    _slow(room, monkeypatch)
    used = await room.ayse.command(room.channel, "challenge")
    assert used.responses[0] == (5, {"flags": 64})
    assert (await room.live()).viewer is None
    await room.server.until(lambda: not used.ephemeral)


async def test_a_slow_command_is_refused_in_private(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "DEFER_AFTER", 0.05)
    _slow(room, monkeypatch)
    used = await room.ayse.command(room.channel, "move", play="13/8")
    await used.settled()
    assert "no match" in used.ephemeral[0].content
    assert room.channel.messages == []


async def test_a_fault_of_ours_is_told(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise ValueError("made up by the test")

    board = await _invitation(room)
    monkeypatch.setattr(room.bot.store, "player", broken)
    pressed = await room.press(room.mehmet, board, "Accept")
    assert "Something went wrong" in pressed.ephemeral[0].content


async def test_a_wrong_token_is_told_once_and_ends_it() -> None:
    async with DiscordServer() as server, opened_bot(server, Clock(), token="wrong.token.here") as bot:
        await asyncio.wait_for(asyncio.shield(bot.running), 5)
        (line,) = bot.said
        assert "DISCORD_TOKEN" in line
        assert "wrong" not in line
        assert len(server.calls("*", "")) == 1


async def test_a_token_that_is_changed_ends_it_too() -> None:
    async with DiscordServer() as server, opened_bot(server, Clock()) as bot:
        await server.until(lambda: bot.said)
        server.close_gateway(4004)
        await asyncio.wait_for(asyncio.shield(bot.running), 5)
        assert "DISCORD_TOKEN" in bot.said[-1]


async def test_intents_that_are_refused_end_it() -> None:
    async with DiscordServer() as server, opened_bot(server, Clock()) as bot:
        await server.until(lambda: bot.said)
        server.close_gateway(4014)
        await asyncio.wait_for(asyncio.shield(bot.running), 5)
        assert "intent" in bot.said[-1]


async def test_a_login_that_fails_is_tried_again_with_longer_and_longer_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "FIRST_PAUSE", 0.2)
    async with DiscordServer() as server:
        server.fail("GET", "/users/@me", 429, headers={}, times=2)
        async with opened_bot(server, Clock()) as bot:
            await server.until(lambda: bot.said)
            tries = [call.at for call in server.calls("GET", "/users/@me")]
            assert tries[1] - tries[0] >= 0.2
            assert tries[2] - tries[1] >= 0.4
            assert bot.discord.healthy
        assert not bot.discord.healthy


async def test_commands_that_discord_does_not_take_now_stop_nothing() -> None:
    async with DiscordServer() as server:
        server.fail("PUT", "/commands", 429, code=30034, retry_after=86400)
        async with opened_bot(server, Clock()) as bot:
            await server.until(lambda: bot.said)
            assert await bot.store.note("discord.commands") == ""


async def _invitation(room: Room) -> Message:
    await room.ayse.command(room.channel, "challenge")
    return await room.live()


def _slow(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store takes its time from now on."""
    store = room.bot.store
    player, load = store.player, store.load

    async def slow_player(platform: str, platform_id: str, name: str = "") -> int:
        await asyncio.sleep(0.3)
        return await player(platform, platform_id, name)

    async def slow_load(match: str) -> Table:
        await asyncio.sleep(0.3)
        return await load(match)

    monkeypatch.setattr(store, "player", slow_player)
    monkeypatch.setattr(store, "load", slow_load)
