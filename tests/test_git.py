"""What git says of a folder, and that nothing a repository configures is run to know it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.errors import GitError
from palimpsest.system import git
from palimpsest.system.git import commits_of, last_version
from palimpsest.system.repository import repository_of
from palimpsest.workspace.gitignore import IgnoreRules

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


def test_what_git_moved_is_one_file_that_was_elsewhere(repo: Path) -> None:
    lines = "".join(f"line {i}\n" for i in range(20))
    (repo / "a.py").write_text(lines)
    run(repo, "commit", "-qam", "second")
    run(repo, "mv", "a.py", "sub/e.py")
    (repo / "sub" / "e.py").write_text(lines + "more\n")
    for staged in (False, True):
        (entry,) = git.changed(repo, staged=staged)
        assert (entry.path, entry.before, entry.kind) == (repo / "sub" / "e.py", repo / "a.py", "renamed")
        assert entry.old == entry.new != ""
    (repo / "sub" / "e.py").unlink()
    assert kinds(repo) == {"a.py": "removed"}


def test_a_file_that_becomes_executable_has_changed(repo: Path) -> None:
    assert [entry.is_executable for entry in git.changed(repo)] == []
    (repo / "a.py").chmod(0o755)
    run(repo, "add", "a.py")
    assert [entry.is_executable for staged in (False, True) for entry in git.changed(repo, staged=staged)] == [True] * 2


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


def test_a_filter_that_cannot_be_switched_off_is_refused(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own := tmp_path / "gitconfig").write_text('[filter "a=b"]\n\tclean = false\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
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


def test_filters_that_git_does_not_tell_are_not_taken_for_none(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own := tmp_path / "gitconfig").write_text("[filter\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    with pytest.raises(GitError, match="bad config"):
        git.changed(repo)


def test_another_repository_of_the_environment_does_not_count(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert git.repository(repo) == repo


def test_no_file_that_a_repository_names_is_opened(repo: Path, tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")  # whoever opens it waits for ever
    (repo / "a.py").write_text("new\n")
    keys = ("core.attributesFile", "core.excludesFile", "diff.orderFile", "mailmap.file", "blame.ignoreRevsFile")
    for key in (*keys, "commit.template", "gpg.ssh.allowedSignersFile", "core.worktree", "include.path"):
        with (repo / ".git" / "config").open("a") as config:
            config.write(f"[{key.rpartition('.')[0]}]\n\t{key.rpartition('.')[2]} = {pipe}\n")
    assert kinds(repo) == {"a.py": "changed"}
    assert last_version(repo / "a.py") == b"old\n"
    assert [commit.subject for commit in commits_of(repo / "a.py", 0, 0, 1)] == ["first"]


@pytest.mark.parametrize(
    "name",
    [
        *("info/exclude", "info/attributes", "shallow", "packed-refs", "index", "refs/heads/a"),
        *("objects/pack/a", f"objects/aa/{'b' * 38}"),
    ],
)
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "endless"])
def test_git_is_not_asked_where_one_of_its_files_never_ends(
    repo: Path, name: str, make: Callable[[Path], None]
) -> None:
    (file := repo / ".git" / name).parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    make(file)
    with pytest.raises(GitError, match="not as git makes them"):
        git.changed(repo)


@pytest.mark.parametrize("name", ["info/exclude", "info/attributes", "shallow", "packed-refs", "refs/heads/a"])
def test_git_is_not_asked_where_one_of_its_files_is_larger_than_git_makes_it(repo: Path, name: str) -> None:
    with (repo / ".git" / name).open("ab") as file:
        file.truncate(1 << 40)  # one that git maps counts in none of its bounds
    with pytest.raises(GitError, match="not as git makes them"):
        git.changed(repo)


def test_git_is_not_asked_about_more_objects_than_are_looked_at(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n = sum(1 for _ in (repo / ".git" / "objects").rglob("*"))
    # no door: 50,000 files take longer to write than all else here
    monkeypatch.setattr("palimpsest.system.repository._MOST_ENTRIES", n)
    assert kinds(repo) == {}
    # no door: 50,000 files take longer to write than all else here
    monkeypatch.setattr("palimpsest.system.repository._MOST_ENTRIES", n - 1)
    with pytest.raises(GitError, match="objects has too many entries"):
        git.changed(repo)


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", "sub/.gitignore", "sub/new/.gitignore"])
def test_git_is_not_asked_where_rules_never_end(repo: Path, name: str) -> None:
    (repo / "sub" / "new").mkdir()
    os.mkfifo(repo / name)
    for folder in (repo, repo / "sub" / "new"):  # above it, in it, below it
        with pytest.raises(GitError, match=r"\.git\w+ is no regular file"):
            git.changed(folder)


def test_settings_are_read_in_as_many_steps_as_they_are_long(repo: Path) -> None:
    gap = " " * 4_000  # 10¹⁰ steps and more for a pattern that tries each way to share them
    lines = (
        f'x ={gap}"a',
        f"x{gap}y",
        f"[{gap}x",
        f'[core{gap}"x',
        f'[core "x"{gap}y',
        f'x = "a"{gap}b',
        f"x ={gap * 90}",
    )
    with (repo / ".git" / "config").open("a") as config:
        config.write("\n".join(lines) + '\n[core]autocrlf = "true" ; as on Windows\n')
    assert kinds(repo) == {}
    assert git.run(repo, "config", "core.autocrlf") == b"true\n"


def test_git_has_bounds_of_memory_and_time(repo: Path) -> None:
    told = git.run(repo, "-c", "alias.bounds=!ulimit -d; ulimit -t", "bounds", timeout_s=7).split()
    assert told == [str(git.MEMORY >> 10).encode(), b"7"]


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The person's repository, with something in it that another folder must not show."""
    (folder := tmp_path / "theirs").mkdir()
    run(folder, "init", "-q")
    (folder / "a.py").write_text("private\n")
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "-m", "first")
    return folder


