"""The gateway: sessions that outlive their sockets, so that RESUME can replay what was missed."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import time
import uuid
import zlib
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

from aiohttp import WSMsgType, web

from tests.servers import discord_rules as rules
from tests.servers.discord_rules import Json

if TYPE_CHECKING:
    from tests.servers.discord import DiscordServer

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11
QUIET = (3, 4, 8)  # presence, voice and members: nothing here depends on them


class Packer(Protocol):
    """Turns one gateway message into the bytes of one frame."""

    def __call__(self, text: str) -> bytes: ...


def _zlib() -> Packer:
    stream = zlib.compressobj()
    # Each message ends with Z_SYNC_FLUSH: clients look for its 00 00 FF FF.
    return lambda text: stream.compress(text.encode()) + stream.flush(zlib.Z_SYNC_FLUSH)


def _zstd() -> Packer | None:
    """zstd, where Python 3.14's module or the package is there; neither is among our dependencies."""
    with contextlib.suppress(ImportError):
        zstd = importlib.import_module("compression.zstd")
        new = zstd.ZstdCompressor()
        return lambda text: bytes(new.compress(text.encode(), mode=new.FLUSH_BLOCK))
    with contextlib.suppress(ImportError):
        zstandard = importlib.import_module("zstandard")
        old = zstandard.ZstdCompressor().compressobj()
        return lambda text: bytes(old.compress(text.encode()) + old.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
    return None


class Link:
    """One socket. Everything goes out through one queue, so events keep their order; an int in it is a close code."""

    def __init__(self, socket: web.WebSocketResponse, compress: str) -> None:
        self.socket = socket
        self.compress = compress
        self.session: Session | None = None
        self._queue: asyncio.Queue[str | int] = asyncio.Queue()
        self._sent: deque[float] = deque()
        self._pack = {"zlib-stream": _zlib, "zstd-stream": _zstd}.get(compress, lambda: None)()

    def send(self, text: str) -> None:
        """Queue one message."""
        self._queue.put_nowait(text)

    def close(self, code: int) -> None:
        """Queue the end of the connection."""
        self._queue.put_nowait(code)

    async def write(self) -> None:
        """Send what is queued, until a close code or the end of the connection."""
        with contextlib.suppress(ConnectionError):
            while isinstance(item := await self._queue.get(), str):
                if self._pack is None:
                    await self.socket.send_str(item)
                else:
                    await self.socket.send_bytes(self._pack(item))
            await self.socket.close(code=item)

    def too_fast(self) -> bool:
        """Count one message of the client; whether it has sent more than 120 in a minute."""
        moment = time.monotonic()
        self._sent.append(moment)
        while self._sent[0] < moment - 60:
            self._sent.popleft()
        return len(self._sent) > 120


class Session:
    """What IDENTIFY began: the events so far, of which a resumed connection gets those it missed."""

    def __init__(self, intents: int) -> None:
        self.id, self.intents = uuid.uuid4().hex, intents
        self.resumable = True
        self.link: Link | None = None
        self._seq = 0
        self._log: deque[tuple[int, str]] = deque(maxlen=10_000)

    def push(self, event: str, data: Json) -> None:
        """Number an event, keep it, and send it if the bot is connected."""
        self._seq += 1
        text = json.dumps({"op": DISPATCH, "t": event, "s": self._seq, "d": data})
        self._log.append((self._seq, text))
        if self.link:
            self.link.send(text)

    def resume(self, link: Link, seen: int) -> None:
        """Go on over a new socket after event number `seen`."""
        self.link, link.session = link, self
        for number, text in self._log:
            if number > seen:
                link.send(text)
        self.push("RESUMED", {"_trace": []})


class Gateway:
    """Accepts sockets and hands events to all sessions.

    `interval` is the heartbeat in seconds; `acknowledge=False` makes a zombie of every connection; `privileged` are
    intents that the developer portal allows.
    """

    def __init__(self, server: DiscordServer) -> None:
        self.interval, self.acknowledge, self.privileged = 41.25, True, 0
        self.identified = 0
        self.resumed = 0
        self.compressions: list[str] = []
        self._server = server
        self._links: set[Link] = set()
        self._sessions: dict[str, Session] = {}
        self._held: list[tuple[str, Json, int]] | None = None
        self._away_until = 0.0

    @property
    def online(self) -> bool:
        """Whether a bot is connected and has its session."""
        return any(session.link for session in self._sessions.values())

    def dispatch(self, event: str, data: Json, intent: int = 0) -> None:
        """Give an event to every session that asked for its kind; interactions wait while they are held."""
        if self._held is not None and event == "INTERACTION_CREATE":
            self._held.append((event, data, intent))
            return
        for session in self._sessions.values():
            if session.resumable and (not intent or session.intents & intent):
                session.push(event, data)

    def hold(self) -> None:
        """From now on interactions are delivered late."""
        if self._held is None:
            self._held = []

    def release(self) -> None:
        """Deliver what was held."""
        held, self._held = self._held or [], None
        for event, data, intent in held:
            self.dispatch(event, data, intent)

    def disconnect(self, *, resumable: bool, away: float, code: int) -> None:
        """Close all sockets; new ones get HELLO only after `away` seconds."""
        self._away_until = time.monotonic() + away
        for session in self._sessions.values():
            session.resumable = session.resumable and resumable
        self.close(code)

    def reconnect(self) -> None:
        """Ask every client to come again (op 7), as Discord does some times a day."""
        for link in self._links:
            link.send(json.dumps({"op": RECONNECT, "d": None, "s": None, "t": None}))

    def close(self, code: int) -> None:
        """Close all sockets with this code."""
        for link in list(self._links):
            self._detach(link)
            link.close(code)

    async def serve(self, http: web.Request) -> web.StreamResponse:
        """One connection from its upgrade to its end."""
        socket = web.WebSocketResponse(compress=False, max_msg_size=1 << 20)
        await socket.prepare(http)
        link = Link(socket, http.query.get("compress", ""))
        self._links.add(link)
        self.compressions.append(link.compress)
        writer = asyncio.create_task(link.write())
        try:
            await self._converse(link, socket)
        finally:
            self._detach(link)
            self._links.discard(link)
            writer.cancel()
            self._server.changed()
        return socket

    async def _converse(self, link: Link, socket: web.WebSocketResponse) -> None:
        await asyncio.sleep(max(0.0, self._away_until - time.monotonic()))
        self._say(link, HELLO, {"heartbeat_interval": int(self.interval * 1000), "_trace": []})
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                link.close(4002)
            elif self._fast_or_large(link, frame.data):
                link.close(4008)
            else:
                self._receive(link, json.loads(frame.data))
            self._server.changed()

    def _fast_or_large(self, link: Link, text: str) -> bool:
        if len(text.encode()) > 4096:
            self._server.fault("gateway: a payload of more than 4096 bytes")
            return True
        if link.too_fast():
            self._server.fault("gateway: more than 120 messages in 60 seconds")
            return True
        return False

    def _receive(self, link: Link, message: Json) -> None:
        match message["op"]:
            case 1:
                if self.acknowledge:
                    self._say(link, ACK, None)
            case 2:
                self._identify(link, message["d"])
            case 6:
                self._resume(link, message["d"])
            case op if op in QUIET:
                if link.session is None:
                    link.close(4003)
            case op:
                self._server.fault(f"gateway: opcode {op}")
                link.close(4001)

    def _identify(self, link: Link, data: Json) -> None:
        if link.session:
            link.close(4005)
        elif data["token"] != self._server.token:
            link.close(4004)
        elif data["intents"] & rules.PRIVILEGED_INTENTS & ~self.privileged:
            link.close(4014)
        else:
            self.identified += 1
            self._begin(link, Session(data["intents"]))

    def _begin(self, link: Link, session: Session) -> None:
        session.link, link.session = link, session
        self._sessions[session.id] = session
        while len(self._sessions) > 8:  # each restart of a bot leaves one behind
            del self._sessions[next(iter(self._sessions))]
        guilds = [guild for guild in self._server.guilds if guild.installed]
        session.push("READY", self._ready(session, [str(guild.id) for guild in guilds]))
        if session.intents & rules.GUILDS:
            for guild in guilds:
                session.push("GUILD_CREATE", guild.payload())

    def _ready(self, session: Session, guilds: list[str]) -> Json:
        return {
            "v": 10,
            "user": self._server.bot.own_payload(),
            "guilds": [{"id": guild, "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "resume_gateway_url": self._server.gateway,
            "session_type": "normal",
            "application": {"id": str(self._server.application_id), "flags": 0},
            "private_channels": [],
            "relationships": [],
            "presences": [],
        }

    def _resume(self, link: Link, data: Json) -> None:
        session = self._sessions.get(data["session_id"])
        if data["token"] != self._server.token:
            link.close(4004)
        elif session is None or not session.resumable:
            self._say(link, INVALID, False)
        else:
            self.resumed += 1
            session.resume(link, data["seq"] or 0)

    def _say(self, link: Link, op: int, data: Any) -> None:
        link.send(json.dumps({"op": op, "d": data, "s": None, "t": None}))

    def _detach(self, link: Link) -> None:
        if link.session and link.session.link is link:
            link.session.link = None
