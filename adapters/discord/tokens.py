"""Interactions of chats that the bot is not a member of: while their tokens live, they let it write there."""

from collections import deque

from adapters.discord.answers import Answer

MOST = 512
"""Interactions remembered, in memory only; a screen that none of them reaches waits for the next press."""


class Tokens:
    """The newest interactions, each with its chat."""

    def __init__(self) -> None:
        self._kept: deque[tuple[str, Answer]] = deque(maxlen=MOST)

    def keep(self, chat: str, answer: Answer) -> None:
        """Remembers an interaction, and forgets those that are over."""
        while self._kept and self._kept[0][1].expired:
            self._kept.popleft()
        self._kept.append((chat, answer))

    def reaching(self, message: str) -> Answer | None:
        """The newest interaction by which a message can be changed."""
        return next((answer for _, answer in reversed(self._kept) if answer.reaches(message)), None)

    def latest(self, chat: str) -> Answer | None:
        """The newest interaction of a chat, if it lives."""
        found = next((answer for known, answer in reversed(self._kept) if known == chat), None)
        return None if found is None or found.expired else found
