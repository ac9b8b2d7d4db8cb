"""Screens are shown the newest, and the chats are woken and rung with them."""

import asyncio

import pytest

from bot.service.screens import Screens
from bot.service.table import Table
from tests.service.conftest import Service


class Bells:
    """A platform that notes what reaches it; it can be told to fail."""

    def __init__(self, failing: bool = False) -> None:
        self.woken: list[str] = []
        self.rung: list[Table] = []
        self._failing = failing

    def wake(self, watched: str) -> None:
        self.woken.append(watched)

    async def ring(self, table: Table) -> None:
        await asyncio.sleep(0)
        if self._failing:
            raise RuntimeError("this platform fails")
        self.rung.append(table)


async def test_a_screen_is_shown_at_the_start_and_after_every_wake_the_newest_once() -> None:
    screens, shown, free = Screens(), list[int](), asyncio.Event()
    now = 1

    async def show() -> None:
        shown.append(now)
        await free.wait()

    screen = screens.open("match", show)
    await asyncio.sleep(0.01)
    for now in range(2, 10):  # noqa: B007 -- `show` reads it
        screens.wake("match")
    free.set()
    await asyncio.sleep(0.01)
    assert shown == [1, 9]
    screens.close("match", screen)
    screens.wake("match")
    await asyncio.sleep(0.01)
    assert shown == [1, 9]


async def test_a_screen_that_fails_is_shown_again_and_holds_up_no_other() -> None:
    screens, shown = Screens(), list[str]()

    async def broken() -> None:
        shown.append("broken")
        raise RuntimeError("this screen fails")

    async def well() -> None:
        shown.append("well")

    opened = [screens.open("match", show) for show in (broken, well)]
    await asyncio.sleep(0.01)
    screens.wake("match")
    await asyncio.sleep(0.01)
    assert sorted(shown) == ["broken", "broken", "well", "well"]
    for screen in opened:
        screens.close("match", screen)


async def test_every_chat_platform_is_woken_whoever_watches_here() -> None:
    screens, both, shown = Screens(), (Bells(), Bells()), list[str]()

    async def show() -> None:
        shown.append("shown")

    for bells in both:
        screens.join(bells)
    screen = screens.open("match", show)
    await asyncio.sleep(0.01)
    for watched in ("match", "challenge"):
        screens.wake(watched)
    await asyncio.sleep(0.01)
    assert [bells.woken for bells in both] == [["match", "challenge"]] * 2
    assert shown == ["shown", "shown"]
    screens.close("match", screen)


async def test_a_ring_reaches_every_platform(service: Service) -> None:
    table, screens, both = await service.two(), Screens(), (Bells(), Bells())
    await screens.ring(table)
    for bells in both:
        screens.join(bells)
    await screens.ring(table)
    assert [bells.rung for bells in both] == [[table], [table]]


async def test_a_ring_that_one_platform_does_not_hear_is_heard_by_the_others_and_fails(service: Service) -> None:
    table, screens, broken, well = await service.two(), Screens(), Bells(failing=True), Bells()
    screens.join(broken)
    screens.join(well)
    with pytest.raises(RuntimeError, match="this platform fails"):
        await screens.ring(table)
    await asyncio.sleep(0.01)
    assert well.rung == [table]
