"""Workspaces kept as text, in the order that a training takes them, and as tokens of any vocabulary.

In: the files of `training.texts`, of which more may come while a training runs.  Out: `Encoded` workspaces.
The order depends on nothing but the state that a checkpoint keeps and on which files there were when a shelf was
filled, so a run goes on where it stopped, and processes that train together take the same.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from palimpsest.system.processes import end_with
from training import texts
from training import vocabulary as vocabularies
from training.data import LAYOUTS, tail_ids
from training.examples import Tail, Workspace, digest
from training.layout import Ints
from training.vocabulary import Vocabulary

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


def encoded(workspace: Workspace, vocabulary: Vocabulary, limits: Limits = Limits()) -> Encoded:
    """Without what is too long, and without middles that would be split otherwise where they continue their prefix."""
    blocks = [np.array(ids) for text in workspace.blocks if len(ids := vocabulary.encode(text)) <= limits.block]
    tails = [found for tail in workspace.tails if (found := encoded_tail(tail, vocabulary, limits))]
    return Encoded(blocks, tails)


def encoded_tail(tail: Tail, vocabulary: Vocabulary, limits: Limits) -> EncodedTail | None:
    prefix, suffix, middle = (vocabulary.encode(text) for text in (tail.prefix, tail.suffix, tail.middle))
    ids, first, alone = tail_ids(tail, prefix, suffix, middle, vocabulary.marks)
    if len(ids) > limits.tail or len(alone) > limits.suffix:
        return None
    if tail.kind != "inside" and vocabulary.encode(tail.prefix + tail.middle) != prefix + middle:
        return None
    layout = LAYOUTS.index(tail.layout)
    return EncodedTail(layout, np.array(alone, np.int64), np.array(ids, np.int64), first, len(tail.middle))


Encode = Callable[[Sequence[Workspace]], Sequence[Encoded]]
"""In this process, or in many at once (`Encoders`)."""


def encode_here(vocabulary: Vocabulary) -> Encode:
    return lambda found: [encoded(workspace, vocabulary) for workspace in found]


class Encoders:
    """Processes that encode beside the one that trains: a GPU is faster than one process can feed it."""

    def __init__(self, path: Path, n: int) -> None:
        self.pool = ProcessPoolExecutor(n, get_context("spawn"), initializer=_learn, initargs=(path, os.getpid()))

    def __call__(self, found: Sequence[Workspace]) -> list[Encoded]:
        return list(self.pool.map(_encoded, found, chunksize=8))

    def close(self) -> None:
        self.pool.shutdown()


_LEARNED: list[Vocabulary] = []
"""Of one of these processes."""


def _learn(path: Path, parent: int) -> None:
    end_with(parent, signal.SIGKILL)
    _LEARNED.append(vocabularies.read(path))


def _encoded(workspace: Workspace) -> Encoded:
    return encoded(workspace, _LEARNED[0])


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

    def __init__(self, folder: Path, bookmark: Bookmark, encode: Encode) -> None:
        self.folder, self.bookmark, self.encode = folder, bookmark, encode
        self.items: list[Encoded] = []
        self.fill()

    def known(self) -> list[str]:
        """The files there are, the oldest first: what one process sees, another sees as the beginning of its own."""
        found = sorted((file.stat().st_mtime_ns, file.name) for file in self.folder.glob("*.jsonl.gz"))
        return [name for _, name in found]

    def fill(self) -> None:
        """Reads the files of the bookmark and mixes their workspaces."""
        found = [w for name in self.bookmark.files for w in texts.read(self.folder / name)]
        Random(f"{self.bookmark.round} {self.bookmark.files}").shuffle(found)
        self.items = [each for each in self.encode(found) if each.tails]

    def next(self, n_known: int) -> Encoded:
        """The next workspace that has any tails; where the shelf is through, of the first `n_known` files there are.

        Raises FileNotFoundError where there is none.
        """
        n_turns = 0
        while self.bookmark.at >= len(self.items):
            names = self.known()[:n_known]
            if n_turns > len(names) or not names:
                raise FileNotFoundError(f"no workspaces in {self.folder}; training.texts makes them")
            self.turn(names)
            n_turns += 1
        self.bookmark.at += 1
        return self.items[self.bookmark.at - 1]

    def turn(self, names: list[str]) -> None:
        """On to other files, and to another round when all were taken."""
        mark, left = self.bookmark, [name for name in names if name not in set(self.bookmark.taken)]
        if not left:
            mark.round, mark.taken, left = mark.round + 1, [], names
        left.sort(key=lambda name: digest(f"{mark.round} {name}"))
        mark.files, mark.at = left[:N_FILES], 0
        mark.taken += mark.files
        self.fill()


def held_out(folder: Path, vocabulary: Vocabulary, n: int, limits: Limits = Limits()) -> list[Encoded]:
    """`n` workspaces of the held-out packages with their suffix-first tails, always the same ones."""
    found = [w for file in sorted(folder.glob("*.jsonl.gz")) for w in texts.read(file)]
    Random(5).shuffle(found)
    chosen: list[Encoded] = []
    for workspace in found:
        each = encoded(workspace, vocabulary, limits)
        tails = [tail for tail in each.tails if tail.layout == LAYOUTS.index("spm")]
        if tails and each.blocks and len(chosen) < n:
            chosen.append(Encoded(each.blocks, tails))
    return chosen
