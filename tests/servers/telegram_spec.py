"""What a bot sends, held against the machine-readable description of the Bot API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_ARRAY = "Array of "
_LENGTH = re.compile(r"\b(\d+)-(\d+) (characters|bytes)")
_CONSTANT = re.compile(r"must be (\w+)$")
_ONE_OF = re.compile(r'Must be one of ("[^.]*)\.')
_UNLESS = re.compile(r"^Required if (\w+) is not specified")
# What a button is; the rest of its fields say how it looks.
_LOOKS = {"text", "icon_custom_emoji_id", "style"}

# For runs without the description: the types of what the served methods take. All other parameters are text.
_INTEGERS = (
    "offset limit timeout message_id message_thread_id user_id cache_time message_effect_id width height duration"
)
_SWITCHES = (
    "show_alert disable_notification protect_content drop_pending_updates show_caption_above_media has_spoiler "
    "disable_content_type_detection allow_paid_broadcast"
)
_OBJECTS = (
    "allowed_updates entities caption_entities link_preview_options reply_parameters reply_markup media commands scope"
)
_PLAIN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_INTEGERS.split(), ("Integer",)),
    **dict.fromkeys(_SWITCHES.split(), ("Boolean",)),
    **dict.fromkeys(_OBJECTS.split(), ("Object",)),
    "chat_id": ("Integer", "String"),
}


@lru_cache
def _read(path: Path) -> Json:
    document: Json = json.loads(path.read_text("utf-8"))
    return document


class Spec:
    """The description at `path`; without one everything is taken for right."""

    def __init__(self, path: Path | None) -> None:
        self.present = path is not None and path.is_file()
        document = _read(path) if path is not None and self.present else {"methods": {}, "types": {}}
        self._methods: dict[str, dict[str, Json]] = {
            name: {field["name"]: field for field in method.get("fields", ())}
            for name, method in document["methods"].items()
        }
        self._types: dict[str, Json] = document["types"]
        self._returns = {name: method["returns"] for name, method in document["methods"].items()}

    def knows(self, method: str) -> bool:
        """Whether the Bot API has a method of this name; False for all without a description."""
        return method in self._methods

    def decoded(self, method: str, raw: Mapping[str, str]) -> Json:
        """Form fields as values: what is not text is JSON. A value that does not parse stays text."""
        fields = self._methods.get(method)
        return {
            name: _decoded(value, _PLAIN.get(name, ()) if fields is None else fields.get(name, {}).get("types", ()))
            for name, value in raw.items()
        }

    def errors(self, method: str, parameters: Json, files: Collection[str]) -> list[str]:
        """What is wrong with a decoded request; `files` are the names of its uploads. Empty when nothing is."""
        fields = self._methods.get(method)
        if fields is None:
            return [f"the Bot API has no method {method}"] if self.present else []
        found = list(self._fields(parameters, fields, frozenset(files), ""))
        found += [error for name in files if (error := _misplaced(name, fields, parameters))]
        return found

    def answer_errors(self, method: str, result: Any) -> list[str]:
        """The same for what a method answered: this holds the server itself against the description."""
        return list(self._value(result, self._returns[method], "result")) if self.present else []

    def update_errors(self, update: Any) -> list[str]:
        """The same for an update."""
        return list(self._value(update, ["Update"], "update")) if self.present else []

    def _fields(self, values: Json, fields: Mapping[str, Json], files: Collection[str], where: str) -> Iterator[str]:
        for name, field in fields.items():
            if name in values or name in files:
                continue
            other = _UNLESS.match(field["description"])
            if field["required"] or (other and other[1] not in values):
                yield f"{where}{name} is missing"
        for name, value in values.items():
            if name not in fields:
                yield f"{where}{name} is unknown"
            else:
                yield from self._value(value, fields[name]["types"], f"{where}{name}")
                yield from _content(value, fields[name], f"{where}{name}")

    def _value(self, value: Any, types: Sequence[str], where: str) -> Iterator[str]:
        """Errors of the type that fits best; none when one type fits."""
        tried = [list(self._one(value, kind, where)) for kind in types]
        if all(tried):
            # A wrong constant or an unknown field says that another type was meant: those errors would mislead.
            yield from min(tried, key=lambda errors: (sum(map(_misleads, errors)), len(errors)))

    def _one(self, value: Any, kind: str, where: str) -> Iterator[str]:
        if kind.startswith(_ARRAY):
            if not isinstance(value, list):
                yield f"{where} is no array: {value!r:.80}"
                return
            for index, item in enumerate(value):
                yield from self._value(item, [kind.removeprefix(_ARRAY)], f"{where}[{index}]")
        elif kind in _CHECKS:
            if not _CHECKS[kind](value):
                yield f"{where} is no {kind}: {value!r:.80}"
        elif subtypes := self._types[kind].get("subtypes"):
            yield from self._value(value, subtypes, where)
        elif not isinstance(value, dict):
            yield f"{where} is no {kind}: {value!r:.80}"
        else:
            fields = {field["name"]: field for field in self._types[kind].get("fields", ())}
            yield from self._fields(value, fields, (), f"{where}.")
            if kind == "InlineKeyboardButton" and len(value.keys() - _LOOKS) != 1:
                yield f"{where} must do exactly one thing: {sorted(value)}"


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "Integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "Float": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "Boolean": lambda value: isinstance(value, bool),
    "String": lambda value: isinstance(value, str),
    # An upload never stands among the values: it is a part of its own.
    "InputFile": lambda _: False,
}


def _misleads(error: str) -> bool:
    return "must be" in error or error.endswith((" is unknown", " is missing"))


def _decoded(value: str, types: Sequence[str]) -> Any:
    if not types or set(types) <= {"String", "InputFile"}:
        return value
    try:
        parsed = json.loads(value)
    except ValueError:
        return value
    # "123" may be the name of a channel as well as its number; any other JSON is no text.
    return value if "String" in types and not isinstance(parsed, int) else parsed


def _content(value: Any, field: Json, where: str) -> Iterator[str]:
    """Errors of lengths and constants, as far as descriptions tell them."""
    description: str = field["description"]
    if not isinstance(value, str):
        return
    length = _LENGTH.search(description)
    if length and "after entities parsing" not in description:
        size = len(value.encode()) if length[3] == "bytes" else len(value)
        if not int(length[1]) <= size <= int(length[2]):
            yield f"{where} has {size} {length[3]}, not {length[1]}-{length[2]}"
    constant = _CONSTANT.search(description)
    if constant and value != constant[1]:
        yield f"{where} must be {constant[1]}: {value!r:.80}"
    choice = _ONE_OF.search(description)
    if choice and value not in re.findall(r'"([^"]+)"', choice[1]):
        yield f"{where} is none of {choice[1]}: {value!r:.80}"


def _misplaced(name: str, fields: Mapping[str, Json], parameters: Json) -> str | None:
    """What is wrong with an upload: it must be a parameter of its own, or some parameter must refer to it."""
    if name in fields:
        return None if "InputFile" in fields[name]["types"] else f"{name} takes no file"
    return None if f"attach://{name}" in json.dumps(parameters) else f"file {name} belongs to no parameter"
