"""Pure: finds what changed between two texts of a block, and where lines quoted by a model are in it.

In: lines as shown, lines as written.  Out: edits of the lines as shown.  Does not know about formats.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import SequenceMatcher

from palimpsest.edits.shown import ShownBlock
from palimpsest.types import LineEdit

SIMILAR = 0.95
"""Quoted lines match shown lines if their similarity is above this value."""
MAX_CELLS = 1_000_000
"""Maximum size of the table used to compare two texts: enough for a block of 250 lines and a reply of 4,000."""
GUTTER = re.compile(r"L\d{1,9}(?: |$)")


class Unplaced(Exception):
    """Why lines cannot be placed in the block, worded for a person."""


def marks(block: ShownBlock) -> frozenset[int]:
    """The indexes of the lines that stand for omitted code."""
    return frozenset(i for i, line in enumerate(block.lines) if line.document_line is None)


def texts(block: ShownBlock) -> list[str]:
    return [line.text for line in block.lines]


def ungutter(lines: Sequence[str], left_out: Collection[str] = ()) -> list[str]:
    """The lines without numbers that a model put before every line; blank lines and those in `left_out`, which are
    shown without a number, need none."""
    bare = [not line.strip() or line.strip() in left_out for line in lines]
    numbered = [GUTTER.match(line) for line in lines]
    if not any(numbered) or not all(b or n for b, n in zip(bare, numbered, strict=True)):
        return list(lines)
    return [line[n.end() :] if n else line for line, n in zip(lines, numbered, strict=True)]


def differences(old: Sequence[str], new: Sequence[str], fixed: Collection[int] = (), start: int = 0) -> list[LineEdit]:
    """The edits that turn `old` into `new` and leave as many lines as possible unchanged; `start` is the index of the
    first line of `old`.

    The lines in `fixed` (indexes of `old`) stay: each must occur in `new`, in order, with any indentation.  Raises
    Unplaced if one does not, or if the texts are too long to compare.
    """
    # A line of code that looks like a mark could otherwise be matched with the mark.
    marks_kept = {old[i].strip() for i in fixed}
    like = [i not in fixed and line.strip() in marks_kept for i, line in enumerate(old)]
    head = _equal_ends(old, new, like)
    tail = _equal_ends(old[head:][::-1], new[head:][::-1], like[head:][::-1])
    fixed = {i - head for i in fixed if head <= i < len(old) - tail}
    middle, written = old[head : len(old) - tail], new[head : len(new) - tail]
    if not fixed and not (middle and written):
        return [LineEdit(start + head, start + head + len(middle), tuple(written))] if middle or written else []
    edits, i, j = list[LineEdit](), 0, 0
    for at, to in [*_pairs(middle, written, fixed), (len(middle), len(written))]:
        if at > i or to > j:
            edits.append(LineEdit(start + head + i, start + head + at, tuple(written[j:to])))
        i, j = at + 1, to + 1
    return edits


def _equal_ends(old: Sequence[str], new: Sequence[str], stop: Sequence[bool]) -> int:
    both = enumerate(zip(old, new, stop, strict=False))
    return next((i for i, (a, b, stops) in both if a != b or stops), min(len(old), len(new)))


def _pairs(old: Sequence[str], new: Sequence[str], fixed: Collection[int]) -> list[tuple[int, int]]:
    """The longest common subsequence, as pairs of indexes, in which every fixed line is matched.  Lines with text count
    more than blank lines."""
    if len(old) * len(new) > MAX_CELLS:
        raise Unplaced("the reply is far too long for its block")
    keys = {i: old[i].strip() for i in fixed}
    stripped = [line.strip() for line in new] if fixed else []
    # best[i][j]: the best score of old[i:] and new[j:]; None if a fixed line cannot be matched
    best: list[list[int | None]] = [[0] * (len(new) + 1)]
    for i in range(len(old) - 1, -1, -1):
        below, row = best[-1], list[int | None]()
        key, weight = keys.get(i), 2 if old[i].strip() else 1
        row.append(below[-1] if key is None else None)
        for j in range(len(new) - 1, -1, -1):
            found = row[-1]
            if key is None and (skipped := below[j]) is not None and (found is None or skipped > found):
                found = skipped
            same = old[i] == new[j] if key is None else stripped[j] == key
            if same and (paired := below[j + 1]) is not None and (found is None or paired + weight > found):
                found = paired + weight
            row.append(found)
        best.append(row[::-1])
    best.reverse()
    if best[0][0] is None:
        raise Unplaced(f'the mark of code left out ("{next(iter(keys.values()))}") has to stay where it stood')
    return _path(old, new, best, keys, stripped)


def _path(
    old: Sequence[str],
    new: Sequence[str],
    best: Sequence[Sequence[int | None]],
    keys: dict[int, str],
    stripped: Sequence[str],
) -> list[tuple[int, int]]:
    pairs, i, j = list[tuple[int, int]](), 0, 0
    while i < len(old) and j < len(new):
        paired = best[i + 1][j + 1]
        weight = 2 if old[i].strip() else 1
        same = old[i] == new[j] if i not in keys else stripped[j] == keys[i]
        if same and paired is not None and paired + weight == best[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif i not in keys and best[i + 1][j] == best[i][j]:
            i += 1
        else:
            j += 1
    return pairs


def placed(block: ShownBlock, old: Sequence[str], new: Sequence[str], what: str) -> list[LineEdit]:
    """The edits that turn the block's lines quoted by `old` into `new`.

    The lines are searched for exactly, then by their words, then by a similarity above 95 %, each time without numbers
    that a model may have put before them.  Only the differences between `old` and `new` are applied, with the block's
    indentation; everything else stays as it is in the block.  Raises Unplaced if there is no such place or more than
    one; `what` names the quotation to a person.
    """
    if list(old) == texts(block):
        return differences(old, new, marks(block))
    left_out = {block.lines[i].text.strip() for i in marks(block)}
    bare = (ungutter(old, left_out), ungutter(new, left_out))
    if not any(line.strip() for line in bare[0]):
        raise Unplaced(f"{what} quotes no line with text")
    for quoted, wanted in [(old, new), bare] if bare[0] != list(old) else [(old, new)]:
        for find in (occurrences, _by_words):
            head, tail = (0, 0) if find is occurrences else _blank_ends(quoted)
            starts = find(block, quoted[head : len(quoted) - tail])
            if len(starts) > 1:
                raise Unplaced(f'{what} stands {len(starts)} times in "{block.name}": {_excerpt(quoted)}')
            if starts:
                return _moved(block, starts[0] - head, quoted, wanted, head, tail)
    quoted, wanted = bare
    head, tail = _blank_ends(quoted)
    starts = _alike(block, quoted[head : len(quoted) - tail])
    if len(starts) > 1:
        raise Unplaced(f'{what} is like {len(starts)} places in "{block.name}": {_excerpt(quoted)}')
    if not starts:
        raise Unplaced(f'{what} does not stand in "{block.name}": {_excerpt(quoted)}')
    return _moved(block, starts[0] - head, quoted, wanted, head, tail)


def occurrences(block: ShownBlock, lines: Sequence[str]) -> list[int]:
    """The indexes where these lines occur consecutively and unchanged in the block."""
    return _windows(block, lines, lambda line: line)


def _by_words(block: ShownBlock, lines: Sequence[str]) -> list[int]:
    return _windows(block, lines, lambda line: " ".join(line.split()))


def _windows(block: ShownBlock, lines: Sequence[str], key: Callable[[str], str]) -> list[int]:
    left_out, wanted = marks(block), [key(line) for line in lines]
    keys = [key(line.text.strip() if i in left_out else line.text) for i, line in enumerate(block.lines)]

    def same(at: int, n: int) -> bool:
        return keys[at + n] == (lines[n].strip() if at + n in left_out else wanted[n])

    n_lines = len(lines)
    return [at for at in range(len(keys) - n_lines + 1) if n_lines and all(same(at, n) for n in range(n_lines))]


def _alike(block: ShownBlock, lines: Sequence[str]) -> list[int]:
    """Where the same number of lines occur that are nearly equal, ignoring white space."""
    wanted = "\n".join(line.strip() for line in lines)
    lines_shown = [line.text.strip() for line in block.lines]
    matcher, places = SequenceMatcher(None, autojunk=False), list[int]()
    matcher.set_seq2(wanted)
    if len(wanted) > MAX_CELLS // 50 or not lines:
        return []
    for at in range(len(lines_shown) - len(lines) + 1):
        matcher.set_seq1("\n".join(lines_shown[at : at + len(lines)]))
        if matcher.real_quick_ratio() > SIMILAR and matcher.quick_ratio() > SIMILAR and matcher.ratio() > SIMILAR:
            places.append(at)
    return places


def _blank_ends(lines: Sequence[str]) -> tuple[int, int]:
    """The number of blank lines at the beginning and at the end of lines that are not all blank."""
    full = [i for i, line in enumerate(lines) if line.strip()]
    return full[0], len(lines) - 1 - full[-1]


def _moved(
    block: ShownBlock, start: int, quoted: Sequence[str], wanted: Sequence[str], head: int, tail: int
) -> list[LineEdit]:
    """The change from `quoted` to `wanted`, applied to the lines from `start` on, with their indentation.

    The first `head` and last `tail` quoted lines were left out of the search and do not belong to the block.
    """
    end = start + len(quoted) - tail
    in_block = [*quoted[:head], *texts(block)[start + head : end], *quoted[len(quoted) - tail :]]
    fixed = {i - start for i in marks(block) if start + head <= i < end}
    indents = dict[str, str]()
    for line, text in zip(quoted, in_block, strict=True):
        if line.strip():
            indents.setdefault(indent_of(line), indent_of(text))
    edits = list[LineEdit]()
    for edit in differences(quoted, wanted, fixed, start):
        first, last = (min(max(at, start + head), end) for at in (edit.start, edit.end))
        edits.append(LineEdit(first, last, tuple(_reindented(edit.lines, indents))))
    return edits


def _reindented(lines: Iterable[str], indents: dict[str, str]) -> list[str]:
    """The lines with the known part of each indent changed according to `indents`."""
    if all(written == in_block for written, in_block in indents.items()):
        return list(lines)
    known = sorted(indents, key=len, reverse=True)
    result = list[str]()
    for line in lines:
        indent = next((one for one in known if line.strip() and indent_of(line).startswith(one)), None)
        result.append(line if indent is None else indents[indent] + line[len(indent) :])
    return result


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _excerpt(lines: Sequence[str]) -> str:
    first = next(line.strip() for line in lines if line.strip())
    return repr(first if len(first) <= 60 else first[:57] + "...")
