"""What editors' clients run to install the server: real environments, a real wheel, what goes wrong on the way."""

import ast
import json
import os
import re
import resource
import signal
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.documents import ROOT

pytestmark = [pytest.mark.slow(part="installers"), pytest.mark.timeout(900)]

INSTALL = ROOT / "clients" / "shared" / "install.py"
NOWHERE = "http://127.0.0.1:9"
OFFLINE = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": NOWHERE, "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": ""}
REFUSED = {"npm_config_registry": NOWHERE, "npm_config_userconfig": os.devnull}
LOADED = """
from palimpsest.engine.llama.trial import tried
from palimpsest.libraries.locate import located
tried(located().file)
print(located().source)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", place, ROOT], check=True)
    return next(place.glob("palimpsest_lsp-*.whl"))


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """No `uv`, no registry with engines, and nothing of the tests' environment."""
    fetched = tmp_path.parent / "fetched"  # once for all tests
    named = {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PIP_CACHE_DIR": str(fetched),
        "PYTHONPATH": "",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        **REFUSED,
        **more,
    }
    python = os.pathsep.join([str(Path(getattr(sys, "_base_executable", sys.executable)).parent), named["PATH"]])
    return {**os.environ, **named, "PATH": more.get("PATH", python)}


def command(into: Path, source: Path | str, *options: str) -> list[str]:
    python = getattr(sys, "_base_executable", sys.executable)
    return [python, "-I", str(INSTALL), "--into", str(into), "--source", str(source), *options]


def install(
    into: Path, source: Path | str, *options: str, env: dict[str, str], **more: Any
) -> tuple[list[dict[str, Any]], int]:
    ran = subprocess.run(command(into, source, *options), env=env, capture_output=True, text=True, **more)
    return [json.loads(line) for line in ran.stdout.splitlines()], ran.returncode


def test_it_can_be_read_by_an_old_python() -> None:
    ast.parse(INSTALL.read_text(encoding="utf-8"), feature_version=(3, 8))


def test_a_server_is_installed_with_its_engine_and_then_a_faster_one_is_fetched(wheel: Path, tmp_path: Path) -> None:
    into, refused = tmp_path / "server", environment(tmp_path)
    said, status = install(into, wheel, env=refused)
    assert status == 0
    *steps, done = said
    assert all(set(it) == {"step", "message", "fraction"} for it in steps)
    assert is_sorted(steps)
    assert set(done) == {"done", "command", "message"}
    told = "The server is installed with the engine that came along, since a faster one could not be had: "
    assert done["message"].startswith(f"{told}{NOWHERE}/")
    program, serve = done["command"]
    assert (program, serve) == (str(into / "bin" / "palimpsest"), "serve")
    assert output(program, "--version", env=refused).startswith("palimpsest ")
    assert output(into / "bin" / "python", "-I", "-c", LOADED, env=refused) == "xllamacpp\n"
    made = Path(program).stat().st_mtime_ns

    said, _ = install(into, wheel, env=environment(tmp_path, **{name: os.environ.get(name, "") for name in REFUSED}))
    *steps, done = said
    assert done["message"] == "The server is installed, with an engine for this machine."
    fetched = re.compile(r"Fetching a faster engine: (\d+) of \1 MB\.")
    assert any(fetched.fullmatch(it["message"]) for it in steps)
    assert is_sorted(steps)
    assert output(into / "bin" / "python", "-I", "-c", LOADED, env=refused) == "palimpsest engine get\n"
    assert Path(program).stat().st_mtime_ns == made  # the server that may run from there was left alone

    said, _ = install(into, wheel, env=environment(tmp_path, **OFFLINE))
    assert said[-1] == done, "what is here is not fetched again"


def is_sorted(steps: list[dict[str, Any]]) -> bool:
    fractions = [it["fraction"] for it in steps]
    return fractions == sorted(fractions)


