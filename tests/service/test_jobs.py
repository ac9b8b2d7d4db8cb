"""Jobs are done whatever fails, and screens are shown the newest."""

import asyncio

import pytest

from bot.service.jobs import Jobs
from bot.service.screens import Screens
from bot.service.table import Job
from tests.service.conftest import Service


async def until(true: object, seconds: float = 5.0) -> None:
    """Waits until `true()` holds."""
    assert callable(true)
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 -- what is waited for has no event of its own
            await asyncio.sleep(0.01)


async def test_the_computers_turn_is_taken_by_its_job(service: Service) -> None:
    table = await service.against_computer()
    while table.awaited != (1,):
        table = await service.go_on(table)
    running = asyncio.create_task(service.jobs.run())
    await until(lambda: service.saved[-1].revision > table.revision)
    running.cancel()
    assert (await service.matches.look(table.id)).awaited == (0,)


async def test_work_that_fails_stops_nothing_and_is_tried_again(service: Service) -> None:
    done: list[Job] = []

    async def work(job: Job) -> None:
        done.append(job)
        if len(done) < 3:
            service.time += 31
            raise RuntimeError("this work fails")
        await service.store.drop(job)

    table = await service.against_computer()
    while table.awaited != (1,):
        table = await service.go_on(table)
    running = asyncio.create_task(Jobs(service.store, service.now, {"computer": work}).run())
    await until(lambda: len(done) == 3)
    await asyncio.sleep(0.05)
    running.cancel()
    assert [job.tries for job in done] == [1, 2, 3]


async def test_a_store_that_fails_for_a_while_is_asked_again(service: Service) -> None:
    table = await service.against_computer()
    while table.awaited != (1,):
        table = await service.go_on(table)
    claim, failures = service.store.claim, [RuntimeError("disk full")] * 2

    async def failing(now: float, lease: float, limit: int) -> object:
        if failures:
            raise failures.pop()
        return await claim(now, lease, limit)

    service.store.claim = failing  # type: ignore[method-assign,assignment]
    running = asyncio.create_task(service.jobs.run())
    for _ in range(3):
        await asyncio.sleep(0.02)
        service.jobs.poke()
    await until(lambda: service.saved[-1].revision > table.revision)
    running.cancel()


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


async def test_it_ends_even_when_a_poke_comes_together_with_the_end(service: Service) -> None:
    working = asyncio.create_task(service.jobs.run())
    await asyncio.sleep(0.05)
    service.jobs.poke()
    await asyncio.sleep(0)  # the waiting task is about to wake up
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(working, 5)
