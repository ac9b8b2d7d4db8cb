"""The places on the board that can be tapped: where they lie on the picture, and what they are called."""

from dataclasses import dataclass

from bot.engine.board import BAR, OFF, POINTS
from render.layout import Areas, Rect, areas
from render.picture import Picture
from render.view import View
from render.words import Words


@dataclass(frozen=True, slots=True)
class Spot:
    """One place; `point`: the viewer's own number, 25 his bar, 0 his tray; `box`: fractions of the picture."""

    point: int
    label: str
    box: Rect


def spots(view: View, words: Words) -> list[Spot]:
    """The places of a player's board, he sits at the bottom; in reading order of his own way home."""
    where = areas(view.picture.home_left)
    return [Spot(point, _label(view.picture, point, words), _box(where, point)) for point in (BAR, *POINTS[::-1], OFF)]


def _box(where: Areas, point: int) -> Rect:
    if point == BAR:
        return where.bar["bottom"]
    return where.tray["bottom"] if point == OFF else where.points[point]


def _label(picture: Picture, point: int, words: Words) -> str:
    mine, other = picture.bottom.checkers[point], picture.top.checkers[point]
    if point == BAR:
        return words.count("Your bar, %(number)d checker", "Your bar, %(number)d checkers", mine)
    if point == OFF:
        return words.count("Borne off, %(number)d checker", "Borne off, %(number)d checkers", mine)
    told = [_count(words, number, light) for number, light in _colours(picture, mine, other) if number]
    return ", ".join([words.say("Point %(point)d", point=picture.numbers[point]), *(told or [words.say("empty")])])


def _colours(picture: Picture, mine: int, other: int) -> tuple[tuple[int, bool], tuple[int, bool]]:
    return (mine, picture.bottom.light), (other, picture.top.light)


def _count(words: Words, number: int, light: bool) -> str:
    if light:
        return words.count("%(number)d light checker", "%(number)d light checkers", number)
    return words.count("%(number)d dark checker", "%(number)d dark checkers", number)
