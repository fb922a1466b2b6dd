"""Pure: a change that was made more than once, and the places where it can be made again.

In: a text before and after an edit, tokens.  Out: examples of changes, what two of them have in common, places.

A text is read as words, marks and ends of lines, so this works in any language.  An example is all that changed in a
line, or in lines that came, went or became fewer or more, with what stands beside it.  Two examples have a rule in
common if the same tokens became the same ones; a word in which they differ may be any word, as long as it is one
throughout (anti-unification, as of Plotkin 1970, over tokens in place of trees).  What stands beside both must stand
beside a place, too.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from palimpsest.next_edits.formats.diffs import Span, spans
from palimpsest.text.alike import ends_alike

CONTEXT = 12
"""Tokens on either side of a change that are compared, in its line; of whole lines those of the lines around."""
FEWEST_BESIDE = 4
"""Both examples must have so many tokens beside them, at least one on either side: fewer are found anywhere.  What was
replaced counts, too, but for one token."""
MOST_LINES, MOST_CHARS = 120, 20_000
"""Lines between the first and the last that changed, and characters of them with those beside them; more is taken for
another text, and would take seconds to compare."""
MOST_PLACES = 1_000
"""A text in which the rarest token of a rule occurs more often is left alone."""

_TOKEN = re.compile(r"\w+|[^\w\s]|\r?\n")
_WORD = re.compile(r"\w+\Z")
_AROUND = 2
"""Lines beside a change that are read."""
Word = str | int
"""A token, or the number of a word that may be any."""


@dataclass(frozen=True, slots=True)
class TextToken:
    """`start` and `end` in characters of the text; what stands before all of it starts at -1."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Example:
    """Tokens that became others; `left` (the nearest first) and `right` stand beside them.  `text` is what is written
    in their place, from the character `start` on, in a line that is indented by `indent`; `blanks` says with which of
    the blanks beside them."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]
    text: str
    blanks: "Blanks"
    indent: str
    start: int


@dataclass(frozen=True, slots=True)
class Blanks:
    """Whether a change is about the blanks on either side of it, too."""

    before: bool
    behind: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """What examples have in common.  `pieces` make the new text: texts and the numbers of words."""

    left: tuple[Word, ...]
    old: tuple[Word, ...]
    right: tuple[Word, ...]
    new: tuple[Word, ...]
    pieces: tuple[Word, ...] = field(compare=False)
    blanks: Blanks = field(compare=False)
    indent: str = field(compare=False)

    @property
    def pattern(self) -> tuple[Word, ...]:
        """What a text has in each place, from left to right."""
        return (*reversed(self.left), *self.old, *self.right)

    @property
    def known(self) -> frozenset[str]:
        """A text can have places only if all of these words and marks are in it."""
        return frozenset(word for word in self.pattern if isinstance(word, str) and word != "\n")

    @property
    def n_words(self) -> int:
        """Words that each place has, marks aside."""
        return sum(isinstance(word, str) and _WORD.match(word) is not None for word in self.pattern)


@dataclass(frozen=True, slots=True)
class Place:
    """The characters `start..end` are to be replaced by `text`."""

    start: int
    end: int
    text: str


def tokens(text: str, start: int = 0, end: int | None = None) -> list[TextToken]:
    """Those between two characters."""
    found = _TOKEN.finditer(text, start, len(text) if end is None else end)
    return [TextToken("\n" if it[0].isspace() else it[0], *it.span()) for it in found]


def all_tokens(text: str) -> list[TextToken]:
    """Those of a text, with an end of a line, without characters, on either side."""
    return [TextToken("\n", -1, 0), *tokens(text), TextToken("\n", len(text), len(text))]


def examples(before: str, after: str) -> Iterator[Example]:
    """The changes from one text to the other, from top to bottom."""
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    head, tail = ends_alike(old, new)
    changed = max(len(old), len(new)) - head - tail
    near = [lines[max(0, head - _AROUND) : len(lines) - tail + _AROUND] for lines in (old, new)]
    if not 0 < changed <= MOST_LINES or max(sum(map(len, lines)) for lines in near) > MOST_CHARS:
        return
    sides = _Side(before, old), _Side(after, new)
    for a, b, c, d in _changed(old, new):
        are_pairs = b - a == d - c
        for n in (*range(b - a), *([None] if b - a == 2 else ())) if are_pairs else [None]:
            rows = (a, b, c, d) if n is None else (a + n, a + n + 1, c + n, c + n + 1)
            if (example := _example(*sides, *rows)) is not None:
                yield example


def _changed(old: Sequence[str], new: Sequence[str]) -> list[Span]:
    """The lines that differ.  As many lines as before are compared one by one, unless a line that came or went says
    more: which of several equal lines was changed, a comparison of sequences cannot tell."""
    found = list(spans(old, new))
    if len(old) == len(new):
        pairs = [n for n, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
        if len(pairs) <= sum(max(b - a, d - c) for a, b, c, d in found):
            runs = list[Span]()
            for n in pairs:
                start = runs.pop()[0] if runs and runs[-1][1] == n else n
                runs.append((start, n + 1, start, n + 1))
            return runs
    return found


def rule_of(newest: Example, earlier: Example) -> Rule | None:
    """What the two have in common; None if they are not the same change, or if too little stands beside both."""
    if (len(newest.old), len(newest.new), newest.blanks) != (len(earlier.old), len(earlier.new), earlier.blanks):
        return None
    words = dict[tuple[str, str], int]()
    old = _common(newest.old, earlier.old, words)
    if len(old) < len(newest.old):
        return None
    left, right = _common(newest.left, earlier.left, words), _common(newest.right, earlier.right, words)
    n_known = len(words)
    new = _common(newest.new, earlier.new, words)
    before, behind, itself = (sum(isinstance(word, str) for word in side) for side in (left, right, old))
    if len(new) < len(newest.new) or len(words) > n_known or not (before and behind):
        return None
    if before + behind + max(0, itself - 1) < FEWEST_BESIDE:
        return None
    return Rule(left, old, right, new, _pieces(newest, new), newest.blanks, newest.indent)


def rule_of_one(example: Example) -> Rule | None:
    """A change that was made once, to be made again where as much beside it is the same."""
    left, right = (side[:FEWEST_BESIDE] for side in (example.left, example.right))
    if not example.old or min(len(left), len(right)) < FEWEST_BESIDE:
        return None
    return Rule(left, example.old, right, example.new, (example.text,), example.blanks, example.indent)


def places(rule: Rule, text: str, found: Sequence[TextToken], line_end: str) -> Iterator[Place]:
    """Where a text, of which these are all tokens, has what became something else, and did not become it yet."""
    pattern = rule.pattern
    counts = Counter(token.text for token in found)
    anchor = min((n for n, word in enumerate(pattern) if isinstance(word, str)), key=lambda n: counts[str(pattern[n])])
    if counts[str(pattern[anchor])] > MOST_PLACES:
        return
    for n, token in enumerate(found):
        first = n - anchor
        if token.text != pattern[anchor] or first < 0 or first + len(pattern) > len(found):
            continue
        words = _matched(pattern, [one.text for one in found[first : first + len(pattern)]])
        at = first + len(rule.left)
        if words is None or _is_made(rule, words, found, at):
            continue
        start, end = _span(found, at, at + len(rule.old), rule.blanks)
        made = _written(rule, words, _indent(text, start))
        if made is not None:
            yield Place(start, end, made if line_end == "\n" else re.sub("\r?\n", line_end, made))


class _Side:
    """A text, with where its lines start."""

    def __init__(self, text: str, lines: Sequence[str]) -> None:
        self.text, self.starts = text, [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line))

    def near(self, first: int, last: int) -> tuple[list[TextToken], int, int]:
        """The tokens of some lines with those around them, and which of them are in these lines."""
        end = min(len(self.starts) - 1, last + _AROUND)
        found = tokens(self.text, self.starts[max(0, first - _AROUND)], self.starts[end])
        if first <= _AROUND:
            found.insert(0, TextToken("\n", -1, 0))
        if end == len(self.starts) - 1:
            found.append(TextToken("\n", len(self.text), len(self.text)))
        begins = [token.start for token in found]
        return found, bisect_left(begins, self.starts[first]), bisect_left(begins, self.starts[last])


def _example(before: _Side, after: _Side, a: int, b: int, c: int, d: int) -> Example | None:
    """What changed in the lines `a..b`, which became the lines `c..d`; None for what says little by itself."""
    (old, i, j), (new, k, m) = before.near(a, b), after.near(c, d)
    head, tail = ends_alike(_indented(before.text, old, i, j), _indented(after.text, new, k, m))
    i, j, k, m = i + head, j - tail, k + head, m - tail
    if not (i and k and j < len(old) and m < len(new)):
        return None  # at the beginning or the end of the text nothing stands beside it
    last = old[j - 1] if i < j else new[m - 1] if k < m else old[i]
    is_whole = (i == j or k == m) and old[i - 1].text == last.text == "\n"
    if is_whole:  # lines that came or went: they begin with the end of the line above
        i, j, k, m = i - 1, j - 1, k - 1, m - 1
    words = [it.text for it in old[i:j]], [it.text for it in new[k:m]]
    if not i or not k or not any(_WORD.match(word) for word in (*words[0], *words[1])):
        return None  # marks and ends of lines alone are the half of something
    gaps = _gaps(before.text, old, i, j), _gaps(after.text, new, k, m)
    is_first = old[i - 1].text == "\n"
    blanks = _blanks(*gaps, i < j, k < m, is_first)
    if is_first and blanks.before:
        return None  # how a line is indented depends on the lines around it
    start, end = _span(new, k, m, blanks)
    return Example(
        tuple(words[0]),
        tuple(words[1]),
        _up_to_its_line([it.text for it in old[:i]][::-1]),
        _up_to_its_line([it.text for it in old[j:]], 2 if is_whole else 1),
        after.text[start:end],
        blanks,
        _indent(after.text, start),
        start,
    )


def _indented(text: str, found: Sequence[TextToken], first: int, last: int) -> list[str]:
    """Tokens, with how their line is indented where they are the first of it: a line that is only indented otherwise
    has changed."""
    lines = [found[n - 1].text == "\n" for n in range(first, last)]
    return [
        _indent(text, it.start) + it.text if begins else it.text
        for begins, it in zip(lines, found[first:last], strict=True)
    ]


def _gaps(text: str, found: Sequence[TextToken], first: int, last: int) -> tuple[str, str]:
    """The blanks before and behind the tokens `first..last`."""
    return text[found[first - 1].end : found[first].start], text[found[last - 1].end : found[last].start]


def _blanks(old: tuple[str, str], new: tuple[str, str], has_old: bool, has_new: bool, is_first: bool) -> Blanks:
    """Which of the blanks before and behind a change were changed with it.  Where tokens come or go, the blanks that
    stand there alone are those on one side of them; of the first in a line (`is_first`) those before."""
    if has_old and has_new:
        return Blanks(old[0] != new[0], old[1] != new[1])
    (alone, _), sides = (new, old) if has_old else (old, new)
    if alone not in sides:
        return Blanks(True, True)
    return Blanks(False, True) if sides[1] != alone or (is_first and sides[0] == alone) else Blanks(True, False)


def _span(found: Sequence[TextToken], first: int, last: int, blanks: Blanks) -> tuple[int, int]:
    """The characters of the tokens `first..last` with the blanks that change; of no tokens, where they belong."""
    before, behind = found[first - 1].end, found[last].start
    start, end = (found[first].start, found[last - 1].end) if first < last else (behind, before)
    return before if blanks.before else start, behind if blanks.behind else end


def _up_to_its_line(words: Sequence[str], n_ends: int = 1) -> tuple[str, ...]:
    """Those that are compared: up to so many ends of lines, which count."""
    ends = [n for n, word in enumerate(words[:CONTEXT]) if word == "\n"]
    return tuple(words[: ends[n_ends - 1] + 1] if len(ends) >= n_ends else words[:CONTEXT])


def _common(one: Sequence[str], other: Sequence[str], words: dict[tuple[str, str], int]) -> tuple[Word, ...]:
    """As far as they agree."""
    found = list[Word]()
    for a, b in zip(one, other, strict=False):
        if a == b:
            found.append(a)
        elif _WORD.match(a) and _WORD.match(b):
            found.append(words.setdefault((a, b), len(words)))
        else:
            break
    return tuple(found)


def _pieces(example: Example, new: Sequence[Word]) -> tuple[Word, ...]:
    pieces, at = list[Word](), 0
    for token, word in zip(tokens(example.text), new, strict=True):
        if isinstance(word, int):
            pieces += [example.text[at : token.start], word]
            at = token.end
    return (*pieces, example.text[at:])


def _matched(pattern: Sequence[Word], words: Sequence[str]) -> dict[int, str] | None:
    """The words that stand for numbers."""
    found = dict[int, str]()
    for wanted, word in zip(pattern, words, strict=True):
        if isinstance(wanted, str):
            if wanted != word:
                return None
        elif not _WORD.match(word) or found.setdefault(wanted, word) != word:
            return None
    return found


def _written(rule: Rule, words: dict[int, str], indent: str) -> str | None:
    """None where lines would have to be indented in a way that the example does not show."""
    text = "".join(words[piece] if isinstance(piece, int) else piece for piece in rule.pieces)
    first, *others = text.split("\n")
    if indent == rule.indent or not others:
        return text
    deeper = [line[len(rule.indent) :] for line in others if line.strip()]
    if any(line.strip() and not line.startswith(rule.indent) for line in others):
        return None
    if indent and any(line[:1].isspace() and line[0] != indent[-1] for line in deeper):
        return None  # tabs here, and blanks there
    return "\n".join([first, *(indent + line[len(rule.indent) :] if line.strip() else line for line in others)])


def _is_made(rule: Rule, words: dict[int, str], found: Sequence[TextToken], at: int) -> bool:
    """Whether what stands here is a part of the new text already."""
    new = [words[word] if isinstance(word, int) else word for word in rule.new]
    for shift in range(len(new) - len(rule.old) + 1):
        first = at - shift
        if first >= 0 and [token.text for token in found[first : first + len(new)]] == new and new:
            return True
    return False


def _indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, start)
    return found[0] if found else ""
