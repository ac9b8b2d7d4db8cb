"""Messages of Telegram: sent, changed, left without buttons; and what its errors mean."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from telegram import Bot, InputMediaPhoto, LinkPreviewOptions
from telegram.constants import ParseMode
from telegram.error import BadRequest, ChatMigrated, Forbidden, RetryAfter, TelegramError

from adapters.chat.ports import Closed, Gone, Held, Moved, Trouble, Via
from adapters.telegram.budget import Budget
from adapters.telegram.texts import CAPTION, TEXT, fitted, keyboard
from bot.service.table import Shown
from render.message import Message

PLATFORM = "telegram"
PICTURE = "board.png"
RETIRED_WITHIN = 2.0
"""Seconds that old messages get at the end to lose their buttons."""
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_QUOTE = re.compile(r"""[:"(<]|(?<!\w)'""")
"""Where Telegram, or the library, may begin to quote what was sent."""
# Telegram's texts, in small letters: python-telegram-bot changes capitals, and nothing else tells the cases apart.
_UNCHANGED = "message is not modified"
_GONE = ("message to edit not found", "message can't be edited", "message_id_invalid", "there is no caption in the",
         "there is no text in the", "message to be replied not found")  # fmt: skip
_CLOSED = ("chat not found", "not enough rights", "have no rights", "chat_write_forbidden", "chat_restricted",
           "message thread not found", "topic_closed", "topic_deleted", "user is deactivated", "peer_id_invalid",
           "need administrator rights")  # fmt: skip


class Posts:
    """Fulfils `Platform`. It waits while no bot is connected: the client is built anew after faults."""

    name = PLATFORM
    keeps = float("inf")
    whispers = False
    describes = False

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._bot: Bot | None = None
        self._connected = asyncio.Event()
        self._retiring: dict[tuple[str, str], asyncio.Task[None]] = {}

    def connected(self, bot: Bot | None) -> None:
        """Another client is logged in from now on, or none."""
        self._bot = bot
        if bot:
            self._connected.set()
        else:
            self._connected.clear()

    async def ready(self, screen: Shown) -> bool:
        await self._connected.wait()
        return await self.budget.take(screen.chat)

    async def post(self, screen: Shown, message: Message, png: bytes | None, via: Via | None, call: str) -> str:
        """A new message; whoever is called hears it, anybody else does not.

        After a time-out the message may be there all the same: it is sent again, and the first one loses its buttons
        when somebody presses one.
        """
        with self.at(screen.chat):
            return str(await self._send(screen, message, png, call))

    async def edit(self, screen: Shown, message: Message, png: bytes | None, via: Via | None) -> None:
        with self.at(screen.chat):
            try:
                await self._edit(int(screen.chat), int(screen.message), message, png)
            except BadRequest as error:
                if _UNCHANGED not in str(error).casefold():
                    raise

    async def retire(self, screen: Shown) -> None:
        """Done soon: nobody waits until the chat takes one more call."""
        place = screen.chat, screen.message
        if place not in self._retiring:
            self._retiring[place] = asyncio.create_task(self._retire(*place))

    async def close(self) -> None:
        """Ends what is under way; buttons that are left over do no harm."""
        tasks = list(self._retiring.values())
        if tasks:
            await asyncio.wait(tasks, timeout=RETIRED_WITHIN)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def link(self, code: str) -> str:
        """The address that opens a private chat with the bot and shows a challenge there."""
        return f"https://t.me/{self._bot.username}?start={code}" if self._bot else code

    async def _retire(self, chat: str, message: str) -> None:
        try:
            await self.budget.take(chat)
            with suppress(Trouble), self.at(chat):
                await self._logged_in().edit_message_reply_markup(int(chat), int(message))
        finally:
            del self._retiring[chat, message]

    async def _send(self, screen: Shown, message: Message, png: bytes | None, call: str) -> int:
        bot, chat, mention = self._logged_in(), int(screen.chat), call if screen.shared else ""
        if png is None:
            sent = await bot.send_message(
                chat,
                fitted(message, TEXT, mention, screen.language),
                parse_mode=ParseMode.HTML,
                reply_markup=keyboard(message),
                message_thread_id=_thread(screen.thread),
                disable_notification=not call,
                link_preview_options=_NO_PREVIEW,
            )
        else:
            sent = await bot.send_photo(
                chat,
                png,
                caption=fitted(message, CAPTION, mention, screen.language),
                parse_mode=ParseMode.HTML,
                reply_markup=keyboard(message),
                message_thread_id=_thread(screen.thread),
                disable_notification=not call,
                filename=PICTURE,
            )
        return sent.message_id

    async def _edit(self, chat: int, number: int, message: Message, png: bytes | None) -> None:
        bot, buttons = self._logged_in(), keyboard(message)
        if message.picture is None:
            await bot.edit_message_text(
                fitted(message, TEXT),
                chat,
                number,
                parse_mode=ParseMode.HTML,
                reply_markup=buttons,
                link_preview_options=_NO_PREVIEW,
            )
        elif png is None:
            await bot.edit_message_caption(
                chat, number, caption=fitted(message, CAPTION), parse_mode=ParseMode.HTML, reply_markup=buttons
            )
        else:
            caption = fitted(message, CAPTION)
            photo = InputMediaPhoto(png, caption=caption, parse_mode=ParseMode.HTML, filename=PICTURE)
            await bot.edit_message_media(photo, chat, number, reply_markup=buttons)

    def _logged_in(self) -> Bot:
        if self._bot is None:
            raise Trouble("not connected")
        return self._bot

    @contextmanager
    def at(self, chat: str) -> Iterator[None]:
        """Around a call in a chat. Raises `Trouble` instead of Telegram's errors."""
        try:
            yield
        except RetryAfter as error:
            wait = seconds(error)
            self.budget.hold(chat, wait)
            raise Held(wait) from error
        except ChatMigrated as error:
            raise Moved(str(error.new_chat_id)) from error
        except Forbidden as error:
            raise Closed(type(error).__name__) from error
        except BadRequest as error:
            raise _meant(error) from error
        except TelegramError as error:
            raise Trouble(type(error).__name__) from error


def seconds(error: RetryAfter) -> float:
    """For how long Telegram wants to be left alone."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def _meant(error: BadRequest) -> Trouble:
    """What a bad request means for the message."""
    text = _QUOTE.split(str(error).casefold(), maxsplit=1)[0].rstrip()
    if any(part in text for part in _GONE):
        return Gone(text)
    if any(part in text for part in _CLOSED):
        return Closed(text)
    return Trouble(text)


def _thread(thread: str) -> int | None:
    return int(thread) if thread else None
