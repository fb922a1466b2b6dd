"""Candidates for the context, from every source.

In: a view of the cursor.  Out: blocks, in no order that matters.  Owner of the sources and of the thread that they read
on.  A source that fails yields nothing and its reason is logged, once; nothing is raised to a person who is typing.
Knows no budget and no engine.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from palimpsest.config.settings import ContextSettings
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.cells import CellSource
from palimpsest.context.sources.classes import ClassSource
from palimpsest.context.sources.documentation import DocumentationSource
from palimpsest.context.sources.files import FileSource
from palimpsest.context.sources.filesystem import FilesystemSource
from palimpsest.context.sources.package import PackageSource
from palimpsest.context.sources.rules import RulesSource
from palimpsest.context.sources.scope import ScopeSource
from palimpsest.context.view import CursorView
from palimpsest.context.workspace_files import WorkspaceFiles
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.tokens import masked_block
from palimpsest.types import Block, BlockKey, BlockType

log = logging.getLogger(__name__)

SETTLE_SECONDS = 10.0
_KEPT = 1024


class Source(Protocol):
    """Where blocks of one type come from."""

    type: BlockType

    def candidates(self, view: CursorView) -> list[Block]:
        """The blocks that a cursor there could use; what takes long is read in the background meanwhile."""

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """Whether a block that this source once gave for this file still describes what is there."""


class Gatherer:
    """With `synchronous` everything is read at once, in `candidates`; else what takes long is, on a thread.

    The workspace's folders come with each view; when they change, the sources are made anew.
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
        on_ready: Callable[[], None] = lambda: None,
    ) -> None:
        self._external = external
        self._settings = settings
        self._open_document = open_document
        self._cache = cache
        self._variables = variables
        self._on_ready = on_ready
        self._executor: Executor | None = (
            None if synchronous else ThreadPoolExecutor(1, thread_name_prefix="palimpsest-context")
        )
        self._roots: tuple[Path, ...] | None = None
        self._sources: list[Source] = []
        self._files: WorkspaceFiles | None = None
        self._package: PackageSource | None = None
        self._origins: dict[BlockKey, tuple[str, Source]] = {}
        self._failed: set[tuple[str, str]] = set()
        self._revision = 0

    @classmethod
    def for_workspace(
        cls,
        external: ExternalBlocks,
        settings: ContextSettings,
        *,
        open_document: Callable[[str], Snapshot | None] = lambda _: None,
        cache: Path | None = None,
        on_ready: Callable[[], None] = lambda: None,
    ) -> Gatherer:
        """As an editor's window needs it.

        `open_document` gives what is open there, which counts before what is on disk; `cache` is the folder for what
        interpreters answered; `on_ready` is called, on another thread, when a source has read what it did not know.
        """
        return cls(external, settings, open_document=open_document, cache=cache, on_ready=on_ready)

    @property
    def revision(self) -> int:
        """Rises when a source has read what it did not know when it was asked."""
        return self._revision

    def candidates(self, view: CursorView) -> list[Block]:
        """Every block worth considering, those of the board included.  Never raises."""
        found = self._external.blocks()
        sources = self._sources_for(view.roots)
        if self._files is not None:
            self._files.look_again()
        for source in sources:
            blocks = self._asked(source, view)
            for block in blocks:
                self._origins.pop(block.key, None)
                self._origins[block.key] = (view.uri, source)
            found += blocks
        while len(self._origins) > _KEPT:
            del self._origins[next(iter(self._origins))]
        return [_without_tokens(block) for block in found]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """Whether a block chosen before may stay: it came from this file, and what it describes still stands."""
        uri, source = self._origins.get(block.key, ("", None))
        if source is None or uri != view.uri:
            return False
        try:
            return source.still_valid(block, view)
        except Exception as error:
            self._log_once(source, error)
            return False

    def pinned_file(self, uri: str, roots: Sequence[Path]) -> Block:
        """The block that pinning a document gives.  Raises InvalidArgument or OutsideWorkspace, saying why not."""
        return FileSource(self._look_at(tuple(roots)), self._external).block_of(uri, self._settings.block_tokens)

    def file(self, path: Path, roots: Sequence[Path], *, pinned: bool = False) -> str | None:
        """The text of a file of the workspace as it is now; None where it may not enter a block."""
        source = self._look_at(tuple(roots)).source(path, pinned=pinned)
        return None if source is None else source.text

    def kept_out(self, path: Path, roots: Sequence[Path], *, pinned: bool = False) -> str | None:
        """Why nothing of a file may enter a block or be edited, open or not, as the end of a sentence."""
        return self._look_at(tuple(roots)).kept_out(path, pinned=pinned)

    def files_changed(self, uris: Sequence[str]) -> None:
        """Something changed on disk.  Whoever reads files looks at their time stamps; only who waits needs to know."""
        self._revision += 1

    def wait(self, seconds: float | None = None) -> bool:
        """Until the sources have read what they were asked for; False when time ran out."""
        return self._package is None or self._package.wait(seconds)

    async def settled(self, seconds: float = SETTLE_SECONDS) -> bool:
        """`wait`, without holding up the event loop."""
        return await asyncio.to_thread(self.wait, seconds)

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def _asked(self, source: Source, view: CursorView) -> list[Block]:
        if source.type not in view.settings.sources:
            return []
        try:
            return source.candidates(view)
        except Exception as error:
            self._log_once(source, error)
            return []

    def _log_once(self, source: Source, error: Exception) -> None:
        """The same failure comes with every keystroke; it is told when it is new."""
        what = (source.type, f"{type(error).__name__}: {error}")
        if what not in self._failed:
            self._failed.add(what)
            log.error("no %s blocks: %s", source.type, what[1], exc_info=error)

    def _sources_for(self, roots: tuple[Path, ...]) -> list[Source]:
        if roots != self._roots:
            files = self._files = self._look_at(roots)
            self._package = PackageSource(
                files,
                executor=self._executor,
                on_ready=self._read_on,
                variables=self._variables,
                cache=self._cache,
                setting=self._settings.python,
            )
            self._sources = [
                FileSource(files, self._external),
                CellSource(),
                ClassSource(files),
                self._package,
                ScopeSource(),
                DocumentationSource(files),
                RulesSource(files),
                FilesystemSource(files),
            ]
            self._roots = roots
        return self._sources

    def _look_at(self, roots: tuple[Path, ...]) -> WorkspaceFiles:
        return WorkspaceFiles(roots, self._settings.exclude, self._open_document)

    def _read_on(self) -> None:
        self._revision += 1
        self._on_ready()


def _without_tokens(block: Block) -> Block:
    """No key or token is in a block, wherever it comes from: files with one are kept out where they are read, but an
    installed package's constants and docstrings, names of files and what was put are no such files."""
    text = masked_block(block.text)
    return block if text == block.text else replace(block, text=text, editable=False, lines=None)
