"""What must happen once, however often it is asked for: pressing "start" twice makes one match."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable

KEPT = 1000


class Once:
    """Remembers lately made things by what they were asked with. What failed may be tried again."""

    def __init__(self) -> None:
        self._made: OrderedDict[Hashable, asyncio.Future[str]] = OrderedDict()

    async def __call__(self, asked: Hashable, make: Callable[[], Awaitable[str]]) -> str:
        """The address of what `make` made, now or before; raises what `make` raises."""
        made = self._made.get(asked)
        if made is None:
            made = self._made[asked] = asyncio.ensure_future(make())
            made.add_done_callback(lambda done: self._forget(asked, done))
        return await asyncio.shield(made)

    def _forget(self, asked: Hashable, done: asyncio.Future[str]) -> None:
        if done.cancelled() or done.exception():
            self._made.pop(asked, None)
        while len(self._made) > KEPT:
            self._made.popitem(last=False)
