"""The cache and the context as pages of text, whose pieces have kinds."""

from typing import Any

from palimpsest.window import cache_page, context_page
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
    assert page.lines[9] == "█ header  █ class  █ the code at the cursor  · free"
    assert kinds(page, "used ") == [
        ("█" * 9, "used"), ("░" * 15, "free"), (" 24 of 64 positions, 36 free in 2 holes", "dim"),
    ]  # fmt: skip
    assert kinds(page, "last ")[2] == (" 30 reused, 10 decoded, 13 ms", "dim")
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
    assert context_page.about("file", 2, "left out") == "2 tokens · file · left out"
