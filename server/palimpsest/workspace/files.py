"""The workspace's files that a model may see.

In: paths, the workspace's folders, patterns to exclude, the documents open in the editor.  Out: texts and listings, or
the reason for a refusal.  All reads of workspace files for a model go through this module, which refuses secrets (by
name, content or link target), ignored files, files outside the workspace (symlinks resolved), and binary and huge
files.  Texts are cached by time stamp and size.  Thread-safe.  Knows no language and no block.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from palimpsest.system.reading import Refused, read
from palimpsest.text import tokens
from palimpsest.text.bounded import forget_oldest
from palimpsest.text.secret_names import is_of_version_control, is_secret
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import is_inside, to_uri
from palimpsest.workspace.gitignore import IgnoreRules

MAX_BYTES = 1_000_000
MAX_ENTRIES = 2_000
"""Entries read of one folder; the listing of a larger one is incomplete."""
MOST_S = 0.5
"""Seconds for listing one folder; with very many ignore patterns the listing is incomplete."""
Stamp = tuple[str, int, int]
"""Identifies a version of a text: an open document's version, or a file's time stamp and size."""
_MOST_CACHED = 512
_MOST_CHARACTERS = 32_000_000
_MISSING: Any = object()
T = TypeVar("T")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder.  A link to a folder is listed as a folder but never entered."""

    name: str
    is_dir: bool
    is_link: bool


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's text in the editor, if it is open there, else on disk."""

    uri: str
    text: str
    stamp: Stamp


