"""Which file `next_edit.model` means, and which format it was made for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from palimpsest.config.settings import EngineSettings, NextEditSettings, Settings
from palimpsest.errors import ModelError
from palimpsest.models import next_edit_models
from palimpsest.models.files import embedded
from palimpsest.models.header import GgufFile, read_header
from palimpsest.models.next_edit_models import inspect
from palimpsest.next_edits.formats import FORMATS
from palimpsest.providers.base.target import target_of


@pytest.fixture
def named(tmp_path: Path) -> Path:
    path = tmp_path / "sweep-next-edit-1.5b.q8_0.v2.gguf"
    shutil.copy(embedded(), path)
    return path


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("sweep-next-edit-1.5b.q8_0.v2.gguf", "sweep"),
        ("sweep-next-edit-0.5b.q8_0.gguf", "sweep"),
        ("henrik3--sweep-next-edit-v2-7B-GGUF/q4_k_m.gguf", "sweep"),
        ("zed-industries_zeta-2-Q8_0.gguf", "zeta-2"),
        ("zeta-2.1.i1-Q4_K_M.gguf", "zeta-2.1"),
    ],
)
def test_a_file_is_known_by_its_name(tmp_path: Path, named: Path, name: str, format: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    named.rename(path)
    found = inspect(str(path))
    assert found is not None
    assert (found.format, found.file.path) == (format, path)
    assert found.format in FORMATS


def test_every_format_that_a_file_may_have_is_one() -> None:
    assert {format for format, _ in next_edit_models.FORMATS} <= FORMATS.keys()


def test_none_is_wanted() -> None:
    assert inspect("") is None


def test_what_is_wrong_is_said(tmp_path: Path, named: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with pytest.raises(ModelError, match="There is no model file"):
        inspect(str(tmp_path / "zeta-2.gguf"))
    with pytest.raises(ModelError, match=r"sweep-1\.5b is not here yet") as error:
        inspect("sweep-1.5b")
    assert error.value.hint == "palimpsest model get sweep-1.5b"
    other = named.rename(tmp_path / "qwen.gguf")
    with pytest.raises(ModelError, match="not known to be a model for next edits"):
        inspect(str(other))


def test_each_message_names_the_setting_and_no_way_to_choose_another_for_completions(
    tmp_path: Path, named: Path
) -> None:
    cut = tmp_path / "zeta-2.gguf"
    cut.write_bytes(named.read_bytes()[:200_000])
    (tmp_path / "zeta-2").mkdir()
    for name in ("~nobody-has-this-name/zeta-2.gguf", "x" * 5000, str(tmp_path / "zeta-2"), str(cut), str(embedded())):
        with pytest.raises(ModelError, match=r"^next_edit\.model: ") as error:
            inspect(name)
        assert "model use" not in error.value.hint


def test_a_file_of_no_use_is_read_once_for_each_state_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[Path]()

    def header(path: Path) -> GgufFile:
        read.append(path)
        return read_header(path)

    # no door: nobody else counts how often a file is read
    monkeypatch.setattr(next_edit_models, "read_header", header)
    file = tmp_path / "zeta-2.gguf"
    for text in ("GGUF", "no model"):
        file.write_text(text)
        for _ in range(3):
            with pytest.raises(ModelError):
                inspect(str(file))
    assert len(read) == 2


def test_an_engine_is_started_with_it_where_it_is_of_use(tmp_path: Path, named: Path) -> None:
    def target(model: str, **engine: str) -> Path | None:
        settings = Settings(engine=EngineSettings(**engine), next_edit=NextEditSettings(model=model))  # type: ignore[arg-type]
        return target_of(settings).next_edit_model

    assert target(str(named)) == named
    assert target("") is None
    assert target(str(tmp_path / "none.gguf")) is None
    assert target(str(named), url="https://gpu:8443") is None
