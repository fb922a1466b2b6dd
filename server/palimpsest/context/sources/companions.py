"""`file` blocks: the tests of the function at the cursor, what a test is of, and the fixtures that it takes.

In: a view, the workspace's files.  Out: editable blocks with a function each, or with what is around a place in a test
that is no function, named `tests/test_cart.py test_total`.  In a test they are the functions of the tested file that
the test names; in any other file the tests that name the function at the cursor, else its class.

Blocks are about single functions, since a person who goes from function to function would have a block about the whole
other file decoded again at each.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from palimpsest.context.activity.chunks import Chunk, chunk_at
from palimpsest.context.estimate import head
from palimpsest.context.sources.cached import ReadFiles, children
from palimpsest.context.sources.counterparts import Counterparts
from palimpsest.context.sources.source import Source
from palimpsest.context.values import FIXTURE, PER_RANK, TEST
from palimpsest.context.view import CursorView
from palimpsest.languages.registry import language_in
from palimpsest.newest import Newest
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import enclosing, file_scope, scope_at, scopes
from palimpsest.syntax.values import Scope
from palimpsest.text.uris import to_path
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles

LONGEST = 200_000
"""Characters."""
MOST_TESTS = 2
MOST_FILES = 3
MOST_TESTED = 2
MOST_FIXTURES = 4
_SHORTEST = 3
_MOST_PLACES = 40
"""Lines with a name that are looked at in one file."""
_WORD = re.compile(r"[^\W\d]\w*")


class CompanionSource(Source):
    name = "test"
    setting = "file"

    def __init__(self, files: WorkspaceFiles, read: ReadFiles) -> None:
        self._files = files
        self._read = read
        self._counterparts = Counterparts(files)
        self._offered = Newest[str, Chunk]()

    def candidates(self, view: CursorView) -> list[Block]:
        path = view.path
        if path is None or view.root is None or view.parsed.language.grammar is None:
            return []
        is_test = self._counterparts.is_test(path, view.parsed.language)
        pieces = self._tested(view, path) if is_test else self._tests(view, path)
        return [*self._blocks(view, pieces, TEST), *self._blocks(view, self._fixtures(view, path), FIXTURE)]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the file has these lines, and the editing block does not."""
        known = self._offered.get(block.name)
        return known is not None and (now := self._block(view, known, 0.0)) is not None and now.text == block.text

    def _tests(self, view: CursorView, path: Path) -> Iterator[Chunk]:
        tests = self._counterparts.tests_of(path, view.parsed.language)[:MOST_FILES]
        parsed = [self._parse(there) for there in tests]
        for name in _about(view):
            pieces = [chunk for it in parsed if it is not None for chunk in _naming(it, name)]
            if pieces:
                yield from pieces[:MOST_TESTS]
                return

    def _tested(self, view: CursorView, path: Path) -> Iterator[Chunk]:
        there = self._counterparts.source_of(path, view.parsed.language)
        parsed = self._parse(there) if there is not None else None
        if parsed is None:
            return
        words = frozenset(_WORD.findall(view.editing.text)) - {view.typed}
        named = [it for it in scopes(parsed) if it.kind == "function" and it.has_body and it.name in words]
        chunks = (chunk_at(parsed, it.def_line) for it in named if len(it.name) >= _SHORTEST)
        yield from [chunk for chunk in chunks if chunk is not None][:MOST_TESTED]

    def _fixtures(self, view: CursorView, path: Path) -> Iterator[Chunk]:
        """What makes the function's parameters, from the nearest file that has it."""
        language = view.parsed.language
        if not language.fixture_files or view.root is None or view.scope.kind != "function":
            return
        files = [view.parsed, *self._fixture_files(view, path, view.root)]
        wanted = {name for name in view.used if name in _parameters(view)}
        for name in sorted(wanted)[: 2 * MOST_FIXTURES]:
            for parsed in files:
                scope = parsed.once(_fixtures_of).get(name)
                chunk = chunk_at(parsed, scope.def_line) if scope is not None and scope != view.scope else None
                if chunk is not None:
                    yield chunk
                    break

    def _fixture_files(self, view: CursorView, path: Path, root: Path) -> Iterator[Parsed]:
        for folder in (path.parent, *path.parent.parents):
            if not folder.is_relative_to(root):
                return
            names = {entry.name for entry in self._files.listing(folder) if not entry.is_dir}
            for name in view.parsed.language.fixture_files:
                parsed = self._parse(folder / name) if name in names and folder / name != path else None
                if parsed is not None:
                    yield parsed

    def _parse(self, path: Path) -> Parsed | None:
        source = self._files.source(path)
        if source is None or len(source.text) > LONGEST:
            return None
        return self._read.parse(path, source, language_in(path.name, source.text))

    def _blocks(self, view: CursorView, chunks: Iterator[Chunk], value: float) -> Iterator[Block]:
        for rank, chunk in enumerate(chunks):
            if rank == MOST_FIXTURES:
                return
            block = self._block(view, chunk, value - rank * PER_RANK)
            if block is not None:
                self._offered[block.name] = chunk
                yield block

    def _block(self, view: CursorView, chunk: Chunk, value: float) -> Block | None:
        """The block of a piece; None if the file has the lines no more, or the editing block shows them."""
        path = to_path(chunk.uri)
        root, is_here = self._files.root_of(path), path == view.path
        place = chunk.place(view.parsed.snapshot.lines if is_here else self._read.lines(path))
        if root is None or place is None or (is_here and not view.shown_lines.isdisjoint(place)):
            return None
        lines = head(chunk.lines, view.settings.block_tokens)
        name = f"{path.relative_to(root).as_posix()} {chunk.name or f'line {chunk.start + 1}'}"
        text = "\n".join(lines)
        return Block(
            "file", name, text, value, editable=True, uri=chunk.uri, source=self.name, lines=tuple(place)[: len(lines)]
        )


