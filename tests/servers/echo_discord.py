"""The least that a bot with pictures can do on Discord: what `tavla bench platforms` compares ours with.

/start sends a board with a button; each press shows the other of two boards.
"""

import io
import os
import sys
from typing import Any

import discord
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.bench import boards

PICTURES = boards(2)


def board(number: int) -> discord.File:
    return discord.File(io.BytesIO(PICTURES[number % 2]), "board.png", description="a board")


def next_button() -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="next", custom_id="next"))
    return view


class Echo(discord.Client):
    """Answers /start and every press."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents(guilds=True))
        self.tree = app_commands.CommandTree(self)
        self.number = 0

        @self.tree.command()
        async def start(interaction: discord.Interaction[Any]) -> None:
            """Show a board."""
            await interaction.response.send_message("0", file=board(0), view=next_button())

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        if interaction.type is discord.InteractionType.component:
            self.number += 1
            await interaction.response.edit_message(
                content=str(self.number), attachments=[board(self.number)], view=next_button()
            )


if __name__ == "__main__":
    Route.BASE = sys.argv[1]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(sys.argv[2])
    Echo().run(os.environ["DISCORD_TOKEN"], log_handler=None)
