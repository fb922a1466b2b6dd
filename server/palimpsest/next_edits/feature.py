"""Next edits, declared: what an editor is offered of them."""

from __future__ import annotations

from palimpsest.features import Feature

_IN = "palimpsest.next_edits.lsp"

FEATURE = Feature(
    "next_edits",
    commands={f"{_IN}.next_edit": ("palimpsest.nextEdit.accept", "palimpsest.nextEdit.dismiss")},
    modules=(f"{_IN}.next_edit",),
)
