"""Which parts of `make test-all` run: the rule, in a repository of its own, and that the table fits the tests."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import parts

ROOT = Path(__file__).parent.parent
TABLE = """
[editors]
select = "slow(part='editors')"
minutes = 10
about = ["clients", "server/lsp"]
[storms]
select = "slow(part='storms')"
minutes = 4
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


def test_a_part_whose_tests_are_chosen_otherwise_is_due(root: Path) -> None:
    assert parts.run(root, ["editors", "storms"], ["true"]) == 0
    table = root / "tests" / "parts.toml"
    table.write_text(TABLE.replace("(part='storms')", "").replace("minutes = 10", "minutes = 12"), encoding="utf-8")
    assert due(root) == ["storms"], "how long a part takes is nothing that its tests are about"


@pytest.mark.parametrize(
    ("pace", "left", "expected"),
    [
        (1, 20, ["editors", "storms"]),
        (1, 16, ["editors"]),
        (1, 12, ["storms"]),
        (1, 4, []),
        (4, 70, ["editors", "storms"]),
        (4, 60, ["editors"]),
    ],
    ids=str,
)
def test_what_does_not_end_in_the_time_that_is_left_is_left_out(
    root: Path, pace: float, left: float, expected: list[str]
) -> None:
    took = parts.MINUTES_OF_MAKE_TEST * 60 * pace
    assert parts.fitting(["editors", "storms"], parts.parts_of(root), took, left * 60) == expected


def test_what_changes_while_a_part_runs_has_not_passed(root: Path) -> None:
    assert parts.run(root, ["storms"], ["sh", "-c", "echo 4 > server/kv/b.py"]) == 0
    assert "storms" in due(root)


def test_a_record_that_cannot_be_read_is_none(root: Path) -> None:
    parts.record().parent.mkdir(parents=True)
    parts.record().write_text("[", encoding="utf-8")
    assert due(root) == ["editors", "storms"]


def test_without_git_it_is_said_that_git_tells(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root))
    with pytest.raises(SystemExit, match="told by git"):
        due(root)


def tables() -> dict[str, parts.Part]:
    return parts.parts_of(ROOT)


def is_about(part: parts.Part, name: str) -> bool:
    return any(name == place or name.startswith(f"{place}/") for place in part.about)


def test_every_slow_test_is_of_a_part_of_the_table_and_the_table_names_what_is_there() -> None:
    table = tables()
    wrong, named = [], set()
    for path in sorted({*(ROOT / "tests").rglob("*.py")} - {Path(__file__)}):
        name = path.relative_to(ROOT).as_posix()
        source = path.read_text(encoding="utf-8")
        for n, line in enumerate(source.splitlines(), 1):
            if marked := re.search(r"\bmark\.slow\b(?:\(part=\"(\w+)\"\))?", line):
                named.add(marked[1])
                if marked[1] not in table:
                    wrong.append(f"{name}:{n}: mark.slow names no part of tests/parts.toml")
                elif not is_about(table[marked[1]], name):
                    wrong.append(f"[{marked[1]}] is not about {name}, which has a test of it")
        properties = path.name.startswith("test_") and re.search(r"^from hypothesis import .*\bgiven\b", source, re.M)
        if properties and not is_about(table["properties"], name):
            wrong.append(f"[properties] is not about {name}, which has a test of it")
    wrong += [
        f"[{name}]: no test is marked with it" for name in table if "part=" in table[name].select and name not in named
    ]
    wrong += [
        f"[{name}]: {place} is not there"
        for name, it in table.items()
        for place in it.about
        if not (ROOT / place).exists()
    ]
    assert wrong == [], "\n".join(wrong)


def test_a_part_is_about_each_package() -> None:
    """But for what agents start, which nothing that takes long is about."""
    package = ROOT / "server" / "palimpsest"
    packages = {path for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    names = {path.relative_to(ROOT).as_posix() for path in {*packages, package / "assets"} - {package / "agents"}}
    assert [name for name in sorted(names) if not any(is_about(part, name) for part in tables().values())] == []


ONCE = """
from pathlib import Path

def test_as_in_a_pause_of_the_machine():
    tried = Path("tried")
    before = tried.exists()
    tried.touch()
    assert before
"""
TWICE = "def test_it():\n    assert False\n"
NOTED = ".pytest_cache/v/cache/lastfailed"


@pytest.fixture
def again(root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], subprocess.CompletedProcess[str]]:
    """Runs scripts/again.sh over one test file with a command."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (root / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "again.sh", root / "scripts")
    (root / ".venv").symlink_to(sys.prefix)

    def run(source: str, command: str) -> subprocess.CompletedProcess[str]:
        (root / "test_it.py").write_text(source, encoding="utf-8")
        return subprocess.run(
            ["scripts/again.sh", "sh", "-c", command], cwd=root, capture_output=True, text=True, timeout=120
        )

    return run


@pytest.mark.parametrize(("source", "status"), [(ONCE, 0), (TWICE, 1)], ids=["once", "twice"])
def test_what_fails_is_run_once_more_and_nothing_that_failed_in_another_run(
    again: Callable[[str, str], subprocess.CompletedProcess[str]], root: Path, source: str, status: int
) -> None:
    (root / NOTED).parent.mkdir(parents=True)
    (root / NOTED).write_text('{"test_other.py::test_of_another_run": true}', encoding="utf-8")
    (root / "test_other.py").write_text("def test_of_another_run():\n    assert False\n", encoding="utf-8")
    ended = again(source, ".venv/bin/python -m pytest test_it.py")
    assert ended.returncode == status, ended.stdout + ended.stderr
    assert "1 failed and run once more" in ended.stderr


@pytest.mark.parametrize(("n_failed", "status"), [(1, 2), (1, 3), (0, 5), (6, 1)])
def test_tests_that_were_not_run_and_many_that_failed_are_no_success(
    again: Callable[[str, str], subprocess.CompletedProcess[str]], root: Path, n_failed: int, status: int
) -> None:
    (root / NOTED).parent.mkdir(parents=True)
    noted = json.dumps({f"test_it.py::test_{n}": True for n in range(n_failed)})
    ended = again("def test_0():\n    pass\n", f"echo '{noted}' > {NOTED}; exit {status}")
    assert ended.returncode == status
    assert ended.stderr == ""
