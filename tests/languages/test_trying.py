"""A text that nobody has parsed here yet is parsed by another process first, which may die of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from palimpsest.languages.python import Python
from palimpsest.languages.registry import language_of
from palimpsest.languages.trial import MOST_KEPT
from palimpsest.languages.trying import Trying
from palimpsest.syntax.parse import parse_file
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.values import Trial
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

URI = "file:///a.py"
PROCESS = """
import sys
print("ready", flush=True)
while header := sys.stdin.buffer.readline():
    text = sys.stdin.buffer.read(int(header.split()[1]))
    with open({noted!r}, "ab") as noted:
        noted.write(text + b"\\n")
    if b"death" in text:
        sys.exit(11)
    print("late" if b"long" in text else "lives", flush=True)
    if b"large" in text:
        sys.exit(0)
"""


def snapshot(text: str) -> Snapshot:
    return Snapshot(URI, 1, "python", text)


@pytest.fixture
def noted(tmp_path: Path) -> Path:
    return tmp_path / "noted"


@pytest.fixture
def trying(noted: Path) -> Trying:
    return Trying((sys.executable, "-c", PROCESS.format(noted=str(noted))))


def test_a_text_that_was_died_of_twice_is_tried_no_more(
    trying: Trying, noted: Path, caplog: pytest.LogCaptureFixture
) -> None:
    try:
        found = [trying.trial("python", snapshot(text)) for text in ("a", "death", "b", "death", "death", "c")]
    finally:
        trying.close()
    assert found == ["lives", "dies", "lives", "dies", "dies", "lives"]
    assert noted.read_text("utf-8").split() == ["a", "death", "b", "death", "c"]
    assert [record.message for record in caplog.records] == [
        f"a parse of {URI} as python ended its process",
        f"a parse of {URI} as python ended its process; it is parsed no more",
    ]


def test_a_process_that_makes_room_for_another_one_has_not_died(trying: Trying, noted: Path) -> None:
    try:
        found = [trying.trial("python", snapshot(text)) for text in ("large", "a", "long", "large", "large")]
    finally:
        trying.close()
    assert found == ["lives", "lives", "late", "lives", "lives"]
    assert noted.read_text("utf-8").split() == ["large", "a", "long", "large", "large"]


def test_a_process_started_by_a_large_one_is_not_large(noted: Path) -> None:
    """Or each text would cost a start."""
    ballast = b"x" * (2 * MOST_KEPT)
    program = f"open({str(noted)!r}, 'a').write('started '); from palimpsest.languages.trial import main; main()"
    trying = Trying((sys.executable, "-P", "-c", program))
    try:
        assert {trying.trial("python", snapshot(text)) for text in ("a", "b", "c")} == {"lives"}
    finally:
        trying.close()
    assert noted.read_text("utf-8").split() == ["started"]
    assert ballast


@pytest.mark.parametrize("command", [("/there/is/none",), (sys.executable, "-c", "raise SystemExit(1)")])
def test_where_there_can_be_no_such_process_texts_are_parsed(
    command: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    trying = Trying(command)
    assert [trying.trial("python", snapshot(text)) for text in ("a", "b")] == ["lives", "lives"]
    assert [record.message.partition(":")[0] for record in caplog.records] == ["texts are parsed without a trial"]


@pytest.mark.parametrize("text", ["", "x = 1\n", "x = '\ud800'\r\ny", "错误 😀\n" * 3_000])
def test_what_can_be_parsed_lives(text: str) -> None:
    assert language_of("python").trial(snapshot(text)) == "lives"
    assert parse_file(text, language_of("python")).tree is not None


@pytest.mark.skipif(sys.platform != "linux", reason="nothing else bounds a process's memory")
def test_what_takes_a_gigabyte_once_a_key_is_typed_in_it_is_read_without_a_tree() -> None:
    assert language_of("typescriptreact").trial(snapshot("<div>" * 16_000)) == "dies"


class Deadly(Python):
    """Its texts end a process where they say so."""

    def __init__(self) -> None:
        self.tried = list[str]()

    def trial(self, snapshot: Snapshot) -> Trial:
        self.tried.append(snapshot.text)
        return "dies" if "death" in snapshot.text else "lives"


def test_a_document_that_was_died_of_has_no_tree_until_it_is_opened_again() -> None:
    language = Deadly()
    parser = Parser(lambda *_: language)
    now = snapshot("x = 'death'\n")
    assert parser.parse(now).tree is None
    for typed in ("a", "b"):
        old = now
        now, edits = old.changed([ContentChange(Range(Position(1, 0), Position(1, 0)), typed)], old.version + 1)
        assert parser.update(old, now, edits).tree is None
        assert parser.parse(now).tree is None
    assert language.tried == ["x = 'death'\n"]
    parser.forget(URI)
    assert parser.parse(now).tree is None
    assert len(language.tried) == 2


def test_what_is_typed_is_tried_by_nobody_and_what_is_pasted_is() -> None:
    language = Deadly()
    parser = Parser(lambda *_: language)
    now = snapshot("x = 1\n")
    parser.parse(now)
    for typed in ("y", " = ", "2\n", "# death\n", "# more\n" * 1_000):
        old = now
        now, edits = old.changed([ContentChange(Range(Position(1, 0), Position(1, 0)), typed)], old.version + 1)
        parsed = parser.update(old, now, edits)
        assert (parsed.tree is None) == ("more" in typed)
    assert language.tried == ["x = 1\n", now.text]


def test_a_file_that_was_died_of_has_no_tree() -> None:
    language = Deadly()
    assert parse_file("x = 'death'\n", language).is_hurried
    assert parse_file("x = 1\n", language).tree is not None
