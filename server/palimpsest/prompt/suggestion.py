"""The tail that asks for a suggestion: what follows the footer, and the model continues.

In: the editing block, the person's instruction.  Out: text.  Knows no token, no file and no engine.
"""

from __future__ import annotations

from palimpsest.prompt.blocks import render_numbered, render_plain
from palimpsest.prompt.formats import NUMBERED
from palimpsest.prompt.instructions import instructions as told
from palimpsest.text.markup import escape_closing
from palimpsest.types import Editing


def suggestion_tail(
    editing: Editing,
    instruction: str | None,
    instructions: bool,
    *,
    language: str,
    format: str = "ln-diff",
) -> str:
    """The instructions (with `instructions`), the editing block (with line numbers for a format that names them), and
    the person's instruction on one line; the model continues with `<suggestion`.  `language`: its name
    as a person writes it.

    What is the same in each request comes first, so that its KV is reused.
    """
    asked = " ".join((instruction or "").split())
    ask = f"<instruction>{escape_closing(asked, 'instruction')}</instruction>\n" if asked else ""
    block = render_numbered(editing) if format in NUMBERED else render_plain(editing)
    return (told(language, format) if instructions else "") + block + ask
