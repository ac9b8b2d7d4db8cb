"""The board picture: every checker where it belongs, no name that breaks it, golden pictures.

`TAVLA_WRITE_GOLDEN=1 pytest tests/render/test_board.py` writes the golden pictures in `tests/boards` anew; look at
them before committing.
"""

import io
import os
import random
import statistics
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageStat

from render import board, layout
from render.drawing.ground import ground
from render.drawing.kit import kit_of
from render.drawing.lettering import ELLIPSIS, fitted, glyphs, legible, length
from render.layout import FULL, Layout, Spot, areas, other
from render.picture import (
    BAR,
    OFF,
    Arrow,
    Die,
    Mark,
    Picture,
    PictureCube,
    PictureSide,
    Target,
    Where,
)
from render.theme import THEMES, Colour, palette_bytes, theme_of

BOARDS = Path(__file__).parents[1] / "boards"
WRITE = bool(os.environ.get("TAVLA_WRITE_GOLDEN"))
SIDES: tuple[Where, Where] = ("bottom", "top")
LOW, HIGH = tuple(range(1, 7)), tuple(range(19, 25))


def lying(places: dict[int, int]) -> tuple[int, ...]:
    return tuple(places.get(place, 0) for place in range(26))


START = Picture(
    PictureSide("Ayşe", True, lying({24: 2, 13: 5, 8: 3, 6: 5}), 167, "3/7", LOW),
    PictureSide("Дмитрий", False, lying({1: 2, 12: 5, 17: 3, 19: 5}), 167, "5/7", HIGH),
    to_move="bottom",
)


def with_checkers(picture: Picture, bottom: dict[int, int], top: dict[int, int]) -> Picture:
    return replace(
        picture,
        bottom=replace(picture.bottom, checkers=lying(bottom)),
        top=replace(picture.top, checkers=lying(top)),
    )


def golden() -> dict[str, Picture]:
    """The pictures that a person has looked at; small unless their detail is the point."""
    contact = replace(
        with_checkers(START, {24: 2, 13: 4, 8: 3, 6: 5, 5: 1}, {1: 2, 12: 3, 15: 1, 17: 3, 18: 1, 19: 5}),
        dice=(Die(6), Die(3)),
        last=(Arrow("top", 12, 15), Arrow("top", 12, 18)),
        marks=tuple(Mark("bottom", slot, letter) for slot, letter in ((24, "A"), (13, "B"), (8, "C"), (6, "D"))),
        cube=PictureCube(2, "top"),
    )
    fevga = replace(
        with_checkers(START, {24: 12, 20: 1, 17: 2}, {12: 11, 9: 2, 7: 1, 4: 1}),
        dice=(Die(5), Die(3)),
        last=(Arrow("top", 12, 9), Arrow("top", 12, 7)),
        marks=(Mark("bottom", 24, "A"), Mark("bottom", 20, "B"), Mark("bottom", 17, "C")),
        theme="midnight",
    )
    fevga = replace(fevga, top=replace(fevga.top, home=tuple(range(13, 19)), score=""))
    home = replace(
        with_checkers(START, {OFF: 2, 6: 6, 5: 3, 4: 2, 3: 2}, {OFF: 4, 19: 3, 20: 3, 21: 2, 22: 1, 23: 1, BAR: 1}),
        dice=(Die(4, True), Die(4, True), Die(4), Die(4)),
        last=(Arrow("bottom", 4, OFF), Arrow("bottom", 4, OFF)),
        cube=PictureCube(64),
        theme="paper",
    )
    home = replace(home, bottom=replace(home.bottom, light=False), top=replace(home.top, light=True))
    bar = replace(
        with_checkers(START, {BAR: 3, 13: 5, 8: 2, 6: 5}, {BAR: 7, 12: 5, 17: 3}),
        dice=(Die(6, True), Die(2)),
        cube=PictureCube(4, "bottom"),
        marks=(Mark("bottom", BAR),),
        targets=(Target("bottom", 23), Target("bottom", 19)),
    )
    late = replace(
        with_checkers(START, {OFF: 13, 1: 1, 2: 1}, {OFF: 11, 24: 3, 22: 1}),
        dice=(Die(1), Die(2)),
        marks=(Mark("bottom", 1, "A"), Mark("bottom", 2, "B")),
        targets=(Target("bottom", OFF),),
        last=(Arrow("top", 19, OFF), Arrow("top", 20, 22)),
    )
    pin = with_checkers(START, {24: 1, 13: 4, 8: 3, 6: 7}, {24: 3, 6: 1, 12: 5, 17: 3, 19: 3})
    pin = replace(
        pin,
        bottom=replace(pin.bottom, pinned=frozenset({24})),
        top=replace(pin.top, pinned=frozenset({6})),
        dice=(Die(5), Die(2)),
    )
    names = replace(
        START,
        bottom=replace(START.bottom, name="Ayşe 🔥 Çağlayangil-Öztürkoğlu of Constantinople III", score="12/25"),
        top=replace(START.top, name="\u202eمحمد 王小明 🎲"),
        pips_word="очки",
        to_move=None,
        opening=(6, 3),
    )
    hint = replace(START, dice=(Die(3), Die(1)), hint=(Arrow("bottom", 8, 5), Arrow("bottom", 6, 5)), theme="clear")
    passed = replace(START, passed=(6, 6, 6, 6), dice=(Die(2), Die(1)))
    tall = with_checkers(START, {24: 15}, {12: 15})
    small = {
        "start": START,
        "fevga": fevga,
        "home": home,
        "bar": bar,
        "late": late,
        "pin": pin,
        "names": names,
        "hint": hint,
        "passed": passed,
        "tall": tall,
        "left": replace(contact, home_left=True),
    }
    return {"contact": contact, **{name: replace(picture, width=640) for name, picture in small.items()}}