def _about(view: CursorView) -> Iterator[str]:
    """The names that a test of the code at the cursor would have, the likeliest first."""
    names = [scope.name for scope in enclosing(view.scope) if scope.kind != "namespace" and scope.name]
    if view.scope.kind == "file":
        names = [scope.name for scope in children(view.parsed, file_scope(view.parsed))]
    elif view.scope.owner:
        names.append(view.scope.owner.rpartition(".")[2])
    language = view.parsed.language
    unsaid = language.builtins | language.builtin_members | language.common_words | language.initializers
    yield from (name for name in dict.fromkeys(names) if len(name) >= _SHORTEST and name not in unsaid)


def _naming(parsed: Parsed, name: str) -> list[Chunk]:
    """The pieces of a test that name something, in order, each once; an import is none."""
    chunks, word = list[Chunk](), re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    imported = {item.line for item in imports(parsed)}
    for line in parsed.snapshot.lines_with([name])[:_MOST_PLACES]:
        if line in imported or not word.search(parsed.snapshot.lines[line]):
            continue
        if any(chunk.start <= line < chunk.end for chunk in chunks):
            continue
        chunk = _named_by_line(parsed, chunk_at(parsed, line))
        if chunk is not None:
            chunks.append(chunk)
        if len(chunks) == MOST_TESTS:
            break
    return chunks


def _named_by_line(parsed: Parsed, chunk: Chunk | None) -> Chunk | None:
    """A part of a function or file has its line as its name: there may be several."""
    if chunk is None:
        return None
    scope = scope_at(parsed, chunk.start, 0)
    whole = scope.qualified_name == chunk.name and scope.kind == "function" and chunk.start <= scope.def_line
    return chunk if whole else Chunk(chunk.uri, f"line {chunk.start + 1}", chunk.start, chunk.lines)


def _parameters(view: CursorView) -> frozenset[str]:
    """Names in the function's header."""
    header = view.parsed.snapshot.lines[view.scope.def_line : view.scope.header_end_line]
    return frozenset(_WORD.findall(" ".join(header)))


def _fixtures_of(parsed: Parsed) -> dict[str, Scope]:
    return {it.name: it for it in children(parsed, file_scope(parsed)) if parsed.language.is_fixture(parsed, it)}
