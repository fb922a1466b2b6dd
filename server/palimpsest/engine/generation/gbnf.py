"""Grammars in llama.cpp's GBNF, written as llguidance reads them (Lark).

In: a text.  Out: a text.  What llguidance makes of it, it bounds itself, in time and memory, but for its recursion;
how deep rules lie in one another is bounded here, as are bytes, rules and repetitions.  Knows no model.

The formats: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md and
https://github.com/guidance-ai/llguidance/blob/main/docs/syntax.md (whose own reader of GBNF refuses some grammars and
takes the longest literal where GBNF takes any).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from palimpsest.errors import InvalidArgument

MAX_BYTES = 2 << 20
MAX_PARENTHESES = 500
"""Within one another."""
MAX_RULES = 30_000
"""Rules, each group and each repetition counted."""
MAX_ALTERNATIVES = 10_000
MAX_REPEAT = 2_000
MAX_DEPTH = 20_000
"""Rules, groups and repetitions within one another, those that lead back to themselves all counted.  llguidance goes
through them by recursion, with up to 4 KiB of stack for each (`engine/process.py`)."""

MAX_RANGES = 5_000
"""One set may have this many ranges: llguidance takes quadratic time for them."""

TOKEN = re.compile(
    r"""(?P<space>[ \t]+|\#[^\r\n]*)
      | (?P<line>\r\n?|\n)
      | (?P<define>::=)
      | (?P<name>[a-zA-Z0-9-]+)
      | "(?P<text>(?>(?:[^"\\]++|\\.)*))"
      | \[(?P<set>(?>(?:[^\]\\]++|\\.)*))\]
      | (?P<token>!?<[^<>\s]*>)
      | \{\s*(?P<low>\d{1,9})\s*(?P<comma>,\s*(?P<high>\d{0,9}))?\s*\}
      | (?P<mark>[().|*+?])""",
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
LETTERS = {"n": "\n", "t": "\t", "r": "\r"}
REPEATS = {"*": "{0,}", "+": "{1,}", "?": "{0,1}"}
ANY = "(?s:.)"
Element = str | int
"""A regular expression of one character, or the number of a rule."""
Sequence = tuple[Element, ...]


@dataclass(slots=True)
class _Rule:
    """`times`: how often all of it may follow itself, as a regular expression says it.  None of `alternatives`: it is
    named, but not there."""

    alternatives: list[Sequence] | None = None
    times: str = ""

    def inner(self) -> set[int]:
        return {e for sequence in self.alternatives or () for e in sequence if isinstance(e, int)}


@dataclass(slots=True)
class _Group:
    """An alternation under way.  `last`: where the element that a repetition would be of begins, −1 for none."""

    alternatives: list[Sequence] = field(default_factory=list)
    sequence: list[Element] = field(default_factory=list)
    last: int = -1

    def next_alternative(self) -> None:
        self.alternatives.append(tuple(self.sequence))
        if len(self.alternatives) > MAX_ALTERNATIVES:
            raise InvalidArgument("grammar", f"has more than {MAX_ALTERNATIVES:,} alternatives at one place.")
        self.sequence, self.last = [], -1

    def add(self, *elements: Element) -> None:
        self.last = len(self.sequence)
        self.sequence += elements


@lru_cache(maxsize=8)
def lark(text: str) -> str:
    """Where no rule leads back to itself, all of it becomes one regular expression.  Else each character is a terminal
    of its own: of several terminals that fit llguidance takes the longest, where GBNF takes any.

    Raises InvalidArgument that says what is wrong, or which bound is exceeded.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise InvalidArgument("grammar", f"is larger than {MAX_BYTES >> 20} MiB.")
    rules, root = _Reader(text).read()
    is_regular = _is_regular(rules, root)
    characters = dict[str, str]()  # in a grammar that is not regular: the name of each
    write = _expression if is_regular else lambda sequence: _terminals(sequence, characters)
    name = "R" if is_regular else "r"
    lines = [f"start: {name}{root}"]
    for number, rule in enumerate(rules):
        written = " | ".join(write(sequence) or '""' for sequence in rule.alternatives or ())
        lines.append(f"{name}{number}: ({written}){rule.times}" if rule.times else f"{name}{number}: {written}")
    return "\n".join([*lines, *(f"{name}: /{one}/" for one, name in characters.items())])


