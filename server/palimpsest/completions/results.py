"""Pure: a cache of completions, by place and prefix.

In: a place (what a completion depends on besides the text before the cursor), the text before the cursor.  Out: the
answer given there, or the rest of an earlier answer whose beginning has been typed since.  Does not know about editors
or engines.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from palimpsest.candidates import order
from palimpsest.completions.inline import agrees
from palimpsest.completions.sureness import Sureness
from palimpsest.syntax.values import Import
from palimpsest.text.snapshot import Position
from palimpsest.wire import Candidate


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a step (`steps.py`) made of a text: `left` is "" where nothing of it is shown."""

    step: str
    text: str
    left: str
    reason: str


@dataclass(frozen=True, slots=True)
class CompletionResult:
    """`texts` to insert at the cursor, best first, empty if nothing was worth showing.  `asked`: the number requested.
    `finished`: more time would not have made the first text longer.  `sure`: how probable the first text is.
    `cut`: those that time or the number of tokens has ended, maybe within a word; `is_unsure`: the first goes on, but
    not surely enough.  `reviewed`: the code behind the cursor chose the first, as far as there is any; `candidates` are
    the texts that it chose among, the likeliest first.  `has_engine`: one was asked.  `outcomes`: what steps have cut
    and dropped so far.  `imports`: what a text names and the document does not import yet.  `start`: where the
    texts begin, if that is not the cursor."""

    texts: tuple[str, ...]
    asked: int = 1
    finished: bool = True
    sure: Sureness = field(default=Sureness())
    cut: frozenset[str] = frozenset()
    is_unsure: bool = False
    reviewed: bool = False
    candidates: tuple[Candidate, ...] = ()
    has_engine: bool = True
    outcomes: tuple[StepOutcome, ...] = ()
    imports: Mapping[str, tuple[Import, ...]] = field(default_factory=dict)
    start: Position | None = None

    def behind(self, text: str) -> CompletionResult:
        """With a text in front of each."""
        if not text:
            return self
        candidates = tuple(replace(one, text=text + one.text) for one in self.candidates)
        texts, cut = tuple(text + each for each in self.texts), frozenset(text + each for each in self.cut)
        return replace(self, texts=texts, cut=cut, candidates=candidates)

    def after(self, step: str, texts: Sequence[str], reasons: Mapping[str, tuple[str, str]]) -> CompletionResult:
        """The result with the texts that a step leaves.  `reasons`: for a text that it changed, what is left of it, and
        why."""
        outcomes = (StepOutcome(step, text, left, reason) for text, (left, reason) in reasons.items())
        return replace(self, texts=tuple(texts), outcomes=(*self.outcomes, *outcomes))


def together(results: Sequence[CompletionResult]) -> CompletionResult:
    """The texts of answers for one place: first those that the code behind was read after, as far as it was so for the
    first answer."""
    first, candidates = results[0], [one for result in results for one in result.candidates if results[0].candidates]
    chosen = [candidates[i].text for i in order(candidates)]
    texts = tuple(dict.fromkeys([*chosen, *(text for result in results for text in result.texts)]))
    same = texts[:1] == first.texts[:1]
    return replace(
        first,
        texts=texts,
        cut=frozenset[str]().union(*(result.cut for result in results)),
        sure=first.sure if same else Sureness(),
        candidates=tuple(candidates),
        outcomes=tuple(outcome for result in results for outcome in result.outcomes),
    )


class Results:
    """A limited number of results; the least recently used is dropped first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._results: OrderedDict[tuple[Hashable, str], CompletionResult] = OrderedDict()
        self._prefixes: dict[Hashable, dict[str, None]] = {}  # by place, newest last

    def __len__(self) -> int:
        return len(self._results)

    def put(self, place: Hashable, prefix: str, result: CompletionResult) -> None:
        if not self._limit:
            return
        self._results[place, prefix] = result
        self._results.move_to_end((place, prefix))
        prefixes = self._prefixes.setdefault(place, {})
        prefixes.pop(prefix, None)
        prefixes[prefix] = None
        while len(self._results) > self._limit:
            (old_place, old_prefix), _ = self._results.popitem(last=False)
            del self._prefixes[old_place][old_prefix]
            if not self._prefixes[old_place]:
                del self._prefixes[old_place]

    def find(self, place: Hashable, prefix: str, n: int = 1) -> CompletionResult | None:
        """The answer given at exactly this prefix, or at an earlier one if it agrees with what was typed since.  None
        if there is neither, if fewer than `n` were requested, or if there was no time to generate anything."""
        known = self._results.get((place, prefix))
        if known is not None and known.asked >= n and (known.texts or known.finished):
            self._results.move_to_end((place, prefix))
            return known
        for earlier in reversed(self._prefixes.get(place, {})):
            n_typed = len(prefix) - len(earlier)
            if n_typed <= 0:
                continue
            result = self._results[place, earlier]
            if result.asked < n or not any(len(text) > n_typed for text in result.texts):
                continue
            if not prefix.startswith(earlier):
                continue
            typed = prefix[-n_typed:]
            if rests := tuple(rest for text in result.texts if (rest := agrees(text, typed))):
                self._results.move_to_end((place, earlier))
                is_first = agrees(result.texts[0], typed) is not None
                return replace(result, texts=rests, sure=result.sure.behind(typed) if is_first else Sureness())
        return None

    def forget(self) -> None:
        self._results.clear()
        self._prefixes.clear()
