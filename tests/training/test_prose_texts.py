"""Prose, markup and commit messages as workspaces: whole packages are held out, git's own lines are never asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

from training import prose, sources, texts
from training.sources import Source

README = "# A parser\n\n" + "\n".join(f"It reads line {n} of a file and says what is wrong with it." for n in range(30))
PAGE = "<html>\n<body>\n" + "\n".join(f'  <p class="row">Row {n}</p>' for n in range(20)) + "\n</body>\n</html>\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # no door: what is listed is fetched from registries
    monkeypatch.setattr(sources, "listed", lambda: [Source("npm", name, "1.0", "MIT") for name in ("redux", "koa")])
    for name in ("redux", "koa"):
        there = tmp_path / name
        there.mkdir()
        (there / "README.md").write_text(README.replace("parser", name))
        (there / "page.html").write_text(PAGE.replace("Row", name))
        (there / "index.js").write_text("export const parse = 1;\n")
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, out: Path, *arguments: str) -> list[Path]:
    monkeypatch.setattr(sys, "argv", ["prose", "--out", str(out), "--processes", "1", *arguments])
    prose.main()
    return sorted(out.glob("*/*.jsonl.gz"))


def test_a_package_is_learned_from_or_held_out_as_a_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, folder / "out", "--sources", str(folder))
    assert [file.parent.name + "/" + file.name.partition("-")[0] for file in found] == ["held/redux", "train/koa"]
    tails = [tail for workspace in texts.read(found[1]) for tail in workspace.tails]
    assert {tail.layout for tail in tails} == {"spm"}
    assert any("<p" in tail.prefix for tail in tails)
    assert any("It reads line" in tail.prefix for tail in tails)
    assert not any("export const" in tail.prefix for tail in tails)


def test_of_a_message_only_what_a_person_wrote_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "work"
    git = ("git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(("git", "init", "-q", str(repository)), check=True)
    for n in range(4):
        (repository / f"part{n}.py").write_text(f"x = {n}\n")
        subprocess.run((*git, "add", "."), check=True)
        subprocess.run((*git, "commit", "-qm", f"Add the part numbered {n}\n\nIt was missing."), check=True)
    (found,) = run(monkeypatch, tmp_path / "out", "--messages", str(repository))
    tails = [tail for workspace in texts.read(found) for tail in workspace.tails]
    assert tails
    assert all("#" not in tail.middle for tail in tails)
    assert all("new file:   part" in tail.suffix for tail in tails)
