"""What of a workspace may enter a block: git's rules, no secrets, nothing from outside, nothing huge or binary."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.gitignore import IgnoreRules

Make = Callable[..., Workspace]


def names(files: WorkspaceFiles, folder: Path) -> list[str]:
    files.look_again()
    return [entry.name for entry in files.listing(folder)]


RULES = {
    ".gitignore": "*.log\n/build/\n!keep.log\ndocs/*.html\n# comment\n\nspace\\ name\n**/deep/x.py\n",
    "a.log": "",
    "keep.log": "",
    "build/out.py": "",
    "sub/build/out.py": "",
    "docs/a.html": "",
    "docs/more/a.html": "",
    "sub/.gitignore": "!*.log\nonly_here.py\n",
    "sub/b.log": "",
    "sub/only_here.py": "",
    "only_here.py": "",
    "one/two/deep/x.py": "",
    "space name": "",
    "plain.py": "",
}


def test_the_rules_are_gits_own(workspace: Make) -> None:
    made = workspace(RULES)
    git = ["git", "-c", "core.excludesFile=", "-C", str(made.root)]
    subprocess.run([*git, "init", "-q"], check=True)
    (made.root / ".git" / "info").mkdir(exist_ok=True)
    (made.root / ".git" / "info" / "exclude").write_text("plain.py\n")
    listed = subprocess.run(
        [*git, "ls-files", "--others", "--exclude-standard", "-z"], check=True, capture_output=True, text=True
    ).stdout
    files = WorkspaceFiles([made.root])
    ours = {name for name in RULES if files.refusal(made.root / name) is None}
    assert ours == set(listed.strip("\0").split("\0"))
    assert {"keep.log", "sub/b.log", "docs/more/a.html"} <= ours


def test_rules_above_the_workspace_folder_count_up_to_the_repository(workspace: Make) -> None:
    made = workspace({"app/x.py": "", "app/y.tmp": "", ".gitignore": "*.tmp\n", ".git/HEAD": "ref: refs/heads/main\n"})
    assert names(WorkspaceFiles([made.root / "app"]), made.root / "app") == ["x.py"]


def test_a_changed_rule_file_counts_at_once(workspace: Make) -> None:
    made = workspace({"a.py": "", "b.py": ""})
    files = WorkspaceFiles([made.root])
    assert names(files, made.root) == ["a.py", "b.py"]
    made.write({".gitignore": "b.py\n"})
    assert names(files, made.root) == [".gitignore", "a.py"]
    assert files.source(made.root / "b.py") is None


def test_a_workspace_in_an_ignored_folder_of_its_repository_has_no_files(workspace: Make) -> None:
    made = workspace({".git/HEAD": "", ".gitignore": "build/\n", "build/app/a.py": ""})
    files = WorkspaceFiles([made.root / "build" / "app"])
    assert files.source(made.root / "build" / "app" / "a.py") is None
    made.write({".gitignore": "other/\n"})
    files.look_again()
    assert files.source(made.root / "build" / "app" / "a.py") is not None


def test_what_lies_very_deep_is_left_alone(workspace: Make) -> None:
    made = workspace({"a.py": ""})
    rules = IgnoreRules(made.root)
    assert not rules.ignored(made.root.joinpath(*["d"] * 100, "a.py"))
    assert rules.ignored(made.root.joinpath(*["d"] * 1_000, "a.py"))


def test_a_new_file_is_listed(workspace: Make) -> None:
    made = workspace({"a.py": ""})
    files = WorkspaceFiles([made.root])
    assert names(files, made.root) == ["a.py"]
    os.utime(made.root, ns=(1, 1))
    assert names(files, made.root) == ["a.py"]
    made.write({"b.py": ""})
    assert names(files, made.root) == ["a.py", "b.py"]


def test_what_nobody_wants_to_see_is_never_listed(workspace: Make) -> None:
    made = workspace(
        {
            ".env": "",
            "server.pem": "",
            "__pycache__/a.pyc": "",
            "node_modules/x/index.js": "",
            "myenv/pyvenv.cfg": "",
            ".a.py.swp": "",
            "a.py~": "",
            "a.py": "",
        }
    )
    assert names(WorkspaceFiles([made.root]), made.root) == ["a.py"]


def test_the_setting_excludes_what_git_does_not(workspace: Make) -> None:
    made = workspace({"a.py": "", "generated/b.py": "", ".gitignore": "!generated\n"})
    files = WorkspaceFiles([made.root], exclude=["generated/"])
    assert names(files, made.root) == [".gitignore", "a.py"]
    assert "context.exclude" in (files.refusal(made.root / "generated" / "b.py") or "")


@pytest.mark.parametrize(
    ("name", "content", "pinned", "reason"),
    [
        ("a.py", b"x = 1\n", False, None),
        ("out.log", b"x", False, "ignored"),
        ("out.log", b"x", True, None),
        (".env", b"TOKEN=1", True, "secrets"),
        ("id_rsa", b"key", True, "secrets"),
        ("big.py", b"x" * 1_000_001, True, "larger"),
        ("missing.py", None, True, "cannot be read"),
    ],
)
def test_a_refusal_says_why(
    workspace: Make, name: str, content: bytes | None, pinned: bool, reason: str | None
) -> None:
    made = workspace({".gitignore": "*.log\n"})
    path = made.root / name
    if content is not None:
        path.write_bytes(content)
    files = WorkspaceFiles([made.root])
    refusal = files.refusal(path, pinned=pinned)
    assert (refusal is None) == (reason is None)
    assert reason is None or reason in str(refusal)
    assert (files.source(path, pinned=pinned) is not None) == (reason is None)


@pytest.mark.parametrize("data", [b"\x00\x01", b"\xff\xfe\x00", b"caf\xe9"])
def test_what_is_no_text_has_none(workspace: Make, data: bytes) -> None:
    made = workspace()
    (made.root / "a.py").write_bytes(data)
    assert WorkspaceFiles([made.root]).source(made.root / "a.py") is None


def test_links_lead_nowhere_outside(workspace: Make, tmp_path: Path) -> None:
    made = workspace({"a.py": "x = 1\n"})
    (tmp_path / "outside.py").write_text("SECRET = 1\n")
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "k.py").write_text("SECRET = 1\n")
    (made.root / "link.py").symlink_to(tmp_path / "outside.py")
    (made.root / "keys").symlink_to(tmp_path / "keys")
    (made.root / "loop").symlink_to(made.root / "loop")
    (made.root / "self").symlink_to(made.root)
    (made.root / "harmless").write_text("TOKEN=1")
    (made.root / ".env").write_text("TOKEN=1")
    (made.root / "alias").symlink_to(made.root / ".env")
    files = WorkspaceFiles([made.root])
    assert files.source(made.root / "link.py") is None
    assert files.source(made.root / "keys" / "k.py") is None
    assert files.source(made.root / "loop") is None
    assert files.source(made.root / "alias", pinned=True) is None
    assert files.source(made.root / ".." / "outside.py") is None
    assert files.listing(made.root / "keys") == ()
    assert files.source(made.root / "self" / "a.py") is not None


def test_what_is_open_counts_before_what_is_saved(workspace: Make) -> None:
    made = workspace({"a.py": "saved\n"})
    uri = to_uri(made.root / "a.py")
    opened = {uri: Snapshot(uri, 7, "python", "typed\n")}
    files = WorkspaceFiles([made.root], (), opened.get)
    first = files.source(made.root / "a.py")
    opened.clear()
    files.look_again()
    second = files.source(made.root / "a.py")
    assert first is not None
    assert second is not None
    assert (first.text, second.text) == ("typed\n", "saved\n")
    assert first.stamp != second.stamp


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a" * 5_000])
def test_names_that_no_file_can_have(workspace: Make, name: str) -> None:
    made = workspace({"a.py": "a"})
    files = WorkspaceFiles([made.root])
    path = made.root / name
    assert files.refusal(path) is not None
    assert files.source(path) is None
    assert files.described(path) is None
    assert files.listing(path) == ()
    assert files.may_write(path) in (True, False)
