"""People: what a test does by hand in their name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tests.servers.discord_interactions import AUTOCOMPLETE, COMMAND, COMPONENT, MODAL, Interaction, filled
from tests.servers.discord_messages import Message, snowflake
from tests.servers.discord_rules import BUTTON, LINK_STYLE, MEMBER_PERMISSIONS, STRING_SELECT, Button, Json
from tests.servers.discord_world import Channel

if TYPE_CHECKING:
    from tests.servers.discord import DiscordServer

SUBCOMMAND, GROUP, STRING, INTEGER, BOOLEAN, USER, CHANNEL, NUMBER = 1, 2, 3, 4, 5, 6, 7, 10
_TYPES: dict[int, tuple[type, ...]] = {STRING: (str,), INTEGER: (int,), BOOLEAN: (bool,), NUMBER: (int, float)}


class User:
    """A person, or the bot itself.

    `hidden` are the ephemeral messages made for them; `dm_closed` refuses the bot's direct messages.
    """

    def __init__(self, server: DiscordServer, name: str, locale: str, display: str, *, bot: bool = False) -> None:
        self.id = snowflake()
        self.name, self.locale, self.display, self.bot = name, locale, display, bot
        self.permissions = MEMBER_PERMISSIONS
        self.dm_closed = False
        self.hidden: list[Message] = []
        self._server = server
        server.users[self.id] = self

    def __repr__(self) -> str:
        return f"<User {self.name}>"

    @property
    def mention(self) -> str:
        """How messages name this person."""
        return f"<@{self.id}>"

    def payload(self) -> Json:
        """The user object."""
        return {
            "id": str(self.id),
            "username": self.name,
            "global_name": self.display or None,
            "discriminator": "0000" if self.bot else "0",
            "avatar": None,
            "bot": self.bot,
            "public_flags": 0,
        }

    def own_payload(self) -> Json:
        """The user object as its owner gets it."""
        return {**self.payload(), "verified": True, "mfa_enabled": True, "email": None, "flags": 0, "locale": "en-US"}

    def say(self, channel: Channel, text: str) -> Message:
        """Write an ordinary message; in a thread that sleeps it wakes it."""
        if channel.archived:
            channel.archive(False)
        message = Message(self._server, channel, self, content=text)
        channel.add(message)
        return message

    async def command(self, channel: Channel, name: str, /, *, wait: bool = True, **options: Any) -> Interaction:
        """Use a slash command ("group sub" for one inside a group); returns when the bot has answered, or failed to.

        Options are given by name: text, numbers, truth values, User or Channel. Raises: LookupError for a command or
        option that is not registered or not offered here; ValueError for a value that the client would not send.
        """
        command, leaf = self._server.find_command(name)
        self._check_offered(command, channel)
        data = self._command_data(command, name, list(_options(leaf, options)))
        self._resolve(data, channel, options)
        return await self._send(channel, COMMAND, data, None, wait=wait)

    async def autocomplete(self, channel: Channel, name: str, /, focused: str, **options: Any) -> list[Json]:
        """Type into an option; returns the choices offered. `options` has what is typed so far, of others too.

        Raises: LookupError as `command` does; TimeoutError when the bot offers nothing in time.
        """
        command, leaf = self._server.find_command(name)
        options.setdefault(focused, "")
        sent = list(_options(leaf, options, typing=focused))
        data = self._command_data(command, name, sent)
        self._resolve(data, channel, options)
        interaction = await self._send(channel, AUTOCOMPLETE, data, None, wait=True)
        if interaction.failed:
            raise TimeoutError(f"no choices for {name} {focused}")
        return interaction.choices

    async def press(
        self, message: Message, button: str, *, wait: bool = True, stale: bool = False, again: Interaction | None = None
    ) -> Interaction:
        """Press a button by its label or custom_id; returns when the bot has answered, or failed to.

        `stale` presses a custom_id that is not there (any more), as an old client can; `again` tells the bot of an
        earlier press once more, with its id and token. Raises: LookupError when there is no such button to press.
        """
        if again:
            again.deliver()
            return again
        custom_id = button if stale else self._pressable(message, button).custom_id
        data = {"component_type": BUTTON, "custom_id": custom_id, "id": 1}
        return await self._send(message.channel, COMPONENT, data, message, wait=wait)

    async def choose(self, message: Message, menu: str, *values: str, wait: bool = True) -> Interaction:
        """Choose from a list, named by custom_id or placeholder, by labels or values. Raises: LookupError."""
        self._check_seen(message)
        for found in message.menus:
            if menu in (found.custom_id, found.placeholder) and not found.disabled:
                chosen = [value for label, value in found.options if label in values or value in values]
                if len(chosen) != len(values) or not found.least <= len(chosen) <= found.most:
                    raise LookupError(f"{values} cannot be chosen from {found}")
                data = {"component_type": STRING_SELECT, "custom_id": found.custom_id, "values": chosen, "id": 1}
                return await self._send(message.channel, COMPONENT, data, message, wait=wait)
        raise LookupError(f"no list {menu!r} on {message}")

    async def submit(self, opened: Interaction, values: dict[str, Any], *, wait: bool = True) -> Interaction:
        """Send the form that answered an interaction, with values by custom_id. Raises: LookupError, ValueError."""
        if opened.modal is None or opened.user is not self:
            raise LookupError(f"{opened} opened no form for {self}")
        fields = filled(opened.modal["components"], values)
        data = {"custom_id": opened.modal["custom_id"], "components": fields, "resolved": {}}
        return await self._send(opened.channel, MODAL, data, opened.message, wait=wait)

    async def _send(
        self, channel: Channel, kind: int, data: Json, message: Message | None, *, wait: bool
    ) -> Interaction:
        if not channel.holds(self):
            raise LookupError(f"{self} does not see {channel}")
        interaction = Interaction(self._server, self, channel, kind, data, message)
        self._server.begin(interaction)
        if wait:
            await interaction.answered()
        return interaction

    def _pressable(self, message: Message, name: str) -> Button:
        self._check_seen(message)
        button = message.button(name)
        if button.disabled or button.style == LINK_STYLE:
            raise LookupError(f"the button {name!r} on {message} cannot be pressed")
        return button

    def _check_seen(self, message: Message) -> None:
        if message.deleted or message.viewer not in (None, self):
            raise LookupError(f"{self} does not see {message}")

    def _check_offered(self, command: Json, channel: Channel) -> None:
        context = 0 if channel.guild else 1 if channel.member else 2
        if command["contexts"] is not None and context not in command["contexts"]:
            raise LookupError(f"/{command['name']} is not offered in {channel}")
        if not channel.member and 1 not in command["integration_types"]:
            raise LookupError(f"/{command['name']} is not for people who install the bot for themselves")

    def _command_data(self, command: Json, name: str, options: list[Json]) -> Json:
        """The data of a command; each word after the first wraps the options in a subcommand or its group."""
        words = name.split()[1:]
        for depth, word in reversed(list(enumerate(words))):
            kind = SUBCOMMAND if depth == len(words) - 1 else GROUP
            options = [{"name": word, "type": kind, "options": options}]
        return {"id": command["id"], "name": command["name"], "type": 1, "options": options}

    def _resolve(self, data: Json, channel: Channel, options: dict[str, Any]) -> None:
        people = [value for value in options.values() if isinstance(value, User)]
        places = [value for value in options.values() if isinstance(value, Channel)]
        resolved: Json = {}
        if people:
            resolved["users"] = {str(person.id): person.payload() for person in people}
            members = [person for person in people if channel.guild and person in channel.guild.members]
            if channel.guild and members:
                member = {**channel.guild.partial_member(), "permissions": str(MEMBER_PERMISSIONS)}
                resolved["members"] = {str(person.id): member for person in members}
        if places:
            resolved["channels"] = {str(place.id): place.seen_by(self) for place in places}
        if resolved:
            data["resolved"] = resolved


def _options(leaf: Json, given: dict[str, Any], typing: str = "") -> Iterator[Json]:
    """The options as the client sends them: known, complete (but while typing), and of the declared type."""
    declared = {option["name"]: option for option in leaf.get("options") or []}
    unknown = given.keys() - declared.keys()
    if unknown:
        raise LookupError(f"/{leaf['name']} has no option {sorted(unknown)}")
    missing = [name for name, option in declared.items() if option.get("required") and name not in given]
    if missing and not typing:
        raise LookupError(f"/{leaf['name']} needs {missing}")
    for name, value in given.items():
        option = declared[name]
        if name == typing:
            if not option.get("autocomplete"):
                raise LookupError(f"/{leaf['name']} does not complete {name}")
            yield {"name": name, "type": option["type"], "value": value, "focused": True}
        else:
            yield {"name": name, "type": option["type"], "value": _value(option, value)}


def _value(option: Json, value: Any) -> Any:
    """What the client sends for a value. Raises: ValueError when its form would not let the person enter it."""
    kind = option["type"]
    if isinstance(value, User | Channel) and kind in (USER, CHANNEL, 9):
        return str(value.id)
    allowed = _TYPES.get(kind, ())
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind != BOOLEAN):
        raise ValueError(f"{value!r} is no value for {option['name']}")
    choices = [choice["value"] for choice in option.get("choices") or []]
    if choices and value not in choices:
        raise ValueError(f"{value!r} is not among {choices}")
    size = len(value) if isinstance(value, str) else value
    least = option.get("min_length" if kind == STRING else "min_value")
    most = option.get("max_length" if kind == STRING else "max_value")
    if (least is not None and size < least) or (most is not None and size > most):
        raise ValueError(f"{value!r} is outside the limits of {option['name']}")
    return value
