"""Proposals as `WorkspaceEdit`s: several documents at once, shown before they are applied where that is wished.

In: a proposal and the documents it applies to.  Out: LSP's types.  Knows no session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.lsp.convert import text_edit
from palimpsest.suggest.diff import unified
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import Change, Proposal

if TYPE_CHECKING:
    from palimpsest.lsp.window import Client
    from palimpsest.text.roots import Roots

HERE, ELSEWHERE = "palimpsest", "palimpsest.other"
"""Change annotations: edits of the document that was asked about, and of others."""


def proposal_edit(
    proposal: Proposal, snapshots: Mapping[str, Snapshot], client: Client, confirm: str, here: str
) -> lsp.WorkspaceEdit:
    """All of it as one edit that a client refuses where an open document has moved on; of one that is not open there
    is no version to tell, the server has looked just before.

    `confirm` is the setting `suggestion.confirm`; `here` the URI of the document that was asked about.  Where the
    client knows only plain `changes`, there are no versions and no questions.
    """
    if not client.versioned_edits:
        plain = {
            change.uri: [text_edit(snapshots[change.uri], edit, client.encoding) for edit in change.edits]
            for change in proposal.changes
        }
        return lsp.WorkspaceEdit(changes=plain)
    annotations = _annotations(proposal, confirm, here) if client.annotations else {}
    changes = [
        _document_edit(change, snapshots[change.uri], client, _annotation(change, here) if annotations else "")
        for change in proposal.changes
    ]
    return lsp.WorkspaceEdit(document_changes=list(changes), change_annotations=annotations or None)


def proposal_diff(proposal: Proposal, snapshots: Mapping[str, Snapshot], roots: Roots) -> str:
    """All of it as a unified diff, for people."""
    return "".join(
        unified(snapshots[change.uri].lines, change.edits, roots.place(change.uri)[1]) for change in proposal.changes
    )


def _annotation(change: Change, here: str) -> str:
    return HERE if change.uri == here else ELSEWHERE


def _annotations(proposal: Proposal, confirm: str, here: str) -> dict[str, lsp.ChangeAnnotation]:
    """None where nothing is to be confirmed: an editor may show a preview for whatever is annotated."""
    asked = {HERE: confirm == "always", ELSEWHERE: confirm != "never"}
    names = {_annotation(change, here) for change in proposal.changes}
    if not any(asked[name] for name in names):
        return {}
    label = proposal.summary or "Palimpsest"
    others = sum(change.uri != here for change in proposal.changes)
    described = {HERE: "in this file", ELSEWHERE: "in another file" if others == 1 else f"in {others} other files"}
    return {
        name: lsp.ChangeAnnotation(label=label, needs_confirmation=asked[name], description=described[name])
        for name in sorted(names)
    }


def _document_edit(change: Change, snapshot: Snapshot, client: Client, annotation: str) -> lsp.TextDocumentEdit:
    version = change.version if change.is_open else None
    identifier = lsp.OptionalVersionedTextDocumentIdentifier(uri=snapshot.uri, version=version)
    edits: list[lsp.TextEdit | lsp.AnnotatedTextEdit | lsp.SnippetTextEdit] = []
    for edit in change.edits:
        plain = text_edit(snapshot, edit, client.encoding)
        edits.append(
            lsp.AnnotatedTextEdit(annotation_id=annotation, range=plain.range, new_text=plain.new_text)
            if annotation
            else plain
        )
    return lsp.TextDocumentEdit(text_document=identifier, edits=edits)
