"""A full disk: nothing can be written, and a person goes on working."""

import asyncio
import os
import sys
from pathlib import Path

from lsprotocol import types as lsp
from pytest_lsp import make_test_lsp_client

from palimpsest.text.uris import to_uri

from .conftest import Editor, stop_editor


async def test_with_a_full_disk_completions_still_come(machine: dict[str, str], shop: Path) -> None:
    client = make_test_lsp_client()
    editor = Editor(client, shop)
    # No file may grow by a single byte, for the server and the engine it starts: as on a full disk.
    await client.start_io("bash", "-c", f"ulimit -f 0; exec {sys.executable} -m palimpsest serve", env=dict(os.environ))
    try:
        capabilities = lsp.ClientCapabilities(
            text_document=lsp.TextDocumentClientCapabilities(
                inline_completion=lsp.InlineCompletionClientCapabilities()
            ),
            general=lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf8]),
        )
        await client.initialize_session(
            lsp.InitializeParams(
                capabilities=capabilities,
                process_id=os.getpid(),
                workspace_folders=[lsp.WorkspaceFolder(uri=to_uri(shop), name="shop")],
                initialization_options={"engine": {"n_ctx": 2048}},  # an engine of its own, started under the limit
            )
        )
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
        await editor.settled(uri, position)
        async with asyncio.timeout(60):
            assert await editor.complete(uri, position)
    finally:
        await stop_editor(editor)
