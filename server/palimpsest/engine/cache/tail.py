"""One tail's KV: what is decoded behind a workspace's blocks, reused as far as the next request begins alike.

In: a `TailBase` (the sequence with header, blocks and footer) and a `TailPrompt`.  Out: a `Start` for generating.  Up
to four sequences:

    seq        the base's cells, then the suffix alone (spm), then `tokens`: what grows while a person types
    alone_seq  the suffix decoded alone behind the header; good as long as header and footer are the same
    full       the whole prompt: `seq` itself, or a copy of it with what stands `after`
    gen        where the answer is generated: `full` itself, or a copy where an answer cannot be removed again

The answer is kept as well: a request that agrees with it decodes nothing.  A tail that `leaves` keeps its own cells
when blocks change.  A completion's are given the new blocks to stand on, and its last `FRESH` tokens are decoded again.
In a suffix alone, and in a conversation, earlier words may change, too: what stands behind them is moved to its new
place (`carried.py`).  Knows no sampling.
"""

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from palimpsest.engine.arena.plan import common_prefix
from palimpsest.engine.cache.cached_answer import CachedAnswer
from palimpsest.engine.cache.carried import LEAST, Carried, pieces
from palimpsest.engine.cache.header_copies import HeaderCopies
from palimpsest.engine.cache.pool import NONE, CellPool, SequenceOwner
from palimpsest.engine.cache.prefill import OneByOne, Prefill
from palimpsest.engine.cache.tail_prompt import TailPrompt, isolated_start
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.llama.vocab import Vocabulary
from palimpsest.errors import InvalidArgument

N_EARLIER = 4
FRESH = 16
"""Tokens at the end of a completion's prompt that have always seen the present blocks, as all that is generated has.
Through them what blocks say reaches an answer, also where the code before was decoded behind other blocks: with 16, the
loss of the middle is that of a prompt decoded anew (docs/measurements.md, "A tail that has seen other blocks")."""
LEAST_STALE = 16
"""Tokens; where fewer would stay, all of them are decoded again."""


@dataclass(frozen=True, slots=True)
class TailBase:
    """What a tail stands on: a sequence that ends before position `end`, its revision, and the header, which a suffix
    alone is decoded behind."""

    seq: int
    end: int
    revision: int
    header: HeaderCopies


@dataclass(frozen=True, slots=True)
class Start:
    """Where to go on: the next token to decode goes to `position` of `seq`.  `logits` are those after the prompt,
    None when the answer's beginning is known (`Tail.answer`).  Counts are of the tail's tokens; `left`: of the reused
    ones, those with stale KV."""

    seq: int
    position: int
    logits: Logits | None
    decoded: int
    reused: int
    stale: int = 0


