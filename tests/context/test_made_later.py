"""What is made while a window is open: environments, packages, repositories, files that say where modules are."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from context_workspace import Workspace
from tests.context.test_environment import made

Make = Callable[..., Workspace]
USE = "import {0}\n\n{0}.answer($0)\n"
PACKAGE = "def answer(question: str) -> int:\n    return 42\n"


def put(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_virtual_environment_and_what_is_installed_into_it(workspace: Make) -> None:
    it = workspace({"use.py": ""})
    assert "package:deepthought" not in it.blocks("use.py", USE.format("deepthought"))
    site = made(it.root / ".venv")
    assert "package:deepthought" not in it.blocks("use.py", USE.format("deepthought"))
    put(site / "deepthought" / "__init__.py", PACKAGE)
    assert "answer(question: str) -> int" in it.blocks("use.py", USE.format("deepthought"))["package:deepthought"].text
    other = put(it.root / "elsewhere" / "marvin.py", PACKAGE).parent
    put(site / "marvin.pth", f"{other}\n")
    assert "package:marvin" in it.blocks("use.py", USE.format("marvin"))
    shutil.rmtree(it.root / ".venv")
    assert "package:deepthought" not in it.blocks("use.py", USE.format("deepthought"))


def test_an_interpreter_that_the_setting_names(workspace: Make, tmp_path: Path) -> None:
    it = workspace({"use.py": ""}, python=str(tmp_path / "chosen"))
    assert "package:deepthought" not in it.blocks("use.py", USE.format("deepthought"))
    put(made(tmp_path / "chosen") / "deepthought.py", PACKAGE)
    assert "package:deepthought" in it.blocks("use.py", USE.format("deepthought"))


def test_a_repository_and_its_rules(workspace: Make) -> None:
    it = workspace({"use.py": "def f():\n    return 1\n", "built/a.py": ""})
    shown = it.blocks("use.py", "def f():\n    return 1$0\n")
    assert "built/" in shown["filesystem:root"].text
    for command in (
        ["init", "-q"],
        ["add", "use.py"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "First"],
    ):
        subprocess.run(["git", *command], cwd=it.root, check=True)
    put(it.root / ".git" / "info" / "exclude", "built/\n")
    shown = it.blocks("use.py", "def f():\n    return 1$0\n")
    assert "First" in shown["recent:use.py f in git"].text
    assert "built/" not in shown["filesystem:root"].text
    shutil.rmtree(it.root / ".git")
    assert "built/" in it.blocks("use.py", "def f():\n    return 1$0\n")["filesystem:root"].text


def test_a_repository_around_the_folder(workspace: Make) -> None:
    it = workspace({"use.py": "", "built/a.py": ""})
    assert "built/" in it.blocks("use.py", "x$0")["filesystem:root"].text
    put(it.root.parent / ".gitignore", "built/\n")
    subprocess.run(["git", "init", "-q"], cwd=it.root.parent, check=True)
    assert "built/" not in it.blocks("use.py", "x$0")["filesystem:root"].text


def test_files_that_say_where_modules_are(workspace: Make) -> None:
    it = workspace(
        {"main.go": "", "shop/cart.go": "package shop\n\nfunc Total(a int) int { return a }\n", "use.ts": ""}
    )
    go = 'package main\n\nimport "example.org/m/shop"\n\nfunc main() {\n\tshop.Total($0)\n}\n'
    assert not [key for key in it.blocks("main.go", go) if key.startswith("package:example")]
    put(it.root / "go.mod", "module example.org/m\n")
    assert "package:example.org/m/shop" in it.blocks("main.go", go)

    script = 'import { total } from "@/cart";\n\ntotal($0);\n'
    put(it.root / "src" / "cart.ts", "export function total(rows: number[]): number { return 1; }\n")
    before = set(it.blocks("use.ts", script))
    put(it.root / "tsconfig.json", '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}')
    assert [key for key in set(it.blocks("use.ts", script)) - before if key.startswith("package:")]

    script = 'import { total } from "till";\n\ntotal($0);\n'
    before = set(it.blocks("use.ts", script))
    put(it.root / "node_modules" / "till" / "package.json", '{"name": "till", "types": "index.d.ts"}')
    put(it.root / "node_modules" / "till" / "index.d.ts", "export function total(rows: number[]): number;\n")
    assert [key for key in set(it.blocks("use.ts", script)) - before if key.startswith("package:")]
