"""The documents that an edit may change, by URI, open in the editor or not.

In: a window's services.  Out: snapshots as they are now.  A file that is not open is read under the same rules as
blocks (nothing secret, ignored or outside).  Keeps nothing: a closed file's snapshot is recognised by its version, a
checksum of its text.
"""

import zlib
from collections.abc import Sequence
from dataclasses import replace

from palimpsest.text.generated import is_generated
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import identity, path_or_none
from palimpsest.types import Block
from palimpsest.window.services import Services


class EditableFiles:
    """Finds the snapshot of a document that an edit may change, open or not."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def now(self, uri: str) -> Snapshot | None:
        """The document as the editor has it, else the file as it is on disk, with a version below 0 that is the same
        for the same text; None where nothing of it may be edited."""
        services = self._services
        if (snapshot := services.documents.find(uri)) is None:
            uri = identity(uri)  # a block may name a link
            snapshot = services.documents.find(uri)
        path = path_or_none(uri)
        if not self.may_edit(uri, snapshot):
            return None
        if snapshot is not None or path is None:
            return snapshot
        source = services.chooser.file(path, services.roots.folders)
        if source is None or is_generated(services.roots.locate(uri)[1], source):
            return None
        return Snapshot(uri, -1 - zlib.crc32(source.encode()), "", source)

    def seen(self, uri: str, here: str) -> Snapshot | None:
        """`now`, but that the document asked about (`here`), while it is open, is what the editor has, wherever it
        is."""
        snapshot = self._services.documents.find(uri) if uri == here else None
        if snapshot is None:
            return self.now(uri)
        return None if self._services.privacy.why_not(snapshot) else snapshot

    def may_edit(self, uri: str, snapshot: Snapshot | None) -> bool:
        """The one check for every document that an edit may go to unasked for, open (`snapshot`) or not: whether its
        text is known, where it really is, what it is called, what git ignores, what is in it, and whether a program
        writes it."""
        services, path = self._services, path_or_none(uri)
        if services.documents.lost(uri) is not None:
            return False
        if snapshot is not None and (
            services.privacy.why_not(snapshot) or is_generated(services.roots.locate(uri)[1], snapshot.text)
        ):
            return False
        if path is None or not services.roots.folders:
            return True
        return services.roots.may_edit(uri) and services.chooser.kept_out(path, services.roots.folders) is None

    def placed(self, block: Block) -> Block:
        """The block with the URI that its document is known by, and the lines it shows; one that cannot be edited is
        returned as it is, without them.

        A block from outside says no lines: they are where its text stands in the document, if that is one place.
        """
        snapshot = self.now(block.uri) if block.editable and block.uri is not None else None
        if snapshot is None:
            return replace(block, editable=False)
        if block.lines is not None:
            return replace(block, uri=snapshot.uri)
        start = _only_place(block.text.split("\n"), snapshot.lines)
        if start is None:
            return replace(block, editable=False)
        return replace(block, uri=snapshot.uri, lines=tuple(range(start, start + block.text.count("\n") + 1)))


def _only_place(piece: Sequence[str], lines: Sequence[str]) -> int | None:
    """Where the lines of `piece` stand in `lines`; None where they do not, or more than once."""
    places = [
        start
        for start in range(len(lines) - len(piece) + 1)
        if lines[start] == piece[0] and tuple(lines[start : start + len(piece)]) == tuple(piece)
    ]
    return places[0] if len(places) == 1 else None
