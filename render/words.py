"""Every sentence that people read. Catalogues are gettext's, read by Babel at the start; English is the source."""

import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from bot.engine.dice import Roll
from bot.engine.errors import Refusal
from bot.engine.notation import point_name
from bot.service.table import Seat

LOCALE = Path(__file__).parent / "locale"
SOURCE = "en"
LONGEST_NAME = 32
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Fillers: letters and signs by their category, but nothing is seen of them."""
_WEIGHT = re.compile(r"q=([01](?:\.[0-9]{0,3})?)")

N_: Callable[[str], str] = str
"""Marks a sentence for the catalogues where it is not said yet."""

TO_PLAYERS: Mapping[str, str] = {
    "already_done": N_("This has been done already."),
    "ambiguous": N_("This can be played in different ways: %(choices)s. Write the one you mean."),
    "backwards": N_("Checkers only move to lower numbers: %(text)s goes the other way."),
    "bad_button": N_("This button is not known here. Open the table again."),
    "bad_length": N_("A match can go to %(least)s up to %(most)s points; %(length)s is not possible."),
    "bad_notation": N_("I cannot read “%(text)s”. Write a play like 13/8 6/5, 8/5(2), bar/22 or 6/off."),
    "bar_first": N_("Enter your checker from the bar first."),
    "blocked": N_("Point %(end)s is held by your opponent."),
    "board_moved_on": N_("The board has moved on. This is how it stands now."),
    "bots_do_not_play": N_("That is a bot. Against the computer you play with /computer."),
    "both_dice": N_(
        "You must play as many dice as possible: after %(start)s/%(end)s a die that can be played now would be lost."
    ),
    "challenge_changed": N_("This challenge has been changed. Look at it again."),
    "challenge_gone": N_("This challenge is no longer open."),
    "declined_this_turn": N_("Your offer was declined. You may offer again when the turn has passed."),
    "higher_first": N_(
        "With a %(die)s the checkers on higher points must move first; the one on %(start)s cannot go off yet."
    ),
    "hit_and_run": N_("House rule: a checker that has hit in your home board stays there this turn."),
    "impossible_together": N_("These steps do not go together with your dice."),
    "larger_die": N_("Only one of the two dice can be played, and it must be the larger one."),
    "match_not_over": N_("This match is not over yet."),
    "missing_permission": N_(
        "In this chat I lack the permission “%(permission)s”: without it I cannot show the board."
    ),
    "no_checker": N_("You have no checker there: %(start)s."),
    "no_hints_between_people": N_("Hints are given against the computer only."),
    "no_match_here": N_("You have no match under way here. Begin one with /challenge or /computer."),
    "no_offer": N_("There is no offer to answer."),
    "no_steps": N_("No step was named."),
    "no_such_die": N_("%(start)s/%(end)s cannot be played with these dice."),
    "not_between_games": N_("The next game begins when this one is over."),
    "not_home": N_("You can bear off only when all your checkers are in your home board, points 6 to 1."),
    "not_playing": N_("There is nothing to move now."),
    "not_your_challenge": N_("This challenge is for somebody else."),
    "not_your_match": N_("You are only watching this match; you cannot move in it."),
    "not_your_turn": N_("It is not your turn."),
    "not_your_button": N_("This button is for the other player."),
    "nothing_to_concede": N_("There is no game to concede now."),
    "nothing_to_undo": N_("There is no step to take back."),
    "offer_pending": N_("An offer to concede has to be answered first."),
    "only_one_game": N_("This match is one game: concede the game."),
    "own_challenge": N_("This is your own challenge. Send the link to a friend."),
    "own_offer": N_("This is your own offer: your opponent answers it."),
    "pinned": N_("This checker is pinned."),
    "rematch_asked": N_("You have asked for a rematch; your opponent has to agree."),
    "rolled_already": N_("The dice are thrown already."),
    "too_fast": N_("Slowly, please: too many requests."),
    "too_late_to_abort": N_("It is too late to abort this match; you can concede it."),
    "turn_complete": N_("All your dice are played. Confirm, or take a step back."),
    "turn_incomplete": N_("You can still play a die: you must use as many as possible."),
    "unknown_challenge": N_("This challenge does not exist."),
    "unknown_clock": N_("There is no clock “%(clock)s”. Possible: %(possible)s."),
    "unknown_command": N_("I do not know this command. /help tells what there is."),
    "unknown_game": N_("There is no game “%(game)s”. Possible: %(possible)s."),
    "unknown_level": N_("There is no level “%(level)s”. Possible: %(possible)s."),
    "unknown_match": N_("This match does not exist."),
    "unknown_rule": N_("There is no rule “%(rule)s”. Possible: %(possible)s."),
    "unknown_value": N_("%(rule)s cannot be %(value)s. Possible: %(possible)s."),
    "unknown_word": N_("I do not understand “%(word)s” here. /help tells what there is."),
    "waits_for_a_person": N_("A player has to decide first."),
    "which_match": N_("You have more than one match here: answer to its board, or look at /games."),
    "yourself": N_("You cannot challenge yourself. Against the computer you play with /computer."),
}
TO_PROGRAMS: Mapping[str, str] = {
    "bad_die": "dice: %(die)s is not 1..6",
    "bad_field": "%(field)s: %(kind)s expected",
    "bad_position": "“%(word)s” is no point with its checkers; write a side like 24:2 13:5 8:3 6:5",
    "both_on_point": "both sides have checkers on point %(point)s (in the numbering of the side to move)",
    "cannot_write": "%(file)s cannot be written: %(why)s",
    "field_missing": "%(field)s is missing",
    "finished": "the game is over on this board: there is nothing to play",
    "negative_count": "%(count)s checkers on point %(point)s: 0 to 15 are possible",
    "no_bar": "%(game)s has no bar: the points are 1 to 24",
    "no_cube": "%(game)s is played without a cube",
    "no_pins": "nothing is ever pinned in %(game)s",
    "no_remainder": "%(game)s has no remainder to play: give dice",
    "no_such_point": "there is no point %(point)s: they are 1 to 24, and 25 is the bar",
    "not_an_object": 'a request is a JSON object like {"game": "tavla", …}',
    "pin_without_cover": "point %(point)s has no pinned checker: one checker under at least one of the other side",
    "point_twice": "a point is named twice in “%(text)s”",
    "too_many_checkers": "a side has 15 checkers, not %(count)s",
    "too_small": "%(field)s must be at least %(least)s",
    "two_dice": "dice: two numbers expected, not %(count)s",
    "unknown_theme": "there is no theme “%(theme)s”; possible: %(possible)s",
}
"""Only the command line gives these reasons: it speaks the source language, so no catalogue has them."""

REFUSALS: Mapping[str, str] = {**TO_PLAYERS, **TO_PROGRAMS}

_GAMES: Mapping[str, str] = {"tavla": N_("Tavla")}
_LEVELS: Mapping[str, str] = {"easy": N_("easy"), "medium": N_("medium"), "hard": N_("hard")}


@cache
def languages() -> tuple[str, ...]:
    """The languages shipped: the source and every catalogue that is there."""
    return (SOURCE, *sorted(path.parent.parent.name for path in LOCALE.glob("*/LC_MESSAGES/tavla.po")))


@cache
def words(language: str) -> "Words":
    """The words of a language; another one's are the source's."""
    return Words(language if language in languages() else SOURCE)


def preferred(accepted: str) -> str:
    """The best shipped language for an Accept-Language header."""
    wishes = [_wish(part) for part in accepted.split(",")]
    known = [(weight, language) for weight, language in wishes if weight > 0 and language in languages()]
    return max(known, key=lambda wish: wish[0])[1] if known else SOURCE


def _wish(part: str) -> tuple[float, str]:
    """One entry of an Accept-Language header, such as "tr-TR;q=0.8": its weight and language."""
    tag, _, weight = part.partition(";")
    language = tag.strip().partition("-")[0].casefold()
    form = _WEIGHT.fullmatch(weight.strip() or "q=1")
    return (float(form[1]) if form else 0.0), language


def clean_name(name: str) -> str:
    """A name as it may be shown: one line, no control or invisible characters, at most 32 characters."""
    kept = "".join(_visible(letter) for letter in name[:1000])
    return unicodedata.normalize("NFC", " ".join(kept.split()))[:LONGEST_NAME].strip()


def _visible(letter: str) -> str:
    """The character, a space for a control character, nothing for what takes no room or has no form."""
    category = unicodedata.category(letter)
    if category == "Cc":
        return " "
    return "" if category[0] == "C" or letter in _BLANK else letter


class Words:
    """The sentences of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._catalogue = _catalogue(language)

    def say(self, message: str, **values: object) -> str:
        """A sentence with its values filled in."""
        return self._catalogue.gettext(message) % values if values else self._catalogue.gettext(message)

    def count(self, one: str, many: str, number: int, **values: object) -> str:
        """A sentence about `number` things."""
        return self._catalogue.ngettext(one, many, number) % {"number": number, **values}

    def refusal(self, refusal: Refusal) -> str:
        """Why something is refused, as a sentence for whoever tried it."""
        values = {name: self._value(name, value) for name, value in refusal.values.items()}
        message = REFUSALS.get(refusal.reason)
        return self.say(message, **values) if message else str(refusal)

    def game(self, game: str) -> str:
        """The name of a game."""
        return self.say(_GAMES.get(game, game))

    def level(self, level: str) -> str:
        """The name of a level of the computer."""
        return self.say(_LEVELS.get(level, level))

    def seat(self, seat: Seat) -> str:
        """The name of whoever sits there."""
        if seat.level is not None:
            return self.say("Computer (%(level)s)", level=self.level(seat.level))
        return seat.name or self.say("Player")

    def names(self, seats: tuple[Seat, Seat]) -> tuple[str, str]:
        """The names at a table, told apart: players without a name by a number, equal names by their checkers."""
        if not any(seat.name or seat.computer for seat in seats):
            return self.say("Player %(number)d", number=1), self.say("Player %(number)d", number=2)
        first, second = (self.seat(seat) for seat in seats)
        if first.casefold() == second.casefold():
            return f"{first} ({self.colour(0)})", f"{second} ({self.colour(1)})"
        return first, second

    def colour(self, seat: int) -> str:
        """The colour of a seat's checkers."""
        return self.say("light") if seat == 0 else self.say("dark")

    def roll(self, roll: Roll) -> str:
        """The dice, larger first, with the roll's name where the language has one: "6-5 (şeşbeş)"."""
        dice = f"{max(roll)}-{min(roll)}"
        name = self._catalogue.gettext(f"roll {dice}")
        return dice if name == f"roll {dice}" else f"{dice} ({name})"

    def win(self, kind: str) -> str:
        """The name of a kind of win, "" for the plain one."""
        return {"single": "", "mars": self.say("mars")}.get(kind, kind)

    def length(self, target: int) -> str:
        """How long a match is."""
        if target == 1:
            return self.say("single game")
        return self.count("match to %(number)d point", "match to %(number)d points", target)

    def worth(self, points: int, kind: str) -> str:
        """What a game brings: "2 points (mars)"."""
        told, name = self.count("%(number)d point", "%(number)d points", points), self.win(kind)
        return f"{told} ({name})" if name else told

    def _value(self, name: str, value: object) -> object:
        if name in ("start", "end") and isinstance(value, int):
            return point_name(value)
        if isinstance(value, Iterable) and not isinstance(value, str):
            return ", ".join(str(each) for each in value)
        return value


def _catalogue(language: str) -> NullTranslations:
    if language == SOURCE:
        return NullTranslations()
    with (LOCALE / language / "LC_MESSAGES" / "tavla.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)
