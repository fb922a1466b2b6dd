"""Pure: what can be done to one workspace's blocks, as data, and what each does to the arena.

In: an `Arena`.  Out: the steps that `plan.py` makes and the executor carries out, and `apply`, which keeps an
arena in step with the cache.  This package knows no cell and no llama.cpp: "KV" in a docstring says what the
executor does, `apply` does the bookkeeping alone.

A plan's steps come in this order, so that each finds what it needs and a later one never undoes an earlier:

    Detach*  (Save | Evict | Free)*  Cut*  Rekey?  Move*  (Keep | Attach)*  Restore*  Write*

All copies to the store precede all moves (a saved state must have no shift pending), all moves are one run
(one K-shift), all restores precede all writes (writes go together in one batch, most valuable first).
"""

from dataclasses import dataclass
from typing import TypeAlias

from palimpsest.engine.arena.arena import Arena, Move
from palimpsest.engine.arena.span import Span


@dataclass(frozen=True, slots=True)
class _Resident:
    """Of a block that is resident, at `span`."""

    key: str
    span: Span
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Detach(_Resident):
    """Take the block's `n_tokens` from `span.start` on out of the attached sequence alone; its KV stays resident."""


@dataclass(frozen=True, slots=True)
class Save(_Resident):
    """Copy the block's KV to the store under `digest`; it stays resident (its end is about to be cut off)."""

    digest: str


@dataclass(frozen=True, slots=True)
class Evict(_Resident):
    """Copy the block's KV to the store under `digest`, then free its positions and cells in every sequence."""

    digest: str


@dataclass(frozen=True, slots=True)
class Free(_Resident):
    """Free the block's positions and cells with no copy: incomplete, in the store already, or there is no store."""


@dataclass(frozen=True, slots=True)
class Cut(_Resident):
    """Free the cells from token `n_tokens` on, `old_tokens` having been resident.  A Write from that index follows."""

    old_tokens: int


@dataclass(frozen=True, slots=True)
class Rekey:
    """Blocks whose text is now wanted under another key: `(old, new)` pairs, all at once.  No KV is touched."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Keep(_Resident):
    """Resident, equal and attached: nothing to do."""

    rank: int


@dataclass(frozen=True, slots=True)
class Attach(_Resident):
    """Resident and equal, but detached: `seq_cp` of its `n_tokens` to the attached sequence."""

    rank: int


@dataclass(frozen=True, slots=True)
class _Coming:
    """Of a block that comes to `span`, and is attached there."""

    key: str
    span: Span
    tokens: tuple[int, ...]
    digest: str
    rank: int

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True)
class Restore(_Coming):
    """Copy KV from the store to `span.start` on, and attach it.

    `saved_start` is where it was saved; when that is `span.start`, no K-shift is needed.  Take hold of the stored
    KV of all a plan's restores before its first Save or Evict: those may push it out of the store.  With the KV
    gone after all, it is a Write from 0 of `tokens`.
    """

    saved_start: int


@dataclass(frozen=True, slots=True)
class Write(_Coming):
    """Decode `tokens[from_index:]` behind the header, at positions from `span.start + from_index` on; attach all.

    The tokens before `from_index` are resident at `span.start`, attached or not, and equal.  `from_index` may be
    `len(tokens)` (the new text is the beginning of the old one): then nothing is decoded.
    """

    from_index: int = 0

    @property
    def n_decoded(self) -> int:
        """Tokens of the block to decode, the header's copy not counted."""
        return len(self.tokens) - self.from_index


@dataclass(frozen=True, slots=True)
class Begin:
    """The first tokens of a Write are decoded: resident, incomplete and detached, so that whoever plans next goes on
    from there.  No plan has this step; the executor makes it between a Write's micro-batches."""

    key: str
    span: Span
    tokens: tuple[int, ...]


Step: TypeAlias = Detach | Save | Evict | Free | Cut | Rekey | Move | Keep | Attach | Restore | Write | Begin


def apply(arena: Arena, step: Step, tick: int) -> None:
    """Do to `arena` what `step` does to the cache; `tick` (the plan's) is the time of use of what is attached.

    Call it after the step has been carried out: an arena then tells the truth wherever a job was cancelled.
    Raises AssertionError where the step does not fit the arena.
    """
    match step:
        case Detach(key=key):
            arena.detach(key)
        case Save():
            pass
        case Evict(key=key) | Free(key=key):
            arena.free(key)
        case Cut(key=key, n_tokens=n_tokens):
            arena.truncate(key, n_tokens)
        case Rekey(pairs=pairs):
            arena.rekey(dict(pairs))
        case Move(key=key, new=new):
            arena.relocate(key, new)
        case Keep(key=key, rank=rank) | Attach(key=key, rank=rank):
            arena.attach(key, rank=rank, tick=tick)
        case Restore(key=key, span=span, tokens=tokens, digest=digest, rank=rank):
            arena.place(key, tokens, digest, span)
            arena.attach(key, rank=rank, tick=tick)
        case Begin(key=key, span=span, tokens=tokens):
            _put(arena, key, tokens, "", span)
            arena.detach(key)
            arena.touch(key, tick)
        case Write(key=key, span=span, tokens=tokens, digest=digest, rank=rank):
            _put(arena, key, tokens, digest, span)
            arena.attach(key, rank=rank, tick=tick)


def _put(arena: Arena, key: str, tokens: tuple[int, ...], digest: str, span: Span) -> None:
    """A block of which a beginning is resident at the span's start, or nothing."""
    if key in arena:
        arena.rewrite(key, tokens, digest, span)
    else:
        arena.place(key, tokens, digest, span)