def link(folder: Path, git_folder: Path) -> None:
    (folder / ".git").symlink_to(git_folder)


def file(folder: Path, git_folder: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {git_folder}\n")


def worktree_of_another(folder: Path, git_folder: Path) -> None:
    run(git_folder.parent, "worktree", "add", "-q", str(folder.parent / "beside"))
    (folder / ".git").write_text((folder.parent / "beside" / ".git").read_text())


def worktree_of_its_own_making(folder: Path, git_folder: Path) -> None:
    (made := folder / "made").mkdir()
    (folder / ".git").write_text("gitdir: made\n")
    (made / "gitdir").write_text(f"{folder / '.git'}\n")
    (made / "commondir").write_text(f"{git_folder}\n")
    (made / "HEAD").write_bytes((git_folder / "HEAD").read_bytes())


def common(folder: Path, git_folder: Path) -> None:
    run(folder, "init", "-q")
    (folder / ".git" / "commondir").write_text(f"{git_folder}\n")


def alternates(folder: Path, git_folder: Path) -> None:
    run(folder, "init", "-q")
    (folder / ".git" / "objects" / "info" / "alternates").write_text(f"{git_folder / 'objects'}\n")
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=git_folder.parent, check=True, capture_output=True)
    (folder / ".git" / "HEAD").write_bytes(commit.stdout)


def linked_objects(folder: Path, git_folder: Path) -> None:
    run(folder, "init", "-q")
    shutil.rmtree(folder / ".git" / "objects")
    for name in ("objects", "HEAD", "refs"):
        shutil.rmtree(folder / ".git" / name, ignore_errors=True)
        (folder / ".git" / name).unlink(missing_ok=True)
        (folder / ".git" / name).symlink_to(git_folder / name)


def linked_loose_objects(folder: Path, git_folder: Path) -> None:
    alternates(folder, git_folder)
    (folder / ".git" / "objects" / "info" / "alternates").unlink()
    for path in (git_folder / "objects").glob("??"):
        (folder / ".git" / "objects" / path.name).symlink_to(path)


def linked_loose_object(folder: Path, git_folder: Path) -> None:
    alternates(folder, git_folder)
    (folder / ".git" / "objects" / "info" / "alternates").unlink()
    for path in (git_folder / "objects").glob("??/*"):
        (made := folder / ".git" / "objects" / path.parent.name).mkdir(exist_ok=True)
        (made / path.name).symlink_to(path)


WAYS = [
    *(link, file, worktree_of_another, worktree_of_its_own_making, common, alternates),
    *(linked_objects, linked_loose_objects, linked_loose_object),
]


@pytest.mark.parametrize("way", WAYS)
def test_nothing_comes_from_a_repository_that_does_not_know_of_the_folder(
    theirs: Path, tmp_path: Path, way: Callable[[Path, Path], None]
) -> None:
    (folder := tmp_path / "cloned").mkdir()
    (folder / "a.py").write_text("public\n")
    way(folder, theirs / ".git")
    with pytest.raises(GitError, match=r"another repository|not as git makes them"):
        git.changed(folder)
    assert last_version(folder / "a.py") is None


def test_worktrees_and_submodules_are_repositories_of_their_folders(repo: Path, theirs: Path, tmp_path: Path) -> None:
    run(repo, "worktree", "add", "-q", str(beside := tmp_path / "beside"))
    run(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(theirs), "inner")
    run(theirs, "init", "-q", "--separate-git-dir", str(theirs / ".bare"))
    for folder, old in ((beside, b"old\n"), (repo / "inner", b"private\n"), (theirs, b"private\n")):
        (folder / "a.py").write_text("new\n")
        assert kinds(folder)["a.py"] == "changed"
        (repository_of(folder).common / "info" / "exclude").write_text("a.py\n")
        assert IgnoreRules(folder).ignored(folder / "a.py")
        assert last_version(folder / "a.py") == old


def test_rules_of_a_git_folder_elsewhere_count(repo: Path, tmp_path: Path) -> None:
    run(repo, "init", "-q", "--separate-git-dir", str(elsewhere := tmp_path / "elsewhere"))
    (elsewhere / "info" / "exclude").write_text("a.py\n")
    rules = IgnoreRules(repo)
    assert rules.ignored(repo / "a.py")
    assert not rules.ignored(repo / "b.py")


def test_everything_is_ignored_where_the_git_folder_is_not_known(repo: Path, tmp_path: Path) -> None:
    (repo / ".git").rename(tmp_path / "elsewhere")
    (tmp_path / "dot").write_text(f"gitdir: {tmp_path / 'elsewhere'}\n")
    (repo / ".git").symlink_to(tmp_path / "dot")
    assert IgnoreRules(repo).ignored(repo / "b.py")
    (repo / ".git").unlink()
    assert not IgnoreRules(repo).ignored(repo / "b.py")
