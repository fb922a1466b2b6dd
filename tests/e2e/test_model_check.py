"""`palimpsest model check` in a terminal, and what an engine makes of its profile."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.checking.running import LOG, tried
from palimpsest.config.settings import EngineSettings
from palimpsest.errors import ModelError
from palimpsest.json_data import to_json
from palimpsest.models import profiles
from palimpsest.models.files import embedded
from palimpsest.models.profiles import Profile
from palimpsest.models.trials import TrialRequest
from palimpsest.system import folders
from tests.e2e.conftest import SAMPLE, start_editor, stop_editor
from tests.e2e.test_command_line import last_object, run
from tests.models import written

FOUND = Profile("palimpsest-embedded", "2026-11-30", ["It is good."], layout="psm", mode="whole-prompt", n_threads=1)


def check(*arguments: str, status: int = 0) -> dict[str, object]:
    return last_object(run("model", "check", *arguments, "--json", status=status))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A file of its own, so that no other test's engine takes its profile."""
    path = tmp_path / "own.gguf"
    shutil.copy(embedded(), path)
    with path.open("ab") as file:
        file.write(b"\0" * 64)  # another size: another profile
    return path


def test_a_model_is_tried_on_a_folder_and_what_came_of_it_is_kept(model: Path) -> None:
    said = check(str(model), "--folder", str(SAMPLE), "--seconds", "60", "--places", "9")
    figures = said["figures"]
    assert isinstance(figures, dict)
    assert (said["kept"], figures["places"]) == (True, pytest.approx(9, abs=1))
    assert said["tried_on"] == str(SAMPLE)
    assert {
        "nats.prefix",
        "nats.spm",
        "nats.in_place",
        "nats.epic",
        "nats.stale",
        "nats.in_order",
        "token_ms",
    } <= figures.keys()
    assert figures["nats.spm"] < figures["nats.prefix"], "it was made to fill in the middle"
    kept = profiles.of_file(model)
    assert kept is not None
    assert kept.figures == figures
    assert json.loads(run("model", "info", str(model), "--json").stdout)["profile"]["verdict"] == kept.verdict
    assert kept.verdict[0] in run("model", "info", str(model)).stdout
    assert check(str(model), "--forget") == {"forgotten": True}
    assert check(str(model), "--forget") == {"forgotten": False}
    assert profiles.of_file(model) is None


@pytest.mark.parametrize("kind", ["plain", "fim-q8", "mamba", "hybrid", "swa", "mrope"])
def test_models_of_every_kind_of_memory_are_tried(kind: str, tmp_path: Path) -> None:
    said = check(str(written(kind, tmp_path)), "--folder", str(SAMPLE), "--seconds", "4", "--places", "3")
    assert said["verdict"]
    figures = said["figures"]
    assert isinstance(figures, dict)
    assert figures["places"] >= 1
    assert not said["kept"], "so few places say nothing"


def test_a_model_that_was_chosen_is_tried_in_the_background(tmp_path: Path) -> None:
    path = written("fim", tmp_path)
    try:
        assert "in the background" in run("model", "use", str(path), cwd=SAMPLE).stdout
        for _ in range(1200):
            if profiles.of_file(path) is not None:
                break
            time.sleep(0.1)
        assert profiles.of_file(path) is not None, (folders.logs() / LOG).read_text(encoding="utf-8")
        assert "in the background" not in run("model", "use", str(path), cwd=SAMPLE).stdout, "it is known"
    finally:
        (folders.config() / "model.json").unlink(missing_ok=True)


def test_a_trial_that_hangs_is_ended(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="ended the process that tried it"):
        tried(written("fim", tmp_path), EngineSettings(), [], 60, most_s=0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends at its next answer")
def test_a_trial_ends_with_who_started_it(tmp_path: Path) -> None:
    """Also between two answers, which a large model takes minutes for."""
    request = TrialRequest(str(embedded()), {}, [], 1.0, "", "")
    child = (
        "import time\nfrom palimpsest.engine.checking import process\n"
        "def measure(*_): print('here', flush=True); time.sleep(600)\nprocess.measure = measure\nprocess.main()\n"
    )
    parent = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}], stdin=subprocess.PIPE, text=True)\n"
        f"child.stdin.write({json.dumps(to_json(request))!r})\nchild.stdin.close()\n"
        "print(child.pid, flush=True)\ntime.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = {process.stdout.readline().strip() for _ in range(2)}
        trial = psutil.Process(int(next(line for line in said if line != "here")))
        process.kill()
        left = psutil.wait_procs([trial], timeout=30)[1]
        for each in left:
            each.kill()
    assert not left


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no disk that is always full")
def test_a_profile_that_finds_no_room_leaves_no_half_of_it(tmp_path: Path) -> None:
    record = tmp_path / "profiles" / "own.json"
    record.parent.mkdir()
    record.with_name(f"own.json.{os.getpid()}").symlink_to("/dev/full")
    with pytest.raises(ModelError, match=re.escape(f"cannot be kept in {record.parent}: No space")):
        profiles.keep(record, FOUND)
    assert not list(record.parent.iterdir())


