"""Kotlin: which scope a line is in, what is visible there, what a class shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.calls import functions
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, scope_at, scopes
from tests.languages.reading import (
    editing,
    interface,
    line_of,
    missing,
    names_at,
    outline,
    parsed_as,
    sample,
    scope_named,
    type_it,
)

CART = Path(__file__).parent / "samples" / "Cart.kt"


@pytest.fixture(scope="module")
def cart() -> Parsed:
    return sample(CART)


def test_the_scopes_of_a_file(cart: Parsed) -> None:
    assert outline(cart) == [
        ("class", "Discount", 8, 19),
        ("class", "Discount.STAFF", 13, 16),
        ("function", "Discount.STAFF.reduce", 15, 15),
        ("function", "Discount.reduce", 18, 18),
        ("class", "Priced", 21, 25),
        ("function", "Priced.rounded", 24, 24),
        ("class", "Line", 27, 41),
        ("function", "Line.rounded", 34, 40),
        ("class", "Cart", 43, 121),
        ("function", "Cart.init", 60, 62),
        ("function", "Cart.constructor", 64, 66),
        ("class", "Cart.companion", 68, 72),
        ("function", "Cart.companion.empty", 71, 71),
        ("function", "Cart.add", 74, 96),
        ("function", "Cart.find", 98, 104),
        ("function", "Cart.iterator", 106, 112),
        ("function", "Cart.iterator.hasNext", 109, 109),
        ("function", "Cart.iterator.next", 111, 111),
        ("function", "Cart.changed", 114, 120),
        ("class", "Carts", 123, 127),
        ("function", "Carts.of", 126, 126),
        ("function", "price", 133, 133),
    ]
    assert cart.language.bases(cart, scope_named(cart, "Cart")) == {"Basket", "Iterable"}
    assert cart.language.packages(cart) == ["shop.cart"]


def test_annotations_and_documentation_belong_to_a_definition(cart: Parsed) -> None:
    assert scope_at(cart, line_of(cart, "@Deprecated"), 0).qualified_name == "Cart.add"
    assert scope_at(cart, line_of(cart, "Adds a line."), 0).qualified_name == "Cart.add"
    assert docstring(cart, scope_named(cart, "Cart")) == "Lines of a customer.\n\nNot safe for use by several threads."


def test_imports(cart: Parsed) -> None:
    assert [(item.module, item.name, item.bound) for item in imports(cart)] == [
        ("kotlin.math", "max", "max"),
        ("shop.money", "Money", "Money"),
        ("shop.stock", "*", "*"),
        ("shop.money", "sum", "total"),
    ]


def test_visible_names_have_types_as_the_language_writes_them(cart: Parsed) -> None:
    assert names_at(cart, "lines.add(line)") == [
        "parameter: article: String",
        "parameter: count: Int",
        "parameter: tests: (Line) -> Boolean",
        "local: known",
        "local: line = Line(...)",
        "local: index",
        "local: test",
        "attribute: lines: MutableList<Line>",
        "attribute: last: Line?",
        "attribute: size",
        "attribute: discount: Discount",
        "method: init",
        "class: companion object",
        "method: fun add( article: String, count: Int = 1, vararg tests: (Line) -> Boolean, ): Line",
        "method: suspend fun find(name: String): Line?",
        "method: override fun iterator(): Iterator<Line>",
        "method: private fun changed()",
        "class: enum class Discount(val percent: Int)",
        "class: interface Priced<T>",
        "class: data class Line(val article: String, var count: Int = 1) : Priced<Long>",
        "class: class Cart<T : Any>(private val owner: String, discount: Discount) : Basket(owner), Iterable<Line>",
        "class: object Carts",
        "function: fun Carried.price(): Long",
        "constant: FREE_FROM = 5_000L",
        "import: import kotlin.math.max",
        "import: import shop.money.Money",
        "import: import shop.money.sum as total",
    ]


def test_parameters_with_defaults_and_several_values(cart: Parsed) -> None:
    found = {function.name: function.parameters for function in functions(cart)}
    assert [(one.name, one.kind, one.value) for one in found["add"]] == [
        ("article", "plain", ""),
        ("count", "plain", "1"),
        ("tests", "star", ""),
    ]
    assert [(one.text, one.value) for one in found["Line"]] == [
        ("val article: String", ""),
        ("var count: Int = 1", "1"),
    ]


def test_a_class_shows_its_members_without_bodies(cart: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "// Lines of a customer.",
        '@Suppress("unused")',
        "class Cart<T : Any>(private val owner: String, discount: Discount) : Basket(owner), Iterable<Line> {",
        "    private val lines: MutableList<Line> = mutableListOf()",
        "    private var last: Line? = null",
        "    val size get() = lines.size",
        "    var discount: Discount = discount",
        "    init { ... }",
        "    constructor(owner: String) : this(owner, Discount.NONE) { ... }",
        "    companion object {",
        "        const val MOST_LINES = 200",
        "        fun empty(): Cart<Any> { ... }",
        "    }",
        "    /** Adds a line. */",
        '    @Deprecated("use plus")',
        "    fun add( article: String, count: Int = 1, vararg tests: (Line) -> Boolean, ): Line { ... }",
        "    suspend fun find(name: String): Line? { ... }",
        "    override fun iterator(): Iterator<Line> { ... }",
        "    private fun changed() { ... }",
        "}",
    ]
    assert interface(cart, "Priced") == [
        "interface Priced<T> {",
        "    val price: T",
        "    fun rounded(digits: Int): T",
        "}",
    ]
    assert interface(cart, "Discount") == [
        "/** What a customer pays less. */",
        "enum class Discount(val percent: Int) {",
        "    NONE(0),",
        "    REGULAR(5),",
        "    /** Who works here. */",
        "    STAFF(30) { ... }",
        "    open fun reduce(price: Long): Long { ... }",
        "}",
    ]


def test_editing_blocks(cart: Parsed) -> None:
    block = editing(cart, "known.count += count")
    assert (block.type, block.name) == ("function", "Cart.add")
    assert [shown.text for shown in block.lines] == list(cart.snapshot.lines[73:96])


def test_what_is_missing_at_the_cursor() -> None:
    assert missing("A.kt", "class A {\n  fun f() {|\n  }\n}\n") == "block"
    assert missing("A.kt", "class A {\n  fun f() {\n    |\n    g()\n  }\n}\n") == "line"
    assert missing("A.kt", "class A {\n  fun f() {\n    g(|)\n  }\n}\n") == "line"


def test_windows_line_ends_change_nothing(cart: Parsed) -> None:
    other = parsed_as("Cart.kt", cart.snapshot.text.replace("\n", "\r\n"))
    assert outline(other) == outline(cart)
    assert imports(other) == imports(cart)
    assert len(scopes(other)) == len(scopes(cart))


def test_typing_a_file_raises_nothing() -> None:
    type_it("Cart.kt", CART.read_text(encoding="utf-8"))
