"""Which starts mean the same engine, and what caution switches off."""

import dataclasses
import os
import socket
from contextlib import closing
from pathlib import Path

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.providers.base.target import Target
from palimpsest.system import folders
from palimpsest.system.engine_address import Address
from palimpsest.windows.sockets import socket_of, sockets


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    return path


def test_one_model_and_settings_are_one_engine_whatever_the_path_is_called(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.gguf"
    link.symlink_to(file)
    assert Target(file, EngineSettings()).identity == Target(link, EngineSettings()).identity


@pytest.mark.parametrize(
    "change",
    [
        {"n_ctx": 2048},
        {"mode": "whole-prompt"},
        {"n_gpu_layers": 0},
        {"n_threads": 3},
        {"n_batch": 64},
        {"type_k": "f32"},
        {"type_v": "f32"},
        {"flash_attention": "off"},
        {"extra_bufts": "off"},
        {"store_mb": 1},
        {"memory_mb": 100},
    ],
    ids=str,
)
def test_settings_of_the_cache_make_another_engine(file: Path, change: dict[str, object]) -> None:
    other = dataclasses.replace(EngineSettings(), **change)
    assert Target(file, other).identity != Target(file, EngineSettings()).identity


def test_how_long_it_stays_makes_no_other_engine(file: Path) -> None:
    assert Target(file, EngineSettings(idle_exit_s=1)).identity == Target(file, EngineSettings()).identity


def test_a_model_written_anew_is_another_engine_and_a_missing_one_has_its_own(file: Path) -> None:
    target = Target(file, EngineSettings())
    before = target.identity
    file.write_bytes(b"GGUF and more")
    after = target.identity
    file.unlink()
    assert len({before, after, target.identity}) == 3
    assert all(len(x) == 12 for x in (before, after, target.identity))


def test_caution_is_another_engine_with_what_faults_come_from_off(file: Path) -> None:
    target = Target(file, EngineSettings(n_batch=512))
    settings = target.in_safe_mode().settings
    assert (settings.extra_bufts, settings.flash_attention, settings.n_batch) == ("off", "off", 256)
    assert settings.n_gpu_layers == 0
    assert target.in_safe_mode().identity != target.identity


def test_caution_keeps_flash_attention_where_quantized_v_needs_it(file: Path) -> None:
    quantized = EngineSettings(type_v="q8_0", flash_attention="on", n_batch=16)
    settings = Target(file, quantized).in_safe_mode().settings
    assert (settings.flash_attention, settings.n_batch) == ("on", 16)


def test_the_names_beside_a_socket() -> None:
    place = Address(Path("/run/user/1000/palimpsest/engine-0123456789ab.sock"))
    assert (place.name, place.lock.name, place.note.name) == (
        "engine-0123456789ab",
        "engine-0123456789ab.lock",
        "engine-0123456789ab.json",
    )


def test_the_runtime_folder_is_private_and_where_xdg_says(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    path = folders.runtime()
    assert path == short / "palimpsest"
    assert path.stat().st_mode & 0o777 == 0o700
    path.chmod(0o755)
    assert folders.runtime().stat().st_mode & 0o777 == 0o700


def test_without_xdg_it_is_a_private_folder_too(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    # no door: the folder there is the one of whoever works on this machine
    monkeypatch.setattr(folders, "USERS_RUN", short / "nowhere")
    monkeypatch.setattr("tempfile.tempdir", str(short))
    path = folders.runtime()
    assert path == short / f"palimpsest-{os.getuid()}"
    assert path.stat().st_mode & 0o777 == 0o700


def test_a_path_too_long_for_a_socket_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    place = Target(tmp_path / "model.gguf", EngineSettings()).address()
    assert len(os.fsencode(place.socket)) <= folders.MAX_SOCKET_PATH
    assert long not in place.socket.parents


def test_a_relative_xdg_folder_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", "run")
    assert folders.runtime().is_absolute()


@pytest.mark.parametrize(("window", "agent"), [("{run}", ""), ("", "{run}")], ids=["dropped", "added"])
def test_a_window_is_found_by_a_program_that_has_other_variables_than_the_editor(
    short: Path, monkeypatch: pytest.MonkeyPatch, window: str, agent: str
) -> None:
    """Many agents hand only a few variables on to the programs that they start."""
    run = short / str(os.getuid())
    run.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(short))
    # no door: the folder there is the one of whoever works on this machine
    monkeypatch.setattr(folders, "USERS_RUN", short if window else short / "nowhere")
    monkeypatch.setenv("XDG_RUNTIME_DIR", window.format(run=run))
    place, where = socket_of(os.getpid()), folders.runtime()
    with closing(socket.socket(socket.AF_UNIX)) as it:
        it.bind(str(place))
        monkeypatch.setenv("XDG_RUNTIME_DIR", agent.format(run=run))
        assert place in sockets()
    assert not window or folders.runtime() == where, "engines are found there, too"


def test_a_link_that_someone_left_there_is_not_followed(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = short / "elsewhere"
    elsewhere.mkdir()
    (short / "palimpsest").symlink_to(elsewhere)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    monkeypatch.setattr("tempfile.tempdir", str(short))
    assert folders.runtime() == short / f"palimpsest-{os.getuid()}"
    assert not list(elsewhere.iterdir())


def test_how_an_engine_is_reached_makes_no_other_one_and_a_key_is_no_argument(file: Path, tmp_path: Path) -> None:
    settings = EngineSettings(api_key="s3cret", api_key_env="MY_KEY", timeout_s=3.0, retries=1)
    target = Target(file, settings)
    assert target.identity == Target(file, EngineSettings()).identity
    arguments = " ".join(target.arguments(Address(tmp_path / "engine-0123456789ab.sock")))
    assert "s3cret" not in arguments + repr(target)
    assert "MY_KEY" not in arguments
    assert '"n_ctx"' in arguments


@pytest.mark.parametrize(
    ("settings", "elsewhere"),
    [
        ({}, False),
        ({"kind": "none"}, False),
        ({"url": "https://gpu"}, True),
        ({"kind": "llama-server"}, True),
        ({"kind": "openai", "url": "https://gpu"}, True),
    ],
)
def test_which_engines_are_elsewhere(file: Path, settings: dict[str, str], elsewhere: bool) -> None:
    assert Target(file, EngineSettings(**settings)).is_remote is elsewhere  # type: ignore[arg-type]
