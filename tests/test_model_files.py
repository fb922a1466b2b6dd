"""Which model file is used, what is wrong with one, and the download against a hub on the loopback."""

from __future__ import annotations

import hashlib
import http.server
import json
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from huggingface_hub import constants

from palimpsest import folders
from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.model_command import main
from palimpsest.models import files as model_files
from palimpsest.models.download import KNOWN, get, recommended, total_memory
from palimpsest.models.header import TENSOR_TYPES
from palimpsest.settings import ModelSettings

GIB = 1 << 30


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setattr(folders, "config", lambda: home / "config")
    monkeypatch.setattr(folders, "models", lambda: folders._made(home / "models"))
    return home


def write_model(path: Path, *, rows: int = 64) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Tiny Test")
    writer.add_context_length(4096)
    writer.add_token_list([f"token {i}" for i in range(50)])
    writer.add_array("test.numbers", [1, 2, 3])
    writer.add_tensor("a", np.arange(rows * 32, dtype=np.float32).reshape(rows, 32))
    writer.add_tensor("b", np.zeros(3, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


class TestTheHeader:
    def test_says_what_the_model_is(self, tmp_path: Path) -> None:
        path = write_model(tmp_path / "m.gguf")
        found = model_files.inspect(path)
        assert (found.architecture, found.name, found.n_ctx_train) == ("llama", "Tiny Test", 4096)
        assert (found.n_params, found.quantization) == (64 * 32 + 3, "F32")
        assert (found.path, found.size) == (path, path.stat().st_size)

    def test_of_the_embedded_model_is_complete(self) -> None:
        found = model_files.inspect(model_files.embedded())
        assert found.architecture in ("llama", "qwen2")
        assert found.n_ctx_train >= 4096
        assert found.size <= 16_000_000

    def test_knows_the_sizes_of_ggmls_types(self) -> None:
        sizes = {kind.value: (kind.name, *size) for kind, size in gguf.GGML_QUANT_SIZES.items()}
        assert {kind: TENSOR_TYPES[kind] for kind in sizes if kind in TENSOR_TYPES} == {
            kind: sizes[kind] for kind in TENSOR_TYPES if kind in sizes
        }
        assert set(range(31)) - {4, 5} <= set(TENSOR_TYPES)

    def test_of_a_file_cut_off_anywhere_is_refused(self, tmp_path: Path) -> None:
        whole = write_model(tmp_path / "m.gguf").read_bytes()
        cut = tmp_path / "cut.gguf"
        # the last bytes may be padding that no tensor needs
        for length in [*range(4, 300), *range(300, len(whole) - 32, 97)]:
            cut.write_bytes(whole[:length])
            with pytest.raises(ModelError) as caught:
                model_files.inspect(cut)
            assert "cut off inside its header" in caught.value.message or "is not complete" in caught.value.message
            assert "model get" in caught.value.hint

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (b"", "is not a GGUF file"),
            (b"<html>Not found</html>", "is not a GGUF file"),
            (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "GGUF of version 1"),
            (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2) + b"ab" + struct.pack("<I", 99), "is damaged"),
            (b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 1 << 60), "cut off"),
        ],
    )
    def test_of_something_else_is_refused(self, tmp_path: Path, content: bytes, says: str) -> None:
        path = tmp_path / "m.gguf"
        path.write_bytes(content)
        with pytest.raises(ModelError, match=says):
            model_files.inspect(path)

    def test_of_no_file_or_a_folder_is_refused_with_a_hint(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="no model file") as caught:
            model_files.inspect(tmp_path / "none.gguf")
        assert "palimpsest model use" in caught.value.hint
        with pytest.raises(ModelError, match="cannot be read"):
            model_files.inspect(tmp_path)


class TestTheChoice:
    def test_is_the_settings_then_the_one_used_then_the_embedded(self, tmp_path: Path) -> None:
        assert model_files.model_path(ModelSettings()) == model_files.embedded()
        model = write_model(tmp_path / "m.gguf")
        assert model_files.use(model).name == "Tiny Test"
        assert model_files.model_path(ModelSettings()) == model
        assert model_files.model_path(ModelSettings(path="/x/y.gguf")) == Path("/x/y.gguf").absolute()
        model_files.use_embedded()
        assert model_files.model_path(ModelSettings()) == model_files.embedded()

    def test_stays_when_a_broken_file_is_to_be_used(self, tmp_path: Path) -> None:
        model = write_model(tmp_path / "m.gguf")
        model_files.use(model)
        broken = tmp_path / "broken.gguf"
        broken.write_bytes(model.read_bytes()[:1000])
        with pytest.raises(ModelError):
            model_files.use(broken)
        assert model_files.chosen() == model

    def test_is_the_embedded_one_when_the_record_is_unreadable(self, own_folders: Path) -> None:
        (own_folders / "config").mkdir(parents=True)
        for text in ("", "{", "[]", '{"path": 3}'):
            (own_folders / "config" / "model.json").write_text(text)
            assert model_files.model_path(ModelSettings()) == model_files.embedded()

    def test_finds_a_downloaded_file_by_name(self) -> None:
        path = write_model(folders.models() / "owner--repo" / "Some-Q8_0.gguf")
        assert model_files.find("Some-Q8_0") == model_files.find("Some-Q8_0.gguf") == path
        assert model_files.find(str(path)) == path
        with pytest.raises(ModelError, match="Some-Q8_0"):
            model_files.find("Other")


