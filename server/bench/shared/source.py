"""Real functions of a workspace, in an order that a seed decides.

In: a folder.  Out: `Function`s of the files that may enter a context block, tests left out: what git ignores, secrets
and links are not read.  Knows no model.
"""

from __future__ import annotations

import shutil
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from palimpsest.checking.source import NOT_OURS, TESTS, parsed_source, source_paths
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.values import Scope
from palimpsest.workspace.files import WorkspaceFiles

_NO_MODULES = ("__pycache__", "idlelib", "lib2to3", "turtledemo", "config-*", "*.so", "*.a", "*.o", "*.exe", "*.whl")
"""Of the standard library's folder: what is no library, or none in Python."""


@dataclass(frozen=True)
class Function:
    """A function or method; `file` is its path below the workspace's folder, with forward slashes."""

    path: Path
    file: str
    parsed: Parsed
    scope: Scope

    @property
    def document(self) -> tuple[str, ...]:
        """The lines of its whole file."""
        return self.parsed.snapshot.lines

    @property
    def end(self) -> int:
        """Behind its last line that is not blank."""
        last = self.scope.end_line
        while last > self.scope.start_line and not self.document[last - 1].strip():
            last -= 1
        return last

    @property
    def lines(self) -> list[str]:
        return list(self.document[self.scope.start_line : self.end])

    def statements(self) -> list[range]:
        """Document lines of the body's statements, docstring and comments left out; of a compound one its header."""
        found = [
            lines
            for lines in self.parsed.language.statements(self.document, self.scope.body_start_line, self.end)
            if not self.document[lines.start].lstrip().startswith("#")
        ]
        is_docstring = bool(found) and self.document[found[0].start].lstrip().lstrip("rRuU")[:1] in ("'", '"')
        return found[is_docstring:]

    def with_body(self, statement: str) -> str:
        """Its whole file, with one statement in the place of the body's."""
        first = self.statements()[0].start
        text = self.document[first]
        indent = text[: len(text) - len(text.lstrip())]
        return "\n".join([*self.document[:first], indent + statement, *self.document[self.end :]])


def functions(folder: Path, random: Random, most_lines: int) -> Iterator[Function]:
    """Functions of at most so many lines with a body below their header: one of each file, files in random order, then
    another one of each, and so on.  Of code that parses; none that is inside another one."""
    root = folder.absolute()
    files = WorkspaceFiles((root,))
    paths = list(source_paths(files, root))
    random.shuffle(paths)
    left: list[list[Function]] = []
    for path in paths:
        if found := list(_functions_of(files, path, root, most_lines)):
            random.shuffle(found)
            yield found.pop()
            left.append(found)
    while left := [found for found in left if found]:
        yield from (found.pop() for found in left)


def standard_library(into: Path) -> Path:
    """A copy of this Python's own modules, as a workspace: where they are, a version manager's git may ignore them."""
    left_out = shutil.ignore_patterns(*NOT_OURS, *TESTS, *_NO_MODULES)
    return Path(shutil.copytree(sysconfig.get_path("stdlib"), into / "library", ignore=left_out))


def _functions_of(files: WorkspaceFiles, path: Path, root: Path, most_lines: int) -> Iterator[Function]:
    if (parsed := parsed_source(files, path)) is None:
        return
    for scope in scopes(parsed):
        inside = scope.parent is not None and scope.parent.kind == "function"
        below = scope.body_start_line == scope.header_end_line < scope.end_line
        if scope.kind == "function" and below and not inside and scope.end_line - scope.start_line <= most_lines:
            yield Function(path, path.relative_to(root).as_posix(), parsed, scope)
