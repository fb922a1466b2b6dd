"""Print the table of `text/letter_pairs.txt`: how seldom a character follows another in code and prose.

    python scripts/letter_pairs.py > server/palimpsest/text/letter_pairs.txt

It is counted in the identifiers and words of Python's standard library, without its tests, and of this project's
documents.  Another version of Python gives almost the same table.
"""

from __future__ import annotations

import math
import re
import sysconfig
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from palimpsest.text.randomness import CLASSES, class_of

_WORD = re.compile(r"[A-Za-z0-9]{2,60}(?:[_.\-/+=~%][A-Za-z0-9]{1,60})*")
_MOST_OF_A_WORD = 3
"""A word that stands everywhere says no more about others than one that stands three times."""
_SHARE_OF_CAPITALS = 0.2
"""How often a word counts as written in capitals, too: constants have the words of other names."""
_SEEN_LESS = 0.5
"""How often a pair counts as seen that was never seen."""


def words() -> Counter[str]:
    library, project = Path(sysconfig.get_path("stdlib")), Path(__file__).parents[1]
    paths = [
        path for path in library.rglob("*.py") if not {"site-packages", "test", "tests", "idlelib"} & {*path.parts}
    ]
    paths += [*project.glob("*.md"), *(project / "docs").rglob("*.md"), *(project / "server/palimpsest").rglob("*.py")]
    return Counter(word for path in paths for word in _WORD.findall(path.read_text(encoding="utf-8", errors="replace")))


def table() -> list[str]:
    pairs = defaultdict[str, float](float)
    for word, n in words().items():
        for written, share in ((word, 1.0), (word.upper(), _SHARE_OF_CAPITALS)):
            for first, second in pairwise(map(class_of, f"_{written}_")):
                pairs[first + second] += share * min(n, _MOST_OF_A_WORD)
    rows = list[str]()
    for first in CLASSES:
        n_all = sum(pairs[first + second] for second in CLASSES) + _SEEN_LESS * len(CLASSES)
        bits = [-math.log2((pairs[first + second] + _SEEN_LESS) / n_all) for second in CLASSES]
        # one of ten digits
        bits = [it + math.log2(10) * (second == "0") for it, second in zip(bits, CLASSES, strict=True)]
        rows.append("".join(_digit(round(2 * it)) for it in bits))
    return rows


def _digit(half_bits: int) -> str:
    return "0123456789abcdefghijklmnopqrstuvwxyz"[max(0, min(half_bits, 28))]


if __name__ == "__main__":
    rows = table()
    print("\n".join(first + second for first, second in zip(rows[::2], rows[1::2], strict=True)))
