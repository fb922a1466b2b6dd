"""A model learns a person's own code: what is held out, what is read, when it is kept; the command from end to end."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from argparse import Namespace
from itertools import count
from pathlib import Path

import psutil
import pytest
from tests.e2e.test_command_line import last_object, run
from tests.training.areas import module
from tests.training.commands import ROOT

from bench.typing.hunks import drawn, unpacked_tree
from palimpsest.cli import model_adapt
from palimpsest.command_line import main
from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.models.files import embedded
from palimpsest.system.priority import BEHIND
from training import adapt as adapting
from training.adapt import LEAST, Adapting, Hunk, at_once, compared, held_out, modules_of, put, repositories

DAY = 86_400
NOW = 1_790_000_000


def git(folder: Path, *arguments: str, day: int = 0) -> str:
    at = f"@{NOW + day * DAY} +0000"
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


def test_a_young_history_has_its_last_commits_held_out(repo: Path) -> None:
    for n in range(3 * LEAST):
        added(repo, n, -99)
    found = held_out(repo, 0)
    assert (found.base, found.days, found.n_hunks) == (git(repo, "rev-parse", f"HEAD~{LEAST}"), 1, LEAST)


@pytest.mark.parametrize("day", [-NOW // DAY + 1, 40_000])
def test_wrong_clocks_hide_no_commits(repo: Path, day: int) -> None:
    """A first commit of 1970, which git would take for now if it were asked for what is older; a last one that is still
    to come."""
    git(repo, "commit", "-q", "--amend", "-m", "areas", day=min(day, -100))
    for n in range(LEAST - 1):
        added(repo, n, -3)
    with pytest.raises(InvalidArgument, match="too few commits"):
        held_out(repo, 0)
    added(repo, LEAST, max(day, -3))
    assert held_out(repo, 0).n_hunks == LEAST


def test_what_git_says_is_not_taken_for_a_short_history(repo: Path) -> None:
    for n in range(LEAST):
        added(repo, n, -3)
    blob = git(repo, "rev-parse", "HEAD~1:kinds.py")
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(InvalidArgument, match="git diff"):
        held_out(repo, 0)


def test_what_is_committed_meanwhile_changes_nothing(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for n in range(LEAST):
        added(repo, n, -3)
    first = Adapting(embedded(), [repo], tmp_path / "new.gguf", 1, 0)
    typed = drawn(repo, LEAST, 0, first.held[0].commits)
    (first.work / "kept").touch()
    for n in range(LEAST):
        added(repo, LEAST + n, 20)
    again = Adapting(embedded(), [repo], tmp_path / "new.gguf", 1, 0)
    assert (again.held, again.work) == (first.held, first.work)
    assert drawn(repo, LEAST, 0, again.held[0].commits) == typed
    git(repo, "reset", "-q", "--hard", "HEAD~2")
    assert Adapting(embedded(), [repo], tmp_path / "new.gguf", 1, 0).held == first.held
    git(repo, "reset", "-q", "--hard", f"HEAD~{LEAST}")
    git(repo, "reflog", "expire", "--expire=all", "--all")
    git(repo, "gc", "-q", "--prune=now")
    with pytest.raises(InvalidArgument, match="too few commits"):
        Adapting(embedded(), [repo], tmp_path / "new.gguf", 1, 0)


def test_folders_of_one_repository_count_once(repo: Path) -> None:
    (repo / "inside").mkdir()
    assert repositories([repo, repo / "inside", repo]) == [repo.resolve()]


def test_a_busy_machine_hides_no_files(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", count(0, 10).__next__)
    assert len(list(modules_of(repo, "areas"))) == 7


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


def test_a_persons_own_settings_change_nothing(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git LFS puts its filter there, which would fetch files."""
    for n in range(LEAST):
        added(repo, n, -3)
    (repo / ".gitattributes").write_text("*.py filter=own diff=own\nkind_1.py export-ignore\n")
    (repo / "*.py").write_text("# a name that would mean others\n")
    (repo / "large.py").write_text("# large\n" * 200_000)
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "attributes", day=-3)
    before, ran, own = held_out(repo, 0), tmp_path / "ran", tmp_path / "config"
    for name in ("filter.own.smudge", "filter.own.clean", "diff.own.textconv", "diff.external"):
        git(repo, "config", "--file", str(own), name, f"touch {ran}; cat")
    git(repo, "config", "--file", str(own), "diff.orderFile", str(tmp_path / "nothing"))
    git(repo, "config", "--file", str(own), "diff.interHunkContext", "20")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    assert held_out(repo, 0) == before
    unpacked_tree(repo, "HEAD", tmp_path / "tree")
    left = {path.name for path in repo.iterdir()} - {path.name for path in (tmp_path / "tree").iterdir()}
    assert left == {".git", "large.py"}
    assert not ran.exists()


def test_a_model_appears_whole_on_another_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "elsewhere")

    new, target = tmp_path / "new.gguf", tmp_path / "models" / "areas.gguf"
    new.write_text("first")
    put(new, target)
    new.write_text("second")
    monkeypatch.setattr(os, "rename", elsewhere)
    with target.open() as used:
        put(new, target)
        assert used.read() == "first", "an engine has it open"
    assert target.read_text() == "second"
    assert list(target.parent.iterdir()) == [target]


