"""The kinds of our code actions, and what `initialize` answers of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types as lsp

REWRITE = "refactor.rewrite.palimpsest"
QUICKFIX = "quickfix.palimpsest"
SOURCE = "source.palimpsest"
HELP = "palimpsest.help"
ABOUT = {
    REWRITE: "What Palimpsest's edits do",
    QUICKFIX: "What Palimpsest's fixes do",
    SOURCE: "What Palimpsest's edits of a file do",
}
"""Titles of what is told of each kind (`action_help.py`)."""


def code_actions(*, documented: bool) -> dict[str, Any]:
    """The options of `textDocument/codeAction`.  `documented`: the client has a place for what each kind does (LSP
    3.18)."""
    told = [
        lsp.CodeActionKindDocumentation(kind, lsp.Command(title, HELP, arguments=[{"kind": kind}]))
        for kind, title in ABOUT.items()
    ]
    options = {"code_action_kinds": [*ABOUT], "resolve_provider": True}
    return options | ({"documentation": told} if documented else {})


def is_asked(only: Sequence[lsp.CodeActionKind | str] | None, kind: str) -> bool:
    """Whether actions of a kind are wanted where `only` these are.  LSP: a kind stands for its sub-kinds, too."""
    if not only:
        return True
    names = [str(k.value if isinstance(k, lsp.CodeActionKind) else k) for k in only]
    return any(name == "" or kind == name or kind.startswith(name + ".") for name in names)
