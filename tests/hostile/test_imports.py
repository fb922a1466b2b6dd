"""Modules of a repository that take everything from each other: as many ways through them as there are paths; packages
and settings of JavaScript that lead out of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

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


SCRIPT = """\
import { out, Out } from "out";
import { Out as Linked } from "linked";
import { Out as Named } from "@/secret";
import { Out as Inner } from "#inner";
import { Out as Huge } from "huge";
import { Kept } from "./m0";

export function f() {
  return [out, Out, Linked, Named, Inner, Huge, Kept, new Kept()];
}
"""


async def test_packages_of_javascript_that_lead_outside(
    machine: dict[str, str], repository: Callable[[dict[str, str | bytes | Path]], Path], tmp_path: Path
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "secret.ts").write_text("export class Out { hidden_outside = 1; }\nexport const out = 1;\n")
    (away / "index.ts").write_text("export class Out { hidden_outside = 1; }\n")
    stars = "".join(f'export * from "./m{i}";\n' for i in range(N))
    up = "../" * 12
    root = repository(
        {
            **{f"src/m{i}.ts": stars for i in range(N)},
            f"src/m{N - 1}.ts": f"{stars}export class Kept {{\n  size = 1;\n}}\n",
            "src/main.ts": SCRIPT,
            "package.json": json.dumps({"imports": {"#inner": f"./{up}{away.as_posix()[1:]}/secret.ts"}}),
            "tsconfig.json": '{"extends": ["./tsconfig.json", "./b.json"]}',
            "b.json": json.dumps({"extends": "./tsconfig", "compilerOptions": {"paths": {"@/*": [f"{away}/*"]}}}),
            "node_modules/out/package.json": json.dumps({"types": f"{away}/secret.ts", "main": "../../../away/secret"}),
            "node_modules/linked": away,
            "node_modules/huge/package.json": "{" + " " * 50_000_000 + "}",
            "node_modules/huge/index.d.ts": "export class Out { hidden_outside = 1; }\n",
        }
    )
    editor = await start_editor(root)
    try:
        uri = editor.open("src/main.ts", language="typescript")
        position = editor.at(uri, "return [out")
        await editor.ready()
        shown = await editor.settled(uri, position)
        for _ in range(100):
            named = {(block["type"], block["name"]) for block in shown["blocks"]}
            if {("package", "src/m0"), ("class", f"src/m{N - 1}.Kept")} <= named:
                break
            shown = await editor.settled(uri, position)
        else:
            raise AssertionError(named)
        assert "hidden_outside" not in str(shown)
    finally:
        await stop_editor(editor)
