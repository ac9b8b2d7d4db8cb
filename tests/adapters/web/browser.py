"""A browser without a screen: keeps cookies, sends forms as our own pages do, and listens at a table's socket."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from yarl import URL

PATIENCE = 5.0


@dataclass(frozen=True)
class Answer:
    """What a server answered. `path`: where all redirections ended."""

    status: int
    text: str
    path: str
    headers: Any


class Page:
    """An open page of a table or challenge: what it was told, and pressing its buttons."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.view: dict[str, Any] = {}

    async def hear(self) -> dict[str, Any]:
        """The next message; a view is remembered."""
        message: dict[str, Any] = json.loads(await self.socket.receive_str(timeout=PATIENCE))
        self.view = message.get("view", self.view)
        return message

    async def see(self, wanted: str) -> str:
        """Listens until a line of the table contains `wanted`."""
        async with asyncio.timeout(PATIENCE):
            while not (found := [line for line in self.view.get("lines", ()) if wanted in line]):
                await self.hear()
        return str(found[0])

    async def see_button(self, label: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while label not in self.labels:
                await self.hear()

    async def my_turn(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while not self.view.get("attention"):
                await self.hear()

    @property
    def labels(self) -> list[str]:
        return [button["label"] for button in self.view.get("buttons", ())]

    def action(self, label: str) -> str:
        return next(str(button["action"]) for button in self.view["buttons"] if button["label"] == label)

    @property
    def steps(self) -> list[dict[str, Any]]:
        return [button for button in self.view["buttons"] if button["kind"] == "step"]

    async def ask(self, **message: str) -> str | None:
        """Sends something; returns why it was refused, None if it was not."""
        await self.socket.send_json(message)
        while "answer" not in (heard := await self.hear()):
            pass
        refusal: str | None = heard["answer"]["refusal"]
        return refusal

    async def press(self, label: str) -> str | None:
        return await self.ask(press=self.action(label))


class Browser:
    """One browser: everything that is opened in it shares its cookies."""

    def __init__(self, address: str) -> None:
        self.address = URL(address)
        self.origin = str(self.address.origin())
        self.jar = aiohttp.CookieJar(unsafe=True)
        self.session = aiohttp.ClientSession(cookie_jar=self.jar)

    async def get(self, path: str, **headers: str) -> Answer:
        return await self._answer("GET", path, headers=headers)

    async def post(self, path: str, **fields: str) -> Answer:
        return await self._answer("POST", path, data=fields, headers={"Origin": self.origin})

    async def start(self, **fields: str) -> Answer:
        """Opens the home page and starts; the answer is the page where that leads."""
        await self.get("/")
        return await self.post("/start", **fields)

    async def challenge(self, **fields: str) -> str:
        """Starts a challenge; returns the path of the link."""
        waiting = await self.start(opponent="friend", **fields)
        return waiting.path.removesuffix("waiting")

    async def accept(self, link: str, name: str = "Burak") -> Answer:
        await self.get(link)
        return await self.post(f"{link}accept", name=name)

    @asynccontextmanager
    async def at(self, path: str, origin: str | None = None) -> AsyncIterator[Page]:
        """The socket of the page at `path` (with its query)."""
        url = self.address.join(URL(path))
        live = url.join(URL("live")).with_query(url.query)
        async with self.session.ws_connect(live, headers={"Origin": origin or self.origin}) as socket:
            page = Page(socket)
            await page.hear()
            yield page

    async def close(self) -> None:
        await self.session.close()

    def cookies(self, path: str) -> dict[str, str]:
        """The cookies sent for a path."""
        sent = self.jar.filter_cookies(self.address.join(URL(path)))
        return {name: cookie.value for name, cookie in sent.items()}

    async def _answer(self, method: str, path: str, **sent: Any) -> Answer:
        async with self.session.request(method, self.address.join(URL(path)), **sent) as response:
            return Answer(response.status, await response.text(), response.url.path_qs, response.headers)
