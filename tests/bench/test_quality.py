"""`python -m bench quality`: holes, figures and trials by themselves; and all of it, with the embedded model."""

import json
import sys
import textwrap
import xml.etree.ElementTree as ET
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.command import main
from bench.completing import quiet
from bench.completing.holes import KINDS, Hole, holes
from bench.completing.plot import svg
from bench.completing.scores import Offered, row, scored, similarity
from bench.completing.trying import Trials
from bench.shared.source import functions
from palimpsest.errors import InvalidArgument

SAMPLE = Path(__file__).parents[2] / "server" / "palimpsest" / "demo" / "sample"
FILES = {
    "prices.py": '''
        """Prices and what is done with them."""

        from store import Shelf


        def rounded(price: float) -> float:
            """To cents."""
            cents = price * 100
            return round(cents) / 100


        def total(shelf: Shelf) -> float:
            """The sum of all prices on a shelf."""
            result = 0.0
            for name in shelf.names:
                result += shelf.price_of(name)
            return rounded(result)
        ''',
    "store.py": '''
        """A shelf of things with prices."""


        class Shelf:
            def __init__(self) -> None:
                self.names: list[str] = []
                self.prices: dict[str, float] = {}

            def add(self, name: str, price: float) -> None:
                """Put something on the shelf."""
                self.names.append(name)
                self.prices[name] = price

            def price_of(self, name: str) -> float:
                if name not in self.prices:
                    raise KeyError(name)
                return self.prices[name]

            def unused(self, name: str) -> str:
                text = name.upper()
                return text
        ''',
    "tests/check.py": """
        import sys
        from pathlib import Path

        sys.path.insert(0, str(Path(__file__).parents[1]))
        from prices import rounded, total
        from store import Shelf

        shelf = Shelf()
        shelf.add("tea", 2.5)
        shelf.add("milk", 1.1)
        assert total(shelf) == rounded(3.6)
        Path("written-by-a-test").write_text("x")
        """,
    ".gitignore": "ignored.py\n",
    "ignored.py": "def ignored(a):\n    b = a + 1\n    return b\n",
    ".env": "KEY=1\n",
}
CHECK = [sys.executable, "tests/check.py"]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A workspace with a passing test, an ignored file and a secret."""
    root = tmp_path / "shop"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(textwrap.dedent(text).lstrip("\n"))
    (root / ".git").mkdir()
    return root


def tree(root: Path) -> dict[str, tuple[bytes, int]]:
    return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(root.rglob("*")) if p.is_file()}


COSTS = ("ms", "baseline")
"""What depends on the load of the machine: how long it took."""


def without_costs(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: without_costs(value) for key, value in found.items() if key not in COSTS}
    return found


# Holes ----------------------------------------------------------------------------------------------------------


def test_a_hole_filled_with_what_stood_there_is_the_file_again() -> None:
    found = holes(SAMPLE, 4, Random(0))
    assert {hole.kind for hole in found} == set(KINDS)
    for hole in found:
        assert hole.text.strip()
        assert hole.filled(hole.text) == "\n".join(hole.function.document)
        assert len(hole.filled("")) == len(hole.filled(hole.text)) - len(hole.text)
        assert all(name in hole.text for name in hole.names)
    for kind in KINDS:
        places = [(hole.function.file, hole.function.scope.qualified_name) for hole in found if hole.kind == kind]
        assert len(set(places)) == len(places) == 4


def test_a_seed_decides_which_holes() -> None:
    def places(seed: int) -> list[tuple[str, object]]:
        return [(hole.function.file, hole.start) for hole in holes(SAMPLE, 4, Random(seed))]

    assert places(3) == places(3)
    assert places(3) != places(4)


def test_what_a_kind_leaves_out_is_no_docstring_and_no_comment() -> None:
    for seed in range(20):
        found = holes(SAMPLE, 3, Random(seed))
        assert found
        for hole in found:
            assert not hole.text.lstrip().startswith(("#", '"""'))
            if hole.kind == "line":
                assert "\n" not in hole.text
                assert not hole.filled("").split("\n")[hole.start.line].strip()
            if hole.kind == "span":
                rest = hole.function.document[hole.end.line][hole.end.column :]
                assert not rest.strip(")]}:,")
                assert hole.function.document[hole.start.line][: hole.start.column].strip()


