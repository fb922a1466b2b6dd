"""Which documents never reach the engine: files of secrets, those that `.palimpsestignore` names and, for an engine
elsewhere, files that git ignores.

In: snapshots, the settings, the workspace's folders.  Out: the reason why nothing of a document is completed, suggested
or shown to a model, or none.  Owner of what is known of each open document; one that was reached through a link to a
secret stays secret until it is closed, even if the link changes.

While a person types, only the changed lines are searched, also for a token that is not complete yet; a document in
which one was found stays secret until no part of one is left.  Documents outside every folder, and those that are not
files yet, are judged by name and text; git's rules are not looked up for them.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from palimpsest.config.settings import EngineSettings, Settings
from palimpsest.errors import InvalidArgument
from palimpsest.system.engine_address import is_loopback
from palimpsest.text import tokens
from palimpsest.text.roots import Roots, outermost
from palimpsest.text.secret_names import is_of_version_control, is_secret
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import path_or_none
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.gitignore import OURS

AROUND = 2_000
"""Characters before and after a change that are searched with it: a key's head and its first lines."""
LONGEST_LINE = 20_000
"""Characters of the lines at both ends of that, which are searched whole where they are shorter."""


@dataclass(slots=True)
class _Known:
    text: str
    kind: str
    written: str
    place: str | None = None


class Privacy:
    """One window's.  `settings` and `roots` are read each time, because they change."""

    def __init__(self, settings: Callable[[], Settings], roots: Callable[[], Roots]) -> None:
        self._settings, self._roots = settings, roots
        self._known: dict[str, _Known] = {}
        self._files: tuple[object, WorkspaceFiles] | None = None

    def why_not(self, snapshot: Snapshot) -> str:
        """Why nothing of a document goes to the engine, as the end of "… off here: it"; "" where it may."""
        known = self._known.get(snapshot.uri)
        if known is None or known.text is not snapshot.text:
            kind = _find_secret(known, snapshot.text)
            written, place = (known.written, known.place) if known else (snapshot.uri, None)
            is_open = known is not None
            known = _Known(snapshot.text, kind, written, place)
            if is_open:  # one that was closed is still asked about by what was under way
                self._known[snapshot.uri] = known
        if known.place is None:
            known.place = _secret_place(known.written, self._roots().folders)
        if known.place:
            return known.place
        if known.kind:
            return f"holds what looks like {known.kind}"
        return self._why_ignored(snapshot.uri) or (
            self._why_ignored(known.written) if known.written != snapshot.uri else ""
        )

    def opened(self, snapshot: Snapshot, written: str) -> None:
        """`written`: its URI as the editor writes it, whose links lead to it: both places count."""
        self._known[snapshot.uri] = _Known(snapshot.text, tokens.found(snapshot.text), written)
        self.why_not(snapshot)

    def check(self, snapshot: Snapshot) -> None:
        """Raises InvalidArgument for a document of which nothing goes to the engine."""
        if reason := self.why_not(snapshot):
            raise InvalidArgument("uri", f"{snapshot.uri} {reason}; nothing of it is shown to a model.")

    def closed(self, uri: str) -> None:
        self._known.pop(uri, None)

    def look(self, uri: str) -> None:
        """Ask the disk where a document's links lead now.  May be called on any thread."""
        if (known := self._known.get(uri)) is not None:
            known.place = known.place or _secret_place(known.written, self._roots().folders)

    def look_again(self) -> None:
        """Files of rules may have changed, and where links lead."""
        for known in self._known.values():
            known.place = known.place or None
        if self._files is not None:
            self._files[1].look_again()

    def _why_ignored(self, uri: str) -> str:
        settings, path = self._settings(), path_or_none(uri)
        if path is None:
            return ""
        key = self._roots().folders, settings.context.exclude
        if self._files is None or self._files[0] != key:
            self._files = key, WorkspaceFiles(*key)
        files = self._files[1]
        if files.root_of(path) is None:
            return ""
        if files.hidden(path):
            return f"is named in {OURS}"
        if settings.context.ignored_elsewhere or not _is_elsewhere(settings.engine):
            return ""
        reason = files.once(("kept out", path), lambda: files.kept_out(path))
        return f"{reason} (context.ignored_elsewhere)" if reason is not None and "ignored" in reason else ""


def _find_secret(known: _Known | None, text: str) -> str:
    if known is None:
        return tokens.found(text)
    if known.kind:
        return tokens.found(text) or tokens.found(text, parts=True)
    piece = _changed(known.text, text)
    return tokens.found(piece) or tokens.found(piece, parts=True)


def _changed(old: str, new: str) -> str:
    """The part of `new` that differs from `old`, with some text around it, in whole lines unless these are very long.
    Found by bisection: comparing slices is fast."""
    start = _same(len(old), len(new), lambda n: old[:n] == new[:n])
    end = _same(len(old) - start, len(new) - start, lambda n: old[len(old) - n :] == new[len(new) - n :])
    first, last = max(0, start - AROUND), min(len(new), len(new) - end + AROUND)
    line_end = new.find("\n", last, last + LONGEST_LINE)
    line_start = new.rfind("\n", max(0, first - LONGEST_LINE), first) + 1
    return new[line_start or max(0, first - LONGEST_LINE) : line_end if line_end >= 0 else last + LONGEST_LINE]


def _same(a: int, b: int, is_same: Callable[[int], bool]) -> int:
    low, high = 0, min(a, b)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_same(middle) else (low, middle - 1)
    return low


def _secret_place(uri: str, roots: tuple[Path, ...]) -> str:
    """Why a document is secret by what it is called and where its links lead; "" where it is not."""
    path = path_or_none(uri)
    if path is None:  # of another machine, in an archive, not saved yet: its name is all there is
        try:
            parts = urlsplit(uri)
        except ValueError:
            return "has no name that can be read"
        places: list[tuple[PurePosixPath | Path, Path | None]] = [(PurePosixPath(unquote(parts.path)), None)]
    else:
        real = Path(os.path.realpath(path))
        places = [(there, outermost(there, roots)) for there in (path, real)]
    if any(is_secret(there, root) for there, root in places):
        return "looks like a file of secrets"
    if any(is_of_version_control(there.relative_to(root) if root else there) for there, root in places):
        return "is version control's own"
    return ""


def _is_elsewhere(engine: EngineSettings) -> bool:
    """Whether requests leave this machine, as far as an address tells."""
    if engine.kind == "none" or not engine.url.strip():
        return False
    try:
        return not is_loopback(urlsplit(engine.url.strip()).hostname or "")
    except ValueError:
        return True
