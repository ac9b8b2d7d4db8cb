"""One deed of a person with the bot: what the bot is told of it, and what it answered."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import TYPE_CHECKING, Any

from tests.servers import discord_rules as rules
from tests.servers.discord_messages import Message, snowflake
from tests.servers.discord_rules import Json, Refusal, Upload, bad_form
from tests.servers.discord_world import DM, Channel

if TYPE_CHECKING:
    from tests.servers.discord import DiscordServer
    from tests.servers.discord_people import User

COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 2, 3, 4, 5
ANSWER, DEFER, DEFER_UPDATE, UPDATE, CHOICES, FORM = 4, 5, 6, 7, 8, 9
# Which answers each kind of interaction takes; a modal that no button opened has no message to update (checked apart).
_TAKES = {
    COMMAND: (ANSWER, DEFER, FORM),
    COMPONENT: (ANSWER, DEFER, DEFER_UPDATE, UPDATE, FORM),
    AUTOCOMPLETE: (CHOICES,),
    MODAL: (ANSWER, DEFER, DEFER_UPDATE, UPDATE),
}


class Interaction:
    """A command, a press, a choice or a filled form of one person.

    `responses` are the callbacks that counted, as (type, data); `response_message` is the message that answered, or
    the one that was updated; `ephemeral` are messages that only this person sees, `followups` those sent after the
    first answer; `failed` says that no callback came in time; `took` is the seconds that one took.
    """

    def __init__(
        self, server: DiscordServer, user: User, channel: Channel, kind: int, data: Json, message: Message | None
    ) -> None:
        self.id, self.token = snowflake(), secrets.token_urlsafe(150)
        self.user, self.channel, self.kind, self.data, self.message = user, channel, kind, data, message
        self.responses: list[tuple[int, Json]] = []
        self.response_message: Message | None = None
        self.followups: list[Message] = []
        self.failed = False
        self.took = 0.0
        self.modal: Json | None = None
        self.choices: list[Json] = []
        self._server = server
        self._began = time.monotonic()
        self._answered = asyncio.Event()
        self._settled = asyncio.Event()
        self._event = self._payload()
        self._timer = asyncio.get_running_loop().call_later(server.deadline, self._expire)

    def __repr__(self) -> str:
        return f"<Interaction {self.kind} of {self.user.name} {self.data.get('name') or self.data.get('custom_id')!r}>"

    @property
    def ephemeral(self) -> list[Message]:
        """What this interaction shows to its person only, without what was deleted since."""
        shown = [self.response_message, *self.followups]
        return [message for message in shown if message and message.viewer and not message.deleted]

    @property
    def deferred(self) -> bool:
        """Whether the bot asked for time."""
        return bool(self.responses) and self.responses[0][0] in (DEFER, DEFER_UPDATE)

    @property
    def done(self) -> bool:
        """Whether all is said: answered and, if deferred, followed by an edit or a further message; or failed."""
        return self._settled.is_set()

    def deliver(self) -> None:
        """Tell the bot; again, the same event is told twice, as gateways sometimes do."""
        self._server.dispatch("INTERACTION_CREATE", self._event)

    async def answered(self) -> None:
        """Wait for any callback, or for the deadline without one."""
        await self._answered.wait()

    async def settled(self, seconds: float = 10.0) -> Interaction:
        """Wait until all is said. Raises: TimeoutError."""
        try:
            await asyncio.wait_for(self._settled.wait(), seconds)
        except TimeoutError:
            raise TimeoutError(f"{self} is not settled after {seconds} s: {self.responses}") from None
        return self

    def cancel(self) -> None:
        """The server stops: nobody waits any more."""
        self._timer.cancel()

    def settle(self) -> None:
        """All is said."""
        self._server.deferred.discard(self)
        self._settled.set()

    # --- what the bot does ---

    def check_token(self) -> None:
        """Refuse a webhook call out of time. Raises: Refusal 10015 before the first callback, 50027 when expired."""
        if not self.responses:
            raise Refusal(404, 10015, "Unknown Webhook")
        if time.monotonic() - self._began > self._server.token_life:
            raise Refusal(401, 50027, "Invalid Webhook Token")

    def respond(self, kind: int, data: Json, uploads: dict[int, Upload]) -> None:
        """Take a callback. Raises: Refusal 10062 when late, 40060 when it is not the first, 50035 when it cannot be."""
        if self.failed:
            raise Refusal(404, 10062, "Unknown interaction")
        if self.responses:
            raise Refusal(400, 40060, "Interaction has already been acknowledged.")
        if kind not in _TAKES[self.kind] or (kind in (DEFER_UPDATE, UPDATE) and self.message is None):
            raise bad_form(f"type: {kind} does not answer an interaction of type {self.kind}")
        self._take(kind, data, uploads)
        self.responses.append((kind, data))
        self.took = time.monotonic() - self._began
        self._timer.cancel()
        self._answered.set()
        if self.deferred:
            self._server.deferred.add(self)
        else:
            self.settle()

    def _take(self, kind: int, data: Json, uploads: dict[int, Upload]) -> None:
        match kind:
            case 4:
                self.response_message = self._post(data, uploads)
            case 5:
                self.response_message = self._think(data)
            case 6:
                self.response_message = self._source()
            case 7:
                self._source().edit(data, uploads)
                self.response_message = self._source()
            case 8:
                self.choices = _checked_choices(data.get("choices") or [])
            case 9:
                self.modal = _checked_modal(data)

    def follow_up(self, body: Json, uploads: dict[int, Upload]) -> Message:
        """Take a further message; the first after a thinking defer becomes that one's content. Raises: Refusal."""
        if self.response_message and self.response_message.loading:
            return self.edit(self.response_message, body, uploads)
        if len(self.followups) >= 5 and not self.channel.member:
            raise Refusal(400, 40094, "This interaction has hit the maximum number of follow up messages.")
        self.followups.append(self._post(body, uploads))
        self.settle()
        return self.followups[-1]

    def edit(self, message: Message, body: Json, uploads: dict[int, Upload]) -> Message:
        """Change a message by this interaction's token. Raises: Refusal."""
        if message.loading:
            # Discord notifies nobody of what follows a defer, however new it looks (discord-api-docs #4034).
            message.fill(body, uploads, notify=False)
            self._server.tell_message("MESSAGE_UPDATE", message)
        else:
            message.edit(body, uploads)
        self.settle()
        return message

    def find(self, message_id: str) -> Message:
        """A message that this token reaches. Raises: Refusal 10008."""
        mine = [message for message in (self.response_message, self.message, *self.followups) if message]
        for message in mine:
            if not message.deleted and message_id in ("@original", str(message.id)):
                return message
            if message_id == "@original" and message is self.response_message:
                break
        raise Refusal(404, 10008, "Unknown Message")

    def _source(self) -> Message:
        """The message that was pressed. Raises: Refusal 10008 when it is gone."""
        if self.message is None or self.message.deleted:
            raise Refusal(404, 10008, "Unknown Message")
        return self.message

    def _post(self, data: Json, uploads: dict[int, Upload]) -> Message:
        message = self._new(data)
        message.fill(data, uploads, notify=True)
        self._show(message)
        return message

    def _think(self, data: Json) -> Message:
        if (data.get("flags") or 0) & ~rules.EPHEMERAL:
            raise bad_form("flags: a deferred answer takes EPHEMERAL only")
        message = self._new(data)
        message.flags |= rules.LOADING
        self._show(message)
        return message

    def _new(self, data: Json) -> Message:
        message = Message(self._server, self.channel, self._server.bot, answers=self._metadata())
        guild = self.channel.guild
        hidden = guild is not None and not guild.installed and not guild.external_apps
        if (data.get("flags") or 0) & rules.EPHEMERAL or hidden:
            message.flags, message.viewer = rules.EPHEMERAL, self.user
        return message

    def _show(self, message: Message) -> None:
        if message.viewer:
            message.viewer.hidden.append(message)
        else:
            self.channel.add(message)

    # --- what the bot and the client are told ---

    def summary(self) -> Json:
        """What a callback with `with_response` is answered."""
        kind, message = self.responses[0][0], self.response_message
        told: Json = {"id": str(self.id), "type": self.kind, "channel_id": str(self.channel.id)}
        if message is not None:
            told |= {
                "response_message_id": str(message.id),
                "response_message_loading": message.loading,
                "response_message_ephemeral": message.ephemeral,
            }
        if kind in (ANSWER, UPDATE) and message is not None:
            return {"interaction": told, "resource": {"type": kind, "message": message.payload()}}
        return {"interaction": told}

    def _payload(self) -> Json:
        channel, guild, server = self.channel, self.channel.guild, self._server
        event: Json = {
            "id": str(self.id),
            "application_id": str(server.application_id),
            "type": self.kind,
            "version": 1,
            "token": self.token,
            "data": self.data,
            "channel_id": str(channel.id),
            "channel": channel.seen_by(self.user),
            "locale": self.user.locale,
            "app_permissions": str(channel.permissions),
            "entitlements": [],
            "entitlement_sku_ids": [],
            "authorizing_integration_owners": self._owners(),
            "context": 0 if guild else 1 if channel.kind == DM and channel.member else 2,
            "attachment_size_limit": server.attachment_size_limit,
        }
        if guild:
            member = {**guild.member(self.user), "permissions": str(self.user.permissions)}
            event |= {"guild_id": str(guild.id), "guild": guild.partial(), "guild_locale": guild.locale}
            event |= {"member": member}
        else:
            event["user"] = self.user.payload()
        if self.message:
            event["message"] = self.message.payload()
        return event

    def _owners(self) -> Json:
        """For whom the bot is installed: "0" is the guild (0 in a DM with the bot), "1" the person."""
        if self.channel.member:
            return {"0": str(self.channel.guild.id) if self.channel.guild else "0"}
        return {"1": str(self.user.id)}

    def _metadata(self) -> Json:
        found: Json = {
            "id": str(self.id),
            "type": self.kind,
            "user": self.user.payload(),
            "authorizing_integration_owners": self._owners(),
        }
        if self.kind == COMPONENT and self.message:
            found["interacted_message_id"] = str(self.message.id)
        if self.kind == MODAL:
            found["triggering_interaction_metadata"] = {**found, "type": COMPONENT if self.message else COMMAND}
        return found

    def _expire(self) -> None:
        self.failed = True
        self._answered.set()
        self.settle()
        self._server.changed()


