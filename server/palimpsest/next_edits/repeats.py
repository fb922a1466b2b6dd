"""Pure: a change that was made more than once, and the places where it can be made again.

In: a text before and after an edit, tokens.  Out: examples of changes, what two of them have in common, places.

A text is read as words, marks and ends of lines, so this works in any language.  An example is the smallest run of
tokens that became others, with what stands beside it.  Two examples have a rule in common if the same tokens became
the same ones; a word in which they differ may be any word, as long as it is one throughout (anti-unification, as
of Plotkin 1970, over tokens in place of trees).  What stands beside both must stand beside a place, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from palimpsest.next_edits.formats.diffs import spans

CONTEXT = 12
"""Tokens on either side of a change that are compared, in its line; of whole lines those of the lines around."""
FEWEST_BESIDE = 4
"""Both examples must have so many tokens beside them, at least one on either side: fewer are found anywhere."""
GAP = 8
"""Changes in one line with at most so many tokens between them are one."""
MOST_TOKENS = 600
"""A change whose lines have more tokens is taken for another text."""
MOST_PLACES = 100
"""A text in which the rarest token of a rule occurs more often is left alone."""

_TOKEN = re.compile(r"\w+|[^\w\s]|\r?\n")
_WORD = re.compile(r"\w+\Z")
Word = str | int
"""A token, or the number of a word that may be any."""


@dataclass(frozen=True, slots=True)
class TextToken:
    """`start` and `end` in characters of the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Example:
    """Tokens that became others; `left` (the nearest first) and `right` stand beside them, `text` is what they became
    as it was written, from the character `start` on, in a line that is indented by `indent`."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]
    text: str
    indent: str
    start: int


@dataclass(frozen=True, slots=True)
class Rule:
    """What examples have in common.  `pieces` make the new text: texts and the numbers of names."""

    left: tuple[Word, ...]
    old: tuple[Word, ...]
    right: tuple[Word, ...]
    new: tuple[Word, ...]
    pieces: tuple[Word, ...] = field(compare=False)
    indent: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Place:
    """The characters `start..end` are to be replaced by `text`."""

    start: int
    end: int
    text: str


def tokens(text: str) -> list[TextToken]:
    return [TextToken("\n" if found[0].isspace() else found[0], *found.span()) for found in _TOKEN.finditer(text)]


def examples(before: str, after: str) -> Iterator[Example]:
    """The changes from one text to the other, from top to bottom."""
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    sides = (before, _starts(old)), (after, _starts(new))
    for a, b, c, d in spans(old, new):
        are_pairs = b - a == d - c
        for one in [(n, n + 1, c + n - a, c + n - a + 1) for n in range(a, b)] if are_pairs else [(a, b, c, d)]:
            yield from _changed(*sides, *one)


def rule_of_one(example: Example) -> Rule | None:
    """A change that was made once, to be made again where as much beside it is the same."""
    left, right = (side[:FEWEST_BESIDE] for side in (example.left, example.right))
    if not example.old or min(len(left), len(right)) < FEWEST_BESIDE:
        return None
    return Rule(left, example.old, right, example.new, (example.text,), example.indent)


def rule_of(newest: Example, earlier: Example) -> Rule | None:
    """What the two have in common; None if they are not the same change, or if too little stands beside both."""
    if (len(newest.old), len(newest.new)) != (len(earlier.old), len(earlier.new)):
        return None
    names = dict[tuple[str, str], int]()
    old = _common(newest.old, earlier.old, names)
    if len(old) < len(newest.old):
        return None
    left, right = _common(newest.left, earlier.left, names), _common(newest.right, earlier.right, names)
    n_known = len(names)
    new = _common(newest.new, earlier.new, names)
    beside = [sum(isinstance(word, str) for word in side) for side in (left, right)]
    if len(new) < len(newest.new) or len(names) > n_known or min(beside) < 1 or sum(beside) < FEWEST_BESIDE:
        return None
    return Rule(left, old, right, new, _pieces(newest, new), newest.indent)


def places(rule: Rule, text: str, found: Sequence[TextToken]) -> Iterator[Place]:
    """Where a text, of which these are the tokens, has what became something else, and did not become it yet."""
    pattern = (*reversed(rule.left), *rule.old, *rule.right)
    counts = Counter(token.text for token in found)
    anchor = min((n for n, word in enumerate(pattern) if isinstance(word, str)), key=lambda n: counts[str(pattern[n])])
    if counts[str(pattern[anchor])] > MOST_PLACES:
        return
    for n, token in enumerate(found):
        first = n - anchor
        if token.text != pattern[anchor] or first < 0 or first + len(pattern) > len(found):
            continue
        names = _matched(pattern, [one.text for one in found[first : first + len(pattern)]])
        if names is None:
            continue
        at = first + len(rule.left)
        stop = at + len(rule.old)
        start = found[at].start if rule.old else found[at - 1].end
        end = found[stop - 1].end if rule.old else start
        made = _written(rule, names, _indent(text, start))
        if made is not None and not _is_made(rule, names, found, at):
            yield Place(start, end, made)


def _changed(
    before: tuple[str, list[int]], after: tuple[str, list[int]], a: int, b: int, c: int, d: int
) -> Iterator[Example]:
    """In the lines `a..b`, which became the lines `c..d`.  What stands beside is what stood there before."""
    (was, was_starts), (text, starts) = before, after
    old, new = tokens(was[was_starts[a] : was_starts[b]]), tokens(text[starts[c] : starts[d]])
    if max(len(old), len(new)) > MOST_TOKENS:
        return
    above, below = _beside(was, was_starts, a, b)
    words = [token.text for token in old], [token.text for token in new]
    for i, j, k, m in _runs(*words):
        left, right = [*above, *words[0][:i]], [*words[0][j:], *below]
        one, other = words[0][i:j], words[1][k:m]
        start = starts[c] + (new[k].start if k < m else new[k - 1].end if k else 0)
        end = starts[c] + new[m - 1].end if k < m else start
        if left[-1:] == ["\n"] and not (one and other) and [*one, *other][-1] == "\n":
            # Lines that were put in or taken out: they begin with the end of the line above.
            one, other = (["\n", *it[:-1]] if it else it for it in (one, other))
            left, right = left[:-1], ["\n", *right]
            size = 2 if text.endswith("\r\n", 0, text.rfind("\n", 0, start) + 1) else 1
            start, end = (max(0, text.rfind("\n", 0, at) + 1 - size) for at in (start, end))
        if not any(word[0].isalnum() or word[0] == "_" for word in (*one, *other)):
            continue  # brackets and ends of lines alone are the half of something
        indent = _indent(text, start)
        is_whole = (other or one)[0] == "\n"
        sides = _up_to_its_line(left[::-1]), _up_to_its_line(right, 2 if is_whole else 1)
        yield Example(tuple(one), tuple(other), *sides, text[start:end], indent, start)


def _up_to_its_line(words: Sequence[str], n_ends: int = 1) -> tuple[str, ...]:
    """Those that are compared: up to so many ends of lines, which count."""
    ends = [n for n, word in enumerate(words[:CONTEXT]) if word == "\n"]
    return tuple(words[: ends[n_ends - 1] + 1] if len(ends) >= n_ends else words[:CONTEXT])


def _runs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Those that differ, and those near one another in one line as one."""
    apart = [run for kind, *run in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if kind != "equal"]
    together = list[list[int]]()
    for i, j, k, m in apart:
        last = together[-1] if together else None
        if last and i - last[1] <= GAP and "\n" not in old[last[0] : j] and "\n" not in new[last[2] : m]:
            together[-1] = [last[0], j, last[2], m]
        else:
            together.append([i, j, k, m])
    for i, j, k, m in [*together, *(run for run in apart if run not in together)]:
        yield i, j, k, m


