"""Guilds and channels as Discord keeps them, and as its payloads show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.servers import discord_rules as rules
from tests.servers.discord_messages import Message, now, snowflake, stamp
from tests.servers.discord_rules import Json, Refusal, Upload

if TYPE_CHECKING:
    from tests.servers.discord import DiscordServer
    from tests.servers.discord_people import User

TEXT, DM, GROUP_DM, PUBLIC_THREAD = 0, 1, 3, 11


class Guild:
    """A server: its channels and members. `permissions` are the bot's, from one role; others have no role.

    With `installed=False` the bot is not there: only people who installed it for themselves use it.
    """

    def __init__(self, server: DiscordServer, name: str, permissions: int, locale: str, *, installed: bool) -> None:
        self.id, self.bot_role, self.owner_id = snowflake(), snowflake(), snowflake()
        self.name, self.permissions, self.locale, self.installed = name, permissions, locale, installed
        self.members: list[User] = []
        self.channels: list[Channel] = []
        self.external_apps = True  # False: answers to people who installed the bot themselves become ephemeral
        self._server = server

    def __repr__(self) -> str:
        return f"<Guild {self.name}>"

    def channel(self, name: str) -> Channel:
        """A new text channel, which a connected bot hears of."""
        made = Channel(self._server, TEXT, name, guild=self)
        self._tell("CHANNEL_CREATE", made.payload())
        return made

    def join(self, *users: User) -> None:
        """People come in."""
        self.members += users

    def permit(self, permissions: int) -> None:
        """Give the bot other permissions."""
        self.permissions = permissions
        self._tell("GUILD_ROLE_UPDATE", {"guild_id": str(self.id), "role": self._roles()[1]})

    def remove_bot(self) -> None:
        """Somebody throws the bot out."""
        self._tell("GUILD_DELETE", {"id": str(self.id)})
        self.installed = False

    def payload(self) -> Json:
        """What GUILD_CREATE says."""
        living = [channel for channel in self.channels if not channel.deleted]
        return {
            "id": str(self.id),
            "name": self.name,
            "owner_id": str(self.owner_id),
            "preferred_locale": self.locale,
            "roles": self._roles(),
            "channels": [channel.payload() for channel in living if channel.kind == TEXT],
            "threads": [c.payload() for c in living if c.kind == PUBLIC_THREAD and not c.archived],
            "members": [{**self.member(self._server.bot), "roles": [str(self.bot_role)]}],
            "member_count": len(self.members) + 1,
            "joined_at": stamp(now()),
            "large": False,
            "unavailable": False,
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "mfa_level": 0,
            "nsfw_level": 0,
            "premium_tier": 0,
            "afk_timeout": 300,
            "system_channel_flags": 0,
            **dict.fromkeys(("icon", "banner", "splash", "description", "afk_channel_id", "vanity_url_code")),
            **{key: [] for key in ("emojis", "stickers", "features", "voice_states", "presences", "stage_instances")},
            **{key: [] for key in ("guild_scheduled_events", "soundboard_sounds")},
        }

    def partial(self) -> Json:
        """What an interaction says of its guild."""
        return {"id": str(self.id), "locale": self.locale, "features": []}

    def member(self, user: User) -> Json:
        """A member object with its user."""
        return {"user": user.payload(), **self.partial_member()}

    def partial_member(self) -> Json:
        """A member object without its user, as resolved data have it; ours all have the usual rights."""
        return {
            "nick": None,
            "avatar": None,
            "banner": None,
            "roles": [],
            "joined_at": stamp(now()),
            "premium_since": None,
            "communication_disabled_until": None,
            "deaf": False,
            "mute": False,
            "pending": False,
            "flags": 0,
        }

    def _roles(self) -> list[Json]:
        everyone = _role(self.id, "@everyone", 0, managed=False)
        return [everyone, _role(self.bot_role, self._server.bot.name, self.permissions, managed=True)]

    def _tell(self, event: str, data: Json) -> None:
        if self.installed:
            self._server.dispatch(event, data, rules.GUILDS)


def _role(role_id: int, name: str, permissions: int, *, managed: bool) -> Json:
    return {
        "id": str(role_id),
        "name": name,
        "permissions": str(permissions),
        "position": int(managed),
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": managed,
        "mentionable": False,
        "flags": 0,
    }


class Channel:
    """A place for messages: a guild's text channel or thread, a DM with the bot, or people among themselves.

    `member` says whether the bot is in it; where it is not, only interaction tokens reach it. `archived` and `locked`
    are a thread's; `denied` are permissions that this channel takes from the bot.
    """

    def __init__(
        self,
        server: DiscordServer,
        kind: int,
        name: str = "",
        *,
        guild: Guild | None = None,
        parent: Channel | None = None,
        people: tuple[User, ...] = (),
        member: bool = True,
    ) -> None:
        self.id, self.kind, self.name, self.guild, self.parent = snowflake(), kind, name, guild, parent
        self.people, self._member, self._server = people, member, server
        self.archived = self.locked = self.deleted = False
        self.denied = 0
        self._messages: dict[int, Message] = {}
        server.channels[self.id] = self
        if guild:
            guild.channels.append(self)

    def __repr__(self) -> str:
        return f"<Channel {self.name or self.id}>"

    @property
    def messages(self) -> list[Message]:
        """What everybody sees here now, the oldest first."""
        return [message for message in self._messages.values() if not message.deleted]

    @property
    def last(self) -> Message:
        """The newest message. Raises: LookupError when there is none."""
        if not self.messages:
            raise LookupError(f"{self} has no message")
        return self.messages[-1]

    @property
    def member(self) -> bool:
        """Whether the bot is here."""
        return self.guild.installed if self.guild else self._member

    @property
    def permissions(self) -> int:
        """What the bot may do here; in private channels that is not limited."""
        if self.guild is None:
            return rules.USUAL_PERMISSIONS
        denied = self.denied | (self.parent.denied if self.parent else 0)
        return self.guild.permissions & ~denied

    def holds(self, user: User) -> bool:
        """Whether a person sees this channel."""
        return user in (self.guild.members if self.guild else self.people)

    def thread(self, name: str) -> Channel:
        """A new public thread of this channel."""
        made = Channel(self._server, PUBLIC_THREAD, name, guild=self.guild, parent=self)
        self._tell("THREAD_CREATE", {**made.payload(), "newly_created": True})
        return made

    def archive(self, archived: bool = True, *, locked: bool = False) -> None:
        """A thread goes to rest, or wakes; a locked one wakes only for moderators."""
        self.archived, self.locked = archived, locked
        self._tell("THREAD_UPDATE", self.payload())

    def deny(self, permissions: int) -> None:
        """Take permissions from the bot in this channel."""
        self.denied = permissions
        self._tell("CHANNEL_UPDATE", self.payload())

    def delete(self) -> None:
        """Somebody deletes the channel."""
        self.deleted = True
        self._tell("THREAD_DELETE" if self.parent else "CHANNEL_DELETE", self.payload())

    def message(self, message_id: int) -> Message:
        """A message that everybody sees. Raises: Refusal 10008."""
        found = self._messages.get(message_id)
        if found is None or found.deleted:
            raise Refusal(404, 10008, "Unknown Message")
        return found

    def add(self, message: Message) -> None:
        """Show a message to everybody here."""
        self._messages[message.id] = message
        self._server.tell_message("MESSAGE_CREATE", message)

    def require(self, wanted: int) -> None:
        """Refuse what the bot may not do here. Raises: Refusal 10003, 50001, 50013."""
        if self.deleted:
            raise Refusal(404, 10003, "Unknown Channel")
        if not self.member or not self.permissions & rules.VIEW_CHANNEL:
            raise Refusal(403, 50001, "Missing Access")
        if self.guild and wanted & ~self.permissions:
            raise Refusal(403, 50013, "Missing Permissions")

    def require_sending(self, uploads: dict[int, Upload]) -> None:
        """Refuse a message that the bot may not send or edit. Raises: Refusal."""
        sending = rules.SEND_MESSAGES_IN_THREADS if self.parent else rules.SEND_MESSAGES
        self.require(sending | (rules.ATTACH_FILES if uploads else 0))
        if self.kind == DM and self.people[0].dm_closed:
            raise Refusal(403, 50007, "Cannot send messages to this user")

    def payload(self) -> Json:
        """The channel object of this kind."""
        base = {"id": str(self.id), "type": self.kind, "flags": 0, "last_message_id": self._last_id()}
        if self.guild is None:
            return {**base, **self._private_payload()}
        base |= {"guild_id": str(self.guild.id), "name": self.name, "rate_limit_per_user": 0}
        return {**base, **(self._thread_payload() if self.parent else self._text_payload())}

    def seen_by(self, user: User) -> Json:
        """The partial object in an interaction of this person."""
        return {**self.payload(), "permissions": str(user.permissions)}

    def _private_payload(self) -> Json:
        # Discord tells no recipients of the DM that an interaction comes from, nor of people's own channels.
        if self.kind == DM:
            return {"recipients": [person.payload() for person in self.people]} if self._member else {}
        return {"name": self.name or None, "icon": None, "owner_id": str(self.people[0].id), "recipients": []}

    def _text_payload(self) -> Json:
        overwrite = {"id": str(self._server.bot.id), "type": 1, "allow": "0", "deny": str(self.denied)}
        return {
            "position": 0,
            "permission_overwrites": [overwrite] if self.denied else [],
            "nsfw": False,
            "parent_id": None,
            "topic": None,
        }

    def _thread_payload(self) -> Json:
        assert self.parent
        return {
            "parent_id": str(self.parent.id),
            "owner_id": str(self._server.bot.id),
            "message_count": len(self.messages),
            "member_count": 1,
            "total_message_sent": len(self._messages),
            "thread_metadata": {
                "archived": self.archived,
                "locked": self.locked,
                "auto_archive_duration": 1440,
                "archive_timestamp": stamp(now()),
                "create_timestamp": stamp(now()),
            },
        }

    def _last_id(self) -> str | None:
        return str(max(self._messages)) if self._messages else None

    def _tell(self, event: str, data: Json) -> None:
        if self.member:
            self._server.dispatch(event, data, rules.GUILDS)
