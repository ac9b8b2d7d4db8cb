"""What a bot sends, held against Discord's own OpenAPI document."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.servers.discord_rules import Json

# Which of the callback's five schemas a body is meant to satisfy, so that errors tell of it and not of the choice.
_CALLBACKS = {
    4: "CreateMessageInteractionCallbackRequest",
    5: "CreateMessageInteractionCallbackRequest",
    6: "UpdateMessageInteractionCallbackRequest",
    7: "UpdateMessageInteractionCallbackRequest",
    8: "ApplicationCommandAutocompleteCallbackRequest",
    9: "ModalInteractionCallbackRequest",
}


class Spec:
    """The document, read once when first asked; validators are made once for each operation."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._document: Json | None = None
        self._validators: dict[str, Any] = {}
        self._class: Any = None

    @property
    def present(self) -> bool:
        """Whether there is a document to hold requests against."""
        return self._path.is_file()

    def errors(self, method: str, template: str, body: Any) -> list[str]:
        """What is wrong with a body; `template` is the path as the document has it. Empty when nothing is."""
        if not self.present:
            return []
        schema = self._schema(method, template, body)
        if schema is None:
            return [] if body is None else [f"{method} {template}: the document knows no body here"]
        return [f"{method} {template}: {error}" for error in self._hold(schema, body)]

    def _schema(self, method: str, template: str, body: Any) -> Json | None:
        if template.endswith("/callback") and isinstance(body, dict) and body.get("type") in _CALLBACKS:
            return {"$ref": f"#/components/schemas/{_CALLBACKS[body['type']]}"}
        operation = self._read()["paths"].get(template, {}).get(method.lower(), {})
        content = operation.get("requestBody", {}).get("content", {})
        schema: Json | None = content.get("application/json", {}).get("schema")
        return schema

    def _hold(self, schema: Json, body: Any) -> list[str]:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = self._kind()({**schema, "components": self._read()["components"]})
        errors = self._validators[key].iter_errors(body)
        return [f"{error.json_path}: {_deepest(error).message[:300]}" for error in errors]

    def _kind(self) -> Any:
        """The class of our validators: Draft 2020-12, but a choice among schemas looks at the "type" of what it holds.

        So messages full of buttons are checked faster, and errors speak of the button and not of all that it is not.
        """
        if self._class is None:
            # Not imported above: a run that never asks for faults does without jsonschema.
            validators = importlib.import_module("jsonschema.validators")
            usual = validators.Draft202012Validator
            rules = {word: self._choice(usual.VALIDATORS[word]) for word in ("oneOf", "anyOf")}
            self._class = validators.extend(usual, rules)
        return self._class

    def _choice(self, usual: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def hold(validator: Any, branches: list[Json], instance: Any, schema: Json) -> Iterator[Any]:
            left = [branch for branch in branches if self._may_be(instance, branch)]
            if len(left) == 1:
                return iter(validator.descend(instance, left[0]))
            return usual(validator, left or branches, instance, schema)

        return hold

    def _may_be(self, instance: Any, branch: Json) -> bool:
        if branch == {"type": "null"}:
            return instance is None
        if "const" in branch:
            return bool(instance == branch["const"])
        if not isinstance(instance, dict) or "type" not in instance:
            return True
        name = branch.get("$ref", "").removeprefix("#/components/schemas/")
        kinds = self._read()["components"]["schemas"].get(name, {}).get("properties", {}).get("type", {}).get("enum")
        return kinds is None or instance["type"] in kinds

    def _read(self) -> Json:
        if self._document is None:
            self._document = json.loads(self._path.read_text("utf-8"))
            # Discord takes ids as numbers too, and discord.py sends some so: of attachments, people, mentions.
            self._document["components"]["schemas"]["SnowflakeType"]["type"] = ["string", "integer"]
        return self._document


def _deepest(error: Any) -> Any:
    """The cause that says most: of a choice that failed, the branch that got farthest."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    return error
