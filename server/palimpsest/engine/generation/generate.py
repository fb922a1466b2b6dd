"""Answers a request: sync, prompt, then token by token, `n` alternatives in one micro-batch per step.

In: a `GenerateRequest`, a workspace.  Out: a `GenerateAnswer`, and text as it becomes final.  Yields before each
micro-batch; a job is suspended or ends there.
"""

import secrets
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from palimpsest import wire
from palimpsest.engine.cache.cached_answer import CachedAnswer
from palimpsest.engine.cache.prefill import Prefill
from palimpsest.engine.cache.tail import FRESH, Start, Tail
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.generation.answer import GeneratedText
from palimpsest.engine.generation.branch import Branch, OnText, TokenChooser, decode_together
from palimpsest.engine.generation.draft import LONGEST_MATCH, Drafter
from palimpsest.engine.generation.review import GreedyAnswer, Review, wants_review
from palimpsest.engine.generation.sampler import Sampler, log_share
from palimpsest.engine.generation.text_generator import TextGenerator
from palimpsest.engine.generation.word_search import WordFinder, wants_search
from palimpsest.engine.llama.native import NO_SLOT, Run
from palimpsest.errors import ContextTooLarge, DecodeError

OTHERS_TEMPERATURE = 0.7


class Generation:
    """One request's, from tail to answer."""

    def __init__(
        self, generator: TextGenerator, workspace: Workspace, request: wire.GenerateRequest, on_text: OnText | None
    ) -> None:
        room = generator.sizes.room(fim=request.fim is not None)
        self._composed = composed = generator.composer.compose(request, room)
        self._generator = generator
        self._pool = generator.pool
        self._workspace = workspace
        self._request = replace(request, max_tokens=min(request.max_tokens, room - composed.n_tokens))
        self._opened = "" if request.grammar else composed.opened
        self._chooser = TokenChooser(generator, self._request, _behind(self._opened, on_text))
        self._leaves = request.kv == "leave" and workspace.moves
        self._fresh = FRESH if self._leaves and request.fim is not None else 0
        self._drafter: Drafter | None = None
        self._ms = dict.fromkeys(("prefill", "sample", "decode", "review"), 0.0)
        self._n_steps = self._n_searched = self._n_reviewed = self._context_tokens = 0
        self._candidates = list[wire.Candidate]()
        self._branches: list[Branch] = []
        self._tail: Tail
        self._start: Start
        self._stack: ExitStack

    def run(self) -> Generator[None, None, wire.GenerateAnswer]:
        """The answer without what the job adds (sync, queue, total)."""
        with self.opened():
            with self._timed("prefill"):
                yield from self.prepare()
            self.begin()
            try:
                yield from self._find_word()
                yield from self._generate()
                with self._timed("review"):
                    yield from self._review()
            except Exception:  # whatever failed, the cache is no longer what is noted of it
                self.drop()
                raise
        return self.answer()

    # The parts, for requests that are answered side by side

    @contextmanager
    def opened(self) -> Iterator[None]:
        """While it is under way: its tail is in use, with the base as it is now."""
        request, workspace = self._request, self._workspace
        place = self._composed if request.fim is not None else None
        with (
            workspace.tail(request.tail or request.slot, place, fresh=self._fresh) as self._tail,
            ExitStack() as self._stack,
        ):
            tail = self._tail
            if tail.answer is not None and not self._only_warms:
                tail.answer = tail.answer if tail.answer.chosen_as(self._word_search, self._names) else None
            self._stack.callback(tail.settle)
            tail.snapshot(workspace.base, self._composed, leaves=self._leaves, fresh=self._fresh)
            self._context_tokens = workspace.context_tokens
            yield

    def prepare(self, prefill: Prefill | None = None) -> Generator[None, None, None]:
        """Decode what is missing of the tail."""
        base, reuses = self._workspace.base, self._reuses_answers or self._only_warms
        self._start = yield from self._tail.prepare(base, self._composed, reuse_answer=reuses, prefill=prefill)

    def begin(self) -> None:
        """The tail is prepared: from here on, tokens are chosen."""
        if not self._only_warms:
            if not self._reuses_answers:
                self._stack.callback(self._forget_answer)
            self._branches = self._made_branches()
        self._chooser.start_clock()

    def choose(self) -> list[Branch]:
        """Choose the next tokens; the branches that go on."""
        for branch in self._branches:
            self._chooser.choose(branch)
        return [branch for branch in self._branches if branch.finish is None]

    def drop(self) -> None:
        """After a failure, what is in the cache is no longer what is noted of it."""
        self._tail.drop()

    def answer(self) -> wire.GenerateAnswer:
        drafter, composed, pieces = self._drafter, self._composed, self._generator.vocab.pieces
        choices = [branch.choice(pieces, self._request.calibration) for branch in self._branches]
        return wire.GenerateAnswer(
            choices=[replace(one, text=self._opened + one.text) for one in choices],
            context_tokens=self._context_tokens,
            tail_tokens=composed.n_tokens,
            decoded=self._start.decoded,
            reused=self._start.reused,
            left=self._start.stale,
            generated=self._chooser.n_new,
            layout=composed.layout,
            healed=composed.piece.decode("utf-8", "replace"),
            ms=dict(self._ms),
            steps=self._n_steps,
            drafted=drafter.drafted if drafter is not None else 0,
            accepted=drafter.accepted if drafter is not None else 0,
            searched=self._n_searched,
            reviewed=self._n_reviewed,
            candidates=self._candidates,
        )

    def _forget_answer(self) -> None:
        self._tail.answer = None

    @property
    def _only_warms(self) -> bool:
        return self._request.max_tokens == 0

    @property
    def _reuses_answers(self) -> bool:
        """Whether nothing but the prompt bears on the answer."""
        return self._request.n == 1 and self._request.is_greedy

    @property
    def _word_search(self) -> int:
        return self._request.word_search if wants_search(self._generator.facts, self._request) else 0

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self._request.names) if self._word_search else ()

    def _made_branches(self) -> list[Branch]:
        request, tail, start = self._request, self._tail, self._start
        seed = request.sampling.seed if request.sampling.seed is not None else secrets.randbits(32)
        if tail.answer is None:
            tail.answer = CachedAnswer(self._composed, word_search=self._word_search, names=self._names)
        first = self._branch(0, seed)
        first.tail = tail
        # The same lists: a cancelled answer is kept too.
        first.tokens, first.logprobs, first.ends = tail.answer.tokens, tail.answer.logprobs, tail.answer.ends
        first.word = tail.answer.word
        first.n_decoded = tail.answer.n_decoded
        first.start = start.position - first.n_decoded
        branches = [first]
        for i in range(1, request.n):
            branch = self._branch(i, seed + i)
            branch.seq = tail.take()
            self._stack.callback(tail.give, branch.seq)
            self._pool.context.copy(start.seq, branch.seq)
            branches.append(branch)
        if (piece := self._composed.piece) and (row := tail.logits) is not None:
            typed = log_share(row, self._generator.vocab.beginning(piece))
            for branch in branches:
                branch.typed = typed
        return branches

    def _branch(self, index: int, seed: int) -> Branch:
        request, start, composed = self._request, self._start, self._composed
        sampling = request.sampling
        if index:
            sampling = replace(sampling, temperature=max(OTHERS_TEMPERATURE, sampling.temperature))
        grammar = self._generator.grammars.gbnf(request.grammar) if request.grammar else None
        hidden = self._generator.hidden_with_grammar if grammar is not None else self._generator.vocab.hidden
        history = composed.tokens + composed.after
        sampler = Sampler(sampling, seed=seed, hidden=hidden, history=history, grammar=grammar)
        self._stack.callback(sampler.close)
        answer = GeneratedText(request.stop, skip=len(composed.piece))
        return Branch(index, start.seq, start.position, sampler, answer, composed.piece, start.logits)

    def _find_word(self) -> Generator[None, None, None]:
        """Begin the answers with whole words, where that is wanted and nothing is known of them yet."""
        if not self._branches or self._branches[0].tokens or not self._word_search:
            return
        finder = WordFinder(self._generator, self._workspace, self._tail, self._request, self._timed)
        n_chosen = yield from finder.run(self._branches)
        self._chooser.begun(n_chosen)
        self._n_steps += finder.n_steps
        self._n_searched = finder.n_decoded

    def _generate(self) -> Generator[None, None, None]:
        if self._branches and self._drafts:
            self._drafter = self._made_drafter()
        while True:
            with self._timed("sample"):
                going = self.choose()
            if not going:
                if self._drafter is not None:
                    beginning = self._composed.tokens[-LONGEST_MATCH:]
                    self._tail.earlier_answers.append((*beginning, *self._branches[0].tokens))
                return
            yield
            with self._timed("decode"):
                if self._drafter is not None:
                    self._decode_with_draft(going[0], self._drafter)
                else:
                    decode_together(self._pool, self._workspace, going)
                self._n_steps += 1

    def _review(self) -> Generator[None, None, None]:
        """Try other beginnings beside the answer, where that is wanted."""
        request, fim, row = self._request, self._request.fim, self._tail.logits
        if not self._branches or fim is None or row is None or not wants_review(self._generator.facts, request):
            return
        first = self._branches[0]
        if first.finish not in ("end", "stop"):
            return  # nobody knows what would follow a text that is cut
        original = GreedyAnswer(first.answer.text, first.tokens, first.logprobs, row, first.seq, first.start)
        review = Review(
            self._generator, self._workspace, self._chooser, self._composed.piece, request.stop, self._fresh
        )
        self._candidates = yield from review.candidates(self._tail, original, fim, request.review)
        self._n_reviewed = review.n_decoded

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self._ms[what] += 1000 * (time.perf_counter() - began)

    # Drafts

    @property
    def _drafts(self) -> bool:
        """Whether one token follows from the last with no chance in it, and what was wrong can be taken back."""
        request = self._request
        one = request.n == 1 and request.sampling.temperature == 0
        return one and request.draft > 0 and self._generator.facts.rolls_back

    def _made_drafter(self) -> Drafter:
        request, context, composed = self._request, self._pool.context, self._composed
        limit = min(request.draft, context.n_seq_max - 1, context.n_batch - 1)  # rows of logits; tokens of a batch
        pieces = (*self._tail.earlier_answers, composed.alone, composed.after, composed.tokens)
        return Drafter(pieces, limit=limit, room=request.max_tokens)

    def _decode_with_draft(self, branch: Branch, drafter: Drafter) -> None:
        """The chosen tokens and a draft of what follows as one micro-batch, with logits for each; what of the draft is
        chosen in its turn stays, the rest is taken out again."""
        known = branch.tokens[branch.n_decoded :][: self._pool.context.n_batch]
        draft: list[int] = []
        if branch.n_decoded + len(known) == len(branch.tokens):
            n_more = min(self._request.max_tokens - len(branch.tokens), self._pool.context.n_batch - len(known))
            draft = drafter.propose(branch.tokens, min(n_more, self._pool.free_cells - len(known)))
        if not draft:
            decode_together(self._pool, self._workspace, [branch])
            return
        at = branch.start + branch.n_decoded
        runs = [Run(known, at, branch.seq, logits=True)]
        runs += [Run([token], at + len(known) + i, branch.seq, logits=True) for i, token in enumerate(draft)]
        try:
            rows = self._pool.decode(runs, self._workspace)
        except ContextTooLarge:  # nothing happened, and a draft is no reason to fail
            decode_together(self._pool, self._workspace, [branch])
            return
        branch.decoded(known)
        branch.logits = rows[0]
        n_right = 0
        try:
            for token, row in zip(draft, rows[1:], strict=True):
                self._chooser.choose(branch)
                if branch.tokens[-1] != token:
                    break
                n_right += 1
                if branch.finish is not None:
                    break
                branch.decoded([token])
                branch.logits = row
        finally:
            self._pool.context.remove(branch.seq, branch.start + branch.n_decoded)
        drafter.learn(len(draft), n_right)


