"""`python -m bench infill` on a recording: what it counts is what the servers said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.benches.infill import MOVED, TYPED, WARM_UP
from bench.command import main
from tests.llama_server.conftest import EMBEDDED
from tests.llama_server.test_infill import recorded, short


@pytest.mark.slow(part="benches")
def test_the_bench_counts_both_sides_and_the_loss(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the first requests, with short answers: what is counted is the prompts."""
    trace = tmp_path / "trace.jsonl"
    rows = [{**row, "request": short(row["request"])} for row in recorded()[:6]]
    trace.write_text("\n".join(json.dumps(row) for row in rows))
    options = ["--trace", str(trace), "--peer", "llama-server", "--model", str(EMBEDDED), "--n-ctx", "4096"]
    assert main(["infill", "--json", *options, "--threads", "1"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {WARM_UP, MOVED, TYPED} <= set(result["kinds"])
    assert result["kinds"][TYPED]["ours"]["most"] <= 8
    assert result["total"]["ratio"] > 1
    assert result["loss"]["ratio"] < 1.01


def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t").write_text("{}")
    assert main(["infill", "--trace", str(tmp_path / "t"), "--model", str(EMBEDDED)]) == 1
    assert "is no recording" in capsys.readouterr().err
