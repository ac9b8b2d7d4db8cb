"""Real Chromium before the real program. Any error on a page fails the test."""

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).parents[2]
PATIENCE = 45.0
"""Seconds."""
PHONE, DESK, NARROW = (375, 700), (1280, 800), (360, 640)
LOST = re.compile(r"WebSocket connection to .* failed|net::ERR_")
"""What Chromium itself says of a server that is not there; only tests that end the server may see it."""


class Program:
    """`python -m bot run` on a database of its own; started again it keeps its port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> None:
        port = self.address.rstrip("/").rpartition(":")[2] or "0"
        database = f"sqlite:///{self._folder / 'tavla.db'}"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bot", "run", "--port", port, "--database", database],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        told = self._process.stdout.readline()
        found = re.search(r"http://\S+/", told)
        assert found, f"no address: {told!r}"
        self.address = found[0]

    def kill(self) -> None:
        """As by `kill -9`."""
        if self._process:
            self._process.kill()
            self._process.communicate()

    def end(self) -> int:
        """As by `docker stop`; returns the exit code."""
        assert self._process is not None
        self._process.terminate()
        self._process.communicate(timeout=PATIENCE)
        return self._process.returncode


class People:
    """Makes people, each with a browser of his own, and listens to what their pages complain of."""

    def __init__(self, browser: "Browser") -> None:
        self._browser = browser
        self.complaints: list[str] = []
        self.may_be_lost = False

    async def __call__(
        self, size: tuple[int, int] = DESK, scheme: str = "light", locale: str = "en-US"
    ) -> "BrowserContext":
        person = await self._browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
            locale=locale,
        )
        person.set_default_timeout(PATIENCE * 1000)
        person.on("page", self._listen)
        return person

    def _listen(self, page: "Page") -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _console(self, message: "ConsoleMessage") -> None:
        expected = self.may_be_lost and LOST.search(message.text)
        if message.type in ("error", "warning") and not expected:
            self.complaints.append(message.text)


def _running(folder: Path) -> Iterator[Program]:
    program = Program(folder)
    program.start()
    yield program
    assert program.end() == 0


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The program that most tests share."""
    yield from _running(tmp_path_factory.mktemp("browser"))


@pytest.fixture
def own_program(tmp_path: Path) -> Iterator[Program]:
    """A program that a test may kill."""
    yield from _running(tmp_path)


@pytest.fixture
def _chromium() -> None:
    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM}")


@pytest.fixture
async def people(_chromium: None) -> AsyncIterator[People]:
    api = pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    async with api.async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        people = People(browser)
        yield people
        await browser.close()
    assert people.complaints == []


Start = Callable[..., Awaitable["Page"]]


@pytest.fixture
def start(program: Program) -> Start:
    """Starts a match or challenge from the home page; returns the page it leads to."""

    async def start(
        person: "BrowserContext", name: str = "Ayşe", opponent: str = "easy", length: int = 1, at: str = ""
    ) -> "Page":
        page = await person.new_page()
        await page.goto(at or program.address)
        await page.locator("[name=name]").fill(name)
        await page.locator(f"[name=opponent][value={opponent}]").check()
        await page.locator(f"[name=length][value='{length}']").check()
        await page.locator("form.start .big").click()
        await page.wait_for_url(re.compile(r"/t/|/waiting"))
        return page

    return start
