"""Several completions of one prompt, generated together: one token of each in a micro-batch.

In: a prepared tail.  Out: `StreamPiece`s as they come, then a `Done` for each completion.  Yields before each
micro-batch. Knows no slots and no prompts.
"""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from palimpsest.engine.cache.tail import Start, Tail
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.generation.grammar import Grammar
from palimpsest.engine.generation.sampler import Picked, log_probability
from palimpsest.engine.llama.native import Logits, Run
from palimpsest.engine.llama.vocab import Ids
from palimpsest.engine.llama_server.completions.answer_text import AnswerText
from palimpsest.engine.llama_server.completions.outcome import Done, Probability, StreamPiece, Timings
from palimpsest.engine.llama_server.completions.samplers import Chain, most_probable
from palimpsest.engine.llama_server.requests.params import INF, Params
from palimpsest.engine.native_engine import NativeEngine


@dataclass(slots=True)
class Alternative:
    """One completion, in a sequence of its own.  `logits`: those after its newest token, None once they were used."""

    index: int
    seq: int
    chain: Chain
    words: AnswerText
    logits: Logits | None
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    probabilities: list[Probability] = field(default_factory=list)
    began: float = 0.0
    ms: float = 0.0
    has_begun: bool = False

    def tick(self) -> None:
        """Generation is timed from the first token on."""
        now = time.perf_counter()
        self.began = self.began or now
        self.ms = 1000 * (now - self.began)


