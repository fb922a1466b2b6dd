"""A module as described by its file: its own names, and names that stand for others.

Out: small immutable values.  Does not know about griffe or files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from palimpsest.languages.modules import ModuleEntry


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that stands for one in another module: `target` is dotted; a wildcard stands for everything `target`
    exports."""

    name: str
    target: str
    wildcard: bool = False
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """`exports` is `__all__` as far as it could be read, None if there is none; members are in order of definition.
    `stars` are the modules imported with `import *`; `is_listed`: `exports` are all of `__all__`."""

    name: str
    doc: str = ""
    exports: tuple[str, ...] | None = None
    is_package: bool = False
    members: Mapping[str, ModuleEntry | Alias] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    is_listed: bool = False
