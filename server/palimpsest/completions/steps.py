"""What of a model's answer is shown: one list of steps, for a keystroke, on a pause and for who asks.

In: an answer's texts, the place that they are for.  Out: the texts worth showing there, with what each step has cut or
dropped and why (`palimpsest.completion.why` prints that).  Keeps nothing.

`STEPS` is the order.  The first step is done when an answer is read (`query.py`), before it is cached: what is left may
be shown later, behind its own beginning.  The others are done each time that an answer is to be shown.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from palimpsest.completions.fitting import placed
from palimpsest.completions.names import Names
from palimpsest.completions.query import CompletionPlace, CompletionQuery
from palimpsest.completions.quiet import Quiet
from palimpsest.completions.results import CompletionResult
from palimpsest.completions.sureness import Bound
from palimpsest.syntax.parser import Parser
from palimpsest.text.alike import n_alike


@dataclass(frozen=True, slots=True)
class CompletionStep:
    """`run` is None of the step that is done when an answer is read.  `for_asked`: it holds for who asks, too."""

    name: str
    about: str
    run: "Callable[[Steps, CompletionResult, CompletionPlace], Awaitable[CompletionResult]] | None"
    for_asked: bool = True


class Steps:
    """Takes the texts of an answer through the list."""

    def __init__(self, parser: Parser, quiet: Quiet, names: Names) -> None:
        self._parser, self._quiet, self._names = parser, quiet, names

    async def taken(self, result: CompletionResult, place: CompletionPlace) -> CompletionResult:
        """The result with the texts that are shown at a place."""
        for step in STEPS:
            if step.run is not None and (step.for_asked or not place.invoked):
                result = await step.run(self, result, place)
        return replace(result, texts=result.texts[: max(1, result.asked)])

    async def confident(self, result: CompletionResult, place: CompletionPlace) -> CompletionResult:
        return cut_unsure(result, place.query, place.bound)

    async def fitted(self, result: CompletionResult, place: CompletionPlace) -> CompletionResult:
        written = "".join(result.texts[:1])
        result = placed(self._parser, place.document, place.position, result, is_indented=place.is_indented)
        return result if place.invoked else _unclosed(result, written)

    async def wanted(self, result: CompletionResult, place: CompletionPlace) -> CompletionResult:
        return self._quiet.worth(result, place)

    async def named(self, result: CompletionResult, place: CompletionPlace) -> CompletionResult:
        return await self._names.worth(result, place)

    async def only_name(self, result: CompletionResult, place: CompletionPlace) -> CompletionResult:
        return await self._names.with_only(result, place)


STEPS = (
    CompletionStep("end", "cuts where the statement, the line or the block ends, and what stands there already", None),
    CompletionStep("confidence", "cuts where the model is not sure enough", Steps.confident, for_asked=False),
    CompletionStep("fitting", "mends or drops what would leave a syntax error with the code around", Steps.fitted),
    CompletionStep("quiet", "drops what says nothing or was just deleted", Steps.wanted, for_asked=False),
    CompletionStep("names", "cuts before names that do not exist; for who asks, puts such texts last", Steps.named),
    CompletionStep("only name", "puts the only name first that can go on from what is typed", Steps.only_name),
)


def cut_unsure(result: CompletionResult, query: CompletionQuery, bound: Bound) -> CompletionResult:
    """The first text, as far as it is sure enough to be shown to who types."""
    if not result.texts:
        return result
    first, reason = result.texts[0], "the model is not sure enough of what follows (`completion.confidence`)"
    text = result.sure.cut(first, bound).rstrip()
    if query.is_begun and not text[:1].isalnum():
        text, reason = "", "nobody knows whether the name that is being defined is finished"
    if text == first:
        return result
    return replace(result, cut=frozenset()).after("confidence", (text,) if text else (), {first: (text, reason)})


def _unclosed(result: CompletionResult, written: str) -> CompletionResult:
    """Without what was added to close it: nobody knows that nothing else comes before.  Where nothing is known of any
    of it, it stays."""
    if not result.sure.ends:
        return result
    texts = {text: text[: n_alike(text, written)].rstrip() for text in result.texts}
    reasons = {
        text: (kept_text, "what closes it may not be all") for text, kept_text in texts.items() if kept_text != text
    }
    return result.after("fitting", tuple(filter(None, texts.values())), reasons)
