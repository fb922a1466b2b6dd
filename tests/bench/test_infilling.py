"""`python -m bench infilling`: the format, programs run apart, and all of it with the embedded model."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bench.benches.infilling import Problem, read
from bench.command import main
from bench.completing.isolated import Bounds, passes
from palimpsest.errors import InvalidArgument

BOUNDS = Bounds(2, 512 << 20)
TEST = "def check(candidate):\n    assert candidate([1, 2]) == 3\n    assert candidate([]) == 0\n"


def problem(**other: str) -> dict[str, str]:
    return {
        "task_id": "one",
        "prompt": "def added(numbers):\n    total = 0\n",
        "canonical_solution": "    for number in numbers:\n",
        "suffix": "        total += number\n    return total\n",
        "test": TEST,
        "entry_point": "added",
        **other,
    }


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


class TestAFile:
    def test_becomes_problems_with_the_cursor_on_a_line_of_its_own(self, tmp_path: Path) -> None:
        (found,), _ = read(write(tmp_path / "set.jsonl", problem()))
        asked = found.question(tmp_path)
        assert (asked.prefix, asked.suffix) == (found.prompt, "\n" + found.suffix)
        assert found.filled("    for n in numbers:\n        pass") == "    for n in numbers:\n"
        assert passes(found.program(found.solution), BOUNDS)

    def test_of_spans_within_a_line_has_no_line_of_its_own(self, tmp_path: Path) -> None:
        row = problem(prompt="def added(numbers):\n    return ", canonical_solution="sum(numbers)", suffix="\n")
        (found,), _ = read(write(tmp_path / "set.jsonl", row))
        assert found.question(tmp_path).suffix == "\n"
        assert found.filled("sum(numbers)") == "sum(numbers)"

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (b"", "no problems"),
            (b"{", "line 1 is not JSON"),
            (b"[1]\n", "line 1 has no text in prompt, suffix"),
            (json.dumps({**problem(), "test": 3}).encode(), "no text in test"),
            (b"\xff\xfe", "not UTF-8"),
            (b"[" * 100_000, "not JSON"),
        ],
    )
    def test_of_another_kind_is_refused_by_line_and_field(self, tmp_path: Path, content: bytes, says: str) -> None:
        file = tmp_path / "set.jsonl"
        file.write_bytes(content)
        with pytest.raises(InvalidArgument, match=says):
            read(file)


class TestAProgram:
    @pytest.mark.parametrize(
        "program",
        [
            "while True: pass",
            "x = bytearray(1 << 30)",
            "raise SystemExit(1)",
            "open('made', 'w')",
            "open('/etc/passwd')",
            "import pathlib; pathlib.Path('made').mkdir()",
            "import os; os.fork()",
            "import os; os.system('true')",
            "import subprocess; subprocess.run(['true'])",
            "import socket; socket.socket()",
            "import ctypes; ctypes.CDLL(None)",
            "def",
        ],
    )
    def test_that_does_what_it_may_not_does_not_pass(self, program: str) -> None:
        assert not passes(program, BOUNDS)

    @pytest.mark.parametrize("program", ["", "import json, decimal, datetime; assert json.loads('1') == 1", "print(1)"])
    def test_of_plain_python_passes(self, program: str) -> None:
        assert passes(program, BOUNDS)

    def test_sees_no_environment(self) -> None:
        os.environ["SECRET_OF_THE_TEST"] = "1"
        try:
            assert passes("import os; assert 'SECRET_OF_THE_TEST' not in os.environ", BOUNDS)
        finally:
            del os.environ["SECRET_OF_THE_TEST"]


class TestTheBench:
    @pytest.mark.slow(part="benches")
    def test_counts_what_passes(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        easy = problem(task_id="easy", canonical_solution="    for number in numbers:\n")
        hopeless = problem(task_id="hopeless", test="def check(candidate):\n    assert False\n")
        file = write(tmp_path / "set.jsonl", easy, hopeless)
        assert main(["infilling", str(file), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["known_good"] == "1 of 2"
        assert found["problems"] == 1
        assert found["passed"] + len(found["failed"]) == 1
        assert found["set"] == "set.jsonl"

    def test_says_what_is_wrong_with_a_set(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["infilling", str(tmp_path / "none.jsonl")]) == 1
        assert "cannot be read" in capsys.readouterr().err


def test_a_problem_without_an_entry_point_is_its_own_test() -> None:
    found = Problem("p", "x = ", "\nassert x == 1\n", "1", "", "")
    assert passes(found.program("1"), BOUNDS)
    assert not passes(found.program("2"), BOUNDS)
