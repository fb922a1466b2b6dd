"""The open documents, each in its newest version.

In: snapshots.  Out: snapshots, found by URI.  Knows no protocol and reads no file.
"""

from collections.abc import Iterator, Sequence

from palimpsest.errors import InvalidArgument
from palimpsest.text.notebooks import Notebooks
from palimpsest.text.snapshot import InputEdit, Snapshot

LOST = "is not known as it is now: a change of it could not be read. Close it and open it again"
"""This is said of a document; it is the end of "… off here: it"."""


class Documents:
    """Owner of the open documents, and of which of them are lost: the editor has another text than is known here, until
    it sends the whole."""

    def __init__(self) -> None:
        self._open: dict[str, Snapshot] = {}
        self._lost: dict[str, Snapshot] = {}
        self._typed: dict[str, range] = {}
        self.notebooks = Notebooks()

    def put(self, snapshot: Snapshot, edits: Sequence[InputEdit] = ()) -> None:
        """`edits` have led to it from the version before."""
        self._open[snapshot.uri] = snapshot
        self._lost.pop(snapshot.uri, None)
        if edits:
            self._typed[snapshot.uri] = range(edits[-1].start_point[0], edits[-1].new_end_point[0] + 1)
        else:
            self._typed.pop(snapshot.uri, None)

    def close(self, uri: str, *, lost: bool = False) -> None:
        """`lost`: for the editor it is open."""
        known, _ = self._open.pop(uri, None), self._lost.pop(uri, None)
        self._typed.pop(uri, None)
        if known is not None and lost:
            self._lost[uri] = known

    def lost(self, uri: str) -> Snapshot | None:
        """What was known last of a lost document."""
        return self._lost.get(uri)

    def check_known(self, uri: str) -> None:
        """Raises InvalidArgument for a lost document."""
        if uri in self._lost:
            raise InvalidArgument("uri", f"{uri} {LOST}.")

    def is_typed(self, snapshot: Snapshot, line: int) -> bool:
        """Whether a line is of those changed last; so is any of a text that no document has, which is perhaps the next
        one."""
        return self.find(snapshot.uri) != snapshot or line in self._typed.get(snapshot.uri, ())

    def find(self, uri: str) -> Snapshot | None:
        return self._open.get(uri)

    def get(self, uri: str) -> Snapshot:
        """Raises InvalidArgument if the document is not open."""
        self.check_known(uri)
        snapshot = self._open.get(uri)
        if snapshot is None:
            raise InvalidArgument("uri", f"{uri} is not open.", hint="Open the document first.")
        return snapshot

    def __iter__(self) -> Iterator[Snapshot]:
        return iter(self._open.values())
