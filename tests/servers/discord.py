"""A local Discord: REST, gateway and CDN on 127.0.0.1, with people and guilds whom a test plays by hand.

The bot is whatever client connects, in this process or in another; point it here by

    discord.http.Route.BASE = server.api
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(server.gateway)
    discord.asset.Asset.BASE = server.cdn
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from aiohttp import web

from tests.servers import discord_rules as rules
from tests.servers.discord_gateway import Gateway
from tests.servers.discord_interactions import Interaction
from tests.servers.discord_messages import Attachment, Message, snowflake
from tests.servers.discord_people import User
from tests.servers.discord_rest import VIA, Bucket, Plan, Request, Rest
from tests.servers.discord_rules import Button, Json, Menu
from tests.servers.discord_spec import Spec
from tests.servers.discord_world import DM, GROUP_DM, Channel, Guild

__all__ = [
    "Attachment",
    "Button",
    "Channel",
    "DiscordServer",
    "Guild",
    "Interaction",
    "Menu",
    "Message",
    "Request",
    "User",
]

T = TypeVar("T")

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.test.token-of-nobody"
SPEC = Path(__file__).parents[3] / "shared" / "discord_openapi.json"
# The smallest picture: every avatar looks like this.
_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


class DiscordServer:
    """The server; an async context manager. All times are seconds.

    Settings, to be changed at will: `deadline` for the first callback, `token_life` of an interaction,
    `attachment_size_limit` in bytes, `old_edits` that a message older than an hour takes and `old_edits_wait` that a
    refusal of one more tells. `rest` and `events` are the two halves; tests rarely need them.
    """

    def __init__(self, token: str = TOKEN, spec: Path | None = None) -> None:
        self.token = token
        self.deadline, self.token_life = 3.0, 900.0
        self.attachment_size_limit = 10 << 20
        self.old_edits, self.old_edits_wait = 5, 0.05
        self.requests: list[Request] = []
        self.commands: list[Json] = []
        self.commands_created = 0
        self.users: dict[int, User] = {}
        self.guilds: list[Guild] = []
        self.channels: dict[int, Channel] = {}
        self.interactions: dict[str, Interaction] = {}
        self.deferred: set[Interaction] = set()
        self.bot = User(self, "tavla", "en-US", "", bot=True)
        self.application_id = self.bot.id
        self.rest, self.events = Rest(self), Gateway(self)
        self._files: dict[str, bytes] = {}
        self._faults: list[str] = []
        self._unchecked: list[Request] = []
        self._spec = Spec(spec or SPEC)
        self._waiting: set[asyncio.Future[None]] = set()
        self._runner: web.AppRunner | None = None
        self._origin = ""

    async def __aenter__(self) -> DiscordServer:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_get("/gateway", self.events.serve)
        app.router.add_get("/gateway/", self.events.serve)
        app.router.add_get("/cdn/{path:.*}", self._serve_file)
        app.router.add_routes(self.rest.routes())
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._origin = f"127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for interaction in self.interactions.values():
            interaction.cancel()
        self.events.close(1001)
        if self._runner:
            await self._runner.cleanup()

    # --- addresses ---

    @property
    def api(self) -> str:
        """What Route.BASE is to be."""
        return f"http://{self._origin}/api/v10"

    @property
    def gateway(self) -> str:
        """What DEFAULT_GATEWAY is to be."""
        return f"ws://{self._origin}/gateway"

    @property
    def cdn(self) -> str:
        """What Asset.BASE is to be."""
        return f"http://{self._origin}/cdn"

    # --- the world ---

    def user(self, name: str, locale: str = "en-US", display: str = "") -> User:
        """A new person."""
        return User(self, name, locale, display)

    def guild(
        self,
        name: str,
        *users: User,
        permissions: int = rules.USUAL_PERMISSIONS,
        locale: str = "en-US",
        installed: bool = True,
    ) -> Guild:
        """A new guild, which a connected bot joins at once; not `installed`: people there brought the bot along."""
        made = Guild(self, name, permissions, locale, installed=installed)
        made.join(*users)
        self.guilds.append(made)
        if installed:
            self.dispatch("GUILD_CREATE", made.payload(), rules.GUILDS)
        return made

    def dm(self, user: User) -> Channel:
        """The person's channel with the bot; there is one."""
        for channel in self.channels.values():
            if channel.kind == DM and channel.member and channel.people == (user,):
                return channel
        return Channel(self, DM, people=(user,))

    def private(self, *users: User) -> Channel:
        """A channel of people among themselves: the bot is not in it and answers by interaction tokens only."""
        return Channel(self, DM if len(users) == 2 else GROUP_DM, people=users, member=False)

    # --- what was seen ---

    @property
    def faults(self) -> list[str]:
        """What the bot did against the platform's rules or Discord's document; empty for a well-made bot.

        Bodies are held against the document only now, so that answers are as quick as they can be.
        """
        for request in self._unchecked:
            if request.template:
                self._faults += self._spec.errors(request.method, request.template, request.json)
        self._unchecked.clear()
        return self._faults

    @property
    def validated(self) -> bool:
        """Whether there is a document to hold requests against."""
        return self._spec.present

    @property
    def online(self) -> bool:
        """Whether a bot has its session and is connected."""
        return self.events.online

    def calls(self, method: str, path: str) -> list[Request]:
        """The requests so far with this method ("*" for any) whose path has a match of this regular expression."""
        return [r for r in self.requests if method in ("*", r.method) and re.search(path, r.path)]

    async def until(self, condition: Callable[[], T | None], seconds: float = 10.0) -> T:
        """Wait until the condition holds and return its value; a LookupError in it means "not yet".

        It is asked after every request and gateway event, and now and then for what only the bot knows. Raises:
        TimeoutError.
        """
        end = time.monotonic() + seconds
        while not (value := _attempt(condition)):
            if time.monotonic() > end:
                raise TimeoutError(f"not so within {seconds} s; last requests: {self.requests[-5:]}")
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await asyncio.wait([waiter], timeout=0.05)
            finally:
                self._waiting.discard(waiter)
        return value

    # --- what goes wrong ---

    def fail(
        self,
        method: str,
        path: str,
        status: int,
        *,
        code: int = 0,
        message: str = "",
        headers: dict[str, str] | None = None,
        retry_after: float = 0.2,
        times: int = 1,
        after: bool = False,
    ) -> None:
        """Answer the next calls whose path has a match of this regular expression so; method "*" is any.

        `after`: the call takes effect first. Status 0 drops the connection. A 429 has Discord's headers unless
        `headers` says others; those without Via are Cloudflare's. Of several plans the oldest that fits is followed.
        """
        if headers is None:
            headers = _limit_headers(retry_after) if status == 429 else VIA
        message = message or ("You are being rate limited." if status == 429 else f"{status}: made up by the test")
        pattern = re.compile(path)
        self.rest.plans.append(Plan(method, pattern, times, status, code, message, headers, retry_after, after=after))

    def slow(self, path: str, seconds: float, times: int = 1, *, method: str = "*", after: bool = False) -> None:
        """Let the next calls wait: before they take effect, or `after` that."""
        self.rest.plans.append(Plan(method, re.compile(path), times, seconds=seconds, after=after))

    def limit(self, calls: int, seconds: float) -> None:
        """Take only so many message calls in a channel; the headers say how many are left. No calls: no limit."""
        self.rest.bucket = Bucket(calls, seconds) if calls else None

    def disconnect(self, resumable: bool = True, *, away: float = 0.0, code: int = 1001) -> None:
        """Close the bot's connection. What happens meanwhile is replayed when it resumes; or else it gets op 9.

        A new connection is greeted only after `away` seconds.
        """
        self.events.disconnect(resumable=resumable, away=away, code=code)

    def close_gateway(self, code: int) -> None:
        """Close the bot's connection with this code."""
        self.events.close(code)

    def hold(self) -> None:
        """From now on the bot hears of interactions late: their time runs."""
        self.events.hold()

    def release(self) -> None:
        """Tell the bot all that was held."""
        self.events.release()

    # --- for the other files of this server ---

    def begin(self, interaction: Interaction) -> None:
        """Keep a new interaction and tell the bot."""
        self.interactions[interaction.token] = interaction
        interaction.deliver()

    def find_command(self, name: str) -> tuple[Json, Json]:
        """The registered command "name", "name sub" or "name group sub", and the part that has its options.

        Raises: LookupError.
        """
        first, *rest = name.split()
        command = next((c for c in self.commands if c["type"] == 1 and c["name"] == first), None)
        leaf = command
        for word in rest:
            leaf = next((part for part in (leaf or {}).get("options", []) if part["name"] == word), None)
        if command is None or leaf is None:
            raise LookupError(f"/{name} is not registered: {[c['name'] for c in self.commands]}")
        return command, leaf

    def settle(self, message: Message) -> None:
        """A message changed: deferred presses on it have their result."""
        for interaction in list(self.deferred):
            if message in (interaction.message, interaction.response_message):
                interaction.settle()

    def dispatch(self, event: str, data: Json, intent: int = 0) -> None:
        """Tell the bot, if it asked for such events."""
        self.events.dispatch(event, data, intent)

    def tell_message(self, event: str, message: Message) -> None:
        """Tell the bot of a message, if it listens to messages and is there."""
        if message.viewer or not message.channel.member:
            return
        guild = message.channel.guild
        place: Json = {"guild_id": str(guild.id)} if guild else {}
        if event == "MESSAGE_DELETE":
            data: Json = {"id": str(message.id), "channel_id": str(message.channel.id), **place}
        else:
            data = {**message.payload(), **place}
        self.dispatch(event, data, rules.GUILD_MESSAGES if guild else rules.DIRECT_MESSAGES)
        self.changed()

    def keep_file(self, channel: int, file_id: int, name: str, data: bytes) -> str:
        """Store a file and return its address."""
        path = f"attachments/{channel}/{file_id}/{name}"
        self._files[path] = data
        return f"{self.cdn}/{path}?ex={snowflake():x}"

    def note(self, request: Request) -> None:
        """Keep a request, to be held against the document later."""
        self.requests.append(request)
        self._unchecked.append(request)

    def fault(self, text: str) -> None:
        """Remember something that the bot should not have done."""
        self._faults.append(text)

    def changed(self) -> None:
        """Something happened: whoever waits asks again."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def _serve_file(self, http: web.Request) -> web.Response:
        path = http.match_info["path"]
        if path.startswith("attachments/"):
            data = self._files.get(path)
            return web.Response(body=data) if data is not None else web.Response(status=404)
        return web.Response(body=_PIXEL, content_type="image/png")


def _attempt(condition: Callable[[], T | None]) -> T | None:
    try:
        return condition()
    except LookupError:
        return None


def _limit_headers(wait: float) -> dict[str, str]:
    return {
        **VIA,
        "Retry-After": str(int(wait) + 1),
        "X-RateLimit-Limit": "5",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": f"{time.time() + wait:.3f}",
        "X-RateLimit-Reset-After": f"{wait:.3f}",
        "X-RateLimit-Scope": "user",
        "X-RateLimit-Bucket": "80c17d2f203122d936070c88c8d10f33",
    }
