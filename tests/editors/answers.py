"""What a scripted server (`tests/editors/scripted.py`) is told to answer, and what it was asked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.editors import scripted

NOTHING: dict[str, Any] = {"edits": [], "total": 0}


def command(folder: Path) -> list[str]:
    """Starts one that has its answers from the folder, and its record there."""
    return [sys.executable, scripted.__file__, str(folder / "answers.json"), str(folder / "log.jsonl")]


def tell(folder: Path, **answers: Any) -> None:
    draft = folder / "answers.new"
    draft.write_text(json.dumps({name.replace("__", "."): value for name, value in answers.items()}), encoding="utf-8")
    draft.replace(folder / "answers.json")


def said(folder: Path, method: str) -> list[dict[str, Any]]:
    """What the client sent of that method, or of that command."""
    log = folder / "log.jsonl"
    found = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
    return [one for one in found if method in (one.get("method"), (one.get("params") or {}).get("command"))]


def edit(start: tuple[int, int], end: tuple[int, int], text: str, /, **more: Any) -> dict[str, Any]:
    """An answer with one next edit; places are lines and characters, from 0.  `more` goes before what it has."""
    first, last = ({"line": line, "character": character} for line, character in (start, end))
    one = {
        "id": "1",
        "textDocument": {"uri": "$uri", "version": "$version"},
        "range": {"start": first, "end": last},
        "text": text,
        "kind": "rename",
        "message": "a change",
        "command": {"title": "", "command": "palimpsest.nextEdit.accept"},
    }
    return {"edits": [one | more], "total": 1}
