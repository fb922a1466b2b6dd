"""Small workspaces for tests that ask the same of every language, and how they are read.

A text has several files, each headed by a line `== path`; `$0` in one of them is where the cursor is.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent / "workspaces"
_HEAD = "== "


def files_in(text: str) -> dict[str, str]:
    files, lines = dict[str, list[str]](), list[str]()
    for line in text.splitlines(keepends=True):
        if line.startswith(_HEAD):
            lines = files.setdefault(line.removeprefix(_HEAD).strip(), [])
        else:
            lines.append(line)
    return {name: "".join(lines) for name, lines in files.items()}


def of(topic: str, case: str) -> tuple[dict[str, str], str]:
    """The files of a case, and the one with the cursor."""
    files = files_in((HERE / topic / f"{case}.txt").read_text("utf-8"))
    (main,) = [name for name, text in files.items() if "$0" in text]
    return files, main


def named(topic: str) -> list[str]:
    return sorted(path.stem for path in (HERE / topic).glob("*.txt"))
