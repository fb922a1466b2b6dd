"""The cache and the context as pages of text, whose pieces have kinds."""

from typing import Any

from palimpsest.window import cache_page, context_page, why_page
from palimpsest.window.page import Page, bar

LAST = {"reused": 30, "decoded": 10, "ms": 12.6}
NONE = {"reused": 0, "decoded": 0, "ms": 0.0}
CACHE: dict[str, Any] = {
    "n_ctx": 64,
    "used": 24,
    "spans": [
        {"start": 0, "end": 4, "type": "", "name": "", "state": "header"},
        {"start": 4, "end": 16, "type": "class", "name": "shop.Cart", "state": "attached"},
        {"start": 56, "end": 64, "type": "", "name": "", "state": "tail"},
    ],
    "free": [[16, 40], [44, 56]],
    "stored": {"blocks": 2, "bytes": 3 * 2**19},
    "stats": {"reused": 0, "decoded": 0, "restored": 1, "moved": 2, "evicted": 3},
    "engine": {"decoded": 100},
    "again": {"headers": 5, "blocks": 0, "tails": 20},
}
BLOCK = {"type": "class", "name": "shop.Cart", "state": "resident", "source": "pin", "tokens": 12, "span": [4, 16]}
SHOWN = {
    "editing": {"type": "function", "name": "Cart.total", "file": "shop/cart.py"},
    "blocks": [BLOCK, {**BLOCK, "name": "a\nb", "state": "wanted", "source": "", "span": None}],
}
USAGE = {
    "total": 100,
    "used": 50,
    "parts": {"system": 10, "blocks": 60, "tail": {"used": 0, "budget": 40}},
    "budgets": {"blocks": 30, "tail": 40},
    "estimated": True,
}
OTHER = {**BLOCK, "type": "package", "name": "shop.prices", "state": "left out", "span": None}
HOLDER = {
    "block": BLOCK,
    "source": "class",
    "outcome": "chosen",
    "declares": True,
    "text": "def total",
    "instead": None,
}
WHY: dict[str, Any] = {
    "name": "total",
    "summary": "The model sees it in class shop.Cart.",
    "editing": {"type": "function", "name": "Cart.add", "file": "shop/cart.py"},
    "uses": ["", "cart", None],
    "own_line": 4,
    "definitions": [{"file": "shop/cart.py", "line": 4, "kind": "method", "name": "Cart.total", "test": False}],
    "n_definitions": 3,
    "complete": False,
    "imports": [{"module": "shop", "line": 0, "origin": "nowhere"}],
    "blocks": [
        {**HOLDER, "place": 1},
        {
            **HOLDER,
            "block": OTHER,
            "outcome": "same name",
            "declares": False,
            "place": 0,
            "instead": {"type": "package", "name": "shop"},
        },
    ],
    "n_blocks": 5,
    "order": [
        {"type": "class", "name": "shop.Cart", "tokens": 12, "value": 90.5, "chosen": True},
        {"type": "package", "name": "shop.prices", "tokens": 40, "value": 80.0, "chosen": False},
        {"type": "scope", "name": "shop.cart", "tokens": 4, "value": 64.0, "chosen": True},
    ],
    "tokens": 16,
    "budget": 20,
    "sources": [
        {"source": "pin", "setting": "file", "on": True, "blocks": 0, "having": 0, "why_not": ""},
        {"source": "class", "setting": "class", "on": True, "blocks": 2, "having": 1, "why_not": ""},
        {"source": "package", "setting": "package", "on": False, "blocks": 1, "having": 0, "why_not": "it is off"},
    ],
}


def kinds(page: Page, text: str) -> list[tuple[str, str]]:
    """The pieces of the line that has this text."""
    at = next(i for i, line in enumerate(page.lines) if text in line)
    return [(page.lines[at][mark.start : mark.end], mark.kind) for mark in page.marks if mark.line == at]


def test_each_cell_of_the_grid_is_what_most_of_its_positions_are() -> None:
    spans = [
        {"start": 0, "end": 5, "type": "class", "state": "attached"},
        {"start": 5, "end": 8, "type": "", "state": "tail"},
    ]
    assert cache_page.grid(spans, 16, 4) == ["class", "editing", "", ""]
    assert cache_page.grid(spans, 16, 2) == ["class", ""]
    assert cache_page.grid(spans, 16, 16) == ["class"] * 5 + ["editing"] * 3 + [""] * 8
    assert cache_page.grid([], 0, 2) == ["", ""]