class WorkspaceFiles:
    """`open_document` finds the snapshot of a document that is open in the editor, whose text replaces the file's."""

    def __init__(
        self,
        roots: Sequence[Path],
        exclude: Sequence[str] = (),
        open_document: Callable[[str], Snapshot | None] = lambda _: None,
    ) -> None:
        self.roots = tuple(Path(os.path.abspath(root)) for root in roots)
        self._rules = {root: IgnoreRules(root, exclude) for root in self.roots}
        self._open_document = open_document
        self._texts: dict[Path, FileText] = {}
        self._secrets: dict[Path, tuple[str, str]] = {}  # the text that was searched, and the kind of secret found
        self._listings: dict[Path, tuple[object, tuple[Entry, ...]]] = {}
        self._answers: dict[Hashable, Any] = {}
        self._lock = threading.Lock()

    def look_again(self) -> None:
        """Forget answers that are valid for one gathering; called before each."""
        self._answers.clear()
        for rules in self._rules.values():
            rules.look_again()

    def once(self, about: Hashable, look: Callable[[], T]) -> T:
        """`look()`, called once until `look_again`: several sources need the same answers."""
        found: T = self._answers.get(about, _MISSING)
        if found is _MISSING:
            found = self._answers[about] = look()
        return found

    def root_of(self, path: Path) -> Path | None:
        """The innermost workspace folder that contains `path` as written, or None."""
        around = [root for root in self.roots if path.is_relative_to(root)]
        return max(around, key=lambda root: len(root.parts), default=None)

    def refusal(self, path: Path, *, pinned: bool = False) -> str | None:
        """Why a block may not contain the file, as the end of a sentence; None if it may.

        A pinned file may be ignored by git; nothing else changes.
        """
        return self.once(("refusal", path, pinned), lambda: self._refusal(path, pinned))

    def kept_out(self, path: Path, *, pinned: bool = False) -> str | None:
        """`refusal` by path alone; the file need not exist."""
        real = _resolved(path)
        root, real_root = self.root_of(path), self._root_of_real(real)
        if is_secret(path, root) or is_secret(real, real_root and real_root.resolve()):
            return "looks like a file of secrets"
        if not is_inside(path, self.roots) or real_root is None:
            return "is outside the workspace"
        below = real_root / real.relative_to(real_root.resolve())  # links resolved below the folder as written
        if is_of_version_control(path.relative_to(root) if root else path) or is_of_version_control(
            below.relative_to(real_root)
        ):
            return "is version control's own"
        if not pinned and (root is None or self._rules[root].ignored(path) or self._rules[real_root].ignored(below)):
            return "is ignored by git or by the setting context.exclude"
        return None

    def _gives_away(self, path: Path, text: str) -> str | None:
        known = self._secrets.get(path)
        if known is None or (known[0] is not text and known[0] != text):
            known = text, tokens.found(text)
            with self._lock:
                _keep(self._secrets, path, known)
        return f"holds what looks like {known[1]}" if known[1] else None

    def why_not(self, path: Path, *, pinned: bool = False) -> str | None:
        """Why `source` returns None, as the end of a sentence; None if it returns a text."""
        if (reason := self.refusal(path, pinned=pinned)) is not None:
            return reason
        source = self._read(path, pinned)
        return "is no UTF-8 text" if source is None else self._gives_away(path, source.text)

    def gives_away(self, path: Path) -> str | None:
        """Which secret is in the text of a file that may otherwise be read, as the end of a sentence; None for none."""
        source = self._read(path, False)
        return None if source is None else self._gives_away(path, source.text)

    def _root_of_real(self, real: Path) -> Path | None:
        """The innermost workspace folder, as written, that contains a path with its links resolved."""
        around = [(root, len(there.parts)) for root in self.roots if real.is_relative_to(there := _resolved(root))]
        return max(around, key=lambda found: found[1], default=(None, 0))[0]

    def _refusal(self, path: Path, pinned: bool) -> str | None:
        if (reason := self.kept_out(path, pinned=pinned)) is not None:
            return reason
        try:
            status = path.stat()
        except OSError as error:
            return f"cannot be read: {error.strerror or error}"
        if not path.is_file():
            return "is not a file"
        return f"is larger than {MAX_BYTES:,} bytes" if status.st_size > MAX_BYTES else None

    def source(self, path: Path, *, pinned: bool = False, having: Collection[str] = ()) -> FileText | None:
        """The text; None for a file that is refused or binary, has a secret in it, or none of the words `having`."""
        source = self._read(path, pinned)
        if source is not None and having and not any(word in source.text for word in having):
            return None
        return None if source is None or self._gives_away(path, source.text) else source

    def described(self, path: Path) -> FileText | None:
        """`source` for describing a module: of a text with secrets, these are masked."""
        source = self._read(path, False)
        if source is None or not self._gives_away(path, source.text):
            return source
        return FileText(source.uri, tokens.masked(source.text), source.stamp)

    def _read(self, path: Path, pinned: bool) -> FileText | None:
        return self.once(("source", path, pinned), lambda: self._source(path, pinned))

    def _source(self, path: Path, pinned: bool) -> FileText | None:
        if self.refusal(path, pinned=pinned) is not None:
            return None
        uri = to_uri(path)
        snapshot = self._open_document(uri)
        if snapshot is not None:
            return FileText(uri, snapshot.text, ("open", snapshot.version, len(snapshot.text)))
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
            _keep(self._texts, path, found)
            forget_oldest(self._texts, _MOST_CACHED, lambda source: len(source.text), _MOST_CHARACTERS)
        return found

    def listing(self, folder: Path) -> tuple[Entry, ...]:
        """The entries of a folder, sorted, without ignored files and secrets; empty if there is no such folder."""
        return self.once(("listing", folder), lambda: self._listing(folder))

    def _listing(self, folder: Path) -> tuple[Entry, ...]:
        root = self.root_of(folder)
        if root is None or not is_inside(folder, self.roots):
            return ()
        rules = self._rules[root]
        try:
            stamp = (folder.stat().st_mtime_ns, rules.stamp(folder))
        except OSError:
            return ()
        known = self._listings.get(folder)
        if known is not None and known[0] == stamp:
            return known[1]
        ends = time.monotonic() + MOST_S
        entries = (
            tuple(sorted(_entries(folder, rules, ends), key=lambda e: e.name)) if not self._ignored(folder) else ()
        )
        if time.monotonic() < ends:
            with self._lock:
                _keep(self._listings, folder, (stamp, entries))
        return entries

    def _ignored(self, folder: Path) -> bool:
        root = self.root_of(folder)
        return root is None or self._rules[root].ignored(folder, is_dir=True)


def _entries(folder: Path, rules: IgnoreRules, ends: float) -> list[Entry]:
    found = list[Entry]()
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(MAX_ENTRIES), entries, strict=False):
                if time.monotonic() > ends:
                    break
                try:
                    is_dir = entry.is_dir()
                except OSError:
                    continue
                if is_secret(folder / entry.name, rules.root) or rules.ignored_in(folder, entry.name, is_dir=is_dir):
                    continue
                found.append(Entry(entry.name, is_dir, entry.is_symlink()))
    except OSError:
        return []
    return found


def decoded(data: bytes) -> str | None:
    """UTF-8 text; None for anything else."""
    if b"\0" in data[:8192]:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path


def _keep(cache: dict[Path, V], key: Path, value: V) -> None:
    """Add to a cache and drop its oldest entry if there are too many."""
    cache.pop(key, None)
    cache[key] = value
    if len(cache) > _MOST_CACHED:
        del cache[next(iter(cache))]