def _beside(text: str, starts: list[int], c: int, d: int) -> tuple[list[str], list[str]]:
    """The tokens above and below the lines `c..d`, as many as are compared."""
    first, last = max(0, c - CONTEXT), min(len(starts) - 1, d + CONTEXT)
    above = [token.text for token in tokens(text[starts[first] : starts[c]])][-CONTEXT:]
    return above, [token.text for token in tokens(text[starts[d] : starts[last]])][:CONTEXT]


def _starts(lines: Sequence[str]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _common(one: Sequence[str], other: Sequence[str], names: dict[tuple[str, str], int]) -> tuple[Word, ...]:
    """As far as they agree."""
    words = list[Word]()
    for a, b in zip(one, other, strict=False):
        if a == b:
            words.append(a)
        elif _WORD.match(a) and _WORD.match(b):
            words.append(names.setdefault((a, b), len(names)))
        else:
            break
    return tuple(words)


def _pieces(example: Example, new: Sequence[Word]) -> tuple[Word, ...]:
    pieces, at = list[Word](), 0
    for token, word in zip(tokens(example.text), new, strict=True):
        if isinstance(word, int):
            pieces += [example.text[at : token.start], word]
            at = token.end
    return (*pieces, example.text[at:])


def _matched(pattern: Sequence[Word], words: Sequence[str]) -> dict[int, str] | None:
    """The names that stand for numbers."""
    names = dict[int, str]()
    for wanted, word in zip(pattern, words, strict=True):
        if isinstance(wanted, str):
            if wanted != word:
                return None
        elif not _WORD.match(word) or names.setdefault(wanted, word) != word:
            return None
    return names


def _written(rule: Rule, names: dict[int, str], indent: str) -> str | None:
    """None where lines would have to be indented in a way that the example does not show."""
    text = "".join(names[piece] if isinstance(piece, int) else piece for piece in rule.pieces)
    first, *others = text.split("\n")
    if indent == rule.indent or not others:
        return text
    if any(line.strip() and not line.startswith(rule.indent) for line in others):
        return None
    return "\n".join([first, *(indent + line[len(rule.indent) :] if line.strip() else line for line in others)])


def _is_made(rule: Rule, names: dict[int, str], found: Sequence[TextToken], at: int) -> bool:
    """Whether what stands here is a part of the new text already."""
    new = [names[word] if isinstance(word, int) else word for word in rule.new]
    for shift in range(len(new) - len(rule.old) + 1):
        first = at - shift
        if first >= 0 and [token.text for token in found[first : first + len(new)]] == new and new:
            return True
    return False


def _indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, start)
    return found[0] if found else ""
