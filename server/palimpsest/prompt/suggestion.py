"""The tail that asks for a suggestion: what follows the footer, and the model continues.

In: the editing block, the person's instruction.  Out: text.  Knows no token, no file and no engine.
"""

from __future__ import annotations

from palimpsest.prompt.blocks import render_numbered, render_plain
from palimpsest.prompt.formats import FormatText
from palimpsest.prompt.instructions import instructions as told
from palimpsest.text.markup import escape_closing
from palimpsest.types import CURSOR_MARKER, Editing


def suggestion_tail(
    editing: Editing,
    instruction: str | None,
    instructions: bool,
    *,
    language: str,
    format: FormatText,
) -> str:
    """The instructions (with `instructions`), the editing block (with line numbers for a format that names them), and
    the person's instruction on one line; the model continues with `<suggestion`.  `language`: its name
    as a person writes it.

    What is the same in each request comes first, so that its KV is reused.  A model that reads the instructions sees
    the cursor, except in code that has such a marker itself: which of them is the cursor, nobody could tell.
    """
    asked = " ".join((instruction or "").split())
    ask = f"<instruction>{escape_closing(asked, 'instruction')}</instruction>\n" if asked else ""
    has_cursor = instructions and CURSOR_MARKER not in editing.text
    shown = editing.marked if has_cursor else editing
    block = render_numbered(shown) if format.numbered else render_plain(shown)
    return (told(language, format, has_cursor=has_cursor) if instructions else "") + block + ask