def test_ignored_files_tests_and_functions_in_functions_have_no_holes(shop: Path) -> None:
    (shop / "nested.py").write_text("def outer(a):\n    def inner(b):\n        return b + a\n    return inner\n")
    names = {function.scope.qualified_name for function in functions(shop, Random(0), 60)}
    assert names == {
        *("rounded", "total", "outer"),
        *(f"Shelf.{name}" for name in ("__init__", "add", "price_of", "unused")),
    }


def test_a_folder_without_functions_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="no functions"):
        holes(tmp_path, 3, Random(0))


# Figures --------------------------------------------------------------------------------------------------------


def longest(a: str, b: str) -> int:
    rows = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            rows[i + 1][j + 1] = rows[i][j] + 1 if x == y else max(rows[i][j + 1], rows[i + 1][j])
    return rows[-1][-1]


@given(st.text("abc ", max_size=12), st.text("abc ", max_size=12))
def test_similarity_is_that_of_the_longest_common_subsequence(a: str, b: str) -> None:
    expected = 2 * longest(a, b) / (len(a) + len(b)) if a or b else 1.0
    assert similarity(a, b) == similarity(b, a) == expected


def hole_in(root: Path, name: str, kind: str) -> Hole:
    return next(h for h in holes(root, 9, Random(0)) if h.function.scope.name == name and h.kind == kind)


def test_a_completion_is_scored(shop: Path) -> None:
    hole = hole_in(shop, "total", "body")
    right = scored(hole, hole.text + "\n", ["price_of"])
    assert (right.exact, right.similarity, right.valid, right.hits) == (True, 1.0, True, 1)
    broken = scored(hole, "return rounded(", ["price_of"])
    assert (broken.exact, broken.valid, broken.hits) == (False, False, 0)
    assert 0 < broken.similarity < 1
    nothing = scored(hole, "", ["price_of"])
    assert (nothing.exact, nothing.valid) == (False, False)
    sure = [Offered("x", 4, 2, 10.0, 0.8), Offered("y", 2, 1, 20.0, 0.4)]
    of_all = row([Offered("x", 4, 2, 10.0), Offered("", 2, 0, 20.0)], [right, nothing])
    assert [found["least"] for found in quiet.rows(sure, [right, nothing])] == list(quiet.BOUNDS)
    by_bound = {found["least"]: (found["quiet"], found["right"]) for found in quiet.rows(sure, [right, nothing])}
    assert by_bound[0.0] == (0.0, 0.5)
    assert by_bound[0.5] == (0.5, 1.0)
    assert by_bound[0.9] == (1.0, None)
    assert (of_all["n"], of_all["offered"], of_all["exact"], of_all["valid"]) == (2, 0.5, 0.5, 0.5)
    assert of_all["names"] == {"of": 2, "rate": 0.5}
    assert "passed" not in of_all


def test_of_a_completion_for_a_line_its_first_line_counts(shop: Path) -> None:
    assert hole_in(shop, "unused", "line").trimmed("one\n        two") == "one"
    assert hole_in(shop, "unused", "body").trimmed("one\n        two") == "one\n        two"


def test_the_picture_has_a_bar_for_each_rate() -> None:
    rows = {mode: {"names": {"of": 0, "rate": None}, "exact": 0.5, "similarity": 0.25, "valid": 1.0} for mode in "ab"}
    picture = ET.fromstring(svg("<title>", {"line": {"all": rows["a"], "none": rows["b"]}}))
    bars = [e for e in picture if e.tag.endswith("rect")][3:]  # behind the ground and the legend
    assert len(bars) == 6
    heights = [float(bar.attrib["height"]) for bar in bars]
    assert heights[0] == 2 * heights[2] == heights[4] / 2


# Trials ---------------------------------------------------------------------------------------------------------


