"""Blocks that people and agents put into the context, and `file` blocks of pinned documents.

In: `ExternalBlocks`, the workspace's files.  Out: the blocks as they were put, and one for each pin, whole, or cut
after a line, as its name then says.  The document being edited is left out, since the editing block shows it.
"""

from pathlib import Path

from palimpsest.context.estimate import head
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.source import Source
from palimpsest.context.values import PER_RANK, PINNED_FILE
from palimpsest.context.view import CursorView
from palimpsest.errors import InvalidArgument, OutsideWorkspace, PalimpsestError
from palimpsest.text.uris import is_inside, relative, to_path
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles


class ExternalSource(Source):
    name = "external"
    setting = None

    def __init__(self, external: ExternalBlocks) -> None:
        self._external = external

    def candidates(self, view: CursorView) -> list[Block]:
        return self._external.blocks()


class PinSource(Source):
    name = "pin"
    setting = "file"

    def __init__(self, files: WorkspaceFiles, external: ExternalBlocks) -> None:
        self._files = files
        self._external = external

    def candidates(self, view: CursorView) -> list[Block]:
        blocks = list[Block]()
        for rank, uri in enumerate(self._external.pins):
            if uri == view.uri:
                continue
            try:
                blocks.append(pinned_block(self._files, uri, view.settings.block_tokens, rank))
            except PalimpsestError:
                continue  # gone, or grown too large, since it was pinned: it may come back
        return blocks


def pinned_block(files: WorkspaceFiles, uri: str, max_tokens: int, rank: int = 0) -> Block:
    """Raises OutsideWorkspace, or InvalidArgument that says why the file may not be pinned."""
    path = to_path(uri)
    name = _name(files, path)
    refusal = files.refusal(path, pinned=True)
    if refusal is not None and not is_inside(path, files.roots):
        raise OutsideWorkspace(f"uri: {name} {refusal}.", hint="Only files of the workspace can be pinned.")
    if refusal is not None:
        raise InvalidArgument("uri", f"{name} {refusal}.")
    source = files.source(path, pinned=True)
    if source is None:
        raise InvalidArgument("uri", f"{name} {files.why_not(path, pinned=True) or 'is gone'}.")
    lines = source.text.replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    first_lines = head(lines, max_tokens)
    if len(first_lines) < len(lines):
        name = f"{name} (lines 1-{len(first_lines)} of {len(lines)})"
    return Block(
        "file",
        name,
        "\n".join(first_lines),
        value=PINNED_FILE - rank * PER_RANK,
        editable=True,
        pinned=True,
        uri=uri,
        source=PinSource.name,
        lines=tuple(range(len(first_lines))),
    )


def _name(files: WorkspaceFiles, path: Path) -> str:
    root = files.root_of(path)
    return relative(path, root) if root is not None else path.name
