"""Modules of a repository that take everything from each other: as many ways through them as there are paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import start_editor, stop_editor

N = 24
MAIN = """\
import re
from p.m0 import *
from p.m1 import given


def f(text: str) -> object:
    re.match("a", text)
    given(Missing, Kept())
    return None
"""


@pytest.mark.slow
async def test_modules_that_take_everything_from_each_other(
    machine: dict[str, str], repository: Callable[[dict[str, str | bytes | Path]], Path]
) -> None:
    stars = "".join(f"from p.m{i} import *\n" for i in range(N))
    files: dict[str, str | bytes | Path] = {f"p/m{i}.py": stars for i in range(N)}
    last = f"{stars}def given(a: int) -> str:\n    return ''\n\n\nclass Kept:\n    size: int = 1\n"
    root = repository({**files, "p/__init__.py": "", f"p/m{N - 1}.py": last, "main.py": MAIN})
    editor = await start_editor(root)
    try:
        uri = editor.open("main.py")
        position = editor.at(uri, "return None")
        await editor.ready()
        shown = await editor.settled(uri, position)
        for _ in range(100):
            named = {(block["type"], block["name"]) for block in shown["blocks"]}
            if {("package", "re"), ("package", "p.m1"), ("class", f"p.m{N - 1}.Kept")} <= named:
                break
            shown = await editor.settled(uri, position)
        else:
            raise AssertionError(named)
    finally:
        await stop_editor(editor)
