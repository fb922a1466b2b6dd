"""Proactive suggestions: a hint where one is, with the action that applies it and the one that dismisses it.

In: the session's notices.  Out: diagnostics (`Published`), code actions.  Which notices there are is decided in
`edits/suggestions/proactive.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.edits.suggestions.proactive import NoticeChanged
from palimpsest.errors import InvalidArgument, StaleDocument
from palimpsest.lsp.convert import position_out
from palimpsest.lsp.edits import asks_first, title_of
from palimpsest.lsp.suggestions import ACCEPT, REJECT, edit_of
from palimpsest.text.snapshot import Position

if TYPE_CHECKING:
    from palimpsest.edits.suggestions.proactive import Notice
    from palimpsest.lsp.server import PalimpsestServer

SOURCE = "palimpsest"
NO_SUMMARY = "An edit is suggested here."


def register(server: PalimpsestServer) -> None:
    def publish(event: NoticeChanged) -> None:
        found = [diagnostic(server, event.notice)] if event.notice is not None else []
        version = event.notice.snapshot.version if event.notice is not None else None
        server.published.put("proactive", event.uri, found, version)

    server.window.session_listeners.append(lambda session: session.events.on(NoticeChanged, publish))


def diagnostic(server: PalimpsestServer, notice: Notice) -> lsp.Diagnostic:
    return lsp.Diagnostic(
        range=_range(server, notice),
        message=notice.summary or NO_SUMMARY,
        severity=lsp.DiagnosticSeverity.Hint,
        source=SOURCE,
        data={"id": notice.id},
    )


def actions(server: PalimpsestServer, params: lsp.CodeActionParams, kind: str) -> list[lsp.CodeAction]:
    """Actions that apply the notice on these lines, as it applies to the document now, and that dismiss it."""
    window = server.window
    session, client = window.session, window.client
    notice = session.proactive.shown(params.text_document.uri)
    if notice is None or not _overlap(params.range, _range(server, notice)):
        return []
    try:
        offer = session.suggestions.current(notice.id)
    except (InvalidArgument, StaleDocument):
        return []
    about = [diagnostic(server, notice)]
    tags = [lsp.CodeActionTag.LlmGenerated] if client.tags else None
    title = title_of(notice.summary or NO_SUMMARY)
    dismiss = lsp.Command(title="Palimpsest: dismiss", command=REJECT, arguments=[{"id": notice.id}])
    taken = lsp.CodeAction(title=title, kind=kind, diagnostics=about, tags=tags)
    if asks_first(offer, window.settings.suggestion.confirm):
        taken.command = lsp.Command(title=title, command=ACCEPT, arguments=[{"id": notice.id}])
    else:
        taken.edit = edit_of(server, offer)
    return [
        taken,
        lsp.CodeAction(title="Palimpsest: dismiss this suggestion", kind=kind, diagnostics=about, command=dismiss),
    ]


def _range(server: PalimpsestServer, notice: Notice) -> lsp.Range:
    """The lines it touches, from the first one's text to the last one's end."""
    snapshot, lines = notice.snapshot, notice.lines
    first, last = snapshot.lines[lines.start], snapshot.lines[lines.stop - 1]
    encoding = server.window.client.encoding
    start = position_out(snapshot, Position(lines.start, len(first) - len(first.lstrip())), encoding)
    return lsp.Range(start, position_out(snapshot, Position(lines.stop - 1, len(last)), encoding))


def _overlap(one: lsp.Range, other: lsp.Range) -> bool:
    return one.start.line <= other.end.line and other.start.line <= one.end.line
