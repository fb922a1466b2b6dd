"""Pure: a person who types a text, and what the ghosts on the way are worth.

In: the text, what is shown behind each key.  Out: keys, and figures of a hunk.

A line end with the indentation behind it is one key, since editors indent.  A ghost is right where all of it is what
comes next, and it does not end within a word; it is taken by one key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_KEY = re.compile(r"\n[ \t]*|.", re.DOTALL)
_WORD = re.compile(r"\w")
_PIECE = re.compile(r"\s*(?:\w+|[^\w\s]+)")


@dataclass(frozen=True, slots=True)
class Ghost:
    """`text` behind the cursor, "" for nothing; `taken`: blanks before the cursor that it takes away; `sure`: the
    probability that the server gives to it, None where it does not say."""

    text: str = ""
    taken: int = 0
    sure: float | None = None
    id: str = ""


NOTHING = Ghost()


def keys(text: str) -> list[str]:
    return _KEY.findall(text)


def next_key(text: str, at: int) -> str:
    match = _KEY.match(text, at)
    assert match is not None
    return match[0]


def n_right(ghost: str, coming: str) -> int:
    """How many of its characters are what comes next."""
    differs = (i for i, (a, b) in enumerate(zip(ghost, coming, strict=False)) if a != b)
    return next(differs, min(len(ghost), len(coming)))


def is_right(ghost: str, coming: str) -> bool:
    """Whether all of it is what comes next."""
    return bool(ghost) and coming.startswith(ghost) and _is_end(coming, len(ghost))


def right_part(ghost: str, coming: str) -> str:
    """The lines, else the words, that an editor can take of it alone and that are what comes next."""
    n = n_right(ghost, coming)
    lines = ghost[: ghost.rfind("\n", 0, n + 1)] if "\n" in ghost[: n + 1] else ""
    if lines and len(lines) <= n:
        return lines
    piece = _PIECE.match(ghost)
    return piece[0] if piece is not None and piece.end() <= n and _is_end(coming, piece.end()) else ""


def _is_end(text: str, at: int) -> bool:
    return not (at and at < len(text) and _WORD.match(text[at - 1]) and _WORD.match(text[at]))


@dataclass(slots=True)
class Typed:
    """What typing a text took.  `plain`: keys without any help; `pressed`: keys that were; `shown`: ghosts that
    were new, of which `right` were; `wrong`: characters that were shown and are not what comes; `changed`: a ghost that
    agreed with what was typed gave way to another one; `ghosts`: each that was shown, what came, how probable it was
    said to be, and whether it was right; `ms` of each answer."""

    language: str
    plain: int = 0
    pressed: int = 0
    shown: int = 0
    right: int = 0
    wrong: int = 0
    changed: int = 0
    ms: list[float] = field(default_factory=list)
    ghosts: list[tuple[str, str, float | None, bool]] = field(default_factory=list)

    def see(self, ghost: Ghost, before: str, whole: str, at: int) -> bool:
        """What is shown at a place of the text; whether it is right.  `before`: what was left of the ghost before it;
        that stays on screen is the same ghost."""
        coming = whole[at - ghost.taken :]
        good = is_right(ghost.text, coming)
        if ghost.text and ghost.text != before:
            self.shown += 1
            self.right += good
            self.wrong += len(ghost.text) - n_right(ghost.text, coming)
            self.ghosts.append((ghost.text, coming[: len(ghost.text) + 8], ghost.sure, good))
        if before and not ghost.text.startswith(before):
            self.changed += 1
        return good


def left(ghost: str, typed: str) -> str:
    """What is left of a ghost that agrees with what is typed."""
    return ghost[len(typed) :] if ghost.startswith(typed) else ""


def summary(typed: Sequence[Typed]) -> dict[str, float]:
    """Shares of all keys."""
    plain, pressed = sum(one.plain for one in typed), sum(one.pressed for one in typed)
    shown, right = sum(one.shown for one in typed), sum(one.right for one in typed)
    ms = sorted(ms for one in typed for ms in one.ms)
    return {
        "hunks": sum(one.plain > 0 for one in typed),
        "keys": plain,
        "saved": round(1 - pressed / plain, 4) if plain else 0.0,
        "shown": shown,
        "right": round(right / shown, 4) if shown else 0.0,
        "wrong": round(sum(one.wrong for one in typed) / pressed, 4) if pressed else 0.0,
        "flicker": round(sum(one.changed for one in typed) / pressed, 4) if pressed else 0.0,
        "p50": round(ms[len(ms) // 2], 1) if ms else 0.0,
        "p95": round(ms[int(len(ms) * 0.95)], 1) if ms else 0.0,
    }


def calibration(typed: Sequence[Typed], n: int = 10) -> list[dict[str, float]]:
    """Of the ghosts of each tenth of probability, how many were right."""
    ghosts = (ghost for one in typed for ghost in one.ghosts)
    return list(_bins([(sure, right) for _, _, sure, right in ghosts if sure is not None], n))


def _bins(pairs: Sequence[tuple[float, bool]], n: int) -> Iterator[dict[str, float]]:
    for i in range(n):
        found = [(sure, right) for sure, right in pairs if min(n - 1, int(sure * n)) == i]
        if found:
            yield {
                "from": i / n,
                "n": len(found),
                "said": round(sum(sure for sure, _ in found) / len(found), 4),
                "right": round(sum(right for _, right in found) / len(found), 4),
            }
