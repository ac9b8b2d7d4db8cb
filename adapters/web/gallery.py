"""The pictures that were shown lately: only they can be asked for, by whoever has the link of their match."""

from collections import OrderedDict

from render.picture import Picture
from render.pictures import key

KEPT = 2000


class Gallery:
    """Descriptions of pictures by match and key; the oldest make room."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._pictures: OrderedDict[tuple[str, str], Picture] = OrderedDict()

    def hang(self, match: str, picture: Picture) -> str:
        """Makes a picture of a match available; returns its address."""
        name = (match, key(picture))
        self._pictures[name] = picture
        self._pictures.move_to_end(name)
        while len(self._pictures) > self._kept:
            self._pictures.popitem(last=False)
        return f"/t/{match}/board/{name[1]}.png"

    def find(self, match: str, key: str) -> Picture | None:
        """The picture of that address, None if it was not shown lately."""
        return self._pictures.get((match, key))
