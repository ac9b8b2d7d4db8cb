"""Telegram's limits on what a bot sends, and its refusals in Telegram's words."""

from __future__ import annotations

import io
import math
import re
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

from PIL import Image

from tests.servers.telegram_spec import Json

TEXT, CAPTION, ALERT = 4096, 1024, 200
PHOTO_BYTES = 10 << 20
UPLOAD_BYTES = 50 << 20
DELETABLE_SECONDS = 48 * 3600.0

GROUP_CALLS, GROUP_SECONDS = 20, 60.0
PRIVATE_BURST = 20.0
ALL_CALLS, ALL_SECONDS = 30, 1.0


class Refused(Exception):
    """An answer other than success. `fault` says that a well-made bot never earns this one."""

    def __init__(self, code: int, description: str, *, parameters: Json | None = None, fault: bool = False) -> None:
        super().__init__(f"{code} {description}")
        self.code = code
        self.description = description
        self.parameters = parameters
        self.fault = fault


def bad(description: str) -> Refused:
    """A refusal that can come to the best bot: what it touched has changed meanwhile."""
    return Refused(400, f"Bad Request: {description}")


def wrong(description: str) -> Refused:
    """A refusal of something that must never be sent."""
    return Refused(400, f"Bad Request: {description}", fault=True)


def check_keyboard(markup: Any) -> None:
    """Refuses keyboards that Telegram would not show; `markup` is any reply_markup, or None."""
    if markup is None:
        return
    if not isinstance(markup, dict):
        raise wrong("object expected as reply markup")
    rows = markup.get("inline_keyboard", [])
    if sum(map(len, rows)) > 100 or any(len(row) > 8 for row in rows):
        raise wrong("reply markup is too long")
    for button in (button for row in rows for button in row):
        _check_button(button)


def _check_button(button: Json) -> None:
    data = button.get("callback_data")
    if not button.get("text"):
        raise wrong('can\'t parse inline keyboard button: Field "text" must be of type String')
    if len(button.keys() - {"text", "style", "icon_custom_emoji_id"}) != 1:
        raise wrong("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    if data is not None and not 1 <= len(data.encode()) <= 64:
        raise wrong("BUTTON_DATA_INVALID")
    url = button.get("url")
    # Telegram wants a full host name: http://localhost is refused, too.
    if url is not None and not re.match(r"(https?://[^/\s]+\.[^/\s]+|tg://\w)", url):
        raise wrong(f"inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")


def check_photo(data: bytes) -> tuple[int, int]:
    """Width and height in pixels of a photo that Telegram would take."""
    if len(data) > PHOTO_BYTES:
        raise wrong(f"file of size {len(data)} bytes is too big for a photo; the maximum size is {PHOTO_BYTES} bytes")
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as image:
            image.verify()
            width, height = image.size
    except (OSError, SyntaxError, ValueError) as error:
        raise wrong("IMAGE_PROCESS_FAILED") from error
    if width + height > 10_000 or max(width, height) > 20 * min(width, height):
        raise wrong("PHOTO_INVALID_DIMENSIONS")
    return width, height


class Flood:
    """How often a bot may send and edit. The limits are unpublished; these are what is commonly seen."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._all: deque[float] = deque()
        self._groups: dict[int, deque[float]] = defaultdict(deque)
        # Private chats: how many calls are saved up, and when that was true.
        self._private: dict[int, tuple[float, float]] = {}

    def charge(self, chat: int, private: bool) -> int:
        """Counts a call; or, when it is one too many, counts nothing and tells the seconds to wait."""
        now = self._now()
        saved, since = self._private.get(chat, (PRIVATE_BURST, now))
        saved = min(PRIVATE_BURST, saved + now - since)
        wait = _wait(self._all, now, ALL_CALLS, ALL_SECONDS)
        wait = max(wait, 1 - saved if private else _wait(self._groups[chat], now, GROUP_CALLS, GROUP_SECONDS))
        if wait > 0:
            return math.ceil(wait)
        self._all.append(now)
        if private:
            self._private[chat] = saved - 1, now
        else:
            self._groups[chat].append(now)
        return 0


def _wait(calls: deque[float], now: float, most: int, seconds: float) -> float:
    """Seconds until one more call is allowed, 0 if it is now; forgets what is too old to count."""
    while calls and calls[0] <= now - seconds:
        calls.popleft()
    return calls[0] + seconds - now if len(calls) >= most else 0.0
