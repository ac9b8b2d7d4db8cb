"""Discord's REST interface, as far as a bot with commands and buttons uses it."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aiohttp import BodyPartReader, web

from tests.servers import discord_rules as rules
from tests.servers.discord_interactions import Interaction
from tests.servers.discord_messages import Message, snowflake
from tests.servers.discord_rules import Json, Refusal, Upload, bad_form
from tests.servers.discord_world import DM, Channel

if TYPE_CHECKING:
    from tests.servers.discord import DiscordServer

PREFIX = "/api/v10"
VIA = {"Via": "1.1 google"}


@dataclass(eq=False)
class Request:
    """One call of the bot. `path` is without /api/v10, `template` as Discord's document has it ("" when unknown).

    `json` is the body or the payload_json of a form, `files` its files by name; `at` is the monotonic time of its
    arrival, `status` what it was answered (0 while it is not, or when the connection was dropped).
    """

    method: str
    path: str
    template: str
    params: dict[str, str]
    query: dict[str, str]
    json: Any = None
    uploads: dict[int, Upload] = field(default_factory=dict)
    at: float = field(default_factory=time.monotonic)
    status: int = 0
    code: int = 0

    def __repr__(self) -> str:
        return f"<{self.method} {self.path[:90]} {self.status} {self.code or ''}>"

    @property
    def files(self) -> dict[str, bytes]:
        """The files sent, by name."""
        return {upload.filename: upload.data for upload in self.uploads.values()}


@dataclass
class Plan:
    """What shall happen to coming requests, before or after their effect: a status (0: no answer at all), a delay."""

    method: str
    path: re.Pattern[str]
    times: int
    status: int | None = None
    code: int = 0
    message: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    retry_after: float = 0.0
    seconds: float = 0.0
    after: bool = False

    def takes(self, request: Request) -> bool:
        """Whether it is for this request; then it is used up once."""
        found = self.times > 0 and self.method in ("*", "", request.method) and self.path.search(request.path)
        self.times -= 1 if found else 0
        return bool(found)

    def answer(self) -> web.Response:
        """The failure as an HTTP answer. A 429 without Via comes from Cloudflare, which does not speak JSON."""
        if self.status == 429 and "Via" not in self.headers:
            return web.Response(status=429, text="error code: 1015", headers=self.headers, content_type="text/plain")
        body: Json = {"message": self.message, "code": self.code}
        if self.status == 429:
            body |= {"retry_after": self.retry_after, "global": "X-RateLimit-Global" in self.headers}
        return reply(self.status or 500, body, self.headers)


class Bucket:
    """At most `limit` calls in `seconds`, counted for each channel."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit, self.seconds = limit, seconds
        self._calls: dict[str, deque[float]] = {}

    def take(self, channel: str) -> dict[str, str]:
        """Count one call and return its headers. Raises: Refusal 429."""
        moment = time.monotonic()
        calls = self._calls.setdefault(channel, deque())
        while calls and calls[0] <= moment - self.seconds:
            calls.popleft()
        wait = self.seconds - (moment - calls[0]) if calls else self.seconds
        if len(calls) >= self.limit:
            headers = {**self._headers(0, wait), **VIA, "Retry-After": str(int(wait) + 1)}
            body = {"retry_after": round(wait, 3), "global": False}
            raise Refusal(429, 0, "You are being rate limited.", headers=headers, more=body)
        calls.append(moment)
        return self._headers(self.limit - len(calls), wait)

    def _headers(self, remaining: int, wait: float) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(remaining),
            "X-RateLimit-Reset": f"{time.time() + wait:.3f}",
            "X-RateLimit-Reset-After": f"{wait:.3f}",
            "X-RateLimit-Bucket": "80c17d2f203122d936070c88c8d10f33",
        }


def reply(status: int, body: Any, headers: dict[str, str] | None = None) -> web.Response:
    """An answer in JSON; None is an empty body. The content type is exact, as discord.py compares it as a string."""
    if body is None:
        return web.Response(status=status, headers=headers)
    return web.Response(status=status, body=json.dumps(body).encode(), content_type="application/json", headers=headers)


Answer = tuple[int, Any]
Action = Callable[[Request], Answer]


