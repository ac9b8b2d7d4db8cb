"""Telegram's Bot API over aiohttp, against a server of our own: all arrives, and no error tells the token."""

import asyncio
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from telegram import InputFile
from telegram.error import NetworkError, TimedOut
from telegram.request import RequestData
from telegram.request._requestparameter import RequestParameter  # the library makes its requests of nothing else

from adapters.telegram import http
from adapters.telegram.http import Polls, Requests

TOKEN = "123456:AAsecret"
DONE = b'{"ok": true, "result": true}'
NOTHING = 200, b'{"ok": true, "result": []}'
OVER = web.AppKey("over", asyncio.Event)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Wire:
    """A server that does with each request what the test says."""

    def __init__(self) -> None:
        self.address = ""
        self.asked: list[tuple[str, str]] = []
        self.heard: dict[str, Any] = {}
        self.most = self._busy = 0
        """The most requests that were there at once."""
        self.handler: Handler = self.takes

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.method, request.path))
        self._busy += 1
        self.most = max(self.most, self._busy)
        try:
            return await self.handler(request)
        finally:
            self._busy -= 1

    async def takes(self, request: web.Request) -> web.StreamResponse:
        """Takes whatever is sent."""
        self.heard = {"type": request.content_type}
        for name, value in (await request.post()).items():
            if isinstance(value, web.FileField):
                self.heard[name] = value.filename, value.content_type, value.file.read()
            else:
                self.heard[name] = value
        return web.Response(body=DONE)

    def answers(self, status: int, body: bytes = DONE, after: float = 0.0) -> None:
        """Answers so, after some seconds."""

        async def answer(_: web.Request) -> web.StreamResponse:
            await asyncio.sleep(after)
            return web.Response(status=status, body=body)

        self.handler = answer


async def _never(request: web.Request) -> web.StreamResponse:
    """Gives no answer until the test is over."""
    await request.app[OVER].wait()
    return web.Response()


async def _begins(request: web.Request) -> web.StreamResponse:
    """Begins an answer and gives no more of it."""
    answer = web.StreamResponse()
    await answer.prepare(request)
    await answer.write(b'{"ok": ')
    await _never(request)
    return answer


async def _hangs_up(request: web.Request) -> web.StreamResponse:
    assert request.transport
    request.transport.abort()
    return web.Response()


async def _breaks_off(request: web.Request) -> web.StreamResponse:
    """Hangs up in the middle of its answer."""
    answer = web.StreamResponse(headers={"Content-Length": "100"})
    await answer.prepare(request)
    await answer.write(b'{"ok": ')
    assert request.transport
    request.transport.close()
    return answer


async def _babbles(request: web.Request) -> web.StreamResponse:
    """Answers something that is no HTTP: the client's own error then tells the address."""
    assert request.transport
    request.transport.write(b"nonsense\r\n\r\n")
    request.transport.close()
    return web.Response()


async def _goes_round(request: web.Request) -> web.StreamResponse:
    raise web.HTTPTemporaryRedirect(request.path)


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    wire, app = Wire(), web.Application(client_max_size=1 << 24)
    app.router.add_route("*", "/{path:.*}", wire.handle)
    app[OVER] = asyncio.Event()
    async with TestServer(app, host="127.0.0.1", port=0) as server:
        wire.address = f"{server.make_url('/')}bot{TOKEN}"
        yield wire
        app[OVER].set()


@pytest.fixture
async def requests() -> AsyncIterator[Requests]:
    async with Requests(4) as requests:
        yield requests


