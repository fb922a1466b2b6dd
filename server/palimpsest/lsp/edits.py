"""Proposals as `WorkspaceEdit`s: several documents at once.

In: a proposal and the documents it applies to.  Out: LSP's types, and whether a person is asked first.  Knows no
session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.edits.line_edits import unified
from palimpsest.lsp.convert import text_edit
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import DocumentChange, Proposal

if TYPE_CHECKING:
    from palimpsest.edits.suggestions.proposals import OfferedProposal
    from palimpsest.lsp.window import Client
    from palimpsest.text.roots import Roots

ANNOTATION = "palimpsest"
"""What a change annotation is called in its edit."""


def proposal_edit(proposal: Proposal, snapshots: Mapping[str, Snapshot], client: Client) -> lsp.WorkspaceEdit:
    """All of it as one edit; of a document that is not open there is no version to tell, the server has looked just
    before."""
    edits = list[tuple[str, int | None, list[lsp.TextEdit]]]()
    for change in proposal.changes:
        snapshot = snapshots[change.uri]
        version = change.version if change.is_open else None
        edits.append((snapshot.uri, version, [text_edit(snapshot, edit, client.encoding) for edit in change.edits]))
    return workspace_edit(client, edits)


def workspace_edit(
    client: Client, edits: Sequence[tuple[str, int | None, list[lsp.TextEdit]]], annotation: str = ""
) -> lsp.WorkspaceEdit:
    """The URI and version of each document, and its edits, which a client refuses where it has moved on.  Where the
    client knows only plain `changes`, there are no versions.  `annotation`: a person looks at each edit under this name
    first, and may leave some out, where the client knows how."""
    if not client.versioned_edits:
        return lsp.WorkspaceEdit(changes={uri: some for uri, _, some in edits})
    is_annotated = bool(annotation) and client.annotates
    return lsp.WorkspaceEdit(
        document_changes=[
            lsp.TextDocumentEdit(
                lsp.OptionalVersionedTextDocumentIdentifier(uri, version),
                [lsp.AnnotatedTextEdit(ANNOTATION, it.range, it.new_text) if is_annotated else it for it in some],
            )
            for uri, version, some in edits
        ],
        change_annotations={ANNOTATION: lsp.ChangeAnnotation(annotation, True)} if is_annotated else None,
    )


def asks_first(offer: OfferedProposal, confirm: str) -> bool:
    """Whether the setting `suggestion.confirm` wants a person to say yes before this is applied: to what changes
    other files than the one that was asked about, to everything, or to nothing."""
    others = any(change.uri != offer.request.uri for change in offer.proposal.changes)
    return confirm == "always" or (confirm == "others" and others)


def proposal_diff(proposal: Proposal, snapshots: Mapping[str, Snapshot], roots: Roots) -> str:
    """All of it as a unified diff, for people."""
    return "".join(
        unified(snapshots[change.uri].lines, change.edits, roots.locate(change.uri)[1]) for change in proposal.changes
    )


def heading_of(proposal: Proposal) -> str:
    """What a person is told of it before it is applied: what it does, how many of several replies agree, remarks."""
    agreed = f"{100 * proposal.agreement:.0f} % agree" if proposal.agreement < 1 else ""
    what = proposal.summary or f"Edit of {proposal.changes[0].names[0]}"
    return " · ".join(filter(None, (what, agreed, ", ".join(proposal.flags))))


def drafts_of(proposal: Proposal) -> Iterator[str]:
    """Each document as it would be (`virtual.py` reads it), by a name that tells an editor its language."""
    for number, change in enumerate(proposal.changes):
        yield f"palimpsest:/draft/{proposal.id}/{number}/{change.uri.rpartition('/')[2]}"


def size_of(change: DocumentChange) -> str:
    """Lines that come and go, as `+3 −1`."""
    come, go = sum(len(edit.lines) for edit in change.edits), sum(edit.end - edit.start for edit in change.edits)
    return f"+{come} −{go}"


def title_of(summary: str) -> str:
    return f"Palimpsest: {summary or 'edit.'}"
