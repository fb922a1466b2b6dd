"""Proactive mode: after a pause, a suggestion for the function at the cursor that nobody asked for.

In: cursor moves, edits, rejections.  Out: at most one notice per document (`NoticeChanged`).  Owner of the notices and
of which texts were tried: each text is tried once, whatever came of it, and a dismissed notice never comes back for it.
Nothing is requested while somebody types, and a request under way is cancelled then; where completions or suggestions
are off, nothing is requested at all.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, replace

from palimpsest.context.view import CursorView
from palimpsest.edits.line_edits import applied
from palimpsest.edits.suggestions.proposals import Offer
from palimpsest.edits.suggestions.suggestions import Suggestions
from palimpsest.errors import InvalidArgument, StaleDocument
from palimpsest.languages.registry import language_of
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.types import LineEdit
from palimpsest.window.events import (
    CursorMoved,
    DocumentChanged,
    DocumentClosed,
    FeatureSwitched,
    SettingsChanged,
    SuggestionSettled,
    WindowClosing,
)
from palimpsest.window.pause import Pause
from palimpsest.window.services import Services

FEWEST = 3
"""Replies asked for: one reply agrees with itself."""
KEPT = 500
DONE = "done"
"""Stands for an id where a person had it, and took it or did not."""


@dataclass(frozen=True, slots=True)
class Notice:
    """The proposal `id` in a document: its edits of `snapshot`'s lines, and its function's lines."""

    id: str
    snapshot: Snapshot
    edits: tuple[LineEdit, ...]
    around: range
    summary: str

    @property
    def lines(self) -> range:
        """From the first line touched to the last; an insertion touches the line it stands after."""
        return range(_first(self.edits[0]), max(_first(self.edits[-1]) + 1, self.edits[-1].end))


@dataclass(frozen=True, slots=True)
class NoticeChanged:
    """What a document's notice is from now on, as an event."""

    uri: str
    notice: Notice | None


