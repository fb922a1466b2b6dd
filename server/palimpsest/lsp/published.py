"""The diagnostics of each document, from all features together: what is published replaces what was before.

In: a feature's diagnostics of a document.  Out: `textDocument/publishDiagnostics`.  Knows no feature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lsprotocol import types as lsp


class Published:
    """Joins the diagnostics of all features, and publishes those of a document when they change."""

    def __init__(self, publish: Callable[[lsp.PublishDiagnosticsParams], None]) -> None:
        self._publish = publish
        self._found: dict[str, dict[str, Sequence[lsp.Diagnostic]]] = {}

    def put(self, feature: str, uri: str, found: Sequence[lsp.Diagnostic], version: int | None = None) -> None:
        """All that a feature has to say of a document; nothing is sent where that was nothing and is so still."""
        of_document = self._found.setdefault(uri, {})
        before = of_document.pop(feature, ())
        if found:
            of_document[feature] = found
        if not of_document:
            del self._found[uri]
        if found or before:
            every = [one for name in sorted(of_document) for one in of_document[name]]
            self._publish(lsp.PublishDiagnosticsParams(uri, every, version))
