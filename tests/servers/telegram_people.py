"""The people, chats and messages of the local Telegram: what a test plays by hand."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.servers.telegram_rules import TEXT, Refused, bad
from tests.servers.telegram_spec import Json
from tests.servers.telegram_text import Entity, spotted, units


@dataclass(frozen=True)
class Button:
    """A button of an inline keyboard. `data`: what a press sends; `url`: where a link leads."""

    label: str
    data: str | None = None
    url: str | None = None


@dataclass(frozen=True)
class Answer:
    """What a press was answered: a toast, or a box to be closed when `alert`. Empty: the clock on the button ended."""

    text: str = ""
    alert: bool = False
    url: str = ""


@dataclass(eq=False)
class Query:
    """A press that waits for its answer."""

    id: str
    user: User
    message: Message
    data: str
    at: float
    answer: asyncio.Future[Answer]


@dataclass(eq=False)
class Message:
    """A message as people see it now.

    `kind` is "", "photo", "document" or "animation", `file` the bytes of that. `markup` is the reply_markup as the bot
    sent it, `thread` the message_thread_id, `topic` whether that is a topic of a forum (else it is a chain of replies).
    `service` says what happened, for the grey lines. `changed_at` is the perf_counter of the sending or last edit.
    """

    id: int
    chat: Chat
    sender: User
    date: int
    text: str = ""
    caption: str = ""
    entities: list[Entity] = field(default_factory=list)
    kind: str = ""
    file: bytes | None = None
    file_id: str = ""
    file_name: str = ""
    size: tuple[int, int] = (0, 0)
    markup: Json | None = None
    reply_to: Message | None = None
    thread: int | None = None
    topic: bool = False
    service: Json = field(default_factory=dict)
    edits: int = 0
    edit_date: int = 0
    deleted: bool = False
    changed_at: float = field(default_factory=time.perf_counter)

    @property
    def photo(self) -> bytes | None:
        return self.file if self.kind == "photo" else None

    @property
    def keyboard(self) -> list[list[Button]]:
        rows = (self.markup or {}).get("inline_keyboard", [])
        return [[Button(key["text"], key.get("callback_data"), _target(key)) for key in row] for row in rows]

    @property
    def buttons(self) -> list[Button]:
        return [button for row in self.keyboard for button in row]

    @property
    def labels(self) -> list[str]:
        return [button.label for button in self.buttons]

    def button(self, wanted: str) -> Button:
        """The button of this label or, if no label is so, of this callback data. Raises AssertionError without one."""
        for found in ([b for b in self.buttons if b.label == wanted], [b for b in self.buttons if b.data == wanted]):
            assert len(found) <= 1, f"{wanted!r} is on several buttons: give the data of one, {found}"
            if found:
                return found[0]
        raise AssertionError(f"no button {wanted!r} on message {self.id}, only {self.labels}")

    def json(self, *, nested: bool = False) -> Json:
        """The Message of the Bot API; `nested`: as a reply_to_message, which carries no other."""
        if self.deleted:
            return {"message_id": self.id, "chat": self.chat.json(), "date": 0}
        values: Json = {"message_id": self.id, "from": self.sender.json(), "chat": self.chat.json(), "date": self.date}
        values |= self.service | self._content()
        if self.edit_date:
            values["edit_date"] = self.edit_date
        if self.thread is not None:
            values["message_thread_id"] = self.thread
        if self.topic:
            values["is_topic_message"] = True
        if self.reply_to and not self.reply_to.deleted and not nested:
            values["reply_to_message"] = self.reply_to.json(nested=True)
        if self.buttons and self.markup:
            values["reply_markup"] = {"inline_keyboard": self.markup["inline_keyboard"]}
        return values

    def _content(self) -> Json:
        values: Json = {}
        if self.text:
            values["text"] = self.text
        if self.caption:
            values["caption"] = self.caption
        if self.entities:
            values["caption_entities" if self.kind else "entities"] = self.entities
        if self.kind == "photo":
            values["photo"] = list(self._sizes())
        elif self.kind:
            # Telegram calls every animation a document, too.
            name = {"file_name": self.file_name} if self.file_name else {}
            values["document"] = self._file() | name
        if self.kind == "animation":
            values["animation"] = values["document"] | {"width": 320, "height": 240, "duration": 1}
        return values

    def _file(self) -> Json:
        return {"file_id": self.file_id, "file_unique_id": self.file_id[-16:], "file_size": len(self.file or b"")}

    def _sizes(self) -> Iterator[Json]:
        """A thumbnail and the picture itself, as Telegram's lists of sizes end with the largest."""
        width, height = self.size
        scale = min(1.0, 90 / max(width, height, 1))
        small = {"width": max(1, round(width * scale)), "height": max(1, round(height * scale)), "file_size": 1000}
        yield {"file_id": f"{self.file_id}-s", "file_unique_id": f"{self.file_id[-14:]}-s", **small}
        yield self._file() | {"width": width, "height": height}


