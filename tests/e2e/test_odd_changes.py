"""A document is what the editor has, whatever way a change of it is written; where a change cannot be read, nothing is
offered in it until it comes as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .raw import Raw

TEXT = "def totals(prices):\n    return sum(prices)\n"
WITHOUT_ENGINE = {"engine": {"kind": "none"}}
FAR = [1.7976931348623157e308, 2**53 - 1, 2**31, 2**32 - 1]


def at(line: Any, character: Any) -> dict[str, Any]:
    return {"line": line, "character": character}


def replaced(start: Any, end: Any, text: str, **more: Any) -> dict[str, Any]:
    return {"range": {"start": start, "end": end}, "text": text, **more}


READABLE = [
    ({"range": None, "text": "whole = 1\n"}, "whole = 1\n"),
    ({"range": None, "rangeLength": None, "text": "whole = 1\n"}, "whole = 1\n"),
    *((replaced(at(0, 0), at(far, far), "whole = 1\n"), "whole = 1\n") for far in FAR),
    *((replaced(at(0, 4), at(0, far), "f(a):"), TEXT.replace("totals(prices):", "f(a):")) for far in FAR),
    (replaced(at(-1, -1), at(0, 3), "async def"), f"async {TEXT}"),
    *(
        (replaced(at(0, 4), at(0, 10), "sums", rangeLength=n), TEXT.replace("totals", "sums"))
        for n in (-1, 2**40, "6", 1.5)
    ),
]
UNREADABLE: list[Any] = [
    [replaced(at(0, 4), {"line": 0}, "sums")],
    [replaced(at(0, "four"), at(0, 5), "sums")],
    [{"range": "all", "text": "sums"}],
    [{"range": {"start": at(0, 0), "end": at(0, 0)}}],
    [{"range": None, "text": None}],
    [{"text": "read = 1\n"}, 5],
    5,
    None,
]


@pytest.fixture
async def raw(machine: dict[str, str], tmp_path: Path) -> Any:
    (tmp_path / "a.py").write_text(TEXT)
    raw = await Raw.start()
    await raw.begin(tmp_path, WITHOUT_ENGINE)
    yield raw
    await raw.leave()


async def changed(raw: Raw, uri: str, version: int, changes: Any) -> None:
    document = {"uri": uri, "version": version}
    await raw.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})


async def editing(raw: Raw, uri: str) -> str:
    """The code at the cursor, as it would be shown to a model; an error's words where nothing is."""
    shown = await raw.command("palimpsest.context.show", {"uri": uri, "position": at(0, 0)})
    return shown["result"]["editing"]["text"] if "result" in shown else shown["error"]["message"]


async def test_what_can_be_applied_is_applied(raw: Raw, tmp_path: Path) -> None:
    for change, text in READABLE:
        uri = await raw.open(tmp_path / "a.py")
        await changed(raw, uri, 2, [change])
        assert text.split("\n")[0] in await editing(raw, uri), change
        await raw.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert raw.shown == []


async def test_where_it_cannot_the_document_is_lost_until_it_comes_whole(raw: Raw, tmp_path: Path) -> None:
    uri = await raw.open(tmp_path / "a.py")
    for number, changes in enumerate(UNREADABLE):
        await changed(raw, uri, 10 * number + 2, changes)
        assert "could not be read" in await editing(raw, uri), changes
        await changed(raw, uri, 10 * number + 3, [replaced(at(0, 0), at(0, 0), "# later\n")])
        assert "could not be read" in await editing(raw, uri)
        assert await raw.complete(uri, 1, 10) == []
        where = {"start": at(1, 0), "end": at(1, 10)}
        asked = {"textDocument": {"uri": uri}, "range": where, "context": {"diagnostics": []}}
        assert not (await raw.request("textDocument/codeAction", asked))["result"]

        await changed(raw, uri, 10 * number + 4, [{"text": f"whole{number} = 1\n"}])
        assert f"whole{number} = 1" in await editing(raw, uri)
        await changed(raw, uri, 10 * number + 5, [replaced(at(0, 0), at(0, 5), "total")])
        assert f"total{number} = 1" in await editing(raw, uri)
    assert len([said for said in raw.shown if "a.py" in said and "open it again" in said]) == 1


async def test_the_status_says_that_the_document_at_the_cursor_is_lost(machine: dict[str, str], tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(TEXT)
    raw = await Raw.start()
    await raw.begin(tmp_path)

    async def told(lost: bool) -> None:
        def wanted(m: dict[str, Any]) -> bool:
            is_lost = "could not be read" in str(m.get("params"))
            return m.get("method") == "palimpsest/status" and (m["params"]["kind"], is_lost) == (
                ("Inactive", True) if lost else ("Normal", False)
            )

        await raw.message(wanted)
        raw.came.clear()

    async def at_cursor(uri: str) -> None:
        await raw.notify("palimpsest/cursor", {"textDocument": {"uri": uri}, "position": at(1, 4)})

    uri, other = await raw.open(tmp_path / "a.py"), await raw.open(tmp_path / "b.py")
    await raw.ready()
    await at_cursor(uri)
    await changed(raw, uri, 2, [5])
    await told(True)
    await at_cursor(other)
    await told(False)
    await at_cursor(uri)
    await told(True)
    await changed(raw, uri, 4, [{"text": "whole = 1\n"}])
    await told(False)
    await raw.leave()


async def test_a_lost_document_is_known_again_once_it_is_opened(raw: Raw, tmp_path: Path) -> None:
    uri = await raw.open(tmp_path / "a.py")
    await raw.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}})
    assert "could not be read" in await editing(raw, uri)
    await raw.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert "is not open" in await editing(raw, uri)
    await raw.open(tmp_path / "a.py", "again = 1\n")
    assert "again = 1" in await editing(raw, uri)


async def test_what_cannot_be_read_counts_no_more_where_the_whole_text_follows(raw: Raw, tmp_path: Path) -> None:
    uri = await raw.open(tmp_path / "a.py")
    await changed(raw, uri, 2, [5, {"text": "whole = 1\n"}, replaced(at(0, 0), at(0, 5), "total")])
    assert "total = 1" in await editing(raw, uri)
    assert raw.shown == []