def output(*command: str | Path, env: dict[str, str]) -> str:
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_it_goes_on_where_it_was_interrupted(wheel: Path, tmp_path: Path, number: signal.Signals) -> None:
    into, env = tmp_path / "server", environment(tmp_path)
    asked = command(into, wheel)
    with subprocess.Popen(asked, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["step"] == "server":  # packages are being fetched
                process.send_signal(number)
                break
        rest = process.stdout.read()
    if number == signal.SIGTERM:
        assert json.loads(rest.splitlines()[-1])["error"] == "The installation was stopped."
    assert not (into / "bin" / "palimpsest").exists()
    said, status = install(into, wheel, env=env)
    assert status == 0, said
    assert not any(it.get("step") == "environment" for it in said)  # that was made before
    assert (into / "bin" / "palimpsest").exists()


def test_a_source_tree_will_do_and_an_environment_that_broke_is_made_anew(wheel: Path, tmp_path: Path) -> None:
    into, env = tmp_path / "server", environment(tmp_path)
    said, _ = install(into, ROOT, env=env)
    assert output(said[-1]["command"][0], "--version", env=env).startswith("palimpsest ")
    (into / "bin" / "python").unlink()
    (into / "bin" / "python").symlink_to("/nowhere/python3")
    said, _ = install(into, wheel, env=env)
    assert said[-1].get("done"), said
    assert output(said[-1]["command"][0], "--version", env=env).startswith("palimpsest ")


def test_without_an_index_it_is_one_sentence_and_nothing_that_could_be_taken_for_a_server(
    wheel: Path, tmp_path: Path
) -> None:
    into = tmp_path / "server"
    said, status = install(into, wheel, env=environment(tmp_path, **OFFLINE))
    assert status == 1
    assert said[-1]["error"] == "The package index cannot be reached, or lacks a package."
    assert said[-1]["hint"]
    assert not (into / "bin" / "palimpsest").exists()


def test_where_there_is_no_room_it_says_so(wheel: Path, tmp_path: Path) -> None:
    """A file that may not grow is what a full disk is to the program that writes it."""

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))

    into = tmp_path / "server"
    said, status = install(into, wheel, env=environment(tmp_path), preexec_fn=no_room)
    assert status == 1
    assert said[-1] == {
        "error": f"There is no space left in {into}.",
        "hint": "Make room there and try again.",
    }
    assert not (into / "bin" / "palimpsest").exists()
    said, _ = install(into, wheel, env=environment(tmp_path))
    assert said[-1].get("done"), said


def test_a_folder_with_something_else_in_it_is_left_alone(wheel: Path, tmp_path: Path) -> None:
    into = tmp_path / "mine"
    into.mkdir()
    (into / "letter.txt").write_text("dear")
    said, status = install(into, wheel, env=environment(tmp_path))
    assert status == 1
    assert "something else" in said[-1]["error"]
    assert [path.name for path in into.iterdir()] == ["letter.txt"]
    said, _ = install(tmp_path / "other", tmp_path / "no.whl", env=environment(tmp_path))
    assert "no server to install" in said[-1]["error"]


def test_two_at_once_do_not_get_into_each_others_way(wheel: Path, tmp_path: Path) -> None:
    into, env = tmp_path / "server", environment(tmp_path)
    asked = command(into, wheel)
    with subprocess.Popen(asked, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        said, status = install(into, wheel, env=env)
        assert status == 1
        assert "already" in said[-1]["error"]
        assert json.loads(process.stdout.read().splitlines()[-1])["done"]


def uv(tmp_path: Path) -> Path:
    """A folder with nothing but uv."""
    place, tools = tmp_path / "with-uv", tmp_path / "tools"
    venv.create(place, with_pip=True)
    subprocess.run([place / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "uv"], check=True)
    tools.mkdir()
    (tools / "uv").symlink_to(place / "bin" / "uv")
    return tools


def test_uv_is_used_where_there_is_one(wheel: Path, tmp_path: Path) -> None:
    env = environment(tmp_path)
    into = tmp_path / "server"
    said, _ = install(into, wheel, env={**env, "PATH": f"{uv(tmp_path)}{os.pathsep}{env['PATH']}"})
    assert any("with uv" in it["message"] for it in said), said
    assert "uv = " in (into / "pyvenv.cfg").read_text(encoding="utf-8")
    assert said[-1].get("done"), said
    (into / "bin" / "palimpsest").unlink()
    said, _ = install(into, wheel, env=env)  # and when it is gone
    assert said[-1].get("done"), said
    assert (into / "bin" / "palimpsest").exists()
