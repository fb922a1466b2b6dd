"""Definitions, imports, arguments and parameters as data.

Out: values that `syntax/` and `languages/` make of trees.
"""

from dataclasses import dataclass, field
from typing import Literal

from tree_sitter import Range

DefinitionKind = Literal["function", "class", "namespace"]
ScopeKind = DefinitionKind | Literal["file"]
Trial = Literal["lives", "late", "dies"]
"""What becomes of a process that parses a text."""


@dataclass(slots=True)
class Header:
    """A definition: `start_line` includes decorators, `end_line` is the line after the last one that belongs to it.

    `header_end_line` is the line after the header's last one; the body starts there, or earlier if it is on the
    header's line.
    """

    kind: DefinitionKind
    name: str
    start_line: int
    def_line: int
    header_end_line: int
    body_start_line: int
    indent: int
    end_line: int
    owner: str = ""
    adds: bool = False
    has_body: bool = True
    is_described: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Lines are 0-based and half-open; `start_line` includes decorators, attributes and documentation above.

    `qualified_name` joins the names of the definitions around it with "." (`Cart.add`, `outer.inner`); a file's is
    empty.  `header_end_line` is the line after the header's last one; `body_start_line` is the same, or the line before
    if the body begins on the header's line.

    A `namespace` is a part of a file with names of its own, which what is inside sees (Rust's `mod`).

    `owner` is the class of a member that is written outside it (Go's methods), and part of the qualified name.  `adds`:
    it has members of a class that is declared elsewhere (Rust's `impl`).  Without `has_body` it is a signature alone.
    `is_described`: what it is called defines no name (a test, a task).
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
    parent: "Scope | None" = field(compare=False)  # the rest says which one it is, and of many levels each has its own
    owner: str = ""
    adds: bool = False
    has_body: bool = True
    is_described: bool = False

    @property
    def is_method(self) -> bool:
        inside = self.parent is not None and self.parent.kind == "class"
        return self.kind == "function" and (inside or bool(self.owner))

    @property
    def class_name(self) -> str:
        """The qualified name of the class that a member belongs to; of anything else, that of what is around it."""
        return self.qualified_name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Embedded:
    """Code of another language inside of a document: `language` as it is written there; `ranges` are its bytes, which
    may be several (a quoted block of code is one without its `>`); `lines` has at least one."""

    language: str
    ranges: tuple[Range, ...]
    lines: range


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
class Keywords:
    """Names by which arguments are passed.  `inherited`: also those that a class's bases take."""

    names: frozenset[str] = frozenset()
    inherited: bool = False


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
