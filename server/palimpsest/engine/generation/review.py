"""Other beginnings of an answer, and which of them the code behind the cursor speaks for.

An infilling model says what is likely at the cursor.  Whether the code behind the cursor is likely after it is another
question, which the same model answers reading in plain order.  (Coder-Reviewer Reranking, arXiv 2211.16490, asks so for
the description of a program.)

In: a greedy answer, its tail, the code around the cursor.  Out: `wire.Candidate`s.  Yields before each micro-batch.

    gen      prompt │ the answer
    scratch  prompt │ another first token │ …          a sequence for each, decoded side by side up to the line's end
    review   blocks │ the near code before the cursor   a tail of its own: it has not seen what is behind the cursor
    scratch  review │ a candidate │ the next lines      one after the other
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from palimpsest import wire
from palimpsest.engine.cache.pool import NONE, CellPool
from palimpsest.engine.cache.tail import Tail
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.engine.cache.tenants import Tenant
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.generation.answer import Answer
from palimpsest.engine.generation.branch import Branch, TokenChooser, decode_together
from palimpsest.engine.generation.sampler import Sampler, log_probability
from palimpsest.engine.generation.text_generator import TextGenerator
from palimpsest.engine.llama.native import Logits, Run
from palimpsest.engine.llama.vocab import Ids
from palimpsest.engine.model.facts import Facts
from palimpsest.errors import ContextTooLarge

TAIL = "review"
NEAR, STRIDE, MOST_BEFORE = 24, 8, 2_000
"""Lines before the cursor that are read, and how many more may be so that the first of them stays where it is while
somebody types; characters."""
N_BEHIND, MOST_BEHIND = 3, 400
"""Lines with something in them, and characters."""
MOST_TOKENS = 32
"""Of a line: a longer one is no candidate."""
HOPELESS = 8.0
"""Nats that a beginning may be less likely than the answer before it is given up."""
SPARE_SEQUENCES = 8
"""Left to other jobs."""
Losses: TypeAlias = Generator[None, None, tuple[list[float], Logits | None]]
"""The losses, and the row of logits behind the last token."""


def wants_review(facts: Facts, request: wire.GenerateRequest) -> bool:
    """Whether it is asked for, and nothing but probability bears on the answer."""
    sampling = request.sampling
    greedy = sampling.temperature == 0 and sampling.repeat_penalty == 1.0 and not request.grammar
    return request.review > 0 and request.fim is not None and greedy and facts.rolls_back


def before_and_behind(fim: wire.FimTail, piece: str) -> tuple[str, str]:
    """The near code before where the answer begins, and the next lines behind the cursor, "" where there is nothing."""
    lines = fim.prefix[: len(fim.prefix) - len(piece)].split("\n")
    start = max(0, (len(lines) - NEAR) // STRIDE * STRIDE)
    before = "\n".join(lines[start:])[-MOST_BEFORE:]
    n, taken = 0, list[str]()
    for line in fim.suffix.split("\n"):
        n += bool(line.strip()) and bool(taken)
        taken.append(line)
        if n == N_BEHIND:
            break
    behind = "\n".join(taken)[:MOST_BEHIND]
    return before, behind if behind.strip() else ""


@dataclass(frozen=True, slots=True)
class Said:
    """The greedy answer: its text, its tokens with the logarithms of their probabilities, and the logits before them.
    Its prompt is in a sequence, up to a position."""

    text: str
    tokens: Sequence[int]
    logprobs: Sequence[float]
    row: Logits
    seq: int
    start: int


class Review:
    """One answer's.  `n_decoded`: tokens that were decoded for it."""

    def __init__(
        self, generator: TextGenerator, workspace: Workspace, chooser: TokenChooser, piece: bytes, stop: Sequence[str]
    ) -> None:
        self._generator = generator
        self._pool = generator.pool
        self._workspace = workspace
        self._chooser = chooser.silent()
        self._chooser.start_clock()  # the answer is there: it has as much time again
        self._piece = piece
        self._stop = ["\n", *stop]
        self.n_decoded = 0

    def candidates(
        self, tail: Tail, said: Said, fim: wire.FimTail, n: int
    ) -> Generator[None, None, list[wire.Candidate]]:
        """The answer and up to `n` other lines; none where nothing is behind it, and where there is no room."""
        piece = self._piece.decode("utf-8", "replace")
        before, behind = before_and_behind(fim, piece)
        if not behind:
            return []
        among = self._generator.vocab.beginning(self._piece) if piece else None
        begun = [
            self._beginning(i, token, said)
            for i, token in enumerate(self._first_tokens(said.row, among, said.tokens[:1], n), 1)
        ]
        try:
            lines = yield from self._lines(tail, begun, said.seq, said.row, sum(said.logprobs))
            answer = said.text.rstrip("\n")
            greedy = list(dict.fromkeys([answer, answer.partition("\n")[0]]))  # it may go on with what stands behind
            next_line = behind.lstrip().partition("\n")[0].rstrip()
            # Once more the next line would be chosen for its own sake; brackets are closed one after the other.
            known = {*greedy, next_line} if any(map(str.isalnum, next_line)) else {*greedy}
            others = [line for line in dict.fromkeys(lines) if line.strip() and line not in known]
            if not others:
                return []
            found = yield from self._scored([*greedy, *others], piece, before, behind)
        except ContextTooLarge:  # there is no room: the answer stands
            return []
        if len(found) <= len(greedy):
            return []
        best = replace(found[0], behind=max(one.behind for one in found[: len(greedy)]))
        return [best, *found[len(greedy) :]]

    def _beginning(self, index: int, token: int, said: Said) -> Branch:
        """An alternative of one line that begins with a token."""
        sampler = Sampler(wire.Sampling(temperature=0.0), seed=0, hidden=self._generator.vocab.hidden)
        answer = Answer(self._stop, skip=len(self._piece))
        return Branch(index, NONE, said.start, sampler, answer, self._piece, None, tokens=[token])

    def _first_tokens(self, row: Logits, among: Ids | None, but: Sequence[int], n: int) -> list[int]:
        """The likeliest that begin a line that has something in it."""
        vocab, facts = self._generator.vocab, self._generator.facts
        ids = np.arange(len(row)) if among is None else among
        found = list[int]()
        for token in ids[np.argsort(-row[ids])][: 4 * n].tolist():
            text = vocab.pieces[token]
            if token not in but and token not in facts.ends and text.strip() and b"\n" not in text:
                found.append(token)
        return found[:n]

    def _lines(
        self, tail: Tail, branches: Sequence[Branch], prompt_seq: int, row: Logits, likeliest: float
    ) -> Generator[None, None, list[str]]:
        """What each branch, which has its first token, goes on with to the end of its line, the likeliest first;
        nothing where room or time run short.  `likeliest`: the logarithm of the answer's probability."""
        if not branches:
            return []
        first = branches[0].start
        n_wanted = len(branches) + SPARE_SEQUENCES
        if self._pool.spare(n_wanted) < n_wanted:
            return []
        try:
            for branch in branches:
                branch.seq = tail.take()
                self._pool.context.copy(prompt_seq, branch.seq, 0, first)
                branch.logprobs.append(log_probability(row, branch.tokens[0]))
            while True:
                for branch in branches:
                    if not self._hopeless(branch, likeliest):
                        self._chooser.choose(branch)
                going = [b for b in branches if b.finish is None and not self._hopeless(b, likeliest)]
                if not going:
                    whole = [branch for branch in branches if branch.finish in ("end", "stop")]
                    return [b.answer.text for b in sorted(whole, key=lambda b: -sum(b.logprobs))]
                if self._chooser.out_of_time or self._pool.free_cells < 2 * len(going):
                    return []
                yield
                decode_together(self._pool, self._workspace, going)
                self.n_decoded += len(going)
        finally:
            for branch in branches:
                if branch.seq >= 0:
                    tail.give(branch.seq)

    @staticmethod
    def _hopeless(branch: Branch, likeliest: float) -> bool:
        return sum(branch.logprobs) < likeliest - HOPELESS or len(branch.tokens) >= MOST_TOKENS

    def _scored(
        self, texts: Sequence[str], piece: str, before: str, behind: str
    ) -> Generator[None, None, list[wire.Candidate]]:
        """Texts with what the model gives to their first lines, and to what is behind all of them: the first ones,
        where time runs short."""
        tokenize, workspace, found = self._generator.model.tokenize, self._workspace, list[wire.Candidate]()
        ids = tokenize(before)
        if not ids:
            return []
        with workspace.tail(TAIL) as tail:
            tail.snapshot(workspace.base, prompt := TailPrompt("text", tuple(ids)))
            start = yield from tail.prepare(workspace.base, prompt, reuse_answer=False)
            self.n_decoded += start.decoded
            seq = tail.take()
            try:
                self._pool.context.copy(start.seq, seq)
                for text in texts:
                    if self._chooser.out_of_time:
                        break
                    whole = piece + text
                    both = tokenize(whole + behind)  # a token may hold the end of one line and begin the next
                    n_line, n = self._n_tokens(both, whole.partition("\n")[0]), self._n_tokens(both, whole)
                    lost, _ = yield from losses(self._pool, workspace, seq, both, start.position, start.logits)
                    self._pool.context.remove(seq, start.position)
                    self.n_decoded += len(both)
                    found.append(wire.Candidate(text, -sum(lost[:n_line]), -sum(lost[n:])))
            finally:
                tail.give(seq)
        return found if len(found) > 1 else []

    def _n_tokens(self, ids: Sequence[int], text: str) -> int:
        """How many of them it takes to write what they begin with."""
        ends = np.cumsum([len(self._generator.vocab.pieces[token]) for token in ids])
        return int(np.searchsorted(ends, len(text.encode()))) + 1 if text else 0


def losses(
    pool: CellPool, tenant: Tenant, seq: int, tokens: Sequence[int], start: int, before: Logits | None
) -> Losses:
    """`before`: the row of logits in front of the first token, whose loss is 0 where it is not known."""
    size, found, row = min(pool.n_batch, pool.context.n_seq_max), list[float](), before
    for at in range(0, len(tokens), size):
        part = tokens[at : at + size]
        yield
        rows = pool.decode([Run([token], start + at + i, seq, logits=True) for i, token in enumerate(part)], tenant)
        for token, behind in zip(part, rows, strict=True):
            found.append(0.0 if row is None else -log_probability(row, token))
            row = behind
    return found, row
