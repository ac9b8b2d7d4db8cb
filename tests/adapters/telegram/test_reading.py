"""What people write is read as they mean it, and what is not for the bot is not read at all."""

from typing import Any

import pytest
from telegram import Update, User

from adapters.chat.people import Asked, Person, Place
from adapters.telegram.reading import TEXT, asked_of, person_of, place_of
from bot.engine.errors import Unreadable
from bot.service.table import LEVELS, Delivery
from render.commands import COMMANDS
from render.words import languages, words
from tests.servers.telegram_text import units

Json = dict[str, Any]

AYSE: Json = {"id": 77, "is_bot": False, "first_name": "Ayşe", "last_name": "Kaya", "username": "ayse"}
MEHMET: Json = {"id": 78, "is_bot": False, "first_name": "Mehmet"}
BOT: Json = {"id": 99, "is_bot": True, "first_name": "Tavla", "username": "TavlaBot"}
GROUP: Json = {"id": -100, "type": "supergroup", "title": "Café"}
PRIVATE: Json = {"id": 77, "type": "private", "first_name": "Ayşe"}
CHANNEL: Json = {"id": -300, "type": "channel", "title": "News"}
ROOT: Json = {"forum_topic_created": {"name": "Tavla", "icon_color": 7322096}}
"""The first line of a topic, to which Telegram makes every message there an answer."""


def updated(
    text: str | None, *, chat: Json = GROUP, kind: str = "message", by: Json | None = AYSE, **more: Any
) -> Update:
    """An update with a message as Telegram sends it."""
    message = {"message_id": 5, "date": 1_700_000_000, "chat": chat, "text": text, "from": by, **more}
    kept = {name: value for name, value in message.items() if value is not None}
    found = Update.de_json({"update_id": 1234, kind: kept})
    assert found.effective_chat
    return found


def heard(text: str | None, language: str | None = None, **more: Any) -> Asked | None:
    """What the bot takes a message for; by Ayşe, who speaks `language`."""
    more.setdefault("by", {**AYSE, "language_code": language} if language else AYSE)
    return asked_of(updated(text, **more), User.de_json(BOT))


def asked(text: str, language: str | None = None, **more: Any) -> Asked:
    """The same of a message that is for the bot."""
    found = heard(text, language, **more)
    assert found is not None
    return found


def answered(by: Json = BOT, *, chat: Json = GROUP, **more: Any) -> Json:
    """A message that is answered."""
    return {"message_id": 4, "date": 1_700_000_000, "chat": chat, "text": "…", "from": by, **more}


def marked(before: str, name: str) -> list[Json]:
    """Mehmet, who has no user name, as Telegram marks him behind `before`."""
    return [{"type": "text_mention", "offset": units(before), "length": units(name), "user": MEHMET}]


# Who and where.


def test_somebody_is_known_as_he_shows_himself() -> None:
    found = person_of(User.de_json({**AYSE, "language_code": "tr"}))
    assert found == Person("telegram", "77", "Ayşe Kaya", "ayse", "tr")
    assert person_of(User.de_json(MEHMET)) == Person("telegram", "78", "Mehmet", "", "en")
    assert person_of(User.de_json(BOT)).bot


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"chat": PRIVATE}, Place("telegram", "77", private=True)),
        ({"chat": GROUP}, Place("telegram", "-100")),
        ({"chat": {**GROUP, "type": "group"}}, Place("telegram", "-100")),
        ({"chat": GROUP, "message_thread_id": 3, "is_topic_message": True}, Place("telegram", "-100", "3")),
        ({"chat": GROUP, "message_thread_id": 3}, Place("telegram", "-100")),  # a chain of replies
    ],
)
def test_a_place_is_a_chat_or_a_topic_in_it(more: Json, place: Place) -> None:
    message = updated("/board", **more).message
    assert message is not None
    assert place_of(message) == place
    assert asked("/board", **more).place == place


def test_a_command_says_by_whom_it_comes_and_by_which_update() -> None:
    found = asked("/board")
    assert found.person == Person("telegram", "77", "Ayşe Kaya", "ayse")
    assert found.delivery == Delivery("telegram", "1234")
    assert found.message == ""


# Commands and their words.


@pytest.mark.parametrize("chat", [PRIVATE, GROUP])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_read_alone_and_by_the_name_of_the_bot(command: str, chat: Json) -> None:
    for text in (f"/{command}", f"/{command}@TavlaBot", f"/{command}@tavlabot", f"/{command.upper()}"):
        found = asked(text, chat=chat)
        assert found.command == command
        assert not any(found.options.values())


