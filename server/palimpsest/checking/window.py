"""A window without an editor: documents, trees, sources and the choice of blocks, as a session puts them together.

In: a workspace, an index.  Out: views of a cursor and the blocks chosen there.
"""

from pathlib import Path

from palimpsest.config.settings import ContextSettings
from palimpsest.context.choice.chooser import Chooser
from palimpsest.context.editing.block import editing_at
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.gatherer import Gatherer
from palimpsest.context.view import CursorView
from palimpsest.index.workspace_index import WorkspaceIndex
from palimpsest.languages.registry import language_in, language_of, plain
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.text.uris import relative, to_path, to_uri


class WindowWithoutEditor:
    """`cache` is a folder for what is kept."""

    def __init__(self, root: Path, cache: Path, index: WorkspaceIndex) -> None:
        self.root = root
        self.settings = ContextSettings()
        self.parser = Parser(language_of, plain)
        self._open: dict[str, Snapshot] = {}
        external = ExternalBlocks()
        self.gatherer = Gatherer(
            external, self.settings, open_document=self._open.get, cache=cache, variables={}, index=index.seen_by
        )
        self.chooser = Chooser(self.gatherer, external, self.settings)

    def open(self, path: Path) -> Parsed:
        uri = to_uri(path)
        text = path.read_text(encoding="utf-8")
        self._open[uri] = Snapshot(uri, 1, next(iter(language_in(path.name, text).language_ids), ""), text)
        return self.parser.parse(self._open[uri])

    def reopen(self, parsed: Parsed, text: str) -> Parsed:
        """The document with another text."""
        old = parsed.snapshot
        self._open[old.uri] = Snapshot(old.uri, old.version + 1, old.language_id, text)
        return self.parser.parse(self._open[old.uri])

    def changed(self, snapshot: Snapshot) -> None:
        self._open[snapshot.uri] = snapshot

    def close(self, parsed: Parsed) -> None:
        self._open.pop(parsed.snapshot.uri, None)
        self.parser.forget(parsed.snapshot.uri)

    def view(self, parsed: Parsed, position: Position, *, is_typing: bool = False) -> CursorView:
        file = relative(self._path(parsed), self.root)
        return CursorView(
            parsed=parsed,
            scope=scope_at(parsed, position.line, position.column),
            editing=editing_at(parsed, position, file, self.settings.editing_tokens),
            position=position,
            file=file,
            roots=(self.root,),
            root=self.root,
            settings=self.settings,
            is_typing=is_typing,
        )

    def _path(self, parsed: Parsed) -> Path:
        return to_path(parsed.snapshot.uri)