class Rest:
    """Answers calls. An action happens at once and whole: nothing waits between its check and its effect."""

    def __init__(self, server: DiscordServer) -> None:
        self.plans: list[Plan] = []
        self.bucket: Bucket | None = None
        self._server = server

    def routes(self) -> list[web.RouteDef]:
        """All routes; what is on none of them is a fault."""
        table: list[tuple[str, str, Action]] = [
            ("GET", "/users/@me", self._me),
            ("GET", "/applications/@me", self._application),
            ("GET", "/oauth2/applications/@me", self._application),
            ("GET", "/gateway", lambda _: (200, {"url": self._server.gateway})),
            ("GET", "/gateway/bot", self._gateway),
            ("GET", "/applications/{application_id}/commands", lambda _: (200, self._server.commands)),
            ("PUT", "/applications/{application_id}/commands", self._put_commands),
            ("POST", "/applications/{application_id}/commands", self._post_command),
            ("POST", "/users/@me/channels", self._open_dm),
            ("GET", "/channels/{channel_id}", self._get_channel),
            ("PATCH", "/channels/{channel_id}", self._patch_channel),
            ("POST", "/channels/{channel_id}/typing", self._type),
            ("POST", "/channels/{channel_id}/messages", self._send),
            ("GET", "/channels/{channel_id}/messages/{message_id}", self._get_message),
            ("PATCH", "/channels/{channel_id}/messages/{message_id}", self._edit),
            ("DELETE", "/channels/{channel_id}/messages/{message_id}", self._delete),
            ("POST", "/interactions/{interaction_id}/{interaction_token}/callback", self._callback),
            ("POST", "/webhooks/{webhook_id}/{webhook_token}", self._follow_up),
        ]
        for original in ("@original", "{message_id}"):
            path = "/webhooks/{webhook_id}/{webhook_token}/messages/" + original
            table += [("GET", path, self._get_by_token), ("PATCH", path, self._edit_by_token)]
            table.append(("DELETE", path, self._delete_by_token))
        known = [web.route(method, PREFIX + path, self._handler(path, action)) for method, path, action in table]
        return [*known, web.route("*", "/{rest:.*}", self._handler("", self._nowhere))]

    def _handler(self, template: str, action: Action) -> Callable[[web.Request], Any]:
        async def handle(http: web.Request) -> web.StreamResponse:
            request = await _read(http, template)
            self._server.note(request)
            plan = next((plan for plan in self.plans if plan.takes(request)), None)
            try:
                return await self._answer(http, request, action, plan)
            finally:
                self._server.changed()

        return handle

    async def _answer(self, http: web.Request, request: Request, action: Action, plan: Plan | None) -> web.Response:
        if plan and not plan.after:
            await asyncio.sleep(plan.seconds)
        answer = None if plan and plan.status is not None and not plan.after else self._act(http, request, action)
        if plan and plan.after:
            self._server.changed()
            await asyncio.sleep(plan.seconds)
        if plan and plan.status == 0:
            if http.transport:
                http.transport.abort()
            return web.Response()
        if answer is None or (plan and plan.status is not None):
            assert plan
            answer, request.code = plan.answer(), plan.code
        request.status = answer.status
        return answer

    def _act(self, http: web.Request, request: Request, action: Action) -> web.Response:
        """Do what is asked, or refuse it; a refusal that a good bot never earns is a fault."""
        headers: dict[str, str] = {}
        try:
            self._authorize(http, request)
            if self.bucket and request.template.startswith("/channels/{channel_id}/messages"):
                headers = self.bucket.take(request.params["channel_id"])
            status, body = _attempt(action, request)
        except Refusal as refusal:
            if refusal.fault:
                self._server.fault(f"{request.method} {request.template or request.path}: {refusal}")
            request.code = refusal.code
            body = {"message": refusal.message, "code": refusal.code, **refusal.more}
            return reply(refusal.status, body, refusal.headers)
        return reply(status, body, headers)

    def _authorize(self, http: web.Request, request: Request) -> None:
        """Refuse a wrong token, where one is wanted: interactions bring their own. Raises: Refusal."""
        if not request.template or request.template.startswith(("/interactions/", "/webhooks/")):
            return
        if http.headers.get("Authorization") != f"Bot {self._server.token}":
            raise Refusal(401, 0, "401: Unauthorized")
        if request.params.get("application_id", str(self._server.application_id)) != str(self._server.application_id):
            raise Refusal(403, 20012, "You are not authorized to perform this action on this application", fault=True)

    # --- the bot itself ---

    def _nowhere(self, request: Request) -> Answer:
        raise Refusal(HTTPStatus.NOT_FOUND, 0, f"404: Not Found ({request.path})", fault=True)

    def _me(self, _: Request) -> Answer:
        return 200, self._server.bot.own_payload()

    def _application(self, _: Request) -> Answer:
        server = self._server
        return 200, {
            "id": str(server.application_id),
            "name": server.bot.name,
            "icon": None,
            "description": "",
            "summary": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "verify_key": "0" * 64,
            "flags": 0,
            "owner": server.bot.payload(),
            "team": None,
            "bot": server.bot.payload(),
            "interactions_endpoint_url": None,
            "redirect_uris": [],
            "integration_types_config": {"0": {}, "1": {}},
            "approximate_guild_count": len(server.guilds),
        }

    def _gateway(self, _: Request) -> Answer:
        limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
        return 200, {"url": self._server.gateway, "shards": 1, "session_start_limit": limit}

    # --- commands ---

    def _put_commands(self, request: Request) -> Answer:
        self._server.commands = self._registered(request.json or [])
        return 200, self._server.commands

    def _post_command(self, request: Request) -> Answer:
        name, kind = request.json["name"], request.json.get("type", 1)
        others = [c for c in self._server.commands if (c["name"], c["type"]) != (name, kind)]
        # Only the new one is judged and counted; those that stay keep their ids.
        (made,) = self._registered([request.json])
        status = 201 if all((c["name"], c["type"]) != (name, kind) for c in self._server.commands) else 200
        self._server.commands = [*others, made]
        return status, made

    def _registered(self, wanted: list[Json]) -> list[Json]:
        rules.check_commands(wanted)
        old = {(command["name"], command["type"]): command for command in self._server.commands}
        fresh = [command for command in wanted if (command["name"], command.get("type", 1)) not in old]
        if self._server.commands_created + len(fresh) > rules.COMMANDS_A_DAY:
            text = "Max number of daily application command creates has been reached (200)"
            raise Refusal(429, 30034, text, headers=VIA, more={"retry_after": 86400.0, "global": False})
        self._server.commands_created += len(fresh)
        return [self._command(command, old.get((command["name"], command.get("type", 1)))) for command in wanted]

    def _command(self, command: Json, old: Json | None) -> Json:
        rest: Json = {"type": 1, "description": "", "options": [], "nsfw": False, "contexts": None}
        rest |= {"integration_types": [0], "default_member_permissions": None, "dm_permission": True}
        rest |= {"name_localizations": None, "description_localizations": None}
        made = {**rest, **{key: value for key, value in command.items() if value is not None}}
        ids = {"id": old["id"] if old else str(snowflake()), "version": str(snowflake())}
        return {**made, **ids, "application_id": str(self._server.application_id)}

    # --- channels and messages ---

    def _channel(self, request: Request) -> Channel:
        channel = self._server.channels.get(_number(request.params["channel_id"]))
        if channel is None or channel.deleted:
            raise Refusal(404, 10003, "Unknown Channel")
        return channel

    def _message(self, request: Request, wanted: int = 0) -> Message:
        channel = self._channel(request)
        channel.require(wanted)
        return channel.message(_number(request.params["message_id"]))

    def _open_dm(self, request: Request) -> Answer:
        user = self._server.users.get(_number(request.json.get("recipient_id")))
        if user is None or user.bot:
            raise Refusal(400, 50033, "Invalid Recipient(s)")
        return 200, self._server.dm(user).payload()

    def _get_channel(self, request: Request) -> Answer:
        channel = self._channel(request)
        channel.require(0)
        return 200, channel.payload()

    def _patch_channel(self, request: Request) -> Answer:
        channel = self._channel(request)
        channel.require(0)
        if channel.parent is None:
            raise Refusal(403, 50013, "Missing Permissions")
        moderator = bool(channel.permissions & rules.MANAGE_THREADS)
        if not moderator and (channel.locked or request.json.keys() - {"archived"}):
            raise Refusal(403, 50013, "Missing Permissions")
        channel.name = request.json.get("name") or channel.name
        archived, locked = request.json.get("archived"), request.json.get("locked")
        channel.archive(
            channel.archived if archived is None else archived, locked=channel.locked if locked is None else locked
        )
        return 200, channel.payload()

    def _type(self, request: Request) -> Answer:
        self._channel(request).require_sending({})
        return 204, None

    def _send(self, request: Request) -> Answer:
        channel = self._channel(request)
        channel.require_sending(request.uploads)
        if channel.archived and channel.locked:
            raise Refusal(400, 50083, "Thread is archived")
        if (request.json.get("flags") or 0) & rules.EPHEMERAL:
            raise bad_form("flags: EPHEMERAL is for answers to interactions")
        message = Message(self._server, channel, self._server.bot)
        message.replies_to = self._reference(channel, request.json.get("message_reference"))
        message.fill(request.json, request.uploads, notify=True)
        if channel.archived:
            channel.archive(False)
        channel.add(message)
        return 200, message.payload()

    def _reference(self, channel: Channel, reference: Json | None) -> int | None:
        if reference is None:
            return None
        try:
            return channel.message(_number(reference["message_id"])).id
        except Refusal:
            if reference.get("fail_if_not_exists", True):
                raise Refusal(400, 50035, "Invalid Form Body: message_reference: Unknown message") from None
            return None

    def _get_message(self, request: Request) -> Answer:
        return 200, self._message(request, rules.READ_MESSAGE_HISTORY).payload()

    def _edit(self, request: Request) -> Answer:
        channel = self._channel(request)
        channel.require_sending(request.uploads)
        message = self._message(request)
        if message.author is not self._server.bot:
            raise Refusal(403, 50005, "Cannot edit a message authored by another user", fault=True)
        if channel.archived:
            raise Refusal(400, 50083, "Thread is archived")
        message.count_old_edit()
        message.edit(request.json, request.uploads)
        return 200, message.payload()

    def _delete(self, request: Request) -> Answer:
        message = self._message(request)
        if message.author is not self._server.bot:
            raise Refusal(403, 50003 if message.channel.kind == DM else 50013, "Missing Permissions")
        message.delete()
        return 204, None

    # --- interactions ---

    def _callback(self, request: Request) -> Answer:
        interaction = self._server.interactions.get(request.params["interaction_token"])
        if interaction is None or str(interaction.id) != request.params["interaction_id"]:
            raise Refusal(404, 10062, "Unknown interaction")
        interaction.respond(request.json["type"], request.json.get("data") or {}, request.uploads)
        if request.query.get("with_response") in ("1", "true"):
            return 200, interaction.summary()
        return 204, None

    def _by_token(self, request: Request) -> Interaction:
        interaction = self._server.interactions.get(request.params["webhook_token"])
        if interaction is None or request.params["webhook_id"] != str(self._server.application_id):
            raise Refusal(404, 10015, "Unknown Webhook")
        interaction.check_token()
        return interaction

    def _follow_up(self, request: Request) -> Answer:
        return 200, self._by_token(request).follow_up(request.json, request.uploads).payload()

    def _get_by_token(self, request: Request) -> Answer:
        return 200, self._by_token(request).find(_wanted(request)).payload()

    def _edit_by_token(self, request: Request) -> Answer:
        interaction = self._by_token(request)
        message = interaction.find(_wanted(request))
        message.count_old_edit()
        return 200, interaction.edit(message, request.json, request.uploads).payload()

    def _delete_by_token(self, request: Request) -> Answer:
        self._by_token(request).find(_wanted(request)).delete()
        return 204, None


