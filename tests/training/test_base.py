"""A model of somebody else's taught this layout: base, workspaces, factors, adapter, merged file; the real commands."""

import errno
import os
import subprocess
from pathlib import Path

import pytest
from tests.models import written
from tests.training.areas import write_wheel
from tests.training.commands import ROOT, run

from training.arena import Arena

pytestmark = [pytest.mark.slow(part="training"), pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small models of several families."""
    found = tmp_path_factory.mktemp("models")
    for kind in ("llama", "fim", "mamba", "plain"):
        written(kind, found)
    return found


def test_torch_and_llama_cpp_read_a_base_and_what_was_learned_alike(python: Path, folder: Path) -> None:
    run(python, Path(__file__).with_name("base_check.py"), folder)


@pytest.fixture(scope="module")
def texts(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Workspaces of one small wheel and a few modules of the standard library."""
    found = tmp_path_factory.mktemp("texts")
    write_wheel(found, 20)
    few = ["--functions", "60", "--max-modules", "2", "--processes", "1"]
    run(python, "-m", "training.texts", "--wheels", found, "--out", found, *few)
    return found


SAME = """
import sys, torch
a, b = (torch.load(path, weights_only=False) for path in sys.argv[1:])
assert a["progress"]["step"] == b["progress"]["step"] == 4, (a["progress"], b["progress"])
assert a["place"] == b["place"]
for name, value in a["lora"].items():
    assert torch.equal(value, b["lora"][name]), name
    assert not name.endswith(".b") or value.abs().max() > 0, "nothing was learned"
for one, other in zip(a["optimizer"]["state"].values(), b["optimizer"]["state"].values(), strict=True):
    assert all(torch.equal(one[key], other[key]) for key in ("step", "exp_avg", "exp_avg_sq"))
"""


def test_a_run_that_was_stopped_ends_like_one_that_was_not(
    python: Path, folder: Path, texts: Path, tmp_path: Path
) -> None:
    few = ["--texts", texts, "--tails", "3", "--rank", "4", "--dtype", "float32", "--processes", "1"]
    steady = ["--falling-from", "1", "--minutes", "60"]  # a rate that falls with time is never the same
    tune = [python, "-m", "training.tune", "--base", folder / "llama.gguf", *few, *steady]
    run(*tune, "--out", tmp_path / "whole.pt", "--max-steps", "4")
    run(*tune, "--out", tmp_path / "parts.pt", "--max-steps", "2")
    ahead = ["--ahead", "--encoders", "1"]  # as on a GPU
    assert "going on from step 2" in run(*tune, "--out", tmp_path / "parts.pt", "--max-steps", "4", *ahead)
    run(python, "-c", SAME, tmp_path / "whole.pt", tmp_path / "parts.pt")


def test_a_damaged_checkpoint_is_begun_anew_and_a_full_disk_is_said_in_a_sentence(
    python: Path, folder: Path, texts: Path, tmp_path: Path
) -> None:
    few = [
        "--texts",
        texts,
        "--tails",
        "3",
        "--rank",
        "4",
        "--dtype",
        "float32",
        "--processes",
        "1",
        "--max-steps",
        "1",
    ]
    learned = tmp_path / "lora.pt"
    tune = [python, "-m", "training.tune", "--base", folder / "llama.gguf", *few, "--out", learned]
    run(*tune)
    whole = learned.read_bytes()
    for part in (whole[: len(whole) // 2], b""):
        learned.write_bytes(part)
        assert f"{learned} is damaged: learning begins anew" in run(*tune)
        assert abs(learned.stat().st_size - len(whole)) < 1000
    before, part = learned.read_bytes(), tmp_path / "lora.part"
    made = tmp_path / "lora.gguf"
    adapter = [python, "-m", "training.adapter", *tune[3:5], "--checkpoint", learned, "--out", made]
    for command, out in (tune, learned), (adapter, made):
        part.symlink_to("/dev/full")
        done = subprocess.run(
            [str(each) for each in command],
            cwd=ROOT / "server",
            env={**os.environ, "PYTHONPATH": str(ROOT / "server")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert done.stderr == f"{out} cannot be written: {os.strerror(errno.ENOSPC)}.\n"
        assert not part.is_symlink()
    assert learned.read_bytes() == before
    assert not made.exists()


WIDER = """
import sys, torch
before, after = (torch.load(path, weights_only=False) for path in sys.argv[1:])
assert (before["rank"], after["rank"]) == (4, 8)
for name, value in before["lora"].items():
    found = after["lora"][name]
    if name.endswith(".a"):
        found = found[:, :4]
    elif name.endswith(".b"):
        found = found[:, :, :4]
    assert (found - value).abs().max() < 0.02, name
"""
AVERAGED = """
import sys, torch
a, b, mean, itself = (torch.load(path, weights_only=False)["lora"] for path in sys.argv[1:])
for name, value in mean.items():
    assert torch.allclose(value, 0.75 * a[name] + 0.25 * b[name]), name
    assert torch.allclose(itself[name], a[name])
assert any(not torch.equal(a[name], b[name]) for name in a)
"""


def test_runs_that_began_alike_are_averaged(python: Path, folder: Path, texts: Path, tmp_path: Path) -> None:
    few = ["--texts", texts, "--tails", "3", "--rank", "4", "--dtype", "float32", "--processes", "1", "--minutes", "60"]
    first, second, mean, itself = (tmp_path / name for name in ("a.pt", "b.pt", "mean.pt", "itself.pt"))
    tune = [python, "-m", "training.tune", "--base", folder / "llama.gguf", *few]
    run(*tune, "--out", first, "--max-steps", "2")
    run(*tune, "--out", second, "--max-steps", "1", "--start", first)
    average = [python, "-m", "training.average", "--base", folder / "llama.gguf"]
    run(*average, first, second, "--shares", "3", "1", "--out", mean)
    run(*average, first, first, "--out", itself)
    run(python, "-c", AVERAGED, first, second, mean, itself)
    adapter = tmp_path / "mean.gguf"
    run(python, "-m", "training.adapter", "--base", folder / "llama.gguf", "--checkpoint", mean, "--out", adapter)
    assert adapter.stat().st_size > 0
    told = run(*tune, "--out", tmp_path / "on.pt", "--max-steps", "1", "--start", adapter, "--rank", "8")
    assert " M learned of llama.gguf" in told
    run(python, "-c", WIDER, mean, tmp_path / "on.pt")


def test_a_start_of_another_base_is_named(python: Path, folder: Path, tmp_path: Path) -> None:
    command = [python, "-m", "training.tune", "--base", folder / "llama.gguf", "--out", tmp_path / "none.pt"]
    with pytest.raises(AssertionError) as failed:
        run(*command, "--start", folder / "fim.gguf")
    assert str(failed.value).startswith("fim.gguf has no ")


def test_from_a_base_to_a_file_that_says_its_layout(python: Path, folder: Path, texts: Path, tmp_path: Path) -> None:
    base, learned, adapter, merged = folder / "fim.gguf", *(tmp_path / n for n in ("lora.pt", "a.gguf", "m.gguf"))
    few = ["--texts", texts, "--tails", "3", "--rank", "32", "--max-steps", "3", "--minutes", "60", "--tell-every", "1"]
    packed = ["--processes", "2", "--workspaces", "4", "--at-once", "2", "--dtype", "bfloat16"]  # as on a GPU
    told = run(python, "-m", "training.tune", "--base", base, "--out", learned, *few, *packed)
    assert told.count("middle ") == 3
    run(python, "-m", "training.adapter", "--base", base, "--checkpoint", learned, "--out", adapter)
    run(python, "-m", "training.merge", "--base", base, "--adapter", adapter, "--out", merged)
    assert merged.stat().st_size < base.stat().st_size / 2, "Q8_0"
    arena = Arena(merged, 256)
    try:
        assert arena.metadata("palimpsest.fim_layout") == "spm"
        assert arena.metadata("general.name") == "fim"
        assert arena.fim == (1, 3, 2)
        assert arena.tokens("x", bos=True)[0] == 0
    finally:
        arena.close()
