"""`palimpsest bench names`, with the real server, engine and model."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).parents[2] / "server" / "palimpsest" / "demo" / "sample"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "palimpsest", "bench", "names", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)


def test_plain_names_are_put_right_and_code_as_it_is_is_left_alone() -> None:
    """But for the one name that is wrong in the sample."""
    done = bench(str(SAMPLE), "--n", "6", "--seed", "3", "--json")
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert (result["n"], result["workspace"], result["seed"]) == (6, "sample", 3)
    assert result["mended"]["plain"] == result["plain"] > 0
    assert result["replies"]["plain"] < result["mended"]["plain"]
    for row in (result["mended"], result["replies"]):
        assert row["plain"] <= row["right"] <= row["right"] + row["wrong"] <= 6
    assert result["as_it_is"]["offered"] == 1
    assert result["as_it_is"]["files"] > 3
    assert result["as_it_is"]["lines"] > 100


def test_a_table_for_a_person_and_a_folder_that_is_none() -> None:
    done = bench(str(SAMPLE), "--n", "1")
    assert done.returncode == 0, done.stderr
    assert "plain names, of" in done.stdout
    wrong = bench(str(SAMPLE / "nowhere"))
    assert wrong.returncode == 1
    assert "WORKSPACE" in wrong.stderr
