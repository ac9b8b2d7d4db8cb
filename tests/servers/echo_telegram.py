"""The least that a bot with pictures can do on Telegram: what `tavla bench platforms` compares ours with.

/start sends a board with a button; each press is answered and shows the other of two boards.
"""

import asyncio
import os
import sys

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, InputMediaPhoto, Update
from telegram.ext import Application, CallbackQueryHandler, CommandHandler, ContextTypes

from bot.bench import boards

Context = ContextTypes.DEFAULT_TYPE
KEYBOARD = InlineKeyboardMarkup([[InlineKeyboardButton("next", callback_data="next")]])
PICTURES = boards(2)


async def start(update: Update, context: Context) -> None:
    if update.message:
        await update.message.reply_photo(PICTURES[0], caption="0", reply_markup=KEYBOARD)


async def press(update: Update, context: Context) -> None:
    query = update.callback_query
    if query is None or query.message is None:
        return
    number = 1 + int(getattr(query.message, "caption", None) or 0)
    await query.answer("done")
    media = InputMediaPhoto(PICTURES[number % 2], caption=str(number), filename="board.png")
    await query.edit_message_media(media, reply_markup=KEYBOARD)


async def serve(token: str, address: str) -> None:
    builder = Application.builder().token(token).base_url(f"{address}/bot").concurrent_updates(32)
    application = builder.job_queue(None).build()
    application.add_handler(CommandHandler("start", start))
    application.add_handler(CallbackQueryHandler(press))
    async with application:
        await application.start()
        if application.updater:
            await application.updater.start_polling()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(os.environ["TELEGRAM_TOKEN"], sys.argv[1]))
