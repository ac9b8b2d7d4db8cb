"""Updates as they come in: handed to the desk, and what comes of them told in Telegram's way."""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from telegram import (
    Bot,
    CallbackQuery,
    ChatMember,
    ChatMemberUpdated,
    LinkPreviewOptions,
    MaybeInaccessibleMessage,
    ReplyParameters,
    Update,
)
from telegram import Message as Written
from telegram.constants import ChatType, ParseMode
from telegram.error import TelegramError

from adapters.chat.desk import Desk
from adapters.chat.people import Place
from adapters.chat.ports import Trouble
from adapters.chat.replies import Done, Opened, Reply, Said
from adapters.chat.stage import Stage
from adapters.telegram import reading
from adapters.telegram.posts import PLATFORM, Posts
from adapters.telegram.texts import TEXT, TOAST, cut, fitted, keyboard, units
from bot.engine.errors import Refusal, Unreadable
from bot.service.actions import Verb, decode
from bot.service.ports import Store
from bot.service.table import Delivery
from render.message import Message

log = logging.getLogger(__name__)

REFUSAL_STAYS = 30.0
"""Seconds for which a group reads why a typed command was refused."""
ANSWERED_WITHIN = 30.0
"""Seconds after which an answer is not given any more, in a chat that takes no more for now."""
FINISHED_WITHIN = 2.0
"""Seconds that answers get at the end."""
_AWAY = (ChatMember.LEFT, ChatMember.BANNED)


class Reception:
    """Takes updates. Whatever happens, whoever pressed or wrote is answered."""

    def __init__(self, desk: Desk, stage: Stage, posts: Posts, store: Store) -> None:
        self._desk = desk
        self._stage = stage
        self._posts = posts
        self._store = store
        self._answering: set[asyncio.Task[None]] = set()
        self._cleaning: set[asyncio.Task[None]] = set()

    async def take(self, update: Update, bot: Bot) -> None:
        """One update; raises nothing."""
        try:
            if update.callback_query:
                await self._pressed(update.callback_query, bot)
            elif update.my_chat_member:
                await self._membership(update.my_chat_member)
            elif update.message and update.message.migrate_to_chat_id:
                await self._stage.moved(str(update.message.chat.id), str(update.message.migrate_to_chat_id))
            elif update.message and update.message.chat.type != ChatType.CHANNEL:
                await self._written(update, update.message, bot)
        except Exception:
            log.exception("Telegram: an update could not be handled")

    async def close(self) -> None:
        """Gives the answers that can be given at once, and leaves standing what would have been cleaned away."""
        if self._answering:
            await asyncio.wait(self._answering, timeout=FINISHED_WITHIN)
        tasks = [*self._answering, *self._cleaning]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Written.

    async def _written(self, update: Update, message: Written, bot: Bot) -> None:
        person = reading.person_of(message.from_user) if message.from_user else None
        if person is None:
            return
        told = self._desk.words(person)
        try:
            asked = reading.asked_of(update, bot.bot)
            reply = await self._desk.command(asked) if asked else Done()
        except Refusal as refusal:
            self._refuse(message, told.refusal(refusal), bot)
        except Exception:
            log.exception("Telegram: a command failed")
            self._refuse(message, told.say("Something went wrong here. Please try again."), bot)
        else:
            await self._answer(message, reply, bot)

    async def _answer(self, message: Written, reply: Reply, bot: Bot) -> None:
        """`Done` needs no words: the live message tells it."""
        match reply:
            case Opened(screen, call):
                await self._stage.open(screen, call=call)
            case Said(said):
                self._say(message, said, bot)

    def _refuse(self, message: Written, text: str, bot: Bot) -> None:
        self._say(message, Message(lines=(text,)), bot, stays=message.chat.type == ChatType.PRIVATE)

    def _say(self, to: MaybeInaccessibleMessage, said: Message, bot: Bot, *, stays: bool = True) -> None:
        """A message for whoever wrote or pressed. No handler waits for it: that would keep other chats waiting."""
        _kept(self._answering, self._said_to(to, said, bot, stays=stays))

    async def _said_to(self, to: MaybeInaccessibleMessage, said: Message, bot: Bot, *, stays: bool) -> None:
        chat = str(to.chat.id)
        try:
            async with asyncio.timeout(ANSWERED_WITHIN):
                await self._posts.budget.take(chat)
            with self._posts.at(chat):
                sent = await _sent(to, said, bot)
        except (Trouble, TimeoutError) as trouble:
            log.info("Telegram: an answer was not given: %s", str(trouble) or type(trouble).__name__)
            return
        if not stays:
            _kept(self._cleaning, _clean(sent, bot))

    # Pressed.

    async def _pressed(self, query: CallbackQuery, bot: Bot) -> None:
        """A press is answered once, by the toast; what has changed is shown by the stage."""
        person = reading.person_of(query.from_user)
        told = self._desk.words(person)
        try:
            if query.message is None or query.data is None:
                raise Unreadable("bad_button")
            place = await self._place(query.message)
            number, delivery = str(query.message.message_id), Delivery(PLATFORM, f"press {query.id}")
            reply = await self._desk.press(person, place, number, query.data, delivery)
        except Refusal as refusal:
            await _toast(query, told.refusal(refusal))
        except Exception:
            log.exception("Telegram: a press failed")
            await _toast(query, told.say("Something went wrong here. Please try again."))
        else:
            await self._told(query, reply, bot)

    async def _told(self, query: CallbackQuery, reply: Reply, bot: Bot) -> None:
        match reply:
            case Done(text):
                await _toast(query, text)
            case Opened(screen, call):
                await self._stage.open(screen, call=call)
                await _toast(query, "")
            case Said(said):
                await self._said(query, said, bot)

    async def _said(self, query: CallbackQuery, said: Message, bot: Bot) -> None:
        """What only the presser wants to read: in a group it is not for all, so it pops up, or is behind a link."""
        text = "\n".join(said.lines)
        if query.message is None or query.message.chat.type != ChatType.PRIVATE:
            if units(text) <= TOAST and not said.buttons:
                await _toast(query, text, alert=True)
                return
            if link := _elsewhere(query, bot):
                await _toast(query, "", url=link)
                return
        await _toast(query, "")
        if query.message:
            self._say(query.message, said, bot)

    async def _place(self, message: MaybeInaccessibleMessage) -> Place:
        """Where the pressed message stands. The topic of one that is too old is not told, but known here."""
        # The library makes a whole message of either kind: only the date tells them apart.
        if isinstance(message, Written) and message.is_accessible:
            return reading.place_of(message)
        chat = str(message.chat.id)
        screens = await self._store.screens_in(PLATFORM, chat)
        known = [screen.thread for screen in screens if screen.message == str(message.message_id)]
        private = message.chat.type == ChatType.PRIVATE
        return Place(PLATFORM, chat, known[0] if known else "", private=private)

    # Comings and goings.

    async def _membership(self, changed: ChatMemberUpdated) -> None:
        """The bot was blocked or thrown out: the match goes on, and /board brings the table back."""
        if changed.new_chat_member.status in _AWAY:
            await self._stage.left(str(changed.chat.id))


