"""What is counted of completions: shown on request, kept on this machine, and no code in it."""

import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from .conftest import Editor, start_editor, stop_editor
from .test_completion import type_at

BODY = "total = self.subtotal()\n"
REMOVED = "            self.lines.remove(line)\n"


def event(editor: Editor, **params: Any) -> None:
    editor.client.protocol.notify("palimpsest/event", params)


async def test_what_became_of_completions_is_counted_once_and_over_all_windows(editor: Editor, shop: Path) -> None:
    await editor.command("palimpsest.stats.reset")
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, BODY, BODY + "        while self.disc$0\n")
    await editor.settled(uri, position)
    item = (await editor.complete(uri, position))[0]
    assert item.command is not None
    (argument,) = item.command.arguments or []
    id = argument["id"] if isinstance(argument, dict) else argument.id
    assert isinstance(item.insert_text, str)
    position = type_at(editor, uri, position, item.insert_text[4:5])  # what is left of it is the same completion
    assert await editor.complete(uri, position)
    event(editor, kind="shown", what="completion", id=id)
    event(editor, kind="accepted", what="completion", part="word", chars=3, id=id)
    event(editor, kind="accepted", what="completion", part="line", chars=4, id=id)
    await editor.command(item.command.command, {"id": id})
    event(editor, kind="accepted", what="completion", id=id)  # an editor that does both
    event(editor, kind="rejected", what="suggestion")
    event(editor, kind="accepted", what="nextEdit", chars=2)
    event(editor, kind="accepted", what="lunch")  # said in the log, no more
    left = len(item.insert_text) - len("disc") - 1
    other = await start_editor(shop)
    try:
        await editor.command("palimpsest.stats")  # what was counted is in the file now
        answer = await other.command("palimpsest.stats", {"days": 7})
    finally:
        await stop_editor(other)
    completions = answer["by_kind"]["completion"]
    assert completions["shown"] == 1
    assert completions["accepted"] == {"all": 1, "line": 1, "word": 1}
    assert completions["characters"] == left  # a word, then a line, then what was left
    assert answer["by_kind"]["suggestion"]["rejected"] == 1
    assert answer["accepted"] == {"all": 2, "line": 1, "word": 1}
    assert answer["characters"] == 2 + left
    assert answer["rejected"] == 1
    assert answer["by_language"]["python"]["shown"] == 1
    assert list(answer["by_day"]) == [answer["since"]]
    assert answer["latency"]["completion"]["n"] == 1
    file = Path(os.environ["XDG_STATE_HOME"]) / "palimpsest" / "statistics.sqlite"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    content = file.read_bytes()
    assert b"cart" not in content
    assert b"disc" not in content
    with pytest.raises(JsonRpcException, match="days"):
        await editor.command("palimpsest.stats", {"days": 0})
    assert await editor.command("palimpsest.stats.reset") == {}
    assert (await editor.command("palimpsest.stats"))["shown"] == 0
    # a file that is broken is set aside
    file.write_bytes(b"no database at all, and long enough for a header to be read" * 20)
    event(editor, kind="rejected", what="completion")
    assert (await editor.command("palimpsest.stats"))["rejected"] == 1
    with sqlite3.connect(file) as again:
        assert again.execute("SELECT sum(n) FROM counts").fetchone() == (1,)


async def test_nothing_is_counted_where_that_is_not_wanted(shop: Path, tmp_path: Path, machine: dict[str, str]) -> None:
    editor = await start_editor(shop, {"statistics": {"enabled": False}})
    try:
        await editor.ready()
        before = await editor.command("palimpsest.stats")
        assert before["enabled"] is False
        uri = editor.open("shop/cart.py")
        await editor.complete(uri, editor.edit(uri, BODY, BODY + "        if self.disc$0\n"))
        event(editor, kind="accepted", what="completion")
        assert await editor.command("palimpsest.stats") == before
    finally:
        await stop_editor(editor)


def came_true(answer: dict[str, Any]) -> tuple[float, float]:
    rows = answer["calibration"]
    return sum(row["shown"] for row in rows), sum(row["right"] for row in rows)


async def test_whether_what_was_shown_is_typed_in_the_end_is_counted_by_how_sure_it_was(
    editor: Editor, shop: Path
) -> None:
    await editor.command("palimpsest.stats.reset")
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, BODY, BODY + "        while self.disc$0\n")
    await editor.settled(uri, position)
    (text,) = {item.insert_text for item in (await editor.complete(uri, position))[:1]}
    assert isinstance(text, str)
    rest = text.removeprefix("disc")
    assert came_true(await editor.command("palimpsest.stats")) == (0, 0)
    position = type_at(editor, uri, position, "Q")
    await editor.complete(uri, position)
    assert came_true(await editor.command("palimpsest.stats")) == (1, 0)
    position = editor.edit(uri, "while self.discQ", "while self.disc$0")
    assert await editor.complete(uri, position)
    for char in rest:
        position = type_at(editor, uri, position, char)
    answer = await editor.command("palimpsest.stats")
    assert came_true(answer) == (2, 1)
    assert "came true" in answer["text"]
    editor.edit(uri, f"while self.disc{rest}", "while self.disc$0")  # taken back
    assert came_true(await editor.command("palimpsest.stats")) == (2, 0)
    other = await start_editor(shop)
    try:
        await other.ready()
        await other.command("palimpsest.stats")
    finally:
        await stop_editor(other)
    await editor.command("palimpsest.stats.reset")
    assert came_true(await editor.command("palimpsest.stats")) == (0, 0)
