"""Candidates for the context, from every source.

In: a view of the cursor.  Out: blocks in any order.  Owner of the sources and of the thread on which they read.  A
source that fails yields nothing, and its error is logged once; nothing is raised to a user who is typing.  Knows no
budget and no engine.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from palimpsest.config.settings import ContextSettings
from palimpsest.context.activity.activity import Activity
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.cached import ReadFiles
from palimpsest.context.sources.called import CalledSource
from palimpsest.context.sources.cells import CellSource
from palimpsest.context.sources.class_lookup import ClassLookup
from palimpsest.context.sources.classes import ClassSource
from palimpsest.context.sources.companions import CompanionSource
from palimpsest.context.sources.diagnostics import DiagnosticSource
from palimpsest.context.sources.documentation import DocumentationSource
from palimpsest.context.sources.elsewhere import ElsewhereSource
from palimpsest.context.sources.external import ExternalSource, PinSource
from palimpsest.context.sources.file_names import FileNamesSource
from palimpsest.context.sources.filesystem import FilesystemSource
from palimpsest.context.sources.history import HistorySource
from palimpsest.context.sources.indexed import IndexedDefinitions
from palimpsest.context.sources.linked import LinkedSource
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.name_lookup import NameLookup
from palimpsest.context.sources.package import PackageSource
from palimpsest.context.sources.recent import RecentSource
from palimpsest.context.sources.retrieval import RetrievalSource
from palimpsest.context.sources.rules import RulesSource
from palimpsest.context.sources.scope import ScopeSource
from palimpsest.context.sources.source import Source
from palimpsest.context.view import CursorView
from palimpsest.languages.modules import Surroundings
from palimpsest.languages.name_index import NameIndex
from palimpsest.newest import Newest
from palimpsest.text.minified import without_minified_lines
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.tokens import masked_block
from palimpsest.text.uris import path_or_none
from palimpsest.types import Block, BlockKey
from palimpsest.visible import visible
from palimpsest.workspace.files import WorkspaceFiles

T = TypeVar("T")
log = logging.getLogger(__name__)

SETTLE_SECONDS = 10.0
LOOK_S = 5.0
"""What was seen of the disk holds as long, unless the editor says that files changed: a file system may be slow."""
_MOST_CACHED = 1024


@dataclass(frozen=True, slots=True)
class SourceOffer:
    """What a source has for a cursor.  `is_on`: the settings let it be asked.  `why_not`: what it says of a name; holds
    if none of the blocks has it."""

    source: Source
    is_on: bool
    blocks: list[Block]
    why_not: str


class Gatherer:
    """One window's.  The sources are created for the workspace's folders, which come with each view, and created again
    when those change.

    `open_document` finds a document that is open in the editor and replaces the file on disk; `cache` is a folder for
    answers of interpreters; `index` gives the workspace's names as far as these files may be seen; `activity` is what
    the person did lately.  Slow reads happen on a thread, or with `synchronous` in `candidates`.
    """

    def __init__(
        self,
        external: ExternalBlocks,
        settings: ContextSettings,
        *,
        open_document: Callable[[str], Snapshot | None] = lambda _: None,
        cache: Path | None = None,
        variables: Mapping[str, str] = os.environ,
        synchronous: bool = False,
        index: Callable[[WorkspaceFiles], NameIndex | None] = lambda _: None,
        activity: Activity | None = None,
        look_s: float = LOOK_S,
    ) -> None:
        self._external = external
        self._activity = activity or Activity()
        self._settings = settings
        self._open_document = open_document
        self._cache = cache
        self._variables = variables
        self._index = index
        self._executor: Executor | None = (
            None if synchronous else ThreadPoolExecutor(1, thread_name_prefix="palimpsest-context")
        )
        self._aside: Executor | None = (
            None if synchronous else ThreadPoolExecutor(1, thread_name_prefix="palimpsest-aside")
        )
        """A second thread for what takes seconds, such as git: the modules that code uses do not wait behind it."""
        self._roots: tuple[Path, ...] | None = None
        self._files = self.files(())
        self._sources: list[Source] = []
        self.names: NameLookup | None = None
        """The names in the files of the last candidates, to be asked by one caller at a time."""
        self.definitions: IndexedDefinitions | None = None
        """The definitions in the same files, to be asked by one caller at a time."""
        self._origins = Newest[BlockKey, tuple[str, Source]](_MOST_CACHED)
        self._failed: set[tuple[str, str]] = set()
        self._changes = 0
        self._look_s = look_s
        self._looked: float | None = None

    def _sources_of(self, files: WorkspaceFiles) -> list[Source]:
        around = Surroundings(files, self._settings, self._variables, self._executor, self._cache, self._index(files))
        read = ReadFiles(files)
        modules, lookup = ModulesByLanguage(around), ClassLookup(files, read)
        self.definitions = definitions = IndexedDefinitions(files, modules, around.index)
        self.names = NameLookup(definitions, lookup)
        return [
            ExternalSource(self._external),
            PinSource(files, self._external),
            CellSource(),
            ClassSource(lookup, modules),
            PackageSource(modules),
            ElsewhereSource(definitions, modules, read),
            FileNamesSource(definitions),
            ScopeSource(modules),
            CompanionSource(files, read),
            RecentSource(files, read, self._activity),
            CalledSource(modules),
            DiagnosticSource(self._activity),
            DocumentationSource(files, modules),
            RetrievalSource(self.files(files.roots), self._aside),
            LinkedSource(read, self.files(files.roots), self._aside),
            HistorySource(files, self.files(files.roots), self._aside),
            RulesSource(files),
            FilesystemSource(files),
        ]

    @property
    def revision(self) -> int:
        """Rises when a source has read something that it had to leave out before, and when files change."""
        return self._changes + sum(source.revision for source in self._sources)

    def candidates(self, view: CursorView) -> list[Block]:
        """All candidates.  Never raises.  One caller at a time."""
        if view.roots != self._roots:
            self._changes = self.revision
            self._roots, self._files = view.roots, self.files(view.roots)
            self._sources = self._sources_of(self._files)
        now = time.monotonic()
        is_due = self._looked is None or now - self._looked >= self._look_s
        self._looked = now if is_due else self._looked
        self._files.look_again(disk=is_due)
        candidates = list[Block]()
        for source in self._sources:
            blocks = self._asked(source, view) if _is_on(source, view) else []
            for block in blocks:
                self._origins[block.key] = (view.uri, source)
            candidates += blocks
        return [self._with_rights(_presentable(block), view) for block in _once(candidates)]

    def offers(self, view: CursorView, name: str) -> list[SourceOffer]:
        """What each source has and says of a name, for a person who asks, behind `candidates`.  Of those that are off,
        the ones that look for names are asked, too."""
        offers = list[SourceOffer]()
        for source in self._sources:
            is_on, why_not = _is_on(source, view), self._guarded(source, partial(source.why_not, view, name), "")
            blocks = self._asked(source, view) if is_on or why_not else []
            offers.append(SourceOffer(source, is_on, list(map(_presentable, blocks)), why_not))
        return offers

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """Whether a block chosen before may stay: it was a candidate in this file, and is still correct."""
        uri, source = self._origins.get(block.key, ("", None))
        if source is None or uri != view.uri:
            return False
        return self._guarded(source, partial(source.still_valid, block, view), False)

    def files(self, roots: Sequence[Path]) -> WorkspaceFiles:
        """The files of a workspace that blocks may contain, without caches: as they are now."""
        return WorkspaceFiles(roots, self._settings.exclude, self._open_document)

    def files_changed(self) -> None:
        """Something changed on disk."""
        self._changes += 1
        self.look_again()

    def look_again(self) -> None:
        """What is asked next is looked for on disk."""
        self._looked = None

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the sources to finish reading; False on a timeout."""
        until = None if seconds is None else time.monotonic() + seconds
        return all(source.wait(None if until is None else until - time.monotonic()) for source in self._sources)

    async def settled(self, seconds: float = SETTLE_SECONDS) -> bool:
        """`wait`, without holding up the event loop."""
        return await asyncio.to_thread(self.wait, seconds)

    def close(self) -> None:
        for executor in (self._executor, self._aside):
            if executor is not None:
                executor.shutdown(wait=False, cancel_futures=True)

    def _with_rights(self, block: Block, view: CursorView) -> Block:
        """The block, not to be edited if its file is write-protected, or outside the workspace and not the document."""
        path = path_or_none(block.uri) if block.editable and block.uri is not None else None
        if path is None or (self._files.may_write(path) and (block.uri == view.uri or self._files.root_of(path))):
            return block
        return replace(block, editable=False)

    def _asked(self, source: Source, view: CursorView) -> list[Block]:
        blocks: list[Block] = self._guarded(source, partial(source.candidates, view), [])
        return [block if block.name.isprintable() else replace(block, name=visible(block.name)) for block in blocks]

    def _guarded(self, source: Source, question: Callable[[], T], otherwise: T) -> T:
        try:
            return question()
        except Exception as error:  # a source that fails costs its own blocks, never the completion
            self._log_once(source, error)
            return otherwise

    def _log_once(self, source: Source, error: Exception) -> None:
        """Log a failure the first time: it would be logged with every keystroke otherwise."""
        what = (source.name, f"{type(error).__name__}: {error}")
        if what not in self._failed:
            self._failed.add(what)
            log.error("no %s blocks: %s", source.name, what[1], exc_info=error)


def _is_on(source: Source, view: CursorView) -> bool:
    return source.setting is None or source.setting in view.settings.sources


def _once(blocks: list[Block]) -> list[Block]:
    """The blocks without those whose lines of a document a more valuable one has, as a test that was edited lately."""
    best = dict[object, Block]()
    for block in blocks:
        if block.lines is not None and not block.pinned:
            known = best.setdefault((block.uri, block.lines), block)
            if block.value > known.value:
                best[block.uri, block.lines] = block
    return [block for block in blocks if best.get((block.uri, block.lines), block) is block]


def _presentable(block: Block) -> Block:
    """The block with secrets masked and lines of minified code cut.  Files with secrets are not read at all, but
    secrets may also be in an installed package's constants and documentation, in file names and in external blocks."""
    text = without_minified_lines(masked_block(block.text))
    return block if text == block.text else replace(block, text=text, editable=False, lines=None)
