"""`palimpsest log`: where logs are, and what is written to them."""

import logging
import sys
from pathlib import Path

import pytest

from palimpsest.app import log_to_file
from palimpsest.cli.log import Followed
from palimpsest.command_line import main
from palimpsest.system import folders, logs
from palimpsest.text.tokens import masked


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def said(capsys: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    assert main(["log"]) == 0
    told = capsys.readouterr()
    return told.out.splitlines(), told.err


def test_it_says_where_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    (nothing,), _ = said(capsys)
    assert nothing.startswith(str(folders.logs_place()))
    assert not folders.logs_place().exists(), "who only looks makes nothing"
    path = folders.logs() / folders.SERVER_LOG
    path.write_text("a line\n")
    assert said(capsys) == ([str(path)], "")


def test_what_earlier_versions_wrote_elsewhere_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    (folders.state() / "server.log").write_text("a line\n")
    (folders.state() / "engine-0123.log.1").write_text("a line\n")
    _, told = said(capsys)
    assert f"{folders.state()}: engine-0123.log.1, server.log" in told


def test_one_that_is_put_aside_is_followed_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    handler = logs.PrivateFile(path, max_bytes=100, n_old=2)

    def write(*lines: str) -> None:
        for line in lines:
            handler.emit(logging.LogRecord("a", logging.INFO, "a.py", 1, line, None, None))

    try:
        write("first", "second")
        followed = Followed(path, 1)
        assert list(followed.news()) == ["second"]
        write("x" * 60, "y" * 60)
        assert path.with_name("server.log.1").exists()
        assert list(followed.news()) == ["x" * 60, "y" * 60]
        assert list(followed.news()) == []
        write("last")
        assert list(followed.news()) == ["last"]
    finally:
        handler.close()


def test_no_secret_is_written_to_one() -> None:
    key = "q7Zp3" + "vK9xT2mW8rB4nL6"
    formatter = logs.Formatter("%(name)s: %(message)s", masked)
    try:
        raise ValueError(f"refused: {key}")
    except ValueError:
        record = logging.LogRecord("shop", logging.ERROR, "shop.py", 1, "no login with %s", (key,), sys.exc_info())
    written = formatter.format(record)
    assert written.startswith("shop: no login with ...\n")
    assert "ValueError: refused: ..." in written
    assert key not in written


def test_the_servers_log_has_no_secret() -> None:
    key, root = "q7Zp3" + "vK9xT2mW8rB4nL6", logging.getLogger()
    before = list(root.handlers), root.level, logging.getLogger("palimpsest").level
    try:
        log_to_file("info")
        logging.getLogger("palimpsest.shop").info("no login with %s", key)
        assert "no login with ..." in (folders.logs() / folders.SERVER_LOG).read_text()
    finally:
        for handler in [one for one in root.handlers if one not in before[0]]:
            root.removeHandler(handler)
            handler.close()
        root.setLevel(before[1])
        logging.getLogger("palimpsest").setLevel(before[2])