def decoded(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


# -- golden pictures --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(golden()))
def test_picture_is_as_it_was_looked_at(name: str) -> None:
    drawn, path = board.png(golden()[name]), BOARDS / f"{name}.png"
    if WRITE:
        path.write_bytes(drawn)
    difference = ImageChops.difference(decoded(drawn), Image.open(path).convert("RGB"))
    far = difference.convert("L").point(lambda v: 255 if v > 24 else 0)
    assert max(ImageStat.Stat(difference).mean) < 0.5
    assert ImageStat.Stat(far).mean[0] / 255 < 0.001


def test_golden_pictures_stay_small_and_none_is_left_over() -> None:
    files = list(BOARDS.glob("*.png"))
    assert {path.stem for path in files} == set(golden())
    assert sum(path.stat().st_size for path in files) < 1_000_000


# -- where the checkers lie -------------------------------------------------------------------------------------------


@st.composite
def positions(draw: st.DrawFn) -> Picture:
    """15 checkers a side anywhere, no slot shared but by pins."""
    slots = draw(st.permutations(range(1, 25)))
    half = draw(st.integers(1, 23))
    counts = [spread(draw, [OFF, BAR, *own]) for own in (slots[:half], slots[half:])]
    picture = replace(with_checkers(START, counts[0], counts[1]), width=640, theme=draw(st.sampled_from(list(THEMES))))
    return replace(picture, home_left=draw(st.booleans()), cube=draw(st.sampled_from(CUBES)))


CUBES = (None, PictureCube(2), PictureCube(4, "top"), PictureCube(8, "bottom"))


def spread(draw: st.DrawFn, places: list[int]) -> dict[int, int]:
    chosen = draw(st.lists(st.sampled_from(places), min_size=15, max_size=15))
    return {place: chosen.count(place) for place in set(chosen)}


def expected(picture: Picture) -> Iterator[tuple[Spot, bool]]:
    """The spot of every checker on the board, and whether it is light."""
    places = Layout(picture.width, picture.home_left)
    cube: layout.CubePlace = picture.cube.owner if picture.cube else "none"
    for where, side in zip(SIDES, (picture.bottom, picture.top), strict=True):
        for index in range(side.checkers[BAR]):
            yield places.bar(where, index, side.checkers[BAR], cube), side.light
    for slot in range(1, 25):
        owners = board.stack(picture, slot)
        pinned = slot in picture.bottom.pinned | picture.top.pinned
        for index, where in enumerate(owners):
            light = (picture.bottom if where == "bottom" else picture.top).light
            yield places.checker(slot, index, len(owners), pinned), light


def beside_the_middle(image: Image.Image, spot: Spot) -> Colour:
    """The mean colour of a little square on the checker, left of any number or tag.

    The next checker of a stack leaves it free or has the same colour.
    """
    k = image.width / layout.WIDTH
    x, y, half = round(spot.x - 0.77 * layout.CHECKER / 2 * k), round(spot.y), max(1, round(6 * k))
    red, green, blue = ImageStat.Stat(image.crop((x - half, y - half, x + half + 1, y + half + 1))).mean
    return round(red), round(green), round(blue)


def is_light(theme: str, pixel: Colour) -> bool:
    def distance(face: Colour) -> int:
        return sum((a - b) ** 2 for a, b in zip(face, pixel, strict=True))

    return distance(theme_of(theme).light.face) < distance(theme_of(theme).dark.face)


def check_every_checker(picture: Picture) -> None:
    image = decoded(board.png(picture))
    for spot, light in expected(picture):
        assert is_light(picture.theme, beside_the_middle(image, spot)) == light, spot


@settings(max_examples=60, deadline=None)
@given(positions())
def test_every_checker_is_seen_where_it_lies_and_nowhere_else(picture: Picture) -> None:
    check_every_checker(picture)
    image = board.draw(picture)
    empty = ground(kit_of(picture.theme, picture.width, picture.home_left))
    places = Layout(picture.width, picture.home_left)
    for slot in range(1, 25):
        if not board.stack(picture, slot):
            spot = places.checker(slot, 0, 1)
            assert beside_the_middle(image, spot) == beside_the_middle(empty, spot)


@pytest.mark.parametrize("number", range(1, 16))
def test_stacks_from_1_to_15_show_each_colour(number: int) -> None:
    rest = {OFF: 15 - number}
    check_every_checker(with_checkers(START, {6: number, **rest}, {18: number, **rest}))


@pytest.mark.parametrize("cube", CUBES)
@pytest.mark.parametrize("number", range(16))
def test_the_bar_holds_up_to_15_checkers_a_side(number: int, cube: PictureCube | None) -> None:
    rest = {OFF: 15 - number}
    picture = with_checkers(replace(START, cube=cube, width=640), {BAR: number, **rest}, {BAR: number, **rest})
    check_every_checker(picture)
    owner: layout.CubePlace = cube.owner if cube else "none"
    places, radius = Layout(), layout.CHECKER / 2
    for where in SIDES:
        ys = [places.bar(where, n, number, owner).y for n in range(number)]
        assert all(layout.FIELD_TOP + radius <= y <= layout.FIELD_BOTTOM - radius for y in ys)
        assert all(abs(y - layout.MIDDLE) >= radius for y in ys)
        if cube:
            assert all(abs(y - places.cube(cube.owner).y) >= radius + layout.CUBE / 2 for y in ys)


@pytest.mark.parametrize("number", range(16))
def test_borne_off_checkers_lie_in_their_own_tray(number: int) -> None:
    picture = with_checkers(START, {OFF: number, 6: 15 - number}, {OFF: number, 19: 15 - number})
    image, places = board.draw(picture), Layout()
    empty = ground(kit_of("walnut", 1280, False))
    for where, light in (("bottom", True), ("top", False)):
        side: Where = "bottom" if where == "bottom" else "top"
        left, top, right, bottom = places.tray_box(side)
        for n in range(15):
            spot = places.slab(side, n)
            assert left < spot.x < right
            assert top < spot.y < bottom
            at = round(spot.x), round(spot.y - 5)
            assert (image.getpixel(at) == empty.getpixel(at)) == (n >= number), light


@pytest.mark.parametrize("number", range(2, 16))
def test_a_pinned_checker_peeks_out_below(number: int) -> None:
    picture = with_checkers(START, {6: number - 1, OFF: 16 - number}, {6: 1, OFF: 14})
    picture = replace(picture, top=replace(picture.top, pinned=frozenset({6})))
    assert board.stack(picture, 6) == ("top", *["bottom"] * (number - 1))
    check_every_checker(picture)


# -- laws of the geometry ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "slot"), list(product((640, 800, 1024, 1280), range(1, 25))))
def test_home_on_the_left_mirrors_the_slots(width: int, slot: int) -> None:
    plain, mirrored = Layout(width), Layout(width, home_left=True)
    for index in range(FULL):
        here, there = plain.checker(slot, index, FULL), mirrored.checker(slot, index, FULL)
        assert here.x + there.x == pytest.approx(width)
        assert here.y == there.y
    opposite = plain.checker(25 - slot, 0, 1)
    assert opposite.x == pytest.approx(plain.checker(slot, 0, 1).x)
    assert opposite.y + plain.checker(slot, 0, 1).y == pytest.approx(plain.height, abs=0.5)


def test_slots_lie_where_the_contract_says() -> None:
    places = Layout()
    corners = {slot: places.checker(slot, 0, 1) for slot in (1, 12, 13, 24)}
    assert corners[1].x == corners[24].x > corners[12].x == corners[13].x
    assert corners[1].y == corners[12].y > corners[13].y == corners[24].y
    assert places.bar_box()[0] > places.checker(7, 0, 1).x
    assert places.bar_box()[2] < places.checker(6, 0, 1).x


@pytest.mark.parametrize("home_left", [False, True])
def test_areas_cover_what_is_drawn_and_do_not_overlap(home_left: bool) -> None:
    touch, places = areas(home_left), Layout(1280, home_left)
    spots = {slot: [places.checker(slot, n, FULL) for n in range(FULL)] for slot in range(1, 25)}
    for slot, rect in touch.points.items():
        for spot in spots[slot]:
            assert rect.left < spot.x / 1280 < rect.left + rect.width
            assert rect.top < spot.y / 1024 < rect.top + rect.height
    for side in SIDES:
        bar, tray = places.bar(side, 0, 1), places.slab(side, 0)
        assert touch.bar[side].top < bar.y / 1024 < touch.bar[side].top + touch.bar[side].height
        assert touch.tray[side].left < tray.x / 1280 < touch.tray[side].left + touch.tray[side].width
    every = [*touch.points.values(), *touch.bar.values(), *touch.tray.values()]
    for n, one in enumerate(every):
        for two in every[:n]:
            apart_x = max(one.left, two.left) >= min(one.left + one.width, two.left + two.width) - 1e-9
            assert apart_x or max(one.top, two.top) >= min(one.top + one.height, two.top + two.height) - 1e-9


# -- text -------------------------------------------------------------------------------------------------------------

ODD_NAMES = [
    "",
    "   ",
    "محمد",
    "王小明",
    "🔥🎲👩‍👩‍👧",
    "\u202eevil\u202c",
    "a\u200b\u200d\u2060b\ufeff",
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
    "\x00\x07\n\t\r",
    "\ud800",
    "W" * 5000,
    "İIıi Şş Ğğ",
    "<b>&amp;</b> @everyone",
    "e\u0301",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_no_name_breaks_the_picture(name: str) -> None:
    for width in (320, 640, 1280):
        picture = replace(START, width=width, pips_word=name, bottom=replace(START.bottom, name=name, score=name))
        assert Image.open(io.BytesIO(board.png(picture))).size == (width, width * 4 // 5)


@given(st.text())
def test_what_is_shown_of_a_text_is_what_the_font_has(text: str) -> None:
    shown = legible(text)
    assert set(shown) <= glyphs() | {" "}
    assert shown == legible(shown)
    assert shown == shown.strip()


def test_letters_of_the_players_languages_are_all_there() -> None:
    for text in ("çğıöşüÇĞİÖŞÜâîû", "əƏ", "АБВГДЕЁЖЗИЙЩъыьэюяіїєґ", "ΑΩάέήίόύώϊϋΐΰς", "äöüßéèñøåčšžłőű", "«…»—–’№"):
        assert legible(text) == text
    assert legible("e\u0301") == "é"


@given(st.text(max_size=300), st.integers(0, 600))
def test_a_fitted_text_fits(text: str, limit: int) -> None:
    shown = fitted(text, 36, limit)
    assert length(shown, 36) <= limit
    assert shown == legible(text) or shown == "" or shown.endswith(ELLIPSIS)


@pytest.mark.parametrize("score", ["", "3/7", "125/125", "W" * 99])
def test_a_long_name_never_touches_pips_or_score(score: str) -> None:
    side = replace(START.bottom, name="W" * 99, score=score, pips=999)
    placed = board.scene(replace(START, bottom=side, to_move=None, pips_word="W" * 99))
    strip = sorted((x, x + s.size[0]) for s, x, y in placed if y > 1024 - layout.STRIP)
    assert len(strip) == (5 if score else 4)
    assert all(left_end < right for (_, left_end), (right, _) in pairwise(strip))
    assert strip[-1][1] <= 1280


# -- what is shown about moves ----------------------------------------------------------------------------------------


def differs(one: Picture, two: Picture, spot: Spot, radius: int = 30) -> bool:
    box = (int(spot.x) - radius, int(spot.y) - radius, int(spot.x) + radius, int(spot.y) + radius)
    return ImageChops.difference(board.draw(one).crop(box), board.draw(two).crop(box)).getbbox() is not None


def test_dice_lie_at_their_throwers_right_hand() -> None:
    places = Layout()
    right, left = places.die("bottom", 0, 1), places.die("top", 0, 1)
    assert left.x < 640 < right.x
    for where, here, there in (("bottom", right, left), ("top", left, right)):
        thrown = replace(START, dice=(Die(3),), dice_of="bottom" if where == "bottom" else "top")
        assert differs(START, thrown, here)
        assert not differs(START, thrown, there)
        passed = replace(START, passed=(3,), dice_of="bottom" if where == "bottom" else "top")
        assert differs(START, passed, there)
        assert not differs(START, passed, here)
    assert all(differs(START, replace(START, opening=(6, 3)), spot) for spot in (left, right))


def test_faded_dice_are_seen_fainter() -> None:
    spot = Layout().die("bottom", 0, 1)
    plain, faded = (board.draw(replace(START, dice=(Die(6, fade),))) for fade in (False, True))
    empty, at = board.draw(START), (round(spot.x), round(spot.y))
    strong, weak = (
        sum(ImageStat.Stat(ImageChops.difference(image, empty).crop((at[0] - 9, at[1] - 9, *at))).mean)
        for image in (plain, faded)
    )
    assert 0 < weak < strong / 2


def test_equal_arrows_are_drawn_once_with_their_number() -> None:
    one = replace(START, last=(Arrow("top", 12, 18),))
    two = replace(START, last=(Arrow("top", 12, 18),) * 2)
    assert len(board.scene(two)) == len(board.scene(one)) + 1


@pytest.mark.parametrize("where", SIDES)
@pytest.mark.parametrize("place", range(26))
def test_marks_targets_and_arrows_may_be_anywhere(where: Where, place: int) -> None:
    picture = replace(
        START,
        width=640,
        marks=(Mark(where, place, "Z"), Mark(other(where), place)),
        targets=(Target(where, place),),
        last=(Arrow(where, place, OFF), Arrow(where, BAR, place), Arrow(where, place, place)),
        hint=(Arrow(where, place, 13), Arrow(where, place, OFF)),
    )
    assert board.png(picture) == board.encode(board.draw(picture), picture.theme)


def test_a_tall_stacks_number_leaves_its_top_face_to_a_mark() -> None:
    tall = with_checkers(START, {24: 15}, {12: 15})
    rim = Layout().checker(24, 0, 15)
    assert differs(tall, replace(tall, marks=(Mark("bottom", 24),)), Spot(rim.x, rim.y - 14), 10)


# -- bytes ------------------------------------------------------------------------------------------------------------


def any_picture(luck: random.Random, theme: str = "walnut") -> Picture:
    """A crowded position with two arrows, dice, tags and a cube."""
    slots = luck.sample(range(1, 25), 24)
    counts = []
    for own in (slots[:6], slots[6:12]):
        chosen = [luck.choice([*own * 3, OFF, BAR]) for _ in range(15)]
        counts.append({place: chosen.count(place) for place in set(chosen)})
    picture = with_checkers(replace(START, theme=theme), counts[0], counts[1])
    ends = luck.sample([slot for slot in slots[6:12] if slot in counts[1]], 2)
    return replace(
        picture,
        dice=(Die(luck.randint(1, 6)), Die(luck.randint(1, 6), luck.random() < 0.3)),
        last=tuple(Arrow("top", luck.randint(1, 24), end) for end in ends),
        marks=tuple(Mark("bottom", slot, "ABCDEF"[n]) for n, slot in enumerate(slots[:4]) if slot in counts[0]),
        cube=PictureCube(2),
    )


@pytest.mark.parametrize("theme", list(THEMES))
def test_pictures_are_small_and_have_one_palette(theme: str) -> None:
    luck = random.Random(7)
    pngs = [board.png(any_picture(luck, theme)) for _ in range(60)]
    assert statistics.median(map(len, pngs)) < 110_000
    assert max(map(len, pngs)) < 200_000
    for png in pngs[:5]:
        image = Image.open(io.BytesIO(png))
        image.load()
        assert image.mode == "P"
        assert len(palette_bytes(theme)) <= 768
        assert bytes(image.getpalette() or [])[: len(palette_bytes(theme))] == palette_bytes(theme)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([640, 801, 1024, 1280]))
def test_the_fast_way_gives_the_plain_ways_bytes(seed: int, width: int) -> None:
    luck = random.Random(seed)
    picture = replace(any_picture(luck, luck.choice(list(THEMES))), width=width, home_left=luck.random() < 0.5)
    assert board.png(picture) == board.encode(board.draw(picture), picture.theme)


def test_the_palette_is_close_to_full_colour() -> None:
    luck = random.Random(3)
    for theme in THEMES:
        picture = any_picture(luck, theme)
        difference = ImageChops.difference(board.draw(picture), decoded(board.png(picture)))
        assert max(ImageStat.Stat(difference).rms) < 3.5


def test_widths_out_of_range_are_refused_and_unknown_themes_are_walnut() -> None:
    for width in (0, -5, 319, 5000):
        with pytest.raises(ValueError, match="pixels wide"):
            board.png(replace(START, width=width))
    assert board.png(replace(START, theme="no such theme")) == board.png(START)
