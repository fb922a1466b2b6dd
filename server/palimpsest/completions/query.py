"""Pure: a completion's query: what it depends on, and how its answer is read.

In: a view of the cursor and the blocks chosen for it.  Out: the key under which the answer is cached, and the texts
worth showing.  Sends nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from palimpsest import wire
from palimpsest.candidates import order, share
from palimpsest.completions.inline import trim
from palimpsest.completions.repairs import untyped
from palimpsest.completions.results import Result
from palimpsest.context.view import CursorView
from palimpsest.syntax.shape import shape_at
from palimpsest.text.levels import with_level
from palimpsest.text.markup import unescape_closing
from palimpsest.types import Block


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
    def prefix(self) -> str:
        return self.view.editing.prefix

    @cached_property
    def place(self) -> Hashable:
        """All that the model sees but what stands before the cursor.  Strings, not their hashes: those of the blocks
        are the same objects from one keystroke to the next, which compare at once."""
        editing = self.view.editing
        blocks = tuple((block.type, block.name, block.editable, block.text) for block in self.blocks)
        return self.model, editing.type, editing.file, editing.name, editing.suffix, blocks

    def result(self, answer: wire.GenerateAnswer, asked: int, level: str | None) -> Result:
        """The texts of an answer, trimmed, each once.  Not finished: the first one was ended by time.  `level`: what
        they are indented by, where not as the model does it."""
        editing, texts = self.view.editing, list[str]()
        line = self.prefix[self.prefix.rfind("\n") + 1 :]
        indentation = line if not line.strip() else ""
        around = self.prefix + editing.suffix
        offered = [choice.text for choice in answer.choices]
        chosen = order(answer.candidates)
        if chosen:
            offered = [*(answer.candidates[i].text if i else offered[0] for i in chosen), *offered[1:]]
        for written in offered:
            said = unescape_closing(written, "editing")
            # A model may write its indentation once more, or what is typed.
            said = untyped(said.lstrip(" \t") if indentation else said, line, around)
            text = trim(
                said,
                prefix=self.prefix,
                suffix=editing.suffix,
                multiline=self.multiline,
                language=self.view.parsed.language,
            )
            if level is not None:
                text = with_level(indentation + text, level, at_start=not line.strip())
                text = text.lstrip(" \t") if indentation else text
            if text and text not in texts:
                texts.append(text)
        first = answer.choices[0] if answer.choices else None
        in_time = first is None or first.finish != "time"
        is_ended = first is not None and first.finish in ("time", "length") and not answer.candidates
        is_cut = is_ended and bool(texts) and offered[0].rstrip().endswith(texts[0])
        another = chosen[:1] not in ([], [0])
        shown, sure = tuple(texts[: max(asked, 1)]), share(answer.candidates)
        return Result(shown, asked, in_time, answer.confidence, sure, is_cut, chosen=another)
