"""What is read off a broken source costs in proportion to its length: a person types in it, or has pasted a log."""

from __future__ import annotations

import pytest
from tests.counting import steps
from tree_sitter import Node

from palimpsest.languages.registry import language_of, languages

# no door: a query takes no node but tree-sitter's own, so that only what asks nodes can be watched
from palimpsest.syntax.definitions import _led_line, all_headers, headers_at, headers_between
from palimpsest.syntax.names import visible
from palimpsest.syntax.parse import Language, Parsed, parse_text
from palimpsest.syntax.scopes import scope_at

SOURCES: dict[str, str] = {
    "errors": "a: &b [*c, {\n",
    "one line": "x = f( [ { ' ",
    "brackets": "([{\n",
    "nothing but indentation": "  x\n    y\n",
    "half definitions": "def f():\n  x\0y\n",
    "comments in between": "# a\n)\n// b\n}\n",
    "a chain of members": "a.b.c.\n.d.\n",
    "a log": "2026-11-25 12:00:01,003 ERROR [main] shop.Cart: {id=7} 'x' at 0x7f\n",
}
N = 60


def read(parsed: Parsed) -> None:
    line = parsed.snapshot.line_count // 2
    all_headers(parsed)
    headers_at(parsed, line)
    headers_between(parsed, line, line + 5)
    scope_at(parsed, line, 0)


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.id)
def test_twice_the_lines_are_at_most_twice_the_work(language: Language) -> None:
    wrong = []
    for name, piece in SOURCES.items():
        parses = [parse_text(piece * n, language) for n in (N, 2 * N)]
        nodes = [1 if parsed.root is None else parsed.root.descendant_count for parsed in parses]
        once, twice = (steps(lambda parsed=parsed: read(parsed)) for parsed in parses)  # type: ignore[misc]
        if twice > 1.1 * once * max(2.0, nodes[1] / nodes[0]):  # a parser may give up on more of a shorter text
            wrong.append(f"{name}: {once} steps, and {twice} for twice as much")
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("head", ["namespace a{} {{", "class A{} {{", "void f{}() {{"])
def test_twice_as_deep_is_at_most_twice_the_work_for_the_names_in_sight(head: str) -> None:
    def names(depth: int) -> int:
        lines = [*(head.format(n) for n in range(depth)), "int f(int x) {", "  return x;", "}", *(["};"] * depth)]
        parsed = parse_text("\n".join(lines), language_of("cpp"))
        scope = scope_at(parsed, depth + 1, 2)
        assert scope.name == "f" or head.startswith("void")
        return steps(lambda: visible(parsed, scope))

    names(2 * N)  # queries are compiled
    assert names(4 * N) < 2.2 * names(2 * N)


class Watched:
    """A node that notes when it is asked for the one above or beside it, which it looks for from the root on."""

    asked: list[str] = []  # noqa: RUF012  # emptied by each test

    def __init__(self, node: Node) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Watched) and self.node == other.node

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> object:
        if name in ("parent", "next_sibling", "prev_sibling"):
            self.asked.append(name)
        found = getattr(self.node, name)
        if callable(found):
            return lambda *given: watched(found(*(it.node if isinstance(it, Watched) else it for it in given)))
        return watched(found)


def watched(found: object) -> object:
    return Watched(found) if isinstance(found, Node) else found


@pytest.mark.parametrize("language_id", ["javascript", "c", "cpp", "csharp", "go", "java", "kotlin", "rust"])
def test_the_way_up_from_a_line_is_not_looked_for_from_the_root_at_each_step(
    monkeypatch: pytest.MonkeyPatch, language_id: str
) -> None:
    parsed = parse_text("a.b.c.\n.d.\n" * N + "// a\n" * 20, language_of(language_id))
    root = parsed.root
    assert root is not None
    Watched.asked.clear()
    # no door: a tree gives no root but its own
    monkeypatch.setattr(Parsed, "root", property(lambda _: Watched(root)))
    assert _led_line(parsed, N) == N
    assert len(Watched.asked) <= 2
