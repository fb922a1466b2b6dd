"""What `file-descriptors.md` promises, through the editor; named after its sentences."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcException

from palimpsest.text.uris import to_uri

from .talking import Talk, do, said, talking

LOG = "".join(f"{'ERROR' if n % 100 == 0 else 'INFO'} line {n}: order {n * 7} was looked at\n" for n in range(1, 501))


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[Talk]:
    async with talking(shop) as it:
        yield it


@pytest.fixture
async def conversation(talk: Talk) -> str:
    found: str = (await do(talk[0], "conversation.new", name="Logs"))["conversation"]
    return found


async def test_selective_paging_of_only_the_large_portions_of_a_message(talk: Talk) -> None:
    """ "preserving user's introduction text while paging only the large content sections"."""
    editor, model = talk
    cart = editor.open("shop/cart.py")
    (editor.root / "long.txt").write_text(LOG)
    start = {"line": 0, "character": 0}
    parts = [
        {"kind": "terminal", "content": LOG, "name": "pytest"},
        {"kind": "terminal", "content": "exit 1"},
        {"kind": "file", "uri": to_uri(editor.root / "long.txt")},
        {
            "kind": "selection",
            "uri": cart,
            "range": {"start": start, "end": {**start, "line": 2}},
        },
    ]
    answer = await do(editor, "ask", text="Why does it fail?", parts=parts)
    (_, text) = said(model)[-1]
    assert text.startswith('Why does it fail?\n\nIn the terminal `pytest`:\n\n<fd_result fd="fd-1"')
    assert "What the terminal said exceeds 8000 characters. Use read_fd to read more pages." in text
    assert "In the terminal:\n\n```\nexit 1\n```" in text
    assert 'The file `long.txt`:\n\n<fd_result fd="fd-2"' in text
    assert "Selected in `shop/cart.py`:\n\n```python\n" in text
    assert len(text) < len(LOG)
    listed = await do(editor, "fd.list", conversation=answer["conversation"])
    assert [one["source"] for one in listed["descriptors"]] == ["terminal:pytest", "file:long.txt"]
    for fd in ("fd-1", "fd-2"):
        assert (await do(editor, "fd.read", conversation=answer["conversation"], fd=fd, read_all=True))[
            "content"
        ] == LOG
    whole = await do(editor, "fd.read", conversation=answer["conversation"], fd="turn-1", read_all=True)
    assert LOG in whole["content"], "the turn itself is whole"


async def test_a_terminal_capture_above_its_threshold_becomes_a_descriptor(talk: Talk, conversation: str) -> None:
    editor, model = talk
    made = await do(
        editor, "conversation.append", conversation=conversation, role="tool", content=LOG, source="terminal"
    )
    short = await do(
        editor, "conversation.append", conversation=conversation, role="tool", content="ok", source="terminal"
    )
    assert (made["fd"], short["fd"]) == ("fd-1", None)
    await do(editor, "ask", conversation=conversation, text="Well?")
    (_, text) = said(model)[-1]
    assert text.startswith('<fd_result fd="fd-1" pages="')
    assert text.endswith("</fd_result>\n\nok\n\nWell?")


async def test_a_file_that_is_not_open_becomes_a_descriptor_whatever_its_size(talk: Talk, conversation: str) -> None:
    editor, _ = talk
    large = LOG * 150
    (editor.root / "large.txt").write_text(large)
    made = await do(editor, "fd.create", conversation=conversation, uri=to_uri(editor.root / "large.txt"))
    assert (made["source"], made["total_lines"]) == ("file:large.txt", 75_000)
    found = await do(editor, "fd.search", conversation=conversation, fd=made["fd"], query="order 3500 was")
    assert found["count"] == 150
    last = await do(editor, "fd.read", conversation=conversation, fd=made["fd"], page=made["pages"])
    assert large.endswith(last["content"])
    (editor.root / ".env").write_text("KEY=1\n")
    (editor.root / "keys.txt").write_text(
        LOG * 150 + "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY\n"
    )
    (editor.root / "bytes.bin").write_bytes(b"\xff\xfe\x00" * 500_000)
    for name in (".env", "keys.txt", "bytes.bin", "none.txt", "../outside.txt"):
        with pytest.raises(JsonRpcException, match="uri"):
            await do(editor, "fd.create", conversation=conversation, uri=to_uri(editor.root / name))
    assert (await do(editor, "fd.list", conversation=conversation))["count"] == 1
