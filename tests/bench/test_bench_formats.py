"""`python -m bench formats`: damage, cases and judgement by themselves; and all of it, with real models."""

import ast
import json
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pytest
from tests.models import written

from bench.command import main
from bench.repairing.cases import Case, cases
from bench.repairing.damage import WAYS
from bench.repairing.outcomes import Outcome, outcome
from bench.repairing.rates import row
from bench.replaying.ours import own_folders
from bench.shared.source import functions
from palimpsest import wire
from palimpsest.context.editing.block import editing_at
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.line_edits import applied
from palimpsest.edits.shown import EDITING, ShownBlock, shown_blocks
from palimpsest.errors import InvalidArgument
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import Snapshot

OURS = Path(__file__).parents[2] / "server" / "palimpsest" / "context"
Bench: TypeAlias = Callable[..., str]
SAMPLE = Path(__file__).parents[2] / "server" / "palimpsest" / "demo" / "sample"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Bench]:
    """What it says, on a machine on which nothing of ours ran before."""

    def run(*arguments: str, status: int = 0) -> str:
        assert main(["formats", *arguments]) == status
        said = capsys.readouterr()
        return said.err if status else said.out

    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        for name, value in own_folders(Path(folder)).items():
            monkeypatch.setenv(name, value)
        yield run


# Damage ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", WAYS)
def test_a_way_of_damage_says_what_mends_it(kind: str) -> None:
    damages = 0
    for function in functions(OURS, Random(0), 40):
        source = textwrap.dedent("\n".join(function.lines))
        for seed in range(3):
            damage = WAYS[kind](function.lines, Random(seed), ())
            if damage is not None:
                damages += 1
                ast.parse(source)
                assert damage.kind == kind
                assert list(damage.lines) != function.lines
                assert applied(damage.lines, damage.edits) == function.lines
                assert damage.summary
    assert damages > 8


def test_cases_have_all_ways_about_equally_often() -> None:
    found = cases([OURS], 12, Random(1))
    counts = [sum(case.damage.kind == kind for case in found) for kind in WAYS]
    assert sum(counts) == 12
    assert min(counts) == 2
    assert [(c.function.file, c.at, c.damage) for c in found] == [
        (c.function.file, c.at, c.damage) for c in cases([OURS], 12, Random(1))
    ]
    for case in found:
        original = "\n".join(case.function.document)
        assert case.text != original
        assert len(case.text) > len(original) / 2


def test_no_functions_are_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="no function"):
        cases([tmp_path], 3, Random(0))


# Judgement ------------------------------------------------------------------------------------------------------


def place(case: Case) -> tuple[dict[str, ShownBlock], dict[str, Snapshot]]:
    """What is shown of a damaged document, and the document."""
    given = case.function.parsed.snapshot
    parsed = Parser(language_of).parse(Snapshot(given.uri, 1, "python", case.text))
    editing = editing_at(parsed, case.at, case.function.file, 4000)
    return shown_blocks(editing, (), {given.uri: 1}), {given.uri: parsed.snapshot}


def judged(case: Case, name: str, reply: str, finish: str = "end") -> Outcome:
    shown, documents = place(case)
    choice = wire.Choice(reply, finish, 7)  # type: ignore[arg-type]
    return outcome(case, name, choice, shown, documents, 1.0)


@pytest.mark.parametrize("name", FORMATS)
def test_the_reply_that_mends_the_damage_repairs_in_every_format(name: str) -> None:
    repaired = 0
    for case in cases([OURS], 12, Random(2)):
        block = place(case)[0][EDITING]
        if [line.text for line in block.lines] != list(case.damage.lines):
            continue  # a function that its damage takes apart
        try:
            reply = FORMATS[name].write(block, case.damage.edits, case.damage.summary)
        except ValueError:
            continue  # the format has no words for it
        found = judged(case, name, reply)
        assert found.well_formed, reply
        assert found.applied, reply
        assert found.repaired, reply
        assert found.parses
        assert not found.unchanged
        repaired += 1
        assert judged(case, name, "Sorry, I cannot see what is wrong.") == replace(
            found, well_formed=False, applied=False, repaired=False, parses=judged(case, name, "").parses
        )
    assert repaired >= 9


