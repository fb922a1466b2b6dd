"""Which model file is used, and what is wrong with one."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import gguf
import numpy as np
import pytest

from palimpsest.command_line import main
from palimpsest.config.settings import EngineSettings, ModelSettings
from palimpsest.engine.model.load import load
from palimpsest.errors import ModelError
from palimpsest.models import files as model_files
from palimpsest.models.header import TENSOR_TYPES
from palimpsest.models.known import KNOWN
from palimpsest.system import folders


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CONFIG", "CACHE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "home" / name))
    return folders.config()


def write_model(
    path: Path, counts: Mapping[str, float] = MappingProxyType({}), *, alignment: int = 0, rows: int = 64
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Tiny Test")
    writer.add_context_length(4096)
    for key, value in counts.items():
        (writer.add_uint32 if isinstance(value, int) else writer.add_float32)(f"llama.{key}", value)
    if alignment:
        writer.add_custom_alignment(alignment)
    writer.add_token_list([f"token {i}" for i in range(50)])
    writer.add_array("test.numbers", [1, 2, 3])
    writer.add_tensor("a", np.arange(rows * 32, dtype=np.float32).reshape(rows, 32))
    writer.add_tensor("b", np.zeros(3, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def header(fields: Mapping[str, str | float] = MappingProxyType({}), dimensions: tuple[int, ...] = ()) -> bytes:
    """Of a model with one tensor, whatever the writer of the library would not write."""

    def string(text: str) -> bytes:
        return struct.pack("<Q", len(text)) + text.encode()

    written = struct.pack("<4sIQQ", b"GGUF", 3, 1, 1 + len(fields))
    for name, value in {"general.architecture": "llama", **fields}.items():
        written += string(name)
        written += struct.pack("<I", 8) + string(value) if isinstance(value, str) else struct.pack("<If", 6, value)
    return written + string("t") + struct.pack(f"<I{len(dimensions)}QIQ", len(dimensions), *dimensions, 0, 0)


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

    @pytest.mark.parametrize(
        "counts",
        [
            {"block_count": 0},
            {"block_count": (1 << 32) - 1},
            {"embedding_length": 1 << 31},
            {"attention.head_count": (1 << 32) - 1},
            {"rope.dimension_count": 18},
            {"attention.key_length": 0},
            {"attention.layer_norm_rms_epsilon": math.nan},
            {"attention.layer_norm_rms_epsilon": -1.0},
            {"feed_forward_length": 65},
            {"nextn_predict_layers": 3},
            {"expert_count": 600, "expert_used_count": 2},
            {"expert_used_count": 9, "expert_count": 8},
            {"expert_used_count": 1},
            {"expert_used_count": 0, "expert_count": 8},
            {"expert_group_count": 3, "expert_count": 8, "expert_used_count": 2, "expert_group_used_count": 1},
            {"expert_group_count": 4, "expert_count": 8, "expert_used_count": 2},
        ],
    )
    def test_of_a_count_that_would_end_the_engine_is_refused(self, tmp_path: Path, counts: dict[str, float]) -> None:
        usual = {"block_count": 2, "embedding_length": 32, "attention.head_count": 2}
        assert model_files.inspect(write_model(tmp_path / "m.gguf", usual)).architecture == "llama"
        path = write_model(tmp_path / "wrong.gguf", usual | counts)
        for look in (model_files.inspect, lambda it: load(it, EngineSettings())):
            with pytest.raises(ModelError, match=rf"its header says llama\.{next(iter(counts))} = ") as caught:
                look(path)
            assert "model list" in caught.value.hint

    @pytest.mark.parametrize("alignment", [1, 16])
    def test_of_an_alignment_that_would_end_the_engine_is_refused(self, tmp_path: Path, alignment: int) -> None:
        path = write_model(tmp_path / "m.gguf", alignment=alignment)
        with pytest.raises(ModelError, match=f"its header says general.alignment = {alignment}"):
            model_files.inspect(path)

    @pytest.mark.parametrize("value", ["abc", "b" * 5_000, math.nan, math.inf])
    @pytest.mark.parametrize(
        "name", ["general.alignment", "llama.context_length", "llama.attention.layer_norm_rms_epsilon"]
    )
    def test_of_a_value_of_another_kind_is_refused(self, tmp_path: Path, name: str, value: str | float) -> None:
        path = tmp_path / "m.gguf"
        path.write_bytes(header({name: value}) + bytes(64))
        with pytest.raises(ModelError, match=f"its header says {name} = {value}"[:60]) as caught:
            model_files.inspect(path)
        assert len(caught.value.message) < 500

    @pytest.mark.parametrize("dimensions", [(2**64 - 1,) * 1_000, (1,) * 300_000, (2**62, 2), (1,) * 5])
    def test_of_a_tensor_that_ggml_has_no_room_for_is_refused(
        self, tmp_path: Path, dimensions: tuple[int, ...]
    ) -> None:
        path = tmp_path / "m.gguf"
        path.write_bytes(header(dimensions=(2, 2, 1, 1)) + bytes(64))
        assert model_files.inspect(path).n_params == 4
        path.write_bytes(header(dimensions=dimensions) + bytes(64))
        with pytest.raises(ModelError, match="is damaged"):
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

    def test_is_the_embedded_one_when_the_record_is_unreadable(self, config: Path) -> None:
        config.mkdir(parents=True)
        for text in ("", "{", "[]", '{"path": 3}'):
            (config / "model.json").write_text(text)
            assert model_files.model_path(ModelSettings()) == model_files.embedded()

    def test_finds_a_downloaded_file_by_name(self) -> None:
        path = write_model(folders.models() / "owner--repo" / "Some-Q8_0.gguf")
        assert model_files.find("Some-Q8_0") == model_files.find("Some-Q8_0.gguf") == path
        assert model_files.find(str(path)) == path
        with pytest.raises(ModelError, match="Some-Q8_0"):
            model_files.find("Other")


class TestTheCommand:
    def answer(self, capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
        status = main(["model", *argv, "--json"])
        return status, json.loads(capsys.readouterr().out)

    def test_use_info_and_list_agree(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        model = write_model(tmp_path / "m.gguf")
        status, used = self.answer(capsys, "use", "--no-check", str(model))
        assert (status, used["path"], used["n_ctx_train"]) == (0, str(model), 4096)
        assert self.answer(capsys, "info") == (0, {**used, "profile": None})
        status, listed = self.answer(capsys, "list")
        assert (status, listed["used"]) == (0, str(model))
        assert {known["name"] for known in listed["known"]} == {known.name for known in KNOWN}
        assert self.answer(capsys, "use", "embedded")[1]["path"] == str(model_files.embedded())

    def test_what_is_wrong_is_status_1_with_a_hint(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, answer = self.answer(capsys, "info", "none")
        assert (status, answer["error"]["code"]) == (1, "model")
        assert main(["model", "use", "none"]) == 1
        assert "There is no model file none." in capsys.readouterr().err

    def test_wrong_usage_is_status_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            main(["model", "fetch"])
        assert caught.value.code == 2

    def test_a_person_reads_text(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["model", "use", "--no-check", str(write_model(tmp_path / "m.gguf"))]) == 0
        assert main(["model", "list"]) == 0
        assert main(["model", "info"]) == 0
        text = capsys.readouterr().out
        assert "From now on: Tiny Test" in text
        assert all(known.name in text for known in KNOWN)
        assert "4,096" in text

    def test_a_file_that_is_gone_is_said_to_be_missing(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        model = write_model(tmp_path / "m.gguf")
        assert main(["model", "use", "--no-check", str(model)]) == 0
        model.unlink()
        assert main(["model", "list"]) == 0
        assert f"In use: {model} (missing)" in capsys.readouterr().out

    def test_a_choice_that_an_engine_elsewhere_leaves_without_effect_says_so(
        self, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        config.mkdir(parents=True)
        (config / "palimpsest.toml").write_text('[engine]\nurl = "https://gpu:8443"\n')
        assert main(["model", "use", "--no-check", str(write_model(tmp_path / "m.gguf"))]) == 0
        assert "But the setting engine.url names https://gpu:8443" in capsys.readouterr().out
        assert main(["model", "list"]) == 0
        assert "In use: none of these, since the setting engine.url names" in capsys.readouterr().out

    def test_a_model_for_next_edits_is_not_used_alone(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["model", "use", "sweep-0.5b"]) == 1
        assert 'next_edit.model = "sweep-0.5b"' in capsys.readouterr().err
