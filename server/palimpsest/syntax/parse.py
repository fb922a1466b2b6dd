"""Syntax trees (`Parsed`) and the interface of a language (`Language`).

In: snapshots.  Out: parses.  Knows no file, no editor and no language by name: what differs between languages is
asked of the `Language` of a parse, which `languages/` implements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeVar

import tree_sitter
from tree_sitter import Node, Query, QueryCursor, Tree

from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.values import Argument, Header, Import, Parameter, Scope
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import Snapshot

MOST_PUNCTUATION = 5_000
"""Nodes without a name among the children of one node of broken code: a query's time is quadratic in them, a minute
for 200,000 open brackets."""
T = TypeVar("T")


class Language(Protocol):
    """What differs from one language to another.

    `languages/base.py` has the default of everything here, from a grammar's queries alone, and says what the sections
    of a query file are.  A language without a grammar has no tree and no query; what needs one is empty there.
    Lines are 0-based and half-open; nodes and bytes are those of the `Parsed` that comes with them.
    """

    id: str
    """The name of its folder; LSP's for the language where it has no folder here."""
    name: str
    """As a person writes it."""
    language_ids: tuple[str, ...]
    """LSP's names for it."""
    suffixes: tuple[str, ...]
    """Ends of its files' names, with the dot, in small letters."""
    lexical: Lexical
    indented: bool
    """Whether blocks go by indentation."""
    identifiers: frozenset[str]
    """Types of nodes that are one name."""
    import_hint: str
    """A word on a line of every import, so that only such lines are looked at."""
    builtins: frozenset[str]
    """Names that are known without being defined."""
    builtin_members: frozenset[str]
    """Members that values of built-in types have."""
    common_words: frozenset[str]
    """Words that say nothing of what a text is about, though it mentions them."""
    constructor: str
    """The method that runs when a class is called; "" where none has a fixed name."""
    initializers: frozenset[str]
    """The methods in which an object gets its attributes."""
    receiver: str
    """What a method calls its object; "" where that is its first parameter."""
    omitted_body: str
    """What stands behind a signature in place of its body."""

    # Grammar
    @property
    def grammar(self) -> tree_sitter.Language | None: ...

    def query(self, section: str) -> Query | None:
        """A section of the query file, compiled; None where it has none."""

    # Lines, which need no tree
    def statements(self, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        """The lines of each statement and comment in `start..end`, in order; blank lines are in none."""

    def headers(self, lines: Sequence[str], start: int, end: int) -> list[Header]:
        """The definitions in lines that do not parse, in order of their first line."""

    def is_string_open(self, lines: Sequence[str], start: int, end: int) -> bool:
        """Whether a string over several lines that begins in the lines does not end there."""

    def is_whole(self, line: str) -> bool:
        """Whether a statement that begins on the line surely ends there."""

    # Definitions
    def signature(self, parsed: Parsed, scope: Scope) -> str:
        """The header on one line, without what stands before the definition itself."""

    def header(self, parsed: Parsed, scope: Scope) -> tuple[Parsed, range]:
        """A parse with the header, and the lines it has there: those of the document, unless these may not parse."""

    def docstring(self, parsed: Parsed, scope: Scope) -> str | None:
        """The documentation that a definition or file carries in its body, without its marks and its indent."""

    def docstring_lines(self, parsed: Parsed, scope: Scope, end: int) -> tuple[int, int]:
        """(Behind the first line of its text, behind its last line); (0, 0) where there is none before `end`."""

    def docstring_written(self, text: str) -> str:
        """One line of documentation, as it stands in a body."""

    def takes_receiver(self, parsed: Parsed, scope: Scope) -> bool:
        """Whether a method's first parameter is its object, which its calls do not give."""

    # Names
    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        """The names that a target binds, dotted ones too: `a`, `self.a`; of a parameter its own first."""

    # Imports and modules
    def imported(self, parsed: Parsed, statement: Node) -> list[Import]:
        """The names of one import statement."""

    def import_written(self, parsed: Parsed, item: Import) -> str:
        """One imported name as a statement on one line."""

    def import_source(self, parsed: Parsed, name: Node) -> str:
        """The module, as written, that an imported name is said to be from."""

    def module_name(self, file: str) -> str:
        """What a file (a path relative to its root, with `/`) is called by imports; else its own name."""

    def gives(self, source: str, file: str, module: str) -> bool:
        """Whether an import from `source` in `file` may be of what `module` defines."""

    def means_module(self, head: str, imported: Sequence[Import], file: str, module: str) -> bool:
        """Whether `head`, as in `head.name`, is `module` by one of the imports of `file`."""

    # Values and calls
    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        """Words for the classes of what the member at these bytes is a member of; none where nothing can be seen."""

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        """`a.b` of the member at these bytes in `a.b.name`; empty where it is more than dotted names."""

    def bases(self, parsed: Parsed, cls: Scope) -> frozenset[str]:
        """The last names of a class's bases as written."""

    def argument(self, parsed: Parsed, node: Node) -> Argument: ...

    def parameters(self, parsed: Parsed, holder: Node) -> tuple[Parameter, ...]: ...

    def is_awaited(self, call: Node) -> bool: ...

    def is_chained(self, call: Node) -> bool:
        """Whether something of a call's value is used at once, as in `f().x`."""

    def awaited(self, call: str, *, chained: bool) -> str:
        """A call with its value awaited."""

    def by_name(self, name: str, value: str) -> str | None:
        """An argument given by name; None where the language has none."""

    # Half-written code
    def opens_block(self, statement: str) -> bool:
        """Whether the body of a statement follows it."""

    def continues_block(self, line: str) -> bool:
        """Whether a line at the indent of a block's head belongs to it: a clause, a closing bracket."""

    def defines(self, before: str) -> bool:
        """Whether what stands before a bracket makes it that of a definition's parameters."""


@dataclass(frozen=True, eq=False)
class Parsed:
    """A snapshot with its tree; `tree` is None for a language that has no grammar here."""

    snapshot: Snapshot
    tree: Tree | None
    language: Language
    _derived: dict[Callable[..., Any], Any] = field(default_factory=dict, repr=False)

    @property
    def root(self) -> Node | None:
        return None if self.tree is None else self.tree.root_node

    @cached_property
    def n_errors(self) -> int:
        """ERROR and missing nodes."""
        return 0 if self.root is None else _count_errors(self.root)

    @cached_property
    def _is_too_wide(self) -> bool:
        """Whether queries would take too long: then nothing is looked for in the tree."""
        return self.root is not None and _is_wide(self.root)

    def once(self, make: Callable[[Parsed], T]) -> T:
        """`make(self)`, computed when first asked for and kept with this parse; `make` is a module's function."""
        if make not in self._derived:
            self._derived[make] = make(self)
        result: T = self._derived[make]
        return result

    def text_of(self, node: Node) -> str:
        return self.snapshot.utf8[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")

    def matches(
        self, section: str, start_line: int | None = None, end_line: int = 0, *, max_depth: int | None = None
    ) -> list[dict[str, list[Node]]]:
        """Captures of a query section, in document order.

        With `start_line`, of what touches the lines `start..end`; with `max_depth`, of what starts at most so many
        nodes below the root, which costs far less than the whole tree.
        """
        cursor = self._cursor(section, start_line, end_line)
        if cursor is None or self.root is None:
            return []
        if max_depth is not None:
            cursor.set_max_start_depth(max_depth)
        return [captures for _, captures in cursor.matches(self.root)]

    def captures(self, section: str, start_line: int, end_line: int) -> dict[str, list[Node]]:
        """Nodes by capture name, where it does not matter which belong together; faster than `matches`."""
        cursor = self._cursor(section, start_line, end_line)
        return {} if cursor is None or self.root is None else cursor.captures(self.root)

    def _cursor(self, section: str, start_line: int | None, end_line: int) -> QueryCursor | None:
        query = None if self.tree is None or self._is_too_wide else self.language.query(section)
        if query is None:
            return None
        cursor = QueryCursor(query)
        if start_line is not None:
            # Up to the last line's end and not the next one's start, which would let its first node in.
            last = min(end_line, self.snapshot.line_count) - 1
            if last < start_line:
                return None
            cursor.set_point_range((start_line, 0), (last, len(utf8(self.snapshot.lines[last])) + 1))
        return cursor


def parse_text(text: str, language: Language) -> Parsed:
    """A throw-away parse of some text, for a check."""
    return parse_snapshot(Snapshot("", 0, language.id, text), language)


def parse_snapshot(snapshot: Snapshot, language: Language) -> Parsed:
    """A parse that nobody goes on from."""
    grammar = language.grammar
    tree = None if grammar is None else tree_sitter.Parser(grammar).parse(snapshot.utf8)
    return Parsed(snapshot, tree, language)


def _is_wide(root: Node) -> bool:
    """Looks only into subtrees that have errors."""
    rest = [root]
    while rest:
        node = rest.pop()
        if node.has_error:
            if node.child_count - node.named_child_count > MOST_PUNCTUATION:
                return True
            rest.extend(node.children)
    return False


def _count_errors(root: Node) -> int:
    """Looks only into subtrees that have errors."""
    n_errors, rest = 0, [root]
    while rest:
        node = rest.pop()
        n_errors += node.is_error or node.is_missing
        if node.has_error:
            rest.extend(node.children)
    return n_errors
