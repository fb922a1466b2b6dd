"""The parse of a document that counts as large while somebody types what takes long to understand."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import cast

import pytest
import tree_sitter
from tree_sitter import Tree

from bench.gathering.long_file import long_file
from bench.gathering.long_styles import LANGUAGES
from palimpsest.languages.registry import language_of
from palimpsest.syntax import parse, parser
from palimpsest.syntax.definitions import all_headers
from palimpsest.syntax.indentation import is_worse
from palimpsest.syntax.parse import Parsed, parse_text, parse_with
from palimpsest.syntax.parser import MOST_LINES, Parser
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

STEP = "    def step(self, item: int) -> int:\n        total = item\n        return total\n"
LARGE = "class A:\n" + STEP + "".join(f"\n\nclass B{n}:\n{STEP}" for n in range(240))
URI = "file:///a.py"


class Typing:
    """A document that is typed into, at the end of a line."""

    def __init__(self, patience: str, text: str, line: int, language: str = "python") -> None:
        self.parser = Parser(language_of, large=20_000, patience_s=-1.0 if patience == "late" else 600.0)
        self.now = Snapshot(URI, 1, language_of(language).id, text)
        self.at = Position(line, len(self.now.lines[line]))
        self.parser.parse(self.now)

    def type(self, text: str) -> Parsed:
        old = self.now
        self.now, edits = old.changed([ContentChange(Range(self.at, self.at), text)], old.version + 1)
        self.at = self.now.position(old.offset(self.at) + len(text))
        self.parser.update(old, self.now, edits)
        return self.parser.hurried(self.now)

    @property
    def scope(self) -> str:
        return scope_at(self.parser.hurried(self.now), self.at.line, self.at.column).qualified_name


@pytest.fixture(params=["late", "in time"])
def patience(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_scope_stays_while_a_line_is_not_right_yet(patience: str) -> None:
    typing = Typing(patience, LARGE, 2)
    for text in ("\n        x = f", "(", "[1, ", "item", "\n            + 2", ", {"):
        parsed = typing.type(text)
        assert typing.scope == "A.step"
        assert parsed.snapshot is typing.now
        assert parsed.root is not None
        assert parsed.text_of(parsed.root) == typing.now.text
    assert typing.parser.hurried(typing.now).is_hurried
    exact = typing.parser.parse(typing.now)
    assert not exact.is_hurried
    assert exact.root is not None
    assert exact.root.has_error
    typing.type("}])")
    exact = typing.parser.parse(typing.now)
    assert exact.n_errors == 0
    assert typing.parser.hurried(typing.now) is exact, "what is right again needs no other tree"


def test_every_place_moves_along(patience: str) -> None:
    typing = Typing(patience, LARGE, 2)
    parsed = typing.type("\n        x = f(")
    below = typing.now.line_count - 4
    scope = scope_at(parsed, below, 0)
    assert scope.qualified_name == "B239.step"
    assert typing.now.lines[scope.def_line] == STEP.split("\n", maxsplit=1)[0]


def test_somewhere_else_and_after_many_lines_it_is_parsed_as_it_is(patience: str) -> None:
    typing = Typing(patience, LARGE, 2)
    assert typing.type("\n        x = f(").is_hurried
    typing.parser.parse(typing.now)
    typing.at = Position(100, len(typing.now.lines[100]))
    assert typing.type("  # y").is_hurried == (patience == "late")
    typing = Typing(patience, LARGE, 2)
    typing.type("\n        x = f(")
    assert not typing.type("\n            1," * MOST_LINES).is_hurried


def test_a_small_document_is_always_parsed(patience: str) -> None:
    typing = Typing(patience, "class A:\n" + STEP, 2)
    assert not typing.type("\n        x = f(").is_hurried


@pytest.mark.parametrize("language", [it for it in LANGUAGES if language_of(it).grammar is not None])
def test_whatever_happened_a_parse_is_that_of_the_text(
    tmp_path_factory: pytest.TempPathFactory, patience: str, language: str
) -> None:
    text = long_file(tmp_path_factory.mktemp("long"), 1_000, language).read_text("utf-8")
    line = next(n for n, it in enumerate(text.split("\n")) if "amount" in it)
    typing = Typing(patience, text, line, language)
    for typed in ("\n", *LANGUAGES[language].typed, "\n", "("):
        typing.type(typed)
    known = typing.parser.parse(typing.now)
    fresh = Parser(language_of).parse(typing.now)
    assert known.root is not None
    assert fresh.root is not None
    assert known.root.end_byte == fresh.root.end_byte == len(typing.now.utf8)
    assert known.n_errors > 0
    assert not known.is_hurried


@pytest.mark.parametrize("language", ["python", "javascript", "c", "lua", "bash", "kotlin"])
def test_no_text_is_read_much_longer_than_sound_code(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    """Counted in looks at the clock, one for each hundred steps of a parser; the text is tried in five parts."""
    looks = 0

    def look() -> float:
        nonlocal looks
        looks += 1
        return float(looks)

    # no door: a clock that goes on by itself counts time, not work
    monkeypatch.setattr(parse.time, "thread_time", look)
    monkeypatch.setattr(parse, "PATIENCE_S", 100.0)
    monkeypatch.setattr(parse, "PATIENCE_PER_BYTE_S", 0.0)
    assert parse_text("# a\n" * 2_000, language_of("python")).tree is not None
    late = False
    for piece in ("src/*\n", "{[(<" * 6 + "\n", "@a(\n", 'x <<EOF\n$(y "\n<<-A <<B\n'):
        looks = 0
        parsed = parse_text(piece * (60_000 // len(piece)), language_of(language))
        assert looks <= 5 * 105
        assert parsed.is_hurried == (parsed.tree is None)
        late |= parsed.is_hurried
    assert late or language == "python"


class Reading:
    """A parser that notes how far it has read."""

    def __init__(self, language: str) -> None:
        grammar = language_of(language).grammar
        assert grammar is not None
        self.parser, self.furthest = tree_sitter.Parser(grammar), 0

    def parse(
        self, read: Callable[[int, object], bytes], *, progress_callback: Callable[[int, bool], bool] | None = None
    ) -> Tree:
        def noted(offset: int, point: object) -> bytes:
            piece = read(offset, point)
            self.furthest = max(self.furthest, offset + len(piece))
            return piece

        return self.parser.parse(noted, progress_callback=progress_callback)

    def reset(self) -> None:
        self.parser.reset()


@pytest.mark.parametrize(("language", "piece"), [("java", "end =>"), ("swift", "<<\n\n ."), ("csharp", "A<B<C<D<\n")])
def test_what_takes_long_only_at_its_end_is_given_up_at_a_part_of_it(language: str, piece: str) -> None:
    """As a whole, these take from 10 seconds to some minutes, behind the last look at the clock."""
    snapshot = Snapshot(URI, 1, language, piece * (40_000 // len(piece)))
    reading = Reading(language)
    # no door: what was read of a text shows in nothing but the time
    parsed = parse_with(cast("tree_sitter.Parser", reading), snapshot, language_of(language))
    assert parsed.tree is None
    assert parsed.is_hurried
    assert 0 < reading.furthest <= len(snapshot.text) / 4


def test_what_is_pasted_is_tried_in_parts_too() -> None:
    typing = Typing("in time", "class A { }\n" * 10, 2, "java")
    assert typing.type("end =>" * 4_000).tree is None
    assert typing.type(" ").tree is None


def test_a_text_that_takes_too_long_has_no_tree_and_is_not_tried_for_each_key(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = list[int]()
    parse_with = parser.parse_with

    def counted(kept: object, snapshot: Snapshot, *rest: object, is_tried: bool) -> Parsed:
        tried.append(snapshot.version)
        return parse_with(kept, snapshot, *rest, is_tried=is_tried)  # type: ignore[arg-type]

    # no door: whether a text was tried shows in nothing but the time; nobody else sets how long is too long
    monkeypatch.setattr(parser, "parse_with", counted)
    with monkeypatch.context() as late:
        # no door: see above
        late.setattr(parse, "PATIENCE_S", -1.0)
        typing = Typing("in time", "class A:\n" + STEP, 2)
        first = typing.parser.parse(typing.now)
        assert first.tree is None
        assert first.is_hurried
        assert typing.type("\n").tree is None
        assert typing.type("        x").tree is None
        assert typing.parser.parse(typing.now).tree is None
        assert typing.parser.parse(typing.now).tree is None
        assert tried == [1, 3]
        assert typing.type(" = 1").tree is None
    assert typing.parser.parse(typing.now).tree is not None
    assert typing.scope == "A.step"
    assert tried == [1, 3, 4]
    assert typing.type("  # y").tree is not None


def test_what_takes_too_long_is_no_better_than_what_has_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = parse_text("function f() { return 1; }\nfunction g() { return (; }\n", language_of("javascript"))
    # no door: nobody else sets how long is too long
    monkeypatch.setattr(parse, "PATIENCE_S", -1.0)
    late = parse_text("function f() {}\n", language_of("javascript"))
    assert is_worse(late, broken)
    assert not is_worse(late, late)
    assert "f" in {header.name for header in all_headers(broken)}


def test_a_parse_that_is_let_go_leaves_nothing_behind() -> None:
    """tree-sitter 0.26 gives a piece of a text that it was handed never back."""
    text = STEP * 100

    def parsed(n: int) -> int:
        for i in range(n):
            parse_text(f"{text}# {i:09}\n", language_of("python"))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = parsed(10)
        assert parsed(100) - before < 10 * len(text), "without that it is a hundred times"
    finally:
        tracemalloc.stop()
