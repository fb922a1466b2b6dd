"""A language that is added by one folder: a table and a query file."""

from __future__ import annotations

import pytest

from palimpsest.completions.inline import trim
from palimpsest.context.editing.block import editing_at
from palimpsest.context.sources.skeleton import skeleton
from palimpsest.languages import registry
from palimpsest.syntax.calls import calls, functions
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in, visible
from palimpsest.syntax.parse import Language, Parsed, parse_text
from palimpsest.syntax.scopes import scope_at, scopes, signature
from palimpsest.syntax.shape import shape_at
from palimpsest.syntax.unknown import unbound_in
from palimpsest.syntax.uses import uses
from palimpsest.syntax.values import Scope
from palimpsest.types import Editing

SHOP = """\
import { total, tax as rate } from "./money.js";
import shop from "./shop";

const LIMIT = 10;

class Cart extends Base {
  size = 0;

  constructor(owner) {
    this.owner = owner;
  }

  add(
    item,
    count = 1,
  ) {
    const price = total(
      item,
    );
    /* } */ const mark = "}";
    this.size += count;
    return price * rate;
  }
}

async function main(cart) {
  cart.add(LIMIT, Math.max(1, 2));
}
"""


@pytest.fixture
def shop(toy: Language) -> Parsed:
    return parse_text(SHOP, toy)


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(SHOP.split("\n")) if text in line)


def editing(parsed: Parsed, text: str, max_tokens: int = 900) -> Editing:
    return editing_at(parsed, parsed.snapshot.position(SHOP.index(text)), "shop/cart.toy", max_tokens)


def found_scope(parsed: Parsed, name: str) -> Scope:
    return next(s for s in scopes(parsed) if s.name == name)


def test_it_is_found_by_its_id_and_by_its_files(toy: Language) -> None:
    assert toy.id == "toy"
    assert toy.grammar is not None
    assert registry.language_of("", "a/b.toy") is toy
    assert registry.language_of("python") is not toy


def test_scopes_and_signatures(shop: Parsed) -> None:
    found = [(s.kind, s.qualified_name, s.start_line, s.end_line, signature(shop, s)) for s in scopes(shop)]
    assert found[1:] == [
        ("class", "Cart", 5, 24, "class Cart extends Base"),
        ("function", "Cart.constructor", 8, 11, "constructor(owner)"),
        ("function", "Cart.add", 12, 23, "add( item, count = 1, )"),
        ("function", "main", 25, 28, "async function main(cart)"),
    ]
    assert scope_at(shop, line_of("this.size"), 4).qualified_name == "Cart.add"
    assert shop.language.bases(shop, found_scope(shop, "Cart")) == {"Base"}


def test_names(shop: Parsed) -> None:
    assert [(item.module, item.name, item.bound) for item in imports(shop)] == [
        ("./money.js", "total", "total"),
        ("./money.js", "tax", "rate"),
        ("./shop", None, "shop"),
    ]
    assert [(v.name, v.kind, v.signature) for v in visible(shop, found_scope(shop, "add"))] == [
        ("item", "parameter", "item"),
        ("count", "parameter", "count = 1"),
        ("price", "local", "price = total(...)"),
        ("mark", "local", 'mark = "}"'),
        ("this.size", "attribute", "this.size = 0"),
        ("this.owner", "attribute", "this.owner = owner"),
        ("this.constructor", "method", "constructor(owner)"),
        ("this.add", "method", "add( item, count = 1, )"),
        ("Cart", "class", "class Cart extends Base"),
        ("main", "function", "async function main(cart)"),
        ("LIMIT", "constant", "LIMIT = 10"),
        ("total", "import", 'import { total, tax as rate } from "./money.js";'),
        ("rate", "import", 'import { total, tax as rate } from "./money.js";'),
        ("shop", "import", 'import shop from "./shop";'),
    ]
    assert names_in(shop, line_of("return price"), line_of("return price") + 1) == {"price", "rate"}
    assert [(use.line, use.role) for use in uses(shop, "LIMIT")] == [(3, "assigned"), (26, "use")]
    assert uses(shop, "rate")[0].role == "import"
    assert [one.name for one in unbound_in(shop, 0, shop.snapshot.line_count)] == ["Base"]


def test_calls(shop: Parsed) -> None:
    line = line_of("cart.add")
    assert [(call.name, [a.text for a in call.arguments]) for call in calls(shop, line, line + 1)] == [
        ("add", ["LIMIT", "Math.max(1, 2)"]),
        ("max", ["1", "2"]),
    ]
    assert [(f.name, f.is_async, [p.name for p in f.parameters]) for f in functions(shop)] == [("main", True, ["cart"])]


def test_the_interface_of_a_class(shop: Parsed) -> None:
    texts = [line.text for line in skeleton(shop, found_scope(shop, "Cart"))]
    assert texts == [
        "class Cart extends Base {",
        "  size = 0;",
        "  owner",
        "  constructor(owner) { ... }",
        "  add( item, count = 1, ) { ... }",
        "}",
    ]


def test_the_editing_block_of_a_function_is_all_of_it(shop: Parsed) -> None:
    block = editing(shop, "this.size += count")
    assert (block.type, block.name) == ("function", "Cart.add")
    assert [line.text for line in block.lines] == SHOP.split("\n")[12:23]


def test_the_editing_block_of_a_class_has_its_own_lines_and_headers(shop: Parsed) -> None:
    block = editing(shop, "size = 0")
    assert (block.type, block.name) == ("class", "Cart")
    assert [line.text for line in block.lines] == [
        "class Cart extends Base {",
        "  size = 0;",
        "",
        "  constructor(owner) {",
        "    ...",
        "  }",
        "",
        "  add(",
        "    item,",
        "    count = 1,",
        "  ) {",
        "    ...",
        "  }",
        "}",
    ]


def test_a_long_function_is_cut_between_its_statements(toy: Language) -> None:
    body = "".join(f"  call_{n}(\n    first,\n  );\n" for n in range(100))
    parsed = parse_text(f"function long(first) {{\n{body}}}\n", toy)
    block = editing_at(parsed, parsed.snapshot.position(parsed.snapshot.text.index("call_50(")), "a.toy", 200)
    texts = [line.text for line in block.lines]
    assert texts[0] == "function long(first) {"
    assert texts.count("  ...") == 2
    assert texts[texts.index("  ...") + 1].startswith("  call_")
    assert len(texts) < 100


def test_a_completion_ends_where_its_block_does(toy: Language) -> None:
    text = " {\n  return `}\n`;\n}\nlet x = 1;\n"
    assert trim(text, prefix="function f()", suffix="\n", multiline=True, language=toy)[0] == " {\n  return `}\n`;\n}"
    assert trim("f(1)) + 2", prefix="x = g(", suffix=")", multiline=False, language=toy)[0] == "f(1)"
    assert trim("1; // (\ny", prefix="x = ", suffix="", multiline=False, language=toy)[0] == "1; // ("


def test_an_empty_body_misses_a_block(toy: Language) -> None:
    for before, after, missing in (
        ("function f() {\n  ", "\n}\n", "block"),
        ("function f() {", "\n}\n", "block"),
        ("function f() { // why", "\n}\n", "line"),
        ("function f() {}", "\n", "line"),
        ("function f() {\n  g();", "\n}\n", "line"),
    ):
        parsed = parse_text(before + after, toy)
        assert shape_at(parsed, parsed.snapshot.position(len(before))) == missing, before
