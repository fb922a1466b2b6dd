"""What is not shown to a person who types.

In: a cursor, a result for it, the changes of the document.  Out: whether anything is worth showing there, and which of
the texts.  Owner of what was deleted last.

Nothing is shown while the person wants none (`Snooze`, `completion.quiet_in`) and in a document that says nothing yet;
nothing that has no word in it; and nothing that brings back what was just deleted: whoever takes a completion back does
not want it again.  One who asks is shown all of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from palimpsest.completions.inline import has_behind
from palimpsest.completions.query import CompletionPlace
from palimpsest.completions.results import CompletionResult
from palimpsest.languages.embedded import parsed_at
from palimpsest.syntax.prose import prose_at
from palimpsest.text.alike import ends_alike
from palimpsest.text.snapshot import InputEdit, Position, Snapshot
from palimpsest.window.events import DocumentChanged
from palimpsest.window.services import Services

FEWEST_WORDS = 2
"""A document with fewer words says so little that a model can only guess what it is."""
MOST_PUT = 10_000
"""Bytes put in the place of others that are looked at for what is left of these."""
_SAYS = re.compile(r"[\w()\[\]{}]")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class _Deleted:
    """`text` stood at `offset`, and nothing but blanks around there was changed since."""

    uri: str
    offset: int
    text: str


class Quiet:
    """Says what is shown to a person who types, and what is held back."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._deleted: _Deleted | None = None

    def why_nothing(self, snapshot: Snapshot, position: Position, behind: str) -> str:
        """Why nothing is shown to who types here, whatever the model says; "" where something may be.

        `behind`: the rest of the cursor's line."""
        services, options = self._services, self._services.settings.completion
        if services.snooze.until:
            return "completions are snoozed"
        is_cell = services.documents.notebooks.cell(snapshot.uri) is not None  # which is read with those before it
        if not is_cell and len(list(islice(_WORD.finditer(snapshot.text), FEWEST_WORDS))) < FEWEST_WORDS:
            return "the document says nothing yet"
        prose = options.quiet_in and prose_at(parsed_at(services.parser.hurried(snapshot), position), position)
        if prose and prose in options.quiet_in:
            return f"none in {prose} (`completion.quiet_in`)"
        if has_behind(behind, options.max_suffix):
            return "too much stands behind the cursor (`completion.max_suffix`)"
        return ""

    def worth(self, result: CompletionResult, place: CompletionPlace) -> CompletionResult:
        """Without the texts that are not worth showing; the cache keeps them for an explicit request."""
        reasons = {text: ("", "it has no word in it") for text in result.texts if not _says(text)}
        reasons |= {
            text: ("", "it brings back what was just deleted")
            for text in result.texts
            if not self.admits(text, place.document.snapshot, place.position)
        }
        return result.after("quiet", [text for text in result.texts if text not in reasons], reasons)

    def admits(self, text: str, snapshot: Snapshot, position: Position) -> bool:
        """Unless it brings back what was just deleted there, or the beginning of it, blanks aside."""
        deleted = self._deleted
        if deleted is None or deleted.uri != snapshot.uri:
            return True
        if not _is_blank(snapshot.text, deleted.offset, snapshot.offset(position)):
            return True
        gone, written = "".join(deleted.text.split()), "".join(text.split())
        return not gone or not (written.startswith(gone) or gone.startswith(written))

    def document_changed(self, event: DocumentChanged) -> None:
        """Deleting goes on where it touches what was deleted before, or only blanks are between; blanks that are put or
        taken there change nothing, whatever else is typed ends it."""
        change = _change(event.old, event.new, event.edits)
        before, self._deleted = self._deleted, None
        if change is None or (change.put and not change.put.isspace()):
            return
        gone, at, text = change.gone, change.offset, event.old.text
        if before is not None and before.uri == event.new.uri:
            if at <= before.offset <= at + len(gone) or (
                at > before.offset and _is_blank(text, before.offset, at)
            ):  # it was cut out of what goes now, or stood before it
                cut = max(0, before.offset - at)
                self._deleted = _Deleted(before.uri, min(at, before.offset), gone[:cut] + before.text + gone[cut:])
                return
            if at < before.offset and _is_blank(text, at + len(gone), before.offset):
                self._deleted = _Deleted(before.uri, at, gone + before.text)
                return
        if gone.strip():
            self._deleted = _Deleted(event.new.uri, at, gone)


def _says(text: str) -> bool:
    """Not of several lines without a word or a bracket, such as marks of comments."""
    return "\n" not in text.strip() or _SAYS.search(text) is not None


@dataclass(frozen=True, slots=True)
class _Change:
    """`put` stands at `offset` of the new text where `gone` stood in the old one."""

    offset: int
    gone: str
    put: str


def _change(old: Snapshot, new: Snapshot, edits: Sequence[InputEdit]) -> _Change | None:
    """All edits as one, as small as it can be told from its beginning; None for one that puts too much."""
    length, start, behind = len(old.utf8), len(old.utf8), len(old.utf8)
    for edit in edits:
        start, behind = min(start, edit.start_byte), min(behind, length - edit.old_end_byte)
        length += edit.new_end_byte - edit.old_end_byte
    if not edits or length - behind - start > MOST_PUT:
        return None
    gone, put = (_text(one, start, len(one.utf8) - behind) for one in (old, new))
    head, tail = ends_alike(gone, put)
    return _Change(len(_text(new, 0, start)) + head, gone[head : len(gone) - tail], put[head : len(put) - tail])


def _text(snapshot: Snapshot, start: int, end: int) -> str:
    return snapshot.utf8[start:end].decode("utf-8", "surrogatepass")


def _is_blank(text: str, one: int, other: int) -> bool:
    """Whether nothing but blanks is between two places."""
    return not text[min(one, other) : max(one, other)].strip()