def _behind(opened: str, on_text: OnText | None) -> OnText | None:
    """Each answer is said behind what the chat template has written of it."""
    if on_text is None or not opened:
        return on_text
    begun = set[int]()

    def tell(choice: int, text: str) -> None:
        on_text(choice, text if choice in begun else opened + text)
        begun.add(choice)

    return tell


def generate(
    generator: TextGenerator, workspace: Workspace, request: wire.GenerateRequest, on_text: OnText | None
) -> Generator[None, None, wire.GenerateAnswer]:
    """The whole of a generate job: sync when asked for or needed, then the answer.

    A decode that fails before any text was said is tried once more on books made true again.
    """
    if request.fim is not None:
        generator.composer.layout_of(request.fim)  # said before anything is decoded
    synced: wire.SyncAnswer | None = None
    has_text = False

    def tell(choice: int, text: str) -> None:
        nonlocal has_text
        has_text = True
        if on_text is not None:
            on_text(choice, text)

    began = time.perf_counter()
    with workspace.active():
        for last in (False, True):
            sync_began = time.perf_counter()
            answer = yield from have_base(workspace, request.sync if synced is None else None)
            synced = synced or (answer if request.sync is not None else None)
            sync_ms = 1000 * (time.perf_counter() - sync_began)
            try:
                made = yield from Generation(generator, workspace, request, tell).run()
                break
            except DecodeError as error:
                generator.pool.recover(error, workspace)
                if last or has_text or error.return_code == NO_SLOT:
                    raise
    ms = {**made.ms, "sync": sync_ms, "total": 1000 * (time.perf_counter() - began)}
    return replace(made, sync=synced, ms=ms)


def have_base(workspace: Workspace, wanted: wire.SyncRequest | None) -> Generator[None, None, wire.SyncAnswer | None]:
    """Sync as wanted, or as it was last where the workspace lost its base since; None where nothing was to be done."""
    if wanted is None and not workspace.ready:
        wanted = workspace.request or wire.SyncRequest(workspace.name, "", "", [])
    return None if wanted is None else (yield from workspace.sync(wanted))
