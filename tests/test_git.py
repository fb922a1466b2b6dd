"""What git says of a folder, and that nothing a repository configures is run to know it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from palimpsest.errors import GitError
from palimpsest.system import git

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")


def run(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "sub").mkdir(parents=True)
    run(folder, "init", "-q")
    (folder / "a.py").write_text("old\n")
    (folder / "b.py").write_text("b\n")
    (folder / "sub" / "ü c.py").write_text("c\n")
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "-m", "first")
    return folder


def kinds(folder: Path, *, staged: bool = False) -> dict[str, str]:
    top = git.repository(folder)
    return {entry.path.relative_to(top).as_posix(): entry.kind for entry in git.changed(folder, staged=staged)}


def test_what_changed_was_added_and_went(repo: Path) -> None:
    assert kinds(repo) == {}
    (repo / "a.py").write_text("new\n")
    (repo / "b.py").unlink()
    (repo / "sub" / "ü c.py").write_text("cc\n")
    (repo / "sub" / "d.py").write_text("d\n")
    assert kinds(repo) == {"a.py": "changed", "b.py": "removed", "sub/d.py": "added", "sub/ü c.py": "changed"}
    assert kinds(repo / "sub") == {"sub/d.py": "added", "sub/ü c.py": "changed"}
    assert kinds(repo, staged=True) == {}
    run(repo, "add", "a.py", "sub/d.py")
    assert kinds(repo, staged=True) == {"a.py": "changed", "sub/d.py": "added"}


def test_contents_are_the_last_commits_and_the_indexs(repo: Path) -> None:
    (repo / "a.py").write_text("staged\n")
    run(repo, "add", "a.py")
    (repo / "a.py").write_text("in the folder\n")
    (entry,) = git.changed(repo, staged=True)
    found = git.contents(repo, [entry.old, entry.new, ""])
    assert (found[entry.old], found[entry.new]) == (b"old\n", b"staged\n")
    assert git.tracked(repo, [repo / "a.py", repo / "b.py", repo / "none.py"]) == {
        repo / "a.py": entry.new,
        repo / "b.py": git.tracked(repo, [repo / "b.py"])[repo / "b.py"],
    }


def test_a_large_content_is_left_out(repo: Path) -> None:
    (repo / "a.py").write_bytes(b"x" * (git.MAX_BYTES + 1))
    run(repo, "add", "a.py")
    (entry,) = git.changed(repo, staged=True)
    assert set(git.contents(repo, [entry.old, entry.new])) == {entry.old}


def test_before_the_first_commit_and_after_it_was_taken_out(tmp_path: Path, repo: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    run(empty, "init", "-q")
    (empty / "a.py").write_text("a\n")
    assert kinds(empty) == {"a.py": "added"}
    assert kinds(empty, staged=True) == {}
    run(repo, "rm", "-q", "--cached", "a.py")
    assert kinds(repo) == {"a.py": "removed"}


def test_links_and_repositories_inside_are_named_as_such(repo: Path) -> None:
    (repo / "link.py").symlink_to("a.py")
    run(repo, "add", "link.py")
    (inner := repo / "inner").mkdir()
    run(inner, "init", "-q")
    assert {entry.path.name: entry.is_regular for entry in git.changed(repo)} == {"inner": False, "link.py": False}


def test_no_repository_and_no_git_are_said(tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(GitError, match="in no git repository"):
        git.changed(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="not installed"):
        git.changed(repo)
    program = repo / "git"  # a workspace's own is not run, wherever the search path goes
    program.write_text("#!/bin/sh\ntouch ran\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(repo))
    with pytest.raises(GitError, match="not installed"):
        git.changed(repo)
    assert not (repo / "ran").exists()


def test_it_does_not_wait_for_ever(repo: Path) -> None:
    with pytest.raises(GitError, match="did not answer"):
        git.run(repo, "-c", "alias.wait=!sleep 5", "wait", timeout_s=0.2)


def test_nothing_that_a_repository_configures_is_run(repo: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "evil"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {ran}\ncat\n')
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / hook).symlink_to(program)
    settings = {
        "core.fsmonitor": program,
        "core.hooksPath": hooks,
        "core.pager": program,
        "pager.status": program,
        "diff.external": program,
        "diff.evil.command": program,
        "diff.evil.textconv": program,
        "filter.evil.clean": program,
        "filter.evil.process": program,
        "filter.evil.required": "true",
        "filter.evil two.clean": program,
    }
    odd = os.fsdecode(b"ev\xffil")  # no UTF-8
    settings[f"filter.{odd}.clean"] = program
    attributes = f"*.py filter=evil diff=evil\nb.py filter={odd}\n"
    (repo / ".git" / "info" / "attributes").write_bytes(os.fsencode(attributes))
    for name, value in settings.items():
        run(repo, "config", name, str(value))
    os.utime(repo / "a.py", (1, 1))  # git has to look into it
    (repo / "b.py").write_text("B\n")
    index = (repo / ".git" / "index").read_bytes()
    entries = git.changed(repo)
    assert [entry.path.name for entry in entries] == ["b.py"]
    assert git.contents(repo, [entries[0].old]) == {entries[0].old: b"b\n"}
    assert git.tracked(repo, [repo / "a.py"])
    assert not ran.exists(), ran.read_text()
    assert (repo / ".git" / "index").read_bytes() == index, "nothing is written"
    subprocess.run(["git", "status"], cwd=repo, check=False, capture_output=True)
    assert ran.exists(), "they would be run"


def test_a_filter_that_cannot_be_switched_off_is_refused(repo: Path) -> None:
    run(repo, "config", "filter.a=b.clean", "false")
    with pytest.raises(GitError, match="a=b"):
        git.changed(repo)


def test_a_filter_without_a_name_is_not_run(repo: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    with (repo / ".git" / "config").open("a") as config:  # `git config` writes no such name
        config.write(f'[filter ""]\n\tclean = touch {ran}; cat\n')
    (repo / ".git" / "info" / "attributes").write_text("* filter=\n")
    (repo / "a.py").write_text("new\n")
    assert "a.py" in kinds(repo)
    assert not ran.exists()
    subprocess.run(["git", "status"], cwd=repo, check=False, capture_output=True)
    assert ran.exists(), "it would be run"


def test_filters_that_git_does_not_tell_are_not_taken_for_none(repo: Path) -> None:
    (repo / ".git" / "config").write_text("[filter\n")
    with pytest.raises(GitError, match="bad config"):
        # no door: whatever else git is asked fails before this
        git._filters(repo)


def test_another_repository_of_the_environment_does_not_count(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert git.repository(repo) == repo
