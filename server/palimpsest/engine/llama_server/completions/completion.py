"""The completions of one prompt, on the engine's thread: its tail decoded, then token after token chosen.

In: tokens or an infill, `Params`.  Out: `StreamPiece`s as they come, then a `Done` for each completion.  A job of the
core's loop: it yields before each micro-batch, where a more urgent job may go first and a cancelled one ends.  Counts
all tokens that are decoded for it, with the copies of the header.  Knows no HTTP."""

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from palimpsest import wire
from palimpsest.candidates import order
from palimpsest.engine.cache.tail import Start, Tail
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.generation.branch import TokenChooser
from palimpsest.engine.generation.review import GreedyAnswer, Review
from palimpsest.engine.llama.native import NO_SLOT
from palimpsest.engine.llama_server.completions.alternatives import Alternative, Alternatives
from palimpsest.engine.llama_server.completions.answer_text import StopType
from palimpsest.engine.llama_server.completions.infill_layout import InfillLayout
from palimpsest.engine.llama_server.completions.outcome import Done, StreamPiece, Timings
from palimpsest.engine.llama_server.completions.prompt_tokens import PromptTooLong
from palimpsest.engine.llama_server.completions.workspaces import ChunkWorkspace, chunk_workspace, plain_workspace
from palimpsest.engine.llama_server.requests.infill import Infill
from palimpsest.engine.llama_server.requests.params import Params
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import DecodeError
from palimpsest.types import MARKUP

T = TypeVar("T")
Work = Generator[None, None, T]
OPEN_END = 256
"""Tokens that the window leaves for the answer of an infill without a limit."""