@pytest.mark.parametrize(
    "text",
    [
        "/challenge @mehmet tavla 7",
        "/challenge 7 tavla @mehmet",
        "/challenge tavla @mehmet 7",
        "/challenge@TavlaBot\n@mehmet\n7  TAVLA ",
    ],
)
def test_words_stand_in_any_order(text: str) -> None:
    found = asked(text)
    assert found.options == {"game": "tavla", "length": "7"}
    assert (found.named, found.opponent) == ("mehmet", None)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("level", LEVELS)
def test_levels_are_read_in_the_language_of_whoever_writes(level: str, language: str) -> None:
    told = words(language)
    for word in (level, told.level(level), told.level(level).upper(), told.level(level).capitalize()):
        for text in (f"/computer {word} {told.game('tavla')} 3", f"/computer 3 {told.game('tavla').upper()} {word}"):
            assert asked(text, language).options == {"level": level, "game": "tavla", "length": "3"}


def test_a_level_of_another_language_is_an_unknown_word() -> None:
    assert asked("/computer kolay", "tr-TR").options == {"level": "easy"}
    with pytest.raises(Unreadable, match="unknown_word"):
        heard("/computer kolay", "en")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("/challenge abcdefghj2", {"code": "abcdefghj2"}),
        ("/challenge ABCDEFGHJ2", {"code": "abcdefghj2"}),
        ("/challenge none 25", {"clock": "none", "length": "25"}),
        ("/rules tavla", {"game": "tavla"}),
        ("/rules", {}),
    ],
)
def test_a_word_is_taken_for_what_it_can_be(text: str, options: dict[str, str]) -> None:
    assert asked(text).options == options


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("/challenge chess", "chess"),
        ("/challenge 7 5", "5"),
        ("/challenge easy", "easy"),
        ("/challenge @x", "@x"),
        ("/challenge -3", "-3"),
        ("/computer @mehmet", "@mehmet"),
        ("/computer hard easy", "easy"),
        ("/board please", "please"),
        ("/help " + "a" * 100, "a" * 20),
    ],
)
@pytest.mark.parametrize("chat", [PRIVATE, GROUP])
def test_a_word_that_means_nothing_is_refused(text: str, word: str, chat: Json) -> None:
    with pytest.raises(Unreadable) as caught:
        heard(text, chat=chat)
    assert (caught.value.reason, caught.value.values) == ("unknown_word", {"word": word})


@pytest.mark.parametrize(
    ("text", "play"),
    [("/move 13/8 6/5", "13/8 6/5"), ("/move@TavlaBot bar/22", "bar/22"), ("/move 8/5(2)\n6/off", "8/5(2)\n6/off")],
)
def test_a_play_stands_as_it_is_written(text: str, play: str) -> None:
    assert (asked(text).command, asked(text).options) == ("move", {"play": play})


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("/start", {}),
        ("/start ", {}),
        ("/start abcdefghj2", {"code": "abcdefghj2"}),
        ("/start abcdefghj2 \n", {"code": "abcdefghj2"}),
        ("/start wabcdefghj2", {"code": "wabcdefghj2"}),
    ],
)
def test_a_link_brings_its_code_with_start(text: str, options: dict[str, str]) -> None:
    found = asked(text, chat=PRIVATE)
    assert (found.command, found.options) == ("start", options)


# Whom a challenge is for.


@pytest.mark.parametrize("name", ["Mehmet", "Mehmet Ali Öz", "🎲🎲 Ali", "7", "a", "tavla", "@mehmet"])
@pytest.mark.parametrize("form", ["/challenge {} tavla 7", "/challenge tavla {} 7", "/challenge 7 tavla {}"])
def test_a_person_without_a_user_name_is_told_by_the_mention_whatever_his_name(name: str, form: str) -> None:
    found = asked(form.format(name), entities=marked(form.partition("{}")[0], name))
    assert (found.opponent, found.named) == (Person("telegram", "78", "Mehmet"), "")
    assert found.options == {"game": "tavla", "length": "7"}


def test_a_mention_of_oneself_or_the_bot_is_told_as_a_person() -> None:
    assert asked("/challenge @Ayse").opponent == Person("telegram", "77", "Ayşe Kaya", "ayse")
    found = asked("/challenge @tavlabot 3")
    assert found.opponent is not None
    assert (found.opponent.bot, found.named, found.options) == (True, "", {"length": "3"})


