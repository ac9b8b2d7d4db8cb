"""What comes of a command or a press: three kinds, each shown by a platform in its own way."""

from dataclasses import dataclass

from bot.service.table import Shown
from render.message import Message


@dataclass(frozen=True, slots=True)
class Said:
    """A message for whoever asked, and for him alone where that is possible; nothing that would be kept up to date."""

    message: Message


@dataclass(frozen=True, slots=True)
class Opened:
    """A live message has to be shown here, new and below everything else: hand it to `Stage.open`, with `call`: the
    platform's id of who shall hear of it."""

    screen: Shown
    call: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """It is done, and the live messages tell it: `text` is a short line about it, "" for nothing to say."""

    text: str = ""


Reply = Said | Opened | Done
