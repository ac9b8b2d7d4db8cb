"""Pictures in threads: each drawn once, whoever asks and whoever goes away."""

import asyncio
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from render import board
from render.picture import Picture, PictureSide
from render.pictures import Pictures, key

START = Picture(
    PictureSide("Ayşe", True, (0,) * 6 + (15,) + (0,) * 19, 90),
    PictureSide("Mehmet", False, (0,) * 19 + (15,) + (0,) * 6, 90, pinned=frozenset({3, 19, 11})),
    width=640,
)


def numbered(pips: int) -> Picture:
    return replace(START, bottom=replace(START.bottom, pips=pips))


@pytest.fixture
def pictures() -> Iterator[Pictures]:
    made = Pictures()
    yield made
    made.close()


class Slow:
    """Stands in for `board.png`: counts the drawings and holds them until it is let go."""

    def __init__(self) -> None:
        self.drawn: list[Picture] = []
        self.go = threading.Event()

    def __call__(self, picture: Picture) -> bytes:
        self.drawn.append(picture)
        assert self.go.wait(5)
        return b"png %d" % picture.bottom.pips


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    made = Slow()
    monkeypatch.setattr(board, "png", made)
    return made


async def test_a_picture_is_the_one_that_is_drawn(pictures: Pictures) -> None:
    assert await pictures.png(START) == board.png(START)


async def test_two_who_ask_at_the_same_time_get_one_drawing(pictures: Pictures, slow: Slow) -> None:
    asking = [asyncio.create_task(pictures.png(numbered(1))) for _ in range(5)]
    await asyncio.sleep(0.01)
    slow.go.set()
    assert await asyncio.gather(*asking) == [b"png 1"] * 5
    assert await pictures.png(numbered(1)) == b"png 1"
    assert len(slow.drawn) == 1


async def test_whoever_goes_away_does_not_stop_the_drawing(pictures: Pictures, slow: Slow) -> None:
    first, second = (asyncio.create_task(pictures.png(numbered(2))) for _ in range(2))
    await asyncio.sleep(0.01)
    first.cancel()
    slow.go.set()
    assert await second == b"png 2"
    with pytest.raises(asyncio.CancelledError):
        await first
    assert len(slow.drawn) == 1


async def test_a_drawing_that_nobody_waits_for_is_kept(pictures: Pictures, slow: Slow) -> None:
    asking = asyncio.create_task(pictures.png(numbered(3)))
    await asyncio.sleep(0.01)
    asking.cancel()
    slow.go.set()
    await asyncio.sleep(0.1)
    assert await pictures.png(numbered(3)) == b"png 3"
    assert len(slow.drawn) == 1


async def test_the_oldest_pictures_are_forgotten(slow: Slow) -> None:
    slow.go.set()
    few = Pictures(limit=11)
    for pips in (1, 2, 1, 3, 1, 2):
        await few.png(numbered(pips))
    assert [picture.bottom.pips for picture in slow.drawn] == [1, 2, 3, 2]
    few.close()


async def test_what_cannot_be_drawn_is_told_and_not_kept(pictures: Pictures) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="pixels wide"):
            await pictures.png(replace(START, width=1))


async def test_nothing_is_drawn_after_close(pictures: Pictures) -> None:
    await pictures.png(START)
    pictures.close()
    with pytest.raises(RuntimeError):
        await pictures.png(START)


def test_eight_threads_draw_what_one_draws() -> None:
    luck = random.Random(1)
    wanted = [
        replace(
            numbered(luck.randint(1, 9)), theme=luck.choice(["walnut", "paper"]), width=luck.choice([640, 645, 650])
        )
        for _ in range(120)
    ]
    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(board.png, wanted))
    assert drawn == [board.encode(board.draw(picture), picture.theme) for picture in wanted]


def test_key_names_the_content() -> None:
    assert (
        key(START) == key(replace(START)) == key(replace(START, top=replace(START.top, pinned=frozenset({19, 11, 3}))))
    )
    assert len({key(START), key(numbered(1)), key(replace(START, home_left=True)), key(replace(START, width=800))}) == 4
    assert len(key(replace(START, bottom=replace(START.bottom, name="\ud800")))) == 24
