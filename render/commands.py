"""What can be asked of the bot in a chat: one list for every platform and for the help."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from render.words import N_

Kind = Literal["person", "game", "length", "clock", "level", "code", "play"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command: `kind` says what can stand there, `purpose` is a short sentence about it."""

    name: str
    kind: Kind
    purpose: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """One command: `purpose` is at most 100 characters in every language."""

    name: str
    purpose: str
    options: tuple[Option, ...] = ()


_GAME = Option("game", "game", N_("The game; tavla if you do not say"))
_LENGTH = Option("length", "length", N_("How many points win the match, 1 to 25"))

COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command(
            "challenge",
            N_("Challenge somebody, or anyone here, to a match"),
            (
                Option("opponent", "person", N_("Whom you challenge; nobody: whoever comes")),
                _GAME,
                _LENGTH,
                Option("clock", "clock", N_("How long one may think")),
                Option("code", "code", N_("The code of a challenge from another chat, to look at and accept")),
            ),
        ),
        Command(
            "computer",
            N_("Play against the computer"),
            (Option("level", "level", N_("How strong it plays")), _GAME, _LENGTH),
        ),
        Command("games", N_("Your matches, those that wait for you first")),
        Command("board", N_("Show the table again, here")),
        Command(
            "move",
            N_("Play by typing: 13/8 6/5, 8/5(2), bar/22 or 6/off"),
            (Option("play", "play", N_("What you play, such as 13/8 6/5"), required=True),),
        ),
        Command("hint", N_("The best plays now; against the computer only")),
        Command("rules", N_("The rules of the game"), (_GAME,)),
        Command("help", N_("What I can do, and what waits for you")),
    )
}
