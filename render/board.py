"""The board picture: a description in, an image or a PNG out.

`scene` turns a `Picture` into a list of placed sprites. `draw` lays them all on the empty board in full colour and
`encode` brings that to the theme's palette: the plain way, and the measure of the other one. `png` gives the same
bytes faster, by remembering parts of earlier pictures (`render.drawing.cells`). All may be called in any thread.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache

from PIL import Image

from render.drawing import sprites
from render.drawing.arrows import arrow, midway
from render.drawing.cells import indexed
from render.drawing.ground import ground
from render.drawing.kit import Kit, Placed, kit_of
from render.drawing.lettering import CAP_MIDDLE, Anchor, fitted, length, word
from render.drawing.png import to_palette, to_png
from render.layout import (
    CHECKER,
    FULL,
    HEIGHT,
    ICON,
    NAME,
    PIPS_RIGHT,
    STRIP,
    TEXT_GAP,
    TEXT_RIGHT,
    WIDTHS,
    CubePlace,
    Spot,
    other,
)
from render.picture import BAR, OFF, Arrow, Die, Picture, PictureSide, Where
from render.theme import palette_bytes, theme_of

SIDES: tuple[Where, Where] = ("bottom", "top")
POINT_SIZE, TEXT_SIZE, LABEL_SIZE, COUNT_SIZE = 32, 36, 28, 36
SCORE_WIDTH, LABEL_WIDTH, LABEL_GAP = 300, 170, 14


def draw(picture: Picture) -> Image.Image:
    """The picture in full colour, mode RGB, `picture.width` pixels wide.

    Raises ValueError for a width outside `layout.WIDTHS`.
    """
    image = ground(_kit(picture)).copy()
    for sprite, x, y in scene(picture):
        sprite.paste(image, x, y)
    return image


def encode(image: Image.Image, theme: str) -> bytes:
    """An RGB image as a PNG in the theme's fixed palette, without dithering."""
    name = theme_of(theme).name
    wide = Image.new("P", (image.width + 1, image.height))
    wide.paste(to_palette(image, name), (1, 0))
    return to_png(wide, palette_bytes(name))


def png(picture: Picture) -> bytes:
    """The same bytes as `encode(draw(picture), picture.theme)`, faster.

    Raises ValueError for a width outside `layout.WIDTHS`.
    """
    kit = _kit(picture)
    return to_png(indexed(kit, scene(picture)), palette_bytes(kit.theme.name))


def scene(picture: Picture) -> list[Placed]:
    """Everything that lies on the empty board, in drawing order."""
    kit = _kit(picture)
    layers: tuple[Callable[[Kit, Picture], Iterator[Placed]], ...] = (
        _strips,
        _numbers,
        _homes,
        _cube,
        _off,
        _points,
        _bars,
        _arrows,
        _dice,
        _targets,
        _marks,
    )
    return [placed for layer in layers for placed in layer(kit, picture)]


def _kit(picture: Picture) -> Kit:
    if picture.width not in WIDTHS:
        raise ValueError(f"a picture is {WIDTHS.start} to {WIDTHS.stop - 1} pixels wide, not {picture.width}")
    return kit_of(theme_of(picture.theme).name, picture.width, picture.home_left)


def _side(picture: Picture, where: Where) -> PictureSide:
    return picture.bottom if where == "bottom" else picture.top


# -- the strips and the rims ----------------------------------------------------------------------------------------


def _strips(kit: Kit, picture: Picture) -> Iterator[Placed]:
    for where in SIDES:
        if picture.to_move == where:
            left, top, _, _ = kit.layout.strip(where)
            yield Placed(sprites.roll_strip(kit), left, top)
        yield from _strip(kit, picture, where)


def _strip(kit: Kit, picture: Picture, where: Where) -> Iterator[Placed]:
    """Icon and name from the left; score, pips and their label from the right, never touching."""
    side, px, k = _side(picture, where), kit.layout.px, kit.layout.scale
    ink, size = kit.theme.text if picture.to_move == where else kit.theme.dim, px(TEXT_SIZE)
    y = (STRIP / 2 if where == "top" else HEIGHT - STRIP / 2) * k
    right = float(px(TEXT_RIGHT))
    yield sprites.icon(kit, side.light).at(Spot(ICON * k, y))

    def put(text: str, x: float, anchor: Anchor) -> Placed:
        return word(text, size, ink, anchor, bold=False).at(Spot(x, y))

    if score := fitted(side.score, size, px(SCORE_WIDTH)):
        yield put(score, right, "right")
        right = min(px(PIPS_RIGHT), right - length(score, size) - px(TEXT_GAP))
    yield put(str(side.pips), right, "right")
    right -= length(str(side.pips), size) + px(LABEL_GAP)
    small = px(LABEL_SIZE)
    if label := fitted(picture.pips_word, small, px(LABEL_WIDTH)):
        baseline = y + (size - small) * CAP_MIDDLE
        yield word(label, small, kit.theme.dim, "right", bold=False).at(Spot(right, baseline))
        right -= length(label, small)
    if name := fitted(side.name, size, int(right - px(TEXT_GAP) - px(NAME))):
        yield put(name, px(NAME), "left")