def test_without_source_a_folder_that_is_named_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words\n", encoding="utf-8")
    done = run("model", "check", "embedded", "--folder", str(tmp_path), status=1)
    assert "has no source files that parse" in done.stderr
    assert "is no folder" in run("model", "check", "embedded", "--folder", str(tmp_path / "b"), status=1).stderr


def test_a_file_that_is_no_model_is_said_to_be_none(tmp_path: Path) -> None:
    path = written("adapter", tmp_path)
    done = run("model", "check", str(path), "--folder", str(SAMPLE), "--seconds", "2", status=1)
    assert "is no model that writes text" in done.stderr


async def test_the_engine_takes_a_profile_and_settings_go_before_it(model: Path, shop: Path) -> None:
    profiles.keep(profiles.place_of(model), FOUND)
    editor = await start_editor(shop, {"model": {"path": str(model)}})
    try:
        await editor.ready()
        info = await editor.command("palimpsest.model.info")
        assert not info["in_place"]
        assert "model check" in info["why_not"]
        assert info["fim"]["layout"] == "psm"
    finally:
        await stop_editor(editor)
    editor = await start_editor(shop, {"model": {"path": str(model)}, "engine": {"mode": "in-place"}})
    try:
        await editor.ready()
        assert (await editor.command("palimpsest.model.info"))["in_place"]
    finally:
        await stop_editor(editor)


async def test_a_running_engine_takes_what_is_found_out_later(model: Path, shop: Path) -> None:
    profiles.forget(model)  # another test's, of the same content
    editor = await start_editor(shop, {"model": {"path": str(model)}})

    async def is_in_place() -> bool:
        await editor.ready(patient=True)
        try:
            return bool((await editor.command("palimpsest.model.info"))["in_place"])
        except JsonRpcException:  # it is just leaving
            return True

    try:
        assert await is_in_place()
        uri = editor.open("shop/cart.py")
        profiles.keep(profiles.place_of(model), FOUND)
        await editor.complete(uri, lsp.Position(0, 0), invoked=True)
        assert await is_in_place(), "not between two keys"
        while await is_in_place():
            await asyncio.sleep(0.2)  # no work
        assert await editor.complete(uri, lsp.Position(20, 0), invoked=True) is not None
    finally:
        await stop_editor(editor)


async def test_a_restart_takes_the_model_that_was_chosen_meanwhile(model: Path, shop: Path) -> None:
    editor = await start_editor(shop)
    try:
        await editor.ready()
        before = (await editor.command("palimpsest.model.info"))["path"]
        run("model", "use", str(model), "--no-check")  # in a terminal
        await editor.command("palimpsest.restartEngine")
        await editor.ready(patient=True)
        assert (await editor.command("palimpsest.model.info"))["path"] == str(model) != before
    finally:
        run("model", "use", "embedded")
        await stop_editor(editor)


def test_a_profile_that_is_damaged_is_none(model: Path) -> None:
    path = profiles.keep(profiles.place_of(model), FOUND)
    for text in ("", "[]", '{"model": 1}', "{", "[" * 100_000):
        path.write_text(text, encoding="utf-8")
        assert profiles.of_file(model) is None
    for field, wrong in (("n_threads", -1), ("calibration", {"slope": 0.0, "offset": 0.0}), ("mode", "dogs")):
        path.write_text(json.dumps({**to_json(FOUND), field: wrong}), encoding="utf-8")
        assert profiles.of_file(model) is None, field
    path.unlink()
    os.mkfifo(path)
    assert profiles.of_file(model) is None, "nobody waits for a writer"
    path.unlink()


def test_a_long_line_is_no_place_and_spoils_no_others(model: Path, tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "work")
    (tmp_path / "work" / "long.py").write_text(f"x = [{'1, ' * 20_000}]\n", encoding="utf-8")
    said = check(str(model), "--folder", str(tmp_path / "work"), "--seconds", "60", "--places", "10")
    assert said["kept"]
