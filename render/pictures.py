"""Board pictures for platforms: drawn in worker threads, kept while they are asked for."""

import asyncio
import hashlib
import json
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial

from render import board
from render.picture import Picture

DRAWING = 1
"""Raise it when the same description is drawn differently, so that browsers ask again."""
KEPT_BYTES = 16 << 20
WORKERS = 2


def key(picture: Picture) -> str:
    """A short name of what the picture shows: 24 hexadecimal digits, the same in every process."""
    text = json.dumps([DRAWING, asdict(picture)], default=sorted, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:24]


class Pictures:
    """Draws each picture once for all who ask for it at the same time, and remembers the last ones.

    To be used in one event loop; `limit` bounds the remembered PNGs in bytes.
    """

    def __init__(self, workers: int = WORKERS, limit: int = KEPT_BYTES) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="picture")
        self._limit = limit
        self._size = 0
        self._kept: OrderedDict[Picture, bytes] = OrderedDict()
        self._drawing: dict[Picture, asyncio.Future[bytes]] = {}

    async def png(self, picture: Picture) -> bytes:
        """The picture as a PNG.

        Raises ValueError for a width that cannot be drawn, RuntimeError after `close`.
        """
        if (kept := self._kept.get(picture)) is not None:
            self._kept.move_to_end(picture)
            return kept
        drawing = self._drawing.get(picture)
        if drawing is None:
            drawing = asyncio.get_running_loop().run_in_executor(self._pool, board.png, picture)
            self._drawing[picture] = drawing
            drawing.add_done_callback(partial(self._drawn, picture))
        # Whoever stops waiting must not stop the drawing: others may wait for it too.
        return await asyncio.shield(drawing)

    def close(self) -> None:
        """Finishes what is being drawn (milliseconds) and ends the threads."""
        self._pool.shutdown(wait=True)
        self._kept.clear()
        self._size = 0

    def _drawn(self, picture: Picture, drawing: "asyncio.Future[bytes]") -> None:
        del self._drawing[picture]
        # Asking for the exception marks it as seen, should nobody wait any more.
        if drawing.cancelled() or drawing.exception():
            return
        self._kept[picture] = drawing.result()
        self._size += len(drawing.result())
        while self._size > self._limit and self._kept:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest)