def test_the_recommended_model_takes_half_of_the_memory_at_most() -> None:
    assert recommended(1 * GIB) is None
    picked = [recommended(gib * GIB) for gib in (4, 8, 16, 64)]
    names = [known.name for known in picked if known]
    assert names == [
        "qwen2.5-coder-0.5b",
        "qwen2.5-coder-1.5b-instruct",
        "qwen2.5-coder-7b-instruct-q4",
        "qwen2.5-coder-14b-instruct",
    ]
    assert total_memory() > GIB // 4
    assert len({known.name for known in KNOWN}) == len(KNOWN)
    assert all(known.memory_gib * GIB > known.size_gb * 1e9 for known in KNOWN)


@dataclass
class Hub:
    """What the server has, does wrong, and was asked for."""

    files: dict[str, bytes] = field(default_factory=dict)
    cut_after: list[int] = field(default_factory=list)
    """Bytes after which each of the next bodies is cut off."""
    failing: bool = False
    corrupt: bool = False
    plain_etag: bool = False
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Path and Range header of each GET."""
    url: str = ""

    def body(self, path: str) -> bytes:
        content = self.files[path]
        return content[:-9] + b"corrupted" if self.corrupt else content


class Handler(http.server.BaseHTTPRequestHandler):
    """As much of the hub as a download needs: metadata in HEAD's headers, byte ranges in GET."""

    hub: Hub

    def do_HEAD(self) -> None:
        content = self.hub.files.get(self.path)
        if content is None:
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        digest = hashlib.sha256(content).hexdigest()
        self.send_response(200)
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("ETag", '"weak"' if self.hub.plain_etag else f'"{digest}"')
        self.send_header("Content-Length", str(len(content)))
        if not self.hub.plain_etag:
            self.send_header("X-Linked-Etag", f'"{digest}"')
            self.send_header("X-Linked-Size", str(len(content)))
        self.end_headers()

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.hub.asked.append((self.path, wanted))
        if self.hub.failing:
            self.send_error(503)
            return
        body = self.hub.body(self.path)
        start = int(wanted.removeprefix("bytes=").split("-")[0]) if wanted else 0
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        end = self.hub.cut_after.pop(0) + start if self.hub.cut_after else len(body)
        self.wfile.write(body[start:end])
        if end < len(body):
            self.close_connection = True

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    state = Hub()
    handler = type("HubHandler", (Handler,), {"hub": state})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    monkeypatch.setenv("HF_ENDPOINT", state.url)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 10_000)  # what is lost when cut off
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


KNOWN_ONE = KNOWN[0]
ON_HUB = f"/{KNOWN_ONE.repo}/resolve/main/{KNOWN_ONE.file}"


@pytest.fixture
def content(hub: Hub, tmp_path: Path) -> bytes:
    hub.files[ON_HUB] = write_model(tmp_path / "source.gguf", rows=2000).read_bytes()
    return hub.files[ON_HUB]


def ranges(hub: Hub) -> list[str | None]:
    return [wanted for _, wanted in hub.asked]


def models_folder() -> list[str]:
    return sorted(path.name for path in folders.models().rglob("*") if path.is_file())