def _expression(sequence: Sequence) -> str:
    parts = list[str]()
    for is_rule, run in groupby(sequence, lambda element: isinstance(element, int)):
        elements = [*map(str, run)]
        parts += [f"R{element}" for element in elements] if is_rule else [f"/{''.join(elements)}/"]
    return " ".join(parts)


def _terminals(sequence: Sequence, characters: dict[str, str]) -> str:
    return " ".join(
        f"r{element}" if isinstance(element, int) else characters.setdefault(element, f"C{len(characters)}")
        for element in sequence
    )


def _is_regular(rules: list[_Rule], root: int) -> bool:
    """Whether no rule that `root` leads to leads back to itself.  Raises InvalidArgument where they lie too deep."""
    inner_rules = [rule.inner() for rule in rules]
    outer: list[list[int]] = [[] for _ in rules]
    for number, inner in enumerate(inner_rules):
        for one in inner:
            outer[one].append(number)
    n_left, depth = [len(inner) for inner in inner_rules], [1] * len(rules)
    todo = [number for number, n in enumerate(n_left) if not n]
    for number in todo:
        for one in outer[number]:
            depth[one] = max(depth[one], depth[number] + 1)
            n_left[one] -= 1
            if not n_left[one]:
                todo.append(one)
    if max(depth) + len(rules) - len(todo) > MAX_DEPTH:
        raise InvalidArgument("grammar", f"has more than {MAX_DEPTH:,} rules and groups within one another.")
    return not n_left[root]


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._rules = list[_Rule]()
        self._names: dict[str, int] = {}
        self._groups: list[_Group] = []
        self._rule = -1
        """The rule that is being read, −1 between rules."""
        self._continues = False
        """Whether the rule goes on on the next line."""

    def read(self) -> tuple[list[_Rule], int]:
        """The rules, and which of them is the root."""
        at, waiting = 0, ""  # a name that `::=` may follow
        while at < len(self._text):
            match = TOKEN.match(self._text, at)
            if match is None:
                raise self._wrong(at)
            kind, token = str(match.lastgroup), match[0]
            if kind == "space":
                pass
            elif self._rule < 0:
                if kind == "name" and not waiting:
                    waiting = token
                elif kind == "define" and waiting:
                    self._begin(waiting)
                    waiting = ""
                elif kind != "line" or waiting:
                    raise self._wrong(at)
            elif kind == "line":
                if len(self._groups) == 1 and not self._continues:
                    self._end(at)
            elif kind == "define":
                raise self._wrong(at)
            else:
                self._continues = False
                self._take(match, at)
            at = match.end()
        if waiting:
            raise self._wrong(at)
        if self._rule >= 0:
            self._end(at)
        return self._finished()

    def _begin(self, name: str) -> None:
        self._rule = self._number(name)
        self._groups, self._continues = [_Group()], True

    def _end(self, at: int) -> None:
        if len(self._groups) != 1:
            raise self._wrong(at)
        (group,) = self._groups
        group.next_alternative()
        self._rules[self._rule].alternatives = group.alternatives
        self._rule, self._groups = -1, []

    def _finished(self) -> tuple[list[_Rule], int]:
        for name, number in self._names.items():
            if self._rules[number].alternatives is None:
                raise InvalidArgument("grammar", f"there is no rule named {name[:80]}.")
        if "root" not in self._names:
            raise InvalidArgument("grammar", "there is no rule named root.")
        return self._rules, self._names["root"]

    def _take(self, match: re.Match[str], at: int) -> None:
        """One token within a rule."""
        group = self._groups[-1]
        if match["text"] is not None:
            group.add(*(_escaped(code) for code, _ in _codes(match["text"])))
        elif match["set"] is not None:
            group.add(_characters(match["set"]))
        elif match["token"]:
            raise InvalidArgument("grammar", f"{match['token'][:80]}: tokens are not supported, only characters.")
        elif match["name"]:
            group.add(self._number(match["name"]))
        elif match["low"] is not None:
            low, high = match["low"], match["high"] if match["comma"] else match["low"]
            if max(int(low), int(high or 0)) > MAX_REPEAT:
                raise InvalidArgument("grammar", f"repeats something more than {MAX_REPEAT:,} times.")
            if high and int(high) < int(low):
                raise self._wrong(at)
            self._repeat("" if high and not int(high) else f"{{{int(low)},{high or ''}}}", at)
        elif match["mark"] in REPEATS:
            self._repeat(REPEATS[match["mark"]], at)
        elif match["mark"] == ".":
            group.add(ANY)
        elif match["mark"] == "|":
            group.next_alternative()
            self._continues = True
        elif match["mark"] == "(":
            self._groups.append(_Group())
            if len(self._groups) > MAX_PARENTHESES + 1:
                raise InvalidArgument("grammar", f"has more than {MAX_PARENTHESES} parentheses within one another.")
        else:
            self._close(at)

    def _close(self, at: int) -> None:
        if len(self._groups) == 1:
            raise self._wrong(at)
        group = self._groups.pop()
        group.next_alternative()
        self._groups[-1].add(self._made(group.alternatives))

    def _repeat(self, times: str, at: int) -> None:
        """`times`: as a regular expression has it; "" for not at all."""
        group = self._groups[-1]
        if group.last < 0:
            raise self._wrong(at)
        one = tuple(group.sequence[group.last :])
        group.sequence[group.last :] = [self._made([one], times)] if times else []

    def _made(self, alternatives: list[Sequence] | None, times: str = "") -> int:
        self._rules.append(_Rule(alternatives, times))
        if len(self._rules) > MAX_RULES:
            raise InvalidArgument("grammar", f"has more than {MAX_RULES:,} rules, groups and repetitions.")
        return len(self._rules) - 1

    def _number(self, name: str) -> int:
        if name not in self._names:
            self._names[name] = self._made(None)
        return self._names[name]

    def _wrong(self, at: int) -> InvalidArgument:
        line = self._text.count("\n", 0, at) + 1
        what = repr(self._text[at : at + 20]) if at < len(self._text) else "its end"
        return InvalidArgument("grammar", f"is not GBNF: line {line}, at {what}.")


