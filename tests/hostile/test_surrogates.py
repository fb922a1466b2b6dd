"""Half an emoji, wherever text comes in: help goes on."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import PATIENT
from tests.e2e.raw import Raw

SLOW = pytest.mark.slow(part="storms")
HIGH, LOW = "\ud83d", "\ude00"


@pytest.mark.parametrize("encodings", [["utf-16"], *(pytest.param([one], marks=SLOW) for one in ("utf-8", "utf-32"))])
async def test_half_an_emoji_at_every_door(machine: dict[str, str], shop: Path, encodings: list[str]) -> None:
    client = await Raw.start()
    try:
        served = await client.begin(shop, PATIENT, general={"positionEncodings": encodings})
        assert served["positionEncoding"] == encodings[0]
        await client.ready()
        path = shop / "shop" / "cart.py"
        text = path.read_text(encoding="utf-8")
        uri = await client.open(path, f"# {HIGH}\n# {LOW} {HIGH}{LOW}\n{text}")
        line = text.split("\n").index("        total = self.subtotal()") + 2

        async def change(version: int, where: dict[str, Any], new: str) -> None:
            document = {"uri": uri, "version": version}
            changes = [{"range": {"start": where, "end": where}, "text": new}]
            await client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

        docstring = {"line": text.split("\n").index('    """What a person is about to buy."""') + 2, "character": 7}
        await change(2, docstring, HIGH)  # of a class that is in a block
        await change(3, {**docstring, "character": 8 if encodings[0] != "utf-8" else 10}, LOW)
        await change(4, {"line": line, "character": 31}, f"  # {HIGH}")
        await change(5, {"line": line + 1, "character": 0}, "        if self.disc\n")
        assert await client.complete(uri, line + 1, len("        if self.disc"))

        where = {"uri": uri, "position": {"line": 1, "character": 3}}
        shown = await client.command("palimpsest.context.show", where)
        assert "result" in shown
        put = {"type": "package", "name": f"x{HIGH}", "text": f"y {LOW} {HIGH}{LOW}\n"}
        assert "result" in await client.command("palimpsest.context.put", put)
        answer = await client.command("palimpsest.suggest", {**where, "instruction": f"Mend {HIGH} it"})
        assert "result" in answer, answer
        assert await client.complete(uri, line + 1, len("        if self.disc"))
        assert [text for text in client.shown if "default model" not in text] == []  # which is offered once
        await client.leave()
        assert b"Traceback" not in client.errors
    finally:
        await client.stop()
