"""Syntax trees of documents, kept incremental while somebody types.

In: snapshots and the edits between them.  Out: `Parsed`.  This room knows no file and no editor; nobody outside
`syntax/` looks into a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import tree_sitter
from tree_sitter import Node, QueryCursor, Tree

from palimpsest.syntax.languages import grammar, language_of
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import InputEdit, Snapshot

__all__ = ["Parsed", "Parser", "language_of", "parse_text"]

MOST_PUNCTUATION = 5_000
"""Nodes without a name among the children of one node of broken code: a query's time is quadratic in them, a minute
for 200,000 open brackets."""
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Parsed:
    """A snapshot with its tree; `tree` and `language` are None for a language that has no grammar here."""

    snapshot: Snapshot
    tree: Tree | None
    language: str | None
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
        if self.language is None or self._is_too_wide:
            return None
        cursor = QueryCursor(grammar(self.language).queries[section])
        if start_line is not None:
            # Up to the last line's end and not the next one's start, which would let its first node in.
            last = min(end_line, self.snapshot.line_count) - 1
            if last < start_line:
                return None
            cursor.set_point_range((start_line, 0), (last, len(utf8(self.snapshot.lines[last])) + 1))
        return cursor


class Parser:
    """Owns the newest tree of every open document, by URI.  One thread only."""

    def __init__(self) -> None:
        self._parsers: dict[str, tree_sitter.Parser] = {}
        self._newest: dict[str, Parsed] = {}

    def parse(self, snapshot: Snapshot) -> Parsed:
        """The parse of a snapshot: the one at hand if it is of this very text, else from scratch."""
        known = self._known(snapshot)
        return known if known is not None else self._keep(snapshot, None)

    def update(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Parsed:
        """The parse of `new`, which `edits` made of `old`; a known old tree is reused, and stays valid."""
        return self._keep(new, self._edited(old, new, edits))

    def imagined(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Parsed:
        """As `update`, of a text that is no document's yet: the newest tree stays that of `old`."""
        return self._parsed(new, self._edited(old, new, edits))

    def _edited(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Tree | None:
        known = self._known(old)
        if known is None or known.tree is None or old.language_id != new.language_id:
            return None
        tree = known.tree.copy()
        for edit in edits:
            tree.edit(
                edit.start_byte,
                edit.old_end_byte,
                edit.new_end_byte,
                edit.start_point,
                edit.old_end_point,
                edit.new_end_point,
            )
        return tree

    def forget(self, uri: str) -> None:
        self._newest.pop(uri, None)

    def _known(self, snapshot: Snapshot) -> Parsed | None:
        known = self._newest.get(snapshot.uri)
        return known if known is not None and known.snapshot == snapshot else None

    def _keep(self, snapshot: Snapshot, old_tree: Tree | None) -> Parsed:
        parsed = self._newest[snapshot.uri] = self._parsed(snapshot, old_tree)
        return parsed

    def _parsed(self, snapshot: Snapshot, old_tree: Tree | None) -> Parsed:
        language = language_of(snapshot.language_id, snapshot.uri)
        tree = None
        if language is not None:
            if language not in self._parsers:
                self._parsers[language] = tree_sitter.Parser(grammar(language).language)
            parser = self._parsers[language]
            tree = parser.parse(snapshot.utf8) if old_tree is None else parser.parse(snapshot.utf8, old_tree)
        return Parsed(snapshot, tree, language)


def parse_text(text: str, language: str | None) -> Parsed:
    """A throw-away parse of some text, for a check; `language` is a name that `language_of` gives."""
    snapshot = Snapshot("", 0, language or "", text)
    if language is None:
        return Parsed(snapshot, None, None)
    return Parsed(snapshot, tree_sitter.Parser(grammar(language).language).parse(snapshot.utf8), language)


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
