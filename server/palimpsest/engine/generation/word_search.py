"""A search for the word being typed, carried out in the cache: each path in a sequence of its own, the best one kept.

In: a prepared tail, its request, the branches of its answer.  Out: the branches begun with whole words.  Yields before
each micro-batch.  `words.py` says what a word is worth, `known.py` which words the prompt knows.

    gen      prompt
    scratch  prompt │ a path      a sequence for each open path, a copy of its parent's and one token more
    gen      prompt │ the word    in the end: the best path's cells, by bookkeeping

Where sequences or cells run short, the search ends with what it has found; where it has found nothing, the answer is
chosen token by token.  Where no word can be sure enough to be said, it ends, too, and nothing is said.  Time does not
end it: another word would be found on a busy machine.  Memories that cannot give up a part of a sequence are not
searched: there each path would be a copy of the whole state, and the chosen one could not be handed over.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack
from functools import partial

from palimpsest import wire
from palimpsest.engine.cache.cached_answer import FoundWord
from palimpsest.engine.cache.tail import Tail
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.generation.branch import Branch
from palimpsest.engine.generation.known import MOST, typed_word
from palimpsest.engine.generation.text_generator import TextGenerator
from palimpsest.engine.generation.words import Path, Word, WordCandidate, WordSearch
from palimpsest.engine.llama.native import Logits, Run
from palimpsest.engine.model.facts import ModelFacts
from palimpsest.errors import ContextTooLarge

MOST_NAMES = 64
"""At most this many names whose first letter is not typed are weighed before those that the model finds likeliest are
chosen."""
SPARE_SEQUENCES = 8
"""Left to other jobs."""


def wants_search(facts: ModelFacts, request: wire.GenerateRequest) -> bool:
    """Whether the request asks for a search, and nothing but probability bears on its choices.  An answer of one token
    is hardly for the sake of a word."""
    asked = request.word_search > 0 and request.fim is not None and request.max_tokens > 1
    return asked and request.is_greedy and facts.rolls_back


class WordFinder:
    """One answer's search.  `n_steps` micro-batches decoded `n_decoded` tokens for it.  `timed` says where time goes:
    "decode" or "sample"."""

    def __init__(
        self,
        generator: TextGenerator,
        workspace: Workspace,
        tail: Tail,
        request: wire.GenerateRequest,
        timed: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self._generator = generator
        self._pool = generator.pool
        self._workspace = workspace
        self._tail = tail
        self._request = request
        self._timed = timed
        self._seqs: dict[Path, int] = {}
        self.n_steps = self.n_decoded = 0

    def run(self, branches: list[Branch]) -> Generator[None, None, int]:
        """Begin each branch with a word of its own, the first with the best; how many tokens were chosen so.

        A branch without a word is left as it is.  When it is closed or fails, no sequence stays.
        """
        first = branches[0]
        with self._timed("sample"):
            search = self._search(first)
        if search is None:
            return 0
        with ExitStack() as stack:
            stack.callback(self._end)
            while search.wanted and self._fits(len(search.wanted)):
                if search.is_hopeless(partial(self._can_be_said, len(first.piece))):
                    first.finish = "unsure"
                    return 0
                yield
                with self._timed("decode"):
                    rows = self._step(search, first)
                if rows is None:
                    break
                with self._timed("sample"):
                    search.take(rows)
            return self._begin(branches, search)

    def _can_be_said(self, n_typed: int, share: float, n_chars: int) -> bool:
        """Whether an answer may begin with a word that is so probable: as `TokenChooser` decides it."""
        request, probability = self._request, self._request.calibration.of(min(1.0, share))
        is_risky = bool(request.risk) and n_chars * (1 - probability) > request.risk + n_typed
        return probability >= request.least and not is_risky

    def _search(self, first: Branch) -> WordSearch | None:
        """None where no word is being typed, or there is no room to search in."""
        pool, request = self._pool, self._request
        typed = typed_word(first.piece.decode("utf-8", "replace"), request.names)
        if typed is None or first.logits is None:
            return None
        n_free = pool.spare(request.word_search + 1 + MOST + SPARE_SEQUENCES)
        room = min(n_free - SPARE_SEQUENCES, pool.context.n_batch, pool.context.n_seq_max)
        if room < request.word_search + 1:
            return None
        most = min(MOST, room - request.word_search - 1) if typed[1] else MOST_NAMES
        candidates = self._candidates(*typed, first.piece, most, first.logits)
        width, n = request.word_search, request.n
        return WordSearch(self._generator.lexicon, first.piece, first.logits, candidates, width=width, n=n)

    def _candidates(self, joined: str, stem: str, piece: bytes, most: int, logits: Logits) -> list[WordCandidate]:
        generator, fim = self._generator, self._request.fim
        assert fim is not None
        before = fim.prefix[: len(fim.prefix) - len(piece.decode("utf-8", "replace"))]
        candidates = []
        blocks, names = self._workspace.attended, self._request.names
        for known in generator.known_words.beginning(stem, before, fim.suffix, blocks, names, most):
            tokens = tuple(generator.model.tokenize(joined + known.word))
            text = (joined + known.word).encode()
            if generator.vocab.text(tokens) == text:
                candidates.append(WordCandidate(text, tokens, known.boost))
        if not stem:  # each costs time, and there is no letter yet that leaves some of them out
            candidates.sort(key=lambda candidate: -candidate.boost - float(logits[candidate.tokens[0]]))
        return candidates if stem else candidates[: self._request.word_search]

    def _fits(self, n_paths: int) -> bool:
        """Whether there is room without anything being given up for it but tails of other places."""
        return self._pool.free_cells >= 2 * n_paths and self._pool.spare(n_paths + 1) > n_paths

    def _step(self, search: WordSearch, first: Branch) -> list[Logits] | None:
        """Decode the paths that are wanted; None when there is no room for them after all."""
        paths = search.wanted
        self._place(search, first.seq)
        runs = [
            Run(path.tokens[-1:], first.start + len(path.tokens) - 1, self._seqs[path], logits=True) for path in paths
        ]
        try:
            rows = self._pool.decode(runs, self._workspace)
        except ContextTooLarge:
            return None
        self.n_steps += 1
        self.n_decoded += len(runs)
        self._pool.stats["searched"] += len(runs)
        return [row for row in rows if row is not None]

    def _place(self, search: WordSearch, seq: int) -> None:
        """A sequence for each path that is wanted, those that nobody goes on from given back first.  The last child
        takes its parent's over, unless that is the best word so far."""
        best = search.best.path if search.best is not None else None
        waiting = {path.parent for path in search.waiting}
        heirs = {path.parent: path for path in search.wanted if path.parent not in (best, search.root, *waiting)}
        parents = {path.parent for path in search.wanted} | waiting
        for path in [path for path in self._seqs if path is not best and path not in parents]:
            self._tail.give(self._seqs.pop(path))
        for path in search.wanted:
            assert path.parent is not None
            source = seq if path.parent is search.root else self._seqs[path.parent]
            if heirs.get(path.parent) is path:
                self._seqs[path] = self._seqs.pop(path.parent)
            else:
                self._seqs[path] = self._tail.take()
                self._pool.context.copy(source, self._seqs[path])

    def _begin(self, branches: list[Branch], search: WordSearch) -> int:
        first, *others = branches
        words = search.words
        if not words:
            return 0
        best = words[0]
        if best.path is not search.root:
            start = first.start
            self._pool.context.copy(self._seqs[best.path], first.seq, start, start + len(best.path.tokens))
        first.n_decoded = len(best.path.tokens)
        values = {word.text: word.probability for word in words}
        first.word = FoundWord(best.text, len(best.tokens), values, search.unseen)
        if self._tail.answer is not None:
            self._tail.answer.word = first.word
        _begin_with(first, best, best.path.row)
        self._tail.note(best.path.tokens)
        for branch, word in zip(others, words[1:], strict=False):
            _begin_with(branch, word, None)
        return sum(len(branch.tokens) for branch in branches)

    def _end(self) -> None:
        while self._seqs:
            self._tail.give(self._seqs.popitem()[1])


def _begin_with(branch: Branch, word: Word, row: Logits | None) -> None:
    branch.tokens += word.tokens
    branch.logprobs += word.logprobs
    branch.ends += [0.0] * len(word.tokens)
    branch.logits = None if word.last else row
    branch.n_word = 0 if word.last else len(word.tokens)
