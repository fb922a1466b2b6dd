"""A text with a key or token enters no block; of an imported module's constants the names stay."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.errors import InvalidArgument
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.large_files import pieces

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
KEY = "q7Zp3" + "vK9xT2mW8rB4nL6"
PEM = "-----BEGIN EC PRIVATE KEY-----\r\nMHcCAQEEIBkg4LVWM9nuwNSk3yByxZpYRTBnVJk4oBMMHXNvTDIJoAoGCCqGSM49\r\n"


def test_a_file_with_a_token_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(PEM.encode())
    (tmp_path / "config.py").write_text(f'A = 1\nTOKEN = "{TOKEN}"\n', encoding="utf-8")
    files = WorkspaceFiles([tmp_path])
    assert files.source(tmp_path / "notes.txt") is None
    assert files.source(tmp_path / "config.py") is None
    assert files.why_not(tmp_path / "config.py") == "holds what looks like an access token"
    described = files.described(tmp_path / "config.py")
    assert described is not None
    assert described.text == 'A = 1\nTOKEN = "..."\n'


def test_a_token_is_left_out_of_every_kind_of_block(workspace: Callable[..., Workspace]) -> None:
    login = f'class Login:\n    """Use {TOKEN}."""\n    key = "{TOKEN}"\n'
    made = workspace(
        {
            f"{TOKEN}.txt": "",
            "config.py": f'LIMIT = 3\nDEPLOY = "{TOKEN}"\n\n\n{login}',
            "AGENTS.md": f"Log in with {TOKEN}.\n",
            "README.md": f"# config\n\nconfig.DEPLOY is {TOKEN}.\n",
        }
    )
    text = (
        "import config\nfrom config import DEPLOY, LIMIT, Login\n\n\n"
        "def f(a: Login):\n    config.DEPLOY, DEPLOY, LIMIT\n    $0\n"
    )
    blocks = made.blocks("use.py", text)
    assert not [block.key for block in blocks.values() if TOKEN in block.text or TOKEN in block.name]
    assert any("DEPLOY" in block.text and "LIMIT" in block.text for block in blocks.values()), "the names stay"


def test_a_key_without_a_format_is_masked_in_blocks_and_the_rest_of_its_file_stays(
    workspace: Callable[..., Workspace],
) -> None:
    login = f'class Login:\n    """Logs in."""\n\n    api_key = "{KEY}"\n    user = "shop"\n'
    made = workspace({"config.py": login, "AGENTS.md": f"Log in with API_KEY={KEY} here.\n"})
    blocks = made.blocks("use.py", "from config import Login\n\n\ndef f(a: Login):\n    a.api_key\n    $0\n")
    assert not [block.key for block in blocks.values() if KEY in block.text]
    assert any('api_key = "..."' in block.text and 'user = "shop"' in block.text for block in blocks.values())
    assert any("API_KEY=... here" in block.text for block in blocks.values())


def test_a_large_file_is_masked_piece_by_piece(tmp_path: Path) -> None:
    lines = "a line\n" * 20_000
    (tmp_path / "log.txt").write_text(f"{lines}API_KEY={KEY}\n" * 9, encoding="utf-8")
    read = list(pieces(tmp_path / "log.txt", WorkspaceFiles([tmp_path])))
    assert len(read) > 1
    assert "".join(read) == f"{lines}API_KEY=...\n" * 9


def test_a_token_that_comes_or_goes_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "config.py"
    open_now = {}
    files = WorkspaceFiles([tmp_path], open_document=open_now.get)
    path.write_text("A = 1\n", encoding="utf-8")
    assert files.source(path) is not None
    open_now[to_uri(path)] = Snapshot(to_uri(path), 1, "python", f"A = '{TOKEN}'\n")
    files.look_again()
    assert files.source(path) is None
    open_now[to_uri(path)] = Snapshot(to_uri(path), 2, "python", "A = ''\n")
    files.look_again()
    assert files.source(path) is not None


def test_links_and_copies_of_a_secret_are_kept_out(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"GITHUB={TOKEN}\n", encoding="utf-8")
    (tmp_path / "one.py").symlink_to(tmp_path / ".env")
    (tmp_path / "two.py").symlink_to(tmp_path / "one.py")
    os.link(tmp_path / ".env", tmp_path / "hard.py")
    files = WorkspaceFiles([tmp_path])
    for name in (".env", "one.py", "two.py", "hard.py"):
        assert files.source(tmp_path / name) is None, name
        assert files.described(tmp_path / name) is None or name == "hard.py"


def test_what_a_link_to_an_ignored_file_shows_is_ignored(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("[core]\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("build/\n", encoding="utf-8")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "a.py").write_text("A = 1\n", encoding="utf-8")
    (tmp_path / "link.py").symlink_to(tmp_path / "build" / "a.py")
    (tmp_path / "config.py").symlink_to(tmp_path / ".git" / "config")
    files = WorkspaceFiles([tmp_path])
    assert files.kept_out(tmp_path / "link.py") == "is ignored by git or by the setting context.exclude"
    for path in (tmp_path / "config.py", tmp_path / ".git" / "config"):
        assert files.kept_out(path, pinned=True) == "is version control's own"


def test_nothing_with_a_token_is_put_on_the_board(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="an access token"):
        ExternalBlocks().put("file", "notes", f"use {TOKEN}")
    (tmp_path / "a.py").symlink_to(tmp_path / ".git" / "hooks" / "pre-commit")
    for name in (".env", ".git/config", "a.py"):
        with pytest.raises(InvalidArgument, match="uri"):
            ExternalBlocks().put("file", "notes", "text", editable=True, uri=to_uri(tmp_path / name))
