"""What commands say of a file, standard input or JSON that they can do nothing with: the option, and what would be
right, with status 2 and without a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.command_line import main
from palimpsest.system.given import MOST

KEYS = "--api-key-file: expected a file with one key a line; "
CERTIFICATE = "--tls-cert: expected a certificate (PEM); "
SETTINGS = "--settings: expected "


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """The last line that a command says which does nothing with these arguments."""

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
        assert ended.value.code == 2
        return capfd.readouterr().err.splitlines()[-1].partition("error: ")[2]

    return run


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder with files of many kinds."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "huge").write_bytes(b"x" * (MOST + 1))
    return tmp_path


PROBLEMS = [
    ("nowhere", "is not there"),
    ("folder", "is a folder"),
    ("binary", "is not UTF-8"),
    ("empty/inside", "cannot be read (Not a directory)"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="a folder cannot be opened there, and says so in other words")
@pytest.mark.parametrize(("name", "problem"), [*PROBLEMS, ("huge", f"has more than {MOST:,} bytes")])
def test_a_file_of_keys(name: str, problem: str, broken: Path, said: Callable[..., str]) -> None:
    path = broken / name
    assert said("engine", "--http", "1", "--api-key-file", str(path)) == f"{KEYS}{path} {problem}"


def test_a_file_without_a_key(broken: Path, said: Callable[..., str]) -> None:
    path = broken / "empty"
    assert said("engine", "--http", "1", "--api-key-file", str(path)) == f"{KEYS}there is none in {path}"


@pytest.mark.skipif(sys.platform == "win32", reason="a folder cannot be opened there, and says so in other words")
@pytest.mark.parametrize(("name", "problem"), [*PROBLEMS, ("empty", "is none")])
def test_a_certificate(name: str, problem: str, broken: Path, said: Callable[..., str]) -> None:
    path = broken / name
    assert said("engine", "--http", "1", "--tls-cert", str(path), "--tls-key", str(path)) == (
        f"{CERTIFICATE}{path} {problem}"
    )


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", f"{SETTINGS}one JSON object; this is no JSON"),
        ('{"a"', f"{SETTINGS}one JSON object; this is no JSON: Expecting ':' delimiter in line 1, column 5"),
        ("[1]", f"{SETTINGS}one JSON object; this is [1]"),
        ("[" * 100_000, f"{SETTINGS}one JSON object; this has too large a number, or is nested too deeply"),
        ("9" * 10_000, f"{SETTINGS}one JSON object; this has too large a number, or is nested too deeply"),
        (b"\xff", f"{SETTINGS}an editor's settings, one JSON object; standard input is not UTF-8"),
        ("x" * (MOST + 1), f"{SETTINGS}an editor's settings, one JSON object; standard input has more than"),
    ],
    ids=lambda it: str(it)[:12],
)
def test_settings(
    written: str | bytes, says: str, tmp_path: Path, said: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings"
    file.write_bytes(written if isinstance(written, bytes) else written.encode())
    with file.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert said("doctor", "--settings", "-").startswith(says)
    if isinstance(written, str) and written and "JSON object; this" in says:
        assert said("engine", "--settings", written).startswith(says)


def test_settings_where_standard_input_is_closed(said: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert said("doctor", "--settings", "-").startswith(f"{SETTINGS}one JSON object; this is no JSON")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["serve", "--tcp", "here"], "--tcp: expected a host and a port, such as 127.0.0.1:8765; got 'here'"),
        (["serve", "--tcp", "127.0.0.1:99999"], "--tcp: expected a host and a port, such as 127.0.0.1:8765; got"),
        (["serve", "--tcp", "127.0.0.1:\u00b2"], "--tcp: expected a host and a port, such as 127.0.0.1:8765; got"),
        (["engine", "--tcp", "1.2.3.4:1"], "--tcp: expected a loopback address and a port, such as 127.0.0.1:0; got"),
        (["engine", "--http", "x"], "--http: expected a port, or a host and a port such as 0.0.0.0:8012; got 'x'"),
        (["mcp", "--workspace", "/no/where"], "--workspace: expected a folder; there is no /no/where"),
        (["demo", "--svg", "/no/where/demo.svg"], "--svg: expected a file in a folder that is there; got /no/where/"),
        (["demo", "--svg", "/"], "--svg: expected a file in a folder that is there; got /"),
    ],
)
def test_other_options(arguments: list[str], says: str, said: Callable[..., str]) -> None:
    assert said(*arguments).startswith(says)


def test_a_model_that_is_none_is_said_before_the_demonstration_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--model", str(tmp_path / "none.gguf")]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"palimpsest demo: There is no model file {tmp_path / 'none.gguf'}.")
    assert "next try" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_wheel_that_is_a_pipe_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    assert main(["model", "get", "default", "--from", str(tmp_path / "pipe")]) == 1
    assert "is not a regular file" in capsys.readouterr().err


def test_an_address_that_cannot_be_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["engine", "--socket", str(tmp_path / "file" / "x.sock")]) == 1
    assert "nothing can be served at" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="there everybody has a profile")
def test_a_user_without_a_home_is_given_one_and_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def without_entry(_uid: int) -> None:
        raise KeyError("getpwuid(): uid not found")

    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, "")  # so that it is as it was behind the test
        monkeypatch.delenv(name)
    monkeypatch.setattr("pwd.getpwuid", without_entry)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert main(["model", "list"]) == 0
    home = Path(os.environ["HOME"])
    assert home == tmp_path / "palimpsest"
    assert home.stat().st_mode & 0o777 == 0o700
    assert f"has no home folder, so {home} is used" in capfd.readouterr().err
    assert main(["log"]) == 0
    assert "has no home folder" not in capfd.readouterr().err