def _target(key: Json) -> str | None:
    """Where a button leads, if it is a link."""
    url: str | None = key.get("url") or (key.get("web_app") or key.get("login_url") or {}).get("url")
    return url


class Chat:
    """A private chat (`kind` "private", the user's id), "group" or "supergroup" (which may be a `forum`)."""

    def __init__(self, world: World, number: int, kind: str, title: str, members: list[User], forum: bool) -> None:
        self.id = number
        self.kind = kind
        self.title = title
        self.forum = forum
        self.members = members
        self.deleted: list[Message] = []
        self.topics: dict[int, Message] = {}
        self.kicked = False
        self.became: Chat | None = None
        self._world = world
        self._there: dict[int, Message] = {}
        # Supergroups number their own messages; all other chats share one count.
        self._ids = itertools.count(1) if kind == "supergroup" else world.message_ids

    @property
    def messages(self) -> list[Message]:
        """What is there now, in order."""
        return list(self._there.values())

    @property
    def boards(self) -> list[Message]:
        """The messages with a photo."""
        return [message for message in self.messages if message.photo is not None]

    @property
    def last(self) -> Message:
        """The newest message of the bot. Raises LookupError without one; `until` takes that for "not yet"."""
        for message in reversed(self._there.values()):
            if message.sender.is_bot:
                return message
        raise LookupError(f"the bot said nothing in {self.title}")

    def get(self, number: int) -> Message | None:
        """The message of this id, if it is still there."""
        return self._there.get(number)

    def topic(self, name: str) -> int:
        """Opens a topic of a forum; returns its message_thread_id."""
        assert self.forum, f"{self.title} is no forum"
        service = {"forum_topic_created": {"name": name, "icon_color": 0x6FB9F0}}
        opening = self.add(self.members[0], service=service)
        opening.thread, opening.topic = opening.id, True
        self.topics[opening.id] = opening
        self._world.emit("message", opening.json())
        return opening.id

    def kick(self) -> None:
        """Throws the bot out."""
        self.kicked = True
        self.change_bot(self.members[0], "member", "kicked")

    def migrate(self) -> Chat:
        """The group becomes a supergroup with another id and without the old messages."""
        assert self.kind == "group", f"{self.title} is a {self.kind}"
        new = self._world.open_group(self.title, self.members, "supergroup", False)
        self.became = new
        for chat, told in ((self, {"migrate_to_chat_id": new.id}), (new, {"migrate_from_chat_id": self.id})):
            self._world.emit("message", chat.add(self.members[0], service=told).json())
        return new

    def add(self, sender: User, **content: Any) -> Message:
        """A new message at the end. Takes the fields of Message; topics and chains of replies follow by themselves."""
        message = Message(next(self._ids), self, sender, self._world.date(), **content)
        self._thread(message)
        self._there[message.id] = message
        self._world.changed()
        return message

    def remove(self, message: Message) -> None:
        del self._there[message.id]
        message.deleted = True
        self.deleted.append(message)
        self._world.changed()

    def change_bot(self, by: User, old: str, new: str) -> None:
        """Tells the bot what became of its membership."""
        bot = self._world.bot.json()
        states = [
            {"user": bot, "status": state, **({"until_date": 0} if state == "kicked" else {})} for state in (old, new)
        ]
        change = {"chat": self.json(), "from": by.json(), "date": self._world.date()}
        self._world.emit("my_chat_member", change | {"old_chat_member": states[0], "new_chat_member": states[1]})

    def json(self) -> Json:
        if self.kind == "private":
            user = self.members[0]
            name = {"username": user.username} if user.username else {}
            return {"id": self.id, "type": self.kind, "first_name": user.name, **name}
        return {"id": self.id, "type": self.kind, "title": self.title, **({"is_forum": True} if self.forum else {})}

    def check_writable(self) -> None:
        """Raises Refused where the bot may not write."""
        if self.became is not None:
            moved = bad("group chat was upgraded to a supergroup chat")
            moved.parameters = {"migrate_to_chat_id": self.became.id}
            raise moved
        if self.kicked:
            name = "group" if self.kind == "group" else self.kind
            raise Refused(403, f"Forbidden: bot was kicked from the {name} chat")
        if self.kind == "private" and self.members[0].blocked:
            raise Refused(403, "Forbidden: bot was blocked by the user")
        if self.kind == "private" and not self.members[0].started:
            raise Refused(403, "Forbidden: bot can't initiate conversation with a user")

    def hears(self, message: Message) -> bool:
        """Whether Telegram hands a person's message to the bot."""
        if self.kicked or self.became is not None:
            return False
        if self.kind == "private" or not self._world.privacy:
            return True
        if message.reply_to is not None and message.reply_to.sender.is_bot:
            return True
        raw, name = message.text.encode("utf-16-le"), self._world.bot.username.lower()
        for entity in message.entities:
            start = 2 * entity["offset"]
            said = raw[start : start + 2 * entity["length"]].decode("utf-16-le").lower()
            if entity["type"] == "mention" and said == f"@{name}":
                return True
            if entity["type"] == "bot_command" and said.partition("@")[2] in ("", name):
                return True
        return False

    def _thread(self, message: Message) -> None:
        earlier = message.reply_to
        if self.forum:
            if message.thread is None and earlier is not None and earlier.topic:
                message.thread = earlier.thread
            message.topic = message.thread is not None
            # A topic's messages that answer nothing answer its first line, in Telegram's eyes.
            if message.thread is not None and earlier is None:
                message.reply_to = self.topics[message.thread]
        elif self.kind == "supergroup" and earlier is not None:
            # Chains of replies look like topics: bots that send to this "thread" are refused.
            message.thread = earlier.id if earlier.thread is None else earlier.thread


