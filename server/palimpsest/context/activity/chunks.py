"""Pieces of documents that a person worked with lately.

In: pieces as they are met, the edits of documents.  Out: the newest pieces, none like another, each with where its
lines are now.  Pure; the texts are those of documents and never of a clipboard.

Sixteen pieces, and when two of them count as one, are what llama.vim and llama.vscode have for their ring of chunks.  A
piece here is a function where the function is short, and it follows the edits of its document.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from palimpsest.context.estimate import chars_for
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import enclosing, scope_at
from palimpsest.text.snapshot import InputEdit, Snapshot

KEPT = 16
MOST_LINES = 64
MAX_TOKENS = 250
"""One piece takes at most this many tokens, so that several have room beside what the code at the cursor needs."""
SAME = 0.9
"""Two pieces that are more alike than this are one."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """`lines` of a document, the first of which is its line `start`; `name` is its scope's, `part` above 1 if an older
    piece of the same scope is there too."""

    uri: str
    name: str
    start: int
    lines: tuple[str, ...]
    part: int = 1

    @property
    def end(self) -> int:
        return self.start + len(self.lines)

    def place(self, lines: Sequence[str]) -> range | None:
        """Where it is in a text that may have changed meanwhile: where it was, or at the nearest place; None where it
        is no more."""
        n, first = len(self.lines), self.lines[0]
        starts = [at for at, line in enumerate(lines[: len(lines) - n + 1]) if line == first]
        for at in sorted(starts, key=lambda at: abs(at - self.start)):
            if tuple(lines[at : at + n]) == self.lines:
                return range(at, at + n)
        return None


class Chunks:
    """Owner of the pieces."""

    def __init__(self) -> None:
        self._chunks: list[Chunk] = []

    def __iter__(self) -> Iterator[Chunk]:
        """The newest first."""
        return reversed(tuple(self._chunks))

    def add(self, chunk: Chunk | None) -> None:
        """Make a piece the newest; those that are the same, or are of the same lines, make room for it."""
        if chunk is None:
            return
        over = [old for old in self._chunks if _covers(chunk, old)]
        self._chunks = [old for old in self._chunks if old not in over and similarity(old.lines, chunk.lines) <= SAME]
        taken = {old.part for old in self._chunks if (old.uri, old.name) == (chunk.uri, chunk.name)}
        named = [old.part for old in over if old.name == chunk.name]
        part = named[0] if named else next(n for n in range(1, KEPT + 2) if n not in taken)
        self._chunks = [*self._chunks, replace(chunk, part=part)][-KEPT:]

    def changed(self, new: Snapshot, edits: Sequence[InputEdit]) -> None:
        """A document has changed, and the pieces of it with it."""
        if any(chunk.uri == new.uri for chunk in self._chunks):
            now = [_moved(chunk, new, edits) if chunk.uri == new.uri else chunk for chunk in self._chunks]
            self._chunks = [chunk for chunk in now if chunk is not None]


def chunk_at(parsed: Parsed, line: int) -> Chunk | None:
    """The function at a line, or of a longer one as much around the line as a piece may have; None for blank lines."""
    lines = parsed.snapshot.lines
    line = max(0, min(line, len(lines) - 1))
    scope = next(around for around in enclosing(scope_at(parsed, line, 0)) if around.has_body)
    if scope.kind == "namespace":
        scope = next(around for around in enclosing(scope) if around.parent is None)
    end = max(scope.end_line, line + 1)
    return chunk_of(parsed.snapshot, _around(lines, line, range(scope.start_line, end)), scope.qualified_name)


def chunk_of(snapshot: Snapshot, lines: range, name: str) -> Chunk | None:
    """These lines as a piece, without the blank ones around them; None if there are no others."""
    start, end = lines.start, min(lines.stop, snapshot.line_count)
    while start < end and not snapshot.lines[start].strip():
        start += 1
    while end > start and not snapshot.lines[end - 1].strip():
        end -= 1
    return Chunk(snapshot.uri, name, start, snapshot.lines[start:end]) if end > start else None


def _around(lines: Sequence[str], line: int, within: range) -> range:
    """The lines around a line that fit, as many above as below as far as there are some."""
    first, behind, room = line, line + 1, chars_for(MAX_TOKENS) - len(lines[line])
    while behind - first < MOST_LINES:
        above = first - 1 if first > within.start else None
        below = behind if behind < within.stop else None
        if above is None and below is None:
            break
        goes_up = below is None or (above is not None and line - above < below - line)
        number = above if goes_up else below
        assert number is not None
        room -= len(lines[number]) + 1
        if room < 0:
            break
        first, behind = (number, behind) if goes_up else (first, number + 1)
    return range(first, behind)


def _covers(new: Chunk, old: Chunk) -> bool:
    """Whether half of the smaller one's lines are also in the other."""
    if new.uri != old.uri:
        return False
    both = min(new.end, old.end) - max(new.start, old.start)
    return 2 * both >= min(len(new.lines), len(old.lines))


def _moved(chunk: Chunk, new: Snapshot, edits: Sequence[InputEdit]) -> Chunk | None:
    """The piece after the edits; None if its lines are gone or it has become too long."""
    start, end = chunk.start, chunk.end
    is_same, is_replaced = True, False
    for edit in edits:
        (first, _), (last, last_column), (new_last, _) = edit.start_point, edit.old_end_point, edit.new_end_point
        shift = new_last - last
        if last < start or (last == start and last_column == 0 and first < start):
            start, end = start + shift, end + shift
        elif first < end:
            is_replaced = is_replaced or (first <= start and last >= end - 1)
            behind = last + (last_column > 0 or last == first)
            start, end, is_same = min(start, first), max(end, behind) + shift, False
    if is_same:
        return replace(chunk, start=start) if start != chunk.start else chunk
    if is_replaced and (there := chunk.place(new.lines)) is not None:  # the editor sent more than what changed
        return replace(chunk, start=there.start)
    moved = chunk_of(new, range(start, end), chunk.name) if end - start <= MOST_LINES else None
    return None if moved is None else replace(moved, part=chunk.part)


def similarity(one: Iterable[str], other: Iterable[str]) -> float:
    """Twice the lines that both have, by the lines of both; 0 where there are none."""
    a, b = _lines(one), _lines(other)
    both = a.total() + b.total()
    return 2 * (a & b).total() / both if both else 0.0


def _lines(lines: Iterable[str]) -> Counter[str]:
    return Counter(stripped for line in lines if (stripped := line.strip()))
