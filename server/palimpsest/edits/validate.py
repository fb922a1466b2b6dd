"""Pure: decides whether edits of a document may be offered: what they break, repeat or invent.

In: the document before the edits, the words its model was shown, the edits.  Out: the edits with remarks, or the reason
why they are refused.  Does not know about replies, blocks or editors.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from palimpsest.edits.line_edits import applied, normalised
from palimpsest.languages.embedded import inner_parses
from palimpsest.languages.placeholders import placeholder
from palimpsest.syntax.indentation import faults, is_worse
from palimpsest.syntax.parse import Language, Parsed, parse_text
from palimpsest.syntax.sameness import shape
from palimpsest.syntax.unknown import bound_in, defined_twice, documented_twice, free_in
from palimpsest.types import DocumentChange, LineEdit

FORMATTING = "formatting only"
COMMENTS = "comments only"
REPETITION = "a repetition was left out"
UNKNOWN = "unknown name: "
WORD = re.compile(r"[^\W\d]\w*")
LONGEST = 60
"""Characters of a comment that are named to a person."""
FEWEST = 2
"""Minimum number of lines with text in a repetition: a single line may well occur twice in a row."""


class Unfit(Exception):
    """Holds the reason, worded for a person."""


@dataclass(frozen=True)
class Baseline:
    """A document before a change of it.  `words` are those of everything else the model was shown, and of what is one
    module with the document.  `hides_names`: that module imports whatever another one has."""

    lines: tuple[str, ...]
    language: Language
    words: frozenset[str] = frozenset()
    hides_names: bool = False

    @cached_property
    def parsed(self) -> Parsed:
        return parse_text("\n".join(self.lines), self.language)

    @cached_property
    def known(self) -> frozenset[str]:
        """Every word of the document and of what was shown."""
        return self.words | words_of(self.lines)


@dataclass(frozen=True, slots=True)
class Validated:
    """A change as it may be offered, and the document with it."""

    change: DocumentChange
    result: Parsed
    flags: tuple[str, ...] = ()


def words_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in WORD.findall(text))


def validated(change: DocumentChange, baseline: Baseline) -> Validated:
    """The change without repetitions, checked as a whole.  Raises Unfit if it must not be offered."""
    edits = normalised(baseline.lines, without_repeats(baseline.lines, change.edits))
    if not edits:
        raise Unfit("it repeats what stands there already")
    flags = [REPETITION] if _size(edits) < _size(change.edits) else []
    change = replace(change, edits=edits)
    result = parse_text("\n".join(applied(baseline.lines, edits)), baseline.language)
    if text := placeholder(baseline.parsed, result, edits):
        raise Unfit(f"it leaves code out: {text[:LONGEST]!r} stands in place of lines that it takes away")
    _check_syntax(result, baseline)
    _check_definitions(result, baseline)
    if same := _only_layout(change, result, baseline):
        flags.append(same)
    flags += [f"{UNKNOWN}{name}" for name in sorted(_unknown(change, result, baseline))]
    return Validated(change, result, tuple(flags))


def window(changes: Iterable[DocumentChange], lines: Sequence[str]) -> tuple[int, int]:
    """(lines before the first edit, lines after the last) that none of these changes of one document touches."""
    found = list(changes)
    head = min((change.edits[0].start for change in found), default=0)
    return head, len(lines) - max((change.edits[-1].end for change in found), default=len(lines))


def _size(edits: Iterable[LineEdit]) -> int:
    return sum(len(edit.lines) for edit in edits)


def _check_syntax(result: Parsed, baseline: Baseline) -> None:
    if is_worse(result, baseline.parsed) or _is_worse_inside(result, baseline.parsed):
        before, after = (faults(one) + _faults_inside(one) for one in (baseline.parsed, result))
        errors = "syntax error" if after == 1 else "syntax errors"
        raise Unfit(f"it would leave {after} {errors} where there were {before or 'none'}")


def _is_worse_inside(result: Parsed, before: Parsed) -> bool:
    """Whether what is embedded in the document has more errors."""
    return _faults_inside(result) > _faults_inside(before)


def _faults_inside(parsed: Parsed) -> int:
    return sum(faults(inner) for inner in inner_parses(parsed))


def _check_definitions(result: Parsed, baseline: Baseline) -> None:
    if result.n_errors:
        return  # a tree with errors may contain duplicates that the code does not
    more = defined_twice(result) - defined_twice(baseline.parsed)
    if more:
        raise Unfit(f"it would define {min(more)} a second time")
    if documented_twice(result) > documented_twice(baseline.parsed):
        raise Unfit("it would document a definition a second time")


def _only_layout(change: DocumentChange, result: Parsed, baseline: Baseline) -> str:
    if result.root is None:
        return ""
    head, tail = window([change], baseline.lines)
    n_before, n_after = len(baseline.lines), result.snapshot.line_count
    for flag, comments in ((FORMATTING, True), (COMMENTS, False)):
        old = shape(baseline.parsed, head, n_before - tail, comments=comments)
        if old == shape(result, head, n_after - tail, comments=comments):
            return flag
    return ""


def _unknown(change: DocumentChange, result: Parsed, baseline: Baseline) -> set[str]:
    """Unknown names that the new lines use; none if the document's own imports, or those of the rest of its
    module, hide which names exist."""
    if baseline.hides_names:
        return set()
    free, bound, shift = set[str](), set[str](), 0
    for edit in change.edits:
        start = edit.start + shift
        end = start + len(edit.lines)
        for parsed in (result, *inner_parses(result)):
            free |= free_in(parsed, start, end)
            bound |= bound_in(parsed, start, end)
        shift += len(edit.lines) - (edit.end - edit.start)
    return free - bound - baseline.known


def without_repeats(lines: Sequence[str], edits: Sequence[LineEdit]) -> tuple[LineEdit, ...]:
    """A model that keeps writing after its edit often repeats the code that follows.

    The edits (sorted, without overlap) without beginnings and ends that repeat the lines right before and after
    them; edits that become empty are dropped.  Only edits that make the document longer are examined.
    """
    trimmed = list[LineEdit]()
    for i, edit in enumerate(edits):
        above = edits[i - 1].end if i else 0
        below = edits[i + 1].start if i + 1 < len(edits) else len(lines)
        if len(edit.lines) > edit.end - edit.start:
            edit = _trimmed(edit, lines[above : edit.start], lines[edit.end : below])
        if edit.lines or edit.start < edit.end:
            trimmed.append(edit)
    return tuple(trimmed)


def _trimmed(edit: LineEdit, above: Sequence[str], below: Sequence[str]) -> LineEdit:
    new = edit.lines
    if n := _common([new[-k:] == tuple(below[:k]) for k in range(1, min(len(new), len(below)) + 1)], new[::-1]):
        new = new[:-n]
    if n := _common([new[:k] == tuple(above[-k:]) for k in range(1, min(len(new), len(above)) + 1)], new):
        new = new[n:]
    return replace(edit, lines=new)


def _common(equal: Sequence[bool], new: Sequence[str]) -> int:
    """The length of the longest repeated piece that has enough text; `new` begins with it, read from its end of the
    edit."""
    longest = max((k for k, is_equal in enumerate(equal, start=1) if is_equal), default=0)
    return longest if sum(bool(line.strip()) for line in new[:longest]) >= FEWEST else 0
