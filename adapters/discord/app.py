"""Tavla on Discord: connects, stays connected, and ends in order."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.chat.desk import Desk
from adapters.chat.ports import House
from adapters.chat.stage import Stage
from adapters.discord import permissions
from adapters.discord.client import Client
from adapters.discord.posts import Posts
from adapters.discord.reception import Reception

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0
"""Seconds before a new attempt: refused logins count towards a ban of the address."""
SILENT_TOO_LONG = 90.0
"""Seconds without a word of the gateway after which something is wrong."""
BAD_TOKEN = 4004
"""The gateway's own way to say so."""
_OWN = (Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.asset.Asset.BASE)


class Discord:
    """The bot on Discord. `say` prints a line for the operator. The addresses are Discord's own where they are ""."""

    def __init__(
        self,
        token: str,
        house: House,
        *,
        api_url: str = "",
        gateway_url: str = "",
        cdn_url: str = "",
        say: Callable[[str], None] = print,
    ) -> None:
        _point(api_url, gateway_url, cdn_url)
        self._token = token
        self._store = house.store
        self._now = house.now
        self._say = say
        self._welcomed = False
        self._posts = Posts()
        self._stage = Stage(self._posts, house)
        desk = Desk(self._stage, self._posts, house)
        self._reception = Reception(desk, self._stage, self._posts, house.pictures)
        self._client: Client | None = None
        house.screens.join(self._stage)

    @property
    def silence(self) -> float:
        """Seconds since the gateway was heard last; infinite without a connection."""
        # discord.py keeps it to itself: `latency` says how long the last answer took, not when it came.
        beating = getattr(getattr(self._client, "ws", None), "_keep_alive", None)
        return time.perf_counter() - beating._last_recv if beating else float("inf")

    @property
    def last_seen(self) -> float:
        """When the gateway was heard last, in seconds since the epoch; minus infinity if never."""
        return self._now() - self.silence

    @property
    def healthy(self) -> bool:
        """Whether it is connected and hears from Discord."""
        return self._client is not None and self._client.is_ready() and self.silence < SILENT_TOO_LONG

    async def run(self) -> None:
        """Serves until it is cancelled, or returns if Discord will never let it in; then all is ended in order."""
        showing = asyncio.create_task(self._stage.run())
        try:
            await self._serve()
        finally:
            await self._end(showing)

    async def _serve(self) -> None:
        pause = FIRST_PAUSE
        while True:
            began = time.monotonic()
            try:
                await self._connect()
            except (discord.LoginFailure, discord.PrivilegedIntentsRequired) as error:
                self._say(_told(error))
                return
            except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
                if isinstance(error, discord.ConnectionClosed) and error.code == BAD_TOKEN:
                    self._say(_told(error))
                    return
                log.warning("Discord: %s", _named(error))
            except Exception:
                log.exception("Discord: the connection failed")
            await self._disconnect()
            pause = FIRST_PAUSE if time.monotonic() - began > LONGEST_PAUSE else pause
            log.info("Discord: connecting again in %g s", pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _connect(self) -> None:
        """One client from login to its end; a client that has failed is not used again."""
        self._client = self._made()
        await self._client.start(self._token)

    def _made(self) -> Client:
        return Client(self._reception, self._stage, self._posts, self._store, self._greet)

    def _greet(self, name: str, application: int) -> None:
        """Tells the operator once, however often it connects."""
        for told in () if self._welcomed else _welcome(name, application):
            self._say(told)
        self._welcomed = True

    async def _disconnect(self) -> None:
        self._posts.connected(None)
        if self._client:
            await self._client.close()

    async def _end(self, showing: asyncio.Task[None]) -> None:
        """Nothing is read from the gateway any more; what was taken in is finished while calls still work."""
        await self._reception.close()
        showing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await showing
        await self._stage.close()
        await self._disconnect()


def _point(api_url: str, gateway_url: str, cdn_url: str) -> None:
    """Sets the addresses. discord.py has them in its classes, so that a proxy or a test can name its own only there;
    it says so much at DEBUG, tokens and messages too, that this is never switched on."""
    api, gateway, cdn = _OWN
    Route.BASE = api_url or api
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway_url) if gateway_url else gateway
    discord.asset.Asset.BASE = cdn_url or cdn
    library = logging.getLogger("discord")
    library.setLevel(max(library.getEffectiveLevel(), logging.INFO))
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody speaks here


def _told(error: Exception) -> str:
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return "Discord: an intent is refused that this bot does not need; is this its token? (DISCORD_TOKEN)"
    return "Discord: the token was not accepted; the bot does not run there. Make a new one and set DISCORD_TOKEN."


def _named(error: Exception) -> str:
    """An error for the log: its text could hold what people wrote."""
    code = f" {error.code}" if isinstance(error, discord.HTTPException | discord.ConnectionClosed) else ""
    return f"{type(error).__name__}{code}"


def _welcome(name: str, application: int) -> tuple[str, ...]:
    """What the operator should know."""
    invitation = discord.utils.oauth_url(
        application, permissions=permissions.INVITED, scopes=("bot", "applications.commands")
    )
    own = discord.utils.oauth_url(application, scopes=("applications.commands",))
    return (
        f"Discord: {name} is connected",
        f"  to a server:  {invitation}",
        f"                (it asks for {', '.join(permissions.NAMES.values())}; no privileged intents)",
        f"  for yourself: {own}&integration_type=1",
    )
