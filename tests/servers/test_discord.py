"""The local Discord, with the real discord.py as its client."""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest
import yarl
from discord import app_commands
from discord.http import Route

from tests.servers.discord import SPEC, Channel, DiscordServer, Guild, User
from tests.servers.discord_rules import ATTACH_FILES, SEND_MESSAGES, USUAL_PERMISSIONS, VIEW_CHANNEL

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x02\x80\x00\x00\x01\xe0" + b"\x00" * 30_000


def picture(name: str) -> discord.File:
    """A file that passes for a picture of 640 × 480."""
    return discord.File(io.BytesIO(PNG + name.encode()), name, description=f"the board {name}")


def buttons(*names: str) -> discord.ui.View:
    """A view of echo buttons; a minus before a name makes its button disabled."""
    view = discord.ui.View(timeout=None)
    for name in names:
        view.add_item(Echo(name.lstrip("-"), disabled=name.startswith("-")))
    return view


class Form(discord.ui.Modal, title="Form"):
    """Asks for a word and says it back."""

    word: discord.ui.TextInput[Form] = discord.ui.TextInput(label="Word", custom_id="word", max_length=10)

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        await interaction.response.send_message(f"You wrote {self.word.value}", ephemeral=True)


class Echo(discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"echo:(?P<what>\w+)"):
    """A button whose custom_id says what it does, so that it outlives restarts."""

    def __init__(self, what: str, *, disabled: bool = False) -> None:
        super().__init__(discord.ui.Button(label=what.title(), custom_id=f"echo:{what}", disabled=disabled))
        self.what = what

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Echo:
        return cls(match["what"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        match self.what:
            case "next":
                view = buttons("next", "no", "later", "form", "-off")
                await interaction.response.edit_message(content="2", attachments=[picture("two.png")], view=view)
            case "no":
                await interaction.response.send_message("Not yours", ephemeral=True)
            case "later":
                await interaction.response.defer()
                await interaction.edit_original_response(content="late")
                await interaction.followup.send("psst", ephemeral=True)
            case "form":
                await interaction.response.send_modal(Form())
            case "many":
                await interaction.response.defer()
                for number in range(6):
                    await interaction.followup.send(str(number))


class Pick(discord.ui.Select[Any]):
    """A list of two."""

    def __init__(self) -> None:
        options = [discord.SelectOption(label="Tavla", value="t"), discord.SelectOption(label="Narde", value="n")]
        super().__init__(custom_id="pick", placeholder="A game", options=options)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.edit_message(content=self.values[0], view=None)


class Bot(discord.Client):
    """A bot with one command for each way to answer."""

    def __init__(self, *, members: bool = False, messages: bool = False) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True, members=members, messages=messages),
            allowed_mentions=discord.AllowedMentions.none(),
            guild_ready_timeout=0.05,
        )
        self.tree = app_commands.CommandTree(
            self,
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        )
        self.errors: list[Exception] = []
        self.seen: list[discord.Interaction] = []
        self.heard: list[str] = []
        add_commands(self)

    async def setup_hook(self) -> None:
        self.add_dynamic_items(Echo)
        await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Do without the five seconds before a second IDENTIFY."""

    async def on_message(self, message: discord.Message) -> None:
        self.heard.append(message.content)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        self.seen.append(interaction)


def add_commands(bot: Bot) -> None:
    """Register what the tests use."""

    @bot.tree.command()
    async def board(interaction: discord.Interaction, opponent: discord.User | None = None) -> None:
        """Show a board."""
        name = opponent.display_name if opponent else "nobody"
        await interaction.response.send_message(
            f"1 against {name}", file=picture("one.png"), view=buttons("next", "no", "later", "form", "-off")
        )

    @bot.tree.command()
    async def slow(interaction: discord.Interaction) -> None:
        """Think first."""
        await interaction.response.defer()
        await interaction.edit_original_response(content="thought", attachments=[picture("slow.png")])

    @bot.tree.command()
    async def follow(interaction: discord.Interaction) -> None:
        """Think in private, then follow up twice."""
        await interaction.response.defer(ephemeral=True)
        await interaction.followup.send("first")
        await interaction.followup.send("second")

    @bot.tree.command()
    async def play(interaction: discord.Interaction, play: app_commands.Range[str, 1, 20]) -> None:
        """Say a play back."""
        await interaction.response.send_message(play, ephemeral=True)

    @play.autocomplete("play")
    async def complete(_: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=p, value=p) for p in ("8/5 6/5", "13/7") if p.startswith(typed)]

    @bot.tree.command()
    async def call(interaction: discord.Interaction, who: discord.User, quiet: bool = False) -> None:
        """Call somebody by name."""
        allowed = discord.AllowedMentions(users=[] if quiet else [who])
        await interaction.response.send_message(who.mention, allowed_mentions=allowed)

    @bot.tree.command()
    async def mute(_: discord.Interaction) -> None:
        """Say nothing."""

    @bot.tree.command()
    async def many(interaction: discord.Interaction) -> None:
        """Offer a button that says much."""
        await interaction.response.send_message("many", view=buttons("many"))

    @bot.tree.command()
    async def pick(interaction: discord.Interaction) -> None:
        """Offer a list."""
        view = discord.ui.View(timeout=None)
        view.add_item(Pick())
        await interaction.response.send_message("Which?", view=view)

    group = app_commands.Group(name="table", description="Tables")

    @group.command()
    async def name(interaction: discord.Interaction, name: str, seats: app_commands.Range[int, 2, 4] = 2) -> None:
        """Name a table."""
        await interaction.response.send_message(f"{name} for {seats}")

    bot.tree.add_command(group)

    @bot.tree.error
    async def error(_: discord.Interaction, error: app_commands.AppCommandError) -> None:
        bot.errors.append(error.original if isinstance(error, app_commands.CommandInvokeError) else error)


def point(server: DiscordServer, patch: pytest.MonkeyPatch) -> None:
    """Let discord.py talk to this server."""
    patch.setattr(Route, "BASE", server.api)
    patch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(server.gateway))
    patch.setattr(discord.asset.Asset, "BASE", server.cdn)


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as made:
        point(made, monkeypatch)
        yield made


@contextlib.asynccontextmanager
async def running(server: DiscordServer, bot: Bot) -> AsyncIterator[Bot]:
    """The bot, from its session to its end."""
    task = asyncio.create_task(bot.start(server.token))
    try:
        await server.until(lambda: server.online or task.done())
        yield bot
    finally:
        await bot.close()
        await asyncio.wait([task])


@pytest.fixture
async def bot(server: DiscordServer) -> AsyncIterator[Bot]:
    async with running(server, Bot()) as made:
        yield made


@pytest.fixture
def ann(server: DiscordServer) -> User:
    return server.user("ann", "tr")


@pytest.fixture
def bob(server: DiscordServer) -> User:
    return server.user("bob", display="Bob the Builder")


@pytest.fixture
def club(server: DiscordServer, ann: User, bob: User) -> Guild:
    return server.guild("Club", ann, bob, locale="de")


@pytest.fixture
def room(bot: Bot, club: Guild) -> Channel:
    """A channel that the running bot hears of."""
    return club.channel("room")


# --- coming and going ---------------------------------------------------------------------------------------


async def test_a_bot_logs_in_and_registers_its_commands(server: DiscordServer, club: Guild, bot: Bot) -> None:
    await server.until(bot.is_ready)
    assert bot.user
    assert bot.user.id == server.bot.id
    assert [guild.name for guild in bot.guilds] == ["Club"]
    assert [c["name"] for c in server.commands][:2] == ["board", "slow"]
    assert server.commands[0]["contexts"] == [0, 1, 2]
    assert server.commands_created == len(server.commands)
    assert server.events.compressions == [discord.utils._ActiveDecompressionContext.COMPRESSION_TYPE]
    assert (await bot.user.display_avatar.read()).startswith(b"\x89PNG")
    assert server.validated is SPEC.exists()
    assert server.faults == []


async def test_commands_keep_their_ids_and_count_once(server: DiscordServer, bot: Bot) -> None:
    ids = [command["id"] for command in server.commands]
    await bot.tree.sync()
    assert [command["id"] for command in server.commands] == ids
    assert server.commands_created == len(ids)


async def test_a_bot_learns_of_guilds_and_channels_as_they_come(server: DiscordServer, bot: Bot, room: Channel) -> None:
    thread = room.thread("side")
    await server.until(lambda: bot.get_channel(thread.id))
    thread.archive()
    guild = room.guild
    assert guild
    room.deny(SEND_MESSAGES)
    found = await server.until(lambda: bot.get_guild(guild.id))
    channel = found.get_channel(room.id)
    assert channel
    await server.until(lambda: not channel.permissions_for(found.me).send_messages)
    guild.permit(VIEW_CHANNEL)
    await server.until(lambda: not channel.permissions_for(found.me).attach_files)
    guild.remove_bot()
    await server.until(lambda: not bot.guilds)


async def test_a_wrong_token_is_no_login(server: DiscordServer) -> None:
    with pytest.raises(discord.LoginFailure):
        async with Bot() as bot:
            await bot.start("another.token.here")
    assert server.requests[-1].status == 401


@pytest.mark.parametrize(
    ("code", "error"), [(4004, discord.ConnectionClosed), (4014, discord.PrivilegedIntentsRequired)]
)
async def test_a_closing_code_ends_the_bot(server: DiscordServer, code: int, error: type[Exception]) -> None:
    async with Bot() as bot:
        task = asyncio.create_task(bot.start(server.token))
        await server.until(lambda: server.online)
        server.close_gateway(code)
        with pytest.raises(error):
            await task


async def test_privileged_intents_are_refused(server: DiscordServer) -> None:
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with Bot(members=True) as bot:
            await bot.start(server.token)


# --- answers ------------------------------------------------------------------------------------------------


async def test_a_command_is_answered_with_a_picture(server: DiscordServer, room: Channel, ann: User, bob: User) -> None:
    interaction = await ann.command(room, "board", opponent=bob)
    board = room.last
    assert interaction.response_message is board
    assert not interaction.failed
    assert board.content == "1 against Bob the Builder"
    assert [(a.filename, a.description, len(a.data)) for a in board.attachments] == [
        ("one.png", "the board one.png", len(PNG) + 7)
    ]
    assert [[button.label for button in row] for row in board.components] == [["Next", "No", "Later", "Form", "Off"]]
    assert board.button("Next").custom_id == "echo:next"
    assert server.faults == []


async def test_the_bot_is_told_languages_and_permissions(room: Channel, bot: Bot, ann: User) -> None:
    await ann.command(room, "board")
    (seen,) = bot.seen
    assert (seen.locale, seen.guild_locale) == (discord.Locale.turkish, discord.Locale.german)
    assert seen.app_permissions.value == USUAL_PERMISSIONS
    assert seen.is_guild_integration()
    assert not seen.is_user_integration()
    assert isinstance(seen.user, discord.Member)
    assert seen.permissions.send_messages
    assert seen.filesize_limit == 10 << 20


async def test_a_press_edits_the_message_and_replaces_its_file(server: DiscordServer, room: Channel, ann: User) -> None:
    await ann.command(room, "board")
    interaction = await ann.press(room.last, "Next")
    assert [kind for kind, _ in interaction.responses] == [7]
    assert interaction.response_message is room.last
    assert (room.last.content, room.last.edits, len(room.messages)) == ("2", 1, 1)
    assert [file.filename for file in room.last.attachments] == ["two.png"]
    assert server.faults == []


async def test_what_is_not_there_cannot_be_pressed(room: Channel, ann: User, bob: User) -> None:
    await ann.command(room, "board")
    for name in ("Off", "Away", "echo:away"):
        with pytest.raises(LookupError):
            await ann.press(room.last, name)
    interaction = await bob.press(room.last, "echo:next", stale=True)
    assert interaction.response_message is room.last


async def test_a_refusal_is_seen_by_one_person_only(server: DiscordServer, room: Channel, ann: User, bob: User) -> None:
    await ann.command(room, "board")
    interaction = await bob.press(room.last, "No")
    assert [message.content for message in interaction.ephemeral] == ["Not yours"]
    assert bob.hidden == interaction.ephemeral
    assert [message.content for message in room.messages] == ["1 against nobody"]
    assert server.faults == []


async def test_a_deferred_command_is_settled_by_its_edit(server: DiscordServer, room: Channel, ann: User) -> None:
    interaction = await ann.command(room, "slow")
    assert interaction.deferred
    await interaction.settled()
    assert (room.last.content, room.last.loading, room.last.edits) == ("thought", False, 0)
    assert room.last.attachments[0].description == "the board slow.png"
    assert server.faults == []


async def test_the_first_followup_of_a_defer_takes_its_place(server: DiscordServer, room: Channel, ann: User) -> None:
    interaction = await ann.command(room, "follow")
    await server.until(lambda: interaction.followups)
    assert [message.content for message in interaction.ephemeral] == ["first"]
    assert [message.content for message in room.messages] == ["second"]


async def test_a_deferred_press_is_settled_by_the_edit(server: DiscordServer, room: Channel, ann: User) -> None:
    await ann.command(room, "board")
    interaction = await (await ann.press(room.last, "Later")).settled()
    await server.until(lambda: interaction.ephemeral)
    assert room.last.content == "late"
    assert [file.filename for file in room.last.attachments] == ["one.png"]
    assert interaction.ephemeral[0].content == "psst"
    assert server.faults == []


async def test_completion_offers_what_begins_so(room: Channel, ann: User) -> None:
    choices = await ann.autocomplete(room, "play", focused="play", play="8")
    assert [choice["name"] for choice in choices] == ["8/5 6/5"]
    interaction = await ann.command(room, "play", play="8/5 6/5")
    assert interaction.ephemeral[0].content == "8/5 6/5"


async def test_a_form_is_opened_and_sent(server: DiscordServer, room: Channel, ann: User) -> None:
    await ann.command(room, "board")
    opened = await ann.press(room.last, "Form")
    interaction = await ann.submit(opened, {"word": "tavla"})
    assert interaction.ephemeral[0].content == "You wrote tavla"
    with pytest.raises(ValueError, match="does not fit"):
        await ann.submit(opened, {"word": "much too long a word"})
    assert server.faults == []


async def test_a_list_is_chosen_from(server: DiscordServer, room: Channel, ann: User) -> None:
    await ann.command(room, "pick")
    with pytest.raises(LookupError):
        await ann.choose(room.last, "A game", "Chess")
    await ann.choose(room.last, "A game", "Narde")
    assert (room.last.content, room.last.menus) == ("n", [])
    assert server.faults == []


async def test_a_command_inside_a_group_takes_its_options(server: DiscordServer, room: Channel, ann: User) -> None:
    await ann.command(room, "table name", name="Oak", seats=3)
    assert room.last.content == "Oak for 3"
    with pytest.raises(ValueError, match="limits"):
        await ann.command(room, "table name", name="Oak", seats=5)
    assert server.faults == []


@pytest.mark.parametrize(
    ("name", "options"), [("chess", {}), ("play", {}), ("play", {"play": "1", "when": "now"}), ("call", {"who": "bob"})]
)
async def test_the_client_sends_only_what_was_registered(
    room: Channel, ann: User, name: str, options: dict[str, Any]
) -> None:
    with pytest.raises((LookupError, ValueError)):
        await ann.command(room, name, **options)


async def test_only_people_named_and_allowed_are_notified(room: Channel, bot: Bot, ann: User, bob: User) -> None:
    loud = await ann.command(room, "call", who=bob)
    quiet = await ann.command(room, "call", who=bob, quiet=True)
    assert loud.response_message
    assert quiet.response_message
    assert loud.response_message.mentions == [bob]
    assert quiet.response_message.mentions == []
    channel = bot.get_partial_messageable(room.id)
    await channel.send(f"{ann.mention} {bob.mention}", allowed_mentions=discord.AllowedMentions(users=True))
    assert room.last.mentions == [ann, bob]


async def test_a_message_cannot_become_empty(server: DiscordServer, room: Channel, bot: Bot) -> None:
    sent = await bot.get_partial_messageable(room.id).send("one")
    with pytest.raises(discord.HTTPException) as caught:
        await sent.edit(content=None)
    assert caught.value.code == 50006
    assert room.last.content == "one"
    assert len(server.faults) == 1


async def test_an_edit_notifies_nobody(room: Channel, bot: Bot, bob: User) -> None:
    sent = await bot.get_partial_messageable(room.id).send("nobody")
    await sent.edit(content=bob.mention, allowed_mentions=discord.AllowedMentions(users=True))
    assert room.last.mentions == []
    assert room.last.content == bob.mention


# --- messages without an interaction ------------------------------------------------------------------------


async def test_a_message_is_edited_by_its_id(server: DiscordServer, room: Channel, bot: Bot) -> None:
    channel = bot.get_partial_messageable(room.id)
    sent = await channel.send("one", file=picture("one.png"), view=buttons("next"))
    await channel.get_partial_message(sent.id).edit(content="two")
    assert [file.filename for file in room.last.attachments] == ["one.png"]
    await channel.get_partial_message(sent.id).edit(attachments=[picture("three.png")], view=None)
    assert [file.filename for file in room.last.attachments] == ["three.png"]
    assert (room.last.labels, room.last.edits) == ([], 2)
    again = await channel.fetch_message(sent.id)
    assert (again.attachments[0].width, again.attachments[0].height) == (640, 480)
    assert await again.attachments[0].read() == room.last.attachments[0].data
    await again.delete()
    assert room.messages == []
    assert server.faults == []


async def test_a_deleted_message_is_unknown(room: Channel, bot: Bot, ann: User) -> None:
    sent = await bot.get_partial_messageable(room.id).send("one", view=buttons("next"))
    message = room.last
    message.delete()
    with pytest.raises(discord.NotFound) as caught:
        await sent.edit(content="two")
    assert caught.value.code == 10008
    with pytest.raises(LookupError):
        await ann.press(message, "Next")


async def test_a_direct_message_reaches_its_person(server: DiscordServer, bot: Bot, ann: User) -> None:
    user = discord.Object(ann.id)
    channel = await bot.create_dm(user)
    await channel.send("your turn", view=buttons("next"))
    there = server.dm(ann)
    assert there.last.content == "your turn"
    interaction = await ann.press(there.last, "Next")
    assert interaction.response_message is there.last
    assert bot.seen[-1].context.dm_channel
    ann.dm_closed = True
    with pytest.raises(discord.Forbidden) as caught:
        await channel.send("again")
    assert caught.value.code == 50007
    assert server.faults == []


@pytest.mark.parametrize("messages", [True, False])
async def test_messages_are_heard_only_by_those_who_asked(server: DiscordServer, ann: User, messages: bool) -> None:
    async with running(server, Bot(messages=messages)) as bot:
        room = server.guild("Club", ann).channel("room")
        ann.say(room, "hello")
        ann.say(server.dm(ann), "psst")
        await ann.command(room, "mute", wait=False)
        await server.until(lambda: bot.seen)
        assert bot.heard == (["hello", "psst"] if messages else [])


async def test_a_thread_sleeps_and_wakes(server: DiscordServer, room: Channel, bot: Bot, ann: User) -> None:
    thread = room.thread("side")
    await ann.command(thread, "board")
    channel = bot.get_partial_messageable(thread.id)
    thread.archive()
    with pytest.raises(discord.HTTPException) as caught:
        await channel.get_partial_message(thread.last.id).edit(content="no")
    assert caught.value.code == 50083
    await channel.send("awake")
    assert not thread.archived
    thread.archive(locked=True)
    with pytest.raises(discord.HTTPException) as caught:
        await channel.send("no")
    assert caught.value.code == 50083
    assert server.faults == []


@pytest.mark.parametrize(("taken", "code"), [(SEND_MESSAGES, 50013), (ATTACH_FILES, 50013), (VIEW_CHANNEL, 50001)])
async def test_a_missing_permission_has_its_code(room: Channel, bot: Bot, taken: int, code: int) -> None:
    room.deny(taken)
    with pytest.raises(discord.Forbidden) as caught:
        await bot.get_partial_messageable(room.id).send("one", file=picture("one.png"))
    assert caught.value.code == code
    assert room.messages == []


async def test_an_unknown_channel_has_its_code(room: Channel, bot: Bot) -> None:
    room.delete()
    with pytest.raises(discord.NotFound) as caught:
        await bot.get_partial_messageable(room.id).send("one")
    assert caught.value.code == 10003


async def test_old_messages_take_few_edits(server: DiscordServer, room: Channel, bot: Bot) -> None:
    server.old_edits, server.old_edits_wait = 2, 0.0
    sent = await bot.get_partial_messageable(room.id).send("0")
    room.last.age(3601)
    await sent.edit(content="1")
    await sent.edit(content="2")
    with pytest.raises(discord.HTTPException) as caught:
        await sent.edit(content="3")
    assert (caught.value.status, caught.value.code) == (429, 30046)
    assert room.last.content == "2"


# --- where the bot is not -----------------------------------------------------------------------------------


async def test_people_use_the_bot_among_themselves(server: DiscordServer, bot: Bot, ann: User, bob: User) -> None:
    there = server.private(ann, bob, server.user("cid"))
    await ann.command(there, "board", opponent=bob)
    await bob.press(there.last, "Next")
    assert there.last.content == "2"
    seen = bot.seen[-1]
    assert seen.context.private_channel
    assert (seen.is_user_integration(), seen.is_guild_integration()) == (True, False)
    with pytest.raises(discord.Forbidden) as caught:
        await bot.get_partial_messageable(there.id).get_partial_message(there.last.id).edit(content="3")
    assert caught.value.code == 50001
    assert server.faults == []


@pytest.mark.parametrize("private", [True, False])
async def test_followups_are_few_where_the_bot_is_not(
    server: DiscordServer, bot: Bot, room: Channel, ann: User, private: bool
) -> None:
    there = server.private(ann, server.user("cid")) if private else room
    await ann.command(there, "many")
    interaction = await ann.press(there.last, "Many")
    await server.until(lambda: len(server.calls("POST", "^/webhooks")) == 6 and server.requests[-1].status)
    assert len(interaction.followups) == (5 if private else 6)
    assert server.requests[-1].code == (40094 if private else 0)


async def test_a_guild_without_the_bot_can_hide_its_answers(server: DiscordServer, bot: Bot, ann: User) -> None:
    guild = server.guild("Foreign", ann, installed=False)
    there = guild.channel("talk")
    await ann.command(there, "board")
    assert there.last.content == "1 against nobody"
    guild.external_apps = False
    interaction = await ann.command(there, "board")
    assert len(interaction.ephemeral) == 1
    assert not bot.guilds


# --- time ---------------------------------------------------------------------------------------------------


async def test_without_an_answer_the_interaction_failed(server: DiscordServer, room: Channel, ann: User) -> None:
    server.deadline = 0.1
    interaction = await ann.command(room, "mute")
    assert interaction.failed
    assert interaction.responses == []


async def test_a_late_answer_is_refused(server: DiscordServer, room: Channel, bot: Bot, ann: User) -> None:
    server.deadline = 0.1
    server.slow("/callback$", 0.2)
    interaction = await ann.command(room, "board")
    assert interaction.failed
    await server.until(lambda: bot.errors)
    (error,) = bot.errors
    assert isinstance(error, discord.NotFound)
    assert error.code == 10062
    assert room.messages == []


async def test_a_second_answer_is_refused(server: DiscordServer, room: Channel, bot: Bot, ann: User) -> None:
    interaction = await ann.command(room, "board")
    again = await ann.press(room.last, "Next", again=interaction)
    await server.until(lambda: bot.errors)
    (error,) = bot.errors
    assert again is interaction
    assert isinstance(error, discord.HTTPException)
    assert error.code == 40060
    assert len(room.messages) == 1


async def test_a_token_dies(server: DiscordServer, room: Channel, bot: Bot, ann: User) -> None:
    await ann.command(room, "board")
    server.token_life = 0.0
    with pytest.raises(discord.HTTPException) as caught:
        await bot.seen[-1].edit_original_response(content="too late")
    assert caught.value.code == 50027


async def test_no_followup_before_the_first_answer(server: DiscordServer, room: Channel, bot: Bot, ann: User) -> None:
    await ann.command(room, "mute", wait=False)
    await server.until(lambda: bot.seen)
    with pytest.raises(discord.NotFound) as caught:
        await bot.seen[-1].followup.send("early")
    assert caught.value.code == 10015


async def test_held_events_come_late(server: DiscordServer, room: Channel, ann: User) -> None:
    server.hold()
    interaction = await ann.command(room, "board", wait=False)
    await asyncio.sleep(0.05)
    assert not interaction.responses
    server.release()
    await interaction.settled()
    assert not interaction.failed
    assert interaction.took > 0.05


# --- what goes wrong ----------------------------------------------------------------------------------------


async def test_a_lost_connection_is_resumed_with_all_that_was_missed(
    server: DiscordServer, room: Channel, ann: User
) -> None:
    await ann.command(room, "board")
    server.disconnect(away=0.1)
    first = await ann.press(room.last, "Next", wait=False)
    second = await ann.press(room.last, "No", wait=False)
    await asyncio.gather(first.settled(), second.settled())
    assert (server.events.identified, server.events.resumed) == (1, 1)
    assert not first.failed
    assert [message.content for message in second.ephemeral] == ["Not yours"]
    assert server.faults == []


async def test_a_lost_session_begins_anew(server: DiscordServer, room: Channel, ann: User) -> None:
    server.disconnect(resumable=False)
    await server.until(lambda: server.events.identified == 2)
    assert server.events.resumed == 0
    interaction = await ann.command(room, "board")
    assert not interaction.failed


async def test_a_bot_comes_again_when_asked(server: DiscordServer, room: Channel, ann: User) -> None:
    server.events.reconnect()
    await server.until(lambda: server.events.resumed)
    assert not (await ann.command(room, "board")).failed


async def test_a_flood_is_slept_out(server: DiscordServer, room: Channel, bot: Bot) -> None:
    server.fail("POST", f"/channels/{room.id}/messages", 429, retry_after=0.1)
    began = time.monotonic()
    await bot.get_partial_messageable(room.id).send("one")
    assert time.monotonic() - began > 0.1
    assert [request.status for request in server.calls("POST", "/messages$")] == [429, 200]


async def test_a_ban_is_not_tried_again(server: DiscordServer, room: Channel, bot: Bot) -> None:
    server.fail("POST", "/messages$", 429, headers={})
    with pytest.raises(discord.HTTPException) as caught:
        await bot.get_partial_messageable(room.id).send("one")
    assert caught.value.status == 429
    assert len(server.calls("POST", "/messages$")) == 1


async def test_a_limit_is_told_before_it_is_reached(server: DiscordServer, room: Channel, bot: Bot) -> None:
    server.limit(2, 0.3)
    channel = bot.get_partial_messageable(room.id)
    began = time.monotonic()
    for number in range(3):
        await channel.send(str(number))
    assert time.monotonic() - began > 0.25
    assert all(request.status == 200 for request in server.calls("POST", "/messages$"))


async def test_a_limit_refuses_those_who_do_not_wait(server: DiscordServer, room: Channel) -> None:
    server.limit(1, 60)
    headers = {"Authorization": f"Bot {server.token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        url = f"{server.api}/channels/{room.id}/messages"
        answers = [await session.post(url, json={"content": "x"}) for _ in range(2)]
    assert [answer.status for answer in answers] == [200, 429]
    assert answers[1].headers["Via"]
    assert float(answers[1].headers["Retry-After"]) > 0


async def test_an_answer_lost_on_its_way_has_counted(server: DiscordServer, room: Channel, bot: Bot, ann: User) -> None:
    server.fail("POST", "/callback$", 502, after=True)
    interaction = await ann.command(room, "board")
    await server.until(lambda: bot.errors)
    (error,) = bot.errors
    assert isinstance(error, discord.HTTPException)
    assert error.code == 40060
    assert not interaction.failed
    assert room.last.content == "1 against nobody"
    assert server.faults == []


@pytest.mark.parametrize("after", [True, False])
async def test_a_slow_call_takes_effect_before_or_after_its_delay(
    server: DiscordServer, room: Channel, bot: Bot, after: bool
) -> None:
    server.slow("/messages$", 0.4, after=after)
    sending = asyncio.create_task(bot.get_partial_messageable(room.id).send("one"))
    await server.until(lambda: server.calls("POST", "/messages$"))
    assert len(room.messages) == after
    assert not sending.done()
    await sending
    assert len(room.messages) == 1


async def test_a_call_that_failed_before_its_effect_is_tried_again(
    server: DiscordServer, room: Channel, ann: User
) -> None:
    server.fail("POST", "/callback$", 503)
    interaction = await ann.command(room, "board")
    assert [request.status for request in server.calls("POST", "/callback$")] == [503, 200]
    assert interaction.took > 1
    assert len(room.messages) == 1


async def test_a_connection_drops(server: DiscordServer, room: Channel, bot: Bot) -> None:
    server.fail("POST", "/messages$", 0, after=True)
    with pytest.raises((aiohttp.ClientError, OSError)):
        await bot.get_partial_messageable(room.id).send("one")
    assert room.last.content == "one"


@pytest.mark.parametrize(
    "body",
    [
        {"content": "x" * 2001},
        {"content": ""},
        {"content": 5},
        {"content": "x", "attachments": [{"id": 0}]},
        {"components": [{"type": 1, "components": [{"type": 2, "style": 1, "label": "a", "custom_id": "x" * 101}]}]},
        {"components": [{"type": 1, "components": [{"type": 2, "style": 1, "label": "a", "custom_id": "x"}] * 2}]},
        {"components": [{"type": 1, "components": [{"type": 2, "style": 1, "label": "a" * 81, "custom_id": "x"}]}]},
        {"components": [{"type": 1, "components": [{"type": 2, "style": 5, "label": "a"}]}]},
    ],
)
async def test_a_body_against_the_rules_is_a_fault(server: DiscordServer, room: Channel, body: dict[str, Any]) -> None:
    headers = {"Authorization": f"Bot {server.token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        await session.post(f"{server.api}/channels/{room.id}/messages", json=body)
    assert len(server.faults) >= 1
    assert "/channels/{channel_id}/messages" in server.faults[0]


async def test_a_body_against_the_document_is_a_fault(server: DiscordServer, room: Channel) -> None:
    if not server.validated:
        pytest.skip("needs ../shared/discord_openapi.json")
    headers = {"Authorization": f"Bot {server.token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        await session.post(f"{server.api}/channels/{room.id}/messages", json={"content": "x", "tts": "loud"})
    (fault,) = server.faults
    assert "$.tts" in fault


async def test_without_the_document_only_the_rules_are_kept() -> None:
    async with DiscordServer(spec=Path("/nowhere")) as server, aiohttp.ClientSession() as session:
        headers = {"Authorization": f"Bot {server.token}"}
        there = server.guild("Club").channel("room")
        await session.post(
            f"{server.api}/channels/{there.id}/messages", json={"content": "x", "tts": 5}, headers=headers
        )
        assert not server.validated
        assert server.faults == []


async def test_an_unknown_route_is_a_fault(server: DiscordServer) -> None:
    async with aiohttp.ClientSession() as session:
        answer = await session.get(f"{server.api}/guilds/1/bans")
        assert answer.status == 404
        assert answer.headers["Content-Type"] == "application/json"
    assert len(server.faults) == 1


async def test_too_many_gateway_messages_are_a_fault(server: DiscordServer) -> None:
    async with aiohttp.ClientSession() as session, session.ws_connect(server.gateway) as socket:
        for _ in range(121):
            await socket.send_json({"op": 1, "d": None})
        await server.until(lambda: server.faults)
        while (await socket.receive()).type is not aiohttp.WSMsgType.CLOSE:
            pass
        assert socket.close_code == 4008


async def test_a_hundred_interactions_at_once(server: DiscordServer, room: Channel, ann: User) -> None:
    began = time.monotonic()
    interactions = await asyncio.gather(*(ann.command(room, "board") for _ in range(100)))
    assert time.monotonic() - began < 10
    assert not any(interaction.failed for interaction in interactions)
    assert len(room.messages) == 100


async def test_an_unwatched_condition_times_out(server: DiscordServer) -> None:
    with pytest.raises(TimeoutError):
        await server.until(lambda: False, seconds=0.05)
