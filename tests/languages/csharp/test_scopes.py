"""C#: which scope a line is in, what is visible there, what a class shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.calls import functions
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, scope_at, signature
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
    return sample(SAMPLES / "Cart.cs")


@pytest.fixture(scope="module")
def line() -> Parsed:
    return sample(SAMPLES / "Line.cs")


def test_the_scopes_of_a_file(cart: Parsed) -> None:
    assert outline(cart) == [
        ("class", "Discount", 11, 18),
        ("class", "Cart", 20, 123),
        ("function", "Cart.Test", 36, 36),
        ("function", "Cart.Discount", 41, 49),
        ("function", "Cart.this", 51, 51),
        ("function", "Cart.Cart", 53, 59),
        ("function", "Cart.Add", 61, 86),
        ("function", "Cart.FindAsync", 88, 100),
        ("function", "Cart.FindAsync.Fits", 91, 91),
        ("function", "Cart.ToString", 102, 118),
        ("function", "Cart.==", 120, 120),
        ("function", "Cart.!=", 122, 122),
        ("class", "IPriced", 125, 130),
        ("function", "IPriced.Rounded", 129, 129),
    ]


def test_records_structs_and_partial_classes_are_classes(line: Parsed) -> None:
    assert [name for kind, name, _, _ in outline(line) if kind == "class"] == ["Line", "Point", "Lines"]
    assert line.language.bases(line, scope_named(line, "Line")) == {"IPriced"}
    other = parsed_as("a.cs", "class A : B.C<D>, IE, IF<G> {}\nrecord H(int I) : J(I), IK;\n")
    assert other.language.bases(other, scope_named(other, "A")) == {"C", "IE", "IF"}
    assert other.language.bases(other, scope_named(other, "H")) == {"J", "IK"}


def test_namespaces_are_packages(cart: Parsed, line: Parsed) -> None:
    assert cart.language.packages(cart) == ["Shop.Carts"]
    assert line.language.packages(line) == ["Shop.Carts"]


def test_attributes_and_documentation_belong_to_a_definition(cart: Parsed) -> None:
    assert scope_at(cart, line_of(cart, "[Obsolete("), 0).qualified_name == "Cart.Add"
    assert scope_at(cart, line_of(cart, "Puts an <paramref"), 0).qualified_name == "Cart.Add"
    assert signature(cart, scope_named(cart, "Cart.Cart")) == (
        "public Cart(string owner, Discount discount = Discount.None)"
    )
    assert docstring(cart, scope_named(cart, "Cart.Add")) == (
        "Puts an article into the cart.\n\nThe line that holds it."
    )
    assert (docstring(cart, scope_named(cart, "Cart")) or "").startswith("What a customer has chosen so far; see Line.")


def test_usings(cart: Parsed) -> None:
    assert [(item.module, item.name, item.bound) for item in imports(cart)][3:] == [
        ("System.Threading.Tasks", "*", "*"),
        ("Shop.Stock", "*", "*"),
        ("Shop.Money.Rounding", "*", "*"),
        ("Shop.Money", "RateTable", "Rates"),
    ]


def test_visible_names_have_types_as_the_language_writes_them(cart: Parsed) -> None:
    assert names_at(cart, "return found;") == [
        "parameter: string name",
        "parameter: tests",
        "local: int i",
        "local: found",
        "local: index",
        "function: bool Fits(Line line)",
        "attribute: int MostLines",
        "attribute: int carts",
        "attribute: int emptied",
        "attribute: List<Line> _lines",
        "attribute: Discount _discount",
        "attribute: EventHandler<Line>? Added",
        "attribute: string Owner",
        "attribute: int Count",
        "method: public delegate bool Test(Line line)",
        "method: public Discount Discount",
        "method: public Line this[int index]",
        "method: public Line Add( TArticle article, int count = 1)",
        "method: public async Task<Line?> FindAsync(string name, params Test[] tests)",
        "method: public override string ToString()",
        "method: public static bool operator ==(Cart<TArticle> a, Cart<TArticle> b)",
        "method: public static bool operator !=(Cart<TArticle> a, Cart<TArticle> b)",
        "class: public sealed class Cart<TArticle> : Basket, IEnumerable<Line> where TArticle : Article, new()",
        "class: public interface IPriced",
        "import: using Rates = Shop.Money.RateTable;",
    ]


def test_locals_without_a_type_show_what_made_them() -> None:
    text = "class A {\n  void F() {\n    var x = new B(1);\n    using var y = Open();\n    int z = 2;\n"
    text += "    for (var i = 0; i < 2; i++) {}\n  }\n}\n"
    shown = [item for item in names_at(parsed_as("a.cs", text), "int z") if item.startswith("local")]
    assert shown == ["local: x = new B(...)", "local: y = Open(...)", "local: int z", "local: i = 0"]


def test_names_used_are_those_without_a_head(cart: Parsed) -> None:
    number = line_of(cart, "line.Raise(count)")
    assert names_in(cart, number, number + 1) == {"line", "count"}
    number = line_of(cart, "Added?.Invoke(this, added)")
    assert names_in(cart, number, number + 1) == {"Added", "added"}


def test_a_function_is_found_once_and_known_to_be_asynchronous(cart: Parsed) -> None:
    found = [(function.name, function.is_async) for function in functions(cart)]
    assert found.count(("FindAsync", True)) == 1
    assert ("FindAsync", False) not in found
    assert ("Add", False) in found


def test_a_class_shows_its_members_without_bodies(cart: Parsed, line: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "    // What a customer has chosen so far; see Line.",
        "    [Serializable]",
        "    public sealed class Cart<TArticle> : Basket, IEnumerable<Line> where TArticle : Article, new() {",
        "        private const int MostLines = 200;",
        "        private static int carts, emptied = 0;",
        "        private readonly List<Line> _lines = new();",
        "        private Discount _discount;",
        "        public event EventHandler<Line>? Added;",
        '        public string Owner { get; init; } = "";',
        "        public int Count => _lines.Count;",
        "        public delegate bool Test(Line line);",
        "        public Discount Discount { ... }",
        "        public Line this[int index] { ... }",
        "        public Cart(string owner, Discount discount = Discount.None) { ... }",
        '        [Obsolete("use AddAsync")]',
        "        public Line Add( TArticle article, int count = 1) { ... }",
        "        public async Task<Line?> FindAsync(string name, params Test[] tests) { ... }",
        "        public override string ToString() { ... }",
        "        public static bool operator ==(Cart<TArticle> a, Cart<TArticle> b) { ... }",
        "        public static bool operator !=(Cart<TArticle> a, Cart<TArticle> b) { ... }",
        "    }",
    ]
    assert interface(cart, "IPriced") == [
        "    public interface IPriced {",
        "        long Price { get; }",
        "        long Rounded(int digits);",
        "    }",
    ]
    assert interface(line, "Line") == [
        "/// <summary>One article, and how often it is bought.</summary>",
        "public record Line(Article Article, int Count) : IPriced {",
        "    public bool Reserved { get; init; }",
        "    public long Price => Count * Article.Cents;",
        "    internal static int Total { get; private set; }",
        "    public long Rounded(int digits) { ... }",
        "    public void Raise(int count) { ... }",
        "}",
    ]


def test_editing_blocks(cart: Parsed) -> None:
    block = editing(cart, "line.Raise(count)")
    assert (block.type, block.name) == ("function", "Cart.Add")
    assert [shown.text for shown in block.lines] == list(cart.snapshot.lines[60:86])
    assert lines_shown(cart, "Regular = 5") == list(cart.snapshot.lines[10:18])
    block = editing(cart, "using Shop.Stock")
    assert (block.type, block.name) == ("file", "Cart")


def test_what_is_missing_at_the_cursor() -> None:
    assert missing("A.cs", "class A {\n  void F() {|\n  }\n}\n") == "block"
    assert missing("A.cs", "class A {\n  void F() {\n    |\n    G();\n  }\n}\n") == "line"
    assert missing("A.cs", "class A {\n  void F() {\n    G(|);\n  }\n}\n") == "line"
    assert missing("A.cs", "class A {\n  int X {|") == "block"


def test_windows_line_ends_change_nothing(cart: Parsed) -> None:
    other = parsed_as("Cart.cs", cart.snapshot.text.replace("\n", "\r\n"))
    assert outline(other) == outline(cart)
    assert interface(other, "Cart") == interface(cart, "Cart")
    assert imports(other) == imports(cart)


@pytest.mark.parametrize("name", ["Cart.cs", "Line.cs"])
def test_typing_a_file_raises_nothing(name: str) -> None:
    type_it(name, (SAMPLES / name).read_text(encoding="utf-8"))
