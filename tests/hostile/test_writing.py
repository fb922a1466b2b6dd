"""Writing in a workspace: never outside, never what is secret or hidden, never half."""

import errno
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from palimpsest.errors import (
    AlreadyExists,
    Denied,
    InvalidArgument,
    NotFound,
    OutsideWorkspace,
    PalimpsestError,
    StaleDocument,
)
from palimpsest.workspace.changes import FileWrite
from palimpsest.workspace.writing import WrittenFile
from palimpsest.workspace.writing import write as write_file

Repository = Callable[[dict[str, Any]], Path]


@pytest.fixture
def root(repository: Repository) -> Path:
    return repository({"app.py": "one\ntwo\n", "sub/x.txt": "x\n", ".palimpsestignore": "private/\n*.hidden\n"})


def write(path: str, text: str, roots: Sequence[Path], **how: Any) -> WrittenFile:
    return write_file(FileWrite(path, text, **how), roots)


def files_in(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_a_new_file_is_written_with_its_folders(root: Path) -> None:
    done = write("pkg/deep/new.py", "a = 1\nb = 2\n", [root])
    assert (root / "pkg/deep/new.py").read_bytes() == b"a = 1\nb = 2\n"
    assert (done.shown, done.bytes, done.lines) == ("pkg/deep/new.py", 12, 2)
    assert stat.S_IMODE((root / "pkg/deep/new.py").stat().st_mode) & 0o111 == 0


def test_what_a_killed_write_has_left_goes_with_the_next_one_in_that_folder(root: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from palimpsest.workspace import writing\n"
        "from palimpsest.workspace.changes import FileWrite\n"
        "writing._put_new = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "writing.write(FileWrite('sub/out.txt', 'half'), [Path(sys.argv[1])])\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(root)], check=False).returncode == -signal.SIGKILL
    (left,) = (root / "sub").glob(".palimpsest-*")
    theirs = root / "sub" / ".out.txt.33258c38.tmp"
    theirs.write_text("a person's\n")
    write("sub/first.txt", "a\n", [root])
    assert left.exists()  # another window may be writing it
    os.utime(left, (1, 1))
    os.utime(theirs, (1, 1))
    write("sub/out.txt", "b\n", [root])
    assert sorted(path.name for path in (root / "sub").iterdir()) == [theirs.name, "first.txt", "out.txt", "x.txt"]


def test_an_absolute_path_inside_is_written(root: Path) -> None:
    assert write(str(root / "sub" / "y.py"), "y\n", [root]).shown == "sub/y.py"


def test_a_relative_path_means_the_folder_that_has_it(root: Path, tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    write("sub/y.py", "y\n", [tmp_path / "first", root])
    assert (root / "sub" / "y.py").read_text() == "y\n"


def test_an_existing_file_is_overwritten_only_if_that_is_said(root: Path) -> None:
    with pytest.raises(AlreadyExists, match="overwrite=true"):
        write("app.py", "new\n", [root])
    assert (root / "app.py").read_text() == "one\ntwo\n"
    write("app.py", "new\n", [root], overwrite=True)
    assert (root / "app.py").read_text() == "new\n"


def test_appending_and_inserting_keep_what_is_there(root: Path) -> None:
    write("app.py", "three\n", [root], mode="append")
    write("app.py", "zero", [root], mode="insert", insert_at_line=1)
    assert (root / "app.py").read_text() == "zero\none\ntwo\nthree\n"
    with pytest.raises(NotFound):
        write("none.py", "x", [root], mode="insert", insert_at_line=1)
    write("log.txt", "x", [root], mode="append")
    assert (root / "log.txt").read_text() == "x"


def test_mode_bits_line_ends_and_byte_order_mark_stay(root: Path) -> None:
    file = root / "run.sh"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    file.chmod(0o754)
    write("run.sh", "three\n", [root], mode="append")
    assert file.read_bytes() == b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n"
    write("run.sh", "new\n", [root], overwrite=True)
    assert file.read_bytes() == b"\xef\xbb\xbfnew\r\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o754


@pytest.mark.parametrize(
    "path",
    [
        "../out.py",
        "sub/../../out.py",
        "/etc/palimpsest",
        "/",
        ".",
        "..",
        "sub/..",
        "out/x.py",
        "out.py",
        "loop",
        "loop/x",
    ],
)
def test_nothing_is_written_outside_however_it_is_spelled(root: Path, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "out").symlink_to(outside)
    (root / "out.py").symlink_to(outside / "new.py")
    (root / "loop").symlink_to("loop")
    with pytest.raises((OutsideWorkspace, InvalidArgument)):
        write(path, "x", [root], overwrite=True)
    assert list(outside.iterdir()) == []
    assert not (tmp_path / "out.py").exists()


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", ".git/hooks/post-checkout", ".GIT/config", "sub/.git/config", ".git./config", "git~1/config",
        ".g\u200dit/config", ".hg/hgrc", "link/config", ".env", ".ENV", "id_rsa", "sub/.ssh/config", "server.pem",
        "private/x.py", "a.hidden", ".palimpsestignore", "palimpsest.toml", ".PALIMPSESTIGNORE", "to_env",
    ],
)  # fmt: skip
def test_neither_secrets_nor_what_is_hidden_nor_git_s_own_is_written(root: Path, path: str) -> None:
    (root / "link").symlink_to(root / ".git")
    (root / "to_env").symlink_to(root / ".env")
    before = files_in(root)
    for mode in ("write", "append"):
        with pytest.raises((Denied, InvalidArgument)):
            write(path, "x", [root], mode=mode, overwrite=mode == "write")
    assert files_in(root) == before


