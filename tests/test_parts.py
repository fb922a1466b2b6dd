"""Which parts of `make test-all` run: the rule, in a repository of its own, and that the table fits the tests."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from scripts import parts

ROOT = Path(__file__).parent.parent
TABLE = """
[editors]
select = "slow(part='editors')"
about = ["clients", "server/lsp"]
[storms]
select = "slow(part='storms')"
about = ["server/kv"]
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "project"
    for name, text in {
        "tests/parts.toml": TABLE,
        "server/lsp/a.py": "1",
        "server/kv/b.py": "2",
        "README.md": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    for command in ("init -q", "add ."):
        subprocess.run(["git", *command.split()], cwd=root, check=True)
    return root


def due(root: Path) -> list[str]:
    return parts.due(parts.digests(root), parts.passed())


def test_a_part_is_due_until_it_has_passed_and_again_when_a_file_changes_that_it_is_about(root: Path) -> None:
    assert due(root) == ["editors", "storms"], "nothing has passed here yet"
    assert parts.run(root, ["editors", "storms"], ["false"]) == 1
    assert due(root) == ["editors", "storms"]
    assert parts.run(root, ["editors"], ["true"]) == 0
    assert due(root) == ["storms"]
    assert parts.run(root, ["storms"], ["true"]) == 0
    (root / "README.md").write_text("about nothing", encoding="utf-8")
    assert due(root) == []
    (root / "server/kv/new.py").write_text("3", encoding="utf-8")
    assert due(root) == ["storms"]
    (root / "server/kv/new.py").unlink()
    assert due(root) == []
    (root / "server/lsp/a.py").unlink()
    assert due(root) == ["editors"]


def test_what_changes_while_a_part_runs_has_not_passed(root: Path) -> None:
    assert parts.run(root, ["storms"], ["sh", "-c", "echo 4 > server/kv/b.py"]) == 0
    assert "storms" in due(root)


def test_a_record_that_cannot_be_read_is_none(root: Path) -> None:
    parts.record().parent.mkdir(parents=True)
    parts.record().write_text("[", encoding="utf-8")
    assert due(root) == ["editors", "storms"]


def test_every_slow_test_is_of_a_part_of_the_table_and_the_table_names_what_is_there() -> None:
    table = tomllib.loads((ROOT / "tests" / "parts.toml").read_text(encoding="utf-8"))
    wrong, named = [], set()
    for path in sorted({*(ROOT / "tests").rglob("*.py")} - {Path(__file__)}):
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if marked := re.search(r"\bmark\.slow\b(?:\(part=\"(\w+)\"\))?", line):
                named.add(marked[1])
                if marked[1] not in table:
                    wrong.append(f"{path.relative_to(ROOT)}:{n}: mark.slow names no part of tests/parts.toml")
    wrong += [
        f"[{name}]: no test is marked with it"
        for name in table
        if "part=" in table[name]["select"] and name not in named
    ]
    wrong += [
        f"[{name}]: {place} is not there"
        for name, it in table.items()
        for place in it["about"]
        if not (ROOT / place).exists()
    ]
    assert wrong == [], "\n".join(wrong)
