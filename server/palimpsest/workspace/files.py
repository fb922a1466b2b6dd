"""The workspace's files that a model may see.

In: paths, the workspace's folders, patterns to exclude, the documents open in the editor.  Out: texts and listings, or
the reason for a refusal.  All reads of workspace files for a model go through this module, which refuses secrets (by
name, content or link target), ignored files, files outside the workspace (symlinks resolved), and binary, minified
and huge files.  Texts are cached by time stamp and size.  Thread-safe.  Knows no language and no block.
"""

import codecs
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from palimpsest.newest import Newest
from palimpsest.system.reading import Refused, read
from palimpsest.text import tokens
from palimpsest.text.minified import is_minified
from palimpsest.text.patterns import MOST_LEVELS
from palimpsest.text.roots import innermost, outermost
from palimpsest.text.secret_names import is_of_version_control, is_secret
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import is_inside, to_uri
from palimpsest.workspace.gitignore import OURS, IgnoreRules

MAX_BYTES = 1_000_000
MAX_ENTRIES = 2_000
"""Entries read of one folder; the listing of a larger one is incomplete."""
MOST_S = 0.5
"""Seconds for listing one folder; with very many ignore patterns or a slow disk the listing is incomplete."""
Stamp = tuple[str, int, int]
"""Identifies a version of a text: an open document's version, or a file's time stamp and size."""
SECRET = "looks like a file of secrets"
OUTSIDE = "is outside the workspace"
_MOST_CACHED = 512
_MOST_CHARACTERS = 32_000_000
_MISSING: Any = object()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One name in a folder.  A link to a folder is listed as a folder but never entered."""

    name: str
    is_dir: bool
    is_link: bool


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's text in the editor, if it is open there, else on disk; `uri` is its real path's."""

    uri: str
    text: str
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a path leads to: `real`, in a workspace folder that is written `root`; `below` is the place as that folder
    is written; `top`: the outermost folder around it, its links resolved."""

    root: Path
    real: Path
    top: Path
    below: Path


class WorkspaceFiles:
    """`open_document` finds the snapshot of a document that is open in the editor, whose text replaces the file's.
    `kept`: the most texts that are kept for another time; `most_entries`: of one folder.  `clock` bounds a listing:
    time for whom a person waits, `time.thread_time` for what nobody waits for and a busy machine must not cut short."""

    def __init__(
        self,
        roots: Sequence[Path],
        exclude: Sequence[str] = (),
        open_document: Callable[[str], Snapshot | None] = lambda _: None,
        kept: int = _MOST_CACHED,
        most_entries: int = MAX_ENTRIES,
        clock: Callable[[], float] = lambda: time.monotonic(),
    ) -> None:
        self.roots = tuple(Path(os.path.abspath(root)) for root in roots)
        self._rules = dict[Path, IgnoreRules]()
        for root in sorted(self.roots, key=lambda one: len(one.parts)):
            around = [rules for outer, rules in self._rules.items() if outer != root and root.is_relative_to(outer)]
            self._rules[root] = IgnoreRules(root, exclude, around)
        self._open_document = open_document
        self._most_entries = most_entries
        self._clock = clock
        self._texts = Newest[Path, FileText](kept, lambda _, source: len(source.text), _MOST_CHARACTERS)
        self._secrets = Newest[Path, tuple[str, str]](_MOST_CACHED)  # the text that was searched, and what was found
        self._listings = Newest[Path, tuple[object, tuple[FolderEntry, ...]]](_MOST_CACHED)
        self._answers: dict[Hashable, Any] = {}
        self._seen: dict[Hashable, Any] = {}
        self._lock = threading.Lock()

    def look_again(self, *, disk: bool = True) -> None:
        """Forget answers that are valid for one gathering; called before each.  Without `disk`, what was seen of it
        still holds."""
        self._answers.clear()
        if disk:
            self._seen.clear()
            for rules in self._rules.values():
                rules.look_again()

    def once(self, about: Hashable, look: Callable[[], T]) -> T:
        """`look()`, called once until `look_again`: several sources need the same answers."""
        return _known(self._answers, about, look)

    def seen(self, about: Hashable, look: Callable[[], T]) -> T:
        """The same for what depends on the disk alone, on no open document: called once until the disk is looked at
        again."""
        return _known(self._seen, about, look)

    def root_of(self, path: Path) -> Path | None:
        """The innermost workspace folder that contains `path` as written, or None."""
        return self.seen(("root of", path), lambda: innermost(path, self.roots))

    def folders_around(self, path: Path) -> list[Path]:
        """The folders around a path up to its workspace folder, innermost first; empty outside of the workspace."""
        root = self.root_of(path)
        return [folder for folder in path.parents if root is not None and folder.is_relative_to(root)]

    def has_folder(self, folder: Path) -> bool:
        """Whether a folder is in the workspace, as it is written and with its links followed."""
        return self.root_of(folder) is not None and is_inside(folder, self.roots)

    def shows_own(self, path: Path) -> bool:
        """Whether a block may contain the file, and a workspace folder does."""
        return self.root_of(path) is not None and self.shows(path)

    def refusal(self, path: Path, *, pinned: bool = False) -> str | None:
        """Why a block may not contain the file, as the end of a sentence; None if it may.

        A pinned file may be ignored by git, not by `.palimpsestignore`; nothing else changes.
        """
        return self.seen(("refusal", path, pinned), lambda: self._refusal(path, pinned))

    def shows(self, path: Path) -> bool:
        """Whether a block may contain the file.  One that is not there costs a look at the disk and no more: an import
        may mean one of many files."""
        return self.is_there(path) and self.refusal(path) is None

    def is_outside(self, path: Path) -> bool:
        """Whether it leads outside of the workspace, its links followed."""
        return self._real(path) is None

    def is_there(self, path: Path) -> bool:
        """Whether there is such a file, whoever may read it."""
        return self.seen(("there", path), lambda: os.path.isfile(path))

    def hidden(self, path: Path) -> bool:
        """Whether a `.palimpsestignore` names the file, a folder around it, or what its links lead to."""
        return self.seen(("hidden", path), lambda: self._hidden(path))

    def _hidden(self, path: Path) -> bool:
        root = self.root_of(path)
        if root is not None and self._rules[root].hidden(path):
            return True
        place = self._real(path)
        return place is not None and place.below != path and self._rules[place.root].hidden(place.below)

    def _real(self, path: Path) -> _Place | None:
        """Where a path leads to, its links resolved; None for a path that leads outside."""
        return self.seen(("real", path), lambda: self._place(path))

    def _place(self, path: Path) -> _Place | None:
        try:
            real = self._resolved(path)
        except (OSError, RuntimeError, ValueError):  # a loop of links, or no path at all
            return None
        roots = self.seen("roots", lambda: [(root, _resolved(root)) for root in self.roots])
        around = [(root, there) for root, there in roots if real.is_relative_to(there)]
        if not around:
            return None
        root, there = max(around, key=lambda found: len(found[1].parts))
        top = min((one for _, one in around), key=lambda one: len(one.parts))
        return _Place(root, real, top, root / real.relative_to(there))

    def _resolved(self, path: Path) -> Path:
        """`path.resolve()`, for which each folder is looked at once.  Raises as it does."""
        if path.parent == path or ".." in path.parts or len(path.parts) > MOST_LEVELS:
            return path.resolve()
        there = self.seen(("resolved", path.parent), lambda: self._resolved(path.parent)) / path.name
        try:
            is_link = stat.S_ISLNK(os.lstat(there).st_mode)
        except OSError:  # nothing is there
            is_link = False
        return there.resolve() if is_link else there

    def kept_out(self, path: Path, *, pinned: bool = False) -> str | None:
        """`refusal` by path alone; the file need not exist."""
        root, place = self.root_of(path), self._real(path)
        if is_secret(path, outermost(path, self.roots)) or self._leads_to_secret(path, place):
            return SECRET
        if place is None:
            return OUTSIDE
        if is_of_version_control(path.relative_to(root) if root else path) or is_of_version_control(
            place.below.relative_to(place.root)
        ):
            return "is version control's own"
        if self.hidden(path):
            return f"is named in {OURS}"
        if not pinned and (root is None or self._rules[root].ignored(path) or self._leads_to_ignored(path, place)):
            return "is ignored by git or by the setting context.exclude"
        return None

    def _leads_to_secret(self, path: Path, place: _Place | None) -> bool:
        if place is None:
            return is_secret(_resolved(path))
        return place.real != path and is_secret(place.real, place.top)

    def _leads_to_ignored(self, path: Path, place: _Place) -> bool:
        return place.below != path and self._rules[place.root].ignored(place.below)

    def _gives_away(self, path: Path, text: str) -> str | None:
        known = self._secrets.get(path)
        if known is None or (known[0] is not text and known[0] != text):
            known = text, tokens.found(text)
            with self._lock:
                self._secrets[path] = known
        return f"holds what looks like {known[1]}" if known[1] else None

    def _kept_back(self, path: Path, text: str) -> str | None:
        return "is minified code" if is_minified(text) else self._gives_away(path, text)

    def may_write(self, path: Path) -> bool:
        """Whether the file is not write-protected; True for one that does not exist."""
        return self.seen(("may write", path), lambda: _may_write(path))

    def is_excluded(self, path: Path) -> bool:
        """Whether context.exclude or `.palimpsestignore` names the file or a folder around it, as it is written or
        where its links lead."""
        root = self.root_of(path)
        if root is not None and self._rules[root].excluded(path):
            return True
        place = self._real(path)
        return place is not None and self._rules[place.root].excluded(place.below)

    def why_not(self, path: Path, *, pinned: bool = False) -> str | None:
        """Why `source` returns None, as the end of a sentence; None if it returns a text."""
        if (reason := self.refusal(path, pinned=pinned)) is not None:
            return reason
        source = self._read(path, pinned)
        return "is no UTF-8 text" if source is None else self._kept_back(path, source.text)

    def is_too_large(self, path: Path) -> bool:
        """Whether nothing but its size keeps it from being read."""
        if self.kept_out(path) is not None:
            return False
        try:
            return path.is_file() and path.stat().st_size > MAX_BYTES
        except (OSError, ValueError):
            return False

    def gives_away(self, path: Path) -> str | None:
        """Which secret is in the text of a file that may otherwise be read, as the end of a sentence; None for none."""
        source = self._read(path, False)
        return None if source is None else self._gives_away(path, source.text)

    def _refusal(self, path: Path, pinned: bool) -> str | None:
        if (reason := self.kept_out(path, pinned=pinned)) is not None:
            return reason
        try:
            status = path.stat()
        except ValueError:
            return "is no path"
        except OSError as error:
            return f"cannot be read: {error.strerror or error}"
        if not path.is_file():
            return "is not a file"
        return f"is larger than {MAX_BYTES:,} bytes" if status.st_size > MAX_BYTES else None

    def source(self, path: Path, *, pinned: bool = False, having: Collection[str] = ()) -> FileText | None:
        """The text; None for a file that is refused, binary or minified, has a secret in it, or none of the words
        `having`."""
        source = self._read(path, pinned)
        if source is not None and having and not any(word in source.text for word in having):
            return None
        return None if source is None or self._kept_back(path, source.text) else source

    def described(self, path: Path) -> FileText | None:
        """`source` for describing a module: of a text with secrets, these are masked."""
        source = self._read(path, False)
        if source is None or is_minified(source.text):
            return None
        if not self._gives_away(path, source.text):
            return source
        return FileText(source.uri, tokens.masked(source.text), source.stamp)

    def _read(self, path: Path, pinned: bool) -> FileText | None:
        return self.once(("source", path, pinned), lambda: self._source(path, pinned))

    def _source(self, path: Path, pinned: bool) -> FileText | None:
        if self.refusal(path, pinned=pinned) is not None:
            return None
        place = self._real(path)
        uri = to_uri(path if place is None else place.real)  # by whatever links it is reached
        snapshot = self._open_document(uri)
        if snapshot is not None:
            return FileText(uri, snapshot.text, ("open", snapshot.version, len(snapshot.text)))
        return self.seen(("text", path), lambda: self._on_disk(path, uri))

    def _on_disk(self, path: Path, uri: str) -> FileText | None:
        try:
            status = path.stat()
            stamp = ("disk", status.st_mtime_ns, status.st_size)
            known = self._texts.get(path)
            if known is not None and known.stamp == stamp:
                return known
            data = read(path, MAX_BYTES, self.roots)
        except (OSError, Refused):
            return None
        text = decoded(data)
        if text is None:
            return None
        found = FileText(uri, text, stamp)
        with self._lock:
            self._texts[path] = found
        return found

    def listing(self, folder: Path) -> tuple[FolderEntry, ...]:
        """The entries of a folder, sorted, without ignored files and secrets; empty if there is no such folder."""
        return self.seen(("listing", folder), lambda: self._listing(folder))

    def _listing(self, folder: Path) -> tuple[FolderEntry, ...]:
        root = self.root_of(folder)
        if root is None or self._real(folder) is None:
            return ()
        rules = self._rules[root]
        try:
            stamp = (folder.stat().st_mtime_ns, rules.stamp(folder))
        except OSError:
            return ()
        known = self._listings.get(folder)
        if known is not None and known[0] == stamp:
            return known[1]
        clock, most = self._clock, self._most_entries
        ends = clock() + MOST_S * most / MAX_ENTRIES
        found = _entries(folder, rules, lambda: clock() > ends, most) if not rules.ignored(folder, is_dir=True) else []
        entries = tuple(sorted(found, key=lambda entry: entry.name))
        if clock() < ends:
            with self._lock:
                self._listings[folder] = stamp, entries
        return entries


def _entries(folder: Path, rules: IgnoreRules, is_late: Callable[[], bool], most: int) -> list[FolderEntry]:
    found = list[FolderEntry]()
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(most), entries, strict=False):
                if is_late():
                    break
                try:
                    is_dir = entry.is_dir()
                except OSError:
                    continue
                if is_secret(folder / entry.name, rules.root) or rules.ignored_in(folder, entry.name, is_dir=is_dir):
                    continue
                found.append(FolderEntry(entry.name, is_dir, entry.is_symlink()))
    except OSError:
        return []
    return found


def _may_write(path: Path) -> bool:
    """By its mode too: an administrator may write everything, but a write-protected file is so on purpose."""
    try:
        return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)
    except (OSError, ValueError):
        return not os.path.lexists(path)


_CODECS = ("iso8859", "cp", "koi8", "mac", "euc", "shift", "gb", "big5")
"""Those that files are written in.  Others are quadratic (`idna`), or read escapes (`unicode_escape`)."""
_CODING = re.compile(rb"(?:[^\n]*\n)?[^\n]*?coding[:=][ \t]*([-\w.]{1,40})")


def decoded(data: bytes) -> str | None:
    """UTF-8 text, or in the encoding that its first two lines name (PEP 263; Emacs and Vim read the same); None for
    anything else."""
    if b"\0" in data[:8192]:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        named = _CODING.match(data)
    try:
        name = codecs.lookup(named[1].decode("ascii")).name if named is not None else ""
        return data.decode(name) if name.startswith(_CODECS) else None
    except (UnicodeDecodeError, LookupError):
        return None


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


def _known(answers: dict[Hashable, Any], about: Hashable, look: Callable[[], T]) -> T:
    found: T = answers.get(about, _MISSING)
    if found is _MISSING:
        found = answers[about] = look()
    return found