def _codes(text: str) -> Iterable[tuple[int, bool]]:
    """The characters of a literal or a class, escapes taken for what they mean; whether one was escaped."""
    at = 0
    for escape in ESCAPE.finditer(text):
        yield from ((ord(one), False) for one in text[at : escape.start()])
        number = escape[1] or escape[2] or escape[3]
        yield int(number, 16) if number else ord(LETTERS.get(escape[4], escape[4])), True
        at = escape.end()
    yield from ((ord(one), False) for one in text[at:])


def _characters(text: str) -> str:
    """A class as a regular expression has it."""
    negated = text.startswith("^")
    codes, ranges, i = list(_codes(text[negated:])), list[tuple[int, int]](), 0
    while i < len(codes):
        (low, _), is_range = codes[i], i + 2 < len(codes) and codes[i + 1] == (ord("-"), False)
        high = codes[i + 2][0] if is_range else low
        if low <= high:
            ranges.append((low, high))
        i += 3 if is_range else 1
    if not ranges:
        return ANY if negated else r"[^\s\S]"
    merged = list[tuple[int, int]]()
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    if len(merged) > MAX_RANGES:
        raise InvalidArgument("grammar", f"has more than {MAX_RANGES:,} ranges in one set of characters.")
    return f"[{'^' if negated else ''}{''.join(f'{_escaped(low)}-{_escaped(high)}' for low, high in merged)}]"


def _escaped(code: int) -> str:
    return f"\\x{{{code:x}}}"
