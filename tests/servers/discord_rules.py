"""Discord's own limits on what a bot sends: one refusal for each rule, with Discord's codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

VIEW_CHANNEL = 1 << 10
SEND_MESSAGES = 1 << 11
EMBED_LINKS = 1 << 14
ATTACH_FILES = 1 << 15
READ_MESSAGE_HISTORY = 1 << 16
MANAGE_THREADS = 1 << 34
SEND_MESSAGES_IN_THREADS = 1 << 38
# What an invitation of the bot asks for; tests take away what they want to see missing.
USUAL_PERMISSIONS = (
    VIEW_CHANNEL | SEND_MESSAGES | EMBED_LINKS | ATTACH_FILES | READ_MESSAGE_HISTORY | SEND_MESSAGES_IN_THREADS
)

# People may use commands (31) and apps that are installed for one person only (50), too.
MEMBER_PERMISSIONS = USUAL_PERMISSIONS | 1 << 31 | 1 << 50

EPHEMERAL = 1 << 6
LOADING = 1 << 7
COMPONENTS_V2 = 1 << 15

GUILDS = 1 << 0
GUILD_MESSAGES = 1 << 9
DIRECT_MESSAGES = 1 << 12
PRIVILEGED_INTENTS = 1 << 1 | 1 << 8 | 1 << 15

ROW, BUTTON, STRING_SELECT, TEXT_INPUT, TEXT_DISPLAY, LABEL = 1, 2, 3, 4, 10, 18
LINK_STYLE, PREMIUM_STYLE = 5, 6
SELECTS = (STRING_SELECT, 5, 6, 7, 8)

_LOCALES = (
    "id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja "
    "zh-TW ko"
)
COMMANDS_A_DAY = 200


class Refusal(Exception):
    """An answer other than success: HTTP status, Discord's JSON code and message.

    `fault` says that a well-made bot never earns this one; the server then keeps it in its faults. `more` joins the
    JSON body, `headers` the answer.
    """

    def __init__(
        self,
        status: int,
        code: int,
        message: str,
        *,
        fault: bool = False,
        headers: dict[str, str] | None = None,
        more: Json | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message, self.fault = status, code, message, fault
        self.headers = headers or {}
        self.more = more or {}


def bad_form(*errors: str) -> Refusal:
    """The refusal of a body that breaks a documented limit."""
    return Refusal(400, 50035, "Invalid Form Body: " + "; ".join(errors), fault=True)


@dataclass(frozen=True)
class Upload:
    """One file of a request: what it is called and its bytes."""

    filename: str
    data: bytes


@dataclass(frozen=True)
class Button:
    """One button as people see it; `custom_id` is "" for a link, `url` is "" for all others."""

    label: str
    custom_id: str
    style: int
    disabled: bool
    url: str
    emoji: str = ""


@dataclass(frozen=True)
class Menu:
    """A list to choose from: `options` are pairs of label and value."""

    custom_id: str
    placeholder: str
    options: tuple[tuple[str, str], ...]
    disabled: bool
    least: int
    most: int


def every(components: Sequence[Json]) -> Iterator[Json]:
    """All components, those inside others too, in reading order."""
    for part in components:
        yield part
        yield from every(part.get("components") or [])
        for key in ("accessory", "component"):
            if part.get(key):
                yield from every([part[key]])


def buttons_by_row(components: Sequence[Json]) -> list[list[Button]]:
    """The rows that have buttons; a button beside a text is a row of its own."""
    rows = [part["components"] for part in every(components) if part["type"] == ROW]
    rows += [[part["accessory"]] for part in every(components) if (part.get("accessory") or {}).get("type") == BUTTON]
    found = [[_button(part) for part in row if part["type"] == BUTTON] for row in rows]
    return [row for row in found if row]


def _button(part: Json) -> Button:
    return Button(
        label=part.get("label") or "",
        custom_id=part.get("custom_id") or "",
        style=part["style"],
        disabled=bool(part.get("disabled")),
        url=part.get("url") or "",
        emoji=(part.get("emoji") or {}).get("name") or "",
    )


def menus(components: Sequence[Json]) -> list[Menu]:
    """The string selects, in reading order."""
    return [_menu(part) for part in every(components) if part["type"] == STRING_SELECT]


def _menu(part: Json) -> Menu:
    return Menu(
        custom_id=part["custom_id"],
        placeholder=part.get("placeholder") or "",
        options=tuple((option["label"], option["value"]) for option in part.get("options") or []),
        disabled=bool(part.get("disabled")),
        least=part.get("min_values", 1),
        most=part.get("max_values", 1),
    )


def text_of(content: str, components: Sequence[Json]) -> str:
    """All text of a message, the text components of the second generation too."""
    return "\n".join([content, *(part["content"] for part in every(components) if part["type"] == TEXT_DISPLAY)])


def check_body(body: Json, uploads: dict[int, Upload], most_bytes: int) -> None:
    """Refuse a message body that breaks a limit, whatever it is sent for. Raises: Refusal, with all that is wrong."""
    errors = [
        *_text_errors(body),
        *_component_errors(body.get("components") or [], second=bool((body.get("flags") or 0) & COMPONENTS_V2)),
        *_attachment_errors(body.get("attachments"), uploads),
    ]
    if errors:
        raise bad_form(*errors)
    if any(len(upload.data) > most_bytes for upload in uploads.values()):
        raise Refusal(413, 40005, "Request entity too large", fault=True)


def _text_errors(body: Json) -> Iterator[str]:
    if len(body.get("content") or "") > 2000:
        yield "content: Must be 2000 or fewer in length."
    if len(body.get("embeds") or []) > 10:
        yield "embeds: Must be 10 or fewer in length."
    allowed = body.get("allowed_mentions") or {}
    if "users" in (allowed.get("parse") or []) and allowed.get("users"):
        yield 'allowed_mentions: parse:["users"] and users: [ids...] are mutually exclusive.'
    if (body.get("flags") or 0) & COMPONENTS_V2 and (body.get("content") or body.get("embeds")):
        yield "content, embeds: cannot be used with the IS_COMPONENTS_V2 flag."


def _component_errors(components: Sequence[Json], *, second: bool) -> Iterator[str]:
    everything = list(every(components))
    if not second and any(part["type"] != ROW for part in components):
        yield "components: only action rows without the IS_COMPONENTS_V2 flag."
    if not second and len(components) > 5:
        yield "components: Must be between 1 and 5 in length."
    if len(everything) > 40 and second:
        yield "components: more than 40 in total."
    ids = [part["custom_id"] for part in everything if part.get("custom_id") is not None]
    if len(ids) != len(set(ids)):
        yield f"custom_id: Component custom id cannot be duplicated: {sorted(i for i in set(ids) if ids.count(i) > 1)}"
    if any(not 1 <= len(name) <= 100 for name in ids):
        yield "custom_id: Must be between 1 and 100 in length."
    if second and sum(len(part["content"]) for part in everything if part["type"] == TEXT_DISPLAY) > 4000:
        yield "components: more than 4000 characters of text."
    for part in everything:
        yield from _part_errors(part)


def _part_errors(part: Json) -> Iterator[str]:
    match part["type"]:
        case 1:
            yield from _row_errors(part["components"])
        case 2:
            yield from _button_errors(part)
        case 3:
            yield from _select_errors(part)


def _row_errors(parts: Sequence[Json]) -> Iterator[str]:
    if not 1 <= len(parts) <= 5:
        yield "components: a row has between 1 and 5."
    if any(part["type"] in SELECTS for part in parts) and len(parts) > 1:
        yield "components: a select has its row for itself."


def _button_errors(part: Json) -> Iterator[str]:
    style = part.get("style")
    if style not in (1, 2, 3, 4, LINK_STYLE, PREMIUM_STYLE):
        yield f"style: {style} is none."
    if style in (1, 2, 3, 4) and not part.get("custom_id"):
        yield "custom_id: A custom id required."
    if style == LINK_STYLE and (not part.get("url") or part.get("custom_id")):
        yield "url: a link has a url and no custom id."
    if len(part.get("label") or "") > 80:
        yield "label: Must be 80 or fewer in length."
    if style != PREMIUM_STYLE and not part.get("label") and not part.get("emoji"):
        yield "label: A label or emoji is required."


def _select_errors(part: Json) -> Iterator[str]:
    options = part.get("options") or []
    if not 1 <= len(options) <= 25:
        yield "options: Must be between 1 and 25 in length."
    if len({option["value"] for option in options}) != len(options):
        yield "options: the value is already used."
    if len(part.get("placeholder") or "") > 150:
        yield "placeholder: Must be 150 or fewer in length."
    for option in options:
        if any(not 1 <= len(option.get(key) or "-") <= 100 for key in ("label", "value", "description")):
            yield "options: texts must be between 1 and 100 in length."


def _attachment_errors(listed: Sequence[Json] | None, uploads: dict[int, Upload]) -> Iterator[str]:
    listed_ids = {str(item["id"]) for item in listed or []}
    if listed is not None and not {str(index) for index in uploads} <= listed_ids:
        yield "attachments: a file is sent but not listed."
    for item in listed or []:
        if len(item.get("description") or "") > 1024:
            yield "attachments: description: Must be 1024 or fewer in length."
    if max(len(listed_ids), len(uploads)) > 10:
        yield "attachments: Must be 10 or fewer in length."


# --- commands -----------------------------------------------------------------------------------------------

_NAME = re.compile(r"[-_'\w]{1,32}")


def check_commands(commands: Sequence[Json]) -> None:
    """Refuse a list of global commands that Discord would not take. Raises: Refusal, with all that is wrong."""
    errors = [error for command in commands for error in _command_errors(command)]
    names = [(command.get("type", 1), command["name"]) for command in commands]
    if len(names) != len(set(names)):
        errors.append("name: Application command names must be unique")
    if len([kind for kind, _ in names if kind == 1]) > 100:
        errors.append("Maximum number of application commands reached (100)")
    if errors:
        raise bad_form(*errors)


def _command_errors(command: Json) -> Iterator[str]:
    slash = command.get("type", 1) == 1
    yield from _named_errors(command, slash=slash)
    yield from _option_errors(command)
    if slash and command_size(command) > 8000:
        yield f"{command['name']}: Command exceeds maximum size (8000)"


def _named_errors(part: Json, *, slash: bool) -> Iterator[str]:
    for name in (part["name"], *(part.get("name_localizations") or {}).values()):
        if slash and (not _NAME.fullmatch(name) or name != name.lower()):
            yield f"{name}: String value did not match validation regex."
    for text in (part.get("description") or "", *(part.get("description_localizations") or {}).values()):
        if slash and not 1 <= len(text) <= 100:
            yield f"{part['name']}: description: Must be between 1 and 100 in length."
    for key in ("name_localizations", "description_localizations"):
        for locale in (part.get(key) or {}).keys() - set(_LOCALES.split()):
            yield f"{part['name']}: {key}: {locale} is no locale."


def _option_errors(part: Json) -> Iterator[str]:
    options = part.get("options") or []
    if len(options) > 25:
        yield f"{part['name']}: options: Must be 25 or fewer in length."
    if len({option["name"] for option in options}) != len(options):
        yield f"{part['name']}: options: names must be unique."
    wanted = [bool(option.get("required")) for option in options]
    if wanted != sorted(wanted, reverse=True):
        yield f"{part['name']}: Required options must be placed before non-required options"
    for option in options:
        yield from _named_errors(option, slash=True)
        yield from _option_errors(option)
        yield from _choice_errors(option)


def _choice_errors(option: Json) -> Iterator[str]:
    choices = option.get("choices") or []
    if len(choices) > 25:
        yield f"{option['name']}: choices: Must be 25 or fewer in length."
    if choices and option.get("autocomplete"):
        yield f"{option['name']}: choices and autocomplete exclude one another."
    for choice in choices:
        names = (choice["name"], *(choice.get("name_localizations") or {}).values())
        if any(not 1 <= len(name) <= 100 for name in names):
            yield f"{option['name']}: choices: names must be between 1 and 100 in length."


def command_size(part: Json) -> int:
    """Characters of a command as Discord counts them: the longest of all languages, options and choices too."""
    size = sum(_longest(part, key) for key in ("name", "description"))
    size += sum(command_size(option) for option in part.get("options") or [])
    for choice in part.get("choices") or []:
        size += _longest(choice, "name") + len(str(choice["value"]))
    return size


def _longest(part: Json, key: str) -> int:
    texts = [part.get(key) or "", *(part.get(f"{key}_localizations") or {}).values()]
    return max(len(text) for text in texts)
