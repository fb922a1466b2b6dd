"""Grammars in llama.cpp's GBNF, read as llama.cpp reads them, so that one can be looked at before it gets it.

In: a text.  Out: a `Grammar` of rules, alternatives and elements, groups and repetitions taken apart.  Every step is
bounded: bytes, depth of parentheses, rules, repetitions and their product.  Knows no model and no library.

The format: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from palimpsest.errors import InvalidArgument

MAX_BYTES = 2 << 20
MAX_DEPTH = 500
"""Parentheses within one another.  llama.cpp reads them by recursion: 20,000 overflow a stack of 8 MiB, and threads of
some systems have one."""
MAX_RULES = 100_000
"""Rules, each group and each optional repetition counted, as llama.cpp makes one of each."""
MAX_ALTERNATIVES = 10_000
MAX_REPEAT = 2_000
MAX_ELEMENTS = 2_000_000
"""Characters, classes and names, those repeated counted as often as they are written out."""

TOKEN = re.compile(
    r"""(?P<space>[ \t]+|\#[^\r\n]*)
      | (?P<line>\r\n?|\n)
      | (?P<define>::=)
      | (?P<name>[a-zA-Z0-9-]+)
      | "(?P<text>(?:[^"\\]|\\.)*)"
      | \[(?P<set>(?:[^\]\\]|\\.)*)\]
      | (?P<token>!?<[^<>\s]*>)
      | \{\s*(?P<low>\d{1,9})\s*(?P<comma>,\s*(?P<high>\d{0,9}))?\s*\}
      | (?P<mark>[().|*+?])""",
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
LETTERS = {"n": "\n", "t": "\t", "r": "\r"}
MAX_CODE = 0x10FFFF
REPEATS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


@dataclass(frozen=True, slots=True)
class Characters:
    """One character: in one of the ranges (both ends in), or in none of them where `negated`."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False

    def admits(self, code: int) -> bool:
        return any(low <= code <= high for low, high in self.ranges) != self.negated


@lru_cache(maxsize=4096)
def only(code: int) -> Characters:
    return Characters(((code, code),))


ANY = Characters(((0, MAX_CODE),))
Element = Characters | int
"""A character, or the number of a rule."""
Sequence = tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Grammar:
    """`rules[i]`: the alternatives of rule i, each a sequence; `names`: those that the text names."""

    rules: list[list[Sequence]]
    names: dict[str, int]


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


