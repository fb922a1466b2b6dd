"""What other language servers say is wrong, for each document.

In: their errors and warnings, as an editor passes them on; the edits of documents.  Out: those that are shown to a
model.  Pure.

Code that is being typed is wrong most of the time, so what is shown stays as it was until somebody `settles` it.  An
error moves along with its lines, and is gone once one of them is edited: whether it is still there nobody knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from palimpsest.newest import Newest
from palimpsest.text.snapshot import InputEdit, Snapshot

MOST = 100
"""At most this many diagnostics of one document are kept."""
MOST_DOCUMENTS = 64
LONGEST_MESSAGE, LONGEST_LINE, LONGEST_SOURCE = 300, 200, 60
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """`first..last` are the lines it is about, both included; `code` is the text of the first; `source` says who found
    it, and what they call it (`pyright reportUndefinedVariable`)."""

    first: int
    last: int
    severity: Severity
    message: str
    source: str = ""
    code: str = ""


class Diagnostics:
    """Owner of what was told and of what is shown, by document."""

    def __init__(self) -> None:
        self._newest = Newest[str, tuple[Diagnostic, ...]](MOST_DOCUMENTS)
        self._settled = Newest[str, tuple[Diagnostic, ...]](MOST_DOCUMENTS)

    def of(self, uri: str) -> tuple[Diagnostic, ...]:
        """What is shown, errors first and then in the order of lines."""
        return self._settled.get(uri, ())

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Documents of which something else was told than is shown."""
        return tuple(
            uri
            for uri in {**self._newest, **self._settled}
            if self._of(uri, self._newest) != self._of(uri, self._settled)
        )

    def tell(self, snapshot: Snapshot, diagnostics: Sequence[Diagnostic], lines: range | None = None) -> None:
        """All that is wrong in a document now, or in these of its lines."""
        others = [it for it in self._of(snapshot.uri, self._newest) if lines is not None and not _touches(it, lines)]
        inside = [it for it in diagnostics if it.first < snapshot.line_count]
        first_ones = sorted({*others, *(_trimmed(it, snapshot) for it in inside)}, key=_order)[:MOST]
        self._put(self._newest, snapshot.uri, tuple(first_ones))

    def changed(self, uri: str, edits: Sequence[InputEdit]) -> None:
        for known in (self._newest, self._settled):
            if uri in known:
                now = known[uri]
                for edit in edits:
                    now = tuple(moved for it in now if (moved := _moved(it, edit, known is self._settled)) is not None)
                known[uri] = now

    def settle(self, uri: str) -> bool:
        """Show what was told last from now on; whether that is something else than before."""
        before = self.of(uri)
        self._put(self._settled, uri, self._of(uri, self._newest))
        return before != self.of(uri)

    def forget(self, uri: str) -> None:
        """The document is closed."""
        self._newest.pop(uri, None)
        self._settled.pop(uri, None)

    def _of(self, uri: str, known: dict[str, tuple[Diagnostic, ...]]) -> tuple[Diagnostic, ...]:
        return known.get(uri, ())

    def _put(self, known: dict[str, tuple[Diagnostic, ...]], uri: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        if diagnostics:
            known[uri] = diagnostics
        else:
            known.pop(uri, None)


def _order(it: Diagnostic) -> tuple[bool, int, int, str, str]:
    return it.severity != "error", it.first, it.last, it.message, it.source


def _touches(it: Diagnostic, lines: range) -> bool:
    return it.first < lines.stop and it.last >= lines.start


def _trimmed(it: Diagnostic, snapshot: Snapshot) -> Diagnostic:
    """A diagnostic with its line's text, and of its message the first paragraph, on one line."""
    paragraph = " ".join(it.message.strip().split("\n\n", 1)[0].split())
    return replace(
        it,
        last=min(max(it.first, it.last), snapshot.line_count - 1),
        message=_cut(paragraph, LONGEST_MESSAGE),
        source=_cut(" ".join(it.source.split()), LONGEST_SOURCE),
        code=_cut(snapshot.lines[it.first].strip(), LONGEST_LINE),
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _moved(it: Diagnostic, edit: InputEdit, is_shown: bool) -> Diagnostic | None:
    """After an edit; None if its lines were edited.  What is shown stays all the same, since the person may be amid
    typing; it goes when it is settled."""
    (first, column), (last, last_column), (new_last, _) = edit.start_point, edit.old_end_point, edit.new_end_point
    shift = new_last - last
    is_above = last < it.first or (last == it.first and last_column == 0 and first < it.first)
    is_above = is_above or (first == last == it.first and column == 0 == last_column and shift > 0)
    if is_above:
        return replace(it, first=it.first + shift, last=it.last + shift) if shift else it
    if first > it.last:
        return it
    return it if is_shown else None
