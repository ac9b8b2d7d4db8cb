"""One match across the platforms, to its last checker: each side in its own chat, both boards live."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from adapters.discord.app import Discord
from adapters.telegram import budget
from adapters.telegram.app import Telegram
from render.pictures import Pictures
from tests.adapters.chat.house import ended, opened_house
from tests.adapters.web.room import Clock
from tests.servers.discord import DiscordServer
from tests.servers.telegram import TelegramServer
from tests.test_platforms import Ayse, Mehmet, Servers, both_there, one_press, sat_down, until


@pytest.fixture
async def servers(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Servers]:
    """Both servers and one bot on both, with time running quicker than people play."""
    for name in ("PRIVATE", "ALL"):
        monkeypatch.setattr(budget, name, budget.Limit(100_000, 1.0, 100_000))
    async with AsyncExitStack() as ending:
        telegram = await ending.enter_async_context(TelegramServer())
        discord = await ending.enter_async_context(DiscordServer())
        house = await ending.enter_async_context(opened_house(Clock(), pictures=Pictures()))
        addresses = {"api_url": discord.api, "gateway_url": discord.gateway, "cdn_url": discord.cdn}
        for platform in (
            Telegram(telegram.token, house, base_url=telegram.address, say=_unheard),
            Discord(discord.token, house, **addresses, say=_unheard),
        ):
            ending.push_async_callback(ended, asyncio.create_task(platform.run()))
        yield Servers(telegram, discord)
    assert telegram.faults == []
    assert discord.faults == []


async def test_a_whole_match_across_the_platforms(servers: Servers) -> None:
    await both_there(servers)
    ayse, mehmet = await sat_down(servers)
    presses = 0
    while not await one_press(ayse, mehmet):
        presses += 1
    await until(lambda: "wins" in ayse.board().caption + mehmet.board().content)
    assert presses > 50
    assert_one_live_message(ayse, mehmet)
    results = [line for line in mehmet.board().content.splitlines() if "wins this game" in line]
    assert len(results) == 1


def assert_one_live_message(ayse: Ayse, mehmet: Mehmet) -> None:
    """In each chat one message has buttons, and each side is told of both."""
    assert len([board for board in ayse.user.private.boards if board.labels]) == 1
    assert len([message for message in mehmet.channel.messages if message.labels]) == 1
    assert "Ayşe" in mehmet.board().content
    assert "Mehmet" in ayse.board().caption


def _unheard(line: str) -> None:
    """Nobody listens to what the operator is told."""
