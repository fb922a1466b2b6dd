"""Pure: the grammar of a request: a GBNF that allows only the names and numbers that were shown.

In: the blocks shown.  Out: GBNF text with the root rule `root` (llama.cpp's `grammars/README.md`).  Does not know
about tokens or engines.

After each line the only numbers that may follow are larger ones, so a grammar that lists, for each line, the numbers
after it would be quadratic, and one that makes every line optional would keep a parse open for every later line.
Instead the numbers are a trie of decimal digits.  The state "a number above k" differs from the whole trie only along
the digits of k, so a block of n lines has about n small rules of each kind and few parses are open at any time:

    <p>-in-k       what follows `L<k>`: text, `-` or `+`, further insertions, and then a larger number or the end
    <p>-above-k    the rest of `L<m>` and what follows it, for any m > k
    <p>-all-n-d…   the rest of any number of n digits that begins with the digits d…
"""

from collections.abc import Iterable, Iterator, Sequence

from palimpsest.edits.gbnf import MAX_SUGGESTIONS as MAX_SUGGESTIONS
from palimpsest.edits.gbnf import reply_grammar
from palimpsest.edits.shown import ShownBlock

MAX_INSERTIONS = 8

_LINES = r"""
line ::= " " text "\n" | "\n"
inserted ::= "+" line
""".strip()


def grammar_for(blocks: Iterable[ShownBlock]) -> str:
    """GBNF of a reply: one to three suggestions for editable blocks, each with one or more lines in ascending order and
    at most eight insertions after each; then one summary.  Empty if nothing can be edited.

    `formats/ln_diff.py` can read everything it allows without a problem, and it allows only names that were shown.
    """

    def rules(rule: str, block: ShownBlock) -> list[str]:
        assert list(block.editable_numbers) == sorted(set(block.editable_numbers)), block
        return [f"{rule} ::= {rule}-first", *_Lines(rule, block.editable_numbers).rules()]

    return reply_grammar(blocks, rules, shared=_LINES)


class _Lines:
    """The rules for one block's lines; `numbers` are the editable ones in ascending order."""

    def __init__(self, prefix: str, numbers: Sequence[int]) -> None:
        self.prefix = prefix
        self.numbers = [str(number) for number in numbers]
        self.beginnings = {(len(n), n[:i]) for n in self.numbers for i in range(len(n) + 1)}

    def rules(self) -> Iterator[str]:
        p, more = self.prefix, MAX_INSERTIONS - 1
        lengths = sorted({len(number) for number in self.numbers})
        yield f'{p}-end ::= ""'
        yield f"{p}-any ::= " + " | ".join(f"({self._starting(n, '')})" for n in lengths)
        yield f'{p}-first ::= "L" ({p}-any | "0" inserted ("L0" inserted){{0,{more}}} ("L" {p}-any | {p}-end))'
        for length, digits in sorted(self.beginnings):
            if 0 < len(digits) < length:
                yield f"{p}-all-{length}-{digits} ::= {self._starting(length, digits)}"
        for i, k in enumerate(self.numbers):
            last = i == len(self.numbers) - 1
            after = f"{p}-end" if last else f'("L" {p}-above-{k} | {p}-end)'
            yield f'{p}-in-{k} ::= (line | "-\\n" | inserted) ("L{k}" inserted){{0,{more}}} {after}'
            if not last:
                longer = [f"({self._starting(n, '')})" for n in lengths if n > len(k)]
                yield f"{p}-above-{k} ::= " + " | ".join([*self._above(k, 0), *longer])

    def _starting(self, length: int, digits: str) -> str:
        """What may follow `digits` if any number of this length is allowed."""
        return " | ".join(self._step(length, digits, d) for d in self._next(length, digits))

    def _above(self, k: str, i: int) -> list[str]:
        """What may follow the first `i` digits of `k` if the number must be larger than `k` and of the same length."""
        length, steps = len(k), list[str]()
        for d in self._next(length, k[:i]):
            if d > k[i]:
                steps.append(self._step(length, k[:i], d))
            elif d == k[i] and i + 1 < length and (deeper := self._above(k, i + 1)):
                steps.append(f'"{d}" ({" | ".join(deeper)})')
        return steps

    def _next(self, length: int, digits: str) -> list[str]:
        return [d for d in "0123456789" if (length, digits + d) in self.beginnings]

    def _step(self, length: int, digits: str, digit: str) -> str:
        """Takes `digit`; the number is then complete, or any number of its length that begins so may follow."""
        read = digits + digit
        rule = f"in-{read}" if len(read) == length else f"all-{length}-{read}"
        return f'"{digit}" {self.prefix}-{rule}'
