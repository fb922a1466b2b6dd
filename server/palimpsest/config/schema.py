"""The JSON Schema of `palimpsest.toml`, made from the table of settings: editors complete and check the file by it.

Out: JSON data.  VS Code's page of settings is made of the same parts (`scripts/clients.py`).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from palimpsest import __version__
from palimpsest.config.permissions import SetBy
from palimpsest.config.settings import Described, described

TYPES: Mapping[type, str] = {bool: "boolean", int: "integer", float: "number", str: "string", tuple: "array"}
IN_A_WORKSPACE: Mapping[SetBy, str] = {
    "adds": "In a workspace's file it adds to your list.",
    "off": "A workspace's file can only switch it off.",
    "user": "Not in a workspace's file: {why}.",
}


def schema() -> dict[str, Any]:
    """Draft 4, which every editor of TOML knows, and in which 1.0 is no whole number."""
    sections = dict[str, dict[str, Any]]()
    for it in described():
        section, _, name = it.name.partition(".")
        if it.by.set_by != "editor":  # which no file may hold
            sections.setdefault(section, {})[name] = _described(it)
    return {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": "palimpsest.toml",
        "description": f"Settings of Palimpsest {__version__}.",
        **_table({name: _table(settings) for name, settings in sections.items()}),
    }


def shape(kind: str | list[str], choices: Iterable[str], low: float | None, high: float | None) -> dict[str, Any]:
    """What a value may be.  `kind`: of JSON Schema's types."""
    allowed = {"enum": list(choices)} if choices else {}
    is_list = "array" in ([kind] if isinstance(kind, str) else kind)
    bounds = {name: bound for name, bound in (("minimum", low), ("maximum", high)) if bound is not None}
    return {"type": kind, **({"items": {"type": "string", **allowed}} if is_list else allowed), **bounds}


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _described(it: Described) -> dict[str, Any]:
    default = list(it.default) if isinstance(it.default, tuple) else it.default
    about = f"{it.doc} {IN_A_WORKSPACE.get(it.by.set_by, '').format(why=it.by.why)}".rstrip()
    return {**shape(TYPES[type(it.default)], it.choices, it.low, it.high), "default": default, "description": about}
