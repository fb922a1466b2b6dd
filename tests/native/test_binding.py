"""libllama through a binding of our own: what fits is used, what does not is refused with a sentence."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from palimpsest.engine.llama import binding
from palimpsest.engine.llama.binding import FUNCTIONS, Binding
from palimpsest.engine.llama.layouts import LAYOUTS, StructLayout, pointer, structure
from palimpsest.engine.llama.library import WAITING, library
from palimpsest.engine.llama.trial import outcome, tried
from palimpsest.engine.llama_server.completions.samplers import Chain, Picked
from palimpsest.engine.llama_server.requests.fields import Fields
from palimpsest.engine.llama_server.requests.params import read
from palimpsest.errors import EngineUnavailable
from tests.native.conftest import MakeEngine


@pytest.fixture
def file() -> Path:
    return library().api.path


def test_the_library_in_use_says_what_it_is_and_where_it_computes(file: Path) -> None:
    found = tried(file)
    assert found.version == library().api.version
    assert [device.kind for device in found.devices].count("CPU") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="GNU's OpenMP")
def test_threads_of_openmp_spin_for_a_moment_before_they_sleep() -> None:
    """Of the llama.cpp that comes along: to sleep at each of a token's hundreds of waits triples its time."""
    found = importlib.util.find_spec("xllamacpp")
    assert found is not None
    assert found.origin is not None
    (path,) = Path(found.origin).parent.glob("*.so")
    code = (
        "import os, sys; from palimpsest.engine.llama import library as door; door.choose(sys.argv[1]);"
        "print(door.library().spins, *map(os.environ.get, door.WAITING))"
    )
    ours = {name: value for name, value in os.environ.items() if name not in WAITING}
    cases: list[tuple[dict[str, str], str]] = [
        ({}, "True passive 2000"),
        ({"GOMP_SPINCOUNT": "7"}, "True passive 7"),
        ({"GOMP_SPINCOUNT": "0"}, "False passive 0"),
        ({"OMP_WAIT_POLICY": "active"}, "True active None"),
        ({"OMP_WAIT_POLICY": "PASSIVE"}, "False PASSIVE None"),
    ]
    for theirs, said in cases:
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], env=ours | theirs, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == said, theirs


def test_a_gpu_whose_driver_ends_the_process_is_no_gpu() -> None:
    gpu = {"name": "CUDA0", "description": "A GPU", "kind": "GPU", "memory": 1 << 30, "free": 1 << 30}
    said = json.dumps({"version": "0.4.0", "processor": "", "devices": [gpu]}) + "\n"
    why = "DEBUG:palimpsest.llama:CUDA error: the provided PTX was compiled with an unsupported toolchain.\nAborted"
    died = outcome(Path("libllama.so"), subprocess.CompletedProcess([], -signal.SIGABRT, said, why))
    assert (died.gpus, died.fault) == ([], "the provided PTX was compiled with an unsupported toolchain")
    computed = outcome(
        Path("libllama.so"), subprocess.CompletedProcess([], 0, "a driver's line\n" + said + "{}\n", why)
    )
    assert ([found.name for found in computed.gpus], computed.fault) == (["CUDA0"], "")


