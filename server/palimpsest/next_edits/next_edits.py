"""Next edits: the places that should follow what was just edited, one at a time.

In: what the editor says of documents, the cursor.  Out: places, as edits of a document as it is now.  They are found by
the syntax trees of the workspace's files first (`next_edits/`), by the model second, and last written by a model that
was made for it (`written.py`).  Owner of the bursts (`bursts.py`) and of what was offered and settled (`offered.py`);
`finder.py` finds the places.

Places are searched again in the current texts for every request, so none is stale; nothing is offered while the last
edit has new syntax errors.  Who asks while a model is at work for another place does not wait for it.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from palimpsest.edits.suggestions.files import EditableFiles
from palimpsest.languages.registry import kin_of, language_of
from palimpsest.newest import Newest
from palimpsest.next_edits.bursts import Burst, Bursts
from palimpsest.next_edits.changes import Change, Repeat, Site
from palimpsest.next_edits.finder import MOST_PLACES, Finder, FinderResult, SiteCandidate, point_of
from palimpsest.next_edits.missing_imports import missing_imports
from palimpsest.next_edits.model import NextEditModel
from palimpsest.next_edits.newest import NewestTask
from palimpsest.next_edits.offered import Offered, OfferedNextEdits, Point
from palimpsest.next_edits.targets import File
from palimpsest.next_edits.written import ModelEdits
from palimpsest.syntax.indentation import is_worse
from palimpsest.syntax.parser import parsed_with
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.text.uris import path_or_none
from palimpsest.window.events import (
    CursorMoved,
    DocumentChanged,
    DocumentClosed,
    EditAccepted,
    FilesChanged,
    SettingsChanged,
    StatusChanged,
)
from palimpsest.window.services import Services

MOST_UNSOUND = 8
"""A change is given up if so many of its places would bring a syntax error: each is parsed to see that."""
MOST_LATELY = 32
"""Documents that were changed lately and are remembered when they are closed."""


@dataclass(frozen=True, slots=True)
class NextEdit:
    """`range` of `snapshot` is to be replaced by `text`; `is_open` says whether the editor has the document.

    `total` counts this place and those that come after it."""

    id: str
    snapshot: Snapshot
    range: Range
    text: str
    kind: str
    message: str
    is_open: bool
    total: int


@dataclass(frozen=True, slots=True)
class FilePlaces:
    """The places of one change in one document, in their order."""

    snapshot: Snapshot
    is_open: bool
    edits: tuple[tuple[Range, str], ...]


@dataclass(frozen=True, slots=True)
class AllPlaces:
    """The places of one change by document, the document that was asked about first; `id` is that of the next edit
    among them, and `message` says what is changed."""

    id: str
    message: str
    files: tuple[FilePlaces, ...]


class NextEdits:
    """Answers what follows the last edit: by trees first, by the model second."""

    def __init__(self, services: Services, clock: Callable[[], float] = time.monotonic) -> None:
        self._services = services
        self._bursts = Bursts()
        self._offers = OfferedNextEdits()
        self._files = EditableFiles(services)
        self.trees = True
        """Whether places are looked for in syntax trees; measurements of a model alone do without."""
        self._finder = self._made()
        self._model = NextEditModel(services)
        self._written = ModelEdits(services, self._offers, clock)
        self._asking = NewestTask[Site | None]()
        self._newest: object | None = None
        self._lately = Newest[str, None](MOST_LATELY)
        """The documents that were changed, the newest last."""
        self._one_search = asyncio.Lock()
        events = services.events
        events.on(DocumentClosed, lambda event: self._bursts.forget(event.uri))
        events.on(CursorMoved, self._moved)
        events.on(FilesChanged, self._saved)
        events.on(SettingsChanged, self._settings_changed)

    def _is_on(self, snapshot: Snapshot) -> bool:
        return not self._services.why_off(snapshot, "nextEdit")

    # What the editor says -------------------------------------------------------------------------------------

    def document_changed(self, event: DocumentChanged) -> None:
        self._settle_typed()
        self._offers.changed(event.old, event.new, event.edits)
        self._written.document_changed(event)
        if self._is_on(event.new) and language_of(event.new.language_id, event.new.uri).grammar is not None:
            self._bursts.changed(event.old, event.new, event.edits)
            self._lately[event.new.uri] = None

    def _moved(self, event: CursorMoved) -> None:
        if event.said:
            self._bursts.cursor_at(event.uri, event.position.line)

    def _saved(self, event: FilesChanged) -> None:
        for uri in event.uris:
            self._bursts.end(uri)

    def _settings_changed(self, event: SettingsChanged) -> None:
        """Folders, or what is excluded in them, are others."""
        if "next_edits" in event.parts:
            self._finder = self._made()

    def _made(self) -> Finder:
        services = self._services
        return Finder(services.roots.folders, services.settings.context, services.index.seen_by)

    # What is offered ------------------------------------------------------------------------------------------

    @property
    def why_not(self) -> str:
        """Why there was nothing for the last request, as far as there is more to say than that nothing follows."""
        return self._written.why_not

    async def next(self, uri: str, position: Position, *, invoked: bool = False) -> NextEdit | None:
        """The next place: nearest below the position, then from the document's top, then in other files.  `invoked`: a
        person asks for it, and is not held back as one who types.

        None: nothing follows, it is switched off, or something newer was asked.  Raises InvalidArgument for a document
        that is not open.
        """
        return await self._next(self._services.documents.get(uri), position, invoked=invoked, wanted=invoked)

    async def _next(self, here: Snapshot, position: Position, *, invoked: bool, wanted: bool) -> NextEdit | None:
        """`wanted`: a person is at it, so that one comes while they are snoozed."""
        self._settle_typed()
        mine = self._newest = object()
        next_edit = None
        if not (off := self._why_off(here, wanted=wanted)):
            found = await self._by_trees(here, position, lambda: self._newest is mine, asked=invoked)
            if (next_edit := found) is not None:
                self._written.why_not = ""
            elif self._newest is mine:
                offered = await self._written.next(here, position, invoked=invoked)
                next_edit = None if offered is None else self._next_edit(offered, here, 1)
            if next_edit is not None:  # which a person may have switched off meanwhile
                off = self._why_off(here, wanted=wanted)
        if off:
            self._written.nothing(off)
            next_edit = None
        self._services.events.emit(StatusChanged())
        return next_edit

    def _why_off(self, here: Snapshot, *, wanted: bool) -> str:
        if off := self._services.why_off(here, "nextEdit"):
            return off
        return "they are snoozed" if self._services.snooze.until and not wanted else ""

    async def _by_trees(
        self, here: Snapshot, position: Position, is_newest: Callable[[], bool], *, asked: bool
    ) -> NextEdit | None:
        if self._bursts.open or self._bursts.ended:
            open_files = self._open_files(here)
            if open_files is None:
                return None
            newest = self._bursts.open or self._bursts.ended[-1]
            result = await self._search(open_files, asked=asked)
            if not self._are_current(open_files):
                return None  # the person typed on; the client asks again
            best = self._ordered(result.candidates, here.uri, position)
            if not asked:
                best = self._wanted(best, newest)
            unsound = Counter[Change]()
            for n, candidate in enumerate(best):
                if unsound[candidate.change] >= MOST_UNSOUND:
                    continue
                if candidate.place.hole is not None and not is_newest():
                    return None
                place = await self._finished(candidate)
                if place is not None and self._are_current(open_files):
                    return self._given(candidate.change, candidate.file, place, candidate.point, len(best) - n)
                unsound[candidate.change] += place is None
            if not best and (lacking := await self._missing_import(open_files[0], position, asked=asked)) is not None:
                return lacking if self._are_current(open_files) else None
        return None

    async def all_places(self, uri: str, position: Position) -> AllPlaces | None:
        """Those of the change that comes next for who asks in a document, where nobody has to fill them in.

        Raises InvalidArgument for a document that is not open.
        """
        return await self._all_places(self._services.documents.get(uri), position)

    async def all_of(self, identity: str) -> AllPlaces | None:
        """Those of the change that a next edit is about, as they are now.  Raises InvalidArgument for an unknown id."""
        change = self._offers.get(identity).about
        newest = self._bursts.open or next(iter(self._bursts.ended[-1:]), None)
        here = None if newest is None else self._services.documents.find(newest.after.uri)
        return None if here is None else await self._all_places(here, Position(0, 0), change)

    async def _all_places(self, here: Snapshot, position: Position, change: Change | str = "") -> AllPlaces | None:
        open_files = None if self._why_off(here, wanted=True) else self._open_files(here)
        if open_files is None or not (self._bursts.open or self._bursts.ended):
            return None
        every = (await self._search(open_files, asked=True)).candidates
        if len(every) >= MOST_PLACES:
            return None  # there may be more, and some are not all
        best = [one for one in self._ordered(every, here.uri, position) if one.place.hole is None]
        same = [one for one in best if one.change == (change or best[0].change)]
        by_file = dict[str, list[SiteCandidate]]()
        for one in same:
            by_file.setdefault(one.place.uri, []).append(one)
        files = await asyncio.to_thread(lambda: [found for some in by_file.values() if (found := self._together(some))])
        if not files or not self._are_current(open_files):
            return None
        first = same[0]
        return AllPlaces(
            self._offers.give(first.change, first.place, first.point).id, first.place.message, tuple(files)
        )

    def _together(self, some: Sequence[SiteCandidate]) -> FilePlaces | None:
        """The places of a file; None where they do not go together, or bring a syntax error."""
        same, parsed = sorted(some, key=lambda one: one.place.start), some[0].file.parsed
        if any(one.place.end > other.place.start for one, other in pairwise(same)):
            return None
        snapshot = parsed.snapshot
        places = [_as_edit(snapshot, one.place) for one in same]
        if is_worse(parsed_with(parsed, [ContentChange(*place) for place in reversed(places)]), parsed):
            return None
        return FilePlaces(snapshot, self._services.documents.find(snapshot.uri) is snapshot, tuple(places))

    async def accept(self, identity: str) -> NextEdit | None:
        """The editor has made the edit; the place after it.  Raises InvalidArgument for an unknown id."""
        offered = self._offers.get(identity)
        end = self._written.accepted(identity)
        self.mark_shown(identity)
        if self._offers.settle(identity, "accepted"):
            self._services.events.emit(EditAccepted(offered.place.uri))
            language = self._language_id(offered.place.uri)
            self._services.statistics.count("nextEdit", "accepted", chars=len(offered.place.text), language=language)
        self._bursts.accepted(offered.place.uri)
        self._bursts.end()
        documents = self._services.documents
        here = documents.find(offered.place.uri) or next(iter(documents), None)
        if here is None:
            return None
        line = offered.point[0] if here.uri == offered.place.uri else 0  # and it may have been closed in between
        position = end or Position(min(line, here.line_count - 1), 0)
        return await self._next(here, position, invoked=False, wanted=True)

    def dismiss(self, identity: str) -> None:
        """Not wanted, and not offered again.  Raises InvalidArgument for an unknown id."""
        offered = self._offers.get(identity)
        self._written.rejected(identity)
        self.mark_shown(identity)
        if self._offers.settle(identity, "dismissed"):
            self._services.statistics.count("nextEdit", "rejected", language=self._language_id(offered.place.uri))

    def mark_shown(self, identity: str) -> None:
        """The person sees it; whoever settles it has.  Raises InvalidArgument for an unknown id."""
        offered = self._offers.get(identity)
        if self._offers.show(identity):
            self._services.statistics.count("nextEdit", "shown", language=self._language_id(offered.place.uri))
        self._written.mark_shown(identity)

    # Parts ----------------------------------------------------------------------------------------------------

    def _settle_typed(self) -> None:
        """Who has seen an edit and typed it has accepted it."""
        typed = self._written.typed()
        if typed is not None and self._offers.is_shown(typed.id) and self._offers.settle(typed.id, "accepted"):
            language = self._language_id(typed.place.uri)
            self._services.statistics.count("nextEdit", "accepted", language=language)

    def _language_id(self, uri: str) -> str:
        snapshot = self._services.documents.find(uri)
        return snapshot.language_id if snapshot is not None else ""

    def _open_files(self, here: Snapshot) -> list[File] | None:
        """The open documents of the language and its kin, this one first; None where it has no grammar."""
        language = language_of(here.language_id, here.uri)
        if (
            not self.trees
            or language.grammar is None
            or self._services.privacy.why_not(here)
            or not self._services.roots.may_edit(here.uri)
        ):
            return None
        files, kin = [], kin_of(language)
        for snapshot in [here, *(s for s in self._services.documents if s.uri != here.uri)]:
            if language_of(snapshot.language_id, snapshot.uri) not in kin:
                continue
            if snapshot is here or self._files.may_edit(snapshot.uri, snapshot):
                name = self._services.roots.locate(snapshot.uri)[1]
                cell = self._services.documents.notebooks.cell(snapshot.uri)
                notebook = "" if cell is None else cell.notebook
                files.append(File(self._services.parser.parse(snapshot), name, False, notebook))
        return files

    def _are_current(self, files: Sequence[File]) -> bool:
        return all(self._services.documents.find(file.uri) is file.parsed.snapshot for file in files)

    def _ordered(self, candidates: Sequence[SiteCandidate], uri: str, position: Position) -> list[SiteCandidate]:
        """Below the cursor, above it, then the other files in the order they were found; what only a model can finish
        is left out where none may be asked."""
        files = list(dict.fromkeys(candidate.place.uri for candidate in candidates))

        def rank(candidate: SiteCandidate) -> tuple[int, bool, Point]:
            is_here = candidate.place.uri == uri
            where = -1 if is_here else files.index(candidate.place.uri)
            line, column = candidate.point
            if is_here and isinstance(candidate.change, Repeat):
                line = abs(line - position.line)  # who goes up a file finds the nearest first, too
            return where, is_here and candidate.point[0] < position.line, (line, column)

        def can(candidate: SiteCandidate) -> bool:
            place, snapshot = candidate.place, candidate.file.parsed.snapshot
            if not self._offers.may_offer(candidate.change, place, candidate.point):
                return False
            return place.hole is None or self._model.may_ask(snapshot)

        return sorted(filter(can, candidates), key=rank)

    async def _missing_import(self, here: File, position: Position, *, asked: bool) -> NextEdit | None:
        """The first import that what was written here needs."""
        bursts = [*self._bursts.ended, *filter(None, (self._bursts.open,))]
        first = next((burst.before for burst in bursts if burst.before.uri == here.uri), None)
        found = await missing_imports(self._services, first, here, position) if first is not None else []
        for n, (change, place) in enumerate(found):
            point = point_of(here.parsed.snapshot, place.start)
            is_passed = not asked and self._offers.is_passed(change, 1, bursts[-1].before)
            if not is_passed and self._offers.may_offer(change, place, point) and _is_sound(here, place):
                return self._given(change, here, place, point, len(found) - n)
        return None

    async def _search(self, open_files: Sequence[File], *, asked: bool) -> FinderResult:
        bursts, repeats = (self._bursts.ended, self._bursts.open), self._services.settings.next_edit.repeat
        lately = [path for uri in reversed(self._lately) if (path := path_or_none(uri)) is not None]
        find = partial(self._finder.find, open_files, *bursts, repeats=repeats, asked=asked, lately=lately)
        async with self._one_search:
            result = await asyncio.to_thread(find)
        self._bursts.drop(result.idle)
        return result

    def _wanted(self, best: list[SiteCandidate], newest: Burst) -> list[SiteCandidate]:
        """Without the changes in front that were passed by."""
        while best:
            change = best[0].change
            if not self._offers.is_passed(change, sum(one.change == change for one in best), newest.before):
                break
            best = [one for one in best if one.change != change]
        return best

    async def _finished(self, candidate: SiteCandidate) -> Site | None:
        """The place with what it lacks, if it brings no syntax error."""
        place: Site | None = candidate.place
        if candidate.place.hole is not None:
            about = candidate.place, candidate.file.parsed.snapshot.text
            place = await self._asking.ask(about, lambda: self._model.filled(candidate.file, candidate.place))
        is_sound = place is not None and await asyncio.to_thread(_is_sound, candidate.file, place)
        return place if is_sound else None

    def _given(self, about: Change | str, file: File, place: Site, point: Point, total: int) -> NextEdit:
        return self._next_edit(self._offers.give(about, place, point), file.parsed.snapshot, total)

    def _next_edit(self, offered: Offered, snapshot: Snapshot, total: int) -> NextEdit:
        place = offered.place
        where, text = _as_edit(snapshot, place)
        is_open = self._services.documents.find(snapshot.uri) is snapshot
        return NextEdit(offered.id, snapshot, where, text, place.kind, place.message, is_open, total)


def _as_edit(snapshot: Snapshot, place: Site) -> tuple[Range, str]:
    return Range(_position(snapshot, place.start), _position(snapshot, place.end)), place.text


def _is_sound(file: File, place: Site) -> bool:
    change = ContentChange(*_as_edit(file.parsed.snapshot, place))
    return not is_worse(parsed_with(file.parsed, [change]), file.parsed)


def _position(snapshot: Snapshot, byte: int) -> Position:
    return snapshot.at_point(*point_of(snapshot, byte))
