"""Why something is refused, as a reason and values; sentences are made in `render.words`."""


class Refusal(Exception):
    """An attempt that changes nothing. `reason` names the sentence, `values` fill it."""

    def __init__(self, reason: str, **values: object) -> None:
        super().__init__(reason, values)
        self.reason = reason
        self.values = values

    def __reduce__(self) -> tuple[object, ...]:
        """A refusal comes back whole from another process, its values by name."""
        return _again, (type(self), self.reason, self.values)

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self.values.items())
        return f"{self.reason} ({told})" if told else self.reason


class Unreadable(Refusal):
    """Text, a position or a button that cannot be understood."""


class Illegal(Refusal):
    """Understood, but against the rules here and now."""


class Ambiguous(Refusal):
    """Understood in more than one way that makes a difference; `choices` tells them apart."""


class NotYours(Refusal):
    """Not your turn, not your seat, not your match."""


class Stale(Refusal):
    """Meant for a board that has moved on."""


def _again(kind: type[Refusal], reason: str, values: dict[str, object]) -> Refusal:
    return kind(reason, **values)
