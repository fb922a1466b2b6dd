"""Pull requests as sequences of edits, in the form of RealisticEditBench (`patch_histories/`, MIT).

In: its folder, with a folder for each pull request, in which each file has one with `original.py`, `final.py` and its
diffs in order (`1.diff`, …).  Out: for each file its versions; whether an edit is part of what a later version has.

What is tuned is tuned on the pull requests whose name's SHA-256 begins with an odd digit; the figures of the documents
are of the others.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

from palimpsest.errors import InvalidArgument
from palimpsest.next_edits.formats.diffs import spans
from palimpsest.next_edits.repeats import tokens
from palimpsest.text.alike import ends_alike

FOLDER = "patch_histories"
MOST_CELLS = 250_000
"""Of the table in which two texts' tokens are compared; larger ones are compared roughly."""
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Pull:
    """A file of a pull request: its versions, the oldest first."""

    pull: str
    file: str
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """`at` (1-based) is the line that the diff names; `old` and `new` are lines, context included."""

    at: int
    old: list[str]
    new: list[str]


def read(folder: Path, *, tuned: bool = False) -> list[Pull]:
    """Those set aside, or with `tuned` the others.  Raises InvalidArgument."""
    place = next((it for it in (folder / FOLDER, folder) if it.is_dir()), folder)
    found = [
        one
        for pull in (sorted(place.iterdir()) if place.is_dir() else ())
        if pull.is_dir() and is_for_tuning(pull.name) == tuned
        for one in _of_pull(pull)
    ]
    if not found:
        hint = f"It is a checkout of RealisticEditBench, or its {FOLDER}."
        raise InvalidArgument("--pulls", f"{folder} has no pull requests.", hint=hint)
    return found


def is_for_tuning(pull: str) -> bool:
    return int(sha256(pull.encode()).hexdigest()[0], 16) % 2 == 1


def _of_pull(folder: Path) -> Iterator[Pull]:
    for file in sorted(it for it in folder.iterdir() if (it / "original.py").is_file()):
        lines = (file / "original.py").read_text(encoding="utf-8").split("\n")
        versions = ["\n".join(lines)]
        diffs = sorted(file.glob("[0-9]*.diff"), key=lambda path: int(path.stem))
        for path in diffs:
            made = patched(lines, hunks(path.read_text(encoding="utf-8")))
            if made is None:
                break  # some diffs are of another version; what came before them is as it was
            lines = made
            versions.append("\n".join(lines))
        stem, _, suffix = file.name.rpartition("__")
        yield Pull(folder.name, f"{stem.replace('__', '/')}.{suffix}", tuple(versions))


def hunks(diff: str) -> list[DiffHunk]:
    found = list[DiffHunk]()
    for line in diff.split("\n"):
        header = _HUNK.match(line)
        if header is not None:
            found.append(DiffHunk(int(header[1]), [], []))
        elif line.startswith("diff ") or not found:
            continue
        elif line[:1] in (" ", "-", "+"):
            for sign, side in (("-", found[-1].old), ("+", found[-1].new)):
                if line[0] in (" ", sign):
                    side.append(line[1:])
    return found


def patched(lines: Sequence[str], made: Sequence[DiffHunk]) -> list[str] | None:
    """Each hunk where its lines stand nearest to where it says; None where they do not."""
    result, grown = list(lines), 0
    for hunk in made:
        at = hunk.at - 1 + grown
        for blanks in (False, True):
            old, new = hunk.old[:], hunk.new[:]
            while blanks and old and new and old[-1] == new[-1] == "":
                old, new = old[:-1], new[:-1]
            places = [n for n in range(len(result) - len(old) + 1) if result[n : n + len(old)] == old]
            if not old:
                places = [min(max(at, 0), len(result))]
            if places:
                break
        if not places:
            return None
        start = min(places, key=lambda place: abs(place - at))
        result[start : start + len(old)] = new
        grown += len(new) - len(old)
    return result


class Later:
    """What of a text became something else in a later version."""

    def __init__(self, text: str, later: str) -> None:
        self._text = text
        before, after = (version.splitlines(keepends=True) for version in (text, later))
        self._starts = [0, *accumulate(map(len, before))]
        self._spans = [(a, b, "".join(after[c:d])) for a, b, c, d in spans(before, after)]

    def is_touched(self, start: int, end: int) -> bool:
        """Whether the lines of these characters are among those that changed."""
        return self._span(start, end) is not None

    def has(self, start: int, end: int, text: str) -> bool:
        """Whether the edit (of characters) is a part of what was changed: with it, so much less is left to do."""
        span = self._span(start, end)
        if span is None:
            return False
        a, b, later = span
        # an edit at the end of the line above the changed ones begins before them
        low, high = min(self._starts[a], start), max(self._starts[b], end)
        region = self._text[low:high]
        later = self._text[low : self._starts[a]] + later + self._text[self._starts[b] : high]
        edited = region[: start - low] + text + region[end - low :]
        gain = _distance(self._text[start:end], text)
        return gain > 0 and _distance(edited, later) == _distance(region, later) - gain

    def _span(self, start: int, end: int) -> tuple[int, int, str] | None:
        first, last = (bisect_right(self._starts, at) - 1 for at in (start, max(start, end - 1)))
        if start < len(self._text) and self._text[start] == "\n":
            first += 1  # what begins with the end of a line is about the next one
        for a, b, later in self._spans:
            if (a <= first and last < b) or (a == b == first) or (a <= first <= b and start == end):
                return a, b, later
        return None


def _distance(one: str, other: str) -> int:
    """Tokens to be taken out and put in."""
    a, b = ([token.text for token in tokens(text)] for text in (one, other))
    head, tail = ends_alike(a, b)
    a, b = a[head : len(a) - tail], b[head : len(b) - tail]
    return len(a) + len(b) - 2 * _n_common(a, b)


def _n_common(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    if len(a) * len(b) > MOST_CELLS:
        return sum(block.size for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
    row = [0] * (len(b) + 1)
    for word in a:
        last, row = row, [0]
        for n, other in enumerate(b):
            row.append(last[n] + 1 if word == other else max(last[n + 1], row[n]))
    return row[-1]
