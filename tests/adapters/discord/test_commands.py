"""The slash commands as Discord is told them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import discord
import pytest
from discord import app_commands

from adapters.discord.commands import NOTE, Languages, slash_commands, sync
from adapters.discord.people import Interaction
from bot.service.ports import Store
from render.commands import COMMANDS
from render.words import SOURCE, languages, words
from storage.sqlite import MEMORY, open_sqlite
from tests.adapters.discord.room import Room, opened_bot
from tests.adapters.web.room import Clock
from tests.servers.discord import DiscordServer
from tests.servers.discord_rules import check_commands

Json = dict[str, Any]


async def _take(interaction: Interaction, name: str, options: Mapping[str, Any]) -> None:
    raise NotImplementedError


async def _complete(interaction: Interaction, typed: str) -> Sequence[str]:
    raise NotImplementedError


class _Told(app_commands.CommandTree[discord.Client]):
    """A tree that counts how often Discord is told."""

    def __init__(self) -> None:
        client = discord.Client(intents=discord.Intents.none())
        super().__init__(client)
        self.times = 0
        for command in slash_commands(_take, _complete):
            self.add_command(command)

    async def sync(self, *, guild: discord.abc.Snowflake | None = None) -> list[app_commands.AppCommand]:
        self.times += 1
        return []


async def _payload() -> list[Json]:
    tree = _Told()
    return [await command.get_translated_payload(tree, Languages()) for command in tree.get_commands()]


async def test_the_commands_are_those_of_the_one_list() -> None:
    payload = await _payload()
    assert [command["name"] for command in payload] == list(COMMANDS)
    for told in payload:
        named = {option["name"]: option for option in told.get("options", [])}
        assert set(named) == {option.name for option in COMMANDS[told["name"]].options}


async def test_the_commands_are_within_the_limits_of_discord() -> None:
    check_commands(await _payload())


async def test_every_command_can_be_used_everywhere() -> None:
    for told in await _payload():
        assert told["contexts"] == [0, 1, 2]
        assert told["integration_types"] == [0, 1]


async def test_options_are_of_their_kind() -> None:
    told: dict[str, Json] = {command["name"]: command for command in await _payload()}
    challenge, move = told["challenge"], told["move"]
    named = {option["name"]: option for option in challenge["options"]}
    assert named["opponent"]["type"] == 6
    assert (named["length"]["type"], named["length"]["min_value"], named["length"]["max_value"]) == (4, 1, 25)
    assert {"name": "Tavla", "value": "tavla"} in named["game"]["choices"]
    (play,) = move["options"]
    assert play["required"]
    assert play["autocomplete"]


@pytest.mark.parametrize("language", [language for language in languages() if language != SOURCE])
async def test_what_is_told_is_translated_as_far_as_discord_knows_the_language(language: str) -> None:
    if language not in {locale.value.partition("-")[0] for locale in discord.Locale}:
        pytest.skip(f"Discord has no {language}")
    for told in await _payload():
        assert told["description_localizations"][language] == words(language).say(told["description"])
        assert not told["name_localizations"]
        for option in told.get("options", []):
            assert option["description_localizations"][language]


@pytest.mark.parametrize("language", languages())
def test_no_description_is_too_long_in_any_language(language: str) -> None:
    for command in COMMANDS.values():
        for purpose in (command.purpose, *(option.purpose for option in command.options)):
            assert len(words(language).say(purpose)) <= 100


async def test_discord_is_told_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    store: Store = await open_sqlite(MEMORY, Clock())
    tree = _Told()
    assert await sync(tree, store)
    assert not await sync(tree, store)
    assert not await sync(_Told(), store)
    monkeypatch.setattr(discord.Client, "application_id", 7)
    assert await sync(_Told(), store)
    assert await store.note(NOTE)
    await store.close()


async def test_another_start_tells_nothing(tmp_path: Any) -> None:
    async with DiscordServer() as server:
        for _ in range(2):
            async with opened_bot(server, Clock(), tmp_path / "tavla.db") as bot:
                await server.until(partial(len, bot.said))
        assert len(server.calls("PUT", "/commands")) == 1
        assert server.commands_created == len(COMMANDS)
        assert server.faults == []


async def test_a_command_of_another_version_is_answered(room: Room) -> None:
    room.server.commands.append({**room.server.commands[-1], "name": "gone", "options": []})
    used = await room.ayse.command(room.channel, "gone")
    assert "Something went wrong" in used.ephemeral[0].content


async def test_the_operator_is_told_how_to_invite_the_bot(room: Room) -> None:
    told = "\n".join(room.bot.said)
    assert f"client_id={room.server.application_id}" in told
    assert "scope=bot+applications.commands" in told
    assert "integration_type=1" in told
    assert "Attach Files" in told
    assert room.server.token not in told
