"""Whether a grammar may go to llama.cpp: what it would cost there, found out before.

In: a grammar's text.  Out: nothing, or an error that says which bound it exceeds.  llama.cpp keeps a stack for each way
in which the text so far may be read, and its calls cannot be interrupted: a grammar with too many ways at one place,
or with ways that multiply with every character, is refused here.  Knows no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from palimpsest.engine.generation.gbnf import MAX_ALTERNATIVES, Characters, Grammar, Sequence, read
from palimpsest.errors import InvalidArgument

MAX_WAYS = MAX_ALTERNATIVES
"""Ways in which a text may go on at one place: alternatives, above all."""
MAX_PATHS = 100_000
LONG_TOKEN = 10
"""Ways to read the same characters of a long token.  llama.cpp goes through all of them where it refuses the token."""
MAX_COST = 60_000_000
"""Stacks that llama.cpp would compare with one another for one character."""
MAX_CHAIN = 2_000
"""Rules that begin with one another: llama.cpp follows them by recursion."""
N_STEPS = 16
"""Characters that are followed from each place, to see whether ways multiply."""
MANY_READINGS, N_STEPS_OF_MANY = 16, 32
"""Where so many readings go on side by side, they are followed for longer: what multiplies in each adds up."""
MOST_EMPTY = 32
"""Elements in a row that may be empty, where it no longer matters how many there are."""
MAX_TRIED = 1_000_000
"""Ways followed in all, two seconds or three; 9,000 alternatives that begin with 100 characters alike have 580,000."""
USUAL = tuple(map(ord, 'a "\n0'))
END = 0


@lru_cache(maxsize=8)
def admit(text: str) -> None:
    """Raises InvalidArgument, naming the bound."""
    grammar = read(text)
    empty = _may_be_empty(grammar)
    _refuse_left_recursion(grammar, empty)
    _Ways(grammar, empty).follow_all(grammar.names.values())


def _refuse_left_recursion(grammar: Grammar, empty: list[bool]) -> None:
    """A rule that may begin with itself never comes to a character."""
    named = set(grammar.names.values())
    begins = [
        {e for sequence in rule for e in _first_rules(sequence, empty) if e != number or number in named}
        for number, rule in enumerate(grammar.rules)
    ]  # that a `*` comes back to itself where its element is empty is no harm: nothing is left to do after it
    done = [0] * len(begins)  # 1: under way, 2: seen
    for start in range(len(begins)):
        if done[start]:
            continue
        path: list[tuple[int, Iterator[int]]] = [(start, iter(begins[start]))]
        done[start] = 1
        while path:
            rule, rest = path[-1]
            following = next(rest, None)
            if following is None:
                done[rule] = 2
                path.pop()
            elif done[following] == 1:
                cycle = {one for one, _ in path}
                name = next((name for name, number in grammar.names.items() if number in cycle), "root")
                raise InvalidArgument("grammar", f"the rule {name[:80]} may begin with itself (left recursion).")
            elif not done[following]:
                done[following] = 1
                if len(path) == MAX_CHAIN:
                    raise InvalidArgument("grammar", f"has more than {MAX_CHAIN:,} rules that begin with one another.")
                path.append((following, iter(begins[following])))


def _first_rules(sequence: Sequence, empty: list[bool]) -> Iterable[int]:
    for element in sequence:
        if isinstance(element, Characters):
            return
        yield element
        if not empty[element]:
            return


def _may_be_empty(grammar: Grammar) -> list[bool]:
    """For each rule; by counting what is left of each alternative, so that it takes time in its size alone."""
    empty = [any(not sequence for sequence in rule) for rule in grammar.rules]
    users: dict[int, list[tuple[int, int]]] = {}
    left = dict[tuple[int, int], int]()
    for number, rule in enumerate(grammar.rules):
        for i, sequence in enumerate(rule):
            if sequence and not any(isinstance(element, Characters) for element in sequence):
                left[number, i] = len(sequence)
                for element in sequence:
                    assert isinstance(element, int)
                    users.setdefault(element, []).append((number, i))
    todo = [number for number, is_empty in enumerate(empty) if is_empty]
    while todo:
        for number, i in users.get(todo.pop(), ()):
            left[number, i] -= 1
            if not left[number, i] and not empty[number]:
                empty[number] = True
                todo.append(number)
    return empty


class _Ways:
    """llama.cpp's stacks over a grammar.  One is a number: of a place (sequence, index) and the stack below it."""

    def __init__(self, grammar: Grammar, empty: list[bool]) -> None:
        self._rules = grammar.rules
        self._empty = empty
        self._places: list[tuple[Sequence, int, int]] = [((), 0, END)]
        self._numbers = dict[tuple[int, int, int], int]()
        self._behind = dict[int, set[int]]()
        self._n_tried = 0

    def follow_all(self, named: Iterable[int]) -> None:
        """From each rule's beginning, and from each place in a rule where another begins: what multiplies may stand
        behind any number of characters."""
        below = self._stacks_below()
        for rule in named:
            self._follow([self._at(s, 0, below[rule]) if s else below[rule] for s in self._rules[rule]])
        for rule, alternatives in enumerate(self._rules):
            for sequence in alternatives:
                for index in range(1, len(sequence)):
                    if isinstance(sequence[index], int):
                        self._follow([self._at(sequence, index, below[rule])])

    def _stacks_below(self) -> list[int]:
        """For each rule, the stack below it that goes on with the most elements that may be empty: those at its own
        end and those behind it make one row."""
        calls: list[list[tuple[int, int, bool, Sequence, int]]] = [[] for _ in self._rules]
        for rule, alternatives in enumerate(self._rules):
            for sequence in alternatives:
                n_empty, to_the_end = 0, True  # of the elements behind
                for index in range(len(sequence) - 1, -1, -1):
                    element = sequence[index]
                    if isinstance(element, int):
                        calls[rule].append((element, n_empty, to_the_end, sequence, index))
                        if self._empty[element]:
                            n_empty += 1
                            continue
                    n_empty, to_the_end = 0, False
        most, caller = [-1] * len(calls), dict[int, tuple[int, Sequence, int]]()
        todo, n_first = list(range(len(calls))), len(calls)
        while todo:
            rule = todo.pop()
            n_first -= 1
            if n_first < 0:  # looked at again
                self._count(len(calls[rule]))
            for element, n_empty, to_the_end, sequence, index in calls[rule]:
                n = min(MOST_EMPTY, n_empty + (max(0, most[rule]) if to_the_end else 0))
                if n > most[element]:
                    most[element], caller[element] = n, (rule, sequence, index)
                    todo.append(element)
        below = dict[int, int]()
        for rule in range(len(calls)):
            path, at = dict[int, None](), rule
            while at in caller and at not in below and at not in path:
                path[at] = None
                at = caller[at][0]
            below.setdefault(at, END)  # no rule calls it, or it calls itself by others
            for one in reversed(path):
                below.setdefault(one, self._after(*caller[one][1:], below[caller[one][0]]))
        return [below[rule] for rule in range(len(calls))]

    def _follow(self, start: list[int]) -> None:
        """Always with the character that leads to the most ways."""
        ways = dict.fromkeys(self._reached(start), 1)
        if len(ways) == 1:
            return  # behind a single reading stands a place that is followed by itself
        for step in range(N_STEPS_OF_MANY):
            ways.pop(END, None)
            if not ways:
                return
            if step % LONG_TOKEN == 0:
                ways = dict.fromkeys(ways, 1)
            code, cost, n_taken = self._likeliest(ways), 0, 0
            following = Counter[int]()  # how many paths lead to each
            for way, n_paths in ways.items():
                sequence, index, _ = self._places[way]
                element = sequence[index]
                assert isinstance(element, Characters)
                if not element.admits(code):
                    continue
                n_taken += 1
                reached = self._next(way)
                self._count(len(reached))
                cost += len(reached) ** 2
                for one in reached:
                    following[one] += n_paths
                if cost > MAX_COST or len(following) > MAX_WAYS:
                    raise _too_many_ways()
            if following.total() > MAX_PATHS:
                raise _too_many_ways()
            if n_taken == 1 or (step >= N_STEPS and n_taken < MANY_READINGS):
                return
            ways = following

    def _next(self, way: int) -> set[int]:
        """The ways behind a way's character."""
        if way not in self._behind:
            self._behind[way] = self._reached([self._after(*self._places[way])])
        return self._behind[way]

    def _reached(self, todo: list[int]) -> set[int]:
        """The ways that names lead to, until each stands at a character."""
        found, seen = set[int](), set[int]()
        while todo:
            way = todo.pop()
            if way in seen:
                continue
            seen.add(way)
            self._count(1)
            if len(found) > MAX_WAYS or len(seen) > 4 * MAX_WAYS:
                raise _too_many_ways()
            sequence, index, below = self._places[way]
            if way == END or isinstance(element := sequence[index], Characters):
                found.add(way)
                continue
            rest = self._after(sequence, index, below)
            todo += [self._at(alternative, 0, rest) if alternative else rest for alternative in self._rules[element]]
        return found

    def _count(self, n: int) -> None:
        self._n_tried += n
        if self._n_tried > MAX_TRIED:
            raise InvalidArgument("grammar", f"has too many ways through its rules: more than {MAX_TRIED:,}.")

    def _after(self, sequence: Sequence, index: int, below: int) -> int:
        return self._at(sequence, index + 1, below) if index + 1 < len(sequence) else below

    def _at(self, sequence: Sequence, index: int, below: int) -> int:
        key = (id(sequence), index, below)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._places)
            self._places.append((sequence, index, below))
        return number

    def _likeliest(self, ways: Iterable[int]) -> int:
        """Of the characters that some way begins with."""
        classes = Counter[Characters]()
        for way in ways:
            sequence, index, _ = self._places[way]
            element = sequence[index]
            assert isinstance(element, Characters)
            classes[element] += len(self._next(way))
        codes = {*USUAL, *(low for one, _ in classes.most_common(16) for low, _ in one.ranges[:2])}
        return max(sorted(codes), key=lambda code: sum(n for one, n in classes.items() if one.admits(code)))


def _too_many_ways() -> InvalidArgument:
    return InvalidArgument(
        "grammar",
        f"a text may be read in too many ways under it: more than {MAX_WAYS:,} alternatives at one place, "
        "or ways that multiply with every character.",
    )
