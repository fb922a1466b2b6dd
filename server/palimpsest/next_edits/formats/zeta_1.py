"""Pure: the format of Zeta 1, Zed's first model for next edits (Qwen2.5-Coder 7B), as an instruction in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palimpsest.next_edits.formats.format import (
    EMPTY,
    Answer,
    Asked,
    Change,
    Format,
    Piece,
    Prompt,
    Rows,
    marked,
    unmarked,
)
from palimpsest.next_edits.formats.regions import region

CURSOR = "<|user_cursor_is_here|>"
BEGINNING = "<|start_of_file|>"
START, END = "<|editable_region_start|>", "<|editable_region_end|>"
MOST_CHANGES = 6
_INSTRUCTION = (
    "### Instruction:\n"
    "You are a code completion assistant and your task is to analyze user edits and then rewrite an excerpt that the "
    "user provides, suggesting the appropriate edits within the excerpt, taking into account the cursor location.\n\n"
    "### User Edits:\n\n"
)


class Zeta1(Format):
    name = "zeta-1"
    stops = (END,)
    tokens = ()
    marks = (CURSOR, BEGINNING, START, END)

    def window(self, lines: Sequence[str], line: int, syntax: Iterable[Rows]) -> tuple[range, range]:
        return region(lines, line, syntax)

    def _prompt(self, asked: Asked) -> Prompt:
        changes = [_piece(change) for change in asked.changes[-MOST_CHANGES:]]
        beginning = f"{BEGINNING}\n" if asked.around.start == 0 else ""
        window = marked(asked.text, CURSOR, asked.offset)
        excerpt = f"```{asked.path}\n{beginning}{asked.before}{START}\n{window}\n{END}{asked.after}\n```"
        head = "" if changes else "\n\n"
        tail = f"{head}### User Excerpt:\n\n{excerpt}\n\n### Response:\n"
        return Prompt((Piece("text", _INSTRUCTION), *changes, Piece("text", tail)))

    def _read(self, asked: Asked, prompt: Prompt, written: str) -> Answer:
        start = written.find(START)
        if start >= 0:
            written = written[start + len(START) :].removeprefix("\n")
        return Answer(*unmarked(written.removesuffix("\n"), CURSOR)) if written.strip() else EMPTY


def _piece(change: Change) -> Piece:
    written = f"User edited {change.path}:\n```diff\n{change.diff}\n```\n\n"
    return Piece("text" if change.is_open else "change", written)
