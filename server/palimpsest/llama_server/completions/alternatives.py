"""The completions of one prompt under way: their tokens chosen and told, a token of each in one micro-batch.

In: a prepared tail.  Out: `Piece`s as they come, at last a `Done` for each completion.  Yields before each
micro-batch.  Knows neither slots nor prompts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass, field

from palimpsest.kv.cache.tail import Start, Tail
from palimpsest.kv.cache.tail_prompt import TailPrompt
from palimpsest.kv.cache.workspace import Workspace
from palimpsest.kv.engine import NativeEngine
from palimpsest.kv.generation.sampler import Grammar
from palimpsest.kv.llama.native import Logits, Run
from palimpsest.kv.llama.vocab import Ids
from palimpsest.llama_server.completions.answer_text import AnswerText
from palimpsest.llama_server.completions.outcome import Done, Piece, Probability, Timings
from palimpsest.llama_server.completions.samplers import Chain, Picked, most_probable
from palimpsest.llama_server.requests.params import INF, Params


@dataclass(slots=True)
class Alternative:
    """One of the completions under way, in a sequence of its own.  `logits`: those behind its newest token, None once
    they were used."""

    index: int
    seq: int
    chain: Chain
    words: AnswerText
    logits: Logits | None
    tokens: list[int] = field(default_factory=list)
    probabilities: list[Probability] = field(default_factory=list)
    began: float = 0.0
    ms: float = 0.0

    def tick(self) -> None:
        """Generating is timed from the first token on."""
        now = time.perf_counter()
        self.began = self.began or now
        self.ms = 1000 * (now - self.began)


@dataclass(slots=True)
class Alternatives:
    """Those of one request.  `n_most`: tokens of each.  `timings`: of so many tokens in so many ms, what the prompt
    took with them.  `markup` and `before` are `AnswerText`'s."""

    engine: NativeEngine
    params: Params
    emit: Callable[[Piece], None]
    timings: Callable[[int, float], Timings]
    n_prompt: int
    n_most: int
    markup: tuple[str, ...]
    before: str | None
    said: bool = field(default=False, init=False)
    n_calls: int = field(default=0, init=False)

    def run(
        self, workspace: Workspace, tail: Tail, start: Start, composed: TailPrompt, prompt: str
    ) -> Generator[None, None, list[Done]]:
        """From the prompt's end, which was decoded once, to every completion's; `prompt` is its text, where wanted."""
        with ExitStack() as stack:
            strands = self._made(tail, start, composed, stack)
            yield from self._generate(workspace, tail, start, composed, strands)
            return [self._done(strand, prompt) for strand in strands]

    def _made(self, tail: Tail, start: Start, composed: TailPrompt, stack: ExitStack) -> list[Alternative]:
        """As many as are wanted.  Where a seed is given, each draws with its own."""
        params, strands = self.params, list[Alternative]()
        for index in range(params.n):
            chain = self._chain(composed, index)
            stack.callback(chain.close)
            words = AnswerText(
                params.stop, skip=len(composed.piece), n_indent=params.n_indent, markup=self.markup, before=self.before
            )
            strand = Alternative(index, start.seq, chain, words, start.logits)
            if index:
                strand.seq = tail.take()
                stack.callback(tail.give, strand.seq)
                self.engine.context.copy(start.seq, strand.seq)
            strands.append(strand)
        return strands

    def _generate(
        self, workspace: Workspace, tail: Tail, start: Start, composed: TailPrompt, strands: list[Alternative]
    ) -> Generator[None, None, None]:
        is_text = composed.layout == "text" and not composed.piece
        ends = self.engine.facts.eog if is_text else self.engine.facts.ends
        position = start.position
        while True:
            for strand in strands:
                if strand.words.stop == "none":
                    self._choose(strand, composed.piece, ends)
            going = [strand for strand in strands if strand.words.stop == "none"]
            if not going:
                return
            yield
            runs = [Run([strand.tokens[-1]], position, strand.seq, logits=True) for strand in going]
            for strand, row in zip(going, self.engine.pool.decode(runs, workspace), strict=True):
                strand.logits = row
                if not strand.index:
                    tail.note(strand.tokens[-1:])
            self.n_calls += 1
            position += 1

    def _choose(self, strand: Alternative, piece: bytes, ends: frozenset[int]) -> None:
        """One token more, told; or the end."""
        engine, params, words, tokens = self.engine, self.params, strand.words, strand.tokens
        assert strand.logits is not None
        picked = strand.chain.pick(strand.logits, self._among(piece, tokens))
        strand.tick()
        if picked is None:
            words.finish("eos")
            return
        end = picked.token in ends
        tokens.append(picked.token)
        strand.chain.accept(picked.token, end=end)
        engine.pool.stats["generated"] += 1
        if params.n_probs:
            strand.probabilities.append(self._probability(strand.logits, picked))
        strand.logits = None
        late = 0 < params.t_max_predict_ms < strand.ms
        sent = words.push(engine.vocab.pieces[picked.token], out_of_time=late, end=end)
        if words.stop == "none" and (end or len(tokens) >= self.n_most):
            sent = (sent or "") + words.finish("eos" if end else "limit")
        self._tell(strand, sent)

    def _tell(self, strand: Alternative, sent: str | None) -> None:
        if sent is None:  # a character is not complete
            return
        self.said = True
        probability = strand.probabilities[-1] if strand.probabilities else None
        tokens, stopped = strand.tokens, bool(strand.words.stopping_word)
        timings = self.timings(len(tokens), strand.ms)
        self.emit(Piece(tokens[-1], sent, len(tokens), self.n_prompt, timings, probability, stopped, strand.index))

    def _among(self, piece: bytes, tokens: list[int]) -> Ids | None:
        rest = piece[len(self.engine.vocab.text(tokens)) :] if piece else b""
        return self.engine.vocab.beginning(rest) if rest else None

    def _chain(self, composed: TailPrompt, index: int) -> Chain:
        engine, params = self.engine, self.params.of(index)
        bias = list[tuple[int, float]]()
        for token, value in params.bias:
            ids = [token] if isinstance(token, int) else engine.model.tokenize(token)
            bias += [(i, value) for i in ids if 0 <= i < engine.model.n_vocab]
        if params.ignore_eos:
            bias += [(i, -INF) for i in engine.facts.eog]
        text = params.grammar_text
        chain = Chain(engine.model, params, bias, Grammar(engine.model, text) if text else None, engine.sizes.n_ctx)
        chain.saw(composed.alone + composed.tokens + composed.after)
        return chain

    def _probability(self, logits: Logits, picked: Picked) -> Probability:
        n = self.params.n_probs
        if self.params.post_sampling_probs:
            best = list(picked.after[:n])
            value = dict(picked.after).get(picked.token, 0.0)
        else:
            best, (value,) = most_probable(logits, [picked.token], n)
        shown = tuple((i, self.engine.model.piece(i, special=True), p) for i, p in best)
        return Probability(picked.token, self.engine.model.piece(picked.token, special=True), value, shown)

    def _done(self, strand: Alternative, prompt: str) -> Done:
        words, tokens = strand.words, strand.tokens
        cut = words.stop == "limit" and len(tokens) >= self.n_most and not 0 <= self.params.n_predict <= self.n_most
        return Done(
            text=words.text,
            tokens=tuple(tokens),
            n_prompt=self.n_prompt,
            stop=words.stop,
            timings=self.timings(len(tokens), strand.ms),
            stopping_word=words.stopping_word,
            has_new_line=words.has_new_line,
            truncated=cut,
            prompt=prompt,
            probabilities=tuple(strand.probabilities),
            n_calls=self.n_calls,
        )
