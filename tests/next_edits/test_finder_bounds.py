"""What next edits keep of texts and trees is bounded by what is in use, however long a person types."""

import gc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from palimpsest.config.settings import ContextSettings
from palimpsest.context.sources.cached import ReadFiles
from palimpsest.languages.registry import language_of
from palimpsest.next_edits import other_files
from palimpsest.next_edits.bursts import Burst, Bursts
from palimpsest.next_edits.finder import MOST_USES, Finder
from palimpsest.next_edits.other_files import OtherFiles
from palimpsest.next_edits.targets import File
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.kept import MOST_CHARACTERS


def parses_of(folder: Path) -> list[Parsed]:
    """Those in memory of documents in the folder."""
    gc.collect()
    every = [it for it in gc.get_objects() if isinstance(it, Parsed)]
    return [parsed for parsed in every if parsed.snapshot.uri.startswith(to_uri(folder))]


@pytest.mark.slow(part="storms")
def test_a_keystroke_leaves_no_parse_behind(tmp_path: Path) -> None:
    uses = "".join(f"def use_{n}():\n    return total({n})\n\n\n" for n in range(20))
    snapshot = Snapshot(to_uri(tmp_path / "a.py"), 1, "python", f"def total(n):\n    return n\n\n\n{uses}")
    parser, bursts, finder = Parser(language_of), Bursts(), Finder((), ContextSettings())
    parser.parse(snapshot)
    n_places, n_parses = 0, list[int]()
    for at, letter in enumerate("_of_everything_that_there_is"):
        where = Position(0, len("def total") + at)
        new, edits = snapshot.changed([ContentChange(Range(where, where), letter)], snapshot.version + 1)
        parser.update(snapshot, new, edits)
        bursts.changed(snapshot, new, edits)
        snapshot = new
        found = finder.find([File(parser.parse(snapshot), "a.py", False)], bursts.ended, bursts.open)
        n_places = max(n_places, len(found.candidates))
        n_parses.append(len(parses_of(tmp_path)))
    assert n_places == 20
    assert max(n_parses) <= 3, "the document's, and what the search that was last works with"


def found_after(tmp_path: Path, name: str, text: str, old: str, new: str) -> int:
    before = Snapshot(to_uri(tmp_path / name), 1, "", text)
    after = Snapshot(before.uri, 2, "", text.replace(old, new, 1))
    file = File(parse_snapshot(after, language_of("", after.uri)), name, False)
    burst = Burst(before, after, 0, 1)
    return len(Finder((), ContextSettings()).find([file], [], burst).candidates)


def test_a_line_is_read_once_however_many_calls_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Counter[tuple[str, int | None]]()
    matches = Parsed.matches

    def counted(parsed: Parsed, section: str, *given: Any, **named: Any) -> Any:
        asked[section, given[0] if given else None] += 1
        return matches(parsed, section, *given, **named)

    # no door: nobody else counts what trees are asked
    monkeypatch.setattr(Parsed, "matches", counted)
    text = "function f(a, b) { return a }\n" + "f(1, " * 100 + "2" + ")" * 100 + "\n"
    assert found_after(tmp_path, "a.js", text, "f(a, b)", "f(b, a)") == 100
    assert max(asked.values()) < 20, asked.most_common(3)


def test_a_name_that_a_file_has_thousands_of_times_is_left_alone(tmp_path: Path) -> None:
    for n_uses, n_places in ((300, 300), (MOST_USES + 1, 0)):
        text = "def total(n):\n    return n\n\n" + "total(1)\n" * n_uses
        found = found_after(tmp_path, "a.py", text, "def total", "def sum_of")
        assert found == n_places


def test_trees_of_other_files_are_bounded_by_their_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # no door: how long a search may take is nobody's to set, and on a busy machine it would end before all are read
    monkeypatch.setattr(other_files, "MOST_S", 3600.0)
    text = "# A line with a word.\n" * 20_000
    n_files = 2 * MOST_CHARACTERS // len(text)
    for n in range(n_files):
        (tmp_path / f"m{n}.py").write_text(text, encoding="utf-8")
    files = WorkspaceFiles([tmp_path])
    others = OtherFiles(files, ReadFiles(files))
    assert sum(1 for _ in others.having({"word"}, language_of("python"), ())) == n_files
    assert 0 < sum(len(parsed.snapshot.text) for parsed in parses_of(tmp_path)) <= MOST_CHARACTERS
