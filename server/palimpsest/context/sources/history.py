"""`recent` blocks from git: what of the file is not committed, and the last commits that changed the function.

In: a view, the repository that its file is in.  Out: a short diff of the saved file against the last commit, and the
commits with their subjects and changed lines.  Git is asked in the background, when the cursor comes into another
function and when a file is saved; what is being typed changes no block.
"""

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path

from palimpsest.context.estimate import head
from palimpsest.context.sources.answers import Answers
from palimpsest.context.sources.source import Source
from palimpsest.context.values import COMMITS, UNCOMMITTED
from palimpsest.context.view import CursorView
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_file
from palimpsest.syntax.scopes import scopes
from palimpsest.system.git import Commit, commits_of, last_version
from palimpsest.system.reading import read, stamp
from palimpsest.system.repository import top_of
from palimpsest.text.tokens import masked
from palimpsest.types import Block
from palimpsest.workspace.files import MAX_BYTES, WorkspaceFiles, decoded

MOST_COMMITS = 3
MAX_TOKENS = 160
"""A block of history takes at most this many tokens."""
MOST_LINES = 4_000
"""A longer file is not compared."""
_CHANGED_LINES = 12
"""At most this many changed lines of one commit are shown."""
_STATE_OF = ("HEAD", "logs/HEAD", "index")


@dataclass(frozen=True, slots=True)
class HistoryPlace:
    """A function or class of a file, or with an empty name the file itself."""

    path: Path
    language_id: str
    name: str = ""


class HistorySource(Source):
    """`own` is looked at by this source's own thread alone."""

    name = "git"
    setting = "git"

    def __init__(self, files: WorkspaceFiles, own: WorkspaceFiles, executor: Executor | None) -> None:
        self._files, self._own = files, own
        self._diffs = Answers[Path, tuple[str, ...]](self._uncommitted, executor, ())
        self._commits = Answers[HistoryPlace, tuple[Commit, ...]](self._touching, executor, ())
        self.readers = (self._diffs, self._commits)

    def candidates(self, view: CursorView) -> list[Block]:
        path = view.path
        if path is None or view.root is None or not (state := self._state(path, view.root)):
            return []
        blocks = [self._changes(view, self._diffs.ask(path, state))]
        function = self._function(view, path)
        if function is not None:
            blocks.append(self._history(view, function, self._commits.ask(function, state)))
        return [block for block in blocks if block is not None]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        if view.path is None:
            return False
        own = self._changes(view, self._diffs.last(view.path))
        if own is not None and own.name == block.name:
            return own.text == block.text
        name = block.name.removesuffix(" in git").partition(" ")[2]
        function = HistoryPlace(view.path, view.parsed.snapshot.language_id, name)
        known = self._history(view, function, self._commits.last(function))
        return known is not None and known.text == block.text

    def _state(self, path: Path, root: Path) -> tuple[object, ...]:
        """What changes when the file is saved and when something is committed; empty outside a repository."""

        def look() -> tuple[object, ...]:
            top = top_of(path.parent)
            git = top / ".git"
            if not top.is_relative_to(root) and not root.is_relative_to(top):
                return ()
            stamps = [stamp(path), stamp(git), *(stamp(git / name) for name in _STATE_OF)]
            return tuple(stamps) if stamps[1] is not None and stamps[0] is not None else ()

        return self._files.seen(("committed", path, root), look)

    def _function(self, view: CursorView, path: Path) -> HistoryPlace | None:
        if view.scope.kind == "file":
            return None
        return HistoryPlace(path, view.parsed.snapshot.language_id, view.scope.qualified_name)

    def _changes(self, view: CursorView, diff: tuple[str, ...]) -> Block | None:
        lines = head(diff, min(MAX_TOKENS, view.settings.block_tokens))
        if not lines:
            return None
        text = "\n".join(lines)
        return Block("recent", f"{view.file} not committed", text, UNCOMMITTED, uri=view.uri, source=self.name)

    def _history(self, view: CursorView, function: HistoryPlace, commits: tuple[Commit, ...]) -> Block | None:
        every_line = list[str]()
        for commit in commits:
            every_line += [f"{commit.day} {commit.subject}", *commit.changed[:_CHANGED_LINES]]
        lines = head(every_line, min(MAX_TOKENS, view.settings.block_tokens))
        if not lines:
            return None
        name, text = f"{view.file} {function.name} in git", "\n".join(lines)
        return Block("recent", name, text, COMMITS, uri=view.uri, source=self.name)

    def _uncommitted(self, path: Path) -> tuple[str, ...]:
        """The saved file against the last commit, without headers; empty for a file that no block may contain."""
        if not self._may_show(path):
            return ()
        before, now = self._committed(path), decoded(read(path, MAX_BYTES, self._own.roots))
        if before is None or now is None or before == now:
            return ()
        old, new = masked(before).splitlines(), masked(now).splitlines()
        if max(len(old), len(new)) > MOST_LINES:
            return ()
        lines = list(unified_diff(old, new, n=1, lineterm=""))[2:]  # without the names
        return tuple("..." if line.startswith("@@") else line for line in lines)

    def _touching(self, function: HistoryPlace) -> tuple[Commit, ...]:
        """The commits of a function, by where it is in the last commit."""
        if not self._may_show(function.path):
            return ()
        text = self._committed(function.path)
        if text is None:
            return ()
        parsed = parse_file(text, language_of(function.language_id, function.path.name))
        scope = next((it for it in scopes(parsed) if it.qualified_name == function.name and it.kind != "file"), None)
        if scope is None:
            return ()
        commits = commits_of(function.path, scope.start_line, scope.end_line - 1, MOST_COMMITS)
        return tuple(replace(commit, changed=()) if _has_secret(commit) else commit for commit in commits)

    def _may_show(self, path: Path) -> bool:
        """Whether a block may have the file's history; not that of a link, which leads elsewhere than what git has."""
        self._own.look_again()
        return self._own.source(path) is not None and not path.is_symlink()

    def _committed(self, path: Path) -> str | None:
        data = last_version(path)
        text = None if data is None else decoded(data)
        return None if text is None else text.replace("\r\n", "\n")


def _has_secret(commit: Commit) -> bool:
    text = "\n".join(line[1:] for line in commit.changed)
    return masked(text) != text