@dataclass(slots=True)
class Alternatives:
    """The completions of one request.  `n_most`: tokens of each at most.  `timings`: the timings for a number of
    generated tokens and the ms they took.  `markup` and `before`: for `AnswerText`.  `begins`: what stands in front of
    an answer that has a text.  `differ`: each begins otherwise than those before it, where it can.  `first`: the
    first of them, once it is made."""

    engine: NativeEngine
    params: Params
    emit: Callable[[StreamPiece], None]
    timings: Callable[[int, float], Timings]
    n_prompt: int
    n_most: int
    markup: tuple[str, ...]
    before: str | None
    begins: str = ""
    differ: bool = False
    begun: list[bytes] = field(default_factory=list, init=False)
    """What the first token of each adds to the prompt."""
    first: Alternative | None = field(default=None, init=False)
    has_sent: bool = field(default=False, init=False)
    n_calls: int = field(default=0, init=False)

    def run(
        self, workspace: Workspace, tail: Tail, start: Start, composed: TailPrompt, prompt: str
    ) -> Generator[None, None, list[Done]]:
        """Generate all of them from the prompt's end.  `prompt`: its text, where the answer is to contain it."""
        with ExitStack() as stack:
            alternatives = self._made(tail, start, composed, stack)
            self.first = alternatives[0]
            yield from self._generate(workspace, tail, start, composed, alternatives)
            return [self._done(alternative, prompt) for alternative in alternatives]

    def _made(self, tail: Tail, start: Start, composed: TailPrompt, stack: ExitStack) -> list[Alternative]:
        """As many as are asked for, each with a seed of its own."""
        params, alternatives = self.params, list[Alternative]()
        for index in range(params.n):
            chain = self._chain(composed, index)
            stack.callback(chain.close)
            words = AnswerText(
                params.stop, skip=len(composed.piece), n_indent=params.n_indent, markup=self.markup, before=self.before
            )
            alternative = Alternative(index, start.seq, chain, words, start.logits)
            if index:
                alternative.seq = tail.take()
                stack.callback(tail.give, alternative.seq)
                self.engine.context.copy(start.seq, alternative.seq)
            alternatives.append(alternative)
        return alternatives

    def _generate(
        self, workspace: Workspace, tail: Tail, start: Start, composed: TailPrompt, alternatives: list[Alternative]
    ) -> Generator[None, None, None]:
        is_text = composed.layout == "text" and not composed.piece
        ends = self.engine.facts.eog if is_text else self.engine.facts.ends
        position = start.position
        while True:
            for alternative in alternatives:
                if alternative.words.stop == "none":
                    self._choose(alternative, composed.piece, ends)
            going = [alternative for alternative in alternatives if alternative.words.stop == "none"]
            if not going:
                return
            yield
            runs = [Run([alternative.tokens[-1]], position, alternative.seq, logits=True) for alternative in going]
            for alternative, row in zip(going, self.engine.pool.decode(runs, workspace), strict=True):
                alternative.logits = row
                if not alternative.index:
                    tail.note(alternative.tokens[-1:])
            self.n_calls += 1
            position += 1

    def _choose(self, alternative: Alternative, piece: bytes, ends: frozenset[int]) -> None:
        """Choose one more token and send it; or end."""
        engine, params, words, tokens = self.engine, self.params, alternative.words, alternative.tokens
        assert alternative.logits is not None
        written = engine.vocab.text(tokens)
        begins = self.differ and len(written) <= len(piece)
        among = self._among(piece[len(written) :], self.begun if begins and alternative.index else ())
        picked = alternative.chain.pick(alternative.logits, among)
        alternative.tick()
        if picked is None:
            words.finish("eos")
            return
        end = picked.token in ends
        tokens.append(picked.token)
        if params.review:
            alternative.logprobs.append(log_probability(alternative.logits, picked.token))
        if begins and len(written := written + engine.vocab.pieces[picked.token]) > len(piece):
            self.begun.append(written[len(piece) :])
        alternative.chain.accept(picked.token, end=end)
        engine.pool.stats["generated"] += 1
        if params.n_probs:
            alternative.probabilities.append(self._probability(alternative.logits, picked))
        alternative.logits = None
        late = 0 < params.t_max_predict_ms < alternative.ms
        sent = words.push(engine.vocab.pieces[picked.token], out_of_time=late, end=end)
        if words.stop == "none" and (end or len(tokens) >= self.n_most):
            sent = (sent or "") + words.finish("eos" if end else "limit")
        self._send(alternative, sent)

    def _send(self, alternative: Alternative, sent: str | None) -> None:
        if sent is None:  # a character is incomplete
            return
        self.has_sent = True
        if sent and not alternative.has_begun:
            sent, alternative.has_begun = self.begins + sent, True
        newest = tuple(alternative.probabilities[-1:])
        tokens, stopped = alternative.tokens, bool(alternative.words.stopping_word)
        timings = self.timings(len(tokens), alternative.ms)
        self.emit(
            StreamPiece(tokens[-1], sent, len(tokens), self.n_prompt, timings, newest, stopped, alternative.index)
        )

    def _among(self, rest: bytes, begun: Sequence[bytes]) -> Ids | None:
        """The tokens that go on with `rest` of the healed prefix, and then otherwise than all of `begun`, where there
        are some; None: all."""
        vocab = self.engine.vocab
        known = vocab.beginning(rest) if rest else None
        if not begun:
            return known
        ids = np.arange(len(vocab.pieces), dtype=np.int32) if known is None else known
        for text in begun:
            alike = [i for i in vocab.beginning(rest + text) if len(vocab.pieces[i]) > len(rest)]
            ids = np.setdiff1d(ids, np.array(alike, np.int32))
        return ids if len(ids) else known

    def _chain(self, composed: TailPrompt, index: int) -> Chain:
        engine, params = self.engine, self.params.of(index)
        bias = list[tuple[int, float]]()
        for token, value in params.bias:
            ids = [token] if isinstance(token, int) else engine.model.tokenize(token)
            bias += [(i, value) for i in ids if 0 <= i < engine.model.n_vocab]
        if params.ignore_eos:
            bias += [(i, -INF) for i in engine.facts.eog]
        chain = Chain(engine.model, params, bias, self._constraint(), engine.sizes.n_ctx)
        chain.saw(composed.alone + composed.tokens + composed.after)
        return chain

    def _constraint(self) -> Grammar | None:
        if self.params.grammar:
            return self.engine.grammars.gbnf(self.params.grammar)
        return self.engine.grammars.schema(self.params.schema) if self.params.schema is not None else None

    def _probability(self, logits: Logits, picked: Picked) -> Probability:
        n = self.params.n_probs
        if self.params.post_sampling_probs:
            best = list(picked.after[:n])
            value = dict(picked.after).get(picked.token, 0.0)
        else:
            best, (value,) = most_probable(logits, [picked.token], n)
        likeliest = tuple((i, self.engine.model.piece(i, special=True), p) for i, p in best)
        return Probability(picked.token, self.engine.model.piece(picked.token, special=True), value, likeliest)

    def _done(self, alternative: Alternative, prompt: str) -> Done:
        words, tokens = alternative.words, alternative.tokens
        cut = words.stop == "limit" and len(tokens) >= self.n_most and not 0 <= self.params.n_predict <= self.n_most
        return Done(
            text=self.begins + words.text if words.text else "",
            tokens=tuple(tokens),
            n_prompt=self.n_prompt,
            stop=words.stop,
            timings=self.timings(len(tokens), alternative.ms),
            stopping_word=words.stopping_word,
            has_new_line=words.has_new_line,
            truncated=cut,
            prompt=prompt,
            probabilities=tuple(alternative.probabilities),
            n_calls=self.n_calls,
        )
