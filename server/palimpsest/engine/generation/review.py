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

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from palimpsest import wire
from palimpsest.candidates import order
from palimpsest.engine.cache.pool import NONE, CellPool, SequenceOwner
from palimpsest.engine.cache.tail import Tail
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.generation.answer import GeneratedText
from palimpsest.engine.generation.branch import Branch, TokenChooser, decode_together
from palimpsest.engine.generation.sampler import Sampler, log_probability
from palimpsest.engine.generation.text_generator import TextGenerator
from palimpsest.engine.llama.native import Logits, Run
from palimpsest.engine.model.facts import ModelFacts
from palimpsest.errors import ContextTooLarge

TAIL = "review"
NEAR, STRIDE, MOST_BEFORE = 24, 8, 2_000
"""Lines before the cursor that are read, and how many more may be so that the first of them stays where it is while
somebody types; characters."""
N_BEHIND, MOST_BEHIND = 3, 400
"""Lines with something in them, and characters."""
MOST_TOKENS = 32
"""A line with more tokens is no candidate."""
MOST_OTHERS = 4
"""Tokens that a line may go on with in the place of one of its own."""
HOPELESS = 8.0
"""Nats that a beginning may be less likely than the answer before it is given up."""
SPARE_SEQUENCES = 8
"""Left to other jobs."""
Losses: TypeAlias = Generator[None, None, tuple[list[float], Logits | None]]
"""The losses, and the row of logits behind the last token."""


def wants_review(facts: ModelFacts, request: wire.GenerateRequest) -> bool:
    """Whether it is asked for, and nothing but probability bears on the answer."""
    return request.review > 0 and request.fim is not None and request.is_greedy and facts.rolls_back


