"""What editors' clients run to install the server: real environments, a real wheel, what goes wrong on the way."""

import ast
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.documents import ROOT
from tests.installing import cache_folder

pytestmark = [pytest.mark.slow(part="installers"), pytest.mark.timeout(900)]

INSTALL = ROOT / "clients" / "shared" / "install.py"
NOWHERE = "http://127.0.0.1:9"
BUILT = cache_folder() / "palimpsest" / "wheels"
OFFLINE = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": NOWHERE, "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": ""}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", place, ROOT], check=True)
    return next(place.glob("palimpsest-*.whl"))


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """No wheels of this machine's own, no `uv`, and nothing of the tests' environment."""
    fetched = tmp_path.parent / "fetched"  # once for all tests
    named = {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PIP_CACHE_DIR": str(fetched),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        **more,
    }
    python = os.pathsep.join([str(Path(getattr(sys, "_base_executable", sys.executable)).parent), named["PATH"]])
    return {**os.environ, **named, "PATH": more.get("PATH", python)}


def command(into: Path, source: Path, *options: str) -> list[str]:
    python = getattr(sys, "_base_executable", sys.executable)
    return [python, "-I", str(INSTALL), "--into", str(into), "--source", str(source), *options]


def install(
    into: Path, source: Path, *options: str, env: dict[str, str], **more: Any
) -> tuple[list[dict[str, Any]], int]:
    ran = subprocess.run(command(into, source, *options), env=env, capture_output=True, text=True, **more)
    return [json.loads(line) for line in ran.stdout.splitlines()], ran.returncode


def test_it_can_be_read_by_an_old_python() -> None:
    ast.parse(INSTALL.read_text(encoding="utf-8"), feature_version=(3, 8))


def test_a_server_is_installed_then_an_engine_that_was_built_before(wheel: Path, tmp_path: Path) -> None:
    into, env = tmp_path / "server", environment(tmp_path)
    said, status = install(into, wheel, "--engine", "none", env=env)
    assert status == 0
    *steps, done = said
    assert all(set(it) == {"step", "message", "fraction"} for it in steps)
    fractions = [it["fraction"] for it in steps]
    assert fractions == sorted(fractions)
    assert done["done"] is True
    assert done["engine"] == "none"
    program, serve = done["command"]
    assert (program, serve) == (str(into / "bin" / "palimpsest"), "serve")
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert told.startswith("palimpsest ")
    made = Path(program).stat().st_mtime_ns

    said, _ = install(into, wheel, "--find-links", str(BUILT), env=env)
    assert said[-1]["engine"] == "prebuilt", said
    assert any("prebuilt" in it["message"] for it in said[:-1])
    subprocess.run([into / "bin" / "python", "-I", "-c", "import llama_cpp, starlette, numpy"], check=True)
    assert Path(program).stat().st_mtime_ns == made  # the server that may run from there was left alone
    said, _ = install(into, wheel, "--engine", "none", env=OFFLINE | env)
    assert said[-1]["engine"] == "prebuilt"  # what is there stays


