"""What people write to the bot: commands with their words, replies, plain text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from telegram import Message as Written
from telegram import MessageEntity, Update, User
from telegram.constants import ChatType

from adapters.chat.asked import CLOCKS
from adapters.chat.people import Asked, Person, Place
from adapters.telegram.posts import PLATFORM
from bot import variants
from bot.engine.errors import Unreadable
from bot.service.table import LEVELS, Delivery
from render.commands import COMMANDS, Kind
from render.words import Words, preferred, words

START, TEXT = "start", "text"
_CODE = re.compile(r"[a-z0-9]{10}")
_NAMED = re.compile(r"@[A-Za-z0-9_]{4,32}")
_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]{1,32}))?(?:\s+(.*))?", re.DOTALL)


@dataclass(slots=True)
class _Words:
    """The words behind a command, by what they are."""

    options: dict[str, str] = field(default_factory=dict)
    named: str = ""
    opponent: Person | None = None


def person_of(user: User) -> Person:
    """Somebody on Telegram."""
    name, language = user.full_name, user.language_code or "en"
    return Person(PLATFORM, str(user.id), name, user.username or "", language, bot=user.is_bot)


def place_of(message: Written) -> Place:
    """Where a message stands. Only in forums is there more than one place in a chat: elsewhere Telegram numbers
    chains of replies as if they were topics."""
    thread = str(message.message_thread_id) if message.is_topic_message and message.message_thread_id else ""
    return Place(PLATFORM, str(message.chat.id), thread, private=message.chat.type == ChatType.PRIVATE)


def asked_of(update: Update, bot: User) -> Asked | None:
    """What a written message asks; None: it is not for the bot. Raises `Unreadable` for words that mean nothing."""
    message = update.message
    if message is None or message.text is None or message.from_user is None or message.sender_chat is not None:
        return None
    delivery = Delivery(PLATFORM, str(update.update_id))
    asked = Asked("", person_of(message.from_user), place_of(message), delivery, message=_answered(message, bot))
    command = _COMMAND.fullmatch(_unmentioned(message.text, message))
    if command is None:
        meant = asked.place.private or asked.message
        return replace(asked, command=TEXT, options={"play": message.text}) if meant else None
    name, addressed, rest = command.groups()
    if (addressed or bot.username or "").casefold() != (bot.username or "").casefold():
        return None
    asked = replace(asked, command=name.lower())
    if name.lower() != START and name.lower() not in COMMANDS:
        if asked.place.private or addressed:
            raise Unreadable("unknown_command")
        return None  # in a group it may be meant for another bot
    return _command(asked, message, bot, rest or "")


def _command(asked: Asked, message: Written, bot: User, rest: str) -> Asked:
    if asked.command == START:
        return replace(asked, options={"code": rest.strip()} if rest.strip() else {})
    if any(option.kind == "play" for option in COMMANDS[asked.command].options):
        return replace(asked, options={"play": rest})
    found = _read(asked.command, rest, words(preferred(asked.person.language)))
    found.opponent = _mentioned(message)
    for person in (asked.person, person_of(bot)):  # of everybody else only Telegram knows who has a user name
        if found.named and found.named.casefold() == person.username.casefold():
            found.opponent, found.named = person, ""
    if asked.command == "challenge" and not (found.opponent or found.named or asked.place.private):
        found.opponent = _replied(message)
    return replace(asked, options=found.options, opponent=found.opponent, named=found.named)


def _read(name: str, rest: str, told: Words) -> _Words:
    """Takes each word for the first option of the command that it can be."""
    found = _Words()
    for word in rest.split():
        kinds: dict[Kind, str] = {option.kind: option.name for option in COMMANDS[name].options}
        if _NAMED.fullmatch(word) and "person" in kinds:
            found.named = word[1:]
            continue
        fitting = [kind for kind in kinds if kinds[kind] not in found.options and _value(kind, word, told)]
        if not fitting:
            raise Unreadable("unknown_word", word=word[:20])
        found.options[kinds[fitting[0]]] = _value(fitting[0], word, told)
    return found


def _value(kind: Kind, word: str, told: Words) -> str:
    """The value of an option that a word stands for, "" if it is none."""
    low = word.casefold()
    if kind == "length":
        return low if low.isdecimal() else ""
    if kind == "code":
        return low if _CODE.fullmatch(low) else ""
    names: Mapping[Kind, Mapping[str, str]] = {
        "game": {game: told.game(game) for game in variants.games()},
        "level": {level: told.level(level) for level in LEVELS},
        "clock": {clock: clock for clock in CLOCKS},
    }
    return next((value for value, name in names.get(kind, {}).items() if low in (value, name.casefold())), "")


def _mentioned(message: Written) -> Person | None:
    """Whoever is mentioned without a user name, the last one if there are more."""
    people = [person_of(entity.user) for entity in _mentions(message) if entity.user]
    return people[-1] if people else None


def _unmentioned(text: str, message: Written) -> str:
    """The text with blanks for such mentions: a name may be several words, or look like another word."""
    units = bytearray(text.encode("utf-16-le"))  # as Telegram counts
    for entity in _mentions(message):
        units[2 * entity.offset : 2 * (entity.offset + entity.length)] = b" \0" * entity.length
    return units.decode("utf-16-le")


def _mentions(message: Written) -> list[MessageEntity]:
    return [entity for entity in message.entities if entity.type == MessageEntity.TEXT_MENTION]


def _replied(message: Written) -> Person | None:
    """Whom a message answers."""
    before = _real_reply(message)
    if before is None or before.from_user is None or before.sender_chat is not None:
        return None
    return person_of(before.from_user)


def _answered(message: Written, bot: User) -> str:
    """The number of the bot's message that this one answers, "" if it answers none."""
    before = _real_reply(message)
    return str(before.message_id) if before and before.from_user and before.from_user.id == bot.id else ""


def _real_reply(message: Written) -> Written | None:
    """What a message answers. In a topic every message is also an answer to the topic's first line."""
    before = message.reply_to_message
    return None if before is None or before.forum_topic_created else before
