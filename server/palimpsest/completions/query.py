"""Pure: a completion's query: what it depends on, and how its answer is read.

In: a view of the cursor and the blocks chosen for it.  Out: the key under which the answer is cached, and the texts
worth showing.  Sends nothing.
"""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from palimpsest import wire
from palimpsest.completions.inline import trim
from palimpsest.completions.repairs import untyped
from palimpsest.completions.results import CompletionResult, StepOutcome, together
from palimpsest.completions.sureness import WHATEVER, Bound, Sureness, bound_at
from palimpsest.context.view import CursorView
from palimpsest.languages.embedded import parsed_at
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.prose import prose_at
from palimpsest.syntax.shape import shape_at
from palimpsest.text.levels import with_level
from palimpsest.text.markup import unescape_closing
from palimpsest.text.snapshot import Position
from palimpsest.types import Block

_DEFINING = re.compile(
    r"(?<![\w$.@])(class|const|def|enum|fn|fun|func|function|interface|let|struct|trait|val|var)\s+(?:mut\s+)?[\w$]*\Z"
)
"""Words behind which a name is defined in any language that has them."""


@dataclass(frozen=True)
class CompletionQuery:
    """`setting` is `completion.multiline`, `model` names who is asked, `names` can stand at the cursor."""

    view: CursorView
    blocks: Sequence[Block]
    setting: str
    model: str
    names: tuple[str, ...] = ()

    @cached_property
    def multiline(self) -> bool:
        """Whether a whole block is missing here, as far as the setting leaves that to the code."""
        if self.setting != "auto":
            return self.setting == "always"
        return shape_at(self.view.parsed, self.view.position) == "block"

    @cached_property
    def is_new_name(self) -> bool:
        """Whether a name is being defined at the cursor."""
        parsed, position = parsed_at(self.view.parsed, self.view.position), self.view.position
        before = parsed.snapshot.lines[position.line][: position.column]
        keyword = _DEFINING.search(before)
        is_type = keyword is not None and keyword[1] == "const" and parsed.language.type_first
        defines = parsed.language.defines(before) or (keyword is not None and not is_type)
        return defines and prose_at(parsed, position) is None

    @property
    def is_begun(self) -> bool:
        """Whether a new name has been begun, so that nobody knows where it ends."""
        return self.is_new_name and (self.prefix[-1:].isalnum() or self.prefix.endswith("_"))

    @cached_property
    def prefix(self) -> str:
        return self.view.editing.prefix

    @cached_property
    def place(self) -> Hashable:
        """All that the model sees but what stands before the cursor.  Strings, not their hashes: those of the blocks
        are the same objects from one keystroke to the next, which compare at once."""
        editing = self.view.editing
        blocks = tuple((block.type, block.name, block.editable, block.text) for block in self.blocks)
        return self.model, editing.type, editing.file, editing.name, editing.suffix, blocks

    def result(self, answer: wire.GenerateAnswer, asked: int, level: str | None) -> CompletionResult:
        """The texts of an answer, trimmed, each once.  Not finished: the first one was ended by time.  `level`: what
        they are indented by, where not as the model does it."""
        written = [self._without_typed(choice.text) for choice in answer.choices]
        results = [self._trimmed(one, level) for one in written]
        texts = [text for text, _ in results]
        lines = [*texts[:1], *(self._trimmed(self._without_typed(one.text), level)[0] for one in answer.candidates[1:])]
        candidates = [replace(one, text=line) for one, line in zip(answer.candidates, lines, strict=False) if line]
        ended = [
            text
            for text, choice in zip(texts, answer.choices, strict=True)
            if choice.finish in ("time", "length") and choice.text.rstrip().endswith(text)
        ]
        first = answer.choices[0] if answer.choices else None
        sure = Sureness.of_choice(first.text, first.sure, written[0]) if first is not None and texts[0] else Sureness()
        finish = "end" if first is None else first.finish
        return together(
            [
                CompletionResult(
                    tuple(filter(None, texts)),
                    asked,
                    finish != "time",
                    sure,
                    frozenset(filter(None, ended)),
                    is_unsure=finish == "unsure",
                    candidates=tuple(candidates),
                    outcomes=tuple(
                        StepOutcome("end", one, text, reason)
                        for one, (text, reason) in zip(written, results, strict=True)
                        if reason
                    ),
                )
            ]
        )

    @cached_property
    def _indentation(self) -> str | None:
        """Of a line that has nothing else; None where it has."""
        line = self.prefix[self.prefix.rfind("\n") + 1 :]
        return None if line.strip() else line

    def _without_typed(self, written: str) -> str:
        """Without its indentation or what is typed: a model may write them once more."""
        text = unescape_closing(written, "editing")
        line = self.prefix[self.prefix.rfind("\n") + 1 :]
        return untyped(text.lstrip(" \t") if self._indentation else text, line, self.prefix + self.view.editing.suffix)

    def _trimmed(self, written: str, level: str | None) -> tuple[str, str]:
        """The text as the document's files would have it, and what stands where it was cut."""
        text, reason = trim(
            written,
            prefix=self.prefix,
            suffix=self.view.editing.suffix,
            multiline=self.multiline,
            language=self.view.parsed.language,
        )
        if level is not None:
            text = with_level((self._indentation or "") + text, level, at_start=self._indentation is not None)
            text = text.lstrip(" \t") if self._indentation else text
        return text, reason


@dataclass(frozen=True, slots=True)
class CompletionPlace:
    """Where texts are to stand in a document, and for whom.

    `query`: what they were asked with, which may be about a text that differs from the document's at the cursor.
    `is_indented`: they begin with blanks that the line lacks.  `confidence`: the setting.
    """

    query: CompletionQuery
    document: Parsed
    position: Position
    invoked: bool
    confidence: str
    is_indented: bool = False

    @property
    def bound(self) -> Bound:
        """How sure a text must be."""
        return bound_of(self.confidence, self.query, invoked=self.invoked)


def bound_of(confidence: str, query: CompletionQuery, *, invoked: bool) -> Bound:
    """How sure what is shown must be."""
    return WHATEVER if invoked else bound_at(confidence, is_new_name=query.is_new_name)
