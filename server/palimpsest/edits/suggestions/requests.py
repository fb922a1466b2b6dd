"""Requests for edits, and for how likely edits are, in the terms of `wire`.

In: a view, chosen blocks, settings.  Out: requests.  Pure; sends nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from palimpsest import wire
from palimpsest.context.view import CursorView
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.line_fixes import LineFix
from palimpsest.edits.shown import EDITING, ShownBlock
from palimpsest.prompt.blocks import number_line, render_numbered
from palimpsest.prompt.instructions import suggestion_tail
from palimpsest.text.markup import escape_closing
from palimpsest.text.positions import well_formed
from palimpsest.types import Block
from palimpsest.window.requests import Requests

AGAIN = 0.7
"""The least temperature when the same request is repeated: greedy decoding would repeat the answer, too."""
LINES_BEHIND = 3
"""Lines behind a changed one that bear on how likely it is."""


def suggestion(
    requests: Requests,
    view: CursorView,
    blocks: Iterable[Block],
    blocks_shown: Iterable[ShownBlock],
    *,
    instruction: str,
    instructions: bool,
    n: int,
    format: str = "",
    round: int = 0,
) -> wire.GenerateRequest:
    """Edits of what is shown, under a grammar that admits nothing else.  A model that is told the format
    (`instructions`) may edit other blocks, too; a small one keeps to the editing block.  `format` names another
    edit format than the setting's; `round` counts how often the same was asked before: other replies are wanted."""
    options = requests.settings.suggestion
    written = FORMATS[format or options.format]
    tail = suggestion_tail(
        view.editing, instruction or None, instructions, language=view.parsed.language.name, format=written.text
    )
    nameable = [block for block in blocks_shown if instructions or block.name == EDITING]
    return wire.GenerateRequest(
        workspace=requests.workspace,
        **text_tail(tail, chat=instructions),
        slot="suggestion",
        sync=requests.sync(blocks, "suggestion"),
        max_tokens=options.max_tokens,
        time_ms=options.time_ms,
        grammar=written.grammar(nameable),
        n=n,
        sampling=wire.Sampling(temperature=max(options.temperature, AGAIN * (round > 0)), seed=round),
        draft=options.draft,
    )


def scores(
    requests: Requests, view: CursorView, blocks: Iterable[Block], fixes: Sequence[LineFix]
) -> wire.ScoreRequest:
    """How likely the editing block is with each of some fixes."""
    head, *lines, end = render_numbered(view.editing).split("\n", len(view.editing.lines) + 1)
    shown_lines = view.editing.lines
    variants = list[wire.Variant]()
    for fix in fixes:
        last = min(fix.index + 1 + LINES_BEHIND, len(shown_lines))
        behind = shown_lines[fix.index + 1 : last]
        number, less = shown_lines[fix.index].number, 1 - len(fix.instead)
        texts = [(number, text) for text in fix.instead]
        texts += [(None if line.number is None else line.number - less, line.text) for line in behind]
        instead = [escape_closing(number_line(*each), "editing") + "\n" for each in texts]
        is_whole = last == len(shown_lines)
        variants.append(wire.Variant(fix.index + 1, last + 1 + is_whole, instead + [end] * is_whole))
    return wire.ScoreRequest(
        workspace=requests.workspace,
        lines=[well_formed(f"{line}\n") for line in (head, *lines)] + [well_formed(end)],
        variants=[replace(variant, lines=[*map(well_formed, variant.lines)]) for variant in variants],
        slot="suggestion",
        sync=requests.sync(blocks, "suggestion"),
    )


def text_tail(text: str, *, chat: bool) -> dict[str, Any]:
    """The tail for a text: a user's message with `chat`, else text to go on from."""
    text = well_formed(text)
    return {"chat": wire.ChatTail([wire.Message("user", text)])} if chat else {"text": wire.TextTail(text)}
