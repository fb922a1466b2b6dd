"""`python -m bench figures`: what it writes into the documents, and when it leaves them alone."""

import html
import json
import re
import shutil
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from tests.documents import README, ROOT, text

from bench.command import main
from bench.publishing import pages, running, tables
from bench.publishing.catalog import FIGURES, Figure
from palimpsest.errors import PalimpsestError
from palimpsest.models.files import embedded

MEASUREMENTS = ROOT / "docs" / "measurements.md"
PAGE = "before\n<!-- figures: a -->\nold\n<!-- end figures -->\n<!-- figures: b -->\n| x | 1 |\n<!-- end figures -->\n"
PARTS = ("parse", "blocks", "plan", "transfer", "decode", "sample", "ours", "total")
KEYSTROKE = {
    "ms": {part: {"p50": 1.0, "p95": 2.0} for part in PARTS},
    "keystrokes": 3,
    "shown_ms": {"p50": 0.5, "p95": 0.6},
    "file": {"lines": 994, "blocks": 13},
}
MEASURED_WITH = r"\*20\d\d-\d\d-\d\d, commit `[0-9a-f]{7,}( and changes)?`; \d.* cores.*; .*model.*`\*$"
Bench = Callable[..., int]


def test_a_region_is_replaced_and_the_rest_stays() -> None:
    page = pages.replaced(PAGE, "a", "new")
    assert pages.regions(page) == {"a": "new\n", "b": "| x | 1 |\n"}
    assert page.startswith("before\n")
    with pytest.raises(KeyError):
        pages.replaced(PAGE, "c", "new")


def test_a_row_is_replaced_by_its_first_cell() -> None:
    assert pages.regions(pages.with_rows(PAGE, "b", {"x": ["2"]}))["b"] == "| x | 2 |\n"


def test_the_documents_have_a_region_for_every_figure() -> None:
    assert set(pages.regions(text(MEASUREMENTS))) == set(FIGURES)
    rows = [line.split(" | ")[0].strip("| ") for line in pages.regions(text(README))["readme"].splitlines()[2:]]
    assert rows == [tables.TOKENS, tables.BACK, tables.OURS, tables.EXACT, tables.NAMES]


def says_what_it_was_measured_with(name: str, region: str) -> bool:
    first, empty, *_ = region.splitlines()
    command = " ".join(takewhile(lambda word: not word.startswith("--"), FIGURES[name].line().split()))
    return re.match(MEASURED_WITH, first) is not None and command in first and not empty


def test_every_table_says_what_it_was_measured_with() -> None:
    regions = pages.regions(text(MEASUREMENTS))
    assert [name for name in FIGURES if not says_what_it_was_measured_with(name, regions[name])] == []


def test_tables_of_no_command_name_their_commit() -> None:
    page = text(MEASUREMENTS)
    for body in pages.regions(page).values():
        page = page.replace(body, "")
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        before = re.split(r"^\|.*\n(?:\|.*\n)*", section, flags=re.MULTILINE)[:-1]
        for words in before:
            assert re.search(r"[Cc]ommit `[0-9a-f]{7}`", words), section[:80]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """`python -m bench figures` on copies of the documents."""
    (tmp_path / "docs").mkdir()
    shutil.copy(README, tmp_path)
    shutil.copy(MEASUREMENTS, tmp_path / "docs")

    def run(*arguments: str) -> int:
        return main(["figures", "--model", str(embedded()), "--into", str(tmp_path), *arguments])

    return run


class Measured:
    """In the place of real runs: which were made; those named in `fails` fail."""

    def __init__(self, fails: str = "") -> None:
        self.commands, self._fails = list[str](), fails

    def __call__(self, figure: Figure, root: Path, model: Path, *, small: bool) -> dict[str, Any]:
        self.commands.append(figure.line())
        if self._fails in figure.command:
            raise PalimpsestError("It does not start.")
        return dict(KEYSTROKE)


def test_a_table_and_the_readmes_row_are_written(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = Measured()
    # no door: a bench takes minutes to hours
    monkeypatch.setattr(running, "run", measured)
    assert bench("--only", "keystroke", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told["tables"]) == ["keystroke"]
    assert measured.commands == ["python -m bench keystroke"]
    region = pages.regions(text(tmp_path / "docs" / "measurements.md"))["keystroke"]
    assert "| p95 | 2.0 | 2.0 |" in region
    assert f"commit `{told['commit']}`" in region
    assert told["model"].startswith("embedded model")
    assert told["model"] in region
    row = next(line for line in text(tmp_path / "README.md").splitlines() if line.startswith(f"| {tables.OURS} | "))
    assert row.startswith(f"| {tables.OURS} | 1.0, 2.0 | ")
    assert told["commit"] in row


def test_it_goes_on_where_it_was_stopped(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only = {"keystroke": FIGURES["keystroke"], "demo": FIGURES["demo"]}
    # no door: a run of all figures cannot be told which they are
    monkeypatch.setattr("bench.benches.figures.FIGURES", only)
    first = Measured(fails="demo")
    # no door: a bench takes minutes to hours
    monkeypatch.setattr(running, "run", first)
    assert bench() == 1
    assert "demo" in capsys.readouterr().err
    assert len(first.commands) == 2, "one that fails does not keep the others from being measured"
    again = Measured(fails="demo")
    # no door: a bench takes minutes to hours
    monkeypatch.setattr(running, "run", again)
    assert bench() == 1
    assert again.commands == [FIGURES["demo"].line()]
    assert bench("--only", "keystroke") == 0, "what is asked for by its name is measured again"


def test_unknown_tables_and_too_little_are_refused(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--only", "nonsense") == 1
    assert "keystroke" in capsys.readouterr().err
    assert main(["figures", "--small"]) == 1
    assert "--into" in capsys.readouterr().err


@pytest.mark.slow(part="benches")
@pytest.mark.parametrize("name", ["equivalence", "demo", "infill"])
def test_a_real_run(bench: Bench, tmp_path: Path, name: str) -> None:
    """Of the others' results each bench's own tests tell."""
    assert bench("--small", "--only", name) == 0
    before, after = (pages.regions(text(page))[name] for page in (MEASUREMENTS, tmp_path / "docs" / "measurements.md"))
    assert before.splitlines()[0] != after.splitlines()[0]
    shown = [[line for line in region.splitlines() if line.startswith("| ")] for region in (before, after)]
    assert shown[0][0] == shown[1][0]
    if name == "demo":
        events = [line.split(" | ")[0].strip("| ") for line in shown[1][1:]]
        assert events == [line.split(" | ")[0].strip("| ") for line in shown[0][1:]]
        picture = html.unescape(text(ROOT / "docs" / "demo.svg")).replace("\xa0", " ")
        assert all(f">{number}. {event}<" in picture for number, event in enumerate(events, 1))