def test_what_is_learned_replaces_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    inside = tmp_path / "api\n" / "inside"
    inside.mkdir(parents=True)
    names = []
    for _ in range(3):
        # no door: an hour of learning comes before it
        path = model_adapt._target(embedded(), [inside / "..", inside])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        names.append(path.name.removeprefix(embedded().stem))
    assert names == ["-api-inside.gguf", "-api-inside-2.gguf", "-api-inside-3.gguf"]


def test_a_terminal_that_is_closed_does_not_stop_what_is_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`nohup palimpsest model adapt`."""
    # no door: a learner that ends at once
    monkeypatch.setattr(model_adapt, "MODULE", "learns")
    (tmp_path / "learns.py").write_text("print('{}')")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN), signal.getsignal(signal.SIGTERM)
    try:
        # no door: the same
        assert model_adapt._learned(tmp_path, [], Namespace(minutes=1)) == {}
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before[0])
        signal.signal(signal.SIGTERM, before[1])


def test_what_learns_ends_with_who_started_it_however_that_ended() -> None:
    inner = "import os, sys, time; print(os.getpid(), file=sys.stderr, flush=True); time.sleep(60)"
    outer = (
        "import os, signal, sys\nfrom palimpsest.system.processes import run_behind\n"
        f"run_behind([sys.executable, '-c', {inner!r}], os.environ, signal.SIGTERM)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    with subprocess.Popen([sys.executable, "-c", outer], stderr=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stderr is not None
        child = psutil.Process(int(parent.stderr.readline()))
        parent.kill()
    assert psutil.wait_procs([child], timeout=30)[1] == []


def test_ctrl_c_while_a_process_is_started_is_heard() -> None:
    """Python only writes what a handler raises in a fork."""
    program = (
        "import os, signal, sys\nfrom palimpsest.system.processes import run_behind\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "os.register_at_fork(before=lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "try:\n    run_behind([sys.executable, '-c', 'import time; time.sleep(600)'], os.environ, signal.SIGTERM)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=True)
    assert done.stdout == "interrupted\n", done.stderr


def test_who_makes_examples_ends_with_who_started_it() -> None:
    """Waiting for work that nobody would send, and holding what the command reads from."""
    program = "import time\nfrom training.adapt import at_once\nif __name__ == '__main__': at_once(time.sleep, [600])\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    with subprocess.Popen([sys.executable, "-c", program], env=environment) as parent:
        one = psutil.Process(parent.pid)
        while not (started := [each for each in one.children() if "spawn_main" in " ".join(each.cmdline())]):
            assert parent.poll() is None
            time.sleep(0.05)
        parent.kill()
    left = psutil.wait_procs(started, timeout=30)[1]
    for each in left:
        each.kill()
    assert not left


def test_that_a_process_was_killed_is_said() -> None:
    with pytest.raises(ModelError, match="was killed"):
        at_once(os._exit, [9])


def begun(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Adapting:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for n in range(LEAST):
        added(repo, n, -3)
    return Adapting(embedded(), [repo], tmp_path / "models" / "new.gguf", 1, 0)


@pytest.mark.parametrize("full", ["cache", "models"])
def test_a_full_disk_is_said_before_anything_is_learned(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: str
) -> None:
    run, usage = begun(repo, tmp_path, monkeypatch), shutil.disk_usage(tmp_path)
    monkeypatch.setattr(
        shutil, "disk_usage", lambda path: usage._replace(free=1000 if full in Path(path).parts else 1 << 40)
    )
    with pytest.raises(ModelError, match=rf"{full}.* has room for 0.00 GB"):
        run.run()
    assert not run.work.exists()


def test_a_better_model_that_finds_no_room_is_not_lost(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is not typed with a second time."""
    run, typed = begun(repo, tmp_path, monkeypatch), []

    def step(*command: object, is_shown: bool = True) -> str:
        if command[0] != "bench":
            return ""
        typed.append(command)
        pressed = 90 - 10 * len(typed)
        return json.dumps({"hunks": [{"balanced": {"plain": 100, "pressed": pressed, "wrong": 0}}] * LEAST})

    def learn(n_processes: int) -> dict[str, float]:
        (run.work / "lora.pt").touch()
        return {"n_tokens": 1000, "seconds": 60.0}

    def merge(base: Path, adapter: Path, target: Path) -> None:
        target.write_bytes(b"learned")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "elsewhere")

    # no door: what hours of learning come to, and a disk that fills meanwhile
    monkeypatch.setattr(adapting, "step", step)
    monkeypatch.setattr(adapting, "merge", merge)
    monkeypatch.setattr(run, "learn", learn)
    monkeypatch.setattr(run, "examples", lambda: 60)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "move", full)
        with pytest.raises(ModelError, match=r"models cannot take it: No space") as error:
            run.run()
    assert "goes on from here" in error.value.hint
    assert run.run()["is_better"]
    assert run.out.read_bytes() == b"learned"
    assert not run.work.exists()
    assert len(typed) == 2