class Tail:
    """While it is `busy` a job uses it, and no other may."""

    def __init__(self, pool: CellPool, owner: SequenceOwner, vocab: Vocabulary, *, rolls_back: bool) -> None:
        self._pool = pool
        self._owner = owner
        self._vocab = vocab
        self.rolls_back = rolls_back
        self.n_users = 0
        self.leaves = False  # whether what was decoded stays where blocks or words before it change
        self._fresh = 0  # so many tokens at the prompt's end do not
        self.exact_to: int | None = None  # the first of `tokens` that has seen other ones before it; None: none has
        self.stale_to = 0  # where those end in a completion's; in a conversation all that follow have seen them
        self._carried: Carried | None = None
        self.revision = -1
        self.seq = self.full = self.gen = self.alone_seq = NONE
        self.alone: tuple[int, ...] = ()
        self.stale_alone = 0  # of these, those that have seen others before them
        self.alone_start = 0
        self.joined = False  # seq has alone's cells
        self.base_end = 0
        self.tokens: list[int] = []  # in seq, from `start` on
        self._lent: set[int] = set()  # sequences of the answer's alternatives and of a search
        self.prompt: TailPrompt | None = None  # what gen has, but for the answer
        self.logits: Logits | None = None  # after `prompt`
        self.answer: CachedAnswer | None = None
        self.earlier_answers: deque[tuple[int, ...]] = deque(maxlen=N_EARLIER)  # for drafts
        self._decoded = 0
        self._prefill: Prefill = OneByOne(pool, owner)

    @property
    def busy(self) -> bool:
        return self.n_users > 0

    @property
    def start(self) -> int:
        """Position of the first of `tokens`."""
        return self.base_end + (len(self.alone) if self.joined else 0)

    @property
    def n_tokens(self) -> int:
        """What it has of its own behind the base, in `seq`."""
        return self.start - self.base_end + len(self.tokens)

    @property
    def n_prompt(self) -> int:
        """The same without an answer."""
        n_answer = 0 if self.prompt is None else max(0, len(self.tokens) - len(self.prompt.tokens))
        return self.n_tokens - n_answer

    @property
    def seqs(self) -> set[int]:
        """All its sequences."""
        return {self.seq, self.full, self.gen, self.alone_seq, *self._lent} - {NONE}

    def n_common(self, composed: TailPrompt) -> int:
        """How many of these a prompt begins with, whatever blocks stand before it."""
        alone = composed.alone if composed.layout == "spm" else ()
        if self.seq == NONE or (self.alone if self.joined else ()) != alone:
            return 0
        return self.start - self.base_end + common_prefix(self.tokens, composed.tokens)

    def n_kept(self, composed: TailPrompt, fresh: int) -> int:
        """How many tokens of a prompt could stay that were decoded behind other blocks or another suffix, with so many
        `fresh` ones at its end; 0 where that is too little."""
        n = min(common_prefix(self.tokens, composed.tokens), len(composed.tokens) - fresh)
        return n if self.seq != NONE and n >= LEAST_STALE else 0

    def n_movable(self, composed: TailPrompt, fresh: int) -> int:
        """The same, with what could stay of the suffix alone."""
        alone = pieces(self.alone, composed.alone) if composed.layout == "spm" else []
        return self.n_kept(composed, fresh) + sum(piece.n for piece in alone if piece.n >= LEAST)

    def check(self) -> None:
        """Raises AssertionError where `seq` has other cells behind the base than the suffix alone and `tokens`."""
        if self.seq >= 0 and not self.busy:
            there = [p for p in self._pool.context.cells.positions(self.seq).tolist() if p >= self.base_end]
            expected = list(range(self.base_end, self.start + len(self.tokens)))
            assert there == expected, f"a tail has {there[:1]} to {there[-1:]}, {expected[:1]} to {expected[-1:]} noted"

    def take(self) -> int:
        """An empty sequence for a part of the answer; to be given back by whoever took it."""
        seq = self._pool.take()
        self._lent.add(seq)
        return seq

    def give(self, seq: int) -> None:
        self._lent.discard(seq)
        self._pool.give(seq)

    def copy_to(self, other: "Tail") -> None:
        """Have another tail, which is empty, share all that this one has: bookkeeping only, nothing is decoded.  The
        answer goes with it where it is in the prompt's own sequence.  Raises EngineError where sequences run short."""
        shared = {NONE: NONE}
        try:
            for seq in {self.seq, self.alone_seq, self.full} - {NONE}:
                shared[seq] = self._pool.take()
                self._pool.context.copy(seq, shared[seq])
        except BaseException:  # sequences that were taken go back
            for seq in shared.values():
                self._pool.give(seq)
            raise
        other.seq, other.alone_seq, other.full = shared[self.seq], shared[self.alone_seq], shared[self.full]
        other.gen = other.full if self.gen == self.full else NONE
        other.revision, other.base_end, other.tokens = self.revision, self.base_end, list(self.tokens)
        other.alone, other.alone_start, other.joined = self.alone, self.alone_start, self.joined
        other.stale_alone = self.stale_alone
        other.leaves, other.exact_to, other.stale_to = self.leaves, self.exact_to, self.stale_to
        other.prompt, other.logits, other.earlier_answers = self.prompt, self.logits, self.earlier_answers.copy()
        other.answer = self.answer.copy() if self.answer is not None and other.gen != NONE else None

    def drop(self) -> bool:
        """Forget everything; False when there was nothing."""
        had = bool(self.seqs)
        self.drop_prompt()
        seq, self.alone_seq, self.alone, self.stale_alone = self.alone_seq, NONE, (), 0
        self._pool.give(seq)
        return had

    def drop_prompt(self) -> None:
        """Forget all but the suffix alone, which no block bears upon."""
        self._drop_gen()
        self.settle()
        seq, self.seq, self.tokens, self.joined, self.revision = self.seq, NONE, [], False, -1
        self.exact_to, self.stale_to = None, 0
        self._pool.give(seq)

    def let_base_go(self) -> None:
        """The blocks change: its own cells stay where it leaves them, without the blocks'."""
        if not self.leaves or not self.tokens:
            self.drop_prompt()
        elif self.revision >= 0:
            self._drop_gen()
            self._pool.context.remove(self.seq, 0, self.base_end)
            self.revision = -1

    def settle(self) -> None:
        """Give up what has not been moved."""
        carried, self._carried = self._carried, None
        if carried is not None:
            self.give(carried.seq)

    def _drop_gen(self) -> None:
        dropped = {self.full, self.gen} - {self.seq}
        self.full = self.gen = NONE
        self.prompt = self.logits = self.answer = None
        for seq in dropped:
            self._pool.give(seq)

    def snapshot(self, base: TailBase, composed: TailPrompt, *, leaves: bool = False, fresh: int = 0) -> None:
        """Share the base's cells as they are now; later changes of the base do not change this tail.  `leaves`: what
        is decoded stays, though it has seen other blocks, or other words before it.  `fresh`: but for so many tokens
        at the prompt's end; then nothing is moved, and only what stands before the first other word stays."""
        self.leaves, self._fresh = leaves, fresh
        if not leaves and self.stale_alone:
            self.drop()
        stale = self.seq == NONE or self.revision != base.revision
        if leaves and (self._stand_on(base, composed) if fresh and stale else self._carry(base, composed, stale)):
            return
        if not leaves and self.exact_to is not None and not stale:
            self._drop_gen()
            self._cut(self.exact_to)
        if not stale and not self.rolls_back:  # only what goes on from where it is can be kept
            n = len(self.tokens)
            goes_on = composed.tokens[:n] == tuple(self.tokens) and (n < len(composed.tokens) or bool(composed.after))
            stale = not goes_on and not self._same_prompt(composed) and self._agreed(composed) is None
        if stale:
            self.drop_prompt()
            self.seq = self._pool.take()
            self._pool.context.copy(base.seq, self.seq)
            self.revision, self.base_end = base.revision, base.end

    def _stand_on(self, base: TailBase, composed: TailPrompt) -> bool:
        """Have the present blocks before the beginning of what was decoded behind others; False where there is too
        little of it."""
        n = self.n_kept(composed, self._fresh)
        if not n or self.base_end != base.end:
            return False
        self._drop_gen()
        self._cut(n)
        self._pool.context.remove(self.seq, 0, self.base_end)
        self._pool.context.copy(base.seq, self.seq)
        self.revision, self.exact_to, self.stale_to = base.revision, 0, n
        return True

    def _carry(self, base: TailBase, composed: TailPrompt, stale: bool) -> bool:
        """Begin with the base alone, what is decoded to be moved behind it; False where nothing is, or all of it goes
        on where it is."""
        if self._fresh or not self.tokens or self.joined or composed.alone or composed.after:
            return False
        if self.base_end != base.end:
            return False
        carried = Carried(self._pool, self._owner, self.seq, self.start, self.tokens, composed.tokens)
        if not carried.pieces or (not stale and len(carried.pieces) < 2):
            return False
        seq = self._pool.take()
        self._drop_gen()
        self._lent.add(self.seq)
        self._carried, self.seq, self.tokens = carried, seq, []
        self._pool.context.copy(base.seq, seq)
        self.revision = base.revision
        self.exact_to = 0 if stale else self.exact_to
        return True

    def prepare(
        self, base: TailBase, composed: TailPrompt, *, reuse_answer: bool, prefill: Prefill | None = None
    ) -> Generator[None, None, Start]:
        """Decode what is not in the cache yet, yielding before each micro-batch; `snapshot` was called.

        `reuse_answer`: nothing but the prompt bears on the answer, so that an earlier one may be used.  `prefill`:
        what to decode through, by default this tail by itself.  After a failure the tail is empty.
        """
        self._prefill = prefill or OneByOne(self._pool, self._owner)
        if reuse_answer and (n_typed := self._agreed(composed)) is not None:
            return self._resume(composed, n_typed)
        self._decoded = 0
        try:
            yield from self._place_alone(base, composed)
            if self._same_prompt(composed):
                self._cut_answer(composed)
            else:
                self._drop_gen()
                yield from self._extend(composed)
            if self.gen == NONE:
                yield from self._branch(composed)
        except Exception:  # whatever failed, nobody knows what is in the cache
            self.drop()
            raise
        self.prompt = composed
        reused = composed.n_tokens - self._decoded
        return Start(self.gen, self._prompt_end(composed), self.logits, self._decoded, reused, self._stale(reused))

    def _stale(self, n_reused: int) -> int:
        if self.exact_to is None:
            return self.stale_alone
        return self.stale_alone + (self.stale_to or max(self.exact_to, n_reused)) - self.exact_to

    def note(self, tokens: Sequence[int]) -> None:
        """Tokens of the answer were decoded in `gen`."""
        if self.gen == self.seq:
            self.tokens += tokens
        if self.answer is not None:
            self.answer.n_decoded += len(tokens)

    # An earlier answer

    def _agreed(self, composed: TailPrompt) -> int | None:
        """How many of the earlier answer's tokens are prompt now; None where it cannot be used."""
        if self.answer is None or self.gen == NONE:
            return None
        return self.answer.agreed(composed, self._vocab.text)

    def _resume(self, composed: TailPrompt, n_typed: int) -> Start:
        assert self.answer is not None
        self.answer = self.answer.after(composed, n_typed)
        self.prompt = composed
        if n_typed:
            self.logits = None
        position = self._prompt_end(composed) + self.answer.n_decoded
        return Start(self.gen, position, None, 0, composed.n_tokens, self._stale(composed.n_tokens))

    def _same_prompt(self, composed: TailPrompt) -> bool:
        old = self.prompt
        return (
            old is not None
            and self.logits is not None
            and self.full != NONE
            and (old.layout, old.alone, old.tokens, old.after)
            == (composed.layout, composed.alone, composed.tokens, composed.after)
        )

    def _cut_answer(self, composed: TailPrompt) -> None:
        """Take the last answer out of `gen`, which has the prompt already."""
        self.answer = None
        if self.gen == self.seq:
            self._cut(len(composed.tokens))
            return
        if self.rolls_back:
            self._pool.context.remove(self.gen, self._prompt_end(composed))
        else:
            self._pool.give(self.gen)
            self.gen = NONE

    # Decoding

    def _prompt_end(self, composed: TailPrompt) -> int:
        if composed.layout == "isolated":
            return self.alone_start + len(self.alone) + len(composed.after)
        return self.start + len(composed.tokens) + len(composed.after)

    def _cut(self, n_tokens: int) -> None:
        """Keep the first so many tokens of `seq`: its cells and what is noted of them, by one number."""
        assert n_tokens >= 0, n_tokens
        if n_tokens < len(self.tokens):
            self._pool.context.remove(self.seq, self.start + n_tokens)
            del self.tokens[n_tokens:]
        self.stale_to = min(self.stale_to, n_tokens)
        if self.exact_to is not None and n_tokens <= self.exact_to:
            self.exact_to = None

    def _decode(
        self, tokens: tuple[int, ...], position: int, seq: int, *, logits: bool, n_header: int = 0
    ) -> Generator[None, None, None]:
        """By micro-batches; a batch's tokens count as soon as they are in.  `n_header`: the first are the header's."""
        while tokens:
            n, row = yield from self._prefill.decode(tokens, position, seq, logits=logits)
            self._pool.count("headers", tokens[: min(n, n_header)])
            self._pool.count("tails", tokens[min(n, n_header) : n])
            n_header -= min(n, n_header)
            if seq == self.seq:
                self.tokens += tokens[:n]
            if seq in (self.seq, self.full):
                self._decoded += n
            tokens, position = tokens[n:], position + n
            if logits and not tokens:
                self.logits = row

    def _take_over(self, carried: Carried, composed: TailPrompt) -> Generator[None, None, None]:
        """Put the pieces of what was decoded where they go, and decode what is missing between them."""
        if not carried.is_placed:
            self._place((carried, self.start))
        for piece in carried.pieces:
            n = len(self.tokens)
            yield from self._decode(composed.tokens[n : piece.new], self.start + n, self.seq, logits=False)
            if self._fresh:
                self.exact_to, self.stale_to = 0, n + piece.n
            elif piece.new and self.exact_to is None:
                self.exact_to = piece.new
            self.tokens += carried.give(piece, self.seq)
        self.settle()

    def _place(self, *carried: tuple[Carried, int]) -> None:
        """Each with the position where what is wanted begins."""
        for each, begins in carried:
            each.lift(begins, set(range(self._pool.context.n_seq_max)) - {each.seq})
        for each, _ in carried:
            each.place()

    def _extend(self, composed: TailPrompt) -> Generator[None, None, None]:
        if self._carried is not None:
            yield from self._take_over(self._carried, composed)
        n = common_prefix(self.tokens, composed.tokens)
        if self.stale_to > (exact_from := max(0, len(composed.tokens) - self._fresh)):
            n = min(n, exact_from)
        wants_logits = not composed.after
        if wants_logits and n == len(composed.tokens):
            if not n:
                raise InvalidArgument("prompt", "has no tokens: there is nothing to go on from.")
            n -= 1  # the last once more, for its logits
        self._cut(n)
        yield from self._decode(composed.tokens[n:], self.start + n, self.seq, logits=wants_logits)

    def _branch(self, composed: TailPrompt) -> Generator[None, None, None]:
        """Make `full`, decoding what stands `after`, and `gen`."""
        context = self._pool.context
        if self.full == NONE and composed.after:
            self.full = self._pool.take()
            context.copy(self.seq, self.full)
            if composed.layout == "isolated":
                context.copy(self.alone_seq, self.full)
            end = self._prompt_end(composed) - len(composed.after)
            yield from self._decode(composed.after, end, self.full, logits=True)
        elif self.full == NONE:
            self.full = self.seq
        if self.rolls_back:
            self.gen = self.full
        else:
            self.gen = self._pool.take()
            context.copy(self.full, self.gen)

    def _place_alone(self, base: TailBase, composed: TailPrompt) -> Generator[None, None, None]:
        """Have the suffix alone encoded where the layout wants it, and in `seq` when it stands before the tokens."""
        start = self.base_end
        if composed.layout == "isolated":
            start += isolated_start(len(composed.tokens))
        if composed.alone != self.alone or (composed.alone and self.alone_start != start):
            if composed.layout == "spm" and self._fresh and (n := self.n_kept(composed, self._fresh)):
                self._lift(n)
            self._unjoin()
            self._drop_gen()
            seq, tokens, self.alone_seq, self.alone = self.alone_seq, self.alone, NONE, ()
            before = None
            carried = [(self._carried, start + len(composed.alone))] if self._carried is not None else []
            if self._fresh and composed.layout == "spm" and seq != NONE:
                before = Carried(self._pool, self._owner, seq, self.alone_start, tokens, composed.alone)
                before.pieces = [piece for piece in before.pieces if piece.n >= LEAST]
                carried.append((before, start))
            try:
                self._place(*carried)
                if composed.alone:
                    self.alone_seq = yield from self._encode_alone(base.header, composed.alone, start, before)
                    self.alone, self.alone_start = composed.alone, start
            finally:
                self._pool.give(seq)
        if composed.layout == "spm" and composed.alone:
            if not self.joined:
                self._cut(0)
                self._drop_gen()
                self._pool.context.copy(self.alone_seq, self.seq)
                self.joined = True
        else:
            self._unjoin()

    def _lift(self, n_tokens: int) -> None:
        """Set the first so many tokens aside, to be put behind another suffix."""
        seq = self._pool.take()
        self._drop_gen()
        self._lent.add(self.seq)
        tokens = self.tokens[:n_tokens]
        self._carried = Carried(self._pool, self._owner, self.seq, self.start, tokens, tokens)
        self._pool.context.copy(self.seq, seq, 0, self.base_end)
        self._pool.context.remove(self.seq, 0, self.start)
        self.seq, self.tokens, self.joined = seq, [], False

    def _unjoin(self) -> None:
        if self.joined:
            self._drop_gen()
            self._cut(0)
            self._pool.context.remove(self.seq, self.base_end)
            self.joined = False

    def _encode_alone(
        self, header: HeaderCopies, tokens: tuple[int, ...], start: int, before: Carried | None
    ) -> Generator[None, None, int]:
        """A sequence with `tokens` at `start`, encoded behind a copy of the header that it does not keep (sink replay).
        `before`: another suffix.  What is the same in it is moved: one that begins some lines further up has most."""
        moved = before.pieces if before else []
        was_stale, self.stale_alone = self.stale_alone > 0, 0
        seq, n, n_moved = self._pool.take(), 0, 0
        try:
            lead = header.put(seq, start)
            if moved and not moved[0].new:  # a sequence grows at its end only: the header comes first
                yield from self._decode(lead, start - len(lead), seq, logits=False, n_header=len(lead))
                lead = ()
            for piece in (*moved, None):
                gap = lead + tokens[n : piece.new if piece else len(tokens)]
                yield from self._decode(gap, start + n - len(lead), seq, logits=False, n_header=len(lead))
                lead = ()
                if piece and before:
                    before.give(piece, seq)
                    n, n_moved = piece.new + piece.n, n_moved + piece.n
                    self.stale_alone += piece.n if piece.new or was_stale else 0
        except BaseException:  # also when it is closed at a yield
            self._pool.give(seq)
            raise
        if header.tokens:
            header.keep(seq, start)
            self._pool.context.remove(seq, start - len(header.tokens), start)
        self._decoded += len(tokens) - n_moved
        return seq
