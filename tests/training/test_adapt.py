"""A model learns a person's own code: what is held out, what is read, when it is kept; the command from end to end."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.e2e.test_command_line import last_object, run
from tests.training.areas import module
from tests.training.commands import ROOT

from bench.typing.hunks import unpacked_tree
from palimpsest.errors import InvalidArgument
from palimpsest.models.files import embedded
from palimpsest.system.priority import LOWEST
from training.adapt import LEAST, Hunk, compared, held_out, modules_of

DAY = 86_400
NOW = 1_790_000_000


def git(folder: Path, *arguments: str, day: int = 0) -> str:
    at = f"{NOW + day * DAY} +0000"
    names = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {
        **os.environ,
        **names,
        "GIT_AUTHOR_DATE": at,
        "GIT_COMMITTER_DATE": at,
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def added(folder: Path, n: int, day: int) -> str:
    """Commits a function of four lines, behind the others of a file; the commit."""
    with (folder / "kinds.py").open("a", encoding="utf-8") as file:
        file.write(
            f"\n\ndef price_{n}(width: int) -> int:\n    total = width * {n}\n"
            "    print('price', total)\n    return total\n"
        )
    git(folder, "commit", "-qam", f"price {n}", day=day)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "areas"
    folder.mkdir()
    git(folder, "init", "-q")
    for n in range(6):
        (folder / f"kind_{n}.py").write_text(module(n), encoding="utf-8")
    (folder / "kinds.py").write_text(module(9), encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "areas", day=-100)
    return folder


def test_the_last_week_is_held_out(repo: Path) -> None:
    base = added(repo, 0, -20)
    for n in range(1, LEAST + 3):
        added(repo, n, -3)
    found = held_out(repo, 0)
    assert (found.base, found.days, found.n_hunks) == (base, 7, LEAST + 2)


def test_a_quiet_week_is_held_out_with_those_before_it(repo: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    for n in range(LEAST):
        added(repo, n, -20 + n)
    found = held_out(repo, 0)
    assert (found.base, found.days, found.n_hunks) == (first, 14, LEAST)


def test_too_short_a_history_is_said_to_be_so(repo: Path, tmp_path: Path) -> None:
    added(repo, 0, 0)
    with pytest.raises(InvalidArgument, match="too few commits"):
        held_out(repo, 0)
    with pytest.raises(InvalidArgument, match="git log"):
        held_out(tmp_path, 0)


def test_secrets_and_what_git_ignores_are_not_learned(repo: Path) -> None:
    (repo / ".gitignore").write_text("own.py\n")
    (repo / "own.py").write_text(module(7))
    (repo / ".env.py").write_text(module(8))
    (repo / "test_kinds.py").write_text(module(8))
    key = (
        "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7bq98n2vRk1Zk3\n" * 8 + "-----END RSA PRIVATE KEY-----\n"
    )
    (repo / "key.py").write_text(f'{module(5)}\nKEY = """{key}"""\n')
    texts = {module.path: module.source for module in modules_of(repo, "areas")}
    assert {"kinds.py", "kind_0.py", "test_kinds.py"} <= texts.keys()
    assert "own.py" not in texts
    assert not any("MIIEowIBAAKCAQEA7bq98n2vRk1Zk3" in text for text in texts.values())


def test_no_program_that_a_repository_names_is_run(repo: Path, tmp_path: Path) -> None:
    for n in range(LEAST):
        added(repo, n, -3)
    (repo / ".gitattributes").write_text("*.py filter=own diff=own\n")
    git(repo, "add", ".gitattributes")
    git(repo, "commit", "-qm", "attributes", day=-3)
    ran = tmp_path / "ran"
    for name in ("filter.own.smudge", "filter.own.clean", "diff.own.textconv", "diff.external", "tar.tar.command"):
        git(repo, "config", name, f"touch {ran}; cat")
    found = held_out(repo, 0)
    assert found.n_hunks == LEAST
    unpacked_tree(repo, "HEAD", tmp_path / "tree")
    assert (tmp_path / "tree" / "kinds.py").read_text() == (repo / "kinds.py").read_text()
    assert not ran.exists()


def test_a_model_is_better_if_nearly_all_draws_say_so() -> None:
    worse, same, better = Hunk(100, (80, 90), (10, 10)), Hunk(100, (80, 80), (10, 10)), Hunk(100, (80, 70), (10, 8))
    assert compared([better] * 20).is_better
    assert not compared([same] * 20).is_better
    assert not compared([worse] * 20).is_better
    assert not compared([better, worse, same] * 4).is_better, "by chance"
    found = compared([better] * 12 + [same] * 12)
    assert found.saved == (pytest.approx(0.2), pytest.approx(0.25))
    assert found.gained[1] < found.gained[0] < found.gained[2]


def test_what_is_shown_wrong_more_often_is_not_better() -> None:
    assert not compared([Hunk(100, (80, 70), (0, 40))] * 12).is_better


def test_without_what_learning_needs_it_says_how_to_get_it(repo: Path) -> None:
    done = run("model", "adapt", str(repo), status=1)
    assert "Learning needs torch" in done.stderr
    assert "-m pip install torch" in done.stderr
    assert "is no folder" in run("model", "adapt", str(repo / "nothing"), status=1).stderr
    assert "expected minutes" in run("model", "adapt", "--minutes", "0", status=2).stderr


def test_a_run_in_the_background_of_a_script_can_be_stopped(tmp_path: Path) -> None:
    """There SIGINT is ignored, and so it was in what learns, which is told by it to end."""
    (tmp_path / "idle.py").write_text(
        "import json, signal\nprint(json.dumps(signal.getsignal(signal.SIGINT) is signal.default_int_handler and {}))\n"
    )
    program = (
        "import argparse, pathlib, signal, sys\nfrom palimpsest.cli import model_adapt\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\nmodel_adapt.MODULE = 'idle'\n"
        "print(model_adapt._learned(pathlib.Path(sys.argv[1]), [], argparse.Namespace(minutes=1)))"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "{}", done.stderr


@pytest.mark.slow(part="training")
@pytest.mark.timeout(1500)
def test_a_model_learns_and_is_tried_on_the_last_commits(python: Path, repo: Path, tmp_path: Path) -> None:
    (repo / "random.py").write_text("raise SystemExit('imported from the folder that it was started in')\n")
    for n in range(LEAST):
        added(repo, n, -3)
    arguments = ["--model", str(embedded()), "--minutes", "0.2", "--no-use", "--json"]
    own = {f"XDG_{what}_HOME": str(tmp_path / what) for what in ("CACHE", "CONFIG", "DATA", "STATE")}
    path = {**os.environ, **own, "PYTHONPATH": str(ROOT / "server")}
    done = run("model", "adapt", *arguments, python=str(python), cwd=repo, env=path, timeout=1200)
    said = last_object(done)
    assert said["hunks"] == LEAST
    assert said["tokens"] > 0
    assert said["used"] is False
    assert (said["path"] is not None) == said["is_better"]
    assert said["days"] == [7]
    assert not list((tmp_path / "CACHE" / "palimpsest" / "adapt").iterdir()), "the examples are gone"
    assert json.dumps(said["saved"]) in done.stdout


@pytest.mark.slow(part="training")
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_run_that_is_stopped_ends_with_all_its_processes(
    python: Path, repo: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """Ctrl-C, and a terminal that is closed."""
    for n in range(LEAST):
        added(repo, n, -3)
    own = {f"XDG_{what}_HOME": str(tmp_path / what) for what in ("CACHE", "CONFIG", "DATA", "STATE")}
    environment = {**os.environ, **own, "PYTHONPATH": str(ROOT / "server")}
    command = [python, "-m", "palimpsest", "model", "adapt", "--model", embedded(), "--minutes", "60", "--no-use"]
    with subprocess.Popen(command, cwd=repo, env=environment, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        while "Learning for" not in child.stderr.readline():
            assert child.poll() is None
        started = psutil.Process(child.pid).children(recursive=True)
        assert all(each.nice() == LOWEST for each in started)
        child.send_signal(number)
        rest = child.stderr.read()
    assert child.returncode == 130
    assert "started again, it goes on from there" in rest
    assert psutil.wait_procs(started, timeout=60)[1] == []
