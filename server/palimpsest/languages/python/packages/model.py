"""A module as its file says it is: names of its own, and names that stand for others.

In: nothing.  Out: small immutable values.  Knows neither griffe nor files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from palimpsest.languages.modules import Entry


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