class User:
    """A person (or the bot itself), known by `id`."""

    def __init__(
        self, world: World, number: int, name: str, username: str, language: str, is_bot: bool = False
    ) -> None:
        self.id = number
        self.name = name
        self.username = username
        self.language = language
        self.is_bot = is_bot
        self.started = False
        self.blocked = False
        self._world = world

    def __repr__(self) -> str:
        return f"<{self.name} {self.id}>"

    def json(self) -> Json:
        values: Json = {"id": self.id, "is_bot": self.is_bot, "first_name": self.name}
        if self.username:
            values["username"] = self.username
        return values if self.is_bot else values | {"language_code": self.language}

    @property
    def private(self) -> Chat:
        """His chat with the bot."""
        return self._world.private(self)

    async def say(self, chat: Chat, text: str, *, reply_to: Message | None = None, thread: int | None = None) -> int:
        """Writes; returns the update id, or 0 when privacy mode or a block keeps it from the bot."""
        assert self in chat.members, f"{self} is not in {chat.title}"
        assert 1 <= units(text) <= TEXT, "apps send no such text"
        assert thread is None or thread in chat.topics, f"no topic {thread} in {chat.title}"
        if chat.kind == "private":
            assert not self.blocked, f"{self} has blocked the bot: apps offer him to start it again"
            self.started = True
        message = chat.add(self, text=text, entities=spotted(text), reply_to=reply_to, thread=thread)
        return self._world.emit("message", message.json()) if chat.hears(message) else 0

    async def edit(self, message: Message, text: str) -> int:
        """Writes something else instead; returns the update id, or 0 when the bot is not told."""
        assert message.sender is self, f"{self} did not write message {message.id}"
        message.text, message.entities = text, spotted(text)
        message.edits, message.edit_date = message.edits + 1, self._world.date()
        return self._world.emit("edited_message", message.json()) if message.chat.hears(message) else 0

    async def start(self, payload: str = "") -> int:
        """Presses Start in his private chat, with the payload of a t.me link; returns the update id."""
        if self.blocked:
            self.unblock()
        return await self.say(self.private, f"/start {payload}".strip())

    async def press(
        self, message: Message, button: str = "", *, stale: str | None = None, seconds: float = 10.0
    ) -> Answer:
        """Presses a button, by label or data, and waits for the bot's answer.

        `stale` presses with this data although the message has no such button now, as people do whose app is behind.
        Raises AssertionError without such a button, or when the bot does not answer.
        """
        return await self.answer(self.tap(message, button, stale=stale), seconds)

    def tap(self, message: Message, button: str = "", *, stale: str | None = None) -> str:
        """Presses without waiting; returns the id of the callback query, for `answer`."""
        chat = message.chat
        assert self in chat.members, f"{self} is not in {chat.title}"
        data = stale
        if data is None:
            assert not message.deleted, f"message {message.id} is deleted"
            data = message.button(button).data
        assert data is not None, f"button {button!r} is a link"
        query = self._world.ask(self, message, data)
        update = {"id": query.id, "from": self.json(), "message": message.json(), "data": data}
        self._world.emit("callback_query", update | {"chat_instance": str(-chat.id * 7919)})
        return query.id

    async def answer(self, query: str, seconds: float = 10.0) -> Answer:
        """What the bot answered to a press. Raises AssertionError when it does not."""
        asked = self._world.queries[query]
        try:
            return await asyncio.wait_for(asyncio.shield(asked.answer), seconds)
        except TimeoutError:
            raise AssertionError(f"no answer to {self}'s press of {asked.data!r} in {seconds} s") from None

    def block(self) -> None:
        """Blocks the bot."""
        if not self.blocked:
            self.blocked = True
            self.private.change_bot(self, "member", "kicked")

    def unblock(self) -> None:
        if self.blocked:
            self.blocked = False
            self.private.change_bot(self, "kicked", "member")

    def join(self, chat: Chat) -> None:
        chat.members.append(self)
        self._world.emit("message", chat.add(self, service={"new_chat_members": [self.json()]}).json())

    def leave(self, chat: Chat) -> None:
        chat.members.remove(self)
        self._world.emit("message", chat.add(self, service={"left_chat_member": self.json()}).json())


