"""The live messages of one platform: each shows a match or a challenge as it is now, the newest wins.

They are rows of the store, so that they outlast the process. A message is at work (`_Slot`) only while it is behind;
whatever a crash, a flood wait or an outage has left behind is found again by `run`.
"""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from adapters.chat.ports import Closed, Gone, Held, House, Moved, Platform, Trouble, Via
from adapters.chat.showing import Peek, Showing, Shows
from bot.engine.errors import Unreadable
from bot.service.table import Shown, Table
from render.message import Message

log = logging.getLogger(__name__)

SWEEP = 5.0
"""Seconds between looks at what is behind."""
PICTURE_LATER = 6.0
"""Seconds of quiet after which a picture that was spared is drawn after all."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
PATIENCE = 20.0
"""Seconds for which a ring waits to be heard."""
GRACE = 5.0
"""Seconds that showings get at the end."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the next showing shall do: answer presses, be a new message (that calls somebody), show in any case."""

    vias: tuple[Via, ...] = ()
    new: bool = False
    call: str = ""
    forced: bool = False
    peek: Peek = Peek()
    table: Table | None = None
    """The table that a press has led to: if that is all that is wished, nobody has to look it up."""

    def and_then(self, later: "_Wish") -> "_Wish":
        """Both in one."""
        return _Wish(
            (*self.vias, *later.vias),
            self.new or later.new,
            later.call or self.call,
            self.forced or later.forced,
            later.peek if later.peek != Peek() else self.peek,
        )


@dataclass(slots=True)
class _Slot:
    """One message at work. `held`: presses under way whose outcome is worth waiting for."""

    id: int
    watched: str
    wish: _Wish | None = None
    held: int = 0
    spared: str = ""
    """The hash of what was shown last without its picture."""
    resting: bool = False
    """Whether it waits for a better moment: at the end nothing is lost with it."""
    task: asyncio.Task[None] | None = None
    stirred: asyncio.Event = field(default_factory=asyncio.Event)

    def want(self, wish: _Wish) -> None:
        self.wish = self.wish.and_then(wish) if self.wish else wish
        self.stirred.set()

    def take(self) -> _Wish:
        wish, self.wish = self.wish or _Wish(), None
        self.stirred.clear()
        return wish

    def put_back(self, wish: _Wish) -> None:
        """What could not be done is wanted still, before whatever was wished since."""
        self.wish = wish.and_then(self.wish) if self.wish else wish

    async def rest(self, seconds: float, *, until_pressed: bool) -> None:
        """Waits, but not longer than to the next wish (or press)."""
        self.resting = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not (self.wish and (self.wish.vias or not until_pressed)):
                    self.stirred.clear()
                    await self.stirred.wait()
        self.resting = False