def test_the_cache_is_a_grid_a_legend_sums_and_spans() -> None:
    page = cache_page.page(CACHE, LAST, 8)
    assert page.lines[:8] == ["████████", "████████", *["········"] * 5, "████████"]
    first = [(mark.start, mark.end, mark.kind) for mark in page.marks if mark.line == 0]
    assert first == [(0, 4, "header"), (4, 8, "class")]
    assert [line.rstrip() for line in page.lines[9:13]] == ["█ header", "█ class", "█ the code at the cursor", "· free"]
    assert cache_page.page(CACHE, LAST, 64).lines[9] == "█ header  █ class  █ the code at the cursor  · free  "
    assert kinds(page, "used ") == [
        ("█" * 9, "used"), ("░" * 15, "free"), (" 24 of 64 positions, 36 free in 2 holes", "dim"),
    ]  # fmt: skip
    assert kinds(page, "last ")[2] == (" 30 reused, 10 decoded, 13 ms", "dim")
    assert kinds(page, "again ")[2] == (" 25 of 100 decoded twice", "dim")
    assert [line.split()[0] for line in page.lines if cache_page.AGAIN["tails"] in line] == ["20"]
    assert not any(cache_page.AGAIN["blocks"] in line for line in page.lines)
    other_engine = {**CACHE, "engine": {}, "again": dict.fromkeys(CACHE["again"], 0)}
    assert not any(line.startswith("again ") for line in cache_page.page(other_engine, LAST, 8).lines)
    assert kinds(page, "stored ") == [("stored    2 blocks, 1.5 MiB in host memory", "stored")]
    assert kinds(page, "shop.Cart") == [("     4–16     ", "dim"), ("class         ", "class")]
    assert not any(line.startswith("last ") for line in cache_page.page(CACHE, NONE, 8).lines)


def test_the_context_is_the_code_budgets_and_blocks_with_links() -> None:
    page = context_page.page(SHOWN, USAGE, NONE)
    assert kinds(page, "Cart.total") == [("function Cart.total", "title"), ("  shop/cart.py", "dim")]
    assert kinds(page, "context ") == [("█" * 7, "used"), ("░" * 7, "free"), (" 50 / 100", "dim")]
    assert kinds(page, "blocks ") == [("█" * 14, "used"), (" 60 / 30", "dim")]  # over its budget, the bar is full
    assert kinds(page, "Budgets") == [("Budgets", "title"), ("  estimated", "dim")]
    assert kinds(page, "shop.Cart") == [
        ("● ", "class"), ("class         ", "class"), ("  pinned", "pinned"), ("  12 tokens  4–16", "dim"),
    ]  # fmt: skip
    assert [(page.lines[line], block["name"]) for line, block in page.links.items()] == [
        ("● class          shop.Cart  pinned  12 tokens  4–16", "shop.Cart"),
        ("○ class          a b  12 tokens", "a\nb"),
    ]
    assert kinds(context_page.page(SHOWN, USAGE, LAST), "last answer")[1][1] == "busy"


def test_why_is_a_sentence_definitions_blocks_and_sources() -> None:
    page = why_page.page(WHY)
    assert page.title == "Why: total"
    assert (
        page.text
        == """\
total  for function Cart.add, shop/cart.py
The model sees it in class shop.Cart.

Defined in the workspace (3)  so far: the index is not complete
  shop/cart.py:5  method Cart.total
  and 2 more
  in line 5 of this file
  imported in line 1: shop, which leads to no file that a model may see
  used by itself, behind cart, behind a value

Blocks that have it (5)
● class          shop.Cart  12 tokens, from class
    def total
✗ package        shop.prices  12 tokens, from class  only mentions it  left out: there is a better block of its name: \
package shop
    def total
  and 3 more
● in the cache  ◐ stored  ○ wanted  ✗ left out

Sources
  class         2 blocks, 1 with the name
  package       off (context.sources is without `package`)  1 block, none with the name: it is off
  no block, whatever the name: pin
"""
    )
    assert [(page.lines[line].split()[0], block["name"]) for line, block in page.links.items()] == [
        ("●", "shop.Cart"),
        ("✗", "shop.prices"),
    ]


def test_what_came_before_is_told_where_there_is_no_room() -> None:
    left_out = {**HOLDER, "block": OTHER, "outcome": "no room", "place": 2}
    page = why_page.page({**WHY, "blocks": [left_out]})
    at = page.lines.index("What came before  16 of 20 tokens are taken")
    assert page.lines[at + 1 : at + 4] == [
        "  1 ● class          shop.Cart  12 tokens, worth 90.5",
        "  2 ✗ package        shop.prices  40 tokens, worth 80.0",
        "",
    ]
    assert "What came before" not in why_page.page({**WHY, "blocks": [left_out, {**HOLDER, "place": 1}]}).text


def test_a_bar_of_nothing_is_empty_and_never_longer_than_its_width() -> None:
    assert [bar(1, 0, 3), bar(0, 9, 3), bar(5, 10, 4), bar(20, 10, 3), bar(-1, 10, 3)] == [
        "░░░", "░░░", "██░░", "███", "░░░",
    ]  # fmt: skip


def test_budgets_are_rows_of_a_list_and_little_is_not_nothing() -> None:
    assert context_page.budget_rows(USAGE) == [
        {"label": "Context", "about": "▰▰▰▱▱▱ 50 of 100"},
        {"label": "Blocks", "about": "▰▰▰▰▰▰ 60 of 30"},
        {"label": "Code at the cursor", "about": "▱▱▱▱▱▱ 0 of 40"},
        {"label": "Instructions", "about": "▰▱▱▱▱▱ 10 of 100"},
    ]
    little = {**USAGE, "total": 4096, "used": 1}
    assert context_page.budget_rows(little)[0]["about"] == "▰▱▱▱▱▱ 1 of 4,096"


def test_a_block_of_a_list_says_its_tokens_kind_and_state() -> None:
    assert context_page.about("class", 1539, "resident") == "1,539 tokens · class"
    assert context_page.about("filesystem", 1, "stored") == "1 token · file tree · kept in memory"
    assert context_page.about("file", 2, "left out") == "2 tokens · file · no room"
