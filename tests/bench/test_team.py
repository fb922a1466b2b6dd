"""`python -m bench team`: windows on one engine over TLS."""

from __future__ import annotations

import json

import pytest

from bench.command import main
from palimpsest.models.files import embedded


@pytest.mark.slow(part="benches")
def test_a_small_run(capsys: pytest.CaptureFixture[str]) -> None:
    small = ("--windows", "2", "--seconds", "5", "--cells", "8192", "--full", "2048")
    assert main(["team", *small, "--model", str(embedded()), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [stage["windows"] for stage in told["stages"]] == [1, 2]
    assert all(stage["keys"] and stage["slowest"] >= 1 and stage["uss_mb"] for stage in told["stages"])
    assert len(told["cells"]) == len(told["full"]["held"]) == 2
    assert (told["full"]["right"], told["full"]["unsound"]) == (told["full"]["asked"], "")
    revoked = told["revoked"]
    assert revoked["message"].startswith("The engine refused the key.")
    assert (revoked["others_told"], revoked["same_process"]) == (0, True)
    assert revoked["others"] > 0