async def _toast(query: CallbackQuery, text: str, *, alert: bool = False, url: str | None = None) -> None:
    """Answers a press. An answer that comes too late, or not at all, is no fault: what was done is done."""
    try:
        await query.answer(cut(text) or None, show_alert=alert, url=url)
    except TelegramError as error:
        log.info("Telegram: a press was not answered: %s", type(error).__name__)


async def _sent(to: MaybeInaccessibleMessage, said: Message, bot: Bot) -> Written:
    """A message for one person; in a group as an answer to him."""
    private = to.chat.type == ChatType.PRIVATE
    thread = to.message_thread_id if isinstance(to, Written) and to.is_topic_message else None
    return await bot.send_message(
        to.chat.id,
        fitted(said, TEXT),
        parse_mode=ParseMode.HTML,
        reply_markup=keyboard(said),
        message_thread_id=thread,
        link_preview_options=LinkPreviewOptions(is_disabled=True),
        disable_notification=True,
        reply_parameters=None if private else ReplyParameters(to.message_id, allow_sending_without_reply=True),
    )


async def _clean(sent: Written, bot: Bot) -> None:
    await asyncio.sleep(REFUSAL_STAYS)
    with suppress(TelegramError):
        await bot.delete_message(sent.chat.id, sent.message_id)


def _kept(tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> None:
    """Starts work that nobody waits for."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


def _elsewhere(query: CallbackQuery, bot: Bot) -> str:
    """The link to the position in words in the presser's own chat; "" if that is not what was asked for."""
    try:
        action = decode(query.data or "")
    except Unreadable:
        return ""
    return f"https://t.me/{bot.username}?start=w{action.match}" if action.verb is Verb.WORDS else ""
