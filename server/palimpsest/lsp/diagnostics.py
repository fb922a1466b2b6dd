"""What other language servers found in a document, as an editor passes it on.

In: `palimpsest/diagnostics`, and the diagnostics that come with a request for code actions, which every editor sends.
Out: events.  Ours are left out, and so are hints and informations.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lsprotocol import types as lsp

from palimpsest.context.activity.diagnostics import Diagnostic
from palimpsest.errors import InvalidArgument
from palimpsest.lsp.arguments import Between, DocumentArguments, read, refusals_logged
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.tolerance import clamped
from palimpsest.lsp.window import Window
from palimpsest.window.events import DiagnosticsTold

logger = logging.getLogger(__name__)

DIAGNOSTICS = "palimpsest/diagnostics"
OWN = "palimpsest"
"""The source of our own."""


@dataclass(frozen=True, slots=True)
class GivenDiagnostic:
    """As in LSP, as far as we need it."""

    range: Between
    message: str
    severity: int = 1
    source: str = ""
    code: Any = None


@dataclass(frozen=True, slots=True)
class Told:
    """All that is wrong in a document, in `version` of it.  An empty list is none given (`arguments.py`)."""

    textDocument: DocumentArguments
    diagnostics: tuple[Any, ...] = ()


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(DIAGNOSTICS)
    async def diagnostics(params: Any) -> None:
        with refusals_logged(DIAGNOSTICS):
            told = read(DIAGNOSTICS, Told, params)
            snapshot = window.session.documents.get(told.textDocument.uri)
            if told.textDocument.version in (None, snapshot.version):  # else whoever found this looks again
                given = (it for one in told.diagnostics if (it := _given(one)) is not None)
                tell_seen(window, snapshot.uri, None, given)


def tell_seen(window: Window, uri: str, lines: range | None, found: Iterable[lsp.Diagnostic | GivenDiagnostic]) -> None:
    """What is wrong in these lines, as a request for code actions there has it, or in all of the document."""
    every = (_diagnostic(it.range.start.line, it.range.end.line, it) for it in found)
    window.session.events.emit(DiagnosticsTold(uri, [it for it in every if it is not None], lines))


def _given(one: Any) -> GivenDiagnostic | None:
    try:
        return read(DIAGNOSTICS, GivenDiagnostic, clamped(one))
    except InvalidArgument as error:
        logger.warning("%s: one is left out: %s", DIAGNOSTICS, error)
        return None


def _diagnostic(first: int, last: int, it: GivenDiagnostic | lsp.Diagnostic) -> Diagnostic | None:
    severity = int(it.severity or lsp.DiagnosticSeverity.Error)
    shown = (lsp.DiagnosticSeverity.Error, lsp.DiagnosticSeverity.Warning)
    if it.source == OWN or severity not in shown or not isinstance(it.message, str):
        return None
    named = str(it.code) if isinstance(it.code, (str, int)) else ""
    source = " ".join(filter(None, (it.source or "", named)))
    return Diagnostic(first, last, "error" if severity == 1 else "warning", it.message, source)
