"""Puts workspaces at positions, as the arena does, and says which token sees which.

In: `data.Store` files.  Out: `Batch`es of arrays for `model.loss`.  The layout of one workspace:

    [header]  gap [block] gap [block] …  gap [footer] [suffix] [tail]

Every block, the footer and the suffix are encoded behind a copy of the header of their own, which nobody
else sees; the tail sees the header, all blocks, the footer, its suffix and itself.  All of a batch's tokens lie
in one flat list, without padding: only attention works on padded groups of rows of about equal length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Ints = npt.NDArray[np.int64]
Mode = Literal["own", "none", "other"]
SPM, ISOLATED, PSM, REPAIR = range(4)
WEIGHTS = {
    "block": 0.3,
    "suffix": 0.6,
    "prefix": 1.0,
    "broken": 0.25,
    "middle": 1.5,
    "reply": 1.5,
    "end": 1.5,
    "copied": 1.0,
    "plain": 1.0,
}
"""How much a token of each part counts; `end`: the last of a middle; `reply`: the middle of a repair."""
BLOCK, SUFFIX, PREFIX, MIDDLE, COPIED, PLAIN = range(6)
N_FARTHEST = 8192
N_VOCABULARY = 4096
MULTIPLE = 32
N_ROW = 544  # tokens of a row of plain source; what is longer is hardly source


@dataclass(frozen=True)
class Packing:
    """How many rows and tails attend together at most, and by how many tokens their lengths may differ."""

    rows: int
    tails: int
    spread: int


ON_CPU, ON_GPU = Packing(24, 6, 2 * MULTIPLE), Packing(256, 48, 8 * MULTIPLE)
"""A GPU waits for each group's kernels to be started, a CPU for what is padded."""


@dataclass(frozen=True)
class Group:
    """Rows that attend together: queries (B, T) and keys (B, S) as flat token indexes, padded with the last token's.

    The last T keys of a row are its queries, each of which sees those up to itself.  It sees all keys before them but
    those in `hidden`: (row, until, start, end) hides the keys `start..end` of a row from its queries `..until`.
    """

    queries: Ints
    keys: Ints
    hidden: list[tuple[int, int, int, int]]


@dataclass(frozen=True)
class Batch:
    """Flat tokens and positions (n,), of which the last is padding; the groups that cover each other token as a query
    once, `back` (n,): where in the
    groups' outputs, one after another, a token's own is; and for the m wanted tokens their flat index, target,
    weight and part (BLOCK … COPIED)."""

    tokens: Ints
    positions: Ints
    groups: list[Group]
    back: Ints
    chosen: Ints
    targets: Ints
    weights: npt.NDArray[np.float32]
    parts: Ints


