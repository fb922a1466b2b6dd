"""The languages that are parsed: one row here and one file in `queries/` each.

In: a language id or a file name.  Out: a grammar with its compiled queries.  This room knows no document.

A query file has sections, each headed by a line `;; name` and compiled on its own, so that a keystroke runs only what
it needs:

    scopes       @function or @class with @name and @body; @outer where decorators belong to it
    imports      one @import per import statement
    names        @name for an identifier, @unused where it only names a member, an argument or a definition
    attributes   @head and @attr for `head.attr`
    parameters   one @parameter per parameter of a function
    assignments  @target, which may hold several identifiers, with @type and @value
    shape        @block of statements, @bracket pair, @string, @quote that opens one, @comment, @definition, @error
    binds        @name for an identifier that is bound there, or @target, which may hold several
    verbatim     @verbatim: white space inside of it counts
    comments     @comment
    roles        @scope.*: a part with names of its own; @function, @class, @parameter (with the @owner of its name),
                 @assigned, @import: what binds a name there; @declared.*, @member, @keyword, @module: what else it is
    calls        @function, its last name, and @arguments of a @call
    signatures   @name and @parameters of a @function, @async where it is one
    indented     @block that must have a statement, nodes whose children stand @together at one indent, @clause that
                 stands where its parent does
    documented   the second documentation of one definition, @again
    pairs        what may be swapped in a @pair: @first and @second, or the children of @elements
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

import tree_sitter_python
from tree_sitter import Language, Query


@dataclass(frozen=True, slots=True)
class Row:
    """`capsule` is the grammar wheel's `language`; `indented`: blocks go by indentation, as `indents.py` scans them.

    `import_hint` is a word that stands on a line of every import, so that only such lines are looked at; `builtins`
    are the names that are known without being defined, `members` those that values of built-in types have.
    """

    name: str
    language_ids: tuple[str, ...]
    suffixes: tuple[str, ...]
    capsule: Callable[[], object]
    import_hint: str
    indented: bool = False
    builtins: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()


_IN_MODULES = frozenset({"__file__", "__path__", "__class__", "__annotations__", "__all__", "_"})
"""Names that Python's modules and methods have, besides the builtins."""

_BUILT_IN = (str, bytes, int, float, list, tuple, dict, set, range, type, BaseException)

ROWS: tuple[Row, ...] = (
    Row(
        "python",
        ("python",),
        (".py", ".pyi", ".pyw"),
        tree_sitter_python.language,
        "import",
        indented=True,
        builtins=frozenset(dir(builtins)) | _IN_MODULES,
        members=frozenset(name for kind in _BUILT_IN for name in dir(kind)),
    ),
)


@dataclass(frozen=True, slots=True)
class Grammar:
    row: Row
    language: Language
    queries: Mapping[str, Query]


def language_of(language_id: str, path: str | None = None) -> str | None:
    """The name of the row for an LSP language id, else for the file name's suffix; None where there is none."""
    for row in ROWS:
        if language_id in row.language_ids:
            return row.name
    suffix = PurePosixPath(path or "").suffix.lower()
    return next((row.name for row in ROWS if suffix and suffix in row.suffixes), None)


@cache
def grammar(name: str) -> Grammar:
    """The grammar of a row, loaded once; raises KeyError for a name that no row has."""
    row = {row.name: row for row in ROWS}[name]
    language = Language(row.capsule())
    source = (files("palimpsest.syntax") / "queries" / f"{name}.scm").read_text("utf-8")
    _, *parts = re.split(r"(?m)^;; (\w+)\n", source)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    return Grammar(row, language, {section: Query(language, text) for section, text in sections.items()})
