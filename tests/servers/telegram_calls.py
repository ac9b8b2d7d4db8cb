"""The methods of the Bot API that this Telegram serves: what each of the bot's calls does to chats and messages."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.servers.telegram_people import Answer, Chat, Message, User, World
from tests.servers.telegram_rules import (
    ALERT,
    CAPTION,
    DELETABLE_SECONDS,
    TEXT,
    Flood,
    Refused,
    bad,
    check_keyboard,
    check_photo,
    wrong,
)
from tests.servers.telegram_spec import Json
from tests.servers.telegram_text import Entity, Unparsable, parse_html, spotted, trimmed, units

_MEDIA = ("photo", "document", "animation")
_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current content "
    "and reply markup of the message"
)


@dataclass
class Request:
    """A call of the bot: decoded parameters, and uploads by the name of their part.

    `status` and `description` are what was answered (0 and "dropped" when the connection was cut; 0 while it is
    worked on), `result` what came of it. Times are perf_counter's.
    """

    method: str
    parameters: Json
    files: dict[str, bytes] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    at: float = field(default_factory=time.perf_counter)
    answered_at: float = 0.0
    status: int = 0
    description: str = ""
    result: Any = None

    def __str__(self) -> str:
        return f"{self.method} {self.parameters!r:.300} -> {self.status} {self.description}"


@dataclass(frozen=True)
class Content:
    """What a message says: the part of a Message that sends and edits set."""

    text: str = ""
    caption: str = ""
    entities: tuple[Entity, ...] = ()
    kind: str = ""
    file: bytes | None = None
    file_id: str = ""
    file_name: str = ""
    size: tuple[int, int] = (0, 0)


class Calls:
    """Answers calls with the result of each, or raises Refused."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.flood = False
        self.floods = 0
        # By (scope as JSON, language), as the bot set them last.
        self.commands: dict[tuple[str, str], list[Json]] = {}
        # By (kind, language); kinds are "description" and "short_description".
        self.descriptions: dict[tuple[str, str], str] = {}
        self.uploads: dict[str, bytes] = {}
        self._limits = Flood(world.now)

    def answer(self, call: Request) -> Any:
        method = METHODS.get(call.method)
        if method is None:
            raise Refused(404, "Not Found")
        return method(self, call)

    # --- the bot itself ---

    def get_me(self, _: Request) -> Json:
        able = {"can_join_groups": True, "can_read_all_group_messages": not self.world.privacy}
        return self.world.bot.json() | able | {"supports_inline_queries": False, "can_connect_to_business": False}

    def accept(self, _: Request) -> bool:
        return True

    def chat_action(self, call: Request) -> bool:
        self._chat(call).check_writable()
        return True

    def set_commands(self, call: Request) -> bool:
        commands: list[Json] = call.parameters["commands"]
        if len(commands) > 100:
            raise wrong("BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            if not re.fullmatch(r"[a-z0-9_]{1,32}", command["command"]):
                raise wrong("BOT_COMMAND_INVALID")
            if not 1 <= len(command["description"]) <= 256:
                raise wrong("BOT_COMMAND_DESCRIPTION_INVALID")
        self.commands[_scope(call)] = commands
        return True

    def get_commands(self, call: Request) -> list[Json]:
        return self.commands.get(_scope(call), [])

    def delete_commands(self, call: Request) -> bool:
        self.commands.pop(_scope(call), None)
        return True

    def set_description(self, call: Request) -> bool:
        kind, language = _description(call)
        self.descriptions[kind, language] = call.parameters.get(kind, "")
        return True

    def get_description(self, call: Request) -> Json:
        kind, language = _description(call)
        return {kind: self.descriptions.get((kind, language), self.descriptions.get((kind, ""), ""))}

    # --- chats ---

    def get_chat(self, call: Request) -> Json:
        chat = self._chat(call)
        if chat.kicked:
            chat.check_writable()
        gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
        looks = {"accent_color_id": 1, "max_reaction_count": 11, "accepted_gift_types": dict.fromkeys(gifts, False)}
        return chat.json() | looks

    def get_member(self, call: Request) -> Json:
        chat = self._chat(call)
        if chat.kicked:
            chat.check_writable()
        number = call.parameters["user_id"]
        if number == self.world.bot.id:
            return {"status": "member", "user": self.world.bot.json()}
        if number not in self.world.users:
            raise bad("PARTICIPANT_ID_INVALID")
        return _membership(chat, self.world.users[number])

    def get_administrators(self, call: Request) -> list[Json]:
        chat = self._chat(call)
        chat.check_writable()
        if chat.kind == "private":
            raise bad("there are no administrators in the private chat")
        return [member for user in chat.members if (member := _membership(chat, user))["status"] == "creator"]

    def get_file(self, call: Request) -> Json:
        number = call.parameters["file_id"].removesuffix("-s")
        if number not in self.uploads:
            raise bad("wrong file_id or the file is temporarily unavailable")
        size = len(self.uploads[number])
        return {"file_id": number, "file_unique_id": number[-16:], "file_size": size, "file_path": f"files/{number}"}

    # --- messages ---

    def send_message(self, call: Request) -> Json:
        return self._send(call, lambda: self._text(call.parameters))

    def send_media(self, call: Request) -> Json:
        kind = call.method.removeprefix("send").lower()
        return self._send(call, lambda: self._media(call, kind, kind, call.parameters))

    def edit_text(self, call: Request) -> Json:
        message = self._own(call)
        if message.kind:
            raise bad("there is no text in the message to edit")
        return self._change(message, self._text(call.parameters), call)

    def edit_caption(self, call: Request) -> Json:
        message = self._own(call)
        if not message.kind:
            raise bad("there is no caption in the message to edit")
        caption, entities = self._formatted(call.parameters, "caption", CAPTION)
        same = {name: getattr(message, name) for name in ("kind", "file", "file_id", "file_name", "size")}
        return self._change(message, Content(caption=caption, entities=entities, **same), call)

    def edit_media(self, call: Request) -> Json:
        message = self._own(call)
        media = call.parameters["media"]
        if not isinstance(media, dict) or media.get("type") not in _MEDIA:
            raise wrong("can't parse InputMedia: this server takes photo, document and animation")
        return self._change(message, self._media(call, media["type"], "media", media), call)

    def edit_markup(self, call: Request) -> Json:
        message = self._own(call)
        return self._change(message, _content_of(message), call)

    def delete(self, call: Request) -> bool:
        chat = self._chat(call)
        chat.check_writable()
        message = chat.get(call.parameters["message_id"])
        if message is None:
            raise bad("message to delete not found")
        if message.service or not (message.sender.is_bot or chat.kind == "private"):
            raise bad("message can't be deleted")
        if self.world.date() - message.date > DELETABLE_SECONDS:
            raise bad("message can't be deleted for everyone")
        chat.remove(message)
        return True

    def answer_query(self, call: Request) -> bool:
        text, url = call.parameters.get("text", ""), call.parameters.get("url", "")
        if units(text) > ALERT:
            raise wrong("MESSAGE_TOO_LONG")
        if url and not re.match(r"(https?://)?(t\.me|telegram\.me)/|tg://", url):
            raise wrong("URL_INVALID")
        query = self.world.queries.get(call.parameters["callback_query_id"])
        if query is None or query.answer.done() or self.world.now() - query.at > self.world.query_seconds:
            raise bad(_TOO_OLD)
        query.answer.set_result(Answer(text, call.parameters.get("show_alert", False), url))
        return True

    # --- steps of these ---

    def _chat(self, call: Request) -> Chat:
        chat = self.world.chats.get(call.parameters["chat_id"])
        if chat is None:
            raise bad("chat not found")
        return chat

    def _charged(self, call: Request) -> Chat:
        """The chat of a send or edit, which the flood limits count."""
        chat = self._chat(call)
        chat.check_writable()
        if self.flood and (wait := self._limits.charge(chat.id, chat.kind == "private")):
            self.floods += 1
            raise Refused(429, f"Too Many Requests: retry after {wait}", parameters={"retry_after": wait})
        return chat

    def _send(self, call: Request, make: Callable[[], Content]) -> Json:
        markup = call.parameters.get("reply_markup")
        check_keyboard(markup)
        chat = self._charged(call)
        thread = call.parameters.get("message_thread_id")
        if thread is not None and thread not in chat.topics:
            # Outside of forums nobody has topics to send to: that number came from a chain of replies.
            raise bad("message thread not found") if chat.forum else wrong("message thread not found")
        reply_to = _replied(chat, call.parameters.get("reply_parameters"))
        return chat.add(self.world.bot, **_fields(make()), markup=markup, reply_to=reply_to, thread=thread).json()

    def _own(self, call: Request) -> Message:
        """The message that an edit is about. Raises Refused where the bot has none such."""
        if "inline_message_id" in call.parameters:
            raise wrong("MESSAGE_ID_INVALID")
        check_keyboard(call.parameters.get("reply_markup"))
        message = self._charged(call).get(call.parameters["message_id"])
        if message is None:
            raise bad("message to edit not found")
        if not message.sender.is_bot or message.service:
            raise wrong("message can't be edited")
        return message

    def _change(self, message: Message, content: Content, call: Request) -> Json:
        markup = call.parameters.get("reply_markup")
        if content == _content_of(message) and _rows(markup) == _rows(message.markup):
            raise bad(_NOT_MODIFIED)
        for name, value in _fields(content).items():
            setattr(message, name, value)
        message.markup = markup
        message.edits += 1
        message.edit_date = self.world.date()
        message.changed_at = time.perf_counter()
        self.world.changed()
        return message.json()

    def _text(self, parameters: Json) -> Content:
        text, entities = self._formatted(parameters, "text", TEXT)
        if not text:
            raise wrong("message text is empty")
        return Content(text=text, entities=entities)

    def _formatted(self, values: Json, name: str, most: int) -> tuple[str, tuple[Entity, ...]]:
        """Plain text and entities of a text or caption. Raises Refused for bad tags and long texts."""
        text, mode = values.get(name, ""), values.get("parse_mode", "").lower()
        entities = values.get("entities" if name == "text" else "caption_entities", [])
        if mode == "html":
            try:
                text, entities = parse_html(text, self._known)
            except Unparsable as error:
                raise wrong(f"can't parse entities: {error}") from error
        elif mode:
            raise wrong(f"unsupported parse_mode: this server reads HTML, not {mode}")
        text, entities = trimmed(text, entities)
        # Telegram's count of letters outside of the first plane is not documented; two for each is the safe reading.
        if units(text) > most:
            raise wrong("message is too long" if name == "text" else "message caption is too long")
        return text, tuple(spotted(text, entities))

    def _known(self, number: int) -> Json | None:
        user = self.world.users.get(number)
        return user.json() if user else None

    def _media(self, call: Request, kind: str, part: str, values: Json) -> Content:
        """Content with a file; `part` is the parameter that names the file or the upload itself."""
        caption, entities = self._formatted(values, "caption", CAPTION)
        data, name = self._upload(call, part, values.get(part))
        size = check_photo(data) if kind == "photo" else (0, 0)
        file_id = f"AgAC{kind[0]}{hashlib.sha256(data).hexdigest()[:40]}"
        self.uploads[file_id] = data
        return Content("", caption, entities, kind, data, file_id, "" if kind == "photo" else name, size)

    def _upload(self, call: Request, part: str, reference: Any) -> tuple[bytes, str]:
        """The bytes and file name of an upload or of an earlier file."""
        part = reference.removeprefix("attach://") if isinstance(reference, str) else part
        if part in call.files:
            if not call.files[part]:
                raise wrong("file must be non-empty")
            return call.files[part], call.names.get(part, "")
        number = part.removesuffix("-s")
        if number not in self.uploads:
            raise wrong("wrong file identifier/HTTP URL specified")
        return self.uploads[number], ""


def _fields(content: Content) -> Json:
    values = {name: getattr(content, name) for name in Content.__dataclass_fields__}
    return values | {"entities": list(content.entities)}


def _content_of(message: Message) -> Content:
    values = {name: getattr(message, name) for name in Content.__dataclass_fields__}
    return Content(**values | {"entities": tuple(message.entities)})


def _rows(markup: Json | None) -> Any:
    """What counts when keyboards are compared: none and an empty one are alike."""
    return (markup or {}).get("inline_keyboard") or None


def _replied(chat: Chat, reply: Json | None) -> Message | None:
    if reply is None:
        return None
    message = chat.get(reply["message_id"])
    if message is None and not reply.get("allow_sending_without_reply"):
        raise bad("message to be replied not found")
    return message


def _membership(chat: Chat, user: User) -> Json:
    """A ChatMember. Whoever is first in a group has founded it."""
    if user not in chat.members:
        return {"status": "left", "user": user.json()}
    if chat.kind != "private" and chat.members[0] is user:
        return {"status": "creator", "user": user.json(), "is_anonymous": False}
    return {"status": "member", "user": user.json()}


def _scope(call: Request) -> tuple[str, str]:
    scope = call.parameters.get("scope") or {"type": "default"}
    return json.dumps(scope, sort_keys=True), call.parameters.get("language_code", "")


def _description(call: Request) -> tuple[str, str]:
    kind = "short_description" if "Short" in call.method else "description"
    return kind, call.parameters.get("language_code", "")


# getUpdates, deleteWebhook and getWebhookInfo are about the queue: the server answers them itself.
METHODS: dict[str, Callable[[Calls, Request], Any]] = {
    "getMe": Calls.get_me,
    "logOut": Calls.accept,
    "close": Calls.accept,
    "sendChatAction": Calls.chat_action,
    "setMyCommands": Calls.set_commands,
    "getMyCommands": Calls.get_commands,
    "deleteMyCommands": Calls.delete_commands,
    "setMyDescription": Calls.set_description,
    "getMyDescription": Calls.get_description,
    "setMyShortDescription": Calls.set_description,
    "getMyShortDescription": Calls.get_description,
    "getChat": Calls.get_chat,
    "getChatMember": Calls.get_member,
    "getChatAdministrators": Calls.get_administrators,
    "getFile": Calls.get_file,
    "sendMessage": Calls.send_message,
    "sendPhoto": Calls.send_media,
    "sendDocument": Calls.send_media,
    "sendAnimation": Calls.send_media,
    "editMessageText": Calls.edit_text,
    "editMessageCaption": Calls.edit_caption,
    "editMessageMedia": Calls.edit_media,
    "editMessageReplyMarkup": Calls.edit_markup,
    "deleteMessage": Calls.delete,
    "answerCallbackQuery": Calls.answer_query,
}
