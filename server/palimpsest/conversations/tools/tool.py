"""A tool as it is declared, and what it answers.

In: nothing.  Out: values.  Knows no tool by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "whole number", "true or false", "list of texts", "texts by name"]
SCHEMAS: Mapping[Kind, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "whole number": {"type": "integer"},
    "true or false": {"type": "boolean"},
    "list of texts": {"type": "array", "items": {"type": "string"}},
    "texts by name": {"type": "object", "additionalProperties": {"type": "string"}},
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """`also` are other names that models give it."""

    name: str
    kind: Kind
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    also: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        more: dict[str, Any] = {"enum": list(self.choices)} if self.choices else {}
        if self.least is not None:
            more["minimum"] = self.least
        return {**SCHEMAS[self.kind], "description": self.description, **more}


@dataclass(frozen=True, slots=True)
class Tool:
    """`example` is a call as a model writes it.  `writes`: it changes a file of the workspace, so that the person is
    asked.  `always`: it is offered whatever is asked.  `topics` are words of messages that it is relevant for.
    `pages`: its result is a part that was asked for, and never becomes a descriptor."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    example: str
    topics: tuple[str, ...] = ()
    writes: bool = False
    always: bool = False
    pages: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The arguments as JSON schema."""
        return {
            "type": "object",
            "properties": {one.name: one.schema for one in self.parameters},
            "required": [one.name for one in self.parameters if one.required],
            "additionalProperties": False,
        }

    @property
    def native(self) -> dict[str, Any]:
        """As an OpenAI-compatible server is told of it."""
        function = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": function}


def required(
    name: str, kind: Kind, description: str, *, also: Sequence[str] = (), least: int | None = None
) -> Parameter:
    return Parameter(name, kind, description, required=True, also=tuple(also), least=least)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a handler answers.  `text` is what a descriptor would hold, if not the XML."""

    xml: str
    fields: dict[str, Any] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`error` is the code of what went wrong, or empty; `descriptor` is where a long result went."""

    xml: str
    fields: dict[str, Any] = field(default_factory=dict)
    descriptor: str | None = None
    error: str = ""
