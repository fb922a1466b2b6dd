"""Ways out of the workspace, language by language: what its imports, its configuration files and symbolic links say
leads to a folder beside the workspace, and nothing of that folder is in any block or in the index.

`ways/<language>.txt` has the files: those below `away/` are planted outside, those below `work/` are the workspace; a
line `== one -> two` is a symbolic link, and `@AWAY@` and `@WORK@` stand for the folders' whole paths.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from palimpsest.languages.registry import language_of, languages
from tests.context.context_workspace import CURSOR, Workspace

WAYS = Path(__file__).parent / "ways"
WITHOUT_IMPORTS = {"css", "html", "json", "markdown", "sql", "toml", "yaml"}
LIKE = {"tsx": "typescript"}
_HEAD = re.compile(r"== (\S+)(?: -> (\S+))?")
_WORD = re.compile(r"\w{4,}")


def plant(folder: Path, case: str) -> tuple[Workspace, str, set[str]]:
    """The workspace, its file with the cursor, and the words that occur outside of it alone."""
    files, links, lines = dict[str, list[str]](), dict[str, str](), list[str]()
    for line in (WAYS / f"{case}.txt").read_text("utf-8").splitlines(keepends=True):
        head = _HEAD.fullmatch(line.rstrip())
        if head is None:
            lines.append(line.replace("@AWAY@", str(folder / "away")).replace("@WORK@", str(folder / "work")))
        elif head[2]:
            links[head[1]] = head[2]
        else:
            lines = files.setdefault(head[1], [])
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(text), "utf-8")
    for name, target in links.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(folder / target)
    inside, outside = (
        {word for name, text in files.items() if name.startswith(part) for word in _WORD.findall("".join(text))}
        for part in ("work/", "away/")
    )
    (main,) = [name for name, text in files.items() if CURSOR in "".join(text)]
    return Workspace(folder / "work"), main.removeprefix("work/"), outside - inside


def test_every_language_has_a_case() -> None:
    has = {language_of("", f"a{name}").id for name in (".py", *SUFFIXES.values())}
    assert {language.id for language in languages()} - WITHOUT_IMPORTS - LIKE.keys() == has
    assert {path.stem for path in WAYS.glob("*.txt")} == has


SUFFIXES = {
    "typescript": ".ts", "javascript": ".js", "rust": ".rs", "go": ".go", "c": ".c", "cpp": ".cpp", "java": ".java",
    "kotlin": ".kt", "csharp": ".cs", "ruby": ".rb", "php": ".php", "lua": ".lua", "swift": ".swift", "bash": ".sh",
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(path.stem for path in WAYS.glob("*.txt")))
def test_no_way_leads_outside(tmp_path: Path, case: str) -> None:
    made, main, planted = plant(tmp_path, case)
    assert {"stolen_member", "StolenMember"} & planted, "something is planted"
    made.build_index()
    blocks = made.blocks(main)
    shown = {str(key): f"{key}\n{block.text}" for key, block in blocks.items()}
    assert any("wanted_member" in text for text in shown.values()), "what may be seen is seen"
    assert {key: words for key, text in shown.items() if (words := planted & set(_WORD.findall(text)))} == {}
    assert [key for key, text in shown.items() if str(tmp_path) in text and not key.startswith("scope:")] == []
    view = made.view(main)
    assert [block.key for block in blocks.values() if block.uri and "/away/" in block.uri] == []
    assert not [it for name in planted for it in made.index.readers[0].definitions(name)]
    assert view.root == made.root
