"""`python -m bench rest`: what a window and an engine cost while nobody uses them."""

from __future__ import annotations

import json

import pytest

from bench.command import main
from palimpsest.models.files import embedded


@pytest.mark.slow(part="benches")
def test_a_small_run(capsys: pytest.CaptureFixture[str]) -> None:
    small = ("--files", "16", "--seconds", "1", "--peer", "none")
    assert main(["rest", *small, "--model", str(embedded()), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["files"], told["seconds"], told["model"]) == (16, 1, embedded().name)
    assert {"palimpsest serve", "palimpsest engine"} <= set(told["processes"])
    for row in told["processes"].values():
        assert 0 < row["uss_mb"] <= row["rss_mb"]
        assert row["cpu_s"] >= 0
