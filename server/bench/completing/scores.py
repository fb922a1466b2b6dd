"""How well a hole was filled.

In: what stood there, what was offered.  Out: figures for one completion, and rows of a table.  Knows no model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.completing.holes import Hole
from bench.replaying.tally import percentile
from palimpsest.syntax.indentation import is_worse
from palimpsest.syntax.parse import parse_text


@dataclass(frozen=True, slots=True)
class Offered:
    """What the server offered for a hole ("" for nothing) and what it cost: `decoded` tokens of blocks and of the code
    at the cursor, the pause before included, `generated` tokens; `ms` from the question to the answer; `confidence`:
    how sure it was, None where nobody knows; `taken`: blanks before the
    cursor that it takes away."""

    text: str
    decoded: int
    generated: int
    ms: float
    confidence: float | None = None
    taken: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """`begins`: its first line is what stood there.  `names` are those that only a block has, `hits` how many of them
    were written.  `passed` by the workspace's tests, `tested` whether those notice when this function fails; None where
    no tests were run."""

    exact: bool
    similarity: float
    valid: bool
    hits: int
    names: int
    passed: bool | None = None
    tested: bool | None = None
    begins: bool = False


def scored(
    hole: Hole, text: str, names: Sequence[str], passed: bool | None = None, tested: bool | None = None
) -> Score:
    """`text` is what was offered, trimmed to the hole; `names` those that only a block has."""
    said, wanted = text.rstrip(), hole.text.rstrip()
    parsed = hole.function.parsed
    valid = bool(text) and not is_worse(parse_text(hole.filled(text), parsed.language), parsed)
    hits = sum(bool(re.search(rf"\b{re.escape(name)}\b", text)) for name in names)
    begins = said.split("\n")[0].rstrip() == wanted.split("\n")[0].rstrip()
    return Score(said == wanted, similarity(said, wanted), valid, hits, len(names), passed, tested, begins)


def similarity(a: str, b: str) -> float:
    """1 for equal texts, 0 for texts without a common character: 1 − (insertions and deletions from one to the other)
    / (their lengths together)."""
    return 2 * _common(a, b) / (len(a) + len(b)) if a or b else 1.0


def _common(a: str, b: str) -> int:
    """The length of the longest common subsequence; bit i of `row` is 0 where it grows at `a[i]`."""
    places = dict[str, int]()
    for i, char in enumerate(a):
        places[char] = places.get(char, 0) | 1 << i
    full = row = (1 << len(a)) - 1
    for char in b:
        found = row & places.get(char, 0)
        row = ((row + found) | (row - found)) & full
    return len(a) - row.bit_count()


def row(offered: Sequence[Offered], scores: Sequence[Score]) -> dict[str, Any]:
    """The mean of many: rates from 0 to 1, tokens and milliseconds of one completion."""
    n = len(scores)
    names = sum(score.names for score in scores)
    ms = [answer.ms for answer in offered]
    found: dict[str, Any] = {
        "n": n,
        "offered": _rate([bool(answer.text) for answer in offered]),
        "exact": _rate([score.exact for score in scores]),
        "similarity": _rate([score.similarity for score in scores]),
        "valid": _rate([score.valid for score in scores]),
        "names": {"of": names, "rate": round(sum(score.hits for score in scores) / names, 4) if names else None},
        "generated": _mean([answer.generated for answer in offered]),
        "decoded": _mean([answer.decoded for answer in offered]),
        "ms": {"p50": percentile(ms, 0.5, 1), "p95": percentile(ms, 0.95, 1)},
    }
    ran = [score for score in scores if score.passed is not None]
    if ran:
        tested = [bool(score.passed) for score in ran if score.tested]
        found["passed"] = _rate([bool(score.passed) for score in ran])
        found["tested"] = {"of": len(tested), "passed": _rate(tested) if tested else None}
    return found


def rows(kinds: Sequence[str], offered: Mapping[str, Sequence[Offered]], scores: Mapping[str, Sequence[Score]]) -> Any:
    """By kind, and for `all` of them, by mode; `kinds` says of which kind each completion is."""
    table: dict[str, dict[str, Any]] = {}
    for kind in [*dict.fromkeys(kinds), "all"]:
        chosen = [i for i, found in enumerate(kinds) if kind in (found, "all")]
        table[kind] = {
            mode: row([offered[mode][i] for i in chosen], [scores[mode][i] for i in chosen]) for mode in offered
        }
    return table


def _rate(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)


def _mean(values: Sequence[int]) -> float:
    return round(sum(values) / len(values), 1)
