"""How often the disk is asked while a person types: a file system may take milliseconds for each answer."""

import os
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol import types as lsp

from .conftest import Editor
from .local import NAME
from .test_completion import type_at

ASKING = ("stat", "lstat", "readlink", "scandir", "listdir", "open", "access")
HANDFUL = 12
"""Of a pause: where the document's links lead, which is one question for each folder around it."""
GATHERING = "palimpsest-choice"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Questions to the disk, by the thread of the server's that asks."""
    found = Counter[str]()

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*arguments: Any, **named: Any) -> Any:
            found[threading.current_thread().name.partition("_")[0]] += 1
            return real(*arguments, **named)

        return ask

    for name in ASKING:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    return found


async def test_a_keystroke_asks_the_disk_nothing_and_a_pause_a_handful(editor: Editor, asked: Counter[str]) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, "rows = [", "rows = [$0")
    await editor.settled(uri, position)
    await editor.until_idle()
    pauses = list[int]()
    for character in "self":
        asked.clear()
        position = type_at(editor, uri, position, character)
        await editor.complete(uri, position)
        assert not asked[NAME] + asked[GATHERING], "of a keystroke"
        await editor.until_idle()
        assert not asked[NAME], "of a pause, while others wait"
        pauses.append(asked.total() - asked["MainThread"])
    assert min(pauses) <= HANDFUL  # in some of them what was seen before may have become too old
    # what is said to have changed is looked for, and nobody waits for that
    asked.clear()
    (editor.root / "shop" / "cart.py").write_text(editor.texts[uri], encoding="utf-8")
    editor.client.workspace_did_change_watched_files(
        lsp.DidChangeWatchedFilesParams([lsp.FileEvent(uri, lsp.FileChangeType.Changed)])
    )
    await editor.until_idle()
    assert asked[GATHERING] > HANDFUL


async def test_in_another_function_and_file_the_disk_is_asked_while_others_are_answered(
    editor: Editor, asked: Counter[str]
) -> None:
    uri, other = editor.open("shop/cart.py"), editor.open("shop/order.py")
    await editor.until_idle()
    for where, at in ((uri, editor.at(uri, "rows = [")), (other, lsp.Position(0, 0))):
        asked.clear()
        await editor.complete(where, at)
        await editor.until_idle()
        assert not asked[NAME]
