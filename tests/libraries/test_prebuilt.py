"""What `palimpsest engine get` fetches runs the engine: all of `tests/native` and `tests/llama_server` pass on it, as
on the library that comes along, and a cache that was edited in place comes to the same as one that was built anew."""

import json
import os
import subprocess
import sys

import pytest

from tests.documents import ROOT
from tests.installing import cache_folder

pytestmark = [pytest.mark.slow(part="installers"), pytest.mark.timeout(1500)]


def test_the_engines_own_tests_pass_on_what_is_fetched() -> None:
    environment = os.environ | {"XDG_CACHE_HOME": str(cache_folder() / "palimpsest" / "tested")}
    get = [sys.executable, "-m", "palimpsest", "engine", "get", "cpu", "--json"]
    got = subprocess.run(get, env=environment, capture_output=True, text=True, check=False)
    assert got.returncode == 0, got.stdout + got.stderr
    found = json.loads(got.stdout)
    assert found["version"].startswith("0.4")
    assert found["processor"], "one that was built for this generation of processors"
    tests = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "--dist",
        "loadfile",
        "-m",
        "not slow",
        "tests/native",
        "tests/llama_server",
    ]
    ran = subprocess.run(
        tests,
        cwd=ROOT,
        env=environment | {"PALIMPSEST_TESTED_LIBRARY": found["library"]},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-5000:]
    bench = [sys.executable, "-m", "bench", "equivalence", "--json", "--operations", "60"]
    measured = subprocess.run(bench, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert measured.returncode == 0, measured.stderr[-5000:]
    result = json.loads(measured.stdout.splitlines()[-1])
    assert result["max_logit_difference"] < 0.001
    assert result["llama_cpp"] == found["version"]
