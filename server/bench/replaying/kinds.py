"""What kind of event each request of a session stands for, and how many tokens are new in it.

In: where the cursor is, what the model is shown there, a tokenizer.  Out: a kind, and the floor.

The floor of an event counts the tokens of what the model is shown that no earlier request showed it.  Of a text shown
before that is nothing.  Of a changed context block it is what stands from the first change on, since what a token's KV
is depends on all before it in its block; of a changed editing block only what was typed, since there are layouts in
which nothing else depends on that.  The token at the cursor is not counted before it is complete.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palimpsest.prompt.blocks import render_context
from palimpsest.types import Block

TYPED = "character typed"
PASTED = "lines pasted or removed"
REPLACED = "block replaced"
SEEN = "file seen before"
SEEN_ELSEWHERE = "file seen before, another function"
MOVED = "cursor to another function"
OPENED = "new file opened"
NEW, CHANGED, BACK, GONE = "new", "changed", "seen before", "gone"
KINDS = (TYPED, PASTED, REPLACED, MOVED, SEEN, SEEN_ELSEWHERE, OPENED)

TYPED_AT_MOST = 32
"""Characters since the last request; more, or lines removed, is no typing."""
VERSIONS = 4

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What the model is shown for a request: `prefix` and `suffix` of the editing block, and the context blocks by
    key, or None where they are those of the request before.  `place`: file and scope.  `inserted`, `removed`:
    characters since the request before.  `behind`: the blocks after the pause behind it, where these are others."""

    file: str
    place: str
    prefix: str
    suffix: str
    blocks: Mapping[str, str] | None
    inserted: int
    removed: int
    behind: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """`floor`: new tokens, `new_block` of them in context blocks; `tail`: tokens of the editing block.  `changes`:
    against the blocks of the request before, those that are new, changed, seen before or gone."""

    kind: str
    floor: int
    new_block: int
    tail: int
    changes: Mapping[str, str] = field(default_factory=dict)


class Classifier:
    """Follows one session; `tokenize` gives the model's own tokens."""

    def __init__(self, tokenize: Callable[[str], Sequence[int]]) -> None:
        self._tokenize = tokenize
        self._shown = set[Tokens]()
        self._versions: dict[str, list[Tokens]] = {}
        self._files = set[str]()
        self._places = set[str]()
        self._last: View | None = None
        self._blocks: Mapping[str, str] = {}

    def follow(self, view: View) -> Measured:
        """Of one request after the other."""
        changes: dict[str, str] = {}
        new_block = self._changed_to(view.blocks, changes)
        before, after = tuple(self._tokenize(view.prefix)), tuple(self._tokenize(view.suffix))
        new_tail = self._new(f"editing {view.place}", (*before[:-1], *after), n_new)
        kind = self._kind(view, CHANGED in changes.values())
        self._files.add(view.file)
        self._places.add(view.place)
        self._last = view
        new_block += self._changed_to(view.behind, changes)
        return Measured(kind, new_block + new_tail, new_block, len(before) + len(after), changes)

    def _changed_to(self, blocks: Mapping[str, str] | None, changes: dict[str, str]) -> int:
        """How many tokens of blocks are new; what became of each is noted."""
        before, self._blocks = self._blocks, self._blocks if blocks is None else blocks
        changes |= {key: GONE for key in before if key not in self._blocks}
        n_new = 0
        for key, text in self._blocks.items():
            if before.get(key) != text:
                known = key in self._versions
                n = self._new(key, tuple(self._tokenize(text)), n_behind)
                changes[key] = (CHANGED if n else BACK) if known else NEW
                n_new += n
        return n_new

    def _kind(self, view: View, changed: bool) -> str:
        last = self._last
        if view.file not in self._files:
            return OPENED
        if changed:
            return REPLACED
        if last is not None and last.file != view.file:
            return SEEN if view.place in self._places else SEEN_ELSEWHERE
        if last is not None and last.place != view.place:
            return MOVED
        return TYPED if view.inserted <= TYPED_AT_MOST and not view.removed else PASTED

    def _new(self, key: str, tokens: Tokens, count: Callable[[Tokens, Tokens], int]) -> int:
        """Tokens of a text that are new against its last versions; it is known from now on."""
        if tokens in self._shown:
            return 0
        self._shown.add(tokens)
        versions = self._versions.setdefault(key, [])
        n = min((count(version, tokens) for version in versions), default=len(tokens))
        versions.append(tokens)
        del versions[:-VERSIONS]
        return n


def n_behind(old: Tokens, new: Tokens) -> int:
    """Tokens of `new` from the first on that differs from `old`."""
    shorter = min(len(old), len(new))
    return len(new) - next((i for i in range(shorter) if old[i] != new[i]), shorter)


def n_new(old: Tokens, new: Tokens) -> int:
    """Tokens of `new` that are not those of `old` in the same order."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    behind = next((i for i in range(shorter - start) if old[-1 - i] != new[-1 - i]), shorter - start)
    a, b = old[start : len(old) - behind], new[start : len(new) - behind]
    matched = sum(block.size for block in difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
    return len(b) - matched


def keyed(blocks: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Of blocks as `palimpsest.context.show` answers them: the key, and what the model is shown."""
    for block in blocks:
        shown = Block(block["type"], block["name"], block["text"], editable=block["editable"])
        yield str(shown.key), render_context(shown)
