"""A limit against accidents: so many presses at once, so many a second."""

from bot.service.ports import Now

BURST, A_SECOND = 20.0, 5.0


class Bucket:
    """Tokens for one connection: each press takes one, time brings them back."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._tokens = BURST
        self._filled = now()

    def take(self) -> bool:
        """Whether there was a token left."""
        now = self._now()
        self._tokens = min(BURST, self._tokens + max(0.0, now - self._filled) * A_SECOND)
        self._filled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
