"""Parses open documents incrementally.

In: snapshots and the edits between them.  Out: `Parsed`.  Knows nothing about editors; a function passed to it says
which language a document is in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tree_sitter
from tree_sitter import Tree

from palimpsest.syntax.parse import Language, Parsed
from palimpsest.text.snapshot import InputEdit, Snapshot


class Parser:
    """Owns the newest tree of every open document, by URI.  One thread only."""

    def __init__(self, language_of: Callable[[str, str], Language]) -> None:
        self._language_of = language_of
        self._parsers: dict[str, tree_sitter.Parser] = {}
        self._newest: dict[str, Parsed] = {}

    def parse(self, snapshot: Snapshot) -> Parsed:
        """The parse of a snapshot: the stored one if it is of exactly this text, else a new one."""
        known = self._known(snapshot)
        return known if known is not None else self._keep(snapshot, None)

    def update(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Parsed:
        """The parse of `new`, the result of applying `edits` to `old`; a known old tree is reused and stays valid."""
        return self._keep(new, self._edited(old, new, edits))

    def imagined(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Parsed:
        """Like `update`, for a text that no document has yet: the newest tree stays that of `old`."""
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
        language = self._language_of(snapshot.language_id, snapshot.uri)
        tree, grammar = None, language.grammar
        if grammar is not None:
            if language.id not in self._parsers:
                self._parsers[language.id] = tree_sitter.Parser(grammar)
            parser = self._parsers[language.id]
            tree = parser.parse(snapshot.utf8) if old_tree is None else parser.parse(snapshot.utf8, old_tree)
        return Parsed(snapshot, tree, language)
