"""From a prepared tail to text: choose, decode, n alternatives in one micro-batch per step.

In: a `GenerateRequest`, a workspace.  Out: a `GenerateAnswer`, and text as it becomes final.  Yields before each
micro-batch, which is where a job is pre-empted or ends.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from palimpsest import wire
from palimpsest.errors import DecodeError, InvalidArgument
from palimpsest.kv.generation.answer import Answer
from palimpsest.kv.generation.compose import Composed
from palimpsest.kv.generation.sampler import Grammar, Sampler, log_probability
from palimpsest.kv.generation.tail import Kept, Start, Tail
from palimpsest.kv.llama.native import NO_SLOT, Logits, Run

if TYPE_CHECKING:
    from palimpsest.kv.cache.engine import Engine
    from palimpsest.kv.cache.workspace import Workspace

OnText = Callable[[int, str], None]
Finish = Literal["end", "stop", "length", "time"]
OTHERS_TEMPERATURE = 0.7
MAX_N = 16


@dataclass(slots=True)
class Branch:
    """One alternative under way.  `tokens` chosen so far, the first `n_decoded` of them in the cache at `start`;
    those up to `n_known` were chosen by an earlier request."""

    index: int
    seq: int
    start: int
    sampler: Sampler
    answer: Answer
    piece: bytes
    logits: Logits | None
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    n_decoded: int = 0
    n_said: int = 0
    n_known: int = 0
    finish: Finish | None = None

    @property
    def choice(self) -> wire.Choice:
        assert self.finish is not None
        n = self.n_said
        return wire.Choice(self.answer.text, self.finish, n, sum(self.logprobs[:n]) / n if n else 0.0)


class Generation:
    """One request's, from tail to answer."""

    def __init__(
        self, engine: Engine, workspace: Workspace, request: wire.GenerateRequest, on_text: OnText | None
    ) -> None:
        check_request(request)
        self._engine = engine
        self._workspace = workspace
        self._request = request
        self._on_text = on_text
        self._ms = dict.fromkeys(("prefill", "sample", "decode"), 0.0)
        self._n_new = 0
        self._deadline = 0.0

    def run(self) -> Generator[None, None, wire.GenerateAnswer]:
        """The answer without what the job adds (sync, queue, total)."""
        engine, workspace, request = self._engine, self._workspace, self._request
        composed = engine.composer.compose(request, engine.tail_room, in_place=engine.in_place)
        if not engine.in_place and composed.alone:
            composed = composed.in_order
        with workspace.tail(request.slot) as tail, ExitStack() as stack:
            tail.snapshot(workspace.base, composed)
            context_tokens = workspace.context_tokens
            start_time = time.perf_counter()
            start = yield from tail.prepare(workspace.base, composed, reuse_answer=self._reuses_answers)
            self._ms["prefill"] = 1000 * (time.perf_counter() - start_time)
            branches = self._branches(tail, composed, start, stack)
            if request.time_ms:
                self._deadline = time.perf_counter() + request.time_ms / 1000
            try:
                yield from self._generate(branches, tail)
            except DecodeError:
                tail.drop()
                raise
            finally:
                if not self._reuses_answers:
                    tail.kept = None
        return wire.GenerateAnswer(
            choices=[branch.choice for branch in branches],
            context_tokens=context_tokens,
            tail_tokens=composed.n_tokens,
            decoded=start.decoded,
            reused=start.reused,
            generated=self._n_new,
            layout=composed.layout,
            healed=composed.piece.decode("utf-8", "replace"),
            ms=dict(self._ms),
        )

    @property
    def _reuses_answers(self) -> bool:
        """Whether nothing but the prompt bears on the answer."""
        request = self._request
        sampling = request.sampling
        return request.n == 1 and sampling.temperature == 0 and sampling.repeat_penalty == 1.0 and not request.grammar

    def _branches(self, tail: Tail, composed: Composed, start: Start, stack: ExitStack) -> list[Branch]:
        request = self._request
        seed = request.sampling.seed if request.sampling.seed is not None else secrets.randbits(32)
        if tail.kept is None:
            tail.kept = Kept(composed)
        first = self._branch(0, start, composed, seed, stack)
        first.tokens, first.logprobs = tail.kept.tokens, tail.kept.logprobs  # one list: a cancelled answer is kept too
        first.n_decoded, first.n_known = tail.kept.n_decoded, len(tail.kept.tokens)
        first.start = start.position - first.n_decoded
        branches = [first]
        for i in range(1, request.n):
            branch = self._branch(i, start, composed, seed + i, stack)
            branch.seq = self._engine.take()
            stack.callback(self._end_alternative, tail, branch)
            self._engine.context.copy(start.seq, branch.seq)
            branches.append(branch)
        return branches

    def _branch(self, index: int, start: Start, composed: Composed, seed: int, stack: ExitStack) -> Branch:
        request = self._request
        sampling = request.sampling
        if index:
            sampling = replace(sampling, temperature=max(OTHERS_TEMPERATURE, sampling.temperature))
        grammar = Grammar(self._engine.model, request.grammar) if request.grammar else None
        hidden = self._engine.hidden_with_grammar if grammar is not None else self._engine.vocab.hidden
        sampler = Sampler(sampling, seed=seed, hidden=hidden, history=composed.tokens, grammar=grammar)
        stack.callback(sampler.close)
        answer = Answer(request.stop, skip=len(composed.piece))
        return Branch(index, start.seq, start.position, sampler, answer, composed.piece, start.logits)

    def _end_alternative(self, tail: Tail, branch: Branch) -> None:
        self._engine.give(branch.seq)
        tail.n_extra = max(0, tail.n_extra - branch.n_decoded)

    def _generate(self, branches: list[Branch], tail: Tail) -> Generator[None, None, None]:
        while True:
            began = time.perf_counter()
            for branch in branches:
                self._choose(branch)
            self._ms["sample"] += 1000 * (time.perf_counter() - began)
            going = [branch for branch in branches if branch.finish is None]
            if not going:
                return
            yield
            began = time.perf_counter()
            self._decode(going, tail)
            self._ms["decode"] += 1000 * (time.perf_counter() - began)

    def _choose(self, branch: Branch) -> None:
        """Say the tokens that are known, then choose one more, unless the answer is at its end."""
        while branch.finish is None and branch.n_said < len(branch.tokens):
            self._say(branch, branch.tokens[branch.n_said])
        if branch.finish is not None or branch.logits is None:
            return
        healed = self._engine.vocab.text(branch.tokens) if branch.piece else b""
        rest = branch.piece[len(healed) :]
        among = self._engine.vocab.beginning(rest) if rest else None
        token = branch.sampler.pick(branch.logits, among)
        if token is None:
            self._finish(branch, "end")
            return
        branch.logprobs.append(log_probability(branch.logits, token))
        branch.tokens.append(token)
        branch.logits = None
        self._n_new += 1
        self._engine.stats["generated"] += 1
        self._say(branch, token)

    def _say(self, branch: Branch, token: int) -> None:
        end = token in self._engine.facts.ends
        branch.n_said += 1
        branch.sampler.accept(token, end=end)
        if end:
            self._finish(branch, "end")
            return
        self._emit(branch, branch.answer.push(self._engine.vocab.pieces[token]))
        if branch.answer.stopped:
            branch.finish = "stop"
        elif branch.n_said >= self._request.max_tokens:
            self._finish(branch, "length")
        elif self._deadline and time.perf_counter() > self._deadline:
            self._finish(branch, "time")

    def _finish(self, branch: Branch, finish: Finish) -> None:
        branch.finish = finish
        self._emit(branch, branch.answer.finish())

    def _emit(self, branch: Branch, text: str) -> None:
        if text and self._on_text is not None:
            self._on_text(branch.index, text)

    def _decode(self, going: list[Branch], tail: Tail) -> None:
        """The chosen tokens of all branches as one micro-batch; more than one of a branch where an answer goes on
        that was known further than it was decoded."""
        size = self._engine.context.n_batch // len(going)
        parts = [branch.tokens[branch.n_decoded :][:size] for branch in going]
        runs = [Run(part, b.start + b.n_decoded, b.seq, logits=True) for b, part in zip(going, parts, strict=True)]
        rows = self._engine.decode(runs, self._workspace)
        for branch, part, row in zip(going, parts, rows, strict=True):
            branch.n_decoded += len(part)
            if branch.n_decoded == len(branch.tokens):
                branch.logits = row
            if branch.index == 0:
                tail.note(part)
            else:
                tail.n_extra += len(part)