class TestGet:
    def test_a_known_name_and_tells_how_far_it_is(self, hub: Hub, content: bytes) -> None:
        seen = list[tuple[int, int]]()
        found = get(KNOWN_ONE.name, progress=lambda done, total: seen.append((done, total)))
        assert found.path == folders.models() / KNOWN_ONE.repo.replace("/", "--") / KNOWN_ONE.file
        assert found.path.read_bytes() == content
        assert seen[-1] == (len(content), len(content))
        assert models_folder() == [KNOWN_ONE.file]

    def test_again_loads_nothing(self, hub: Hub, content: bytes) -> None:
        get(KNOWN_ONE.name)
        assert get(f"{KNOWN_ONE.repo}/{KNOWN_ONE.file}").path.read_bytes() == content
        assert ranges(hub) == [None]

    def test_goes_on_when_the_connection_is_cut(self, hub: Hub, content: bytes) -> None:
        hub.cut_after = [100_000]
        assert get(KNOWN_ONE.name).path.read_bytes() == content
        assert len(hub.asked) == 2
        assert ranges(hub)[1] == "bytes=100000-"

    def test_goes_on_in_a_later_call_where_an_earlier_one_failed(self, hub: Hub, content: bytes) -> None:
        part = self.interrupted(hub, keep=70_000)
        hub.failing = True
        with pytest.raises(ModelError, match="503") as caught:
            get(KNOWN_ONE.name)
        assert "goes on where it stopped" in caught.value.hint
        assert part.stat().st_size == 70_000
        hub.failing, hub.asked = False, []
        assert get(KNOWN_ONE.name).path.read_bytes() == content
        assert ranges(hub) == ["bytes=70000-"]
        assert models_folder() == [KNOWN_ONE.file]

    def interrupted(self, hub: Hub, *, keep: int) -> Path:
        """A call that a person stopped after so many bytes: the file it leaves."""

        def stop(done: int, total: int) -> None:
            if done >= keep:
                raise KeyboardInterrupt

        hub.cut_after = [keep]
        with pytest.raises(KeyboardInterrupt):
            get(KNOWN_ONE.name, progress=stop)
        (part,) = folders.models().rglob("*.part")
        assert part.stat().st_size == keep
        return part

    def test_refuses_a_corrupted_file_and_keeps_the_good_one(self, hub: Hub, content: bytes) -> None:
        good = get(KNOWN_ONE.name).path
        hub.files[ON_HUB] = content[:-1] + b"!"
        hub.corrupt = True
        with pytest.raises(ModelError, match="does not have the SHA-256"):
            get(KNOWN_ONE.name)
        assert good.read_bytes() == content
        hub.corrupt = False
        assert get(KNOWN_ONE.name).path.read_bytes() == hub.files[ON_HUB]
        assert models_folder() == [KNOWN_ONE.file]

    def test_refuses_a_file_that_is_no_model(self, hub: Hub) -> None:
        hub.files["/o/r/resolve/main/page.gguf"] = b"<html>sign in</html>" * 50
        with pytest.raises(ModelError, match="not a GGUF file"):
            get("o/r/page.gguf")
        assert not [name for name in models_folder() if not name.endswith(".lock")]

    def test_a_url_with_its_hash(self, hub: Hub, content: bytes) -> None:
        hub.files["/files/m.gguf"], hub.plain_etag = content, True
        digest = hashlib.sha256(content).hexdigest()
        assert get(f"{hub.url}/files/m.gguf#sha256={digest}").path == folders.models() / "m.gguf"
        with pytest.raises(ModelError, match="SHA-256"):
            get(f"{hub.url}/files/m.gguf#sha256={'0' * 64}")
        assert get(f"{hub.url}/files/m.gguf").size == len(content)

    def test_says_what_is_wrong_with_a_name(self, hub: Hub) -> None:
        with pytest.raises(ModelError, match=r"o/r/none\.gguf cannot be downloaded"):
            get("o/r/none.gguf")
        with pytest.raises(InvalidArgument, match=KNOWN_ONE.name):
            get("gpt")
        with pytest.raises(InvalidArgument):
            get("../../x.gguf")
        with pytest.raises(InvalidArgument, match=r"does not end in \.gguf"):
            get("o/r/model.safetensors")


class TestTheCommand:
    def answer(self, capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
        status = main([*argv, "--json"])
        return status, json.loads(capsys.readouterr().out)

    def test_use_info_and_list_agree(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        model = write_model(tmp_path / "m.gguf")
        status, used = self.answer(capsys, "use", str(model))
        assert (status, used["path"], used["n_ctx_train"]) == (0, str(model), 4096)
        assert self.answer(capsys, "info") == (0, used)
        status, listed = self.answer(capsys, "list")
        assert (status, listed["used"]) == (0, str(model))
        assert {known["name"] for known in listed["known"]} == {known.name for known in KNOWN}
        assert self.answer(capsys, "use", "embedded")[1]["path"] == str(model_files.embedded())

    def test_get_may_use_at_once(self, hub: Hub, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
        status, found = self.answer(capsys, "get", KNOWN_ONE.name, "--use")
        assert status == 0
        assert model_files.chosen() == Path(found["path"])

    def test_what_is_wrong_is_status_1_with_a_hint(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, answer = self.answer(capsys, "info", "none")
        assert (status, answer["error"]["code"]) == (1, "model")
        assert main(["use", "none"]) == 1
        assert "There is no model file none." in capsys.readouterr().err

    def test_wrong_usage_is_status_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            main(["fetch"])
        assert caught.value.code == 2

    def test_a_person_reads_text(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["use", str(write_model(tmp_path / "m.gguf"))]) == 0
        assert main(["list"]) == 0
        assert main(["info"]) == 0
        text = capsys.readouterr().out
        assert "From now on: Tiny Test" in text
        assert all(known.name in text for known in KNOWN)
        assert "4,096" in text
