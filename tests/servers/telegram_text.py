"""Formatted text as Telegram reads it: tags and marks become entities, whose offsets count UTF-16 units."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

Entity = dict[str, Any]
FindUser = Callable[[int], dict[str, Any] | None]

_TAGS = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("i", "em"), "italic"),
    **dict.fromkeys(("u", "ins"), "underline"),
    **dict.fromkeys(("s", "strike", "del"), "strikethrough"),
    **dict.fromkeys(("tg-spoiler", "span"), "spoiler"),
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "a": "text_link",
    "tg-emoji": "custom_emoji",
}
_PIECE = re.compile(
    r"""(?P<tag><(?P<end>/)?(?P<name>[\w-]*)(?P<attributes>(?:"[^"]*"|'[^']*'|[^>"'])*)(?P<close>>)?)"""
    r"|(?P<named>&(?:\#\d+|\#[xX][0-9a-fA-F]+|lt|gt|amp|quot);)|(?P<plain>[^<&]+|&)"
)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))|([\w-]+)""")
_COMMAND = re.compile(r"(?<![\w/@<>])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/])")
_MENTION = re.compile(r"(?<![\w/@])@[A-Za-z][A-Za-z0-9_]{3,31}(?!\w)")
_USER_LINK = re.compile(r"tg://user\?id=(\d+)$")
# Inside of these Telegram looks for nothing more.
_LITERAL = {"code", "pre", "text_link", "text_mention"}


class Unparsable(Exception):
    """Tags that Telegram refuses; says which, as Telegram does after "can't parse entities: "."""


def units(text: str) -> int:
    """The length in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def spotted(text: str, entities: list[Entity] | None = None) -> list[Entity]:
    """`entities`, and the commands and mentions that Telegram finds without being told."""
    found = list(entities or ())
    taken = [(entity["offset"], entity["offset"] + entity["length"]) for entity in found if entity["type"] in _LITERAL]
    for kind, pattern in (("bot_command", _COMMAND), ("mention", _MENTION)):
        for match in pattern.finditer(text):
            start, length = units(text[: match.start()]), units(match[0])
            if all(start + length <= begin or end <= start for begin, end in taken):
                found.append({"type": kind, "offset": start, "length": length})
    return _in_order(found)


def parse_html(html: str, find_user: FindUser) -> tuple[str, list[Entity]]:
    """Text and entities. Links to users that `find_user` does not know are dropped, as Telegram does."""
    reader = _Reader(find_user)
    for match in _PIECE.finditer(html):
        at = len(html[: match.start()].encode())
        if match["tag"] is None:
            reader.text += match[0] if match["plain"] else unescape(match[0])
        elif match["close"] is None:
            raise Unparsable(f"Unclosed start tag at byte offset {at}")
        elif match["end"]:
            reader.close(match["name"].lower(), at)
        else:
            reader.open(match["name"].lower(), match["attributes"], at)
    if reader.opened:
        raise Unparsable(f'Can\'t find end tag corresponding to start tag "{reader.opened[-1][0]}"')
    return reader.text, _in_order(reader.entities)


def trimmed(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    """Without the white space around it, which Telegram takes away from what bots send."""
    kept = text.strip()
    gone, size = units(text[: len(text) - len(text.lstrip())]), units(kept)
    result = []
    for entity in entities:
        start = max(entity["offset"] - gone, 0)
        end = min(entity["offset"] - gone + entity["length"], size)
        if start < end:
            result.append({**entity, "offset": start, "length": end - start})
    return kept, result


class _Reader:
    """Text read so far and the tags that are open: name, offset, what the entity will say."""

    def __init__(self, find_user: FindUser) -> None:
        self.find_user = find_user
        self.text = ""
        self.entities: list[Entity] = []
        self.opened: list[tuple[str, int, Entity | None]] = []

    def open(self, name: str, attributes: str, at: int) -> None:
        found = {
            (match[1] or match[5]).lower(): unescape(match[2] or match[3] or match[4] or "")
            for match in _ATTRIBUTE.finditer(attributes)
        }
        if name not in _TAGS or (name == "span" and found.get("class") != "tg-spoiler"):
            raise Unparsable(f'Unsupported start tag "{name}" at byte offset {at}')
        self.opened.append((name, units(self.text), self._entity(name, found)))

    def close(self, name: str, at: int) -> None:
        if not self.opened:
            raise Unparsable(f"Unexpected end tag at byte offset {at}")
        opened, start, entity = self.opened.pop()
        # An empty name closes whatever is open.
        if name not in ("", opened):
            raise Unparsable(f'Unmatched end tag at byte offset {at}, expected "</{opened}>", found "</{name}>"')
        length = units(self.text) - start
        if entity is not None and length:
            self.entities.append({**entity, "offset": start, "length": length})

    def _entity(self, name: str, attributes: dict[str, str]) -> Entity | None:
        kind = _TAGS[name]
        if kind == "blockquote" and "expandable" in attributes:
            return {"type": "expandable_blockquote"}
        if kind == "custom_emoji":
            return {"type": kind, "custom_emoji_id": attributes.get("emoji-id", "")}
        return {"type": kind} if kind != "text_link" else self._link(attributes.get("href", ""))

    def _link(self, target: str) -> Entity | None:
        if user := _USER_LINK.match(target):
            known = self.find_user(int(user[1]))
            return {"type": "text_mention", "user": known} if known else None
        return {"type": "text_link", "url": target} if re.match(r"(https?|tg|ton)://", target) else None


def _in_order(entities: list[Entity]) -> list[Entity]:
    return sorted(entities, key=lambda entity: (entity["offset"], -entity["length"]))
