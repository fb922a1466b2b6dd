"""One completion on the engine's thread: its tail decoded, its tokens chosen, each told as it comes.

In: tokens or an infill, `Params`.  Out: `Piece`s, at last a `Done`.  A job of the core's loop: yields before each
micro-batch, where a more urgent one goes first and a cancelled one ends.  Counts every token that is decoded for
it, copies of the header included.  Knows no HTTP.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from palimpsest.errors import ContextTooLarge, DecodeError
from palimpsest.kv.generation.compose import Composed
from palimpsest.kv.generation.sampler import Grammar
from palimpsest.kv.llama.native import NO_SLOT, Logits, Run
from palimpsest.kv.llama.vocab import Ids
from palimpsest.kv.llama_server.infill import Infill, Layout
from palimpsest.kv.llama_server.params import INF, Params
from palimpsest.kv.llama_server.samplers import Chain, Picked, most_probable
from palimpsest.kv.llama_server.wording import StopType, Wording
from palimpsest.kv.llama_server.workspaces import ChunkWorkspace, chunk_workspace, plain_workspace

if TYPE_CHECKING:
    from palimpsest.kv.cache.engine import Engine
    from palimpsest.kv.cache.workspace import Workspace
    from palimpsest.kv.generation.tail import Start, Tail

T = TypeVar("T")
Work = Generator[None, None, T]
OPEN_END = 256
"""Tokens of an infill's answer that states no limit: room that its window leaves."""


class PromptTooLong(ContextTooLarge):
    """`n_prompt` tokens, of `n_ctx` at most."""

    def __init__(self, n_prompt: int, n_ctx: int) -> None:
        message = f"request ({n_prompt} tokens) exceeds the available context size ({n_ctx} tokens), try increasing it"
        super().__init__(message, fitting=n_ctx - 1)
        self.n_prompt, self.n_ctx = n_prompt, n_ctx


@dataclass(frozen=True, slots=True)
class Probability:
    """A token, its (log) probability, and the most probable ones in its place."""

    token: int
    text: bytes
    value: float
    best: tuple[tuple[int, bytes, float], ...]


@dataclass(frozen=True, slots=True)
class Timings:
    """`prompt_n` tokens of the prompt were decoded; the others, `cache_n`, were in the cache."""

    cache_n: int
    prompt_n: int
    prompt_ms: float
    predicted_n: int = 0
    predicted_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Piece:
    """A token as it comes.  `text` is what may be shown now; `stopped`: with it a stop string is complete."""

    token: int
    text: str
    n_predicted: int
    n_prompt: int
    timings: Timings
    probability: Probability | None = None
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    text: str
    tokens: tuple[int, ...]
    n_prompt: int
    stop: StopType
    timings: Timings
    stopping_word: str = ""
    has_new_line: bool = False
    truncated: bool = False
    prompt: str = ""
    probabilities: tuple[Probability, ...] = ()
    n_calls: int = 0


