"""Replies that leave code out, in every edit format and where a conversation writes a file."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from .talking import calls, do, talking

CODE = """\
def area(width, height):
    width = abs(width)
    height = abs(height)
    return width + height
"""
LEFT_OUT = "# ... existing code ..."
NEW = f"def area(width, height):\n    {LEFT_OUT}\n    return width * height\n"
REPLIES = {
    "ln-diff": f"L2     {LEFT_OUT}\nL3\nL4     return width * height\n",
    "whole": NEW,
    "search-replace": "<<<<<<< SEARCH\n" + CODE + "=======\n" + NEW + ">>>>>>> REPLACE\n",
    "udiff": "@@ @@\n" + indent(CODE, "-") + indent(NEW, "+"),
    "ast": f'<replace node="function area">\n{NEW}</replace>\n',
}


@pytest.mark.parametrize("format", REPLIES)
async def test_an_edit_with_a_placeholder_is_refused_with_the_reason(
    machine: dict[str, str], tmp_path: Path, format: str
) -> None:
    (tmp_path / "area.py").write_text(CODE, encoding="utf-8")
    async with talking(tmp_path, {"suggestion": {"format": format}}) as (editor, model):
        uri = editor.open("area.py")
        body = REPLIES[format]
        for text in (body, body.replace(LEFT_OUT, "width, height = abs(width), abs(height)")):
            model.replies = [f'<suggestion name="editing">\n{text}</suggestion>\n<summary>Multiply.</summary>']
            answer = await do(editor, "suggest", uri=uri, position={"line": 1, "character": 4})
            refused = " ".join(one["reason"] for one in answer["refused"])
            if text == body:
                assert answer["suggestions"] == []
                assert "it leaves code out" in refused
                assert LEFT_OUT in refused
            else:
                assert len(answer["suggestions"]) == 1, refused


async def test_a_ref_with_a_placeholder_replaces_no_file_that_has_code(machine: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "area.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "open.py").write_text(CODE, encoding="utf-8")
    async with talking(tmp_path) as talk:
        editor, model = talk
        editor.open("open.py")
        model.replies = [f'<ref id="new">\n{NEW}</ref>']
        made = (await do(editor, "ask", text="Multiply."))["conversation"]
        for name in ("area.py", "open.py"):
            said = await calls(talk, made, f'ref_to_file(ref_id="new", file_path="{name}", overwrite=True)')
            assert 'tool="ref_to_file" argument="ref_id"' in said
            assert LEFT_OUT in said
            assert (tmp_path / name).read_text(encoding="utf-8") == CODE
        assert "success" in await calls(talk, made, 'ref_to_file(ref_id="new", file_path="another.py")')
