"""What the answer to `initialize` says there is: methods with their options, and the commands' names.

Knows nothing of what carries them out, which is imported behind that answer (`features.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
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


def code_actions(*, documented: bool) -> lsp.CodeActionOptions:
    """`documented`: the client has a place for what each kind does (LSP 3.18)."""
    told = [
        lsp.CodeActionKindDocumentation(kind, lsp.Command(title, HELP, arguments=[{"kind": kind}]))
        for kind, title in ABOUT.items()
    ]
    return lsp.CodeActionOptions([*ABOUT], told if documented else None, resolve_provider=True)


# Options in full where LSP has some: pygls leaves a capability out where they are none.
METHODS: Mapping[str, Any] = {
    lsp.TEXT_DOCUMENT_DID_SAVE: None,
    lsp.TEXT_DOCUMENT_INLINE_COMPLETION: lsp.InlineCompletionOptions(),
    lsp.TEXT_DOCUMENT_CODE_ACTION: code_actions(documented=False),
    lsp.TEXT_DOCUMENT_DOCUMENT_LINK: lsp.DocumentLinkOptions(resolve_provider=False),
    lsp.TEXT_DOCUMENT_DEFINITION: None,
    lsp.TEXT_DOCUMENT_HOVER: None,
    lsp.TEXT_DOCUMENT_COMPLETION: lsp.CompletionOptions(trigger_characters=["[", "#"], resolve_provider=False),
    lsp.TEXT_DOCUMENT_CODE_LENS: lsp.CodeLensOptions(resolve_provider=False),
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: None,
}
NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[lsp.NotebookDocumentFilterWithNotebook(notebook="*")], save=False
)
"""Every cell of every notebook, so that cells are counted as a person counts them."""
COMMANDS = (
    "palimpsest.context.show",
    "palimpsest.context.usage",
    "palimpsest.context.why",
    "palimpsest.context.put",
    "palimpsest.context.drop",
    "palimpsest.context.pin",
    "palimpsest.context.unpin",
    "palimpsest.cache.map",
    "palimpsest.cache.reset",
    "palimpsest.toggle",
    "palimpsest.completion.toggle",
    "palimpsest.completion.snooze",
    "palimpsest.completion.accepted",
    "palimpsest.stats",
    "palimpsest.stats.reset",
    "palimpsest.suggest",
    "palimpsest.suggest.apply",
    "palimpsest.suggest.accept",
    "palimpsest.suggest.applied",
    "palimpsest.suggest.reject",
    "palimpsest.suggest.rerun",
    "palimpsest.suggest.continue",
    "palimpsest.summarize",
    "palimpsest.nextEdit.accept",
    "palimpsest.nextEdit.dismiss",
    "palimpsest.ask",
    "palimpsest.conversation.append",
    "palimpsest.conversation.compact",
    "palimpsest.conversation.new",
    "palimpsest.conversation.list",
    "palimpsest.conversation.open",
    "palimpsest.conversation.fork",
    "palimpsest.conversation.rename",
    "palimpsest.conversation.delete",
    "palimpsest.conversation.contents",
    "palimpsest.fd.create",
    "palimpsest.fd.read",
    "palimpsest.fd.search",
    "palimpsest.fd.list",
    "palimpsest.fd.rename",
    "palimpsest.fd.close",
    "palimpsest.fd.mark",
    "palimpsest.fd.section",
    "palimpsest.fd.sections",
    "palimpsest.fd.unmark",
    "palimpsest.fd.summarize",
    "palimpsest.fd.write",
    "palimpsest.temp_file.create",
    "palimpsest.temp_file.read",
    "palimpsest.temp_file.write",
    "palimpsest.temp_file.list",
    "palimpsest.temp_file.delete",
    "palimpsest.refs.write",
    "palimpsest.refs.list",
    "palimpsest.refs.get",
    "palimpsest.refs.add",
    "palimpsest.conversation.remember",
    "palimpsest.conversation.forget",
    "palimpsest.conversation.inspect",
    "palimpsest.conversation.memory",
    "palimpsest.fork.spawn",
    "palimpsest.fork.gather",
    "palimpsest.fork.cancel",
    "palimpsest.checkpoint.create",
    "palimpsest.checkpoint.restore",
    "palimpsest.checkpoint.list",
    "palimpsest.conversation.send",
    "palimpsest.conversation.stop",
    "palimpsest.permissions.list",
    "palimpsest.permissions.forget",
    "palimpsest.conversation.export",
    "palimpsest.documents.list",
    "palimpsest.documents.related",
    "palimpsest.documents.graph",
    "palimpsest.documents.open",
    "palimpsest.documents.offer",
    "palimpsest.virtual.read",
    HELP,
    "palimpsest.page",
    "palimpsest.model.info",
    "palimpsest.model.list",
    "palimpsest.model.get",
    "palimpsest.model.use",
    "palimpsest.restartEngine",
    "palimpsest.doctor",
    "palimpsest.log",
    "palimpsest.sample",
    "palimpsest.engines.found",
)
"""The names stand in the order of `commands.COMMANDS`."""
