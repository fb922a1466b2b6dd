"""`python -m bench context`: what it says, in every language that it has files in."""

from __future__ import annotations

import json
import sys

import pytest

from bench.command import main
from bench.gathering.long_styles import LANGUAGES
from palimpsest.models.files import embedded

SMALL = ("--files", "40", "--lines", "300", "--walked", "120", "--times", "20")


@pytest.mark.slow(part="benches")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_small_run(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["context", *SMALL, "--language", language, "--model", str(embedded()), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"keystroke_ms", "cursor_ms", "index", "walk"}
    for name in ("keystroke_ms", "cursor_ms"):
        assert 0 < told[name]["p50"] <= told[name]["p95"]
    assert set(told["index"]) == {"files_per_s", "peak_mb", "restart_s"}
    assert all(told["index"][name] > 0 for name in ("files_per_s", "restart_s"))
    assert told["index"]["peak_mb"] > 0 or sys.platform != "linux", "elsewhere nothing says it"
    assert told["walk"]["blocks"] > 2
    assert told["walk"]["decoded_twice"] == 0
