"""Parses open documents incrementally.

In: snapshots and the edits between them.  Out: `Parsed`.  Knows nothing about editors; a function passed to it says
which language a document is in.

Half a statement can take tree-sitter longer than a person takes for a key, where what follows has to be understood
anew; and what it then makes of the code is often not what the person sees.  So in a large document, while a few lines
are being typed, there is a hurried parse too: the tree of before they were broken, its places moved along with the
edits.

No parse takes much longer than sound code of that length does.  A text that would has no tree, and is not tried again
for each key, only when somebody asks for the parse of exactly this text.  What is new, or much at once, is parsed by
another process first; a document that this died of has no tree until it is opened again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import tree_sitter
from tree_sitter import Tree

from palimpsest.syntax.parse import Language, Parsed, Relaxing, parse_snapshot, parse_with
from palimpsest.text.snapshot import ContentChange, InputEdit, Snapshot

LARGE = 100_000
"""Characters.  A smaller document is mostly parsed in a few milliseconds whatever is wrong with it."""
PATIENCE_S = 0.004
"""The parse of a large document is waited for this long, before the tree of the text as it was before has to do."""
MOST_LINES = 12
"""Typed before somebody has to wait for what they mean."""
MOST_INSERTED = 4_000
"""Bytes that are parsed with what is known of the text around them."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a document's newest version: its parse, or while there is none the tree of an older version with
    the edits since; and the hurried parse while `lines` are being typed."""

    snapshot: Snapshot
    tree: Tree | None
    parsed: Parsed | None
    hurried: Parsed | None = None
    lines: range = range(0)


class Parser:
    """Owns the newest tree of every open document, by URI.  One thread only."""

    def __init__(
        self,
        language_of: Callable[[str, str], Language],
        plain: Callable[[str], Language] | None = None,
        *,
        large: int = LARGE,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`plain` gives the language of a text that a grammar may not be given: its lines are read without it, too, and
        one of them may be millions of characters long."""
        self._language_of = language_of
        self._plain = plain
        self._large = large
        self._patience_s = patience_s
        self._parsers: dict[str, tree_sitter.Parser] = {}
        self._newest: dict[str, _Known] = {}
        self._relaxing: dict[str, Relaxing] = {}
        self._deadly: set[str] = set()

    def parse(self, snapshot: Snapshot) -> Parsed:
        """The parse of a snapshot: the stored one if it is of exactly this text, else a new one."""
        known = self._known(snapshot)
        if known is None:
            return self._keep(_of(self._parsed(snapshot, None)))
        if known.parsed is not None:
            return known.parsed
        parsed, hurried = self._parsed(snapshot, known.tree), known.hurried
        goes_on = hurried is not None and _is_worse(parsed, hurried)
        self._keep(
            _Known(snapshot, parsed.as_written or parsed.tree, parsed, hurried, known.lines) if goes_on else _of(parsed)
        )
        return parsed

    def hurried(self, snapshot: Snapshot) -> Parsed:
        """The same, or the hurried parse while there is one."""
        known = self._known(snapshot)
        return known.hurried if known is not None and known.hurried is not None else self.parse(snapshot)

    def update(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Parsed:
        """The parse of `new`, the result of applying `edits` to `old`, or the hurried one; a known old tree is reused
        and stays valid."""
        known = self._known(old)
        late = _late(known, new)
        if late is not None:
            return self._keep(_Known(new, None, None, late))
        if known is None or known.tree is None or old.language_id != new.language_id or _is_much(edits):
            return self._keep(_of(self._parsed(new, None)))
        if len(new.text) < self._large or not self._language_of(new.language_id, new.uri).may_parse(new.text):
            return self._keep(_of(self._parsed(new, edited(known.tree, edits))))
        return self._keep(self._updated(known, new, edits))

    def imagined(self, old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> Parsed:
        """The parse of a text that no document has yet: the newest tree stays that of `old`."""
        known = self._known(old)
        late = _late(known, new)
        if late is not None:
            return late
        usable = known is not None and known.tree is not None and old.language_id == new.language_id
        return self._parsed(new, edited(known.tree, edits) if usable and known is not None and known.tree else None)

    def forget(self, uri: str) -> None:
        self._newest.pop(uri, None)
        self._relaxing.pop(uri, None)
        self._deadly.discard(uri)

    def _updated(self, known: _Known, new: Snapshot, edits: Sequence[InputEdit]) -> _Known:
        """In a large document."""
        assert known.tree is not None
        tree, lines = edited(known.tree, edits), _lines(edits)
        before = known.parsed
        if known.hurried is not None and known.lines.start <= lines.start + 1 and lines.start <= known.lines.stop:
            grown = known.lines.stop + new.line_count - known.snapshot.line_count
            lines = range(min(known.lines.start, lines.start), max(grown, lines.stop))
            before = known.hurried
        if len(lines) > MOST_LINES or before is None or before.tree is None:
            return _of(self._parsed(new, tree))
        was_late = before.is_hurried and known.parsed is None
        parsed = None if was_late else self._parsed(new, tree, self._patience_s)
        parsed = None if parsed is None or parsed.is_hurried else parsed
        if parsed is not None and not _is_worse(parsed, before):
            return _of(parsed)
        hurried = Parsed(new, edited(before.tree, edits), before.language, is_hurried=True)
        return _Known(new, tree if parsed is None else parsed.tree, parsed, hurried, lines)

    def _known(self, snapshot: Snapshot) -> _Known | None:
        known = self._newest.get(snapshot.uri)
        return known if known is not None and known.snapshot == snapshot else None

    def _keep(self, known: _Known) -> Parsed:
        self._newest[known.snapshot.uri] = known
        parsed = known.hurried or known.parsed
        assert parsed is not None
        return parsed

    def _parsed(self, snapshot: Snapshot, old_tree: Tree | None, patience_s: float | None = None) -> Parsed:
        language = self._language_of(snapshot.language_id, snapshot.uri)
        grammar = None
        if language.may_parse(snapshot.text):
            grammar = language.grammar
        elif self._plain is not None:
            language = self._plain(language.id)
        if grammar is None:
            return Parsed(snapshot, None, language)
        if old_tree is None and not self._is_bearable(snapshot, language):
            return Parsed(snapshot, None, language, is_hurried=True)
        if language.id not in self._parsers:
            self._parsers[language.id] = tree_sitter.Parser(grammar)
        parsed = parse_with(self._parsers[language.id], snapshot, language, old_tree, patience_s, is_tried=True)
        if len(snapshot.text) >= self._large:
            return parsed
        relaxing = self._relaxing.setdefault(snapshot.uri, Relaxing())
        return relaxing.parsed(parsed)

    def _is_bearable(self, snapshot: Snapshot, language: Language) -> bool:
        if snapshot.uri in self._deadly:
            return False
        trial = language.trial(snapshot)
        if trial == "dies":
            self._deadly.add(snapshot.uri)
        return trial == "lives"


def _of(parsed: Parsed) -> _Known:
    return _Known(parsed.snapshot, parsed.as_written or parsed.tree, parsed)


def _late(known: _Known | None, new: Snapshot) -> Parsed | None:
    """No tree, where the parse of the text before took too long: this one's will, too."""
    last = None if known is None else known.parsed or known.hurried
    if last is None or last.tree is not None or not last.is_hurried or last.snapshot.language_id != new.language_id:
        return None
    return Parsed(new, None, last.language, is_hurried=True)


def parsed_with(parsed: Parsed, changes: Sequence[ContentChange]) -> Parsed:
    """The parse of a document with changes that nobody has made, from the document's own tree."""
    new, edits = parsed.snapshot.changed(changes, parsed.snapshot.version)
    tree = parsed.as_written or parsed.tree
    if tree is None or parsed.part is not None:
        return parse_snapshot(new, parsed.language)
    return Relaxing().parsed(parse_with(None, new, parsed.language, edited(tree, edits)))


def edited(tree: Tree, edits: Sequence[InputEdit]) -> Tree:
    """A copy of a tree, its places moved."""
    tree = tree.copy()
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


def _is_much(edits: Sequence[InputEdit]) -> bool:
    """What is inserted may take as long to parse as any new text."""
    return sum(edit.new_end_byte - edit.start_byte for edit in edits) > MOST_INSERTED


def _lines(edits: Sequence[InputEdit]) -> range:
    """The lines that the edits touch."""
    rows = [row for edit in edits for row, _ in (edit.start_point, edit.old_end_point, edit.new_end_point)]
    return range(min(rows), max(rows) + 1) if rows else range(0)


def _is_worse(parsed: Parsed, before: Parsed) -> bool:
    """Whether less of the code is understood than before."""
    root, root_before = parsed.root, before.root
    if root is None or root_before is None or not root.has_error:
        return False
    return not root_before.has_error or root.is_error or parsed.n_errors > before.n_errors
