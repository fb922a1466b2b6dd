"""The tail that asks for a suggestion: what stands behind the footer, and the model continues.

In: the editing block and what the person asked for.  Out: text.  This room knows no token, no file and no engine.
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
    """Instructions where wanted, the editing block (with line numbers where the edit format names them), and the
    person's instruction on one line, where there is one; the model goes on with `<suggestion`.  `language` is its name
    as a person writes it.

    What stays the same from one request to the next comes first, so that its KV is reused.
    """
    asked = " ".join((instruction or "").split())
    ask = f"<instruction>{escape_closing(asked, 'instruction')}</instruction>\n" if asked else ""
    block = render_numbered(editing) if format in NUMBERED else render_plain(editing)
    return (told(language, format) if instructions else "") + block + ask
