"""All five commands of `server/training`, from a wheel to figures: the real code on a very small setting."""

import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.training.areas import write_wheel
from tests.training.commands import ROOT, run

pytestmark = [pytest.mark.slow(part="training"), pytest.mark.timeout(900)]


def test_all_kinds_of_attention_find_the_same(python: Path) -> None:
    run(python, Path(__file__).with_name("attention_check.py"))


def test_a_signal_to_all_of_its_processes_ends_only_the_one_that_leads(python: Path) -> None:
    run(python, Path(__file__).with_name("team_check.py"))


@pytest.mark.parametrize("who", ["leader", "follower"])
def test_if_one_is_killed_all_end(python: Path, who: str) -> None:
    """Whoever waited for it would wait for good, with all the memory that it has."""
    command = [python, Path(__file__).with_name("team_deaths.py"), who]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        others = []
        for pid in {int(child.stdout.readline()) for _ in range(2)} - {child.pid}:
            with suppress(psutil.NoSuchProcess):  # it has ended by now
                others.append(psutil.Process(pid))
        left = psutil.wait_procs(others, timeout=60)[1]
        for each in left:
            each.kill()
        try:
            status = child.wait(60)
        finally:
            child.kill()
        said = child.stderr.read()
    assert not left
    assert status == (-signal.SIGKILL if who == "leader" else 1)
    assert said == ("" if who == "leader" else "One of the processes that learn ended with status -9.\n")


def test_from_a_wheel_to_a_table(python: Path, tmp_path: Path) -> None:
    write_wheel(tmp_path, 8)

    run(
        python,
        "-m",
        "training.data",
        "--wheels",
        tmp_path,
        "--out",
        tmp_path,
        "--functions",
        "30",
        "--max-modules",
        "4",
    )
    facts = json.loads((tmp_path / "corpus.json").read_text())
    assert {fact["name"] for fact in facts} == {"areas", "python"}

    assert "rows" in run(
        python, "-m", "training.plain", "--wheels", tmp_path, "--out", tmp_path, "--characters", "4000"
    )

    small = ["--plain", "2", "--layers", "2", "--width", "64", "--workspaces", "4", "--processes", "2", "--no-compile"]
    train = [python, "-m", "training.train", "--data", tmp_path, "--dtype", "float32", *small]
    first = run(*train, "--minutes", "0.1")
    assert "going on" not in first
    assert "held out" in first
    assert "going on from step" in run(*train, "--minutes", "0.15")

    model = tmp_path / "tiny.gguf"
    run(python, "-m", "training.export", "--checkpoint", tmp_path / "checkpoint.pt", "--out", model)
    grown = tmp_path / "grown"
    grown.mkdir()
    for name in ("train.npz", "held.npz"):
        (grown / name).symlink_to(tmp_path / name)
    deeper = [
        "--from",
        model,
        "--layers",
        "3",
        "--width",
        "64",
        "--workspaces",
        "4",
        "--processes",
        "1",
        "--no-compile",
    ]
    run(python, "-m", "training.train", "--data", grown, "--dtype", "float32", "--minutes", "0.02", *deeper)

    out = run(python, "-m", "training.evaluate", "--model", model, "--quick", "--json", "--threads", "1")
    result = json.loads(out.splitlines()[-1])
    assert set(result) == {"loss", "retained_gain", "a_character", "end", "own", "names", "words", "repairs"}
    assert set(result["loss"]) == {"in_place", "causal", "none", "wrong"}
    assert result["a_character"]["in_place"] < result["loss"]["in_place"], "a token has several characters"
    assert result["words"]["of"] > 0
