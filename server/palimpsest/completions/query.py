"""Pure: a completion's query: what it depends on, and how its answer is read.

In: a view of the cursor and the blocks chosen for it.  Out: the key under which the answer is cached, and the texts
worth showing.  Sends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from palimpsest import wire
from palimpsest.candidates import order
from palimpsest.completions.inline import trim
from palimpsest.completions.repairs import untyped
from palimpsest.completions.results import Result
from palimpsest.completions.sureness import Sureness
from palimpsest.context.view import CursorView
from palimpsest.languages.embedded import parsed_at
from palimpsest.syntax.prose import prose_at
from palimpsest.syntax.shape import shape_at
from palimpsest.text.levels import with_level
from palimpsest.text.markup import unescape_closing
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
        found = _DEFINING.search(before)
        is_type = found is not None and found[1] == "const" and parsed.language.type_first
        defines = parsed.language.defines(before) or (found is not None and not is_type)
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

    def result(self, answer: wire.GenerateAnswer, asked: int, level: str | None) -> Result:
        """The texts of an answer, trimmed, each once.  Not finished: the first one was ended by time.  `level`: what
        they are indented by, where not as the model does it."""
        editing, texts = self.view.editing, list[str]()
        line = self.prefix[self.prefix.rfind("\n") + 1 :]
        indentation = line if not line.strip() else ""
        around, sure = self.prefix + editing.suffix, Sureness()
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
            if text and len(texts) == 1 and written is answer.choices[0].text:
                sure = Sureness.of_choice(written, answer.choices[0].sure, said)
        first = answer.choices[0] if answer.choices else None
        finish = "end" if first is None else first.finish
        is_ended = finish in ("time", "length") and not answer.candidates
        is_cut = is_ended and bool(texts) and offered[0].rstrip().endswith(texts[0])
        shown = tuple(texts[: max(asked, 1)])
        return Result(shown, asked, finish != "time", sure, is_cut, is_unsure=finish == "unsure")