def test_a_reply_that_changes_nothing_or_the_wrong_line_repairs_nothing() -> None:
    case = next(case for case in cases([OURS], 12, Random(2)) if case.damage.kind == "misspelt")
    first = case.damage.lines[0]
    same = judged(case, "ln-diff", f'<suggestion name="editing">\nL1 {first}\n</suggestion>\n<summary>x</summary>\n')
    assert (same.well_formed, same.applied, same.unchanged, same.repaired) == (True, False, True, False)
    other = judged(case, "ln-diff", '<suggestion name="other">\nL1 x\n</suggestion>\n<summary>x</summary>\n')
    assert (other.well_formed, other.applied) == (False, False)
    added = judged(case, "ln-diff", f'<suggestion name="editing">\nL0+ {first[:-1]}, x):\n', finish="length")
    assert added.is_cut
    assert added.well_formed


def test_a_reply_cut_off_at_the_limit_is_not_malformed_by_that() -> None:
    case = cases([OURS], 1, Random(2))[0]
    cut = f'<suggestion name="editing">\n{case.damage.lines[0]}\n'
    assert judged(case, "whole", cut, finish="length").well_formed
    assert not judged(case, "whole", cut, finish="end").well_formed


def test_a_row_has_rates_in_all_and_by_kind() -> None:
    good = Outcome("dropped", True, False, True, False, True, True, 10, 4.0)
    bad = Outcome("operator", False, True, False, True, False, False, 30, 8.0)
    found = row([good, bad, bad])
    assert (found["well_formed"], found["tokens"], found["cut"]) == (0.3333, 23.3, 0.6667)
    assert found["kinds"]["dropped"] == {"n": 1, "well_formed": 1.0, "applied": 1.0, "repaired": 1.0}
    assert found["kinds"]["operator"] == {"n": 2, "well_formed": 0.0, "applied": 0.0, "repaired": 0.0}


# All of it ------------------------------------------------------------------------------------------------------


def check_rows(rows: dict[str, Any]) -> None:
    for found in rows.values():
        assert {"well_formed", "applied", "repaired", "tokens", "ms"} <= set(found)
        assert all(0 <= found[name] <= 1 for name in ("well_formed", "applied", "repaired", "parses"))
        assert found["repaired"] <= found["applied"] <= found["well_formed"]
        assert found["tokens"] > 0
        assert found["ms"] > 0


def test_wrong_use_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["formats", "--formats", "ln-diff,diff"])
    assert "search-replace" in capsys.readouterr().err
    assert main(["formats", str(tmp_path / "none")]) == 1
    assert "is no folder" in capsys.readouterr().err
    assert main(["formats", str(tmp_path)]) == 1
    assert "no function" in capsys.readouterr().err


def test_a_model_that_is_not_there_is_said(bench: Bench, tmp_path: Path) -> None:
    assert "none.gguf" in bench(str(SAMPLE), "--model", str(tmp_path / "none.gguf"), status=1)


def test_the_embedded_model_cannot_write_ln_diff_wrong(bench: Bench) -> None:
    said = bench(str(SAMPLE), "--json", "--n", "2", "--formats", "ln-diff", "--max-tokens", "120")
    result = json.loads(said.splitlines()[-1])
    assert list(result["formats"]) == list(result["free"]) == ["ln-diff"]
    check_rows(result["formats"])
    assert result["formats"]["ln-diff"]["well_formed"] == 1
    assert result["n"] == 2
    assert result["told"] is False


@pytest.mark.slow(part="benches")
def test_every_format_is_well_formed_under_its_grammar(bench: Bench) -> None:
    arguments = (str(SAMPLE), "--n", "2", "--max-tokens", "100", "--seed", "2")
    result = json.loads(bench(*arguments, "--json"))
    assert list(result["formats"]) == list(result["free"]) == list(FORMATS)
    check_rows(result["formats"])
    assert {found["well_formed"] for found in result["formats"].values()} == {1}

    again = json.loads(bench(*arguments, "--json", "--formats", "ln-diff", "--no-grammar"))
    assert "free" not in again
    without_time = {**again["formats"]["ln-diff"], "ms": 0}
    assert without_time == {**result["free"]["ln-diff"], "ms": 0}


@pytest.mark.slow(part="benches")
def test_a_model_with_a_chat_template_is_told_the_formats(bench: Bench, tmp_path: Path) -> None:
    short = "def area(width: float, height: float) -> float:\n    result = width * height\n\n    return result\n"
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "area.py").write_text(short)
    arguments = (str(tmp_path / "shop"), "--n", "1", "--max-tokens", "40", "--model", str(written("plain", tmp_path)))
    result = json.loads(bench(*arguments, "--json"))
    assert result["told"] is True
    assert {found["well_formed"] for found in result["formats"].values()} == {1}
    shown = bench(*arguments, "--formats", "udiff,ast")
    assert "told the format" in shown
    assert "udiff" in shown
