"""The open documents, each in its newest version.

In: snapshots.  Out: snapshots, found by URI.  Knows no protocol and reads no file.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.errors import InvalidArgument
from palimpsest.text.notebooks import Notebooks
from palimpsest.text.snapshot import Snapshot


class Documents:
    """Owner of the open documents."""

    def __init__(self) -> None:
        self._open: dict[str, Snapshot] = {}
        self.notebooks = Notebooks()

    def put(self, snapshot: Snapshot) -> None:
        self._open[snapshot.uri] = snapshot

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)

    def find(self, uri: str) -> Snapshot | None:
        return self._open.get(uri)

    def get(self, uri: str) -> Snapshot:
        """Raises InvalidArgument if the document is not open."""
        snapshot = self._open.get(uri)
        if snapshot is None:
            raise InvalidArgument("uri", f"{uri} is not open.", hint="Open the document first.")
        return snapshot

    def __iter__(self) -> Iterator[Snapshot]:
        return iter(self._open.values())
