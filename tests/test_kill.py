"""kill -9 while a match is played at the local table: nothing that a page was shown as done is ever lost.

Ten kills here; TAVLA_KILLS=1000 (`make kill-loop`) for the long form.
"""

import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

from bot.engine import match as engine
from bot.engine.match import Match
from storage.sqlite import open_sqlite

ROOT = Path(__file__).parents[1]
KILLS = int(os.environ.get("TAVLA_KILLS", "10"))
Json = dict[str, Any]


@contextmanager
def served(database: Path) -> Iterator[tuple[subprocess.Popen[str], URL]]:
    """The program on a port of its own; whatever happens it is gone afterwards."""
    command = [sys.executable, "-m", "bot", "run", "--port", "0", "--database", f"sqlite:///{database}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as program:
        try:
            assert program.stdout is not None
            address = re.search(r"http://\S+", program.stdout.readline())
            assert address is not None
            yield program, URL(address[0])
        finally:
            program.kill()


class Page:
    """The page of one player, as its script talks to the server."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session
        self.path = ""
        self.shown: Json = {}
        """The view after the last press that was answered."""

    async def start(self, base: URL) -> None:
        await self.session.get(base)
        form = {"name": "Ayşe", "opponent": "easy", "length": "25"}
        answer = await self.session.post(base / "start", data=form, headers={"Origin": str(base.origin())})
        assert answer.status == 200, await answer.text()
        self.path = answer.url.path_qs

    async def play(self, base: URL, choose: random.Random, until: float) -> None:
        """Presses what is offered until the server dies or the time comes."""
        live = base.join(URL(self.path.replace("/?", "/live?")))
        async with self.session.ws_connect(live, headers={"Origin": str(base.origin())}) as socket:
            now: Json = {}
            async for message in socket:
                told = json.loads(message.data)
                now = told.get("view", now)
                if "answer" in told:
                    self.shown = now
                if time.monotonic() > until:
                    return
                if pressed := press(now, choose):
                    await socket.send_str(json.dumps({"press": pressed}))

    async def look(self, base: URL) -> Json:
        """What a page that is opened now is shown first."""
        live = base.join(URL(self.path.replace("/?", "/live?")))
        async with self.session.ws_connect(live, headers={"Origin": str(base.origin())}) as socket:
            view: Json = json.loads((await socket.receive()).data)["view"]
            return view


def press(view: Json, choose: random.Random) -> str | None:
    """A step or whatever goes on with the match; nothing that ends it."""
    offered = [button["action"] for button in view["buttons"] if button["kind"] in ("step", "main")]
    return choose.choice(offered) if offered else None


async def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    database, choose = tmp_path / "tavla.db", random.Random(1)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        page = Page(session)
        for _ in range(KILLS):
            with served(database) as (program, base):
                if not page.path:
                    await page.start(base)
                else:
                    assert_kept(page.shown, await page.look(base))
                until = time.monotonic() + choose.uniform(0.05, 0.6)
                await page.play(base, choose, until)
                program.kill()
    assert page.shown["revision"] > KILLS
    await assert_replays(database, page.path.split("/")[2])


def assert_kept(acknowledged: Json, view: Json) -> None:
    """The board is the acknowledged one, or one that came of it."""
    if not acknowledged:
        return
    assert view["revision"] >= acknowledged["revision"]
    if view["revision"] == acknowledged["revision"]:
        assert (view["alt"], view["lines"]) == (acknowledged["alt"], acknowledged["lines"])


async def assert_replays(database: Path, match: str) -> None:
    store = await open_sqlite(database, time.time)
    try:
        table = await store.load(match)
        events = await store.events(match)
    finally:
        await store.close()
    began: Match = engine.start(table.match.shape, table.match.programme)
    assert engine.replay(began, [event for _, _, event in events]) == table.match
    revisions = [revision for revision, _, _ in events]
    assert set(revisions) == set(range(1, table.revision + 1))


pytestmark = pytest.mark.timeout(120 if KILLS <= 10 else 0)