def check_request(request: wire.GenerateRequest) -> None:
    """Raises InvalidArgument, naming the field, for values that mean nothing."""
    sampling = request.sampling
    for name, value, low in (
        ("max_tokens", request.max_tokens, 1),
        ("n", request.n, 1),
        ("time_ms", request.time_ms, 0),
        ("sampling.temperature", sampling.temperature, 0),
        ("sampling.repeat_penalty", sampling.repeat_penalty, 1e-3),
    ):
        if not value >= low:  # so that NaN is caught too
            raise InvalidArgument(name, f"expected {low} or more, got {value}.")
    if request.n > MAX_N:
        raise InvalidArgument("n", f"expected {MAX_N} or fewer, got {request.n}.")
    if request.sync is not None and request.sync.workspace != request.workspace:
        raise InvalidArgument("sync.workspace", f"expected {request.workspace!r}, got {request.sync.workspace!r}.")
    if request.slot not in wire.SLOTS:
        raise InvalidArgument("slot", f"expected one of {', '.join(wire.SLOTS)}, got {request.slot!r}.")


def generate(
    engine: Engine, workspace: Workspace, request: wire.GenerateRequest, on_text: OnText | None
) -> Generator[None, None, wire.GenerateAnswer]:
    """The whole of a generate job: sync when asked for or needed, then the answer.

    A decode that fails before any text was said is tried once more on books made true again.
    """
    if request.fim is not None:
        engine.composer.layout_of(request.fim, in_place=engine.in_place)  # said before anything is decoded
    synced: wire.SyncAnswer | None = None
    said = False

    def tell(choice: int, text: str) -> None:
        nonlocal said
        said = True
        if on_text is not None:
            on_text(choice, text)

    began = time.perf_counter()
    with workspace.active():
        for last in (False, True):
            wanted = request.sync if synced is None else None
            if wanted is None and not workspace.ready:
                wanted = workspace.request or wire.SyncRequest(workspace.name, "", "", [])
            sync_began = time.perf_counter()
            if wanted is not None:
                answer = yield from workspace.sync(wanted)
                synced = synced or (answer if request.sync is not None else None)
            sync_ms = 1000 * (time.perf_counter() - sync_began)
            try:
                made = yield from Generation(engine, workspace, request, tell).run()
                break
            except DecodeError as error:
                workspace.recover(error)
                if last or said or error.return_code == NO_SLOT:
                    raise
    ms = {**made.ms, "sync": sync_ms, "total": 1000 * (time.perf_counter() - began)}
    return replace(made, sync=synced, ms=ms)
