"""How much likelier a text would be with other lines in it: what the model says of changes that others propose.

In: a `ScoreRequest`, a workspace.  Out: a `ScoreAnswer`.  Yields before each micro-batch; a job is suspended or ends
there.

    base     header │ blocks │ footer
    scratch  base │ line 0 │ line 1 │ line 2 │ …      once, with the loss of each token
    scratch  base │ line 0 │ the lines instead         for each variant, the last one first: what is before stays
"""

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from palimpsest import wire
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.generation.generate import have_base
from palimpsest.engine.generation.review import Losses, losses
from palimpsest.engine.generation.text_generator import TextGenerator
from palimpsest.engine.llama.native import Logits
from palimpsest.errors import ContextTooLarge, DecodeError, ModelError

TAIL = "score"


def score(
    generator: TextGenerator, workspace: Workspace, request: wire.ScoreRequest
) -> Generator[None, None, wire.ScoreAnswer]:
    """The whole of the job: sync when asked for or needed, then the scores."""
    if not generator.facts.rolls_back:
        raise ModelError("This model's memory cannot be cut back, so lines are not compared with it.")
    began = time.perf_counter()
    try:
        with workspace.active():
            synced = yield from have_base(workspace, request.sync)
            with workspace.tail(TAIL) as tail:
                seq = tail.take()
                try:
                    scoring = Scoring(generator, workspace, seq)
                    gains = yield from scoring.gains(request)
                finally:
                    tail.give(seq)
    except DecodeError as error:
        generator.pool.recover(error, workspace)
        raise
    return wire.ScoreAnswer(
        gains,
        scoring.n_decoded,
        sync=synced if request.sync is not None else None,
        ms={"total": 1000 * (time.perf_counter() - began)},
    )


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """Where a line begins, the row of logits before it (None for the first), and the loss of its tokens in nats."""

    start: int
    before: Logits | None
    loss: float


class Scoring:
    """One request's, in a sequence of its own."""

    def __init__(self, generator: TextGenerator, workspace: Workspace, seq: int) -> None:
        self._generator = generator
        self._pool = generator.pool
        self._workspace = workspace
        self._seq = seq
        self.n_decoded = 0

    def gains(self, request: wire.ScoreRequest) -> Generator[None, None, list[float]]:
        """For each variant, nats that the text gains by it."""
        model = self._generator.model
        n_characters = sum(map(len, request.lines)) + sum(len(line) for v in request.variants for line in v.lines)
        if n_characters > model.longest_text:  # more than is read in one go, while everybody else waits
            raise ContextTooLarge(
                f"{n_characters:,} characters are more than can be compared.", fitting=model.longest_text
            )
        tokenize = model.tokenize
        lines = [tokenize(line) for line in request.lines]
        variants = [[token for line in v.lines for token in tokenize(line)] for v in request.variants]  # as `lines` are
        n_most = sum(map(len, lines)) + max(map(len, variants), default=0)
        room = self._generator.sizes.room(fim=False)
        if n_most > room:
            raise ContextTooLarge(f"{n_most} tokens do not fit behind the blocks.", fitting=room, hint="Score less.")
        self._pool.context.copy(self._workspace.base.seq, self._seq)
        scored = yield from self._scored(lines)
        gains = [0.0] * len(variants)
        for i in sorted(range(len(variants)), key=lambda i: -request.variants[i].start):
            variant = request.variants[i]
            first = scored[variant.start]
            self._pool.context.remove(self._seq, first.start)
            lost, _ = yield from self._losses(variants[i], first.start, first.before)
            gains[i] = sum(line.loss for line in scored[variant.start : variant.end]) - sum(lost)
        return gains

    def _scored(self, lines: Sequence[Sequence[int]]) -> Generator[None, None, list[ScoredLine]]:
        scored, at, row = list[ScoredLine](), self._workspace.base.end, None
        for tokens in lines:
            lost, after = yield from self._losses(tokens, at, row)
            scored.append(ScoredLine(at, row, sum(lost)))
            at, row = at + len(tokens), after if after is not None else row
        return scored

    def _losses(self, tokens: Sequence[int], start: int, before: Logits | None) -> Losses:
        self.n_decoded += len(tokens)
        return losses(self._pool, self._workspace, self._seq, tokens, start, before)
