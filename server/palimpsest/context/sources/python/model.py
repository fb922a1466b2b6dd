"""A module as a context block wants to know it: names, signatures, first lines of docstrings.

In: nothing.  Out: small immutable values, also as JSON.  Knows neither griffe nor files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

EntryKind = Literal["function", "class", "value", "module"]
_KINDS: tuple[EntryKind, ...] = ("function", "class", "value", "module")


@dataclass(frozen=True, slots=True)
class Entry:
    """One name.  `signature` follows the name: `(x, /) -> float` of a function or class, `: int = 3` of a value.

    `doc` is the docstring's first line.  `members` are a class's public methods and attributes.  `target` is the
    module's own name where `kind` is `module`.  `is_async` of a function.
    """

    name: str
    kind: EntryKind
    signature: str = ""
    doc: str = ""
    members: tuple[Entry, ...] = ()
    bases: tuple[str, ...] = ()
    target: str = ""
    is_async: bool = False


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that stands for another module's: `target` is dotted; a wildcard stands for all that `target` exports."""

    name: str
    target: str
    wildcard: bool = False
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """`exports` is `__all__` as far as it could be read, None where there is none; members in order of definition.
    `stars` are the modules that all names are taken from."""

    name: str
    doc: str = ""
    exports: tuple[str, ...] | None = None
    is_package: bool = False
    members: Mapping[str, Entry | Alias] = field(default_factory=dict)
    stars: tuple[str, ...] = ()


def entry_from_json(data: Any) -> Entry:
    """Lenient: what is no string becomes empty.  Raises ValueError for what is no entry at all."""
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        raise ValueError("not an entry")
    kind = data.get("kind")
    text = {key: data[key] for key in ("signature", "doc", "target") if isinstance(data.get(key), str)}
    members = data.get("members")
    return Entry(
        data["name"],
        next((known for known in _KINDS if known == kind), "value"),
        **text,
        members=tuple(entry_from_json(member) for member in members) if isinstance(members, list) else (),
    )
