"""Tavla on Telegram: polls, stays connected, and ends in order."""

import asyncio
import contextlib
import hashlib
import json
import logging
import os
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from telegram import Bot, BotCommand, Update
from telegram.error import Conflict, InvalidToken, TelegramError
from telegram.ext import Application, ContextTypes, TypeHandler

from adapters.chat.desk import Desk
from adapters.chat.ports import House
from adapters.chat.stage import Stage
from adapters.telegram.budget import Budget
from adapters.telegram.http import Polls, Requests
from adapters.telegram.posts import Posts
from adapters.telegram.reception import Reception
from render.commands import COMMANDS
from render.words import SOURCE, languages, words

log = logging.getLogger(__name__)

POLL = timedelta(seconds=25)
"""For how long Telegram keeps a poll open that has nothing to tell."""
SILENT_TOO_LONG = 60.0
"""Seconds without a finished poll after which the client is built anew."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
HUNG_UP_WITHIN = 2.0
"""Seconds that the polling gets at the end: during an outage the library sleeps up to 30 s between two polls."""
FINISHED_WITHIN = 10.0
"""Seconds that polling and handlers together get at the end."""
ALARM_EVERY = 60.0
"""Seconds between two lines about another process that polls with the same token."""
AT_ONCE = 32
"""Updates that are handled side by side; two for one match are told apart by its revision."""
CONNECTIONS = 16
ALLOWED = (Update.MESSAGE, Update.CALLBACK_QUERY, Update.MY_CHAT_MEMBER)
NOTE = "telegram.commands"
"""Under which the store keeps what Telegram was told last."""


class Telegram:
    """The bot on Telegram. `base_url`: of a Bot API server of one's own ("http://127.0.0.1:8081"), "" for Telegram's;
    `say` prints a line for the operator."""

    def __init__(
        self,
        token: str,
        house: House,
        *,
        base_url: str = "",
        say: Callable[[str], None] = print,
    ) -> None:
        # Else python-telegram-bot warns at every flood wait that seconds are to become a timedelta.
        os.environ.setdefault("PTB_TIMEDELTA", "1")
        self._token = token
        self._base_url = base_url
        self._store = house.store
        self._say = say
        self._welcomed = False
        self._alarmed = -ALARM_EVERY
        self._posts = Posts(Budget(time.monotonic))
        self._stage = Stage(self._posts, house)
        desk = Desk(self._stage, self._posts, house)
        self._reception = Reception(desk, self._stage, self._posts, house.store)
        self._polls: Polls | None = None
        house.screens.join(self._stage)

    @property
    def silence(self) -> float:
        """Seconds since a poll was finished last; infinite without a connection."""
        return time.monotonic() - self._polls.finished if self._polls else float("inf")

    @property
    def healthy(self) -> bool:
        """Whether it polls and Telegram answers."""
        return self.silence < SILENT_TOO_LONG

    async def run(self) -> None:
        """Serves until it is cancelled, or returns if Telegram will never let it in; then all is ended in order."""
        showing = asyncio.create_task(self._stage.run())
        try:
            await self._serve()
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)
            await self._close()

    async def _close(self) -> None:
        """Shows and answers what is under way, while there is a connection."""
        await self._stage.close()
        await self._reception.close()
        await self._posts.close()

    async def _serve(self) -> None:
        pause = FIRST_PAUSE
        while True:
            began = time.monotonic()
            try:
                await self._connect()
            except InvalidToken:
                self._say("Telegram: the token is not accepted. Set TELEGRAM_TOKEN to the one that @BotFather tells.")
                return
            except TelegramError as error:
                log.warning("Telegram: %s", type(error).__name__)
            except Exception:
                log.exception("Telegram: the connection failed")
            pause = FIRST_PAUSE if time.monotonic() - began > LONGEST_PAUSE else pause
            log.info("Telegram: connecting again in %g s", pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _connect(self) -> None:
        """One client from login to its end. Raises `InvalidToken` if the token is not or no more accepted; any other
        error, and the return after too long a silence, want a new one."""
        # Opened here: after a login that fails the library would close neither.
        async with (
            Polls() as polls,
            Requests(CONNECTIONS) as requests,
            self._application(requests, polls) as application,
        ):
            await self._greet(application.bot)
            self._posts.connected(application.bot)
            await application.start()
            try:
                self._polls = polls
                await self._poll(application, polls)
            except asyncio.CancelledError:
                await self._stop(application)
                await self._close()
                raise
            finally:
                await self._stop(application)
                self._posts.connected(None)
                self._polls = None

    def _application(self, requests: Requests, polls: Polls) -> "Application[Any, Any, Any, Any, Any, Any]":
        builder = Application.builder().token(self._token).concurrent_updates(AT_ONCE).job_queue(None)
        # No AIORateLimiter: it halts every chat when one is told to wait. `Budget` holds back that one alone.
        builder = builder.request(requests).get_updates_request(polls)
        if self._base_url:
            builder = builder.base_url(f"{self._base_url}/bot").base_file_url(f"{self._base_url}/file/bot")
        application = builder.build()
        application.add_handler(TypeHandler(Update, self._take))
        return application

    async def _take(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        await self._reception.take(update, context.bot)

    async def _poll(self, application: "Application[Any, Any, Any, Any, Any, Any]", polls: Polls) -> None:
        if application.updater is None:
            raise RuntimeError("an application that polls has an updater")
        await application.updater.start_polling(
            timeout=POLL, allowed_updates=ALLOWED, drop_pending_updates=False, error_callback=self._alarm
        )
        polls.finished = time.monotonic()
        while time.monotonic() - polls.finished < SILENT_TOO_LONG:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SILENT_TOO_LONG / 10):
                    await polls.refused.wait()
                    raise InvalidToken
        log.error("Telegram: no poll was finished for %g s", SILENT_TOO_LONG)

    def _alarm(self, error: TelegramError) -> None:
        """What went wrong with a poll; the next one is made by itself, later and later."""
        if not isinstance(error, Conflict):
            log.info("Telegram: a poll failed: %s", type(error).__name__)
        elif time.monotonic() - self._alarmed >= ALARM_EVERY:
            self._alarmed = time.monotonic()
            log.error("Telegram: another process polls with this token; only one of them is told anything")

    async def _stop(self, application: "Application[Any, Any, Any, Any, Any, Any]") -> None:
        """Takes nothing more in and lets the handlers finish, for a while; stopping again does nothing."""
        with contextlib.suppress(TimeoutError, TelegramError):
            async with asyncio.timeout(FINISHED_WITHIN):
                if application.updater and application.updater.running:
                    # What ended the polling is told here once more.
                    with contextlib.suppress(TimeoutError, TelegramError):
                        async with asyncio.timeout(HUNG_UP_WITHIN):
                            await application.updater.stop()
                if application.running:
                    await application.stop()

    # Introductions.

    async def _greet(self, bot: Bot) -> None:
        """Tells Telegram the commands, and once the operator how to go on."""
        await self._tell_commands(bot)
        if self._welcomed:
            return
        self._welcomed = True
        self._say(f"Telegram: @{bot.username} is connected: https://t.me/{bot.username}")
        self._say(f"  to a group: https://t.me/{bot.username}?startgroup")
        if not bot.bot.can_join_groups:
            self._say("  @BotFather, /setjoingroups: Enable, or nobody can add it to a group")
        self._say("  @BotFather's other settings stay as they are: group privacy on, no inline mode, no administrator")

    async def _tell_commands(self, bot: Bot) -> None:
        """Only when they have changed since the last time."""
        told = {
            language: [(name, words(language).say(command.purpose)) for name, command in COMMANDS.items()]
            for language in languages()
        }
        text = json.dumps([bot.id, self._base_url, told], sort_keys=True)
        name = hashlib.sha256(text.encode()).hexdigest()[:32]
        if await self._store.note(NOTE) == name:
            return
        try:
            for language, commands in told.items():
                code = None if language == SOURCE else language
                await bot.set_my_commands([BotCommand(*command) for command in commands], language_code=code)
        except InvalidToken:
            raise
        except TelegramError as error:  # they can be typed all the same; the next start tells them
            log.warning("Telegram: the list of commands was not taken: %s", type(error).__name__)
            return
        await self._store.put_note(NOTE, name)