@pytest.mark.parametrize(
    "path",
    [
        "", " ", "sub/", "a\0b", "a\nb", "con", "CON.txt", "sub/nul", "LPT1", "com1.py", "x.", "x ", "a:b", "C:\\x",
        "~/x",
        "x" * 256, "/".join(["d" * 200] * 30), "\ud800", "a\x1bb", "app.py/x", "sub", 'say "x"', "a|b", "..\\x:y",
        ".git\u200bhub/x.yml", "a\u00adb.py", "\ufeffx.py", "x\u2060.py", "x\u061c.py", "x\u202ey", "a\u200db.py",
        "\u3164",
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_file_s_name_everywhere_is_refused(root: Path, path: str) -> None:
    before = files_in(root)
    with pytest.raises(InvalidArgument) as caught:
        write(path, "x", [root], overwrite=True)
    assert caught.value.field == "file_path"
    assert files_in(root) == before


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_regular_file_is_not_touched(root: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    if kind == "pipe":
        os.mkfifo("it")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("it")
    else:
        (root / "it").symlink_to("/dev/null")
    with pytest.raises((Denied, OutsideWorkspace)):
        write("it", "x", [root], overwrite=True)
    assert not stat.S_ISREG((root / "it").stat().st_mode)


def test_a_write_protected_file_stays(root: Path) -> None:
    (root / "app.py").chmod(0o444)
    with pytest.raises(Denied, match="write-protected"):
        write("app.py", "x", [root], overwrite=True)


def test_a_link_inside_the_workspace_stays_a_link(root: Path) -> None:
    (root / "link.py").symlink_to("app.py")
    write("link.py", "new\n", [root], overwrite=True)
    assert (root / "link.py").is_symlink()
    assert (root / "app.py").read_text() == "new\n"


def test_a_second_name_of_a_file_outside_keeps_its_content(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    os.link(outside, root / "hard.txt")
    write("hard.txt", "new", [root], overwrite=True)
    assert outside.read_text() == "mine"


@pytest.mark.parametrize("path", ["👩\u200d💻.md", "می\u200cخواهم.md", "ファイル.py", "naïve.py", "❤\ufe0f.md"])
def test_names_in_every_script_are_written(root: Path, path: str) -> None:
    assert write(path, "x\n", [root]).shown == path


def test_bytes_that_are_no_text_are_only_overwritten(root: Path) -> None:
    (root / "data.bin").write_bytes(b"\xff\xfe\0")
    with pytest.raises(Denied, match="no UTF-8"):
        write("data.bin", "x", [root], mode="append")
    write("data.bin", "x", [root], overwrite=True)
    assert (root / "data.bin").read_bytes() == b"x"


def test_half_a_character_is_refused_before_anything_is_written(root: Path) -> None:
    before = files_in(root)
    with pytest.raises(InvalidArgument, match="content"):
        write("new.py", "\ud800", [root])
    assert files_in(root) == before


@pytest.mark.parametrize("fails", [("fchmod", "fsync"), ("fsync",), ("replace", "link")], ids=" ".join)
def test_a_full_disk_leaves_the_old_file_whole_and_nothing_else(
    root: Path, monkeypatch: pytest.MonkeyPatch, fails: tuple[str, ...]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = files_in(root)
    folders = {p for p in root.rglob("*") if p.is_dir()}
    for call in fails:
        monkeypatch.setattr(os, call, full)
    for path in ("app.py", "new/deep/x.py"):
        with pytest.raises(PalimpsestError, match="No space left"):
            write(path, "x" * 100_000, [root], overwrite=True)
    assert files_in(root) == before
    assert {p for p in root.rglob("*") if p.is_dir()} == folders


def meanwhile(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Somebody else writes a file while ours goes to the disk."""
    fsync = os.fsync

    def slow(descriptor: int) -> None:
        path.write_text("somebody else's\n")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)


def test_a_file_that_changed_meanwhile_is_left_as_it_is(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meanwhile(monkeypatch, root / "app.py")
    with pytest.raises(StaleDocument):
        write("app.py", "mine\n", [root], mode="append")
    assert (root / "app.py").read_text() == "somebody else's\n"
    assert set(files_in(root)) >= {"app.py"}
    assert not list(root.glob(".app.py*"))


def test_a_file_that_came_meanwhile_is_not_overwritten(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meanwhile(monkeypatch, root / "new.py")
    with pytest.raises(AlreadyExists):
        write("new.py", "mine\n", [root])
    assert (root / "new.py").read_text() == "somebody else's\n"
    assert not list(root.glob(".new.py*"))


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be held there")
@pytest.mark.parametrize("path", ["new.txt", "old.txt", "deep/er/new.txt"])
def test_a_folder_that_becomes_a_link_at_whatever_step_leads_nothing_outside(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "old.txt").write_text("theirs\n")
    before, step, n_calls = files_in(outside), 0, 0

    def counted(call: Callable[..., Any], folder: Path) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            nonlocal n_calls
            n_calls += 1
            if n_calls == step:
                folder.rename(folder.with_name(f"moved{step}"))
                folder.symlink_to(outside)
            return call(*given, **named)

        return called

    while n_calls >= step:
        step, n_calls = step + 1, 0
        folder = root / f"sub{step}"
        folder.mkdir()
        (folder / "old.txt").write_text("old\n")
        with monkeypatch.context() as patch, suppress(PalimpsestError):
            for name in ("open", "lstat", "stat", "mkdir", "link", "replace", "unlink", "fsync"):
                patch.setattr(os, name, counted(getattr(os, name), folder))
            write(f"sub{step}/{path}", "mine\n", [root], mode="append")
        assert files_in(outside) == before
        assert [one.name for one in outside.rglob("*") if one.is_dir()] == ["deep"]
    assert step > 20


def test_without_a_folder_nothing_is_written() -> None:
    with pytest.raises(OutsideWorkspace, match="Open a folder"):
        write("x.py", "x", [])


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be held there")
def test_what_several_windows_append_at_once_is_all_there(root: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from palimpsest.workspace.changes import FileWrite\n"
        "from palimpsest.workspace.writing import write\n"
        "for n in range(100): write(FileWrite('log.txt', f'{sys.argv[2]} {n}\\n', 'append'), [Path(sys.argv[1])])"
    )
    windows = [subprocess.Popen([sys.executable, "-c", code, str(root), name]) for name in ("a", "b", "c")]
    assert [window.wait() for window in windows] == [0, 0, 0]
    lines = (root / "log.txt").read_text().splitlines()
    assert sorted(lines) == sorted(f"{name} {n}" for name in ("a", "b", "c") for n in range(100))