def test_tests_run_on_copies_of_the_workspace_alone(shop: Path) -> None:
    before = tree(shop)
    trials = Trials(shop, CHECK, 60)
    assert trials.check().passed
    hole = hole_in(shop, "total", "body")
    assert trials.run("prices.py", hole.filled(hole.text)).passed
    assert not trials.run("prices.py", hole.filled("return 7.0")).passed
    assert not trials.run("prices.py", hole.function.with_body("raise NotImplementedError")).passed
    assert trials.run("store.py", hole_in(shop, "unused", "body").filled("return name")).passed
    assert trials.n_runs == 5
    assert tree(shop) == before


def test_a_copy_has_neither_secrets_nor_what_git_ignores_nor_links_to_folders(shop: Path, tmp_path: Path) -> None:
    (shop / "away").symlink_to(tmp_path)
    list_all = "import os; print(sorted(os.listdir())); raise SystemExit(os.path.basename(os.getcwd()) != 'shop')"
    found = Trials(shop, [sys.executable, "-c", list_all], 60).check()
    assert found.said == "['.gitignore', 'prices.py', 'store.py', 'tests']"


def test_a_command_that_fails_hangs_or_is_not_there_is_said(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"--run.*untouched copy.*gone wrong"):
        Trials(shop, [sys.executable, "-c", "raise SystemExit('gone wrong')"], 60).check()
    with pytest.raises(InvalidArgument, match="no-such-command cannot be run"):
        Trials(shop, ["no-such-command", "; true"], 60).check()
    late = tmp_path / "late"
    child = f"import time; time.sleep(3); open({str(late)!r}, 'w')"
    hangs = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with pytest.raises(InvalidArgument, match="nothing within 1 s"):
        Trials(shop, [sys.executable, "-c", hangs], 1).check()


# All of it ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["none"], 1, "is no folder"),
        (["tests"], 1, "no functions"),
        ([".", "--run", "no-such-command"], 1, "no-such-command cannot be run"),
        ([".", "--run", "it's"], 2, "is no command"),
        ([".", "--plot", "picture.png"], 2, ".svg"),
        ([], 2, "WORKSPACE"),
    ],
)
def test_wrong_use_is_said(
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    words: str,
) -> None:
    monkeypatch.chdir(shop)
    try:
        found = main(["quality", *arguments])
    except SystemExit as left:
        found = left.code  # type: ignore[assignment]
    assert found == status
    assert words in capsys.readouterr().err


RUN = f"{sys.executable} tests/check.py"


@pytest.mark.slow(part="benches")
def test_quality_of_a_workspace_with_its_tests(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, picture = tree(shop), tmp_path / "quality.svg"
    assert main(["quality", str(shop), "--json", "--n", "1", "--run", RUN, "--plot", str(picture)]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert tree(shop) == before
    assert result["run"]["baseline"]["passed"] is True
    assert list(result["kinds"]) == ["line", "span", "body", "all"]
    for modes in result["kinds"].values():
        assert list(modes) == ["all", "none", "other"]
        for found in modes.values():
            rates = ("offered", "exact", "similarity", "valid", "passed")
            assert all(0 <= found[name] <= 1 for name in rates)
            assert found["passed"] >= found["exact"]
            assert found["n"] in (1, 3)
    of_all = result["kinds"]["all"]
    assert of_all["all"]["decoded"] > of_all["none"]["decoded"]
    assert of_all["other"]["decoded"] > of_all["none"]["decoded"]
    assert of_all["all"]["names"]["of"] > 0
    assert of_all["all"]["offered"] > 0.5
    assert "</svg>" in picture.read_text()
    assert [row["of"] for row in result["quiet"]] == [3] * len(quiet.BOUNDS)
    assert result["quiet"][0]["quiet"] <= result["quiet"][-1]["quiet"]


@pytest.mark.slow(part="benches")
def test_what_was_found_is_found_again(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [main(["quality", str(shop), "--json", "--n", "2", "--run", RUN]) for _ in range(2)] == [0, 0]
    first, again = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert without_costs(again) == without_costs(first)
