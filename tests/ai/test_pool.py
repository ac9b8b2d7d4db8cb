"""The pool: dead workers are replaced, slow ones given up, and nobody is left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.ai.pool import Closed, Pool
from bot.ai.thinking import think
from bot.engine.board import Position
from bot.engine.errors import Unreadable
from bot.service.ports import Question, Thinker
from bot.variants import variant

ROOT = Path(__file__).parents[2]
TAVLA = variant("tavla")
OPENING = Question(TAVLA, Position(TAVLA.start, TAVLA.start), (6, 5), "medium", seed=3)


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    pool = Pool()
    yield pool
    await pool.close()


def workers_of(parent: int) -> list[int]:
    """The process ids of the thinking children of `parent`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line, status = (folder / "cmdline").read_bytes(), (folder / "stat").read_text()
        except OSError:
            continue
        if b"spawn_main" in line and int(status.rpartition(")")[2].split()[1]) == parent:
            found.append(int(folder.name))
    return found


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until_gone(processes: list[int], seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while any(map(alive, processes)) and time.monotonic() < deadline:  # noqa: ASYNC110 -- /proc tells nobody
        await asyncio.sleep(0.02)
    return not any(map(alive, processes))


async def the_worker() -> int:
    """The process id of the one worker, once it is there."""
    while not (found := workers_of(os.getpid())):  # noqa: ASYNC110 -- /proc tells nobody
        await asyncio.sleep(0.01)
    return found[0]


async def test_thinks_as_one_does_without_it(pool: Thinker) -> None:
    assert await pool.think(OPENING) == think(OPENING)


async def test_an_unknown_level_is_refused_and_the_pool_goes_on(pool: Pool) -> None:
    with pytest.raises(Unreadable):
        await pool.think(OPENING._replace(level="godlike"))
    assert (await pool.think(OPENING)).plays


async def test_a_warm_pool_has_its_worker_before_the_first_question(pool: Pool) -> None:
    assert not workers_of(os.getpid())
    pool.warm()
    worker = await asyncio.wait_for(the_worker(), 5)
    await pool.think(OPENING)
    assert workers_of(os.getpid()) == [worker]


async def test_a_worker_killed_while_it_waits_is_replaced(pool: Pool) -> None:
    await pool.think(OPENING)
    os.kill(await the_worker(), signal.SIGKILL)
    assert (await pool.think(OPENING)).chosen == think(OPENING).chosen


async def test_a_worker_killed_in_the_middle_is_replaced_and_the_question_asked_again(pool: Pool) -> None:
    await pool.think(OPENING)
    worker = await the_worker()
    os.kill(worker, signal.SIGSTOP)
    answer = asyncio.create_task(pool.think(OPENING))
    await asyncio.sleep(0.1)
    assert not answer.done()
    os.kill(worker, signal.SIGKILL)
    assert (await asyncio.wait_for(answer, 5)).chosen == think(OPENING).chosen


async def test_a_decision_that_takes_too_long_is_given_up_and_the_next_one_served() -> None:
    pool = Pool(limit=1.0)
    try:
        await pool.think(OPENING)
        worker = await the_worker()
        os.kill(worker, signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            await pool.think(OPENING)
        assert await until_gone([worker])
        assert (await pool.think(OPENING)).plays
    finally:
        await pool.close()


async def test_the_loop_goes_on_meanwhile(pool: Pool) -> None:
    late = [0.0]

    async def tick() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.005)
            late.append(time.perf_counter() - began - 0.005)

    ticking = asyncio.create_task(tick())
    await asyncio.gather(*(pool.think(OPENING._replace(dice=(3,) * 4, level="hard")) for _ in range(20)))
    ticking.cancel()
    assert sorted(late)[len(late) // 2] < 0.02


async def test_closing_ends_the_workers_at_once_and_takes_no_more_questions() -> None:
    pool = Pool(count=2)
    await asyncio.gather(pool.think(OPENING), pool.think(OPENING))
    workers = workers_of(os.getpid())
    began = time.monotonic()
    await pool.close()
    assert time.monotonic() - began < 2
    assert len(workers) == 2
    assert not any(map(alive, workers))
    with pytest.raises(Closed):
        await pool.think(OPENING)


async def test_closing_does_not_wait_for_a_worker_that_hangs() -> None:
    pool = Pool()
    await pool.think(OPENING)
    worker = await the_worker()
    os.kill(worker, signal.SIGSTOP)
    asking = asyncio.create_task(pool.think(OPENING))
    await asyncio.sleep(0.1)
    await asyncio.wait_for(pool.close(), 5)
    assert await until_gone([worker])
    with pytest.raises(Closed):
        await asking


async def test_a_pool_that_never_thought_closes() -> None:
    await asyncio.wait_for(Pool().close(), 1)


SERVER = """
import asyncio
from bot.ai.pool import Pool
from bot.engine.board import Position
from bot.service.ports import Question
from bot.variants import variant

async def serve():
    rules = variant("tavla")
    pool = Pool(2)
    question = Question(rules, Position(rules.start, rules.start), (6, 5))
    await asyncio.gather(pool.think(question), pool.think(question))
    print("ready", flush=True)
    try:
        await asyncio.sleep(60)
    finally:
        await pool.close()

if __name__ == "__main__":
    asyncio.run(serve())
"""


@pytest.fixture
def server(tmp_path: Path) -> "subprocess.Popen[str]":
    (tmp_path / "server.py").write_text(SERVER)
    return subprocess.Popen(
        [sys.executable, str(tmp_path / "server.py")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


async def test_a_parent_killed_by_force_leaves_nobody_behind(server: "subprocess.Popen[str]") -> None:
    with server:
        assert server.stdout
        assert server.stdout.readline() == "ready\n"
        workers = workers_of(server.pid)
        assert workers
        server.kill()
    assert await until_gone(workers)


async def test_ctrl_c_ends_all_without_a_word_from_the_workers(server: "subprocess.Popen[str]") -> None:
    with server:
        assert server.stdout
        assert server.stdout.readline() == "ready\n"
        workers = workers_of(server.pid)
        os.killpg(server.pid, signal.SIGINT)
        told = server.communicate(timeout=10)[1]
    assert "SpawnProcess" not in told
    assert await until_gone(workers)
