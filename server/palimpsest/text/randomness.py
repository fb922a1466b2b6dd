"""Tell characters that nobody has made up, as in keys and hashes, from words and names.

In: a text.  Out: where it looks random, and how much.  Pure.

What a person writes follows pairs of characters that stand in other words as well; in a random text every character is
as likely as any other of its alphabet.  The score of a piece is how many bits likelier it is to be random: the bits
that its pairs cost in words, by `_TABLE`, less those that they cost in the smallest alphabet that has all of them.
Pieces between separators are added up as long as the sum rises, so a key is found in an address or a path, too.
"""

import re
import string
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from math import log2
from operator import add

CLASSES = string.ascii_lowercase + string.ascii_uppercase + "0_"
"""What the table tells apart: letters, a digit, and anything else."""
_TABLE = (files("palimpsest.text") / "letter_pairs.txt").read_text("ascii")
"""Each class has two rows of a line; in them stand, for each class that may follow, half bits as digits of base 36.
`scripts/letter_pairs.py` makes it."""
_OF_ROWS = 3.0
"""Bits of a letter that follows itself or the one before it in the alphabet."""
_PIECE = re.compile(
    r"%[0-9A-Fa-f]{2}|\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[nrt0-7])|&(?:#x?[0-9A-Fa-f]{1,6}|[a-z]{2,6});|(?P<is>[A-Za-z0-9]+)"
)
"""An escape, which says nothing, or letters and digits."""
_LINK = 2.0
"""Bits by which a separator is likelier between words."""
_OF_NAMES = 2.2
"""How many times as many bits a text of letters alone needs, which may be a name with many capitals."""


def class_of(character: str) -> str:
    return character if character in string.ascii_letters else "0" if character in string.digits else "_"


def _bits() -> dict[str, float]:
    rows, found = "".join(_TABLE.split()), dict[str, float]()
    places = [(it, CLASSES.index(class_of(it))) for it in string.ascii_letters + string.digits + "_"]
    for first, row in places:
        for second, column in places:
            found[first + second] = int(rows[row * len(CLASSES) + column], 36) / 2
            if first == second or (ord(second) - ord(first) == 1 and first.isalpha()):  # as in `0000` and `abcd`
                found[first + second] = _OF_ROWS
    return found


_BITS = _bits()
_OTHERS = tuple(
    (str.maketrans("", "", signs), log2(n))
    for signs, n in (
        (string.ascii_letters + string.digits, 62),
        (string.ascii_letters, 52),
        (string.ascii_lowercase + string.digits, 36),
        (string.ascii_uppercase + string.digits, 36),
        (string.ascii_lowercase, 26),
        (string.ascii_uppercase, 26),
        (string.digits + "abcdef", 16),
        (string.digits + "ABCDEF", 16),
        (string.digits, 10),
    )
)
"""Each alphabet has what leaves the other characters of a text, and the bits of one of its own."""
_BITS_OF_OTHERS = 6.0
"""A character of another alphabet, as in a prefix, counts this many bits more."""


@lru_cache(maxsize=1 << 14)
def score(piece: str) -> float:
    """Bits by which a piece of letters and digits is likelier random than written; below 0 for words."""
    n, total = len(piece), 0.0
    random = min((n + 1) * bits + _BITS_OF_OTHERS * len(piece.translate(others)) for others, bits in _OTHERS)
    for pair in map(add, f"_{piece}", f"{piece}_"):
        total += _BITS[pair]
    return total - random


def random_parts(text: str, start: int, end: int, fewest: int, bits: float) -> Iterator[tuple[int, int]]:
    """Where at least `fewest` characters in a row of the word `text[start:end]` look random, by at least `bits`."""
    total = best = 0.0
    first = last = start
    for piece in _PIECE.finditer(text, start, end):
        if piece["is"] is None:
            continue
        begin, stop = piece.span()
        value = score(piece[0])
        # what stands between others of a key is one of its characters, or an escape
        is_first = total <= 0
        total = value if is_first else total - _LINK + value
        if is_first or total <= 0:
            if best >= bits and _is_enough(text[first:last], fewest, bits, best):
                yield first, last
            first, best = begin, 0.0
        if total > best:
            best, last = total, stop
    if best >= bits and _is_enough(text[first:last], fewest, bits, best):
        yield first, last


def _is_enough(text: str, fewest: int, bits: float, found: float) -> bool:
    if len(text) < fewest:
        return False
    n_digits = sum(map(str.isdigit, text))
    return 0 < n_digits < sum(map(str.isalnum, text)) - 1 or found >= _OF_NAMES * bits