def test_a_gpu_that_does_not_answer_is_no_gpu_either(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = {"name": "CUDA0", "description": "A GPU", "kind": "GPU", "memory": 1 << 30, "free": 1 << 30}
    said = json.dumps({"version": "0.4.0", "processor": "zen4", "devices": [gpu]})

    def hangs(command: list[str], **_: object) -> None:
        raise subprocess.TimeoutExpired(command, 120, said_then)

    # no door: no driver here hangs
    monkeypatch.setattr(subprocess, "run", hangs)
    said_then = said.encode() + b"\n"
    found = tried(file)
    assert (found.gpus, found.processor) == ([], "zen4")
    assert "no answer" in found.fault
    said_then = b""
    with pytest.raises(EngineUnavailable, match="did not load within"):
        tried(file)


def test_a_layout_that_nobody_has_looked_at_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = [StructLayout(("9.0",), one.model, (("new", pointer, 5), *one.context)) for one in LAYOUTS]
    # no door: no library has a layout that is not known
    monkeypatch.setattr(binding, "LAYOUTS", newer)
    with pytest.raises(EngineUnavailable, match=r"another layout than those known \(llama.cpp 9.0"):
        Binding(file)


def test_defaults_tell_the_layouts_apart() -> None:
    """A field more in front of the switches, and each switch is read from another byte."""
    older, newer = (structure("params", one.context) for one in LAYOUTS)
    made = newer()
    for name, _, default in LAYOUTS[1].context:
        setattr(made, name, default)
    raw = bytes(made) + bytes(64)
    assert binding.fits(raw, LAYOUTS[1].context)
    assert not binding.fits(raw, LAYOUTS[0].context)
    assert ctypes.sizeof(newer) > ctypes.sizeof(older)


BROKEN = {
    "text": "cut off, or no library",
    "cut": "cut off, or no library",
    "empty": "cut off, or no library",
    "missing": "is not there",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_no_library_is_refused_with_a_reason(kind: str, file: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "libllama.so"
    if kind != "missing":
        wrong.write_bytes({"text": b"# not a library\n" * 100, "cut": file.read_bytes()[:3000], "empty": b""}[kind])
    with pytest.raises(EngineUnavailable, match=BROKEN[kind]) as refused:
        tried(wrong)
    assert "engine get" in refused.value.hint


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the loader itself refuses it")
@pytest.mark.parametrize("which", ["libllama.so", "libggml-cpu-x64.so"])
def test_a_library_that_ends_in_the_middle_is_refused_before_it_is_loaded(
    which: str, file: Path, tmp_path: Path
) -> None:
    """Its missing part would end the process (SIGBUS), and a server would start the engine again and again."""
    raw = file.read_bytes()
    for name in {"libllama.so", which}:
        (tmp_path / name).write_bytes(raw[: len(raw) // 8] if name == which else raw)  # further on may be symbols alone
    with pytest.raises(EngineUnavailable, match=f"{which} cannot be used: .*cut off, or no library"):
        binding.opened(tmp_path / "libllama.so")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the loader says so itself")
def test_a_library_for_another_kind_of_processor_is_refused(file: Path, tmp_path: Path) -> None:
    """The loader says that there is no such file."""
    raw = bytearray(file.read_bytes())
    raw[18:20] = struct.pack("<H", 243)  # e_machine: RISC-V
    (tmp_path / "libllama.so").write_bytes(raw)
    with pytest.raises(EngineUnavailable, match=r"built for another kind of processor; this machine is \w+"):
        tried(tmp_path / "libllama.so")


@pytest.fixture
def other() -> Path:
    """A small library that is no libllama."""
    spec = importlib.util.find_spec("tree_sitter_json._binding")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the names of libraries are stored otherwise")
@pytest.mark.parametrize(
    ("name", "why"),
    [
        (b"lib\x92.so.6", r"it does not load \(it is damaged, or no library"),
        (b"libq.so.6", r"it does not load \(libq\.so\.6: cannot open shared object file"),
    ],
)
def test_a_library_that_needs_another_one_which_is_not_there_is_refused(
    name: bytes, why: str, other: Path, tmp_path: Path
) -> None:
    raw = other.read_bytes()
    needed = b"\0libc.so.6\0"
    assert needed in raw
    (tmp_path / "libllama.so").write_bytes(raw.replace(needed, (b"\0" + name + b"\0\0")[: len(needed)]))
    with pytest.raises(EngineUnavailable, match=why):
        tried(tmp_path / "libllama.so")


def hashed(name: bytes) -> bytes:
    """The System V ABI's hash of a symbol's or a version's name, as an ELF file holds it."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return struct.pack("<I", value)


@pytest.mark.skipif(
    sys.platform != "linux" or platform.libc_ver()[0] != "glibc", reason="versions of symbols are glibc's"
)
def test_a_library_for_a_newer_system_is_refused(other: Path, tmp_path: Path) -> None:
    raw = other.read_bytes()
    found = re.search(rb"\0(GLIBC_2[.0-9]+)\0", raw)
    assert found is not None
    newer = re.sub(rb"[0-9]", b"9", found[1])
    raw = raw.replace(found[0], b"\0" + newer + b"\0").replace(hashed(found[1]), hashed(newer))
    (tmp_path / "libllama.so").write_bytes(raw)
    wanted = rf"built for a newer system: {newer.decode()} is not here, where glibc is \d"
    with pytest.raises(EngineUnavailable, match=wanted):
        tried(tmp_path / "libllama.so")


def test_another_library_of_that_name_is_refused(other: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"cannot be used: it has no llama_\w+, .* more"):
        tried(Path(shutil.copy(other, tmp_path / "libllama.so")))


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ("os.kill(os.getpid(), signal.SIGILL)", "built for another processor"),
        ("os.abort()", "ended the process that loaded it"),
    ],
)
def test_a_library_that_ends_the_process_is_refused(
    end: str, why: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads = f"import ctypes, os, signal\nctypes.CDLL = lambda path: {end} if 'llama' in path else None\n"
    (tmp_path / "sitecustomize.py").write_text(loads, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    with pytest.raises(EngineUnavailable, match=why):
        tried(file)


def test_a_sampler_that_a_library_lacks_is_left_out(make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make_engine("fim")
    # no door: no library here lacks one
    monkeypatch.setattr(Binding, "has", lambda _, name: name not in binding.SAMPLERS)
    for name in binding.SAMPLERS:
        monkeypatch.delattr(library().api, name)
    chain = Chain(engine.model, read(Fields({"temperature": 1, "top_k": 1})), (), None, 512)
    row = np.zeros(engine.model.n_vocab, np.float32)
    row[7] = 9
    assert chain.pick(row) == Picked(7)
    chain.close()


def test_each_function_that_is_called_is_declared() -> None:
    """A call of a function without argument types would pass 64 bits as 32."""
    import re

    from tests.sources import sources

    called = {
        name
        for path, text in sources().items()
        if path.startswith(("engine/", "engine/llama_server/")) and "binding" not in path
        for name in re.findall(r"\bapi\.(llama_\w+)\(", text)
    }
    others = {"llama_model_load_from_file", "llama_init_from_model"}
    others |= {"llama_model_default_params", "llama_context_default_params"}
    assert called - FUNCTIONS.keys() - binding.SAMPLERS.keys() == others & called


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the loader itself refuses it")
@pytest.mark.parametrize("kind", ["pipe", "foreign", "dangling"])
def test_what_lies_beside_a_library_is_looked_at_before_it_is_loaded(kind: str, file: Path, tmp_path: Path) -> None:
    """A loader waits for a pipe's writer, and says that there is no file where it is for another processor."""
    shutil.copy(file, tmp_path / "libllama.so")
    beside = tmp_path / "libggml.v0.4.0.so"
    if kind == "pipe":
        os.mkfifo(beside)
        wanted = r"libggml.v0.4.0.so cannot be used: it is not a regular file\."
    elif kind == "foreign":
        raw = bytearray(file.read_bytes())
        raw[18:20] = struct.pack("<H", 243)  # e_machine: RISC-V
        beside.write_bytes(raw)
        wanted = r"libggml.v0.4.0.so cannot be used: it was built for another kind of processor than libllama\.so\."
    else:
        beside.symlink_to(tmp_path / "gone")
        (tmp_path / "libllama.so").write_bytes(b"text")
        wanted = r"libllama.so cannot be used: it does not load"
    with pytest.raises(EngineUnavailable, match=wanted):
        binding.opened(tmp_path / "libllama.so")