@pytest.mark.skipif(os.name == "nt", reason="no bounds on files there")
def test_a_model_that_finds_no_room_is_said_by_its_name(tmp_path: Path) -> None:
    """Behind numpy, which says only how many bytes of an array were written."""
    program = (
        "import pathlib, resource, sys\nfrom palimpsest.models.files import embedded\n"
        "from palimpsest.models.merge import widen\nresource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, -1))\n"
        "try: widen(embedded(), pathlib.Path(sys.argv[1]))\nexcept OSError as error: print(error)\n"
    )
    new = tmp_path / "new.gguf"
    done = subprocess.run([sys.executable, "-c", program, new], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"[Errno {errno.ENOSPC}] {os.strerror(errno.ENOSPC)}: {str(new)!r}\n", done.stderr
    assert not list(tmp_path.iterdir())


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


def test_without_what_learning_needs_it_says_how_to_get_it(repo: Path, tmp_path: Path) -> None:
    done = run("model", "adapt", str(repo), status=1)
    assert "Learning needs torch" in done.stderr
    assert "-m pip install torch" in done.stderr
    assert "is no folder" in run("model", "adapt", str(repo / "nothing"), status=1).stderr
    assert "torch" not in run("model", "adapt", str(tmp_path), status=1).stderr, "there is no repository"
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
@pytest.mark.timeout(3600)
def test_a_model_learns_and_is_tried_on_the_last_commits(python: Path, repo: Path, tmp_path: Path) -> None:
    (repo / "random.py").write_text("raise SystemExit('imported from the folder that it was started in')\n")
    for n in range(LEAST):
        added(repo, n, -3)
    arguments = ["--model", str(embedded()), "--minutes", "0.2", "--no-use", "--json"]
    own = {f"XDG_{what}_HOME": str(tmp_path / what) for what in ("CACHE", "CONFIG", "DATA", "STATE")}
    path = {**os.environ, **own, "PYTHONPATH": str(ROOT / "server")}
    done = run("model", "adapt", *arguments, python=str(python), cwd=repo, env=path, timeout=3300)
    said = last_object(done)
    assert said["hunks"] == LEAST
    assert said["tokens"] > 0
    assert said["used"] is False
    assert (said["path"] is not None) == said["is_better"]
    assert said["days"] == [7]
    assert not list((tmp_path / "CACHE" / "palimpsest" / "adapt").iterdir()), "the examples are gone"
    assert json.dumps(said["saved"]) in done.stdout


@pytest.mark.slow(part="training")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_a_run_that_is_stopped_ends_with_all_its_processes(
    python: Path, repo: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """Ctrl-C, a terminal that is closed, and a command that cannot tell what it started to end."""
    for n in range(LEAST):
        added(repo, n, -3)
    own = {f"XDG_{what}_HOME": str(tmp_path / what) for what in ("CACHE", "CONFIG", "DATA", "STATE")}
    environment = {**os.environ, **own, "PYTHONPATH": str(ROOT / "server")}
    command = [python, "-m", "palimpsest", "model", "adapt", "--model", embedded(), "--minutes", "60", "--no-use"]

    def in_a_terminal() -> None:
        """Tests may run in the background of a script, or behind `nohup`."""
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)

    child = subprocess.Popen(
        command, cwd=repo, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=in_a_terminal
    )
    assert child.stderr is not None
    try:
        while "Learning for" not in child.stderr.readline():
            assert child.poll() is None
        started = psutil.Process(child.pid).children(recursive=True)
        kept = [path for path in (tmp_path / "CACHE" / "palimpsest" / "adapt").rglob("*") if path.is_file()]
        assert kept
        assert not [path for path in kept if path.stat().st_mode & 0o077], "for nobody else"
        assert {each.nice() for each in started} == {BEHIND}
        child.send_signal(number)
        rest = child.stderr.read()
        assert child.wait() == (-number if number == signal.SIGKILL else 130)
    finally:
        child.terminate()
        child.stderr.close()
        child.wait()
    assert "started again, it goes on from there" in rest
    assert psutil.wait_procs(started, timeout=60)[1] == []


def test_what_was_found_out_is_told_though_the_choice_cannot_be_kept(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A night's figures, and where the file is."""
    said = {
        "is_better": True,
        "saved": [0.1, 0.2],
        "wrong": [0.0, 0.0],
        "gained": [0.1, 0.05, 0.15],
        "more_wrong": [0.0, 0.0, 0.0],
        "hunks": 12,
        "functions": 60,
        "tokens": 1000,
        "days": [7],
        "minutes": {"learning": 60.0, "all": 90.0},
    }
    # no door: what a night of learning comes to
    monkeypatch.setattr(model_adapt, "NEEDS", ())
    monkeypatch.setattr(model_adapt, "_learned", lambda *_: said)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "no folder").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no folder"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no folder"))
    assert main(["model", "adapt", str(repo), "--model", str(embedded())]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "keys saved 0.100 before, 0.200 after" in told
    assert "It is not used yet:" in told
