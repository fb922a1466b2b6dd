"""Which interpreter's packages are described."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from palimpsest.languages.python.packages.environment import Environment, find_environment
from palimpsest.languages.python.packages.names import find_module


def made(folder: Path, base: str = sys.executable) -> Path:
    """A virtual environment as `venv` makes it, without its packages."""
    (folder / "bin").mkdir(parents=True)
    site = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    site.mkdir(parents=True)
    (folder / "bin" / "python3").symlink_to(Path(base).resolve())
    (folder / "pyvenv.cfg").write_text(f"home = {Path(base).resolve().parent}\ninclude-system-site-packages = false\n")
    return site


def found(setting: str, roots: list[Path], **variables: str) -> Environment:
    environment = find_environment(setting, roots, variables)
    assert environment is not None
    return environment


def test_our_own_when_there_is_no_other(tmp_path: Path) -> None:
    environment = found("", [tmp_path])
    assert environment.python == Path(sys.executable)
    assert environment.trusted
    assert find_module("json", environment.path, environment.suffixes) is not None
    assert "sys" in environment.builtin


def test_one_in_the_workspace_is_read_and_not_run(tmp_path: Path) -> None:
    site = made(tmp_path / "work" / ".venv")
    environment = found("", [tmp_path / "work"])
    assert environment.site == (site,)
    assert not environment.trusted
    assert environment.python == Path(sys.executable)
    assert environment.flags == ("-I", "-S")


def test_the_version_of_one_in_the_workspace_is_what_its_configuration_says(tmp_path: Path) -> None:
    home = tmp_path / "work" / ".venv"
    site = home / "lib" / "python3.7" / "site-packages"
    site.mkdir(parents=True)
    (home / "pyvenv.cfg").write_text("version_info = 3.7.9.final.0\n")
    environment = found("", [tmp_path / "work"])
    assert (environment.version, environment.site) == ("3.7.9.final.0", (site,))


def test_one_that_is_activated_or_named_elsewhere_is_trusted(tmp_path: Path) -> None:
    site = made(tmp_path / "mine")
    work = tmp_path / "work"
    work.mkdir()
    for environment in (found("", [work], VIRTUAL_ENV=str(tmp_path / "mine")), found(str(tmp_path / "mine"), [work])):
        assert environment.trusted
        assert site in environment.site


def test_one_that_is_activated_in_the_workspace_is_only_read(tmp_path: Path) -> None:
    made(tmp_path / "work" / ".venv")
    environment = found("", [tmp_path / "work"], VIRTUAL_ENV=str(tmp_path / "work" / ".venv"))
    assert not environment.trusted


def test_the_folders_of_pth_files_count_within_the_workspace_and_their_code_does_not_run(tmp_path: Path) -> None:
    site = made(tmp_path / "work" / "venv")
    (tmp_path / "work" / "editable").mkdir()
    (tmp_path / "elsewhere").mkdir()
    ran = tmp_path / "ran"
    (site / "a.pth").write_text(
        f"{tmp_path / 'work' / 'editable'}\n{tmp_path / 'elsewhere'}\n../../../../../elsewhere\n"
        f"import pathlib; pathlib.Path({str(ran)!r}).write_text('')\n"
    )
    environment = found("", [tmp_path / "work"])
    assert environment.site == (site, tmp_path / "work" / "editable")
    assert not ran.exists()


def test_a_setting_that_names_nothing_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert found("no-such-python", [tmp_path]).python == Path(sys.executable)
    assert "no-such-python" in caplog.text


@pytest.mark.parametrize("name", ["", "a..b", "../x", "1x", "a b", "json.nothing", "json.decoder.more"])
def test_what_is_no_module_is_not_found(name: str) -> None:
    environment = found("", [])
    assert find_module(name, environment.path, environment.suffixes) is None
