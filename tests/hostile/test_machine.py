"""Other users of the machine, and names that look like something else: folders that are taken, logs that are read and
written into."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from palimpsest.system import folders, logs
from tests.llama_server.conftest import EMBEDDED, Client, HttpEngine

WHERE = "from palimpsest.system import folders; print(folders.runtime())"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def taken(path: Path) -> Path:
    """What somebody else made there first: a link of theirs (to own a folder here they would have to be here)."""
    path.symlink_to("/etc")
    return path


def test_a_taken_folder_is_left_for_another_that_every_process_finds(tmp_path: Path) -> None:
    shared = tmp_path / "t"
    shared.mkdir()
    taken(shared / "palimpsest")
    taken(shared / f"palimpsest-{os.getuid()}")
    own = {"XDG_RUNTIME_DIR": str(shared), "TMPDIR": str(shared), "XDG_STATE_HOME": str(tmp_path)}
    found = {
        subprocess.run([sys.executable, "-c", WHERE], env=os.environ | own, capture_output=True, check=True).stdout
        for _ in range(2)
    }
    (path,) = (Path(text.decode().strip()) for text in found)
    assert path.parent != shared
    assert (path.lstat().st_uid, mode(path), path.is_symlink()) == (os.getuid(), 0o700, False)


def test_where_all_known_ones_are_taken_a_new_one_is_made_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    # no door: one of them is in /tmp, which other tests share
    monkeypatch.setattr(folders, "_runtime_paths", lambda: iter([taken_one]))
    taken_one = taken(tmp_path / "taken")
    path = folders.runtime()
    try:
        assert (mode(path), folders.runtime()) == (0o700, path)
        path.rmdir()
        taken(path)  # somebody was quicker than the next start
        other = folders.runtime()
        assert other != path
        assert (mode(other), folders.runtime()) == (0o700, other)
        other.rmdir()
    finally:
        path.unlink()


def test_nobody_else_reads_what_an_engine_logs(tmp_path: Path) -> None:
    before = os.umask(0o022)
    engine = HttpEngine(EMBEDDED, "--n-ctx", "512")
    try:
        state = engine.folder / "palimpsest" / "log"
        engine.ready()
        (log,) = state.glob("*.log")
        assert (mode(log), mode(state)) == (0o600, 0o700)
        forged = "x%0a2026-01-01+00:00:00,000+1+ERROR+palimpsest.kv:+all+is+lost%1b[2J%e2%80%ae" + "y" * 5000
        for client in (Client(engine.url), engine.editors):
            with closing(client.connect()) as connection:
                connection.request("GET", f"/v1/lease?client={forged}")
                assert connection.getresponse().readline()
        lines = log.read_text(encoding="utf-8").split("\n")
        assert [line for line in lines if "lease of x" in line]
        assert not [line for line in lines if line.startswith("2026-01-01") or "\x1b" in line or "\u202e" in line]
        assert max(map(len, lines)) < logs.LONGEST + 200
    finally:
        engine.close()
        os.umask(before)


def test_a_log_that_all_could_read_is_closed_to_them_also_what_was_rotated(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    for old in (path, tmp_path / "a.log.1"):
        old.write_text("old\n")
        old.chmod(0o644)
    handler = logs.PrivateFile(path, max_bytes=200, n_old=2)
    handler.setFormatter(logs.Formatter("%(levelname)s %(message)s"))
    for i in range(20):
        handler.emit(logging.LogRecord("x", logging.ERROR, "", 0, "line %d of %s", (i, "some length"), None))
    handler.close()
    files = sorted(tmp_path.glob("a.log*"))
    assert [file.name for file in files] == ["a.log", "a.log.1", "a.log.2"]
    assert {mode(file) for file in files} == {0o600}


def test_a_tracebacks_lines_cannot_be_taken_for_messages() -> None:
    try:
        raise ValueError("x\n2026-01-01 ERROR all is lost\ud800")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "failed: %s", ("a\nb",), sys.exc_info())
    first, *rest = logs.Formatter("%(levelname)s %(message)s").format(record).split("\n")
    assert first == "ERROR failed: a\\nb"
    assert rest
    assert all(line.startswith("  ") for line in rest)
    assert logs.Formatter("%(message)s").format(record).encode()
