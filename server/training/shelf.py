"""Workspaces kept as text, in the order that a training takes them, and as tokens of any vocabulary.

In: the files of `training.texts`, of which more may come while a training runs.  Out: `Encoded` workspaces.
The order depends on nothing but the state that a checkpoint keeps and on which files there were when a shelf was
filled, so a run goes on where it stopped, and processes that train together take the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from training import texts
from training.data import LAYOUTS, tail_ids
from training.examples import Tail, Workspace, digest
from training.layout import Ints

if TYPE_CHECKING:  # it brings torch along, which nothing here needs
    from training.base import Base

N_FILES = 12
"""On a shelf together: their workspaces are mixed."""


@dataclass(frozen=True)
class Limits:
    """Tokens of the longest block, suffix and tail."""

    block: int = 500
    suffix: int = 220
    tail: int = 380


class EncodedTail(NamedTuple):
    """As `layout.Builder.add_tail` takes it, and how many characters the middle has."""

    layout: int
    suffix: Ints
    tail: Ints
    first: int
    n_characters: int


class Encoded(NamedTuple):
    blocks: list[Ints]
    tails: list[EncodedTail]


def encoded(workspace: Workspace, base: Base, limits: Limits = Limits()) -> Encoded:
    """Without what is too long, and without middles that would be split otherwise where they continue their prefix."""
    blocks = [np.array(ids) for text in workspace.blocks if len(ids := base.encode(text)) <= limits.block]
    tails = [found for tail in workspace.tails if (found := encoded_tail(tail, base, limits))]
    return Encoded(blocks, tails)


def encoded_tail(tail: Tail, base: Base, limits: Limits) -> EncodedTail | None:
    prefix, suffix, middle = (base.encode(text) for text in (tail.prefix, tail.suffix, tail.middle))
    ids, first, alone = tail_ids(tail, prefix, suffix, middle, base.marks)
    if len(ids) > limits.tail or len(alone) > limits.suffix:
        return None
    if tail.kind != "inside" and base.encode(tail.prefix + tail.middle) != prefix + middle:
        return None
    layout = LAYOUTS.index(tail.layout)
    return EncodedTail(layout, np.array(alone, np.int64), np.array(ids, np.int64), first, len(tail.middle))


@dataclass
class Bookmark:
    """Where a run is: the files taken in this round, those on the shelf, and how many of its workspaces are done."""

    round: int = 0
    taken: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    at: int = 0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Shelf:
    """The workspaces of a few files at a time, in any order, each once in a round."""

    def __init__(self, folder: Path, bookmark: Bookmark) -> None:
        self.folder, self.bookmark = folder, bookmark
        self.items: list[Workspace] = []
        self.fill()

    def known(self) -> list[str]:
        """The files there are, the oldest first: what one process sees, another sees as the beginning of its own."""
        found = sorted((file.stat().st_mtime_ns, file.name) for file in self.folder.glob("*.jsonl.gz"))
        return [name for _, name in found]

    def fill(self) -> None:
        """Reads the files of the bookmark and mixes their workspaces."""
        self.items = [w for name in self.bookmark.files for w in texts.read(self.folder / name)]
        Random(f"{self.bookmark.round} {self.bookmark.files}").shuffle(self.items)

    def next(self, n_known: int) -> Workspace:
        """The next workspace; where the shelf is through, of the first `n_known` files that are there.

        Raises FileNotFoundError where there is none.
        """
        while self.bookmark.at >= len(self.items):
            self.turn(self.known()[:n_known])
        self.bookmark.at += 1
        return self.items[self.bookmark.at - 1]

    def turn(self, names: list[str]) -> None:
        """On to other files, and to another round when all were taken."""
        mark, left = self.bookmark, [name for name in names if name not in set(self.bookmark.taken)]
        if not left:
            if not names:
                raise FileNotFoundError(f"no workspaces in {self.folder}; training.texts makes them")
            mark.round, mark.taken, left = mark.round + 1, [], names
        left.sort(key=lambda name: digest(f"{mark.round} {name}"))
        mark.files, mark.at = left[:N_FILES], 0
        mark.taken += mark.files
        self.fill()


def held_out(folder: Path, base: Base, n: int, limits: Limits = Limits()) -> list[Encoded]:
    """`n` workspaces of the held-out packages with their suffix-first tails, always the same ones."""
    found = [w for file in sorted(folder.glob("*.jsonl.gz")) for w in texts.read(file)]
    Random(5).shuffle(found)
    chosen: list[Encoded] = []
    for workspace in found:
        each = encoded(workspace, base, limits)
        tails = [tail for tail in each.tails if tail.layout == LAYOUTS.index("spm")]
        if tails and each.blocks and len(chosen) < n:
            chosen.append(Encoded(each.blocks, tails))
    return chosen
