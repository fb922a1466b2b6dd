"""Definitions, imports, arguments and parameters as data.

In: nothing.  Out: values that `syntax/` and `languages/` make of trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ScopeKind = Literal["function", "class", "file"]


@dataclass(slots=True)
class Header:
    """A definition: `start_line` includes decorators, `end_line` is the line after the last one that belongs to it.

    `header_end_line` is the line after the header's last one; the body starts there, or earlier if it is on the
    header's line.
    """

    kind: Literal["function", "class"]
    name: str
    start_line: int
    def_line: int
    header_end_line: int
    body_start_line: int
    indent: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Scope:
    """Lines are 0-based and half-open; `start_line` includes decorators.

    `qualified_name` joins the names of the definitions around it with "." (`Cart.add`, `outer.inner`); a file's is
    empty.  `header_end_line` is the line after the header's last one; `body_start_line` is the same, or the line before
    if the body begins on the header's line.
    """

    kind: ScopeKind
    name: str
    qualified_name: str
    start_line: int
    end_line: int
    def_line: int
    header_end_line: int
    body_start_line: int
    indent: int
    parent: Scope | None

    @property
    def is_method(self) -> bool:
        return self.kind == "function" and self.parent is not None and self.parent.kind == "class"


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name.  Of a language that writes imports like this:

        import a.b as c          module "a.b", name None, alias "c"
        from ..a import b as c   module "a", name "b", alias "c", level 2
        from . import b          module "", name "b", level 1
        from a import *          module "a", name "*"

    `line` is 0-based, where the statement starts.
    """

    module: str
    name: str | None
    alias: str | None
    level: int
    line: int

    @property
    def bound(self) -> str:
        """The name that code uses: the alias, the name, or the first part of a dotted module."""
        return self.alias or self.name or self.module.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Argument:
    """`keyword` is empty for a positional argument; `star`: it is unpacked, so its position is unknown."""

    start: int
    end: int
    text: str
    keyword: str = ""
    value: str = ""
    star: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """`kind`: "plain", "keyword" (passed by name only), "star" (takes many) or "mark" (says how its neighbours are
    passed, and takes nothing itself).

    `value` is its default as written, empty if there is none.
    """

    name: str
    text: str
    kind: str
    value: str = ""

    @property
    def default(self) -> bool:
        return bool(self.value)