class Proactive:
    """Notices, one per document at most; used on the window's event loop alone."""

    def __init__(self, services: Services, suggestions: Suggestions) -> None:
        self._services = services
        self._suggestions = suggestions
        self._pause = self._new_pause()
        self._place: tuple[str, Position] | None = None
        self._shown: dict[str, Notice] = {}
        self._known = OrderedDict[str, str]()  # by what was asked about: the id of what came of it, or nothing
        events = services.events
        events.on(CursorMoved, self._moved)
        events.on(DocumentClosed, self._closed)
        events.on(SuggestionSettled, self._settled)
        events.on(FeatureSwitched, lambda _: self._switched())
        events.on(SettingsChanged, self._settings_changed)
        events.on(WindowClosing, lambda _: self._close())

    def shown(self, uri: str) -> Notice | None:
        """What the person sees in a document, if it still applies to it."""
        return self._shown.get(uri)

    def _moved(self, event: CursorMoved) -> None:
        """The person is there, perhaps since a moment ago: to say it again is not to move."""
        place = event.uri, event.position
        moved, self._place = self._place != place, place
        if self._on and moved:
            self._pause.soon()

    def document_changed(self, event: DocumentChanged) -> None:
        """Somebody types; a notice goes as soon as its function is another one."""
        if not self._on:
            return
        new = event.new
        self._pause.soon()
        notice = self._shown.get(new.uri)
        if notice is not None:
            if tuple(applied(notice.snapshot.lines, notice.edits)) == new.lines:
                self._suggestions.accepted(notice.id)  # an editor need not say that it applied it
            else:
                self._show(new.uri, self._rebased(notice, new))

    def _closed(self, event: DocumentClosed) -> None:
        if self._place is not None and self._place[0] == event.uri:
            self._place = None
            self._pause.cancel()
        self._show(event.uri, None)

    def _settled(self, event: SuggestionSettled) -> None:
        for key in [key for key, known in self._known.items() if known == event.id]:
            self._known[key] = DONE
        for uri in [uri for uri, notice in self._shown.items() if notice.id == event.id]:
            self._show(uri, None)

    def _switched(self) -> None:
        for uri, notice in list(self._shown.items()):
            if not self._is_wanted(notice.snapshot):
                self._show(uri, None)
        self._look_soon()

    def _settings_changed(self, event: SettingsChanged) -> None:
        if "proactive" in event.parts:
            self._begin_anew()
        if "switches" in event.parts:
            self._switched()

    def _begin_anew(self) -> None:
        """What was asked about before is asked about anew, but for what a person had, and took or did not."""
        self._pause.cancel()
        self._pause = self._new_pause()
        self._known = OrderedDict((key, known) for key, known in self._known.items() if known == DONE)
        if not self._on:
            for uri in list(self._shown):
                self._show(uri, None)
        self._look_soon()

    def _look_soon(self) -> None:
        if self._on and self._place is not None:
            self._pause.soon()

    @property
    def _on(self) -> bool:
        return self._services.settings.suggestion.proactive

    def _new_pause(self) -> Pause:
        idle_s = self._services.settings.suggestion.proactive_s
        return Pause(self._look, None, idle_s=idle_s, what="a suggestion unasked")

    def _close(self) -> None:
        self._pause.close()
        for uri in list(self._shown):
            self._show(uri, None)

    # Parts ----------------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        """At the function at the cursor.  Raises as `Suggestions.at` does; cancelled as soon as the person goes on."""
        services = self._services
        if self._place is None or (snapshot := services.documents.find(self._place[0])) is None:
            return
        position = snapshot.clamp(self._place[1])
        if not self._is_wanted(snapshot):
            self._show(snapshot.uri, None)
            return
        view = services.view(snapshot, position)
        if view.editing.type != "function":
            return
        key = _key(view)
        if key not in self._known:
            n = max(FEWEST, services.settings.suggestion.n)
            found = await self._suggestions.at(snapshot.uri, position, n=n, slot="background", give=False)
            if services.documents.find(snapshot.uri) is not snapshot or not self._is_wanted(snapshot):
                return
            worth = (p for p in self._suggestions.worth_offering(found) if p.changes[0].uri == snapshot.uri)
            best = next(worth, None)
            self._known[key] = self._suggestions.offer(best, found).proposal.id if best is not None else ""
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        if (identity := self._known[key]) and identity != DONE:
            try:
                self._show(snapshot.uri, _notice(self._suggestions.current(identity), snapshot, _around(view)))
            except (InvalidArgument, StaleDocument):
                self._known[key] = ""  # it was accepted, or so many came after it that it is no longer kept

    def _is_wanted(self, snapshot: Snapshot) -> bool:
        services = self._services
        return (
            language_of(snapshot.language_id, snapshot.uri).grammar is not None
            and services.roots.may_edit(snapshot.uri)
            and not services.why_off(snapshot)
            and not services.why_off(snapshot, "suggestion")
        )

    def _show(self, uri: str, notice: Notice | None) -> None:
        before = self._shown.pop(uri, None)
        if notice is not None:
            self._shown[uri] = notice
        if (before and (before.id, before.lines)) != (notice and (notice.id, notice.lines)):
            self._services.events.emit(NoticeChanged(uri, notice))

    def _rebased(self, notice: Notice, new: Snapshot) -> Notice | None:
        """The notice in the document as it is now; None where its function was edited."""
        try:
            offer = self._suggestions.current(notice.id)
        except (InvalidArgument, StaleDocument):
            return None
        now = _notice(offer, new, notice.around)
        shift = now.lines.start - notice.lines.start
        around = range(max(0, notice.around.start + shift), notice.around.stop + shift)
        same = _text(new, around) == _text(notice.snapshot, notice.around)
        return replace(now, around=around) if same else None


def _key(view: CursorView) -> str:
    """What is asked about: the function as it is shown."""
    editing = view.editing
    text = "\0".join((editing.uri, editing.name, editing.text))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _around(view: CursorView) -> range:
    return range(view.scope.start_line, max(view.scope.end_line, view.position.line + 1))


def _notice(offer: Offer, snapshot: Snapshot, around: range) -> Notice:
    change = next(change for change in offer.proposal.changes if change.uri == snapshot.uri)
    return Notice(offer.proposal.id, snapshot, change.edits, around, offer.proposal.summary)


def _first(edit: LineEdit) -> int:
    return edit.start if edit.start < edit.end else max(0, edit.start - 1)


def _text(snapshot: Snapshot, lines: range) -> tuple[str, ...]:
    return snapshot.lines[lines.start : lines.stop]
