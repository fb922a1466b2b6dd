"""A part of a message that makes no sense leaves the rest of it as it is, in the bytes that a client sends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .raw import Raw

TEXT = "def totals(prices):\n    return sum(prise)\n"
WITHOUT_ENGINE = {"engine": {"kind": "none"}}
ENDS = [1.7976931348623157e308, 2**53 - 1, 2**32 - 1, -1]


def diagnostic(end: Any = 20, message: str = "prise is not defined", **more: Any) -> dict[str, Any]:
    there = {"start": {"line": 1, "character": 15}, "end": {"line": 1, "character": end}}
    return {"range": there, "message": message, "severity": 1, **more}


FAR = {"start": {"line": 1, "character": 15}, "end": {"line": 2**53 - 1, "character": 2**53 - 1}}
ODD = [
    *(diagnostic(end) for end in ENDS),
    {**diagnostic(), "range": FAR},
    diagnostic(severity=5),
    diagnostic(tags=[99]),
    diagnostic(tags=[1, None, {}]),
]
NONE = [None, "wrong", {}, {"range": 5, "message": "x"}]


@pytest.fixture
async def raw(machine: dict[str, str], tmp_path: Path) -> Any:
    (tmp_path / "a.py").write_text(TEXT)
    raw = await Raw.start()
    await raw.begin(tmp_path, WITHOUT_ENGINE)
    yield raw
    await raw.leave()


async def asked(raw: Raw, uri: str, diagnostics: Any, **context: Any) -> dict[str, Any]:
    where = {"start": {"line": 1, "character": 15}, "end": {"line": 1, "character": 15}}
    params = {"textDocument": {"uri": uri}, "range": where, "context": {"diagnostics": diagnostics, **context}}
    return await raw.request("textDocument/codeAction", params)


async def test_an_odd_diagnostic_of_another_server_takes_no_actions_away(raw: Raw, tmp_path: Path) -> None:
    uri = await raw.open(tmp_path / "a.py")
    for odd in ODD:
        titles = [one["title"] for one in (await asked(raw, uri, [odd]))["result"]]
        assert any("fix “prise is not defined”" in title for title in titles), odd
    for nonsense in NONE:
        titles = [one["title"] for one in (await asked(raw, uri, [nonsense, diagnostic(message="the rest")]))["result"]]
        assert [title for title in titles if "fix" in title] == ["Palimpsest: fix “the rest”"], nonsense
    assert "result" in await asked(raw, uri, [], triggerKind=9)
    for no_list in (None, {}, "wrong", 5):
        assert (await asked(raw, uri, no_list))["result"], no_list
    where = {"start": {"line": 1, "character": 15}, "end": {"line": 1, "character": 15}}
    params = {"textDocument": {"uri": uri}, "range": where, "context": {}}
    assert (await raw.request("textDocument/codeAction", params))["result"]


@pytest.mark.parametrize("text", [None, 5, ["def f():"], {}])
async def test_a_document_whose_text_is_none_is_not_open(raw: Raw, tmp_path: Path, text: Any) -> None:
    uri = await raw.open(tmp_path / "a.py")
    await raw.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    await raw.notify("textDocument/didOpen", {"textDocument": item})
    shown = await raw.command("palimpsest.context.show", {"uri": uri, "position": {"line": 0, "character": 0}})
    assert "not open" in shown["error"]["message"]


@pytest.mark.parametrize("end", ENDS)
async def test_a_position_out_of_bounds_is_the_nearest_one(raw: Raw, tmp_path: Path, end: float) -> None:
    uri = await raw.open(tmp_path / "a.py")
    where = {"textDocument": {"uri": uri}, "position": {"line": end, "character": end}}
    assert "result" in await raw.request("textDocument/inlineCompletion", {**where, "context": {"triggerKind": 2}})


async def test_an_odd_diagnostic_leaves_the_others_told(raw: Raw, tmp_path: Path) -> None:
    uri = await raw.open(tmp_path / "a.py")
    for number, odd in enumerate([*ODD, *NONE]):
        told = [odd, diagnostic(message=f"the rest {number}")]
        await raw.notify("palimpsest/diagnostics", {"textDocument": {"uri": uri}, "diagnostics": told})
        await raw.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        shown = await raw.command("palimpsest.context.show", {"uri": uri, "position": {"line": 0, "character": 0}})
        assert f"the rest {number}" in str(shown["result"]), odd
