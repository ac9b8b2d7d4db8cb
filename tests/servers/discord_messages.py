"""Messages as Discord keeps them, and as its payloads show them."""

from __future__ import annotations

import itertools
import mimetypes
import re
import struct
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.servers import discord_rules as rules
from tests.servers.discord_rules import Button, Json, Menu, Refusal, Upload, bad_form

if TYPE_CHECKING:
    from tests.servers.discord import DiscordServer
    from tests.servers.discord_people import User
    from tests.servers.discord_world import Channel

_EPOCH_MS = 1420070400000
_serial = itertools.count()


def snowflake() -> int:
    """A new id, as Discord makes them: the milliseconds since 2015 and a serial number; each is above the last."""
    return (int(time.time() * 1000) - _EPOCH_MS) << 22 | next(_serial) & 0x3FFFFF


def stamp(when: datetime | None) -> str | None:
    """A time as payloads have it."""
    return None if when is None else when.isoformat()


def now() -> datetime:
    """The time that payloads speak of: UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Attachment:
    """One file of a message; `description` is its alt text."""

    id: int
    filename: str
    data: bytes
    description: str
    url: str

    def payload(self, *, ephemeral: bool) -> Json:
        """The attachment object; the size of PNG pictures is in it."""
        kind = mimetypes.guess_type(self.filename)[0]
        found: Json = {"id": str(self.id), "filename": self.filename, "size": len(self.data), "url": self.url}
        found |= {"proxy_url": self.url, "ephemeral": ephemeral, "flags": 0}
        found |= {"content_type": kind} if kind else {}
        found |= {"description": self.description} if self.description else {}
        if self.data[:8] == b"\x89PNG\r\n\x1a\n" and len(self.data) >= 24:
            found["width"], found["height"] = struct.unpack(">II", self.data[16:24])
        return found


@dataclass(eq=False)
class Message:
    """One message as it is now.

    `raw` are the components as sent; `mentions` the people whom it really notified, which only a new message does;
    `viewer` is the one person who sees an ephemeral message; `edits` counts changes after the first content.
    """

    server: DiscordServer
    channel: Channel
    author: User
    id: int = field(default_factory=snowflake)
    content: str = ""
    attachments: list[Attachment] = field(default_factory=list)
    raw: list[Json] = field(default_factory=list)
    embeds: list[Json] = field(default_factory=list)
    flags: int = 0
    mentions: list[User] = field(default_factory=list)
    created: datetime = field(default_factory=now)
    edited: datetime | None = None
    edits: int = 0
    deleted: bool = False
    viewer: User | None = None
    answers: Json | None = None  # the interaction_metadata of an answer
    replies_to: int | None = None
    old_edits: int = 0

    def __repr__(self) -> str:
        return f"<Message {self.id} {self.content[:60]!r} {self.labels} {[file.filename for file in self.attachments]}>"

    @property
    def components(self) -> list[list[Button]]:
        """The rows of buttons."""
        return rules.buttons_by_row(self.raw)

    @property
    def buttons(self) -> list[Button]:
        """All buttons, row by row."""
        return [button for row in self.components for button in row]

    @property
    def labels(self) -> list[str]:
        """What the buttons say, row by row."""
        return [button.label for button in self.buttons]

    @property
    def menus(self) -> list[Menu]:
        """The lists to choose from."""
        return rules.menus(self.raw)

    @property
    def text(self) -> str:
        """All that can be read, text components too."""
        return rules.text_of(self.content, self.raw)

    @property
    def loading(self) -> bool:
        """Whether it still says that the bot is thinking."""
        return bool(self.flags & rules.LOADING)

    @property
    def ephemeral(self) -> bool:
        """Whether one person sees it only."""
        return bool(self.flags & rules.EPHEMERAL)

    def button(self, name: str) -> Button:
        """The button with this label or custom_id. Raises: LookupError when there is none."""
        for button in self.buttons:
            if name and name in (button.label, button.custom_id, button.emoji):
                return button
        raise LookupError(f"no button {name!r} on {self}")

    def delete(self) -> None:
        """A moderator, or the bot, takes it away."""
        self.deleted = True
        self.server.tell_message("MESSAGE_DELETE", self)
        self.server.settle(self)
        self.server.changed()

    def age(self, seconds: float) -> None:
        """Pretend that it is so much older; its id stays, as the bot knows it."""
        self.created -= timedelta(seconds=seconds)

    def fill(self, body: Json, uploads: dict[int, Upload], *, notify: bool) -> None:
        """Write the content of a new message, or of one that was loading. Raises: Refusal."""
        rules.check_body(body, uploads, self.server.attachment_size_limit)
        self._write(body, uploads)
        self.flags = self.flags & rules.EPHEMERAL | (body.get("flags") or 0) & ~(rules.EPHEMERAL | rules.LOADING)
        if notify and not self.ephemeral:
            self.mentions = self._notified(body)

    def edit(self, body: Json, uploads: dict[int, Upload]) -> None:
        """Change what the body names and keep the rest. Raises: Refusal."""
        if self.flags & rules.COMPONENTS_V2:
            body = {**body, "flags": (body.get("flags") or 0) | rules.COMPONENTS_V2}
        rules.check_body(body, uploads, self.server.attachment_size_limit)
        self._write(body, uploads)
        self.flags |= (body.get("flags") or 0) & rules.COMPONENTS_V2
        self.edits += 1
        self.edited = now()
        self.server.tell_message("MESSAGE_UPDATE", self)
        self.server.settle(self)

    def count_old_edit(self) -> None:
        """Refuse too many edits of a message older than an hour. Raises: Refusal 30046.

        Asked for edits by id and by token. Whether Discord counts callbacks (type 7) nobody says; here they are free.
        """
        if now() - self.created <= timedelta(hours=1):
            return
        self.old_edits += 1
        if self.old_edits > self.server.old_edits:
            wait = self.server.old_edits_wait
            text = "Maximum number of edits to messages older than 1 hour reached. Try again later"
            raise Refusal(429, 30046, text, headers={"Via": "1.1 google"}, more={"retry_after": wait, "global": False})

    def _write(self, body: Json, uploads: dict[int, Upload]) -> None:
        attachments = self._attached(body.get("attachments"), uploads)
        content = (body["content"] or "") if "content" in body else self.content
        raw = (body["components"] or []) if "components" in body else self.raw
        embeds = (body["embeds"] or []) if "embeds" in body else self.embeds
        if not (attachments or content or raw or embeds or body.get("poll")):
            raise Refusal(400, 50006, "Cannot send an empty message", fault=True)
        self.attachments, self.content, self.raw, self.embeds = attachments, content, raw, embeds

    def _attached(self, listed: list[Json] | None, uploads: dict[int, Upload]) -> list[Attachment]:
        """The files after a write: those kept and then the new; a file that was not listed is simply added."""
        if listed is None:
            return self.attachments + [self._attach(upload, {}) for upload in uploads.values()]
        old = {str(kept.id): kept for kept in self.attachments}
        files: list[Attachment] = []
        for item in listed:
            key = str(item["id"])
            if key in old:
                files.append(old[key])
            elif key.isdigit() and int(key) in uploads:
                files.append(self._attach(uploads[int(key)], item))
            else:
                raise bad_form(f"attachments: {key} is neither an attachment of the message nor a file sent")
        return files

    def _attach(self, upload: Upload, item: Json) -> Attachment:
        file_id, name = snowflake(), item.get("filename") or upload.filename
        url = self.server.keep_file(self.channel.id, file_id, name, upload.data)
        return Attachment(file_id, name, upload.data, item.get("description") or "", url)

    def _notified(self, body: Json) -> list[User]:
        """Whom a new message notifies: people named in it, if allowed_mentions does not forbid it."""
        ids = [int(found) for found in re.findall(r"<@!?(\d+)>", self.text)]
        allowed = body.get("allowed_mentions")
        if allowed is not None and "users" not in (allowed.get("parse") or []):
            ids = [found for found in ids if str(found) in [str(user) for user in allowed.get("users") or []]]
        return [self.server.users[found] for found in dict.fromkeys(ids) if found in self.server.users]

    def payload(self) -> Json:
        """The message object."""
        data: Json = {
            "id": str(self.id),
            "channel_id": str(self.channel.id),
            "type": 20 if self.answers and self.answers["type"] == 2 else 0,
            "author": self.author.payload(),
            "content": self.content,
            "timestamp": stamp(self.created),
            "edited_timestamp": stamp(self.edited),
            "flags": self.flags,
            "tts": False,
            "pinned": False,
            "mention_everyone": False,
            "mentions": [user.payload() for user in self.mentions],
            "mention_roles": [],
            "attachments": [file.payload(ephemeral=self.ephemeral) for file in self.attachments],
            "embeds": self.embeds,
            "components": _numbered(self.raw, itertools.count(1)),
        }
        if self.author.bot:
            data["application_id"] = str(self.server.application_id)
        if self.answers:
            data |= {"webhook_id": str(self.server.application_id), "interaction_metadata": self.answers}
        if self.replies_to:
            reference = {"type": 0, "channel_id": str(self.channel.id), "message_id": str(self.replies_to)}
            data |= {"type": 19, "message_reference": reference}
        return data


def _numbered(parts: list[Json], numbers: itertools.count[int]) -> list[Json]:
    """Components with the numbers that Discord gives those that came without."""
    return [_with_number(part, numbers) for part in parts]


def _with_number(part: Json, numbers: itertools.count[int]) -> Json:
    made = {**part, "id": part.get("id") or next(numbers)}
    if "components" in part:
        made["components"] = _numbered(part["components"], numbers)
    if part.get("accessory"):
        made["accessory"] = _with_number(part["accessory"], numbers)
    return made
