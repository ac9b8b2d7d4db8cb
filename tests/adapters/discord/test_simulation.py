"""Every command and the common buttons against simcord: a second opinion on what Discord takes.

It knows Discord's rules from elsewhere than our own server does, and fails a test in which discord.py reports an error.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import simcord

from adapters.discord.app import Discord
from adapters.discord.client import Client
from render.commands import COMMANDS
from tests.adapters.chat.house import ended, opened_house
from tests.adapters.web.room import Clock


class Simulation:
    """A simulated server with two members."""

    def __init__(self, env: simcord.Env) -> None:
        self.env = env
        guild = env.create_guild()
        self.channel: Any = guild.create_text_channel("games")
        self.ayse: Any = guild.add_member(env.create_user("ayse"))
        self.mehmet: Any = guild.add_member(env.create_user("mehmet"))

    async def until(self, label: str) -> Any:
        """The last message of the channel, once it has that button."""
        for _ in range(200):
            message = self.channel.last_message
            if message and label in _labels(message):
                return message
            await asyncio.sleep(0.02)
        raise AssertionError(f"no {label}: {self.env.transcript()}")


@asynccontextmanager
async def _simulation() -> AsyncIterator[Simulation]:
    """Not a fixture: simcord turns the clock of the very task that it is opened in."""
    async with (
        opened_house(Clock()) as house,
        _served(Discord("no token", house, say=_unheard)) as client,
        simcord.run(client) as env,
    ):
        yield Simulation(env)


async def test_every_command_is_answered() -> None:
    async with _simulation() as simulation:
        for name in COMMANDS:
            options = {"play": "13/8"} if name == "move" else {}
            used = await simulation.ayse.slash(simulation.channel, name, **options)
            assert used.acknowledged
            assert used.ephemeral == (name not in ("challenge", "computer"))


async def test_a_match_begins_and_is_played() -> None:
    async with _simulation() as simulation:
        await simulation.ayse.slash(simulation.channel, "challenge", opponent=simulation.mehmet, length=1)
        invitation = await simulation.until("Accept")
        refused = await simulation.ayse.click(invitation, label="Accept")
        assert refused.ephemeral
        await simulation.mehmet.click(invitation, label="Accept")
        board = await simulation.until("Concede…")
        (picture,) = board.attachments
        assert picture.filename == "board.png"
        while not any("/" in label for label in _labels(board)):
            for member in (simulation.ayse, simulation.mehmet):
                await member.click(board, label="Roll")
                if "Roll" not in _labels(simulation.channel.last_message):
                    break
            board = await simulation.until("Concede…")
        for member in (simulation.ayse, simulation.mehmet):
            asked = await member.click(board, label="Concede…")
            assert asked.ephemeral


async def test_the_help_leads_to_the_computer() -> None:
    async with _simulation() as simulation:
        asked = await simulation.ayse.slash(simulation.channel, "help")
        await simulation.ayse.click(asked.response.message, label="Play the computer")
        invitation = await simulation.until("Easy")
        await simulation.ayse.click(invitation, label="Easy")
        await simulation.until("Concede…")


def _labels(message: Any) -> list[str]:
    return [part.label for row in message.components for part in row.children]


def _unheard(told: str) -> None:
    """Nobody reads what the operator is told."""


@asynccontextmanager
async def _served(discord: Discord) -> AsyncIterator[Client]:
    """The client of a bot whose stage is at work, to be connected by another."""
    showing = asyncio.create_task(discord._stage.run())
    yield discord._made()
    await discord._reception.close()
    await ended(showing)
    await discord._stage.close()
