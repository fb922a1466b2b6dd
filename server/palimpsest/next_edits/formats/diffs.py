"""Pure: changes as diffs, and a rewritten text as the fewest and smallest edits.

In: lines before and after, texts.  Out: hunks with three lines of context; edits of a document.

Hunks are what Zed writes (`@@ -1,3 +1,3 @@`, always with both lengths), which its models were trained on.  An edit goes
down to words where few lines became few others.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from palimpsest.text.alike import ends_alike
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import Position, Snapshot

AROUND = 3
MOST_LINES, MOST_BYTES = 8, 512
"""A hunk is compared word by word if it has at most so many lines and bytes, before and after."""
_WORDS = re.compile(r"\w+|\s+|([^\w\s])\1*")
_HEADING = re.compile(r"(?:^|\n)@@ -\d+,\d+ \+\d+,\d+ @@\n")
Edit = tuple[int, int, str]
"""Two offsets in a text, and what belongs between them."""
Span = tuple[int, int, int, int]
"""Where something begins and ends in one sequence, and where what replaces it does in another."""


@dataclass(frozen=True, slots=True)
class OffsetEdit:
    """`text` belongs between two offsets of a document; its line ends are those of the document."""

    start: int
    end: int
    text: str

    @property
    def is_nothing(self) -> bool:
        return self.start == self.end and not self.text

    def applied(self, text: str) -> str:
        return text[: self.start] + self.text + text[self.end :]


def unified(before: Sequence[str], after: Sequence[str]) -> str:
    """The hunks between two versions of a document, with a line end behind each line; empty if they are the same.  The
    empty line that a text with a line end at its end has last is none."""
    before, after = (lines[: len(lines) - (not lines[-1])] if lines else lines for lines in (before, after))
    written = list[str]()
    for group in _groups(list(spans(before, after)), 2 * AROUND):
        top = min(AROUND, group[0][0])
        start, stop = group[0][0] - top, min(len(before), group[-1][1] + AROUND)
        lines, at = list[str](), start
        for a, b, c, d in group:
            lines += [f" {line}" for line in before[at:a]]
            lines += [*(f"-{line}" for line in before[a:b]), *(f"+{line}" for line in after[c:d])]
            at = b
        lines += [f" {line}" for line in before[at:stop]]
        grown = sum(d - c - (b - a) for a, b, c, d in group)
        first = group[0][2] - top
        written += [f"@@ -{start + 1},{stop - start} +{first + 1},{stop - start + grown} @@", *lines]
    return "".join(f"{line}\n" for line in written)


def hunks(diff: str) -> Iterator[tuple[str, str]]:
    """Those of what `unified` has written, each before and after; empty where nothing changed.  Lines without a heading
    are one."""
    for written in _HEADING.split(diff.removesuffix("\n")):
        lines = written.split("\n")
        is_changed = any(line[:1] in ("-", "+") for line in lines)
        before, after = ([line[1:] for line in lines if is_changed and line[:1] != mark] for mark in "+-")
        yield "\n".join(before), "\n".join(after)


def smallest_edits(snapshot: Snapshot, window: range, new: str) -> tuple[OffsetEdit, ...]:
    """The edits, in order, that make `new` of the lines of a window; both without the last line's end."""
    lines = snapshot.lines[window.start : window.stop]
    old, starts = "\n".join(lines), list(accumulate((len(line) + 1 for line in lines), initial=0))

    def in_document(offset: int) -> int:
        row = bisect_right(starts, offset) - 1
        return snapshot.offset(Position(window.start + row, offset - starts[row]))

    edits = list[OffsetEdit]()
    for edit in _edits(f"{old}\n", f"{new}\n"):
        # The end of the last line is not the window's: what precedes it goes, or comes, instead.
        start, end, text = edit if edit[1] <= len(old) else _inside(old, *edit)
        edits.append(OffsetEdit(in_document(start), in_document(end), text.replace("\n", snapshot.line_end)))
    return tuple(edits)


def _inside(old: str, start: int, _end: int, text: str) -> Edit:
    if not text:
        return max(0, start - 1), len(old), ""
    return (start, len(old), text[:-1]) if start <= len(old) else (len(old), len(old), f"\n{text[:-1]}")


def _edits(old: str, new: str) -> Iterator[Edit]:
    """By lines, and by words in what is short; both texts end with a line end."""
    before, after = ([f"{line}\n" for line in text[:-1].split("\n")] for text in (old, new))
    for start, a, b, c, d in _placed(before, after):
        gone, put = "".join(before[a:b]), "".join(after[c:d])
        is_short = max(b - a, d - c) <= MOST_LINES and max(len(utf8(gone)), len(utf8(put))) <= MOST_BYTES
        if not (gone and put and is_short):
            yield start, start + len(gone), put
            continue
        words, others = ([match[0] for match in _WORDS.finditer(text)] for text in (gone, put))
        for at, i, j, k, m in _placed(words, others):
            yield start + at, start + at + len("".join(words[i:j])), "".join(others[k:m])


def _placed(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int, int]]:
    """What differs, behind the offset at which it begins in the joined sequence."""
    offsets = list(accumulate(map(len, before), initial=0))
    for span in spans(before, after):
        yield offsets[span[0]], *span


def spans(before: Sequence[str], after: Sequence[str]) -> Iterator[Span]:
    """What differs."""
    head, tail = ends_alike(before, after)
    matcher = SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            yield head + a, head + b, head + c, head + d


def _groups(spans: Sequence[Span], near: int) -> Iterator[list[Span]]:
    group = list[Span]()
    for span in spans:
        if group and span[0] - group[-1][1] > near:
            yield group
            group = []
        group.append(span)
    if group:
        yield group
