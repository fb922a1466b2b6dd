"""`python -m bench names`, with the real server, engine and model."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.command import main

SAMPLE = Path(__file__).parents[2] / "server" / "palimpsest" / "demo" / "sample"


@pytest.mark.slow(part="benches")
def test_plain_names_are_put_right_and_code_as_it_is_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """But for the one name that is wrong in the sample."""
    assert main(["names", str(SAMPLE), "--n", "6", "--seed", "3", "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (result["n"], result["workspace"], result["seed"]) == (6, "sample", 3)
    assert result["mended"]["plain"] == result["plain"] > 0
    assert result["replies"]["plain"] < result["mended"]["plain"]
    for row in (result["mended"], result["replies"]):
        assert row["plain"] <= row["right"] <= row["right"] + row["wrong"] <= 6
    assert result["as_it_is"]["offered"] == 1
    assert result["as_it_is"]["files"] > 3
    assert result["as_it_is"]["lines"] > 100


@pytest.mark.slow(part="benches")
def test_a_table_for_a_person_and_a_folder_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["names", str(SAMPLE / "shop"), "--n", "1"]) == 0
    assert "plain names, of" in capsys.readouterr().out
    assert main(["names", str(SAMPLE / "nowhere")]) == 1
    assert "WORKSPACE" in capsys.readouterr().err
