"""`file` blocks: the documents a person pinned.

In: the board's pins, the workspace's files.  Out: a block for each, whole, or cut at a line's end and named so.  The
document being edited is left out: it is in the editing block.  Knows no language.
"""

from __future__ import annotations

from pathlib import Path

from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.fit import head
from palimpsest.context.values import PER_RANK, PINNED_FILE
from palimpsest.context.view import CursorView
from palimpsest.context.workspace_files import WorkspaceFiles
from palimpsest.errors import InvalidArgument, OutsideWorkspace, PalimpsestError
from palimpsest.text.uris import is_inside, relative, to_path
from palimpsest.types import Block, BlockType


class FileSource:
    type: BlockType = "file"

    def __init__(self, files: WorkspaceFiles, external: ExternalBlocks) -> None:
        self._files = files
        self._external = external

    def candidates(self, view: CursorView) -> list[Block]:
        found = list[Block]()
        for rank, uri in enumerate(self._external.pins):
            if uri == view.uri:
                continue
            try:
                found.append(self.block_of(uri, view.settings.block_tokens, rank))
            except PalimpsestError:
                continue  # gone, or grown too large, since it was pinned: it may come back
        return found

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """Never: what is pinned is a candidate, and what no longer is shall go."""
        return False

    def block_of(self, uri: str, max_tokens: int, rank: int = 0) -> Block:
        """Raises OutsideWorkspace, or InvalidArgument that says why the file may not be pinned."""
        path = to_path(uri)
        name = self._name(path)
        refusal = self._files.refusal(path, pinned=True)
        if refusal is not None and not is_inside(path, self._files.roots):
            raise OutsideWorkspace(f"uri: {name} {refusal}.", hint="Only files of the workspace can be pinned.")
        if refusal is not None:
            raise InvalidArgument("uri", f"{name} {refusal}.")
        source = self._files.source(path, pinned=True)
        if source is None:
            raise InvalidArgument("uri", f"{name} {self._files.why_not(path, pinned=True) or 'is gone'}.")
        lines = source.text.replace("\r\n", "\n").split("\n")
        while lines and not lines[-1].strip():
            lines.pop()
        kept = head(lines, max_tokens)
        if len(kept) < len(lines):
            name = f"{name} (lines 1-{len(kept)} of {len(lines)})"
        return Block(
            "file",
            name,
            "\n".join(kept),
            value=PINNED_FILE - rank * PER_RANK,
            editable=True,
            pinned=True,
            uri=uri,
            source="pin",
            lines=tuple(range(len(kept))),
        )

    def _name(self, path: Path) -> str:
        root = self._files.root_of(path)
        return relative(path, root) if root is not None else path.name
