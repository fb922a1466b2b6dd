"""Pure: grammar rules for quoting lines: runs of shown lines that occur at one place only.

In: a block, how each of its lines is written.  Out: GBNF rules.  Does not know about tokens or formats.

A run may begin at any line from which a few lines are enough to identify the place.  All beginnings form a trie of
characters, so that few parses are open at any time; once the place is known, the run continues line by line:

    <p>-at-n    a node of the trie: a few beginnings have this in common
    <p>-more-k  the line `k` and what follows it, or the end of the run
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.edits.gbnf import is_writable, literal
from palimpsest.edits.shown import ShownBlock
from palimpsest.text.alike import n_alike

MAX_BEGINNING = 8
"""The most lines used to identify a place; a line that needs more cannot begin a run."""
_LAST = "\r"
"""Ends a beginning; lines that can be quoted do not contain it."""


@dataclass(frozen=True, slots=True)
class Runs:
    """`write` returns a line as it is quoted, without its mark; `mark` and `between` are GBNF for the text before each
    line and between two lines, `end` for the text after a run.  All but `write` may be empty."""

    prefix: str
    block: ShownBlock
    write: Callable[[str], str]
    end: str
    mark: str = ""
    between: str = ""

    def rules(self) -> list[str]:
        """Rules, of which `<prefix>-run` matches one run; empty if no place can be identified."""
        beginnings = sorted(self._beginnings())
        if not beginnings:
            return []
        rules = [f"{self.prefix}-run ::= {self.between} {self.mark} {self.prefix}-at-0"]
        self._node(rules, beginnings, 0, [0], f"{self.prefix}-at-0")
        segments, reached = self._segments(), {after for _, after in beginnings}
        for segment in segments:
            first = min((at for at in reached if segment.start < at <= segment.stop), default=None)
            for at in range(first, segment.stop + 1) if first is not None else ():
                more = f"{self.mark} {self._line(at)} {self.prefix}-more-{at + 1} | " if at < segment.stop else ""
                rules.append(f"{self.prefix}-more-{at} ::= {self.between} ({more}{self.end})")
        return rules

    def _line(self, index: int) -> str:
        return literal(self.write(self.block.lines[index].text) + "\n")

    def _segments(self) -> list[range]:
        """The ranges of lines that can be quoted consecutively."""
        segments, start = list[range](), 0
        for i, line in enumerate(self.block.lines):
            if line.document_line is None or not is_writable(line.text):
                segments, start = [*segments, range(start, i)], i + 1
        return [lines for lines in [*segments, range(start, len(self.block.lines))] if lines]

    def _beginnings(self) -> Iterator[tuple[str, int]]:
        """For every line that may begin a run: (the fewest lines that identify the place, the index after them)."""
        left_out = {line.text.strip() for line in self.block.lines if line.document_line is None}
        # A line that looks like a mark is also found where a mark is.
        keys = [t.strip() if t.strip() in left_out else t for t in (line.text for line in self.block.lines)]
        counts = [Counter(_tuples(keys, n)) for n in range(1, MAX_BEGINNING + 1)]
        for segment in self._segments():
            for i in segment:
                longest = min(MAX_BEGINNING, segment.stop - i)
                lengths = (n for n in range(1, longest + 1) if counts[n - 1][tuple(keys[i : i + n])] == 1)
                n = next((n for n in lengths if any(key.strip() for key in keys[i : i + n])), 0)
                if not n and i == segment.start and len(segment) > MAX_BEGINNING:
                    n = self._whole(keys, segment)
                if n:
                    yield "\n".join(map(self.write, self._texts(i, n))) + _LAST, i + n

    def _whole(self, keys: Sequence[str], segment: range) -> int:
        """The whole segment, if a shorter part does not identify the place."""
        once = Counter(_tuples(keys, len(segment)))[tuple(keys[segment.start : segment.stop])] == 1
        return len(segment) if once and any(keys[i].strip() for i in segment) else 0

    def _texts(self, start: int, n: int) -> list[str]:
        return [line.text for line in self.block.lines[start : start + n]]

    def _node(self, rules: list[str], keys: Sequence[tuple[str, int]], depth: int, count: list[int], name: str) -> None:
        """The rule `name`: what may follow the first `depth` characters, which all `keys` share."""
        groups = dict[str, list[tuple[str, int]]]()
        for key in keys:
            groups.setdefault(key[0][depth], []).append(key)
        alternatives = list[str]()
        for group in groups.values():
            first, last = group[0][0], group[-1][0]
            shared = first[: n_alike(first, last)]  # of all, since they are sorted
            if len(group) == 1:
                following = f"{self.prefix}-more-{group[0][1]}"
            else:
                count[0] += 1
                following = f"{self.prefix}-at-{count[0]}"
                self._node(rules, group, len(shared), count, following)
            alternatives.append(f"{self._text(shared[depth:])} {following}")
        rules.append(f"{name} ::= " + " | ".join(alternatives))

    def _text(self, text: str) -> str:
        """Part of a beginning; `between` may occur between two of its lines."""
        between = f" {self.between} {self.mark} "
        return between.join(literal(line) for line in _line_ends(text.replace(_LAST, "\n"), text.endswith(_LAST)))


def _line_ends(text: str, last: bool) -> list[str]:
    """The text split after its line ends.  An empty last piece is kept, since something must follow a line end, except
    at the end of a beginning (`last`)."""
    parts = text.split("\n")
    cut = [f"{part}\n" for part in parts[:-1]]
    return cut if last else [*cut, parts[-1]]


def _tuples(keys: Sequence[str], n: int) -> Iterator[tuple[str, ...]]:
    return (tuple(keys[i : i + n]) for i in range(len(keys) - n + 1))