class Data:
    """A store read back."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            self.tokens, self.starts, self.blocks, self.tails, self.block_ends, self.tail_ends = (
                file[k] for k in ("tokens", "starts", "blocks", "tails", "block_ends", "tail_ends")
            )

    def __len__(self) -> int:
        return len(self.block_ends) - 1

    def piece(self, index: int) -> Ints:
        return np.asarray(self.tokens[self.starts[index] : self.starts[index + 1]], np.int64)

    def blocks_of(self, workspace: int) -> list[Ints]:
        return [self.piece(b) for b in self.blocks[self.block_ends[workspace] : self.block_ends[workspace + 1]]]

    def tails_of(self, workspace: int) -> list[tuple[int, Ints, Ints, int]]:
        """(layout, suffix, tail, index of the middle's first token); an empty suffix where none stands alone."""
        rows = self.tails[self.tail_ends[workspace] : self.tail_ends[workspace + 1]]
        empty = np.zeros(0, np.int64)
        return [(int(k), self.piece(s) if s >= 0 else empty, self.piece(t), int(first)) for k, s, t, first in rows]


class Plain:
    """Rows of nothing but source (`training.plain`), read back."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            self.tokens, self.starts = file["tokens"], file["starts"]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row(self, index: int) -> Ints:
        return np.asarray(self.tokens[self.starts[index] : self.starts[index + 1]][:N_ROW], np.int64)


class Builder:
    """Collects the rows of one batch."""

    def __init__(
        self,
        header: Sequence[int],
        footer: Sequence[int],
        rng: np.random.Generator,
        weights: Mapping[str, float] = WEIGHTS,
    ) -> None:
        self.header, self.footer, self.rng, self.weights = np.array(header), np.array(footer), rng, weights
        self.n = 0
        self.tokens: list[Ints] = []
        self.positions: list[Ints] = []
        self.rows: list[Ints] = []  # flat indexes of a row that sees only itself
        self.tails: list[tuple[Ints, Ints, int]] = []  # flat indexes of context, of the tail; see `add_tail`
        self.wanted: list[tuple[Ints, Ints, npt.NDArray[np.float32], Ints]] = []

    def add(self, tokens: Ints, positions: Ints) -> Ints:
        self.tokens.append(tokens)
        self.positions.append(positions)
        self.n += len(tokens)
        return np.arange(self.n - len(tokens), self.n)

    def want(self, at: Ints, targets: Ints, weight: float, part: int) -> None:
        """Nothing is computed for what weighs nothing."""
        n = len(targets) if weight else 0
        at, targets = at[:n], targets[:n]
        self.wanted.append((at, targets, np.full(n, weight, np.float32), np.full(n, part)))

    def add_alone(self, tokens: Ints, start: int, weight: float, part: int, first: int = 0) -> Ints:
        """Sink replay: encode behind a copy of the header; only the tokens' own indexes are handed on."""
        h = len(self.header)
        flat = self.add(np.concatenate([self.header, tokens]), np.arange(start - h, start + len(tokens)))
        self.rows.append(flat)
        if weight:
            self.want(flat[h - 1 + first : -1], tokens[first:], weight, part)
        return flat[h:]

    def add_plain(self, tokens: Ints) -> None:
        """A row that nothing else sees, where a block might stand."""
        start = int(self.rng.integers(len(self.header), N_FARTHEST - len(tokens)))
        self.add_alone(tokens, start, self.weights["plain"], PLAIN)

    def add_workspace(self, blocks: Sequence[Ints], tails: Sequence[tuple[int, Ints, Ints, int]]) -> None:
        context, position = self.add_blocks(blocks, self.weights["block"])
        for layout, suffix, tail, first in tails:
            self.add_tail(context, position, layout, suffix, tail, first)

    def add_in_order(self, blocks: Sequence[Ints], tails: Sequence[tuple[int, Ints, Ints, int]]) -> None:
        """A workspace as one text, for a teacher: each block sees those before it, the suffix and the tail see all.
        The tokens that are wanted are those of `add_workspace`, in the same order."""
        context = np.concatenate([self.header, *blocks, self.footer])
        seen = self.add(context, np.arange(len(context)))
        self.rows.append(seen)
        for layout, suffix, tail, first in tails:
            flat = self.add(np.concatenate([suffix, tail]), len(context) + np.arange(len(suffix) + len(tail)))
            self.tails.append((seen, flat, first))
            self.want_tail(flat[len(suffix) :], tail, first, layout)

    def add_copying(self, blocks: Sequence[Ints], n_tail: int) -> None:
        """A tail of nothing but pieces copied from the blocks and from itself; wanted is what only copying can tell.

        Small models learn to look something up late, all of a sudden, and faster when shown nothing else.
        """
        context, position = self.add_blocks(blocks, 0.0)
        tail, known = np.zeros(0, np.int64), []
        while len(tail) < n_tail:
            source = tail if len(tail) > 40 and self.rng.random() < 0.4 else blocks[int(self.rng.integers(len(blocks)))]
            start = int(self.rng.integers(0, max(1, len(source) - 6)))
            piece = source[start : start + int(self.rng.integers(6, 24))]
            known.append(len(tail) + np.arange(2, len(piece)))
            tail = np.concatenate([tail, piece])
        flat = self.add(tail, position + np.arange(len(tail)))
        self.tails.append((context, flat, 0))
        at = np.concatenate(known)
        self.want(flat[at - 1], tail[at], self.weights["copied"], COPIED)

    def add_blocks(self, blocks: Sequence[Ints], weight: float) -> tuple[Ints, int]:
        """Header, blocks and footer; the flat indexes that a tail sees, and where it begins."""
        h, rng = len(self.header), self.rng
        header = self.add(self.header, np.arange(h))
        self.rows.append(header)
        need = h + sum(len(b) + h for b in blocks) + 1100
        roll = rng.random()
        room = N_FARTHEST - need if roll < 0.15 else 2000 if roll < 0.4 else 150
        gaps = rng.dirichlet(np.ones(len(blocks) + 1)) * rng.random() * max(room, 0)
        seen, position = [header], h
        for i in rng.permutation(len(blocks)):
            position += h + int(gaps[i])
            seen.append(self.add_alone(blocks[i], position, weight, BLOCK))
            position += len(blocks[i])
        position += h + int(gaps[-1])
        seen.append(self.add_alone(self.footer, position, 0.0, BLOCK))
        return np.concatenate(seen), position + len(self.footer)

    def add_tail(self, context: Ints, start: int, layout: int, suffix: Ints, tail: Ints, first: int) -> None:
        """One tail at `start`.  With ISOLATED the suffix, behind slack, is seen from the middle's marker on: of the
        context's indexes the last `n_late` are hidden from the tail's first tokens."""
        n = np.arange(len(tail))
        late = 0
        if layout == SPM:
            context = np.concatenate([context, self.add_alone(suffix, start, self.weights["suffix"], SUFFIX, 1)])
            positions = start + len(suffix) + n
        elif layout == ISOLATED:
            mark = first - 1
            beyond = start + mark + int(self.rng.integers(0, 96))
            context = np.concatenate([context, self.add_alone(suffix, beyond, self.weights["suffix"], SUFFIX, 1)])
            positions = np.where(n < mark, start + n, beyond + len(suffix) + n - mark)
            late = len(suffix)
        else:
            positions = start + n
        flat = self.add(tail, positions)
        self.tails.append((context, flat, (late << 16) | first))
        self.want_tail(flat, tail, first, layout)

    def want_tail(self, flat: Ints, tail: Ints, first: int, layout: int) -> None:
        """What stands before the middle, and the middle with its end."""
        skip = 1 if layout in (ISOLATED, PSM) else 0  # the middle's marker is given, not predicted
        before, asked = ("broken", "reply") if layout == REPAIR else ("prefix", "middle")
        self.want(flat[: first - 1 - skip], tail[1 : first - skip], self.weights[before], PREFIX)
        self.want(flat[first - 1 : -1], tail[first:], self.weights[asked], MIDDLE)
        self.wanted[-1][2][-1] = self.weights["end"]

    def finish(self, packing: Packing = ON_CPU) -> Batch:
        (padding,) = self.add(np.zeros(1, np.int64), np.zeros(1, np.int64))
        groups = [self.row_group(rows, padding) for rows in alike(self.rows, len, packing.rows, packing.spread)]
        tails = alike(self.tails, lambda t: len(t[0]), packing.tails, packing.spread)
        groups += [self.tail_group(each, padding) for each in tails]
        back = np.zeros(self.n, np.int64)
        flat = np.concatenate([group.queries.reshape(-1) for group in groups])
        back[flat] = np.arange(len(flat))
        chosen, targets, weights, parts = (np.concatenate(x) for x in zip(*self.wanted, strict=True))
        return Batch(
            np.concatenate(self.tokens), np.concatenate(self.positions), groups, back, chosen, targets, weights, parts
        )

    @staticmethod
    def row_group(rows: Sequence[Ints], padding: int) -> Group:
        queries = padded(rows, padding)
        return Group(queries, queries, [])

    @staticmethod
    def tail_group(tails: Sequence[tuple[Ints, Ints, int]], padding: int) -> Group:
        contexts, queries = padded([c for c, _, _ in tails], padding), padded([f for _, f, _ in tails], padding)
        t, c = queries.shape[1], contexts.shape[1]
        hidden = [(i, t, len(context), c) for i, (context, _, _) in enumerate(tails) if len(context) < c]
        for i, (context, _, packed) in enumerate(tails):
            if late := packed >> 16:
                hidden.append((i, (packed & 0xFFFF) - 1, len(context) - late, len(context)))
        return Group(queries, np.concatenate([contexts, queries], 1), hidden)


def alike(items: Sequence[T], size: Callable[[T], int], n: int, spread: int = 2 * MULTIPLE) -> list[list[T]]:
    """At most n together, of sizes that differ by less than `spread`: padding costs attention."""
    groups: list[list[T]] = []
    for item in sorted(items, key=size):
        if not groups or len(groups[-1]) == n or size(item) - size(groups[-1][0]) >= spread:
            groups.append([])
        groups[-1].append(item)
    return groups


def padded(rows: Sequence[Ints], padding: int) -> Ints:
    """Rows one under another, filled up to a multiple of what matrix units work on."""
    out = np.full((len(rows), -(-max(map(len, rows)) // MULTIPLE) * MULTIPLE), padding, np.int64)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


def make_batch(
    data: Data,
    workspaces: Sequence[int],
    header: Sequence[int],
    footer: Sequence[int],
    rng: np.random.Generator,
    mode: Mode = "own",
    n_copying: int = 0,
    plain: Sequence[Ints] = (),
) -> Batch:
    """Workspaces with their own blocks, with none, or each with another one's; `n_copying` tails of copies, and plain
    rows."""
    builder = Builder(header, footer, rng)
    for row in plain:
        builder.add_plain(row)
    for i, workspace in enumerate(workspaces):
        source = workspaces[(i + 1) % len(workspaces)] if mode == "other" else workspace
        builder.add_workspace([] if mode == "none" else data.blocks_of(source), data.tails_of(workspace))
    for _ in range(n_copying):
        if rng.random() < 0.5:
            blocks = [rng.integers(7, N_VOCABULARY, int(rng.integers(24, 72))) for _ in range(3)]
        else:
            blocks = data.blocks_of(int(rng.integers(len(data))))
        builder.add_copying(blocks, 200)
    return builder.finish()
