"""What is let in: requests for this place, changes from its own pages."""

import asyncio
from collections.abc import Callable

import aiohttp
import pytest

from adapters.web.gate import known_host
from tests.adapters.web.browser import Browser
from tests.adapters.web.room import Room

Browsers = Callable[[], Browser]


@pytest.mark.parametrize(
    "header", ["127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "192.168.1.7", "localhost:1", "LOCALHOST", "tavla.home:80"]
)
def test_this_place_has_names(header: str) -> None:
    assert known_host(header, "tavla.home")


@pytest.mark.parametrize(
    "header",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "tavla.home.",
        "",
        "a b",
        "127.0.0.1:x",
        "@",
    ],
)
def test_other_names_are_not_served(header: str) -> None:
    assert not known_host(header, "tavla.home")


@pytest.mark.parametrize("path", ["/", "/healthz", "/static/tavla.js", "/t/aaaaaaaaaa/"])
async def test_a_rebound_name_is_refused_everywhere(browser: Browsers, path: str) -> None:
    assert (await browser().get(path, Host="evil.example")).status == 421


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1:1"])
async def test_a_foreign_page_changes_nothing(room: Room, browser: Browsers, origin: str | None) -> None:
    visitor = browser()
    await visitor.get("/")
    headers = {"Origin": origin} if origin else {}
    async with visitor.session.post(f"{room.address}start", data={"name": "x"}, headers=headers) as response:
        assert response.status == 403


async def test_a_foreign_page_gets_no_socket(room: Room, browser: Browsers) -> None:
    visitor = browser()
    table = (await visitor.start(name="Ayşe")).path
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        async with visitor.at(table, origin="http://evil.example"):
            pass


async def test_every_answer_has_its_safety_headers(browser: Browsers) -> None:
    visitor = browser()
    for path in ("/", "/static/style.css", "/nothing", "/healthz"):
        headers = (await visitor.get(path)).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy


async def test_pages_carry_no_script_or_style_of_their_own(browser: Browsers) -> None:
    visitor = browser()
    table = await visitor.start(name="Ayşe")
    link = await visitor.challenge(name="Ayşe")
    for page in (await visitor.get("/"), table, await visitor.get(link), await visitor.get(f"{link}waiting")):
        assert page.status == 200
        assert " style=" not in page.text
        assert "<style" not in page.text
        assert page.text.count("<script") == page.text.count('<script type="module" src="/static/')
        assert page.text.count("http") == page.text.count(str(visitor.origin))


async def test_a_link_followed_from_a_foreign_page_is_asked_again_from_here(browser: Browsers) -> None:
    """Strict cookies stay behind on the way in: they come with the second request."""
    visitor = browser()
    foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
    first = await visitor.get("/", **foreign)
    assert 'http-equiv="refresh"' in first.text
    assert "player" not in visitor.cookies("/")
    second = await visitor.get("/", **foreign)
    assert "<form" in second.text


@pytest.mark.parametrize(
    "path", ["/nothing", "/t/zzzzzzzzzz/", "/c/zzzzzzzzzz/", "/t/UPPER/", "/t/zzzzzzzzzz/board/00.png"]
)
async def test_what_is_not_there_is_a_friendly_page(browser: Browsers, path: str) -> None:
    page = await browser().get(path)
    assert page.status == 404
    assert "Start a match" in page.text


async def test_too_much_is_not_read(browser: Browsers) -> None:
    visitor = browser()
    await visitor.get("/")
    answer = await visitor.post("/start", name="x" * 100_000)
    assert answer.status == 413
    assert "too much" in answer.text


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded; charset=nonsense", "text/plain", "multipart/form-data"]
)
async def test_odd_bodies_are_no_fault(browser: Browsers, kind: str) -> None:
    visitor = browser()
    await visitor.get("/")
    headers = {"Origin": visitor.origin, "Content-Type": kind}
    async with visitor.session.post(f"{visitor.origin}/language", data=b"\xff\xfe=%%%", headers=headers) as response:
        assert response.status < 500


async def test_health(room: Room, browser: Browsers, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = browser()
    well = await visitor.get("/healthz")
    assert (well.status, well.text.strip()) == (200, "ok")

    async def fail() -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(room.store, "probe", fail)
    assert (await visitor.get("/healthz")).status == 503


async def test_health_waits_no_longer_than_it_says(
    room: Room, browser: Browsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    monkeypatch.setattr("adapters.web.health.IN_TIME", 0.05)
    monkeypatch.setattr(room.store, "probe", lambda: asyncio.sleep(60))
    assert (await browser().get("/healthz")).status == 503


@pytest.mark.parametrize(
    ("request_line", "more", "status"),
    [
        ("GET /t/{match}/?seat=0", b"Cookie: seat0=\xff\xfe\r\n", 200),
        ("GET /t/{match}/?seat=1", b"Cookie: keyring=\xff.\xfe\r\n", 200),
        ("GET /static/" + "a" * 4000, b"", 414),
        ("POST /start", b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 8\r\n\r\n--x\r\nfoo", 415),
    ],
)
async def test_broken_requests_are_no_faults_of_ours(
    room: Room, browser: Browsers, request_line: str, more: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    match = (await browser().start(name="Ayşe")).path.split("/")[2]
    host = f"127.0.0.1:{room.server.port}"
    head = f"{request_line.format(match=match)} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n".encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", room.server.port)
    writer.write(head + b"Connection: close\r\n" + more + (b"" if b"\r\n\r\n" in more else b"\r\n"))
    answer = await reader.readline()
    writer.close()
    await writer.wait_closed()
    assert answer.split()[1] == str(status).encode(), answer
    assert not [record for record in caplog.records if record.exc_info]
