"""A text written to a file of the workspace: through the editor where the file is open there, so that it can be undone,
else to the disk.

In: a path, a text, how it is to be written.  Out: what was written, or why not.  Where it may be written, and what the
change is, is decided in `workspace/`.
"""

import asyncio
from pathlib import Path

from lsprotocol import types as lsp

from palimpsest.errors import PalimpsestError
from palimpsest.lsp.convert import range_out
from palimpsest.lsp.document_edits import make
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import Window
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.workspace.changes import FileWrite, change, n_lines
from palimpsest.workspace.places import place, shown
from palimpsest.workspace.writing import WrittenFile, write

LABEL = "Palimpsest: write {}"


async def write_file(server: PalimpsestServer, file: FileWrite, asked: Path | None = None) -> WrittenFile:
    """Raises what `workspace/writing.py` raises, and PalimpsestError where the editor does not apply the change."""
    window = server.window
    roots, exclude = window.roots.folders, window.settings.context.exclude
    file.check()
    path = await asyncio.to_thread(place, file.path, roots, exclude, asked)
    snapshot = _open(window, path)
    if snapshot is None:
        return await asyncio.to_thread(write, file, roots, exclude=exclude, asked=asked)
    file.check_there(bool(snapshot.text) or file.mode != "write")
    await _apply(server, snapshot, file, shown(path, roots))
    return WrittenFile(shown(path, roots), len(file.text.encode()), n_lines(file.text))


def _open(window: Window, path: Path) -> Snapshot | None:
    """The document of a path.  Raises InvalidArgument where the editor has it, but nobody here knows its text."""
    window.session.documents.check_known(to_uri(path))
    return window.session.documents.find(to_uri(path))


async def check_before(server: PalimpsestServer, file: FileWrite) -> tuple[Path, bool]:
    """Where it would be written, and whether something is there, open or on the disk; raises what is wrong with that
    before the person is asked."""
    window = server.window
    path = await asyncio.to_thread(place, file.path, window.roots.folders, window.settings.context.exclude)
    snapshot = _open(window, path)
    on_disk, text = path.exists(), snapshot.text if snapshot is not None else ""
    is_there = bool(text) or file.mode != "write" if snapshot is not None else on_disk
    file.check_there(is_there)
    return path, on_disk or bool(text)


async def _apply(server: PalimpsestServer, snapshot: Snapshot, file: FileWrite, name: str) -> None:
    one = await asyncio.to_thread(change, snapshot.text, file)
    assert one.range is not None  # `change` says where
    edit = lsp.TextEdit(range_out(snapshot, one.range, server.window.client.encoding), one.text)
    wanted = snapshot.changed([one], snapshot.version)[0].text
    try:
        await make(server, snapshot, edit, LABEL.format(name), wanted)
    except PalimpsestError as error:
        hint = "It is open there; close it to have it changed on the disk."
        raise PalimpsestError(f"The editor did not change {name}: {error.message}", hint=hint) from error
