"""`python -m bench holes`: where holes are made, and all of it with the embedded model."""

import json
from pathlib import Path
from random import Random

import pytest

from bench.command import main
from palimpsest.checking.holes import KINDS, holes
from palimpsest.errors import InvalidArgument

PYTHON = "def total(prices):\n    # what they cost together\n    result = sum(prices.all)\n    return result\n"
GO = "package shop\n\nfunc Total(prices []int) int {\n\tresult := 0\n\treturn result + prices[0]\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "cart.py").write_text(PYTHON)
    (tmp_path / "shop" / "cart.go").write_text(GO)
    (tmp_path / "shop" / "broken.py").write_text("def f(:\n    pass\n")
    return tmp_path / "shop"


def test_holes_are_in_code_that_parses_and_give_back_the_file(folder: Path) -> None:
    found = holes(folder, 20, Random(1))
    assert {hole.kind for hole in found} == set(KINDS)
    assert {hole.path.name for hole in found} == {"cart.py", "cart.go"}
    for hole in found:
        assert hole.prefix + hole.text + hole.suffix == hole.parsed.snapshot.text
        assert hole.text.strip()
        assert "\n" not in hole.text
        assert "cost together" not in hole.text
        assert hole.n_errors(hole.text) == 0
        before = hole.prefix.rpartition("\n")[2]
        assert {
            "line": not before.strip(),
            "rest": before.strip(),
            "word": before[-1:].isidentifier(),
            "member": before.endswith("."),
        }[hole.kind]
        assert (hole.suffix[:1] == "\n") or hole.kind in ("word", "member")
    places = [(hole.kind, hole.path, len(hole.prefix), hole.text) for hole in found]
    assert len(set(places)) == len(places)
    assert [hole.text for hole in holes(folder, 20, Random(1))] == [hole.text for hole in found]


@pytest.mark.slow(part="benches")
def test_counts_what_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["holes", str(folder), "--n", "2", "--asked", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["folders"] == ["shop"]
    assert found["languages"] == ["go", "python"]
    assert {kind: row["n"] for kind, row in found["kinds"].items()} == {
        "line": 2,
        "rest": 2,
        "word": 2,
        "member": 1,
        "all": 7,
    }
    row = found["kinds"]["all"]
    assert row["exact"] <= row["shown"] <= 7
    assert row["adds"] <= row["leaves"] <= row["shown"]
    assert row["tokens"] > 0


def test_there_are_no_more_holes_than_there_are(folder: Path) -> None:
    assert len(holes(folder, 10**9, Random(1))) < 100


def test_says_what_is_wrong_with_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["holes", str(tmp_path / "none")]) == 1
    assert "is no folder" in capsys.readouterr().err
    with pytest.raises(InvalidArgument, match="no source files"):
        holes(tmp_path, 1, Random(0))