def test_a_challenge_that_answers_somebody_is_for_him() -> None:
    assert asked("/challenge 3", reply_to_message=answered(MEHMET)).opponent == Person("telegram", "78", "Mehmet")


def test_a_name_counts_for_more_than_an_answer() -> None:
    found = asked("/challenge @somebody", reply_to_message=answered(MEHMET))
    assert (found.named, found.opponent) == ("somebody", None)


@pytest.mark.parametrize(
    "more",
    [
        {"reply_to_message": answered(MEHMET, sender_chat=GROUP)},
        {"reply_to_message": answered(MEHMET, **ROOT), "message_thread_id": 4, "is_topic_message": True},
        {"reply_to_message": {**answered(), "from": None}},
        {},
    ],
    ids=["anonymous", "a topic's first line", "nobody", "no answer"],
)
def test_an_answer_to_nobody_challenges_nobody(more: Json) -> None:
    found = asked("/challenge 3", **more)
    assert (found.opponent, found.named) == (None, "")


def test_in_private_an_answer_challenges_nobody() -> None:
    found = asked("/challenge", chat=PRIVATE, reply_to_message=answered(chat=PRIVATE))
    assert (found.opponent, found.message) == (None, "4")


def test_an_answer_to_the_board_says_which_one_is_meant() -> None:
    assert asked("/board", reply_to_message=answered()).message == "4"
    assert asked("/board", reply_to_message=answered(MEHMET)).message == ""


# Plain text.


@pytest.mark.parametrize("text", ["13/8 6/5", "hello", "/8/5", "bar/22 /move"])
def test_plain_text_in_private_is_a_play(text: str) -> None:
    found = asked(text, chat=PRIVATE)
    assert (found.command, found.options, found.message) == (TEXT, {"play": text}, "")


def test_plain_text_in_a_group_is_a_play_when_it_answers_the_bot() -> None:
    found = asked("13/8 6/5", reply_to_message=answered())
    assert (found.command, found.options, found.message) == (TEXT, {"play": "13/8 6/5"}, "4")


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"reply_to_message": answered(MEHMET)},
        {"reply_to_message": answered(**ROOT), "message_thread_id": 4, "is_topic_message": True},
    ],
    ids=["no answer", "an answer to somebody", "a topic that the bot opened"],
)
def test_other_plain_text_in_a_group_is_not_for_the_bot(more: Json) -> None:
    assert heard("13/8 6/5", **more) is None


# What is not for the bot.


@pytest.mark.parametrize("chat", [PRIVATE, GROUP])
@pytest.mark.parametrize("text", ["/board@OtherBot", "/fly@OtherBot", "/challenge@otherbot chess"])
def test_a_command_for_another_bot_is_none(text: str, chat: Json) -> None:
    assert heard(text, chat=chat, reply_to_message=answered(chat=chat)) is None


def test_an_unknown_command_is_refused_where_it_can_only_be_for_the_bot() -> None:
    assert heard("/fly") is None
    for text, chat in (("/fly", PRIVATE), ("/fly@TavlaBot", GROUP), ("/text 13/8", PRIVATE)):
        with pytest.raises(Unreadable, match="unknown_command"):
            heard(text, chat=chat)


@pytest.mark.parametrize("text", ["/board", "13/8 6/5"])
def test_nobody_in_particular_asks_for_nothing(text: str) -> None:
    anonymous: Json = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    to_the_bot = answered()
    assert heard(text, reply_to_message=to_the_bot) is not None
    assert heard(text, reply_to_message=to_the_bot, by=anonymous, sender_chat=GROUP) is None
    assert heard(text, reply_to_message=to_the_bot, sender_chat=CHANNEL) is None
    assert heard(text, reply_to_message=to_the_bot, by=None) is None


@pytest.mark.parametrize("kind", ["channel_post", "edited_message", "edited_channel_post"])
def test_posts_and_changed_messages_ask_for_nothing(kind: str) -> None:
    chat = CHANNEL if "channel" in kind else PRIVATE
    assert heard("/board", kind=kind, chat=chat, by=None if "channel" in kind else AYSE) is None


def test_a_message_without_text_asks_for_nothing() -> None:
    photo = [{"file_id": "a", "file_unique_id": "b", "width": 1, "height": 1}]
    assert heard(None, chat=PRIVATE, photo=photo, caption="/board") is None
