"""A program to be killed: saves in a file without end and tells what is saved. `python -m tests.storage.writer FILE`"""

import asyncio
import random
import sys
import time

from bot.service.table import Seat
from storage.sqlite import open_sqlite
from tests.storage.playing import advanced, over, seating


async def write(path: str) -> None:
    store, choose = await open_sqlite(path, time.time), random.Random()
    people = Seat(await store.player("web", "a")), Seat(await store.player("web", "b"))
    assert people[0].player is not None
    number = len(await store.matches_of(people[0].player, 1_000_000))
    while True:
        number += 1
        begun = seating(number, people)
        await store.seat(begun)
        _tell(number, begun.commit.table.revision)
        table = begun.commit.table
        while not over(table):
            commit = advanced(table, begun.seed, choose)
            await store.save(commit)
            table = commit.table
            _tell(number, table.revision)


def _tell(number: int, revision: int) -> None:
    sys.stdout.write(f"{number} {revision}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1]))
