"""The kinds of our code actions: what a client with a place for it is told of each, and which it asks for."""

from collections.abc import Sequence

from lsprotocol import types as lsp

from palimpsest.edits.feature import HELP, QUICKFIX, REWRITE, SOURCE

ABOUT = {
    REWRITE: "What Palimpsest's edits do",
    QUICKFIX: "What Palimpsest's fixes do",
    SOURCE: "What Palimpsest's edits of a file do",
}
"""Titles of what is told of each kind (`edits/lsp/action_help.py`)."""


def documented_actions() -> lsp.CodeActionOptions:
    """For a client that has a place for what each kind does (LSP 3.18)."""
    told = [
        lsp.CodeActionKindDocumentation(kind, lsp.Command(title, HELP, arguments=[{"kind": kind}]))
        for kind, title in ABOUT.items()
    ]
    return lsp.CodeActionOptions([*ABOUT], told, resolve_provider=True)


def is_asked(only: Sequence[lsp.CodeActionKind | str] | None, kind: str) -> bool:
    """Whether actions of a kind are wanted where `only` these are.  LSP: a kind stands for its sub-kinds, too."""
    if not only:
        return True
    names = [str(k.value if isinstance(k, lsp.CodeActionKind) else k) for k in only]
    return any(name == "" or kind == name or kind.startswith(name + ".") for name in names)
