"""Who speaks to the bot, where, and what is asked: what a chat platform's updates are turned into."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.service.table import Delivery


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on a platform. `name` as he shows himself, `username` as he is found ("mehmet", "" for none);
    `language`: a tag such as "tr" or "pt-BR". `bot`: it is one."""

    platform: str
    id: str
    name: str
    username: str = ""
    language: str = "en"
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said: a chat and, where there are any, the thread or topic in it.

    `private`: nobody else is there. `by_press`: the bot can change its messages there only in answer to a press.
    """

    platform: str
    chat: str
    thread: str = ""
    private: bool = False
    by_press: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A command as it was given: its options by name (`render.commands` says which there are).

    `opponent`: a person who was pointed at; `named`: a user name of whom no more is known. `message`: of the bot,
    that this is a reply to, "" for none. `delivery`: the update, which may come twice.
    """

    command: str
    person: Person
    place: Place
    delivery: Delivery
    options: Mapping[str, str] = field(default_factory=dict)
    opponent: Person | None = None
    named: str = ""
    message: str = ""