def around(fim: wire.FimTail, piece: str) -> tuple[str, str, str]:
    """The near code before the answer; what of the answer stands before the cursor already, with the indentation of a
    line that has nothing else, so that lines at other indentations can be compared; the next lines behind the cursor,
    "" where there is nothing."""
    begins = len(fim.prefix) - len(piece)
    start = fim.prefix.rfind("\n") + 1
    if start and not fim.prefix[start:].strip():
        begins = start - 1
    lines = fim.prefix[:begins].split("\n")
    first = max(0, (len(lines) - NEAR) // STRIDE * STRIDE)
    before = "\n".join(lines[first:])[-MOST_BEFORE:]
    n, taken = 0, list[str]()
    for line in fim.suffix.split("\n"):
        n += bool(line.strip()) and bool(taken)
        taken.append(line)
        if n == N_BEHIND:
            break
    behind = "\n".join(taken)[:MOST_BEHIND]
    return before, fim.prefix[begins:], behind if behind.strip() else ""


@dataclass(frozen=True, slots=True)
class GreedyAnswer:
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
        self,
        generator: TextGenerator,
        workspace: Workspace,
        chooser: TokenChooser,
        piece: bytes,
        stop: Sequence[str],
        fresh: int = 0,
    ) -> None:
        """`fresh`: as in `Tail.snapshot`, for the review's own tail; 0: it is decoded anew where blocks change."""
        self._generator = generator
        self._pool = generator.pool
        self._workspace = workspace
        self._chooser = chooser.silent()
        self._chooser.start_clock()  # the answer is there: it has as much time again
        self._piece = piece
        self._fresh = fresh
        self._stop = ["\n", *stop]
        self.n_decoded = 0

    def candidates(
        self, tail: Tail, original: GreedyAnswer, fim: wire.FimTail, n: int
    ) -> Generator[None, None, list[wire.Candidate]]:
        """The answer and up to `n` other lines; none where nothing is behind it, and where there is no room."""
        before, typed, behind = around(fim, self._piece.decode("utf-8", "replace"))
        if not behind:
            return []
        ended = next(
            (n for n, token in enumerate(original.tokens, 1) if b"\n" in self._generator.vocab.pieces[token]), None
        )
        likeliest = sum(original.logprobs[:ended])
        try:
            firsts = [self._branch(original, [token], [logprob]) for token, logprob in self._first_tokens(original, n)]
            lines = yield from self._lines(tail, firsts, original.seq, likeliest)
            answer = original.text.rstrip("\n")
            greedy = dict.fromkeys([answer, answer.partition("\n")[0]], likeliest)  # it may go on with what is behind
            next_line = behind.lstrip().partition("\n")[0].rstrip()
            # Once more the next line would be chosen for its own sake; brackets are closed one after the other.
            known = {*greedy, next_line} if any(map(str.isalnum, next_line)) else {*greedy}
            others = {line: one for line, one in lines.items() if line.strip() and line not in known}
            candidates = yield from self._scored({**greedy, **_logprobs_of(others)}, typed, before, behind)
            if len(candidates) < len(greedy):
                return []
            best = replace(candidates[0], behind=max(one.behind for one in candidates[: len(greedy)]))
            candidates = [best, *candidates[len(greedy) :]]
            chosen = others.get(candidates[order(candidates)[0]].text)
            tokens = original.tokens if chosen is None else chosen.tokens
            seconds = yield from self._later_tokens(tail, original, tokens, n)
            lines = yield from self._lines(tail, seconds, original.seq, likeliest)
            others = {line: one for line, one in lines.items() if line.strip() and line not in {*known, *others}}
            candidates += yield from self._scored(_logprobs_of(others), typed, before, behind)
        except ContextTooLarge:  # there is no room: the answer stands
            return []
        return candidates if len(candidates) > 1 else []

    def _branch(self, original: GreedyAnswer, tokens: Sequence[int], logprobs: Sequence[float]) -> Branch:
        """An alternative of one line that begins with tokens."""
        sampler = Sampler(wire.Sampling(temperature=0.0), seed=0, hidden=self._generator.vocab.hidden)
        answer = GeneratedText(self._stop, skip=len(self._piece))
        begun, sure = list(tokens), list(logprobs)
        return Branch(0, NONE, original.start, sampler, answer, self._piece, None, tokens=begun, logprobs=sure)

    def _first_tokens(self, original: GreedyAnswer, n: int) -> list[tuple[int, float]]:
        """The likeliest that begin a line that has something in it, with the logarithms of their probabilities."""
        row, vocab = original.row, self._generator.vocab
        ids = vocab.beginning(self._piece) if self._piece else np.arange(len(row))
        likeliest = ids[np.argsort(-row[ids])][: 4 * n].tolist()
        written = [token for token in likeliest if vocab.pieces[token].strip()]
        others = [token for token in written if self._goes_on(token, original.tokens[:1])]
        return [(token, log_probability(row, token)) for token in others[:n]]

    def _goes_on(self, token: int, but: Sequence[int] = ()) -> bool:
        """Whether a line may go on with a token that is none of some."""
        ends = token in self._generator.facts.ends or b"\n" in self._generator.vocab.pieces[token]
        return not ends and token not in but

    def _later_tokens(
        self, tail: Tail, original: GreedyAnswer, tokens: Sequence[int], n: int
    ) -> Generator[None, None, list[Branch]]:
        """The likeliest lines that begin as one does and go on otherwise."""
        vocab, pool, size = self._generator.vocab, self._pool, len(self._piece)
        ends = next((i for i, token in enumerate(tokens) if not self._goes_on(token)), len(tokens))
        tokens = tokens[: min(ends, MOST_TOKENS, pool.n_batch, pool.context.n_seq_max)]
        if not tokens:
            return []
        branches, logprobs, text = list[Branch](), list[float](), b""
        seq = tail.take()
        try:
            pool.context.copy(original.seq, seq, 0, original.start)
            yield
            runs = [Run([token], original.start + i, seq, logits=True) for i, token in enumerate(tokens)]
            rows = [original.row, *(row for row in pool.decode(runs, self._workspace) if row is not None)]
            self.n_decoded += len(tokens)
        finally:
            tail.give(seq)
        for i, (token, row) in enumerate(zip(tokens, rows, strict=False)):
            if i and len(text) >= size:
                likeliest = np.argsort(-row)[:MOST_OTHERS].tolist()
                others = [other for other in likeliest if self._goes_on(other, [token])]
                branches += [
                    self._branch(original, [*tokens[:i], other], [*logprobs, log_probability(row, other)])
                    for other in others
                ]
            logprobs.append(log_probability(row, token))
            text += vocab.pieces[token]
        return sorted(branches, key=lambda branch: -sum(branch.logprobs))[:n]

    def _lines(
        self, tail: Tail, branches: Sequence[Branch], prompt_seq: int, likeliest: float
    ) -> Generator[None, None, dict[str, Branch]]:
        """What each branch goes on with to the end of its line, the likeliest first; nothing where room or time run
        short.  `likeliest`: the logarithm of the answer's probability."""
        n_wanted = len(branches) + SPARE_SEQUENCES
        if not branches or self._pool.spare(n_wanted) < n_wanted:
            return {}
        try:
            for branch in branches:
                branch.seq = tail.take()
                self._pool.context.copy(prompt_seq, branch.seq, 0, branch.start)
            while True:
                for branch in branches:
                    if not self._hopeless(branch, likeliest):
                        self._chooser.choose(branch)
                going = [b for b in branches if b.finish is None and not self._hopeless(b, likeliest)]
                if not going:
                    whole = [branch for branch in branches if branch.finish in ("end", "stop")]
                    by_line = dict[str, Branch]()
                    for branch in sorted(whole, key=lambda b: -sum(b.logprobs)):
                        by_line.setdefault(branch.answer.text, branch)
                    return by_line
                n_tokens = sum(len(branch.tokens) - branch.n_decoded for branch in going)
                if self._chooser.out_of_time or self._pool.free_cells < 2 * n_tokens:
                    return {}
                yield
                decode_together(self._pool, self._workspace, going)
                self.n_decoded += n_tokens
        finally:
            for branch in branches:
                if branch.seq >= 0:
                    tail.give(branch.seq)

    @staticmethod
    def _hopeless(branch: Branch, likeliest: float) -> bool:
        return sum(branch.logprobs) < likeliest - HOPELESS or len(branch.tokens) >= MOST_TOKENS

    def _scored(
        self, texts: Mapping[str, float], begun: str, before: str, behind: str
    ) -> Generator[None, None, list[wire.Candidate]]:
        """Texts with what the model gives to their first lines, and to what is behind all of them: the first ones,
        where time runs short.  `texts`: each with what it was said with."""
        tokenize, workspace, candidates = self._generator.model.tokenize, self._workspace, list[wire.Candidate]()
        ids = tokenize(before) if texts else []
        if not ids:
            return []
        with workspace.tail(TAIL) as tail:
            prompt = TailPrompt("text", tuple(ids))
            tail.snapshot(workspace.base, prompt, leaves=self._fresh > 0, fresh=self._fresh)
            start = yield from tail.prepare(workspace.base, prompt, reuse_answer=False)
            self.n_decoded += start.decoded
            seq = tail.take()
            try:
                self._pool.context.copy(start.seq, seq)
                for text, middle in texts.items():
                    if self._chooser.out_of_time:
                        break
                    whole, line = begun + text, begun + text.partition("\n")[0]
                    both = tokenize(whole + behind)  # a token may hold the end of one line and begin the next
                    n_line, n = self._n_tokens(both, line), self._n_tokens(both, whole)
                    lost, _ = yield from losses(self._pool, workspace, seq, both, start.position, start.logits)
                    self._pool.context.remove(seq, start.position)
                    self.n_decoded += len(both)
                    candidates.append(wire.Candidate(text, -sum(lost[:n_line]), -sum(lost[n:]), middle))
            finally:
                tail.give(seq)
        return candidates

    def _n_tokens(self, ids: Sequence[int], text: str) -> int:
        """How many of them it takes to write what they begin with."""
        ends = np.cumsum([len(self._generator.vocab.pieces[token]) for token in ids])
        return int(np.searchsorted(ends, len(text.encode()))) + 1 if text else 0


def _logprobs_of(lines: Mapping[str, Branch]) -> dict[str, float]:
    return {line: sum(branch.logprobs) for line, branch in lines.items()}


def losses(
    pool: CellPool, owner: SequenceOwner, seq: int, tokens: Sequence[int], start: int, before: Logits | None
) -> Losses:
    """`before`: the row of logits in front of the first token, whose loss is 0 where it is not known."""
    size, lost, row = min(pool.n_batch, pool.context.n_seq_max), list[float](), before
    for at in range(0, len(tokens), size):
        part = tokens[at : at + size]
        yield
        rows = pool.decode([Run([token], start + at + i, seq, logits=True) for i, token in enumerate(part)], owner)
        for token, behind in zip(part, rows, strict=True):
            lost.append(0.0 if row is None else -log_probability(row, token))
            row = behind
    return lost, row