def read(text: str) -> Grammar:
    """Raises InvalidArgument that says what is wrong, or which bound is exceeded."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise InvalidArgument("grammar", f"is larger than {MAX_BYTES >> 20} MiB.")
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._rules: list[list[Sequence] | None] = []
        self._names: dict[str, int] = {}
        self._groups: list[_Group] = []
        self._rule = -1
        """The rule that is being read, −1 between rules."""
        self._continues = False
        """Whether the rule goes on on the next line."""
        self._n_elements = 0

    def read(self) -> Grammar:
        at, waiting = 0, ""  # a name that `::=` may follow
        while at < len(self._text):
            found = TOKEN.match(self._text, at)
            if found is None:
                raise self._wrong(at)
            kind, token = str(found.lastgroup), found[0]
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
                self._take(found, at)
            at = found.end()
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
        self._rules[self._rule] = group.alternatives
        self._rule, self._groups = -1, []

    def _finished(self) -> Grammar:
        for name, number in self._names.items():
            if self._rules[number] is None:
                raise InvalidArgument("grammar", f"there is no rule named {name[:80]}.")
        if "root" not in self._names:
            raise InvalidArgument("grammar", "there is no rule named root.")
        return Grammar([rule or [] for rule in self._rules], self._names)

    def _take(self, found: re.Match[str], at: int) -> None:
        """One token within a rule."""
        group = self._groups[-1]
        if found["text"] is not None:
            group.add(*self._counted(list(map(only, _codes(found["text"])))))
        elif found["set"] is not None:
            group.add(*self._counted([_characters(found["set"])]))
        elif found["token"]:
            group.add(*self._counted([ANY]))
        elif found["name"]:
            group.add(*self._counted([self._number(found["name"])]))
        elif found["low"] is not None:
            high = None if found["comma"] and not found["high"] else int(found["high"] or found["low"])
            self._repeat(int(found["low"]), high, at)
        elif found["mark"] in REPEATS:
            self._repeat(*REPEATS[found["mark"]], at)
        elif found["mark"] == ".":
            group.add(*self._counted([ANY]))
        elif found["mark"] == "|":
            group.next_alternative()
            self._continues = True
        elif found["mark"] == "(":
            self._groups.append(_Group())
            if len(self._groups) > MAX_DEPTH + 1:
                raise InvalidArgument("grammar", f"has more than {MAX_DEPTH} parentheses within one another.")
        else:
            self._close(at)

    def _close(self, at: int) -> None:
        if len(self._groups) == 1:
            raise self._wrong(at)
        group = self._groups.pop()
        group.next_alternative()
        self._groups[-1].add(*self._counted([self._made(group.alternatives)]))

    def _repeat(self, low: int, high: int | None, at: int) -> None:
        """As llama.cpp takes it apart: the element `low` times, then a chain of optional ones, or a loop."""
        group = self._groups[-1]
        if group.last < 0 or (high is not None and high < low):
            raise self._wrong(at)
        if max(low, high or 0) > MAX_REPEAT:
            raise InvalidArgument("grammar", f"repeats something more than {MAX_REPEAT:,} times.")
        one = group.sequence[group.last :]
        del group.sequence[group.last :]
        group.sequence += self._counted(one * low)
        if high is None:
            loop = self._made([])
            self._rules[loop] = [(*self._counted(one), loop), ()]
            group.sequence.append(loop)
            return
        rest: tuple[Element, ...] = ()
        for _ in range(high - low):
            rest = (self._made([(*self._counted(one), *rest), ()]),)
        group.sequence += rest

    def _made(self, alternatives: list[Sequence]) -> int:
        self._rules.append(alternatives)
        if len(self._rules) > MAX_RULES:
            raise InvalidArgument("grammar", f"has more than {MAX_RULES:,} rules, groups and repetitions.")
        return len(self._rules) - 1

    def _number(self, name: str) -> int:
        if name not in self._names:
            self._names[name] = self._made([])
            self._rules[-1] = None
        return self._names[name]

    def _counted(self, elements: list[Element]) -> list[Element]:
        self._n_elements += len(elements)
        if self._n_elements > MAX_ELEMENTS:
            raise InvalidArgument("grammar", f"comes to more than {MAX_ELEMENTS:,} characters and names, written out.")
        return elements

    def _wrong(self, at: int) -> InvalidArgument:
        line = self._text.count("\n", 0, at) + 1
        what = repr(self._text[at : at + 20]) if at < len(self._text) else "its end"
        return InvalidArgument("grammar", f"is not GBNF: line {line}, at {what}.")


def _codes(text: str) -> list[int]:
    """The characters of a literal or a class, escapes taken for what they mean."""
    if "\\" not in text:
        return list(map(ord, text))
    codes, at = list[int](), 0
    for found in ESCAPE.finditer(text):
        codes += map(ord, text[at : found.start()])
        number = found[1] or found[2] or found[3]
        codes.append(int(number, 16) if number else ord(LETTERS.get(found[4], found[4])))
        at = found.end()
    return codes + list(map(ord, text[at:]))


def _characters(text: str) -> Characters:
    negated = text.startswith("^")
    codes = _codes(text[negated:])
    ranges, i = list[tuple[int, int]](), 0
    while i < len(codes):
        if i + 2 < len(codes) and codes[i + 1] == ord("-"):
            ranges.append((codes[i], codes[i + 2]))
            i += 3
        else:
            ranges.append((codes[i], codes[i]))
            i += 1
    return Characters(tuple(ranges), negated)