@pytest.fixture
async def polls() -> AsyncIterator[Polls]:
    async with Polls() as polls:
        yield polls


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for an answer."""
    monkeypatch.setattr(http, "READ", 0.1)


def data(**parameters: object) -> RequestData:
    """Parameters as the library hands them over."""
    return RequestData([RequestParameter.from_input(name, value) for name, value in parameters.items()])


async def failed(requests: Requests, address: str) -> str:
    """What is printed of the error of a request, its causes included."""
    with pytest.raises(NetworkError) as caught:
        await requests.post(f"{address}/sendMessage", data(text="hello"))
    return "".join(traceback.format_exception(caught.value))


# What is sent.


async def test_parameters_come_as_a_form(wire: Wire, requests: Requests) -> None:
    told = data(chat_id=-100, text="Ayşe <b>&</b> 🎲=1", reply_markup={"inline_keyboard": [[1]]}, off=None)
    assert await requests.do_request(f"{wire.address}/sendMessage", "POST", told) == (200, DONE)
    assert wire.asked == [("POST", f"/bot{TOKEN}/sendMessage")]
    assert wire.heard == {
        "type": "application/x-www-form-urlencoded",
        "chat_id": "-100",
        "text": "Ayşe <b>&</b> 🎲=1",
        "reply_markup": '{"inline_keyboard": [[1]]}',
    }


async def test_a_file_comes_whole_in_a_form_of_several_parts(wire: Wire, requests: Requests) -> None:
    picture = bytes(range(256)) * 2000 + b"\r\n--end"
    told = data(chat_id=77, caption="Ayşe 🎲", photo=InputFile(picture, filename="board.png"))
    assert await requests.do_request(f"{wire.address}/sendPhoto", "POST", told) == (200, DONE)
    name, kind, content = wire.heard.pop("photo")
    whole = content == picture  # half a million bytes that differ are nothing to read
    assert (name, kind, whole) == ("board.png", "image/png", True)
    assert wire.heard == {"type": "multipart/form-data", "chat_id": "77", "caption": "Ayşe 🎲"}


async def test_a_file_that_is_attached_is_found_by_its_name(wire: Wire, requests: Requests) -> None:
    file = InputFile(b"picture", filename="board.png", attach=True)
    await requests.do_request(f"{wire.address}/editMessageMedia", "POST", data(media=file))
    assert wire.heard["media"] == file.attach_uri
    assert wire.heard[file.attach_name or ""] == ("board.png", "image/png", b"picture")


async def test_a_request_may_have_no_parameters(wire: Wire, requests: Requests) -> None:
    assert await requests.post(f"{wire.address}/getMe") is True
    assert await requests.retrieve(f"{wire.address}/file") == DONE
    assert [method for method, _ in wire.asked] == ["POST", "GET"]


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 429, 502])
async def test_an_answer_is_handed_on_as_it_is(wire: Wire, requests: Requests, status: int) -> None:
    wire.answers(status, b"some words")
    assert await requests.do_request(wire.address, "POST") == (status, b"some words")


async def test_more_requests_wait_for_a_free_connection(wire: Wire) -> None:
    wire.answers(200, after=0.05)
    async with Requests(2) as few:
        answers = await asyncio.gather(*(few.do_request(wire.address, "POST") for _ in range(6)))
    assert answers == [(200, DONE)] * 6
    assert wire.most == 2


async def test_requests_are_made_between_the_beginning_and_the_end_only(wire: Wire) -> None:
    requests = Requests(1)
    with pytest.raises(RuntimeError, match="not initialized"):
        await requests.do_request(wire.address, "POST")
    async with requests:
        await requests.initialize()  # the library does it once more
        assert await requests.do_request(wire.address, "POST") == (200, DONE)
        await requests.shutdown()
    with pytest.raises(RuntimeError, match="not initialized"):
        await requests.do_request(wire.address, "POST")


# What goes wrong.


@pytest.mark.parametrize("handler", [_never, _begins])
async def test_an_answer_that_does_not_come_is_a_time_out(
    hurried: None, wire: Wire, requests: Requests, handler: Handler
) -> None:
    wire.handler = handler
    with pytest.raises(TimedOut):
        await requests.do_request(f"{wire.address}/sendMessage", "POST")
    assert TOKEN not in await failed(requests, wire.address)


async def test_a_whole_request_has_its_time_too(
    monkeypatch: pytest.MonkeyPatch, wire: Wire, requests: Requests
) -> None:
    monkeypatch.setattr(http, "READ", 0.1)
    monkeypatch.setattr(http, "UPLOAD", 0.3)

    async def drips(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        while request.transport:
            await answer.write(b" ")
            await asyncio.sleep(0.02)
        return answer

    wire.handler = drips
    with pytest.raises(TimedOut):
        await requests.do_request(wire.address, "POST")


@pytest.mark.parametrize("kind", [Requests, Polls])
async def test_a_poll_may_take_longer_than_other_requests(
    monkeypatch: pytest.MonkeyPatch, wire: Wire, requests: Requests, polls: Polls, kind: type[Requests]
) -> None:
    monkeypatch.setattr(http, "READ", 0.1)
    monkeypatch.setattr(http, "UPLOAD", 0.1)
    wire.answers(200, after=0.3)
    sender = polls if kind is Polls else requests
    assert await sender.do_request(wire.address, "POST", None, read_timeout=5.0) == (200, DONE)


@pytest.mark.parametrize("handler", [_hangs_up, _breaks_off, _babbles, _goes_round])
async def test_a_connection_that_breaks_is_a_network_error(wire: Wire, requests: Requests, handler: Handler) -> None:
    wire.handler = handler
    with pytest.raises(NetworkError) as caught:
        await requests.do_request(f"{wire.address}/sendMessage", "POST", data(text="hello"))
    assert type(caught.value) is NetworkError
    assert wire.asked, "it was reached"


@pytest.mark.parametrize("handler", [_never, _begins, _hangs_up, _breaks_off, _babbles, _goes_round])
@pytest.mark.parametrize("kind", [Requests, Polls])
async def test_no_error_tells_the_token(
    hurried: None, wire: Wire, requests: Requests, polls: Polls, kind: type[Requests], handler: Handler
) -> None:
    wire.handler = handler
    printed = await failed(polls if kind is Polls else requests, wire.address)
    assert "telegram.error." in printed
    assert TOKEN not in printed
    assert "AAsecret" not in printed


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://", "nonsense://x", "http://127.0.0.1:99999", "x"])
async def test_an_address_that_cannot_be_reached_is_a_network_error(requests: Requests, address: str) -> None:
    printed = await failed(requests, f"{address}/bot{TOKEN}")
    assert "AAsecret" not in printed


# Polls.


async def test_a_finished_poll_is_noted(wire: Wire, polls: Polls) -> None:
    before = polls.finished = time.monotonic() - 100
    for status in (409, 429, 500, 502):
        wire.answers(status)
        assert await polls.do_request(wire.address, "POST") == (status, DONE)
    wire.handler = _hangs_up
    with pytest.raises(NetworkError):
        await polls.do_request(wire.address, "POST")
    assert polls.finished == before
    wire.handler = wire.takes
    assert await polls.do_request(wire.address, "POST") == (200, DONE)
    assert polls.finished > before + 99
    assert not polls.refused.is_set()


@pytest.mark.parametrize("status", [401, 404])
async def test_a_refused_poll_is_noted_and_says_that_there_is_nothing_new(
    wire: Wire, polls: Polls, status: int
) -> None:
    before = polls.finished = time.monotonic() - 100
    wire.answers(status)
    assert await polls.do_request(wire.address, "POST") == NOTHING
    assert polls.refused.is_set()
    wire.handler = wire.takes
    assert await polls.post(wire.address) == []
    assert len(wire.asked) == 1, "nobody is asked any more"
    assert polls.finished == before


async def test_refused_polls_do_not_keep_the_processor_busy(wire: Wire, polls: Polls) -> None:
    polls.refused.set()
    began = time.monotonic()
    assert await polls.do_request(wire.address, "POST") == NOTHING
    assert time.monotonic() - began > 0.05
    assert wire.asked == []
