"""`python -m bench layouts` on a small model, and the places that it asks about."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import command
from bench.shared.held_out import MAX_MIDDLE, cases, own_source
from palimpsest.errors import InvalidArgument
from palimpsest.prompt.blocks import EDITING_END

SOURCE = Path(__file__).parent
FEW = ["--middles", "2", "--words", "2", "--lines", "1", "--text", str(SOURCE)]


@pytest.mark.slow(part="benches")
def test_each_layout_is_measured_healed_and_as_is(
    models: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["layouts", "--model", str(models("starcoder")), "--json", *FEW]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["family"], result["in_place"], result["default"]) == ("StarCoder", True, "spm")
    assert result["samples"] == {"middles": 2, "words": 2, "lines": 1}
    assert list(result["layouts"]) == ["spm", "isolated", "psm"]
    for rows in result["layouts"].values():
        for row in rows.values():
            assert row["loss"] > 0
            assert 0 <= row["words"] <= 1
            assert row["keystroke"]["agreeing"]["n"] + row["keystroke"]["other"]["n"] > 0
    healed = {layout: rows["healed"]["keystroke"]["agreeing"]["decoded"] for layout, rows in result["layouts"].items()}
    assert healed["spm"] <= healed["psm"]


def test_a_table_for_a_person(models: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["layouts", "--model", str(models("mamba")), *FEW]) == 0
    said = capsys.readouterr().out
    assert "whole prompts" in said
    assert "isolated" not in said


def test_a_model_without_fim_tokens_has_no_layouts(
    models: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["layouts", "--model", str(models("plain")), *FEW]) == 1
    assert "no FIM tokens" in capsys.readouterr().err


def test_cases_are_the_same_again_and_fit_together() -> None:
    made = [cases(SOURCE, 3, middles=5, words=5, lines=3) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0] != cases(SOURCE, 4, middles=5, words=5, lines=3)
    assert [len(made[0].middles), len(made[0].words), len(made[0].lines)] == [5, 5, 3]
    for middle in made[0].middles:
        assert 0 < len(middle.text) <= MAX_MIDDLE
        assert middle.suffix.endswith(EDITING_END)
    for word in made[0].words:
        assert (word.prefix[-1] + word.rest).isidentifier() or word.prefix[-1].isdigit()


def test_a_folder_without_functions_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="no Python functions"):
        cases(tmp_path, 0, middles=1, words=1, lines=1)
    assert own_source().is_dir()
