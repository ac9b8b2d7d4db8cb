"""Where the table is served: the port that was told, or one that is free."""

import ipaddress
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from adapters.web.serve import PortTaken, Server, _address, serve


async def _here(_: web.Request) -> web.Response:
    return web.Response(text="here")


@asynccontextmanager
async def served(host: str, port: int, told: bool) -> AsyncIterator[Server]:
    app = web.Application()
    app.router.add_get("/", _here)
    server = await serve(app, host, port, told)
    try:
        yield server
    finally:
        await server.close()


@pytest.fixture
def taken() -> "socket.socket":
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    return taken


async def test_the_address_can_be_opened() -> None:
    async with (
        served("127.0.0.1", 0, True) as server,
        aiohttp.ClientSession() as session,
        session.get(server.address) as response,
    ):
        assert await response.text() == "here"


async def test_a_taken_port_is_an_error_only_if_it_was_told(taken: socket.socket) -> None:
    with taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=f"port {port} of 127.0.0.1 cannot be served: [^\n]+$"):
            async with served("127.0.0.1", port, True):
                pass
        async with served("127.0.0.1", port, False) as server:
            assert server.address != f"http://127.0.0.1:{port}/"


async def test_an_address_that_is_not_ours_is_one_line() -> None:
    with pytest.raises(PortTaken, match=r"192\.0\.2\.1"):
        async with served("192.0.2.1", 0, True):
            pass


@pytest.mark.parametrize(("host", "told"), [("127.0.0.1", "http://127.0.0.1:"), ("localhost", "http://localhost:")])
async def test_the_address_is_one_that_a_browser_understands(host: str, told: str) -> None:
    async with served(host, 0, True) as server:
        assert server.address.startswith(told)


def test_every_address_of_this_machine_is_told_as_its_own() -> None:
    assert _address(str(ipaddress.IPv4Address(0)), 8080) == "http://127.0.0.1:8080/"
    assert _address("::", 80) == "http://127.0.0.1:80/"
    assert _address("::1", 80) == "http://[::1]:80/"
