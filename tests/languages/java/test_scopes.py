"""Java: which scope a line is in, what is visible there, what a class shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scope_at, signature
from tests.languages.reading import (
    editing,
    interface,
    line_of,
    lines_shown,
    missing,
    names_at,
    outline,
    parsed_as,
    sample,
    scope_named,
    type_it,
)

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="module")
def cart() -> Parsed:
    return sample(SAMPLES / "Cart.java")


@pytest.fixture(scope="module")
def shapes() -> Parsed:
    return sample(SAMPLES / "Shapes.java")


def test_the_scopes_of_a_class(cart: Parsed) -> None:
    assert cart.n_errors == 0
    assert outline(cart) == [
        ("class", "Cart", 11, 118),
        ("class", "Cart.Discount", 25, 46),
        ("class", "Cart.Discount.STAFF", 29, 35),
        ("function", "Cart.Discount.STAFF.percent", 31, 34),
        ("function", "Cart.Discount.Discount", 39, 41),
        ("function", "Cart.Discount.percent", 43, 45),
        ("function", "Cart.Cart", 48, 50),
        ("function", "Cart.Cart", 52, 56),
        ("function", "Cart.add", 58, 80),
        ("function", "Cart.find", 82, 86),
        ("function", "Cart.total", 88, 96),
        ("function", "Cart.empty", 98, 104),
        ("function", "Cart.iterator", 106, 109),
        ("function", "Cart.toString", 111, 117),
    ]


def test_interfaces_records_and_annotations_are_classes(shapes: Parsed) -> None:
    assert shapes.n_errors == 0
    found = {name: kind for kind, name, _, _ in outline(shapes)}
    assert [name for name, kind in found.items() if kind == "class"] == ["Shapes", "Circle", "Measured", "Reading"]
    functions = [name for name, kind in found.items() if kind == "function"]
    assert {"Shapes.area", "Circle.Circle", "Measured.unit", "Reading.read.run"} <= set(functions)
    assert shapes.language.bases(shapes, scope_named(shapes, "Circle")) == {"Shapes"}
    inner = parsed_as("a.java", "class A extends b.C<D> implements E, F.G<H> {}\ninterface I extends J, K<L> {}\n")
    assert inner.language.bases(inner, scope_named(inner, "A")) == {"C", "E", "G"}
    assert inner.language.bases(inner, scope_named(inner, "I")) == {"J", "K"}


def test_annotations_belong_to_a_definition_and_not_to_its_header(cart: Parsed, shapes: Parsed) -> None:
    assert scope_at(cart, line_of(cart, "@Deprecated"), 0).qualified_name == "Cart.total"
    assert signature(cart, scope_named(cart, "Cart.total")) == "public long total()"
    read = scope_named(shapes, "Reading.read")
    assert signature(shapes, read) == "int read(Reader reader, final String... names) throws IOException"
    one = parsed_as("a.java", "class A {\n  @Override public int size() { return 1; }\n}\n")
    assert signature(one, scope_named(one, "A.size")) == "public int size()"


def test_documentation_above_a_definition_belongs_to_it(cart: Parsed) -> None:
    assert scope_at(cart, line_of(cart, "@param article"), 0).qualified_name == "Cart.add"
    assert scope_at(cart, line_of(cart, "What a customer"), 0).qualified_name == "Cart"
    assert scope_at(cart, line_of(cart, "private Discount discount"), 0).qualified_name == "Cart"


def test_imports(cart: Parsed) -> None:
    found = [(item.module, item.name) for item in imports(cart)]
    assert found[-3:] == [("java.util", "Optional"), ("shop.stock", "Warehouse"), ("shop.money.Money", "sum")]
    star = parsed_as("a.java", "import java.util.*;\nimport static a.B.*;\nimport a.B.C;\n")
    assert [(item.module, item.name) for item in imports(star)] == [("java.util", "*"), ("a.B", "*"), ("a.B", "C")]


def test_visible_names_have_types_as_the_language_writes_them(cart: Parsed) -> None:
    assert names_at(cart, "var added") == [
        "parameter: Article article",
        "parameter: int count",
        "local: Line line",
        "local: added = new Line(...)",
        "attribute: int MOST_LINES",
        "attribute: int carts",
        "attribute: int emptied",
        "attribute: String owner",
        "attribute: List<Line> lines",
        "attribute: Discount discount",
        "class: public enum Discount",
        "method: public Line add( Article article, int count)",
        "method: public Optional<Line> find(String name)",
        "method: public long total()",
        "method: void empty(Warehouse warehouse)",
        "method: public java.util.Iterator<Line> iterator()",
        "method: public String toString()",
        "class: public class Cart implements Iterable<Line>",
        "import: import java.util.ArrayList;",
        "import: import java.util.Collections;",
        "import: import java.util.List;",
        "import: import java.util.Optional;",
        "import: import shop.stock.Warehouse;",
        "import: import static shop.money.Money.sum;",
    ]


def test_the_nearest_of_equal_names_is_visible(cart: Parsed) -> None:
    assert "parameter: int total" in names_at(cart, "return total > 100")
    assert "local: long total" in names_at(cart, "total += lines")
    assert "method: public long total()" not in names_at(cart, "total += lines")


def test_locals_of_lambdas_and_inner_classes_are_no_members(shapes: Parsed) -> None:
    members = [item for item in names_at(shapes, "protected final Map") if item.startswith("attribute")]
    assert members == [
        "attribute: Map<String, List<Circle<Integer>>> known",
        "attribute: Function<String, Double> parser",
    ]
    local = set(names_at(shapes, "Object last"))
    assert {
        "local: Object last",
        "local: List<?> list",
        "local: int count",
        "local: scanner = new Scanner(...)",
    } <= local


def test_names_used_are_those_without_a_head(cart: Parsed) -> None:
    line = line_of(cart, "equalsIgnoreCase")
    assert names_in(cart, line, line + 1) == {"line", "name"}
    line = line_of(cart, "public Optional<Line> find")
    assert names_in(cart, line, line + 1) == {"Optional", "Line", "String", "name"}


def test_a_class_shows_its_members_without_bodies(cart: Parsed, shapes: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "// What a customer has chosen so far.",
        "public class Cart implements Iterable<Line> {",
        "    private static final int MOST_LINES = 200;",
        "    private static int carts = 0, emptied;",
        "    private final String owner;",
        "    private final List<Line> lines = new ArrayList<>();",
        "    private Discount discount;",
        "    /** What a cart costs less. */",
        "    public enum Discount { ... }",
        "    public Cart(String owner) { ... }",
        "    public Cart(String owner, Discount discount) { ... }",
        "    public Line add( Article article, int count) { ... }",
        "    public Optional<Line> find(String name) { ... }",
        "    /** The total in cents, discount included. */",
        "    @Deprecated",
        "    public long total() { ... }",
        "    void empty(Warehouse warehouse) { ... }",
        "    @Override",
        "    public java.util.Iterator<Line> iterator() { ... }",
        "    @Override",
        "    public String toString() { ... }",
        "}",
    ]
    assert interface(shapes, "Measured") == [
        "@interface Measured {",
        '    String unit() default "cm";',
        "    int[] precision() default {1, 2};",
        "}",
    ]


def test_the_editing_block_of_a_method(cart: Parsed) -> None:
    block = editing(cart, "line.raise(count)")
    assert (block.type, block.name) == ("function", "Cart.add")
    assert [line.text for line in block.lines] == list(cart.snapshot.lines[57:80])


def test_the_editing_block_of_a_class_has_headers_only(cart: Parsed) -> None:
    assert lines_shown(cart, "REGULAR(5)") == [
        "    /** What a cart costs less. */",
        "    public enum Discount {",
        "        NONE(0),",
        "        REGULAR(5),",
        "        /** Who works here. */",
        "        STAFF(30) {",
        "            ...",
        "        };",
        "",
        "        final int percent;",
        "",
        "        Discount(int percent) {",
        "            ...",
        "        }",
        "",
        "        int percent(int total) {",
        "            ...",
        "        }",
        "    }",
    ]


def test_the_editing_block_of_the_file(cart: Parsed) -> None:
    block = editing(cart, "import shop.stock.Warehouse")
    assert (block.type, block.name) == ("file", "Cart")
    texts = [line.text for line in block.lines]
    assert texts[0] == "package shop.cart;"
    assert texts[-4:-1] == ["public class Cart implements Iterable<Line> {", "    ...", "}"]


def test_a_long_method_is_cut_between_its_statements() -> None:
    calls = "".join(f"        call{n}(\n            first);\n" for n in range(200))
    parsed = parsed_as("A.java", f"class A {{\n    void all() {{\n{calls}    }}\n}}\n")
    shown = lines_shown(parsed, "call100(", 200)
    assert shown[0] == "    void all() {"
    assert shown.count("        ...") == 2
    assert shown[shown.index("        ...") + 1].startswith("        call")


def test_what_is_missing_at_the_cursor() -> None:
    assert missing("A.java", "class A {\n  void f() {|\n  }\n}\n") == "block"
    assert missing("A.java", "class A {\n  void f() {\n    |\n  }\n}\n") == "block"
    assert missing("A.java", "class A {\n  void f() {\n    |\n    g();\n  }\n}\n") == "line"
    assert missing("A.java", "class A {\n  void f() {\n    g(|);\n  }\n}\n") == "line"
    assert missing("A.java", "class A {\n  void f() {\n    if (x) {|") == "block"
    assert missing("A.java", "class A {\n  void f() {\n  }\n\n  |\n\n  void g() {\n  }\n}\n") == "block"


def test_windows_line_ends_change_nothing(cart: Parsed) -> None:
    other = parsed_as("Cart.java", cart.snapshot.text.replace("\n", "\r\n"))
    assert outline(other) == outline(cart)
    assert interface(other, "Cart") == interface(cart, "Cart")
    assert imports(other) == imports(cart)


@pytest.mark.parametrize("name", ["Cart.java", "Shapes.java"])
def test_typing_a_file_raises_nothing(name: str) -> None:
    type_it(name, (SAMPLES / name).read_text(encoding="utf-8"))