def stand_in(folder: Path) -> None:
    """A package with the bindings' name and a module written in C, so that something is really built."""
    tree = folder / "llama_cpp_python-999.0"
    (tree / "llama_cpp").mkdir(parents=True)
    (tree / "llama_cpp" / "__init__.py").write_text("from _llama_stand_in import llama_backend_init\n")
    (tree / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: llama-cpp-python\nVersion: 999.0\n")
    (tree / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    )
    (tree / "setup.py").write_text(
        "from setuptools import Extension, setup\n"
        "setup(name='llama-cpp-python', version='999.0', packages=['llama_cpp'],\n"
        "      ext_modules=[Extension('_llama_stand_in', ['stand_in.c'])])\n"
    )
    (tree / "stand_in.c").write_text(
        "#include <Python.h>\n"
        "static PyObject *begin(PyObject *self, PyObject *none) { Py_RETURN_NONE; }\n"
        'static PyMethodDef methods[] = {{"llama_backend_init", begin, METH_NOARGS, ""}, {0}};\n'
        'static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_llama_stand_in", "", -1, methods};\n'
        "PyMODINIT_FUNC PyInit__llama_stand_in(void) { return PyModule_Create(&module); }\n"
    )
    with tarfile.open(folder / "llama_cpp_python-999.0.tar.gz", "w:gz") as archive:
        archive.add(tree, tree.name)
    shutil.rmtree(tree)


def test_an_engine_is_built_where_there_is_a_compiler_and_otherwise_it_says_what_is_missing(
    wheel: Path, tmp_path: Path
) -> None:
    """An engine takes minutes to build; which way is taken is what is seen here."""
    links, into = tmp_path / "links", tmp_path / "server"
    links.mkdir()
    stand_in(links)
    options = ("--find-links", str(links), "--extra-index", NOWHERE)
    tools = tmp_path / "tools"  # a PATH with a Python and no compiler
    tools.mkdir()
    (tools / "python3").symlink_to(getattr(sys, "_base_executable", sys.executable))
    said, status = install(into, wheel, *options, "--engine", "build", env=environment(tmp_path, PATH=str(tools)))
    assert (status, said[-1]["engine"]) == (0, "none")
    assert "no C++ compiler" in said[-1]["message"]
    assert "llama-server" in said[-1]["message"]
    said, _ = install(into, wheel, *options, "--engine", "prebuilt", env=environment(tmp_path))
    if said[-1]["engine"] == "none":  # else this machine's own indexes have one
        assert "cannot be reached" in said[-1]["message"]
        assert "no prebuilt engine" in said[-1]["message"]
    said, _ = install(into, wheel, *options, "--engine", "build", env=environment(tmp_path))
    if said[-1]["engine"] != "prebuilt":
        assert said[-1]["engine"] == "built", said
        assert any("minutes" in it["message"] for it in said[:-1])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_it_goes_on_where_it_was_interrupted(wheel: Path, tmp_path: Path, number: signal.Signals) -> None:
    into, env = tmp_path / "server", environment(tmp_path)
    asked = command(into, wheel, "--engine", "none")
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
    said, status = install(into, wheel, "--engine", "none", env=env)
    assert status == 0, said
    assert not any(it.get("step") == "environment" for it in said)  # that was made before
    assert (into / "bin" / "palimpsest").exists()


def test_a_source_tree_will_do_and_an_environment_that_broke_is_made_anew(wheel: Path, tmp_path: Path) -> None:
    into, env = tmp_path / "server", environment(tmp_path)
    said, _ = install(into, ROOT, "--engine", "none", env=env)
    subprocess.run([said[-1]["command"][0], "--version"], check=True, stdout=subprocess.DEVNULL)
    (into / "bin" / "python").unlink()
    (into / "bin" / "python").symlink_to("/nowhere/python3")
    said, _ = install(into, wheel, "--engine", "none", env=env)
    assert said[-1].get("done"), said
    subprocess.run([said[-1]["command"][0], "--version"], check=True, stdout=subprocess.DEVNULL)


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
    said, status = install(into, wheel, "--engine", "none", env=environment(tmp_path), preexec_fn=no_room)
    assert status == 1
    assert said[-1] == {
        "error": f"There is no space left in {into}.",
        "hint": "Make room there and try again.",
    }
    assert not (into / "bin" / "palimpsest").exists()
    said, _ = install(into, wheel, "--engine", "none", env=environment(tmp_path))
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
    asked = command(into, wheel, "--engine", "none")
    with subprocess.Popen(asked, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        said, status = install(into, wheel, "--engine", "none", env=env)
        assert status == 1
        assert "already" in said[-1]["error"]
        assert json.loads(process.stdout.read().splitlines()[-1])["done"]


def test_uv_is_used_where_there_is_one(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "with-uv"
    venv.create(place, with_pip=True)
    subprocess.run([place / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "uv"], check=True)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "uv").symlink_to(place / "bin" / "uv")
    env = environment(tmp_path)
    said, _ = install(
        tmp_path / "server", wheel, "--engine", "none", env={**env, "PATH": f"{tools}{os.pathsep}{env['PATH']}"}
    )
    assert any("with uv" in it["message"] for it in said), said
    assert "uv = " in (tmp_path / "server" / "pyvenv.cfg").read_text(encoding="utf-8")
    assert said[-1].get("done"), said
    said, _ = install(tmp_path / "server", wheel, "--find-links", str(BUILT), env=env)  # and when it is gone
    assert said[-1]["engine"] == "prebuilt", said
