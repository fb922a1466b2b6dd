"""Pure: which of the edits that a model writes nobody would want.

In: lines as they are, as they were, as they would be.  Out: why an edit is not offered, "" where somebody may want it.
"""

import re
from collections.abc import Iterable, Sequence

from palimpsest.next_edits.formats.diffs import OffsetEdit, spans

_WORD = re.compile(r"\w")
_OPENS, _ENDS = "<<<<<<<", ">>>>>>>"


def why_not(lines: Sequence[str], window: range, text: str, earlier: Iterable[Sequence[str]]) -> str:
    """`text` would be in place of the lines `window` of a document; `earlier` are these lines as they were, the last
    time first."""
    now, new = tuple(lines[window.start : window.stop]), tuple(text.split("\n"))
    before, after = (re.sub(r"\s+", "", "".join(one)) for one in (now, new))
    if now == new:
        return "it changes nothing"
    if before == after:
        return "nothing but blanks would change"
    if before.startswith(after):
        return "it leaves out the end of the lines"
    if repeats(lines, window, new):
        return "it repeats the lines beside it"
    for n, was in enumerate(earlier):
        if new == tuple(was) or brings_back(was, now, new, is_last=not n):
            return "it brings back an earlier text" if n else "it takes back what was just done"
    return ""


def repeats(lines: Sequence[str], window: range, new: Sequence[str]) -> bool:
    """Whether lines that are put in stand right there already, above them or below."""
    now = lines[window.start : window.stop]
    for a, b, c, d in spans(now, new):
        grown = (d - c) - (b - a)
        if grown <= 0:
            continue
        start, end = window.start + a, window.start + b
        first, last = _stripped(new[c : c + grown]), _stripped(new[d - grown : d])
        above, below = _stripped(lines[max(0, start - grown) : start]), _stripped(lines[end : end + grown])
        if (first == above and _says(first)) or (last == below and _says(last)):
            return True
    return False


def brings_back(was: Sequence[str], now: Sequence[str], new: Sequence[str], *, is_last: bool) -> bool:
    """Whether a change of some lines takes back one that was made before: puts lines that were there, or takes nothing
    but what was put in then; of the last one that was made, also a part of that."""
    done = list(spans(was, now))
    for a, b, c, d in spans(now, new):
        gone, put = _without_blank(now[a:b]), _without_blank(new[c:d])
        for i, j, k, m in done:
            if k > b or a > m:
                continue
            there = _without_blank(was[i:j])
            if _says(put) and put != gone and _has(there, put):
                return True
            is_put_in = k <= a and b <= m if is_last else (a, b, there) == (k, m, [])
            if _says(gone) and not put and is_put_in and not set(gone) & set(there):
                return True
    return False


def in_conflict(lines: Sequence[str], seen: range) -> bool:
    """Whether a merge conflict is in the lines that a model would see, which may be in the middle of one."""
    is_open = False
    for n, line in enumerate(lines[: seen.stop]):
        is_mark = line.startswith((_OPENS, _ENDS))
        if is_mark:
            is_open = line.startswith(_OPENS)
        if n >= seen.start and (is_mark or is_open):
            return True
    return False


def is_blank(text: str, edits: Iterable[OffsetEdit]) -> bool:
    """Whether edits of a text change nothing but blanks."""
    return all("".join(text[edit.start : edit.end].split()) == "".join(edit.text.split()) for edit in edits)


def _stripped(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines]


def _without_blank(lines: Sequence[str]) -> list[str]:
    return [line for line in _stripped(lines) if line]


def _says(lines: Sequence[str]) -> bool:
    return any(_WORD.search(line) for line in lines)


def _has(lines: Sequence[str], part: Sequence[str]) -> bool:
    """Whether they follow one another somewhere in the lines."""
    return any(list(lines[n : n + len(part)]) == list(part) for n in range(len(lines) - len(part) + 1))
