"""Serves an application on a port of this machine."""

import ipaddress
from dataclasses import dataclass

from aiohttp import web

GRACE = 2.0
"""Seconds that requests in hand may still take at the end."""


class PortTaken(OSError):
    """The port that was told cannot be served; the message is one line."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server. `address`: where a browser on this machine finds it."""

    address: str
    runner: web.AppRunner

    async def close(self) -> None:
        """Ends the server: pages are told, requests in hand get a moment."""
        await self.runner.cleanup()


async def serve(app: web.Application, host: str, port: int, told: bool) -> Server:
    """Serves `app`. A port that is taken is an error if it was `told`, else any free one is used.

    Raises `PortTaken` if nothing can be served there.
    """
    # No access log: addresses of matches are their links.
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=GRACE)
    await runner.setup()
    try:
        await _listen(runner, host, port, told)
    except (OSError, UnicodeError) as error:
        await runner.cleanup()
        why = getattr(error, "strerror", None) or error
        raise PortTaken(f"port {port} of {host} cannot be served: {why}") from error
    return Server(_address(host, runner.addresses[0][1]), runner)


async def _listen(runner: web.AppRunner, host: str, port: int, told: bool) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError:
        if told or port == 0:
            raise
        await web.TCPSite(runner, host, 0).start()


def _address(host: str, port: int) -> str:
    """A URL; an address that means "every one of this machine" is told as its own."""
    try:
        known = ipaddress.ip_address(host)
    except ValueError:
        return f"http://{host}:{port}/"
    name = "127.0.0.1" if known.is_unspecified else str(known)
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"
