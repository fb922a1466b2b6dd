"""Finds the places that should follow the last edits.

In: bursts of edits, the open documents.  Out: candidates, each a place in a file and the change that leads to it.  Runs
on a thread, one call at a time.  Owner of its caches: changes by burst, places by file, trees of files that are not
open.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

from palimpsest.config.settings import ContextSettings
from palimpsest.context.sources.cached import ReadFiles
from palimpsest.languages.embedded import inner_parses, n_errors
from palimpsest.languages.name_index import NameIndex
from palimpsest.languages.registry import language_of
from palimpsest.newest import Newest
from palimpsest.next_edits.bursts import Burst
from palimpsest.next_edits.changes import Change, EditPattern, Rename, Site
from palimpsest.next_edits.detect import changes, is_broken, window
from palimpsest.next_edits.offered import Point
from palimpsest.next_edits.other_files import OtherFiles, Resolving
from palimpsest.next_edits.renaming import is_fixture, member_target, seen_by
from palimpsest.next_edits.repeating import Repeating
from palimpsest.next_edits.sites import is_local, places, words
from palimpsest.next_edits.targets import File, has_elsewhere, rebinds
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.text.snapshot import Snapshot
from palimpsest.workspace.files import WorkspaceFiles

MOST_PLACES = 400
MOST_CHANGES = 6
MOST_USES = 2_000
"""A file that has a name more often than this is left alone."""
MOST_S = 2.0
"""Looking through the files for one change may take this long; what is found by then is offered, and the rest the next
time."""
KEPT_PARSES = 2
KEPT_LOOKS = 1_024
KEPT_CHARACTERS = 4_000_000
"""Parses are kept with their places as long as the sources have at most this many characters together."""

_Change = tuple[EditPattern, int | None]
"""A change, with the number of the embedded part of the document that it is made in."""
_Key = tuple[str, int, int, str]


@dataclass(frozen=True, slots=True)
class SiteCandidate:
    change: Change
    file: File
    place: Site
    point: Point


@dataclass(frozen=True, slots=True)
class FinderResult:
    """`idle` are the bursts that need not be kept."""

    candidates: tuple[SiteCandidate, ...] = ()
    idle: tuple[Burst, ...] = ()


class Finder:
    """Finds candidates for bursts, and caches what it parsed and compared."""

    def __init__(
        self,
        roots: Sequence[Path],
        settings: ContextSettings,
        index: Callable[[WorkspaceFiles], NameIndex | None] = lambda _: None,
    ) -> None:
        self._open: Mapping[str, File] = {}
        self._lately: Sequence[Path] = ()
        files = WorkspaceFiles(roots, settings.exclude, self._open_document)
        known = index(files)
        read = ReadFiles(files)
        self._others, self._resolver = OtherFiles(files, read, known), Resolving(files, read, settings, known)
        self._repeating = Repeating()
        self._made: dict[Burst, tuple[_Change, ...]] = {}
        self._looked: dict[tuple[EditPattern, Parsed, Parsed, bool], list[Site]] = {}
        self._used = set[tuple[EditPattern, Parsed, Parsed, bool]]()  # by the search that goes on
        self._parses = Newest[int, Parsed](KEPT_PARSES)  # by `id` of their snapshots
        self._origins = Newest[tuple[EditPattern, str], Counter[tuple[str, str]]](KEPT_LOOKS)

    def find(
        self,
        open_files: Sequence[File],
        ended: Sequence[Burst],
        burst: Burst | None,
        *,
        repeats: bool = True,
        asked: bool = False,
        lately: Sequence[Path] = (),
    ) -> FinderResult:
        """Every place of every change; on a thread, with values that nobody changes and caches that nobody else has.
        `repeats`: also where a change can be made again; `asked`: by a person, as in `Repeating`.  `lately`: files that
        were changed, and are not open any more."""
        self._used, self._lately = set(), lately
        try:
            return self._find(open_files, ended, burst, repeats=repeats, asked=asked)
        finally:
            self._forget_unused()

    def explains(self, burst: Burst) -> bool:
        """Whether the trees tell what one of the bursts that were looked at amounts to."""
        return bool(self._made.get(burst))

    def _find(
        self, open_files: Sequence[File], ended: Sequence[Burst], burst: Burst | None, *, repeats: bool, asked: bool
    ) -> FinderResult:
        self._open = by_uri = {file.uri: file for file in open_files}
        if burst is not None and burst.after.uri in by_uri:
            before, after = self._parsed(burst.before), by_uri[burst.after.uri].parsed
            lines = window(before, after)
            if lines is not None and (is_broken(before, after, lines) or n_errors(after) > n_errors(before)):
                return FinderResult()
        bursts = [*ended, *([burst] if burst else [])]
        followed, worth = self._changes(bursts)
        candidates = dict[_Key, SiteCandidate]()
        for change, part in followed:
            home = by_uri.get(change.uri)
            if home is None:
                continue
            for file, place in self._places_of(change, part, replace(home, home=True), open_files):
                _add(candidates, SiteCandidate(change, file, place, point_of(file.parsed.snapshot, place.start)))
        self._repeating.read(bursts if repeats else ())
        if not self.explains(bursts[-1]):  # what a tree explains is not only the same once more
            for again, file, place in self._repeating.sites(bursts[-1], by_uri, self._near, asked=asked):
                _add(candidates, SiteCandidate(again, file, place, point_of(file.parsed.snapshot, place.start)))
        kept = [*worth, *filter(self._repeating.has, bursts), bursts[-1]]
        idle = tuple(burst for burst in ended if burst not in kept)
        return FinderResult(tuple(candidates.values()), idle)

    def _near(self, files: Sequence[File], words: Sequence[Collection[str]]) -> Iterator[File]:
        paths = chain(self._lately, *(self._resolver.near(file.parsed) for file in files))
        return self._others.among(paths, words, files[0].parsed.language, self._open)

    def _open_document(self, uri: str) -> Snapshot | None:
        file = self._open.get(uri)
        return None if file is None else file.parsed.snapshot

    def _changes(self, bursts: Sequence[Burst]) -> tuple[list[_Change], list[Burst]]:
        """What the last edits amount to, the newest first, and the bursts that amount to something."""
        known, self._made = self._made, {}
        events = dict[tuple[int, int], tuple[_Change, ...]]()
        for burst in bursts:
            event = id(burst.before), id(burst.after)  # of one change in many places
            if event not in events:
                events[event] = known[burst] if burst in known else self._made_of(burst)
            self._made[burst] = events[event]
        made = [burst for burst in bursts if self._made[burst]]
        worth = [burst for burst in made if not burst.is_accepted][-MOST_CHANGES:]
        worth += [burst for burst in made[-1:] if burst.is_accepted]  # what follows from those before follows still
        distinct = list(dict.fromkeys(change for burst in reversed(worth) for change in self._made[burst]))
        return [*distinct, *_chained(distinct)], worth

    def _made_of(self, burst: Burst) -> tuple[_Change, ...]:
        before, after = self._parsed(burst.before), self._parsed(burst.after)
        made = list[_Change]((change, None) for change in changes(before, after))
        inner, lines = (inner_parses(before), inner_parses(after)), window(before, after)
        if lines is not None and len(inner[0]) == len(inner[1]):
            for part, (old, new) in enumerate(zip(*inner, strict=True)):
                is_touched = new.lines.start < lines[1].stop and lines[1].start < new.lines.stop
                if is_touched and old.language is new.language:
                    made += ((change, part) for change in changes(old, new))
        return tuple(made)

    def _parsed(self, snapshot: Snapshot) -> Parsed:
        """Of a version of a document: the newest has its own parse, and what it was before is asked for at each key."""
        file = self._open.get(snapshot.uri)
        if file is not None and file.parsed.snapshot is snapshot:
            return file.parsed
        known = self._parses.get(id(snapshot))
        if known is None or known.snapshot is not snapshot:
            known = parse_snapshot(snapshot, language_of(snapshot.language_id, snapshot.uri))
            self._parses[id(snapshot)] = known
        return known

    def _places_of(
        self, change: EditPattern, part: int | None, home: File, open_files: Sequence[File]
    ) -> list[tuple[File, Site]]:
        sites = (
            self._places_inside(change, part, home) if part is not None else self._everywhere(change, home, open_files)
        )
        return [(file, place) for file, place in sites if place.sure or self._was_there(change, file, place, sites)]

    def _everywhere(self, change: EditPattern, home: File, open_files: Sequence[File]) -> list[tuple[File, Site]]:
        wanted = words(change, home)
        if _has_too_many(home, wanted):
            return []
        files = [home, *(file for file in open_files if file.uri != home.uri and not _has_too_many(file, wanted))]
        member = member_target(change, home.parsed.language)
        beside = [file for file in files if file.is_beside(home)]
        if member is None and any(rebinds(file, word) for file in beside for word in wanted):
            files = [file for file in files if file not in beside]  # which of both the others mean, nobody can tell
        if is_local(change):
            is_import = isinstance(change, Rename) and change.kind == "import"
            files = [file for file in files if file is home or (is_import and file in beside)]
        else:
            others = self._others.having(wanted, home.parsed.language, {file.uri for file in open_files})
            files += [file for file in others if not _has_too_many(file, wanted)]
        files = [f for f in files if f is home or any(word in f.parsed.snapshot.text for word in wanted)]
        if isinstance(change, Rename) and is_fixture(change, home):
            files = seen_by(home, files, change.old)
        alone = member is not None and not any(has_elsewhere(file.parsed, *member) for file in files)
        files = [replace(file, resolver=self._resolver) for file in files]
        return self._looked_through(change, home, files, alone)

    def _places_inside(self, change: EditPattern, part: int, home: File) -> list[tuple[File, Site]]:
        """The places in the code that is embedded in a document; what shares names with it, nobody can tell."""
        inner = inner_parses(home.parsed)
        if part >= len(inner):
            return []
        there = replace(home, parsed=inner[part])
        member = member_target(change, there.parsed.language)
        if _has_too_many(there, words(change, there)):
            return []
        alone = member is not None and not has_elsewhere(there.parsed, *member)
        return [(home, place) for place in places(change, there, there, alone=alone)]

    def _was_there(self, change: EditPattern, file: File, place: Site, sites: Sequence[tuple[File, Site]]) -> bool:
        """Whether a place that only its text vouches for stood there when its file was first looked at for the change:
        a call with the new order of arguments looks like one with the old."""
        origin = self._origins.get((change, file.uri))
        if origin is None:
            origin = Counter((p.where, p.before) for there, p in sites if there.uri == file.uri)
            self._origins[change, file.uri] = origin
        return bool(origin[place.where, place.before])

    def _looked_through(
        self, change: EditPattern, home: File, files: Sequence[File], alone: bool
    ) -> list[tuple[File, Site]]:
        """The places in files, each looked through once for as long as it and the edited one stay as they are."""
        sites, ends = [], time.monotonic() + MOST_S
        for file in files:
            key = change, home.parsed, file.parsed, alone
            there = self._looked.pop(key, None)
            if there is None and time.monotonic() < ends:
                there = places(change, home, file, alone=alone)
            if there is not None:
                self._looked[key] = there
                self._used.add(key)
                sites += [(file, place) for place in there]
        return sites

    def _forget_unused(self) -> None:
        """What the last search did not use is about parses that no document has any more: each keystroke makes one.
        Of what it used, each parse counts once."""
        used, seen, n_characters = dict[tuple[EditPattern, Parsed, Parsed, bool], list[Site]](), set[int](), 0
        for key in reversed([key for key in self._looked if key in self._used][-KEPT_LOOKS:]):
            new = {id(parsed): len(parsed.snapshot.text) for parsed in key[1:3] if id(parsed) not in seen}
            if used and n_characters + sum(new.values()) > KEPT_CHARACTERS:
                break
            n_characters += sum(new.values())
            seen.update(new)
            used[key] = self._looked[key]
        self._looked = dict(reversed(used.items()))


def _add(candidates: dict[_Key, SiteCandidate], one: SiteCandidate) -> None:
    if len(candidates) < MOST_PLACES:
        candidates.setdefault((one.place.uri, one.place.start, one.place.end, one.place.text), one)


def _has_too_many(file: File, wanted: Sequence[str]) -> bool:
    """Whether a file has one of the words so often that to look at each place would take many seconds."""
    occurrences = (re.finditer(rf"\b{re.escape(word)}\b", file.parsed.snapshot.text) for word in wanted)
    return any(next(islice(places, MOST_USES, None), None) is not None for places in occurrences)


def _chained(changes: Sequence[_Change]) -> list[_Change]:
    """A name that was changed twice: the uses of the first go to the last.  `changes` has the newest first."""
    renames = [(change, part) for change, part in changes if isinstance(change, Rename)]
    made = list[_Change]()
    for n, (newer, part) in enumerate(renames):
        for older, there in renames[n + 1 :]:
            same = (older.uri, older.kind, older.scope, there) == (newer.uri, newer.kind, newer.scope, part)
            if same and older.new == newer.old and older.old != newer.new:
                made.append((Rename(newer.uri, newer.kind, newer.scope, older.old, newer.new), part))
    return list(dict.fromkeys(made))


def point_of(snapshot: Snapshot, byte: int) -> Point:
    """The row and byte column of a byte."""
    data = snapshot.utf8
    return data.count(b"\n", 0, byte), byte - (data.rfind(b"\n", 0, byte) + 1)
