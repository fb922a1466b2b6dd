"""For each language, which places follow a rename and which do not.

In the texts of `places/`, a file for each language, `◆` stands before the name that is changed and `●` before each that
follows it.  A name without a mark has to stay as it is: one of another file that cannot see what was changed, a key of
something else, a word in a string.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from palimpsest.config.settings import ContextSettings
from palimpsest.languages.registry import language_of
from palimpsest.next_edits.bursts import Burst
from palimpsest.next_edits.finder import Finder
from palimpsest.next_edits.targets import File
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri

MARKS = re.compile("[◆●]")
EDITED = re.compile(r"◆\w+")
MARKED = re.compile(r"●([$#@]+)")


def rows() -> dict[str, dict[str, str]]:
    """The texts of each row by file name: `=== what it is about`, and before each file `--> its name`."""
    found = dict[str, dict[str, str]]()
    for table in sorted((Path(__file__).parent / "places").iterdir()):
        for row in table.read_text(encoding="utf-8").split("=== ")[1:]:
            about, *files = row.split("--> ")
            named = (file.partition("\n") for file in files)
            found[f"{table.stem}: {about.strip()}"] = {name: text for name, _, text in named}
    return found


ROWS = rows()


@pytest.mark.parametrize("row", ROWS)
def test_what_follows_a_rename_and_what_does_not(row: str, tmp_path: Path) -> None:
    home = next(name for name, marked in ROWS[row].items() if "◆" in marked)
    texts = {name: MARKS.sub("", marked) for name, marked in ROWS[row].items()}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    edited = EDITED.sub(lambda name: "Fresh" if name[0][1].isupper() else "fresh", ROWS[row][home])
    notebook = "file:///a.ipynb" if row.startswith("notebook") else ""
    follows = any("●" in marked for marked in ROWS[row].values())
    found = followed(tmp_path, home, texts, MARKS.sub("", edited), notebook, follows=follows)
    assert found == {**ROWS[row], home: edited}


def followed(
    folder: Path, home: str, texts: dict[str, str], after: str, notebook: str = "", *, follows: bool
) -> dict[str, str]:
    """The texts with a mark before each place that the product offers; the cells of a notebook are open.  `follows`:
    whether the edit has to amount to something."""
    uri, language = to_uri(folder / home), language_of("", home)
    old, new = Snapshot(uri, 1, language.id, texts[home]), Snapshot(uri, 2, language.id, after)
    burst = Burst(old, new, 0, new.line_count)
    others = [Snapshot(to_uri(folder / name), 1, language.id, text) for name, text in texts.items() if name != home]
    open_files = [
        File(parse_snapshot(snapshot, language), snapshot.uri.removeprefix(f"{to_uri(folder)}/"), False, notebook)
        for snapshot in (new, *(others if notebook else ()))
    ]
    finder = Finder([folder], ContextSettings())
    found = finder.find(open_files, (), burst, repeats=False)
    assert finder.explains(burst) or not follows, "the edit amounts to nothing"
    marked = {to_uri(folder / name): text.encode() for name, text in {**texts, home: after}.items()}
    for place in sorted((candidate.place for candidate in found.candidates), key=lambda place: -place.start):
        text = marked[place.uri]
        marked[place.uri] = text[: place.start] + "●".encode() + text[place.start :]
    return {name: MARKED.sub(r"\1●", marked[to_uri(folder / name)].decode()) for name in texts}
