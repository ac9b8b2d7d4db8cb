"""A local Telegram: the Bot API on 127.0.0.1 for a real bot, with people that a test plays by hand.

It has no access to the bot but through HTTP, so the bot may as well be another process. Sizes and texts of refusals are
Telegram's; what a well-made bot would never send is kept in `faults`.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from aiohttp import web

from tests.servers.telegram_calls import METHODS, Calls, Request
from tests.servers.telegram_people import Answer, Button, Chat, Message, User, World
from tests.servers.telegram_rules import UPLOAD_BYTES, Refused
from tests.servers.telegram_spec import Json, Spec
from tests.servers.telegram_updates import Updates

__all__ = ["Answer", "Button", "Chat", "Message", "Request", "TelegramServer", "User"]

SPEC = Path(__file__).resolve().parents[3] / "shared" / "telegram_bot_api.json"
TOKEN = "123456:TEST-token-of-nobody"
DROPPED = 0
# How often `until` looks at what the server cannot see change, such as the bot's own state.
LOOK_SECONDS = 0.05
_PARAMETER = re.compile(r'; (name|filename)="([^"]*)"')

T = TypeVar("T")


@dataclass
class Plan:
    """What a test wants to go wrong: `times` calls of `method` are answered so, or `slow` seconds late."""

    method: str
    times: int
    chat: Chat | None = None
    refusal: Refused | None = None
    slow: float = 0.0
    after: bool = False


class TelegramServer:
    """The server, its world and a record of all calls; `async with` it.

    `now` is the clock of message dates, query ages and flood limits, in seconds. `spec` is the description of the Bot
    API that requests are held against; without the file they are not, and `validated` is False.
    """

    def __init__(
        self,
        token: str = TOKEN,
        bot_username: str = "tavla_bot",
        spec: Path | None = SPEC,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.token = token
        self.address = ""
        self.requests: list[Request] = []
        self.faults: list[str] = []
        # Long runs may do without the uploads of old requests.
        self.keep_files = True
        self.spec = Spec(spec)
        self.updates = Updates()
        self.world = World(bot_username, now, self.updates.emit, self._changed)
        self.calls = Calls(self.world)
        self._revoked = False
        self._plans: list[Plan] = []
        self._watched: dict[asyncio.Future[Any], Callable[[], Any]] = {}
        self._looking = False
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def __aenter__(self) -> TelegramServer:
        await self.up()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.down()

    async def up(self) -> None:
        """Begins to listen; after `down` on the same port as before."""
        app = web.Application(client_max_size=UPLOAD_BYTES)
        app.router.add_route("*", "/bot{token}/{method}", self._serve)
        app.router.add_get("/file/bot{token}/files/{file}", self._download)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = self._runner.addresses[0][1]
        self.address = f"http://127.0.0.1:{self._port}"

    async def down(self) -> None:
        """Cuts all connections and takes no more, as in an outage. World and updates stay."""
        if self._runner is not None:
            runner, self._runner = self._runner, None
            self.updates.end(Refused(DROPPED, "dropped"))
            await runner.cleanup()

    # --- people ---

    def user(self, name: str, username: str = "", language: str = "en") -> User:
        """A person whom the bot has never met."""
        return self.world.user(name, username, language)

    def private(self, user: User) -> Chat:
        """His chat with the bot, where it may not write until he has."""
        return self.world.private(user)

    def group(self, title: str, *users: User, supergroup: bool = True, forum: bool = False) -> Chat:
        """A group of these people, the first of whom founded it and has just added the bot."""
        assert users, "somebody must found a group"
        chat = self.world.open_group(title, list(users), "supergroup" if supergroup or forum else "group", forum)
        chat.change_bot(users[0], "left", "member")
        joined = {"new_chat_members": [self.world.bot.json()]}
        self.world.emit("message", chat.add(users[0], service=joined).json())
        return chat

    # --- what a test sets, and what it asks ---

    @property
    def validated(self) -> bool:
        """Whether requests are held against the description of the Bot API."""
        return self.spec.present

    @property
    def flood(self) -> bool:
        """Whether the flood limits are on."""
        return self.calls.flood

    @flood.setter
    def flood(self, on: bool) -> None:
        self.calls.flood = on

    @property
    def floods(self) -> int:
        """How many calls were one too many."""
        return self.calls.floods

    @property
    def privacy(self) -> bool:
        """Whether groups keep ordinary talk from the bot (at first: yes)."""
        return self.world.privacy

    @privacy.setter
    def privacy(self, on: bool) -> None:
        self.world.privacy = on

    @property
    def query_seconds(self) -> float:
        """How old a press may be when it is answered."""
        return self.world.query_seconds

    @query_seconds.setter
    def query_seconds(self, seconds: float) -> None:
        self.world.query_seconds = seconds

    @property
    def polls(self) -> int:
        """How many getUpdates have come."""
        return self.updates.polls

    @property
    def polling(self) -> bool:
        """Whether one waits now."""
        return self.updates.polling

    @property
    def conflicts(self) -> int:
        """How many getUpdates ended another one that was still wanted."""
        return self.updates.conflicts

    @property
    def commands(self) -> dict[tuple[str, str], list[Json]]:
        """The bot's commands by (scope as JSON, language)."""
        return self.calls.commands

    @property
    def descriptions(self) -> dict[tuple[str, str], str]:
        """The bot's texts by ("description" or "short_description", language)."""
        return self.calls.descriptions

    def called(self, method: str = "", chat: Chat | None = None) -> list[Request]:
        """The calls so far, of one method or of all but getUpdates, about one chat or all."""
        return [
            call
            for call in self.requests
            if (call.method == method if method else call.method != "getUpdates")
            and (chat is None or call.parameters.get("chat_id") == chat.id)
        ]

    def fail(
        self,
        method: str,
        code: int,
        description: str,
        *,
        times: int = 1,
        parameters: Json | None = None,
        chat: Chat | None = None,
        after: bool = False,
    ) -> None:
        """The next `times` calls of a method ("*": of any but getUpdates) are refused so; code 0 cuts the connection.

        With `after` the call takes effect all the same: what the bot believes lost was done.
        """
        refusal = Refused(code, description, parameters=parameters)
        self._plans.append(Plan(method, times, chat, refusal, after=after))

    def slow(
        self, method: str, seconds: float, times: int = 1, *, chat: Chat | None = None, after: bool = False
    ) -> None:
        """The next `times` calls take effect late, or with `after` at once but are answered late."""
        self._plans.append(Plan(method, times, chat, slow=seconds, after=after))

    def mend(self) -> None:
        """Forgets what `fail` and `slow` still had planned."""
        self._plans.clear()

    def resend(self, update_id: int) -> None:
        """Delivers an update a second time."""
        self.updates.resend(update_id)

    def hold_updates(self) -> None:
        """Collects updates without delivering them."""
        self.updates.hold()

    def release_updates(self) -> None:
        """Delivers what was collected."""
        self.updates.release()

    def revoke(self) -> None:
        """Makes the token worthless."""
        self._revoked = True
        self.updates.end(Refused(401, "Unauthorized"))

    async def until(self, condition: Callable[[], T | None], seconds: float = 10.0) -> T:
        """Waits until `condition()` is true and returns it; a LookupError or StopIteration in it counts as "not yet".

        Raises TimeoutError, which tells the latest calls.
        """
        if value := _tried(condition):
            return value
        seen: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._watched[seen] = condition
        looking = asyncio.create_task(self._look_often())
        try:
            return await asyncio.wait_for(seen, seconds)
        except TimeoutError:
            latest = "\n  ".join(str(call) for call in self.called()[-15:])
            told = f"not within {seconds} s; the bot's latest calls:\n  {latest}\nfaults: {self.faults}"
            raise TimeoutError(told) from None
        finally:
            looking.cancel()
            del self._watched[seen]

    async def _look_often(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self._changed()

    def _changed(self) -> None:
        """Has all conditions looked at soon, and once for all that changes at once."""
        if self._watched and not self._looking:
            self._looking = True
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        """Looks at all conditions here, since to wake hundreds of waiting tests at each call would take the time."""
        self._looking = False
        for seen, condition in self._watched.items():
            if seen.done():
                continue
            try:
                if value := _tried(condition):
                    seen.set_result(value)
            except Exception as error:  # noqa: BLE001  # whatever it is, it belongs to the test that waits
                seen.set_exception(error)

    # --- HTTP ---

    async def _serve(self, http: web.Request) -> web.Response:
        call = await self._read(http)
        self.requests.append(call)
        plan = self._planned(call)
        try:
            call.result = await self._result(call, http, plan)
            call.status = 200
        except Refused as refused:
            call.status, call.description = refused.code, refused.description
            if refused.fault:
                self.faults.append(f"{call.method}: {refused.description}")
            return self._refuse(http, refused)
        finally:
            call.answered_at = time.perf_counter()
            if not self.keep_files:
                call.files = {}
            self._changed()
        return web.json_response({"ok": True, "result": call.result})

    def _refuse(self, http: web.Request, refused: Refused) -> web.Response:
        if refused.code == DROPPED:
            if http.transport is not None:
                http.transport.abort()
            return web.Response()
        more = {"parameters": refused.parameters} if refused.parameters else {}
        body = {"ok": False, "error_code": refused.code, "description": refused.description, **more}
        return web.json_response(body, status=refused.code)

    async def _result(self, call: Request, http: web.Request, plan: Plan | None) -> Any:
        if self._revoked or http.match_info["token"] != self.token:
            raise Refused(401, "Unauthorized")
        self.faults += [
            f"{call.method}: {error}" for error in self.spec.errors(call.method, call.parameters, call.files)
        ]
        if plan is None:
            return await self._answer(call, http)
        early = not plan.after
        if early and plan.slow:
            await asyncio.sleep(plan.slow)
        if early and plan.refusal:
            raise plan.refusal.with_traceback(None)
        result = await self._answer(call, http)
        if plan.after and plan.slow:
            await asyncio.sleep(plan.slow)
        if plan.after and plan.refusal:
            raise plan.refusal.with_traceback(None)
        return result

    async def _answer(self, call: Request, http: web.Request) -> Any:
        try:
            match call.method:
                case "getUpdates":
                    return await self.updates.fetch(call.parameters, lambda: _gone(http))
                case "deleteWebhook":
                    if call.parameters.get("drop_pending_updates"):
                        self.updates.forget()
                    return True
                case "getWebhookInfo":
                    return {"url": "", "has_custom_certificate": False, "pending_update_count": self.updates.pending}
                case _:
                    if call.method not in METHODS:
                        self.faults.append(f"{call.method}: not served here")
                    return self.calls.answer(call)
        except (KeyError, TypeError, AttributeError) as error:
            # The description has already told what is missing or of a wrong type.
            raise Refused(400, f"Bad Request: malformed {call.method}: {error!r}", fault=True) from error

    def _planned(self, call: Request) -> Plan | None:
        for plan in self._plans:
            fits = call.method == plan.method or (plan.method == "*" and call.method != "getUpdates")
            if fits and (plan.chat is None or call.parameters.get("chat_id") == plan.chat.id):
                plan.times -= 1
                if plan.times <= 0:
                    self._plans.remove(plan)
                return plan
        return None

    async def _read(self, http: web.Request) -> Request:
        method = http.match_info["method"]
        raw: dict[str, str] = dict(http.query)
        files: dict[str, bytes] = {}
        names: dict[str, str] = {}
        if http.content_type == "multipart/form-data":
            boundary = http.headers["Content-Type"].partition("boundary=")[2].strip('"')
            for name, filename, data in _parts(await http.read(), boundary):
                if filename is None:
                    raw[name] = data.decode()
                else:
                    files[name], names[name] = data, filename
        elif http.content_type == "application/json":
            self.faults.append(f"{method}: a JSON body, which no test of ours is meant to send")
            return Request(method, json.loads(await http.read()))
        else:
            raw |= {name: str(value) for name, value in (await http.post()).items()}
        return Request(method, self.spec.decoded(method, raw), files, names)

    async def _download(self, http: web.Request) -> web.Response:
        data = self.calls.uploads.get(http.match_info["file"])
        if data is None or http.match_info["token"] != self.token or self._revoked:
            return web.json_response({"ok": False, "error_code": 404, "description": "Not Found"}, status=404)
        return web.Response(body=data)


def _parts(body: bytes, boundary: str) -> Iterator[tuple[str, str | None, bytes]]:
    """Name, file name (None for a plain field) and content of each part of a multipart body.

    Not aiohttp's reader, which takes longer for a board than all the rest of a call.
    """
    for part in body.split(f"--{boundary}".encode())[1:-1]:
        head, _, data = part.partition(b"\r\n\r\n")
        found = dict(_PARAMETER.findall(head.decode()))
        yield found["name"], found.get("filename"), data.removesuffix(b"\r\n")


def _gone(http: web.Request) -> bool:
    return http.transport is None or http.transport.is_closing()


def _tried(condition: Callable[[], T]) -> T | None:
    try:
        return condition()
    except (LookupError, StopIteration):
        return None