class World:
    """All people, chats and presses, and the clock of the place (`now`, in seconds)."""

    def __init__(
        self, bot: str, now: Callable[[], float], emit: Callable[[str, Json], int], changed: Callable[[], None]
    ) -> None:
        self.now = now
        self.emit = emit
        self.changed = changed
        self.privacy = True
        self.query_seconds = 15.0
        self.message_ids = itertools.count(1)
        self.users: dict[int, User] = {}
        self.chats: dict[int, Chat] = {}
        self.queries: dict[str, Query] = {}
        self.bot = User(self, 123_456, "Tavla", bot, "", is_bot=True)
        self._began = time.time() - now()
        self._user_ids = itertools.count(5_000_000_001)
        self._group_ids = itertools.count(4_001)
        self._query_ids = itertools.count(3_000_000_000_000_000_001)

    def date(self) -> int:
        """The Unix time that messages of now carry."""
        return int(self._began + self.now())

    def user(self, name: str, username: str, language: str) -> User:
        user = User(self, next(self._user_ids), name, username, language)
        self.users[user.id] = user
        return user

    def private(self, user: User) -> Chat:
        if user.id not in self.chats:
            self.chats[user.id] = Chat(self, user.id, "private", user.name, [user], False)
        return self.chats[user.id]

    def open_group(self, title: str, members: list[User], kind: str, forum: bool) -> Chat:
        number = next(self._group_ids)
        number = -number if kind == "group" else -1_002_000_000_000 - number
        chat = self.chats[number] = Chat(self, number, kind, title, list(members), forum)
        return chat

    def ask(self, user: User, message: Message, data: str) -> Query:
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        query = Query(str(next(self._query_ids)), user, message, data, self.now(), answer)
        self.queries[query.id] = query
        return query
