"""A window whose engine says what a test wants, and what a test does in its conversations."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from .conftest import Editor, start_editor, stop_editor
from .scripted import Scripted, scripted

Talk = tuple[Editor, Scripted]


@asynccontextmanager
async def talking(
    root: Path, settings: dict[str, Any] | None = None, *, own_process: bool = False, window: int = 8192
) -> AsyncIterator[Talk]:
    """The person allows everything that they are asked about."""
    with scripted() as model:
        model.replies, model.window = ["Hello."], window
        options = {"engine": {"kind": "openai", "url": model.url}, **(settings or {})}
        it = await start_editor(root, options, own_process=own_process)
        it.client.feature(lsp.WORKSPACE_CODE_LENS_REFRESH)(lambda *_: None)

        @it.client.feature(lsp.WORKSPACE_APPLY_EDIT)
        def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
            it.apply([one for one in params.edit.document_changes or [] if isinstance(one, lsp.TextDocumentEdit)])
            return lsp.ApplyWorkspaceEditResult(applied=True)

        @it.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
        def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
            return (params.actions or [])[0]

        await it.ready()
        yield it, model
        model.free.set()
        await stop_editor(it)


async def do(editor: Editor, command: str, **argument: Any) -> dict[str, Any]:
    answer: dict[str, Any] = await editor.command(f"palimpsest.{command}", argument)
    return answer


async def calls(talk: Talk, conversation: str, *written: str) -> str:
    """What the model reads when it has called these, one reply after the other."""
    editor, model = talk
    model.replies = [*written, "Done."]
    await do(editor, "ask", text="Go on.", conversation=conversation)
    return said(model)[-1][1]


def system(model: Scripted) -> str:
    text: str = model.asked[-1]["messages"][0]["content"]
    return text


def said(model: Scripted) -> list[tuple[str, str]]:
    """(Role, text) of what the model read last, without blocks and ids."""
    read = [(each["role"], each["content"].rpartition("</workspace>\n")[2]) for each in model.asked[-1]["messages"][1:]]
    return [(role, re.sub(r'<message fd="turn-[^>\n]*/>\n', "", text)) for role, text in read]
