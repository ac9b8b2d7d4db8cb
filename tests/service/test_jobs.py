"""Jobs are done whatever fails."""

import asyncio

from bot.service.jobs import Jobs
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