@dataclass(slots=True)
class Completion:
    """One request's.  `wants_prompt`: the prompt's text is asked for."""

    engine: Engine
    params: Params
    emit: Callable[[Piece], None]
    wants_prompt: bool = False
    n_decoded: int = 0
    n_calls: int = 0
    _prompt_ms: float = 0.0
    _n_prompt: int = 0
    _said: bool = field(default=False, init=False)

    # The two kinds

    def text(self, slot: int, tokens: Sequence[int]) -> Work[Done]:
        """Continue `tokens`.  Raises PromptTooLong, InvalidArgument."""
        engine = self.engine
        room = min(engine.n_ctx, engine.n_positions)
        if len(tokens) >= room:
            raise PromptTooLong(len(tokens), room)
        workspace = plain_workspace(engine, slot)
        composed = Composed("text", tuple(tokens))
        with workspace.active():
            return (yield from self._tried(workspace, "chat", composed, room - len(tokens)))

    def infill(self, slot: int, infill: Infill) -> Work[Done]:
        """Fill in the middle.  A request whose window is the last one's keeps the chunks that it had: with others,
        all of its window would have to be decoded again.

        Raises ModelError where the model cannot fill in the middle.
        """
        layout = Layout(self.engine)
        room = self.params.n_predict if self.params.n_predict >= 0 else OPEN_END
        room = min(room, self.engine.tail_room // 2)
        heal = not (self.params.grammar or self.params.schema)
        if not self.engine.in_place:
            return (yield from self._infill_whole(slot, layout.whole(infill, room, heal=heal)))
        workspace = chunk_workspace(self.engine, slot)
        with workspace.active():
            window = (infill.prefix, infill.suffix)
            if infill.only_chunks and self.params.n_predict == 0:
                return (yield from self._warm(workspace, infill))
            if not workspace.ready or workspace.window != window or not any(window):
                yield from self._counted(workspace.have(infill.chunks, "typing"))
                workspace.window = window
            composed = layout.tail(infill, room, heal=heal)
            return (yield from self._tried(workspace, "typing", composed, room))

    def _infill_whole(self, slot: int, composed: Composed) -> Work[Done]:
        workspace = plain_workspace(self.engine, slot)
        room = min(self.engine.n_ctx, self.engine.n_positions) - composed.n_tokens
        with workspace.active():
            return (yield from self._tried(workspace, "typing", composed, room))

    def _warm(self, workspace: ChunkWorkspace, infill: Infill) -> Work[Done]:
        """Nothing but chunks: they are decoded, and no tail is."""
        began = time.perf_counter()
        yield from self._counted(workspace.have(infill.chunks, "background"))
        self._prompt_ms = 1000 * (time.perf_counter() - began)
        self._n_prompt = workspace.context_tokens
        return self._done(Wording(()), [], [], 0.0, self._prompt_text(workspace, None))

    # From a tail to an answer

    def _counted(self, work: Work[T]) -> Work[T]:
        """Drive `work`, adding what it decodes, and nothing that others decode while it is suspended."""
        stats = self.engine.stats
        try:
            while True:
                before = stats["decoded"]
                try:
                    next(work)
                except StopIteration as done:
                    return done.value  # type: ignore[no-any-return]
                finally:
                    self.n_decoded += stats["decoded"] - before
                    self.n_calls += stats["decoded"] > before
                yield
        finally:
            work.close()

    def _tried(self, workspace: Workspace, slot: str, composed: Composed, room: int) -> Work[Done]:
        """A decode that fails before anything was said is tried once more on books made true again."""
        try:
            return (yield from self._answer(workspace, slot, composed, room))
        except DecodeError as error:
            workspace.recover(error)
            if self._said or error.return_code == NO_SLOT:
                raise
        if isinstance(workspace, ChunkWorkspace) and not workspace.ready:
            yield from self._counted(workspace.sync(workspace.request_of("typing")))
        return (yield from self._answer(workspace, slot, composed, room))

    def _answer(self, workspace: Workspace, slot: str, composed: Composed, room: int) -> Work[Done]:
        n_most = room if self.params.n_predict < 0 else min(self.params.n_predict, room)
        with workspace.tail(slot) as tail:
            if not self.params.cache_prompt:
                tail.drop()
            began = time.perf_counter()
            tail.snapshot(workspace.base, composed)
            self._n_prompt = workspace.context_tokens + composed.n_tokens
            prompt = self._prompt_text(workspace, composed)
            start = yield from self._counted(tail.prepare(workspace.base, composed, reuse_answer=False))
            self._prompt_ms = 1000 * (time.perf_counter() - began)
            if self.params.n_predict == 0:
                return self._done(Wording(()), [], [], 0.0, prompt)
            chain = self._chain(composed)
            try:
                return (yield from self._generate(workspace, tail, start, composed, chain, n_most, prompt))
            except DecodeError:
                tail.drop()
                raise
            finally:
                tail.kept = None
                chain.close()

    def _generate(
        self, workspace: Workspace, tail: Tail, start: Start, composed: Composed, chain: Chain, n_most: int, prompt: str
    ) -> Work[Done]:
        engine, params = self.engine, self.params
        ends = engine.facts.eog if composed.layout == "text" and not composed.piece else engine.facts.ends
        words = Wording(params.stop, skip=len(composed.piece), n_indent=params.n_indent)
        tokens, probabilities, logits, position = list[int](), list[Probability](), start.logits, start.position
        began = 0.0
        while words.stop == "none":
            assert logits is not None
            picked = chain.pick(logits, self._among(composed.piece, tokens))
            began = began or time.perf_counter()
            if picked is None:
                words.finish("eos")
                break
            end = picked.token in ends
            tokens.append(picked.token)
            chain.accept(picked.token, end=end)
            engine.stats["generated"] += 1
            if params.n_probs:
                probabilities.append(self._probability(logits, picked))
            ms = 1000 * (time.perf_counter() - began)
            sent = words.push(engine.vocab.pieces[picked.token], out_of_time=0 < params.t_max_predict_ms < ms, end=end)
            if words.stop == "none" and (end or len(tokens) >= n_most):
                sent = (sent or "") + words.finish("eos" if end else "limit")
            self._tell(picked.token, sent, tokens, ms, probabilities, stopped=bool(words.stopping_word))
            if words.stop == "none":
                yield
                (logits,) = engine.decode([Run([picked.token], position, start.seq, logits=True)], workspace)
                tail.note([picked.token])
                self.n_calls += 1
                position += 1
        truncated = words.stop == "limit" and len(tokens) >= n_most and not 0 <= params.n_predict <= n_most
        ms = 1000 * (time.perf_counter() - began)
        return self._done(words, tokens, probabilities, ms, prompt, truncated=truncated)

    def _tell(
        self,
        token: int,
        sent: str | None,
        tokens: list[int],
        ms: float,
        probabilities: list[Probability],
        *,
        stopped: bool,
    ) -> None:
        if sent is None:  # a character is not complete
            return
        self._said = True
        probability = probabilities[-1] if probabilities else None
        timings = self._timings(len(tokens), ms)
        self.emit(Piece(token, sent, len(tokens), self._n_prompt, timings, probability, stopped))

    def _among(self, piece: bytes, tokens: list[int]) -> Ids | None:
        rest = piece[len(self.engine.vocab.text(tokens)) :] if piece else b""
        return self.engine.vocab.beginning(rest) if rest else None

    # What surrounds it

    def _chain(self, composed: Composed) -> Chain:
        engine, params = self.engine, self.params
        bias = list[tuple[int, float]]()
        for token, value in params.bias:
            ids = [token] if isinstance(token, int) else engine.model.tokenize(token)
            bias += [(i, value) for i in ids if 0 <= i < engine.model.n_vocab]
        if params.ignore_eos:
            bias += [(i, -INF) for i in engine.facts.eog]
        text = params.grammar_text
        chain = Chain(engine.model, params, bias, Grammar(engine.model, text) if text else None, engine.n_ctx)
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

    def _prompt_text(self, workspace: Workspace, composed: Composed | None) -> str:
        if not self.wants_prompt:
            return ""
        tokens = list[int]()
        if isinstance(workspace, ChunkWorkspace) and workspace.arena is not None:
            blocks = (r.tokens for r in workspace.arena if r.attached)
            tokens += [*workspace.header, *(token for block in blocks for token in block), *workspace.footer]
        if composed is not None:
            first, then = composed.alone, composed.tokens
            if composed.layout == "isolated":
                first, then = then, first
            tokens += [*first, *then, *composed.after]
        return b"".join(self.engine.model.piece(token, special=True) for token in tokens).decode("utf-8", "replace")

    def _timings(self, n_predicted: int, ms: float) -> Timings:
        cached = max(0, self._n_prompt - self.n_decoded)
        return Timings(cached, self.n_decoded, self._prompt_ms, n_predicted, ms)

    def _done(
        self,
        words: Wording,
        tokens: list[int],
        probabilities: list[Probability],
        ms: float,
        prompt: str,
        *,
        truncated: bool = False,
    ) -> Done:
        return Done(
            text=words.text,
            tokens=tuple(tokens),
            n_prompt=self._n_prompt,
            stop="limit" if words.stop == "none" else words.stop,
            timings=self._timings(len(tokens), ms),
            stopping_word=words.stopping_word,
            has_new_line=words.has_new_line,
            truncated=truncated,
            prompt=prompt,
            probabilities=tuple(probabilities),
            n_calls=self.n_calls,
        )