def _attempt(action: Action, request: Request) -> Answer:
    """The action's answer. Raises: Refusal, also for a body whose form is so wrong that it cannot be read."""
    try:
        return action(request)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise bad_form(f"cannot be read: {error!r}") from error


def _wanted(request: Request) -> str:
    return request.params.get("message_id", "@original")


def _number(text: Any) -> int:
    """An id from a path or a body. Raises: Refusal 50035 when it is none."""
    if not str(text).isdigit():
        raise bad_form(f"{text!r} is not snowflake.")
    return int(text)


async def _read(http: web.Request, template: str) -> Request:
    """The request with its body, which is JSON or a form of payload_json and files[n]."""
    path = http.path.removeprefix(PREFIX)
    request = Request(http.method, path, template, dict(http.match_info), dict(http.query))
    if http.content_type.startswith("multipart/"):
        async for part in await http.multipart():
            if isinstance(part, BodyPartReader):
                await _read_part(request, part)
    elif http.can_read_body:
        body = await http.read()
        request.json = json.loads(body) if body else None
    return request


async def _read_part(request: Request, part: BodyPartReader) -> None:
    data = bytes(await part.read(decode=True))
    if part.name == "payload_json":
        request.json = json.loads(data)
    elif found := re.fullmatch(r"files\[(\d+)\]", part.name or ""):
        request.uploads[int(found[1])] = Upload(part.filename or "", data)