class Stage:
    """Shows matches and challenges in the chats of one `platform`."""

    def __init__(self, platform: Platform, house: House) -> None:
        self._platform = platform
        self._store = house.store
        self._pictures = house.pictures
        self._now = house.now
        self._shows = Shows(platform, house)
        self._slots: dict[int, _Slot] = {}
        self._woken: set[str] = set()
        self._stirred = asyncio.Event()
        self._closed = False

    # From outside.

    def wake(self, watched: str) -> None:
        """There is something new to see of a match or challenge."""
        self._woken.add(watched)
        self._stirred.set()

    async def ring(self, table: Table) -> None:
        """Shows the table anew, below everything else, to whoever is awaited; raises `Trouble` if that takes long."""
        slots = []
        for screen in await self._screens(table.id):
            if not screen.by_press and (call := await self._shows.called(screen, table)):
                slots.append(self._want(screen, _Wish(new=True, call=call)))
        tasks = [slot.task for slot in slots if slot.task]
        if tasks and (await asyncio.wait(tasks, timeout=PATIENCE))[1]:
            raise Trouble("not everybody could be told")

    async def open(self, screen: Shown, via: Via | None = None, call: str = "") -> None:
        """A new message at the place of `screen`; the one that showed the same there loses its buttons.

        `call`: the platform's id of who shall hear of it.
        """
        known = await self.find(screen)
        if known is None:
            known = await self._store.put_screen(screen)
        elif known.by_press != screen.by_press:
            await self._store.put_screen(known := replace(known, by_press=screen.by_press))
        self._want(known, _Wish((via,) if via else (), new=True, call=call))

    async def find(self, screen: Shown) -> Shown | None:
        """The live message that shows the same at the same place, if there is one."""
        return _at_place(screen, await self._screens(screen.watched))

    @contextlib.asynccontextmanager
    async def pressing(self, pressed: Shown) -> AsyncIterator[Shown]:
        """Around what a press on the message `pressed` does; yields the live message at that place.

        The message waits for the press, so that there is one change to be seen and not two. Pressed on a message that
        is not the live one any more, that one loses its buttons.
        """
        screens = await self._screens(pressed.watched)
        screen = await self._adopted(pressed, _at_place(pressed, screens))
        slot = self._slot(screen)
        slot.held += 1
        try:
            yield screen
        finally:
            slot.held -= 1
            self._go(slot)
            if pressed.watched in self._woken:  # what is to be shown is known: nobody has to look it up
                self._woken.discard(pressed.watched)
                for other in screens:
                    if other.id != screen.id:
                        self._want(other, _Wish())
            if screen.message != pressed.message:
                await self._retire(pressed)

    def show(
        self,
        screen: Shown,
        via: Via | None = None,
        peek: Peek | None = None,
        *,
        table: Table | None = None,
        forced: bool = False,
    ) -> None:
        """Shows a live message anew; `peek`: with other buttons or a hint for this once; `table`: as it is known."""
        forced = forced or peek is not None
        self._want(screen, _Wish((via,) if via else (), forced=forced, peek=peek or Peek(), table=table))

    async def belongs_to(self, screen: Shown, player: int) -> None:
        """A shared screen that was one player's is another's: he, not who had opened it, sits down."""
        if screen.shared and screen.player is not None:
            await self._store.put_screen(replace(screen, player=player))

    async def moved(self, old: str, new: str) -> None:
        """A chat has another number."""
        await self._store.move_chat(self._platform.name, old, new)

    async def left(self, chat: str) -> None:
        """Nothing can be shown in a chat any more."""
        await self._store.leave_chat(self._platform.name, chat)

    async def run(self) -> None:
        """Shows what is new and whatever is behind, until it is cancelled."""
        swept = -SWEEP
        loop = asyncio.get_running_loop()
        while True:
            try:
                woken, self._woken = self._woken, set()
                self._stirred.clear()
                for watched in woken:
                    for screen in await self._screens(watched):
                        self._want(screen, _Wish())
                if loop.time() - swept >= SWEEP:
                    await self._sweep()
                    swept = loop.time()
            except Exception:
                log.exception("%s: the live messages could not be looked up", self._platform.name)
            # Not wait_for: in Python 3.11 it swallows a cancellation that comes together with the event.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SWEEP):
                    await self._stirred.wait()

    async def close(self) -> None:
        """Lets what is under way finish, for a while; what is left over is shown at the next start."""
        self._closed = True
        for slot in self._slots.values():
            if slot.task and slot.resting:
                slot.task.cancel()
        tasks = [slot.task for slot in self._slots.values() if slot.task]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=GRACE)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # Slots.

    async def _screens(self, watched: str) -> Sequence[Shown]:
        screens = await self._store.screens(watched)
        return [screen for screen in screens if screen.platform == self._platform.name]

    async def _sweep(self) -> None:
        for screen in await self._store.behind(self._platform.name):
            if screen.id not in self._slots:
                self._want(screen, _Wish())

    def _slot(self, screen: Shown) -> _Slot:
        if screen.id is None:
            raise ValueError("a live message is kept before it is shown")
        return self._slots.setdefault(screen.id, _Slot(screen.id, screen.watched))

    def _want(self, screen: Shown, wish: _Wish) -> _Slot:
        slot = self._slot(screen)
        slot.want(wish)
        self._go(slot)
        return slot

    def _go(self, slot: _Slot) -> None:
        """Sets the slot to work if it is idle and wanted, and forgets it if there is nothing to do."""
        if slot.held or (slot.task and not slot.task.done()):
            return
        if slot.wish and not self._closed:
            slot.task = asyncio.create_task(self._work(slot))
            slot.task.add_done_callback(lambda _: self._go(slot))
        else:
            self._slots.pop(slot.id, None)

    async def _work(self, slot: _Slot) -> None:
        """Shows until nothing more is wanted; after trouble again, with longer and longer pauses."""
        pause = FIRST_PAUSE
        while slot.wish and not slot.held:
            wish = slot.take()
            rest = pause
            try:
                await self._show(slot, wish)
                done = True
            except Held as held:
                done, rest = False, held.seconds
            except Trouble as trouble:
                log.info("%s: a message is not shown yet: %s", self._platform.name, trouble)
                done = False
            except Exception:
                log.exception("%s: a message could not be shown", self._platform.name)
                done = False
            await _acknowledge(wish.vias)
            if done and slot.spared:
                await slot.rest(PICTURE_LATER, until_pressed=False)
                slot.want(_Wish(forced=True))
            elif not done:
                slot.put_back(replace(wish, vias=()))
                await slot.rest(rest, until_pressed=True)
            pause = FIRST_PAUSE if done else min(2 * pause, LONGEST_PAUSE)

    # Showing.

    async def _show(self, slot: _Slot, wish: _Wish) -> None:
        """Shows the message of a slot once. Raises `Trouble` if it has to be tried again."""
        slot.spared, spared = "", slot.spared
        screen = await self._row(slot)
        if screen is None:
            return
        plenty = bool(wish.vias) or await self._platform.ready(screen)
        shown = await self._shows.compose(screen, wish.peek, wish.table)
        try:
            slot.spared = await self._put(screen, shown, wish, "" if plenty else spared or "nothing")
        except Closed as closed:
            await self._give_up(screen, closed)
            return
        except Moved as moved:
            await self.moved(screen.chat, moved.chat)
            raise Held(0) from moved
        following = await self._shows.following(screen, shown.follow) if shown.follow else None
        if following and not await self.find(following):
            await self.open(following)

    async def _put(self, screen: Shown, shown: Showing, wish: _Wish, sparing: str) -> str:
        """Brings the message up to date. `sparing`: the hash of what was sent last without its picture, "" if there is
        no need to spare; returns such a hash if its picture was spared again."""
        name = _hash(shown.message)
        new = wish.new or not screen.message or self._outdated(screen, shown)
        if not new and not wish.forced and (name == screen.shown_hash or _seen(screen, shown)):
            await self._note(screen, shown, screen.shown_hash)
            return ""
        spared = bool(sparing) and not new and shown.busy and shown.message.picture is not None
        if spared and sparing == name:
            return name
        via = wish.vias[-1] if wish.vias else None
        if new:
            await self._post(screen, shown, via, wish.call, name)
        elif not await self._edit(screen, shown, via, spared=spared):
            await self._post(screen, shown, None, "", name)
        elif spared:
            return name
        else:
            await self._note(screen, shown, name)
        return ""

    async def _edit(self, screen: Shown, shown: Showing, via: Via | None, *, spared: bool) -> bool:
        """Changes the message; returns False if it cannot be changed any more."""
        try:
            await self._platform.edit(screen, shown.message, None if spared else await self._drawn(shown), via)
        except Gone:
            return False
        return True

    async def _post(self, screen: Shown, shown: Showing, via: Via | None, call: str, name: str) -> None:
        """A new message takes the place of the old one, which loses its buttons."""
        message = await self._platform.post(screen, shown.message, await self._drawn(shown), via, call)
        posted = replace(screen, message=message, posted_at=self._now())
        await self._note(posted, shown, name, changed=True)
        if screen.message:
            await self._retire(screen)

    async def _drawn(self, shown: Showing) -> bytes | None:
        return await self._pictures.png(shown.message.picture) if shown.message.picture else None

    async def _note(self, screen: Shown, shown: Showing, name: str, *, changed: bool = False) -> None:
        """Keeps what the message shows now."""
        noted = replace(screen, shown_revision=shown.revision, shown_hash=name, game=shown.game)
        if noted != screen or changed:
            await self._store.put_screen(noted)

    async def _retire(self, screen: Shown) -> None:
        with contextlib.suppress(Trouble):
            await self._platform.retire(screen)

    async def _row(self, of: "_Slot | Shown") -> Shown | None:
        """The screen as it is kept."""
        return next((screen for screen in await self._screens(of.watched) if screen.id == of.id), None)

    async def _give_up(self, screen: Shown, closed: Closed) -> None:
        """Nothing can be sent there: the match goes on without, and the next press or /board brings it back."""
        log.info("%s: nothing can be shown in a chat: %s", self._platform.name, closed)
        if self._platform.whispers:
            await self._store.put_screen(replace(screen, by_press=True))
        else:
            await self._store.leave_chat(self._platform.name, screen.chat, screen.thread)

    async def _adopted(self, pressed: Shown, known: Shown | None) -> Shown:
        """The live message at the place of a press: the pressed one itself if it is the newer, or none is `known`.

        Raises `Unreadable` if that message shows something else: whoever pressed has sent what no button of it says.
        """
        if known is None or known.message != pressed.message:
            there = await self._store.screens_in(pressed.platform, pressed.chat)
            if any(each.message == pressed.message and each.watched != pressed.watched for each in there):
                raise Unreadable("bad_button")
        if known is None:
            return await self._store.put_screen(replace(pressed, posted_at=self._now()))
        if known.by_press != pressed.by_press:
            await self._store.put_screen(known := replace(known, by_press=pressed.by_press))
        if not known.message or int(pressed.message) > int(known.message):
            newer = replace(known, message=pressed.message, shown_hash="", posted_at=self._now())
            await self._store.put_screen(newer)
            if known.message:
                await self._retire(known)
            return newer
        return known

    def _outdated(self, screen: Shown, shown: Showing) -> bool:
        """Whether a new message is due: another game has begun, or the platform wants no change of one so old."""
        if screen.by_press:
            return False
        other_game = bool(screen.game) and screen.game != shown.game
        return other_game or self._now() - screen.posted_at > self._platform.keeps


def _at_place(place: Shown, screens: Sequence[Shown]) -> Shown | None:
    """The one of `screens` in the chat and thread of `place`."""
    where = (place.chat, place.thread)
    return next((screen for screen in screens if (screen.chat, screen.thread) == where), None)


def _seen(screen: Shown, shown: Showing) -> bool:
    """Whether the message shows that board already, perhaps with other buttons that somebody has opened."""
    return screen.shown_revision == shown.revision and bool(screen.shown_hash) and shown.follow is None


async def _acknowledge(vias: Sequence[Via]) -> None:
    for via in vias:
        with contextlib.suppress(Trouble):
            await via.acknowledge()


def _hash(message: Message) -> str:
    """A short name of what a message shows, the same in every process. The picture's words stand for the picture."""
    text = repr((message.title, message.lines, message.small, message.alt, message.buttons))
    return hashlib.sha256(text.encode()).hexdigest()[:24]
