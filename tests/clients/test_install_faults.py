"""The installer with what a copy that was cut off, or a folder that was moved, leaves behind, and with an engine that
cannot be had: with packages that are installed in a moment."""

import fcntl
import json
import os
import signal
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.clients.test_install import OFFLINE, command, environment, install, output, uv

pytestmark = [pytest.mark.slow(part="installers"), pytest.mark.timeout(600)]
PROGRAM = """import os, sys, time


def main():
    if sys.argv[1:] == ['engine', 'get', '--json', '--progress']:
        exec(os.environ.get('ENGINE', ''))
    else:
        print('palimpsest 0', sys.prefix)
"""
HALF = """print('{"done": 50000000, "total": 100000000}', file=sys.stderr, flush=True);"""
METADATA = """Metadata-Version: 2.1
Name: {}
Version: 0
Requires-Dist: pip
Requires-Dist: nobodys-part; sys_platform == 'nowhere'
Requires-Dist: nobodys-part; extra == 'engine'
"""


def packed(folder: Path, name: str = "palimpsest", requires: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-0-py3-none-any.whl"
    files = {
        f"{name}.py": PROGRAM,
        f"{name}-0.dist-info/METADATA": METADATA.format(name) + requires,
        f"{name}-0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{name}-0.dist-info/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
        f"{name}-0.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return packed(tmp_path)


@pytest.mark.parametrize("share", [0.0, 0.4, 0.95])
def test_a_package_that_was_cut_off_is_said_to_be_damaged_and_nothing_is_made(
    small: Path, tmp_path: Path, share: float
) -> None:
    content = small.read_bytes()
    small.write_bytes(content[: int(len(content) * share)])
    said, status = install(tmp_path / "server", small, env=environment(tmp_path))
    assert status == 1
    assert "is damaged" in said[-1]["error"]
    assert said[-1]["hint"]
    assert not (tmp_path / "server").exists()


def test_a_package_with_another_content_than_it_says_is_damaged(small: Path, tmp_path: Path) -> None:
    content = small.read_bytes()
    small.write_bytes(content.replace(b"palimpsest 0", b"palimpsest 1"))
    said, _ = install(tmp_path / "server", small, env=environment(tmp_path))
    assert "is damaged" in said[-1]["error"]


def test_an_environment_that_was_moved_or_cut_off_is_mended(small: Path, tmp_path: Path) -> None:
    """Its programs name a Python that is gone, or are empty: both cannot be run at all."""
    first, second, env = tmp_path / "a", tmp_path / "b \u00e9", environment(tmp_path)
    _, status = install(first, small, env=env)
    assert status == 0
    first.rename(second)
    said, status = install(second, small, env=env)
    assert status == 0, said
    program = said[-1]["command"][0]
    assert str(second) in output(program, env=env)
    for name in ("python", "palimpsest"):
        path = second / "bin" / name
        path.unlink()
        path.touch(mode=0o755)
    said, status = install(second, small, env=env)
    assert status == 0, said
    assert output(program, env=env).startswith("palimpsest 0")


def test_a_package_can_come_from_a_folder(tmp_path: Path) -> None:
    wheel = packed(tmp_path, requires="Requires-Dist: apart\n")
    packed(tmp_path / "links", "apart")
    options = ("--find-links", str(tmp_path / "links"))
    said, status = install(tmp_path / "server", wheel, *options, env=environment(tmp_path, **OFFLINE))
    assert status == 0, said
    assert (tmp_path / "server" / "bin" / "apart").exists()


@pytest.mark.parametrize("with_uv", [False, True], ids=["pip", "uv"])
def test_a_version_of_a_package_index_can_be_asked_for(tmp_path: Path, with_uv: bool) -> None:
    packed(tmp_path / "links")
    env = environment(tmp_path)
    env |= {"PATH": f"{uv(tmp_path)}{os.pathsep}{env['PATH']}"} if with_uv else {}
    into, options = tmp_path / "server", ("--find-links", str(tmp_path / "links"))
    said, status = install(into, "palimpsest==0", *options, env=env)
    assert status == 0, said
    assert output(said[-1]["command"][0], env=env).startswith("palimpsest 0")
    said, status = install(into, "palimpsest==1", *options, env=env)
    assert said[-1]["error"] == "The package index cannot be reached, or lacks a package."


def test_how_far_the_engine_is_is_passed_on(small: Path, tmp_path: Path) -> None:
    engine = f"print('a warning'); {HALF} print('{{}}')"
    said, _ = install(tmp_path / "server", small, env=environment(tmp_path, ENGINE=engine))
    assert [(it["message"], it["fraction"]) for it in said if it.get("step") == "engine"] == [
        ("Looking for a faster engine.", 0.6),
        ("Fetching a faster engine: 50 of 100 MB.", 0.795),
    ]
    assert said[-1]["message"] == "The server is installed, with an engine for this machine."


@pytest.mark.parametrize(
    ("engine", "why"),
    [
        ("""print('{"error": {"message": "It is not there."}}'); sys.exit(1)""", "It is not there."),
        ("raise OSError('no such thing')", "OSError: no such thing."),
        ("os.kill(os.getpid(), 9)", "no reason was given."),
    ],
)
def test_an_engine_that_cannot_be_had_is_no_failure(small: Path, tmp_path: Path, engine: str, why: str) -> None:
    said, status = install(tmp_path / "server", small, env=environment(tmp_path, ENGINE=engine))
    assert status == 0
    assert said[-1]["done"]
    assert said[-1]["message"] == f"The server is installed with no engine, since one could not be had: {why}"


def test_it_can_be_stopped_while_the_engine_is_fetched_and_the_server_stays(small: Path, tmp_path: Path) -> None:
    into, lock = tmp_path / "server", tmp_path / "lock"
    engine = f"import fcntl; it = open({str(lock)!r}, 'w'); fcntl.flock(it, fcntl.LOCK_EX); {HALF} time.sleep(3600)"
    env = environment(tmp_path, ENGINE=engine)
    with subprocess.Popen(command(into, small), env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "Fetching" in line:
                process.send_signal(signal.SIGTERM)
                break
        rest = process.stdout.read()
    assert json.loads(rest)["error"] == "The installation was stopped."
    with lock.open("w") as it:
        fcntl.flock(it, fcntl.LOCK_EX)  # who was fetching has ended
    said, _ = install(into, small, env=environment(tmp_path))
    assert said[-1]["done"]
    assert "Installing the server itself." not in [it["message"] for it in said]
