"""The slash commands: made from the one list of commands, in every language that Discord and we know."""

import hashlib
import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import discord
from discord import app_commands

from adapters.discord.people import Interaction
from adapters.discord.reception import Value
from bot import variants
from bot.engine.match import LENGTHS
from bot.service.ports import Store
from bot.service.table import LEVELS
from render.commands import COMMANDS, Command, Kind, Option
from render.words import SOURCE, languages, words

log = logging.getLogger(__name__)

MOST_DESCRIPTION = 100
MOST_TYPED = 100
NOTE = "discord.commands"
"""Under which the store keeps what Discord was told last: it allows 200 new commands a day."""

Take = Callable[[Interaction, str, Mapping[str, Value | None]], Awaitable[None]]
Complete = Callable[[Interaction, str], Awaitable[Sequence[str]]]
Slash = app_commands.Command[Any, ..., None]


class Languages(app_commands.Translator):
    """Descriptions and choices from our catalogues. Names stay: they are the same in every language and platform."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """The text in a language, None where it is the source's or Discord would not take it."""
        language = locale.value.partition("-")[0]
        named = (
            app_commands.TranslationContextLocation.command_name,
            app_commands.TranslationContextLocation.parameter_name,
        )
        if language == SOURCE or language not in languages() or context.location in named:
            return None
        told = words(language).say(string.message)
        return told if told != string.message and len(told) <= MOST_DESCRIPTION else None


def slash_commands(take: Take, complete: Complete) -> list[Slash]:
    """All commands. `take` gets each with its options by name, `complete` what is typed as a play."""
    return [_slash_command(command, take, complete) for command in COMMANDS.values()]


async def sync(tree: app_commands.CommandTree[discord.Client], store: Store) -> bool:
    """Tells Discord of the commands if they are not those of the last time; returns whether it was told.

    Raises what discord.py does.
    """
    name = await _fingerprint(tree)
    if await store.note(NOTE) == name:
        return False
    await tree.sync()
    await store.put_note(NOTE, name)
    return True


async def _fingerprint(tree: app_commands.CommandTree[discord.Client]) -> str:
    """A short name of what would be told, and to which application."""
    translator = tree.translator or Languages()
    told = [await command.get_translated_payload(tree, translator) for command in tree.get_commands()]
    text = json.dumps([tree.client.application_id, told], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _slash_command(command: Command, take: Take, complete: Complete) -> Slash:
    async def run(interaction: Interaction, /, **options: Value | None) -> None:
        await take(interaction, command.name, options)

    async def completed(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=play, value=play) for play in await complete(interaction, typed)]

    # discord.py reads the options from the signature and from what its decorators leave on the function.
    run.__signature__ = _signature(command.options)  # type: ignore[attr-defined]
    callback: Any = run
    if command.options:
        purposes = {option.name: app_commands.locale_str(option.purpose) for option in command.options}
        callback = app_commands.describe(**purposes)(callback)
    if choices := {option.name: _choices(option.kind) for option in command.options if _choices(option.kind)}:
        callback = app_commands.choices(**choices)(callback)
    for option in command.options:
        if option.kind == "play":
            callback = app_commands.autocomplete(**{option.name: completed})(callback)
    return app_commands.Command(
        name=command.name,
        description=app_commands.locale_str(command.purpose),
        callback=callback,
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
    )


def _signature(options: Sequence[Option]) -> inspect.Signature:
    # An option without a default has to come before those that have one.
    ordered = sorted(options, key=lambda option: not option.required)
    return inspect.Signature([inspect.Parameter("interaction", _PLAIN), *(_parameter(option) for option in ordered)])


def _parameter(option: Option) -> inspect.Parameter:
    types: dict[Kind, Any] = {
        "person": discord.User,
        "length": app_commands.Range[int, LENGTHS.start, LENGTHS.stop - 1],
    }
    annotation = types.get(option.kind, str if _choices(option.kind) else app_commands.Range[str, 1, MOST_TYPED])
    default = inspect.Parameter.empty if option.required else None
    return inspect.Parameter(option.name, _PLAIN, annotation=annotation, default=default)


def _choices(kind: Kind) -> list[app_commands.Choice[str]]:
    """What can be chosen for an option, none where it is typed."""
    told = words(SOURCE)
    names = {"game": {game: told.game(game) for game in variants.games()}, "level": {level: level for level in LEVELS}}
    return [
        app_commands.Choice(name=app_commands.locale_str(name), value=value)
        for value, name in names.get(kind, {}).items()
    ]


_PLAIN = inspect.Parameter.POSITIONAL_OR_KEYWORD
