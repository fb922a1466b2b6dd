"""Workspaces written for a test, and views of a cursor in them (`$0` in a text is where the cursor is)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from palimpsest.config.settings import ContextSettings
from palimpsest.context.activity.activity import Activity
from palimpsest.context.choice.chooser import Chooser
from palimpsest.context.editing.block import editing_at
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.gatherer import Gatherer
from palimpsest.context.view import CursorView
from palimpsest.index.asking import Asking
from palimpsest.index.builder import Builder
from palimpsest.index.messages import BeginIndex
from palimpsest.index.reader import IndexReader
from palimpsest.index.rows import FileRows
from palimpsest.index.store import database
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.scopes import file_scope, scope_at
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import relative, to_uri
from palimpsest.types import Block

CURSOR = "$0"


@dataclass
class BuiltIndex:
    """What a window's index knows, without its process."""

    readers: Sequence[IndexReader] = ()
    opened: Mapping[str, FileRows] = field(default_factory=dict)
    is_complete: bool = False
    revision: int = 1


class Workspace:
    """A folder with files, looked at by a gatherer that reads everything at once."""

    def __init__(self, root: Path, **settings: object) -> None:
        self.root = root
        self.settings = replace(ContextSettings(), **settings)  # type: ignore[arg-type]
        self.external = ExternalBlocks()
        self.activity = Activity()
        self.open: dict[str, Snapshot] = {}
        self.index = BuiltIndex()
        self.is_typing = True
        self.gatherer = Gatherer(
            self.external,
            self.settings,
            open_document=self.open.get,
            cache=root.parent / "cache",
            variables={},
            synchronous=True,
            index=lambda files: Asking(self.index, files),
            activity=self.activity,
            look_s=0.0,
        )

    def build_index(self) -> None:
        """As a window's own process does it, at once."""
        begin = BeginIndex((str(self.root),), str(self.root.parent / "index"), (), (), 1_000, 1_000_000)
        builder = Builder(self.root, begin, "", lambda _: None)
        builder.open()
        for _ in builder.walk():
            pass
        builder.close()
        for reader in self.index.readers:
            reader.close()
        self.index.readers = [IndexReader(self.root, database(self.root.parent / "index", self.root))]
        self.index.is_complete = True

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def view(self, file: str, text: str | None = None, version: int = 1) -> CursorView:
        """The cursor in a document: of `text` with `$0` in it, else of the file's own text that has it."""
        path = Path(file) if Path(file).is_absolute() else self.root / file
        text = path.read_text("utf-8") if text is None else text
        before, _, after = text.partition(CURSOR)
        language = language_of("", path.name)
        language_id = language.language_ids[0] if language.grammar is not None else "python"
        snapshot = Snapshot(to_uri(path), version, language_id, before + after)
        return self.view_of(snapshot, path, len(before))

    def view_of(self, snapshot: Snapshot, path: Path, offset: int) -> CursorView:
        position = snapshot.position(offset)
        parsed = Parser(language_of).parse(snapshot)
        root = self.root if path.is_relative_to(self.root) else None
        name = relative(path, self.root) if root else path.name
        editing = editing_at(parsed, position, name, self.settings.editing_tokens)
        scope = scope_at(parsed, position.line, position.column)
        scope = file_scope(parsed) if parsed.language.whole_file else scope
        return CursorView(
            parsed, scope, editing, position, name, (self.root,), root, self.settings, is_typing=self.is_typing
        )

    def pin(self, file: str) -> None:
        """Raises what says why the file may not be pinned."""
        Chooser(self.gatherer, self.external, self.settings).pin(to_uri(self.root / file), [self.root])

    def blocks(self, file: str, text: str | None = None) -> dict[str, Block]:
        """Candidates by key."""
        return {str(block.key): block for block in self.gatherer.candidates(self.view(file, text))}