@dataclass(slots=True)
class Completion:
    """The work for one request.  `wants_prompt`: the answer is to contain the prompt's text."""

    engine: NativeEngine
    params: Params
    emit: Callable[[StreamPiece], None]
    wants_prompt: bool = False
    n_decoded: int = 0
    n_calls: int = 0
    _prompt_ms: float = 0.0
    _n_prompt: int = 0
    _has_sent: bool = field(default=False, init=False)
    _before: str | None = field(default=None, init=False)
    _begins: str = field(default="", init=False)
    _fim: wire.FimTail | None = field(default=None, init=False)
    _markup: tuple[str, ...] = field(default=(), init=False)

    # The two kinds of requests

    def text(self, slot: int, tokens: Sequence[int]) -> Work[list[Done]]:
        """Continue `tokens`.  Raises PromptTooLong, InvalidArgument."""
        engine = self.engine
        room = engine.sizes.n_prompt
        if len(tokens) >= room:
            raise PromptTooLong(len(tokens), room)
        if not tokens:  # an empty text, for a model whose texts begin with no token
            return self._nothing("", "none")
        workspace = plain_workspace(engine, slot)
        composed = TailPrompt("text", tuple(tokens))
        self._markup = self._markup_for(engine.vocab.text(tokens).decode("utf-8", "replace"))
        with workspace.active():
            return (yield from self._tried(workspace, "chat", composed, room - len(tokens)))

    def infill(self, slot: int, infill: Infill) -> Work[list[Done]]:
        """Fill in the middle.  While the window stays the same, so do the chunks: with others, the whole window would
        have to be decoded again.

        Raises ModelError where the model cannot fill in the middle, PromptTooLong before anything is decoded.
        """
        layout = InfillLayout(self.engine)
        self._before, self._begins = infill.prefix + infill.prompt + infill.indentation, infill.indentation
        self._fim = wire.FimTail(self._before, infill.suffix)
        self._markup = self._markup_for(self._before + infill.suffix)
        room = self.params.n_predict if self.params.n_predict >= 0 else OPEN_END
        room = min(room, self.engine.sizes.fim_room // 2)
        heal = not self.params.is_bound
        if not self.engine.in_place:
            composed = layout.whole(infill, room, heal=heal)
            room = self.engine.sizes.n_prompt - composed.n_tokens
            plain = plain_workspace(self.engine, slot)
            with plain.active():
                return (yield from self._tried(plain, "typing", composed, room))
        composed = layout.tail(infill, room, heal=heal)
        workspace = chunk_workspace(self.engine, slot)
        with workspace.active():
            window = (infill.prefix, infill.suffix)
            if infill.only_chunks and self.params.n_predict == 0:
                return (yield from self._warm(workspace, infill))
            if not workspace.ready or workspace.window != window or not any(window):
                yield from self._counted(workspace.attach(infill.chunks, "typing"))
                workspace.window = window
            return (yield from self._tried(workspace, "typing", composed, room))

    def _warm(self, workspace: ChunkWorkspace, infill: Infill) -> Work[list[Done]]:
        """Decode chunks and no tail."""
        began = time.perf_counter()
        yield from self._counted(workspace.attach(infill.chunks, "background"))
        self._prompt_ms = 1000 * (time.perf_counter() - began)
        self._n_prompt = workspace.context_tokens
        return self._nothing(self._prompt_text(workspace, None))

    # From a tail to an answer

    def _counted(self, work: Work[T]) -> Work[T]:
        """Drive `work` and count what it decodes, without what others decode while it is suspended."""
        stats = self.engine.pool.stats
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

    def _tried(self, workspace: Workspace, slot: str, composed: TailPrompt, room: int) -> Work[list[Done]]:
        """The answer.  A decode that fails before anything was sent is tried once more, after the cache's accounts were
        corrected."""
        try:
            return (yield from self._answer(workspace, slot, composed, room))
        except DecodeError as error:
            self.engine.pool.recover(error, workspace)
            if self._has_sent or error.return_code == NO_SLOT:
                raise
        if isinstance(workspace, ChunkWorkspace) and not workspace.ready:
            yield from self._counted(workspace.sync(workspace.request_of("typing")))
        return (yield from self._answer(workspace, slot, composed, room))

    def _answer(self, workspace: Workspace, slot: str, composed: TailPrompt, room: int) -> Work[list[Done]]:
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
                return self._nothing(prompt)
            review = self.params.review and self.engine.facts.rolls_back and self._fim is not None
            alternatives = Alternatives(
                self.engine, self.params, _to_nobody if review else self.emit, self._timings, self._n_prompt, n_most,
                markup=() if self.params.is_bound else self._markup, before=self._before,
                begins=self._begins, differ=self._before is not None and not self.params.is_bound,
            )  # fmt: skip
            try:
                dones = yield from alternatives.run(workspace, tail, start, composed, prompt)
                if review and alternatives.first is not None:
                    chosen = self._reviewed(workspace, tail, start, composed, alternatives.first, dones, n_most)
                    dones = yield from self._counted(chosen)
            except Exception:  # the cache no longer holds what is noted of it
                tail.drop()
                raise
            finally:
                self.n_calls += alternatives.n_calls
                self._has_sent |= alternatives.has_sent and not review
                tail.answer = None
            return [replace(done, n_calls=self.n_calls) for done in dones]

    def _reviewed(
        self,
        workspace: Workspace,
        tail: Tail,
        start: Start,
        composed: TailPrompt,
        first: Alternative,
        dones: list[Done],
        n_most: int,
    ) -> Work[list[Done]]:
        """In the order that the code behind the cursor gives to them and to other lines, and said only then."""
        params, generator, candidates = self.params, self.engine.generator, list[wire.Candidate]()
        assert self._fim is not None
        if first.words.stop != "limit" and start.logits is not None:  # nobody knows what follows a cut text
            limits = wire.GenerateRequest("", max_tokens=n_most, time_ms=max(0, params.t_max_predict_ms))
            review = Review(generator, workspace, TokenChooser(generator, limits, None), composed.piece, params.stop)
            words = first.words
            original = GreedyAnswer(words.text, first.tokens, first.logprobs, start.logits, start.seq, start.position)
            candidates = yield from review.candidates(tail, original, self._fim, params.review)
        chosen = by_review(candidates, dones, params, self._begins, self.engine.model.tokenize)
        for index, done in enumerate(chosen):
            for n, token in enumerate(done.tokens, 1):
                text = done.text if n == len(done.tokens) else ""
                self.emit(StreamPiece(token, text, n, self._n_prompt, done.timings, index=index))
        return chosen

    # Around an answer

    def _prompt_text(self, workspace: Workspace, composed: TailPrompt | None) -> str:
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

    def _nothing(self, prompt: str, stop: StopType = "limit") -> list[Done]:
        """No tokens, for each of the completions."""
        timings = self._timings(0, 0.0)
        return [Done("", (), self._n_prompt, stop, timings, prompt=prompt, n_calls=self.n_calls)] * self.params.n

    def _markup_for(self, text: str) -> tuple[str, ...]:
        """The model's own tags, which end an answer to `text` unless the client uses them itself."""
        ours = bool(self.engine.model.metadata("palimpsest.fim_layout"))
        return MARKUP if ours and not any(tag in text for tag in MARKUP) else ()


def _to_nobody(_: StreamPiece) -> None:
    """For what is chosen between first."""


def by_review(
    candidates: Sequence[wire.Candidate],
    dones: Sequence[Done],
    params: Params,
    begins: str,
    tokenize: Callable[[str], Sequence[int]],
) -> list[Done]:
    """As many completions as are asked for, in the order that the code behind the cursor gives to them and to other
    lines.  The first of the candidates is the first of `dones`; `begins` stands in front of every text.  Where there
    are not enough different ones, some come twice."""
    by_line = {done.text.partition("\n")[0]: done for done in reversed(dones)}
    ended = "\n" if "\n" in params.stop else ""

    def of_line(line: str) -> Done:
        tokens, like = tuple(tokenize(line)), dones[0]
        return replace(
            like,
            text=line,
            tokens=tokens,
            stop="word" if ended else "eos",
            stopping_word=ended,
            timings=replace(like.timings, predicted_n=len(tokens)),
            has_new_line=False,
        )

    ranked = order(candidates)
    with_likeliest = list(dict.fromkeys([*ranked[:1], *([0] if ranked else []), *ranked]))
    lines = [begins + candidates[i].text if i else "" for i in with_likeliest]
    chosen = [(by_line.get(line) or of_line(line)) if line else dones[0] for line in lines] or [dones[0]]
    different = list({done.text: done for done in (*chosen, *dones[1:])}.values())
    return [*different, *dones][: params.n]