def _numbers(kit: Kit, picture: Picture) -> Iterator[Placed]:
    yield from _rims(kit, picture.numbers)
    for where in SIDES:
        if off := _side(picture, where).checkers[OFF]:
            number = word(str(off), kit.layout.px(POINT_SIZE), kit.theme.numbers)
            yield number.at(kit.layout.off_number(where))


@lru_cache(maxsize=64)
def _rims(kit: Kit, numbers: tuple[int, ...]) -> tuple[Placed, ...]:
    """The points' numbers: the same few rows for all pictures."""
    size, ink = kit.layout.px(POINT_SIZE), kit.theme.numbers
    return tuple(word(str(numbers[slot]), size, ink).at(kit.layout.number(slot)) for slot in range(1, 25))


def _homes(kit: Kit, picture: Picture) -> Iterator[Placed]:
    for where in SIDES:
        side = _side(picture, where)
        for quarter in range(4):
            boxes = [kit.layout.home_line(slot) for slot in side.home if (slot - 1) // 6 == quarter]
            if boxes:
                left, top = min(box[0] for box in boxes), boxes[0][1]
                width, height = max(box[2] for box in boxes) - left, boxes[0][3] - top
                yield Placed(sprites.home_line(kit, side.light, width, height), left, top)


# -- checkers, cube and dice ----------------------------------------------------------------------------------------


def stack(picture: Picture, slot: int) -> tuple[Where, ...]:
    """Whose checkers lie on a slot, from the rim up: the pinned one first."""
    under: list[Where] = []
    upper: list[Where] = []
    for where in SIDES:
        side = _side(picture, where)
        pinned = min(1, side.checkers[slot]) if slot in side.pinned else 0
        under += [where] * pinned
        upper += [where] * (side.checkers[slot] - pinned)
    return tuple(under + upper)


def _points(kit: Kit, picture: Picture) -> Iterator[Placed]:
    taken = _taken(picture)
    for slot in range(1, 25):
        lying = stack(picture, slot)
        pinned = _pinned(picture, slot)
        spots = [kit.layout.checker(slot, n, len(lying), pinned) for n in range(len(lying))]
        for where, spot in zip(lying, spots, strict=True):
            yield sprites.checker(kit, _side(picture, where).light).at(spot)
        if len(lying) > FULL:
            owner = lying[-1]
            yield _count(kit, _side(picture, owner), lying.count(owner), spots, (slot, owner) in taken)


def _pinned(picture: Picture, slot: int) -> bool:
    return slot in picture.bottom.pinned or slot in picture.top.pinned


def _bars(kit: Kit, picture: Picture) -> Iterator[Placed]:
    taken = _taken(picture)
    for where in SIDES:
        side = _side(picture, where)
        number = side.checkers[BAR]
        spots = [kit.layout.bar(where, n, number, _cube_place(picture)) for n in range(number)]
        for spot in spots:
            yield sprites.checker(kit, side.light).at(spot)
        if number > FULL:
            yield _count(kit, side, number, spots, (BAR, where) in taken)


def _count(kit: Kit, side: PictureSide, number: int, spots: list[Spot], taken: bool) -> Placed:
    """A squeezed stack's number: on its top face, or in a pill at its rim end if that face is taken."""
    if taken:
        middle = kit.layout.height / 2
        outward = kit.layout.px(12) * (1 if spots[0].y > middle else -1)
        # On the bar the first checker is the innermost, so its pill stays where it is.
        away = outward if abs(spots[0].y - middle) > abs(spots[-1].y - middle) else 0
        return sprites.pill(kit, side.light, number).at(Spot(spots[0].x, spots[0].y + away))
    ink = kit.theme.checker(side.light).ink
    return word(str(number), kit.layout.px(COUNT_SIZE), ink).at(spots[-1])


def _taken(picture: Picture) -> set[tuple[int, Where]]:
    """The stacks whose top face carries a mark, a ring or an arrow."""
    marks = {(mark.slot, mark.side) for mark in picture.marks} | {(t.slot, t.side) for t in picture.targets}
    arrows = (*picture.last, *picture.hint)
    ends = {(place, one.side) for one in arrows for place in (one.start, one.end)}
    return marks | ends


def _off(kit: Kit, picture: Picture) -> Iterator[Placed]:
    for where in SIDES:
        side = _side(picture, where)
        for n in range(side.checkers[OFF]):
            yield sprites.slab(kit, side.light).at(kit.layout.slab(where, n))


def _cube_place(picture: Picture) -> CubePlace:
    return picture.cube.owner if picture.cube else "none"


def _cube(kit: Kit, picture: Picture) -> Iterator[Placed]:
    if picture.cube:
        yield sprites.cube(kit, picture.cube.value).at(kit.layout.cube(picture.cube.owner))


def _dice(kit: Kit, picture: Picture) -> Iterator[Placed]:
    if picture.opening:
        for where, value in zip(SIDES, picture.opening, strict=True):
            yield sprites.die(kit, _side(picture, where).light, value, False).at(kit.layout.die(where, 0, 1))
        return
    yield from _throw(kit, picture, picture.dice_of, picture.dice)
    yield from _throw(kit, picture, other(picture.dice_of), tuple(Die(value, faded=True) for value in picture.passed))


def _throw(kit: Kit, picture: Picture, where: Where, dice: tuple[Die, ...]) -> Iterator[Placed]:
    """Dice of one side, in its colour, at its right hand."""
    light = _side(picture, where).light
    for n, die in enumerate(dice):
        yield sprites.die(kit, light, die.value, die.faded).at(kit.layout.die(where, n, len(dice)))


# -- what is shown about a move -------------------------------------------------------------------------------------


def _lying(picture: Picture, where: Where, place: int) -> int:
    """How many checkers lie at a place of that side."""
    return _side(picture, where).checkers[place] if place in (OFF, BAR) else len(stack(picture, place))


def _top(kit: Kit, picture: Picture, where: Where, place: int, below: int = 0) -> Spot:
    """The spot of the top checker of a place, or of one `below` it; of the first place if there is none."""
    number = _lying(picture, where, place)
    index = max(0, number - 1 - below)
    if place == OFF:
        return kit.layout.slab(where, index)
    if place == BAR:
        return kit.layout.bar(where, index, number, _cube_place(picture))
    return kit.layout.checker(place, index, number, _pinned(picture, place))


def _free(kit: Kit, picture: Picture, where: Where, place: int, above: int = 0) -> Spot:
    """The spot of the next free place, or of one `above` it; on a full stack the top checker's."""
    number = _lying(picture, where, place) + above
    if place == OFF:
        return kit.layout.off_place(where, number)
    index = min(number, FULL - 1)
    if place == BAR:
        return kit.layout.bar(where, index, index + 1, _cube_place(picture))
    return kit.layout.checker(place, index, index + 1)


def _arrows(kit: Kit, picture: Picture) -> Iterator[Placed]:
    yield from _play(kit, picture, picture.last, hint=False)
    yield from _play(kit, picture, picture.hint, hint=True)


def _play(kit: Kit, picture: Picture, play: tuple[Arrow, ...], hint: bool) -> Iterator[Placed]:
    """Rings, arrows, numbers: a play made leads from free places to checkers, a proposed one the other way."""
    starts = {(one.start, one.side): _origin(kit, picture, one, hint) for one in play}
    for spot in starts.values():
        yield sprites.vacated(kit, hint).at(spot)
    landed: Counter[tuple[int, Where]] = Counter()
    numbers: list[Placed] = []
    for one, count in Counter(play).items():
        start, end = starts[one.start, one.side], _landing(kit, picture, one, hint, landed[one.end, one.side])
        landed[one.end, one.side] += count
        short = 12 if hint or one.end == OFF else CHECKER / 2 - 6
        yield from arrow(kit, start, end, kit.layout.scale * short, hint)
        if count > 1:
            numbers.append(sprites.times(kit, count, hint).at(midway(kit, start, end)))
    yield from numbers


def _origin(kit: Kit, picture: Picture, one: Arrow, hint: bool) -> Spot:
    return (_top if hint else _free)(kit, picture, one.side, one.start)


def _landing(kit: Kit, picture: Picture, one: Arrow, hint: bool, before: int) -> Spot:
    """Where an arrow ends, when so many of the same play have ended at that place `before`."""
    return (_free if hint else _top)(kit, picture, one.side, one.end, before)


def _targets(kit: Kit, picture: Picture) -> Iterator[Placed]:
    for target in picture.targets:
        yield sprites.target(kit).at(_free(kit, picture, target.side, target.slot))


def _marks(kit: Kit, picture: Picture) -> Iterator[Placed]:
    for mark in picture.marks:
        yield sprites.tag(kit, mark.letter).at(_top(kit, picture, mark.side, mark.slot))
