"""What became of a model's answer at a cursor, step by step, as `palimpsest.completion.why` says it.

In: a result that has been through the steps.  Out: plain data, and the same as a text to read.  Asks nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from palimpsest.completions.results import CompletionResult
from palimpsest.completions.steps import STEPS

LONGEST = 160
"""Characters of a text that are printed in one line."""


@dataclass(frozen=True, slots=True)
class CompletionReport:
    """`invoked`: as for who asks, else as for who types.  `why_nothing`: why no model is asked here."""

    invoked: bool
    result: CompletionResult = CompletionResult(())
    why_nothing: str = ""

    @property
    def summary(self) -> str:
        """One sentence."""
        who = "who asks" if self.invoked else "who types"
        if self.why_nothing:
            return f"Nothing is shown to {who}: {self.why_nothing}."
        texts = self.result.texts
        if texts:
            others = f", and {len(texts) - 1} more" if len(texts) > 1 else ""
            return f"This is shown to {who}: {_quoted(texts[0])}{others}."
        if not self.result.outcomes:
            return f"Nothing is shown to {who}: the model wrote nothing."
        return f"Nothing is shown to {who}: see what each step has dropped."

    @property
    def data(self) -> dict[str, Any]:
        steps = [
            {
                "name": step.name,
                "about": step.about,
                "on": step.for_asked or not self.invoked,
                "outcomes": [
                    {"text": it.text, "left": it.left, "reason": it.reason}
                    for it in self.result.outcomes
                    if it.step == step.name
                ],
            }
            for step in STEPS
        ]
        texts = list(self.result.texts)
        sure = self.result.sure.of(texts[0]) if texts else None
        return {"summary": self.summary, "text": self.text, "texts": texts, "confidence": sure, "steps": steps}

    @property
    def text(self) -> str:
        """For a person: a line for each step, and below it what it has cut or dropped."""
        return "\n".join([self.summary, *([] if self.why_nothing else self._lines())]) + "\n"

    def _lines(self) -> Iterator[str]:
        for number, step in enumerate(STEPS, 1):
            is_on = step.for_asked or not self.invoked
            yield f"{number}. {step.name}: {step.about}{'' if is_on else ' (not for who asks)'}"
            for it in self.result.outcomes:
                if it.step == step.name:
                    became = "moved behind" if it.left == it.text else _quoted(it.left) if it.left else "dropped"
                    yield f"   {_quoted(it.text)} → {became}: {it.reason}"


def _quoted(text: str) -> str:
    line = text.replace("\n", "⏎")
    return f"`{line if len(line) <= LONGEST else line[:LONGEST] + '…'}`"
