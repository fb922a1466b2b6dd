"""`python -m bench replay`, `keystroke` and `trace` on the command line: real servers, the embedded model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from bench.command import main
from bench.replaying.kinds import MOVED, OPENED, SEEN, TYPED
from bench.traces.format import write
from bench.traces.person import Person

Bench: TypeAlias = Callable[..., str]
SAMPLE = Path(__file__).parents[2] / "server" / "palimpsest" / "demo" / "sample"


@pytest.fixture
def bench(capsys: pytest.CaptureFixture[str]) -> Bench:
    def run(*arguments: str, status: int = 0) -> str:
        assert main(list(arguments)) == status
        said = capsys.readouterr()
        return said.err if status else said.out

    return run


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A line typed in a method, one in another method, one in another file, and one back in the first method."""
    files = {str(path.relative_to(SAMPLE)): path.read_text() for path in sorted(SAMPLE.rglob("*.py"))}
    person = Person(files, seed=1, burst=3)
    cart, order = "shop/cart.py", "shop/order.py"

    def line_behind(file: str, text: str, typed: str) -> None:
        lines = person.buffers.lines(file)
        line = next(i for i, found in enumerate(lines) if text in found)
        person.go(file, line, len(lines[line]))
        person.look()
        person.type(typed)

    line_behind(cart, "total = self.subtotal()", "\n        if total > self.limit")
    line_behind(cart, "def receipt", "\n        rows = []")
    line_behind(order, "weight = 0.0", "\n        weight += 1.0")
    line_behind(cart, "if total > self.limit", ":\n            total = 0")
    path = tmp_path_factory.mktemp("session") / "session.jsonl"
    write(person.trace("small", "for a test"), path)
    return path


@pytest.mark.slow(part="benches")
def test_a_session_costs_less_than_with_a_stock_llama_server(bench: Bench, session: Path, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    picture = tmp_path / "plot.svg"
    said = bench("replay", "--json", "--trace", str(session), "--cache-reuse", "64", "--plot", str(picture))
    result: dict[str, Any] = json.loads(said)
    events, total = result["events"], result["total"]
    assert {OPENED, TYPED, MOVED, SEEN} <= set(events)
    for row in events.values():
        assert {"ours", "peer", "floor"} <= set(row)
        for side in (row["ours"], row["peer"]):
            assert {"decoded", "reused", "ms_p50", "ms_p95"} <= set(side)
    assert events[TYPED]["ours"]["decoded"] <= 6 * events[TYPED]["requests"]
    assert events[TYPED]["peer"]["decoded"] >= 20 * events[TYPED]["ours"]["decoded"]
    edits_since = 150 * events[SEEN]["requests"]  # what was edited elsewhere meanwhile is new there, with its tags
    assert events[SEEN]["new_block"] <= edits_since
    assert events[SEEN]["ours"]["decoded"] <= 2 * events[SEEN]["tail"] + 16 + edits_since
    assert total["floor"] <= total["ours"]["decoded"]
    assert total["ratio"]["decoded"] < 0.6
    assert "polyline" in picture.read_text()


@pytest.mark.slow(part="benches")
def test_what_a_session_costs_can_be_looked_at_without_a_peer(bench: Bench, session: Path) -> None:
    said = bench("replay", "--trace", str(session), "--peer", "none", "--requests", "6")
    assert TYPED.split()[0] in said
    assert "Tokens the model saw" in said
    assert "beyond the floor" in said
    assert "code at the cursor" in said


@pytest.mark.slow(part="benches")
def test_a_keystroke_has_its_parts(bench: Bench) -> None:
    result = json.loads(bench("keystroke", "--json", "--keystrokes", "4"))
    assert set(result["ms"]) == {"parse", "blocks", "plan", "transfer", "decode", "sample", "ours", "total"}
    assert result["keystrokes"] == 4
    assert 900 <= result["file"]["lines"] <= 1100
    assert result["file"]["blocks"] >= 12
    parts = result["ms"]
    assert 0 < parts["ours"]["p50"] < parts["total"]["p95"]


def test_a_wrong_trace_is_said(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("{}\n")
    assert "t.jsonl:1" in bench("replay", "--trace", str(tmp_path / "t.jsonl"), status=1)
    assert "cannot be read" in bench("replay", "--trace", str(tmp_path / "none.jsonl"), status=1)
    assert "git" in bench("trace", "typing", "--repo", str(tmp_path), "--out", str(tmp_path / "o"), status=1)
