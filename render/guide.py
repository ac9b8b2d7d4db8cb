"""What the bot says about itself: welcome, help, the list of one's matches, the rules of a game in a page."""

from collections.abc import Iterator, Sequence

from bot.service.actions import Action, Run, Verb, encode
from bot.service.table import Table, Who
from render.buttons import Button
from render.commands import COMMANDS
from render.message import Message
from render.rulebook import RULES, TIPS
from render.sentences import Teller
from render.words import Words

LISTED = 10
"""The matches that a list holds, each with its button."""


def welcome(words: Words, tables: Sequence[Table]) -> Message:
    """The first thing that somebody reads who opens a chat with the bot."""
    lines = (
        words.say("Tavla with a friend or against the computer: a whole match, at once or over days."),
        *_waiting(words, len(tables)),
        words.say("Press a button to begin."),
    )
    return Message(words.say("Welcome!"), lines, buttons=_entrance(words))


def help_for(words: Words, waiting: Sequence[Table]) -> Message:
    """The commands, and what waits for whoever asks."""
    commands = tuple(f"/{command.name} – {words.say(command.purpose)}" for command in COMMANDS.values())
    lines = (*_waiting(words, len(waiting)), *commands)
    return Message(words.say("What I can do"), lines, buttons=_entrance(words))


def games(words: Words, tables: Sequence[Table], player: int) -> Message:
    """One's unfinished matches in the order given, each with a button that shows it."""
    if not tables:
        return Message(words.say("You have no match under way."), buttons=_entrance(words)[:2])
    listed = tables[:LISTED]
    lines = tuple(f"{number}. {_entry(words, table, player)}" for number, table in enumerate(listed, 1))
    buttons = tuple(
        Button(str(number + 1), encode(Action(table.id, table.revision, Verb.SHOW)), number, "step")
        for number, table in enumerate(listed)
    )
    return Message(words.say("Your matches"), lines, buttons=buttons)


def rules(words: Words, game: str) -> Message:
    """The rules of a game with three tips."""
    tips = [words.say("Three tips:"), *(words.say(tip) for tip in TIPS.get(game, ()))]
    told = tuple(words.say(rule) for rule in RULES.get(game, ()))
    return Message(words.game(game), (*told, *(tips if len(tips) > 1 else ())))


def _entry(words: Words, table: Table, player: int) -> str:
    seat = table.seat_of(Who(player))
    title = Teller(table, seat, words).title()
    return words.say("%(title)s – your turn", title=title) if seat in table.awaited else title


def _waiting(words: Words, number: int) -> Iterator[str]:
    if number:
        yield words.count("%(number)d match waits for you: /games", "%(number)d matches wait for you: /games", number)


def _entrance(words: Words) -> tuple[Button, ...]:
    return (
        Button(words.say("Play the computer"), encode(Run("computer")), 0, "main"),
        Button(words.say("Challenge a friend"), encode(Run("challenge")), 1, "main"),
        Button(words.say("My matches"), encode(Run("games")), 5, "plain"),
        Button(words.say("Rules"), encode(Run("rules")), 6, "plain"),
    )