def _checked_choices(choices: list[Json]) -> list[Json]:
    if len(choices) > 25:
        raise bad_form("choices: Must be 25 or fewer in length.")
    if any(not 1 <= len(choice["name"]) <= 100 for choice in choices):
        raise bad_form("choices: name: Must be between 1 and 100 in length.")
    if any(isinstance(choice["value"], str) and len(choice["value"]) > 100 for choice in choices):
        raise bad_form("choices: value: Must be 100 or fewer in length.")
    return choices


def _checked_modal(data: Json) -> Json:
    if not 1 <= len(data["components"]) <= 5:
        raise bad_form("components: a modal has between 1 and 5.")
    if not 1 <= len(data["title"]) <= 45 or not 1 <= len(data["custom_id"]) <= 100:
        raise bad_form("title, custom_id: Must be between 1 and 45, 1 and 100 in length.")
    return data


def filled(components: list[Json], values: dict[str, Any]) -> list[Json]:
    """A modal's components as a person sends them back: fields by custom_id, those not named as they stood.

    Raises: LookupError for a field that the modal has not; ValueError for text outside the field's limits.
    """
    unknown = values.keys() - {part.get("custom_id") for part in rules.every(components)}
    if unknown:
        raise LookupError(f"the modal has no field {sorted(unknown)}")
    return [_filled(part, values) for part in components]


def _filled(part: Json, values: dict[str, Any]) -> Json:
    kind = part["type"]
    if kind == rules.ROW:
        return {"type": kind, "id": 1, "components": [_filled(inner, values) for inner in part["components"]]}
    if kind == rules.LABEL:
        return {"type": kind, "id": 1, "component": _filled(part["component"], values)}
    if kind == rules.TEXT_DISPLAY:
        return {"type": kind, "id": 1}
    name = part["custom_id"]
    if kind == rules.TEXT_INPUT:
        text = str(values.get(name, part.get("value") or ""))
        if not (part.get("min_length") or 0) <= len(text) <= (part.get("max_length") or 4000):
            raise ValueError(f"{text!r} does not fit into the field {name}")
        return {"type": kind, "id": 1, "custom_id": name, "value": text}
    chosen = values.get(name, [])
    return {"type": kind, "id": 1, "custom_id": name, "values": [chosen] if isinstance(chosen, str) else list(chosen)}
