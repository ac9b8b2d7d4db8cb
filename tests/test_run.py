"""The program as it is run: what it tells in its log, how it ends."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
from yarl import URL

ROOT = Path(__file__).parents[1]


@contextmanager
def running(folder: Path) -> Iterator[URL]:
    """The program with a log of everything in `folder`; it ends by SIGTERM."""
    command = [sys.executable, "-m", "bot", "run", "--port", "0", "--database", f"sqlite:///{folder}/tavla.db"]
    environment = {**os.environ, "TAVLA_LOG": "debug"}
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT, env=environment) as program,
    ):
        try:
            address = re.search(r"http://\S+", program.stdout.readline() if program.stdout else "")
            assert address is not None
            yield URL(address[0])
            program.send_signal(signal.SIGTERM)
            assert program.wait(timeout=30) == 0
        finally:
            program.kill()


async def test_no_seed_and_no_secret_is_in_the_log_at_any_level(tmp_path: Path) -> None:
    with running(tmp_path) as base:
        secrets = await _started(base)
    log = (tmp_path / "log").read_text()
    assert "INFO" in log, "the log tells what it is asked to"
    file = sqlite3.connect(tmp_path / "tavla.db")
    seeds = [seed for (seed,) in file.execute("SELECT seed FROM seed")]
    file.close()
    assert len(seeds) == 3
    for seed in seeds:
        assert seed.hex() not in log
        assert repr(seed)[2:20] not in log
    assert not [secret for secret in secrets if secret in log]


async def _started(base: URL) -> set[str]:
    """Three matches against the computer; returns every secret that the browser was given."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        await browser.get(base)
        for _ in range(3):
            form = {"name": "Ayşe", "opponent": "easy", "length": "1"}
            answer = await browser.post(base / "start", data=form, headers={"Origin": str(base.origin())})
            assert answer.status == 200
        return {word for cookie in browser.cookie_jar for word in cookie.value.split(".") if len(word) > 20}
