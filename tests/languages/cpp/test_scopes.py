"""C++: scopes inside namespaces and classes and outside of them, what is visible, what a class shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import aliases, scope_at, scopes, signature
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
    return sample(SAMPLES / "cart.cpp")


@pytest.fixture(scope="module")
def header() -> Parsed:
    return sample(SAMPLES / "cart.hpp")


def test_the_scopes_of_a_source(cart: Parsed) -> None:
    assert cart.n_errors == 0
    assert outline(cart) == [
        ("function", "EACH", 5, 5),
        ("namespace", "shop", 7, 84),
        ("function", "shop.is_same", 12, 12),
        ("function", "shop.Basket.~Basket", 16, 19),
        ("function", "shop.Basket.add", 21, 36),
        ("function", "shop.Basket.total", 38, 54),
        ("class", "shop.Till", 56, 78),
        ("function", "shop.Till.Till", 58, 60),
        ("function", "shop.Till.pay", 62, 74),
        ("function", "shop.money.rounded", 80, 82),
        ("function", "shop_main", 86, 90),
    ]


def test_the_scopes_of_a_header(header: Parsed) -> None:
    assert header.n_errors == 0
    found = [(kind, name) for kind, name, _, _ in outline(header)]
    assert [name for kind, name in found if kind == "class"] == [
        "shop.Discount",
        "shop.Line",
        "shop.Basket",
        "shop.Basket.Mark",
    ]
    assert [name.removeprefix("shop.Basket.") for kind, name in found if kind == "function"][1:-1] == [
        "Basket",
        "Basket",
        "Basket",
        "~Basket",
        "add",
        "total",
        "visit",
        "operator[]",
        "operator bool() const",
        "operator=",
        "merge",
        "operator==",
    ]
    basket = scope_named(header, "shop.Basket")
    assert (basket.start_line + 1, basket.end_line) == (32, 81)
    assert header.language.bases(header, basket) == {"Observable", "Counted"}
    assert scope_at(header, line_of(header, "Not safe for use"), 0) == basket
    assert aliases(header) == {"Base": "Observable", "Entries": "vector", "Cart": "Basket"}


@pytest.mark.parametrize(
    ("text", "name", "written"),
    [
        ("void Cart::add(int count) { }", "Cart.add", "void Cart::add(int count)"),
        ("int& shop::Cart::at(int n) const { }", "Cart.at", "int& shop::Cart::at(int n) const"),
        ("Cart::Cart(int n) : size_(n) { }", "Cart.Cart", "Cart::Cart(int n)"),
        ("Cart::~Cart() = default;", "Cart.~Cart", "Cart::~Cart() = default"),
        (
            "Cart& Cart::operator+=(const Cart& other) { }",
            "Cart.operator+=",
            "Cart& Cart::operator+=(const Cart& other)",
        ),
        ("Cart::operator int() { }", "Cart.operator int()", "Cart::operator int()"),
        ("template <class T> T* Cart<T>::data() { }", "Cart.data", "T* Cart<T>::data()"),
        ("auto f(int a) -> int { }", "f", "auto f(int a) -> int"),
        ("constexpr auto f() { }", "f", "constexpr auto f()"),
        ("API Cart make(int n) { }", "make", "API Cart make(int n)"),
        ("template <> struct hash<Cart> { int a; };", "hash", "struct hash<Cart>"),
        ("class Outer::Inner { int a; };", "Outer.Inner", "class Outer::Inner"),
        ("namespace a::b { int c; }", "a.b", "namespace a::b"),
        ("typedef struct { int a; } point;", "point", "typedef struct point"),
    ],
)
def test_a_definition_has_its_name_and_its_header(text: str, name: str, written: str) -> None:
    parsed = parsed_as("a.cpp", text)
    ((_, found, _, _),) = outline(parsed)
    assert found == name
    assert signature(parsed, scopes(parsed)[1]) == written


def test_what_a_method_outside_its_class_sees(cart: Parsed) -> None:
    assert names_at(cart, "return lines_.back()") == [
        "parameter: const Article& article",
        "parameter: int count",
        "local: found = std::find_if(...)",
        "constant: int opened",
        "function: bool is_same(const Article& a, const Article& b)",
        "class: class Till : public Counter",
        "function: #define EACH(line)",
        "class: namespace shop",
        "function: int shop_main(int argc, char** argv)",
    ]
    both = parsed_as("a.cpp", "struct A {\n  A(int n);\n  int size_;\n  int f();\n};\nint A::f() {\n  return 1;\n}\n")
    assert names_at(both, "return 1;")[:3] == ["attribute: int size_", "method: int f()", "class: struct A"]


def test_what_a_method_inside_its_class_sees(cart: Parsed) -> None:
    assert names_at(cart, "cart.visit(each)")[:5] == [
        "parameter: Cart& cart",
        "local: each",
        "local: rest = cart.total(...)",
        "attribute: Warehouse &warehouse_",
        "method: int pay(Cart& cart)",
    ]


def test_an_include_gives_everything(cart: Parsed) -> None:
    assert [(item.module, item.name) for item in imports(cart)] == [("cart.hpp", "*"), ("<algorithm>", "*")]


def test_names_used_are_those_that_code_writes(cart: Parsed) -> None:
    line = line_of(cart, "auto* till = new shop::Till")
    assert names_in(cart, line, line + 1) == {"till", "shop", "Till", "warehouse", "argc"}
    line = line_of(cart, "found->count += count")
    assert names_in(cart, line, line + 1) == {"found", "count"}


def test_a_class_shows_its_members_without_bodies(header: Parsed, cart: Parsed) -> None:
    assert interface(header, "shop.Basket") == [
        "// What a customer has chosen so far.",
        "template <typename Entry = Line, int Most = 200>",
        "class Basket final : public Observable<Entry>, private detail::Counted {",
        "  using Base = Observable<Entry>;",
        "  using Entries = std::vector<Entry>;",
        "  static constexpr int kMost = Most;",
        "  Entries lines_;",
        "  std::string owner_;",
        "  Discount discount_ = Discount::None;",
        "  std::unique_ptr<Mark> mark_;",
        "  int (*order_)(const Entry&, const Entry&) = nullptr;",
        "  Basket() = default;",
        "  explicit Basket(std::string owner, Discount discount = Discount::None) { ... }",
        "  Basket(const Basket&) = delete;",
        "  virtual ~Basket();",
        "  Entry& add(const Article& article, int count = 1);",
        "  [[nodiscard]] long total() const noexcept;",
        "  virtual void visit(const std::function<void(const Entry&)>& each) const = 0;",
        "  Entry& operator[](std::size_t at) { ... }",
        "  operator bool() const { ... }",
        "  Basket& operator=(const Basket& other) = delete;",
        "  template <Priced Other>",
        "  Basket& merge(Other&& other) { ... }",
        "  bool operator==(const Basket& a, const Basket& b);",
        "  struct Mark { ... }",
        "};",
    ]
    both = parsed_as("a.cpp", "struct A {\n  int f();\n};\nint A::f() {\n  return 1;\n}\n")
    assert interface(both, "A") == ["struct A {", "  int f();", "};"]
    assert interface(cart, "shop.Till")[1] == "  Warehouse& warehouse_;"


def test_editing_blocks(cart: Parsed, header: Parsed) -> None:
    block = editing(cart, "found->count += count;")
    assert (block.type, block.name) == ("function", "shop.Basket.add")
    assert [line.text for line in block.lines] == list(cart.snapshot.lines[20:36])
    shown = lines_shown(header, "std::string owner_;", 2000)
    assert shown[-5:] == list(header.snapshot.lines[76:81])
    assert "      add(line.article, line.count);" not in shown
    assert lines_shown(header, "inline constexpr long kCent")[0] == "namespace money {"


def test_what_is_missing_at_the_cursor() -> None:
    assert missing("a.cpp", "void A::f() {|\n}\n") == "block"
    assert missing("a.cpp", "class A {\n  |\n};\n") == "block"
    assert missing("a.cpp", "void f() {\n  auto g = [&](int a) {|\n  };\n}\n") == "block"
    assert missing("a.cpp", "void f() {\n  g(1);|\n  h();\n}\n") == "line"


def test_windows_line_ends_change_nothing(header: Parsed) -> None:
    other = parsed_as("cart.hpp", header.snapshot.text.replace("\n", "\r\n"))
    assert outline(other) == outline(header)
    assert interface(other, "shop.Basket") == interface(header, "shop.Basket")


@pytest.mark.parametrize("name", ["cart.cpp", "cart.hpp"])
def test_typing_a_file_raises_nothing(name: str) -> None:
    type_it(name, (SAMPLES / name).read_text(encoding="utf-8"))
