"""C++: errors that an edit makes, and the places that follow an edit, in a class's header and its source."""

from __future__ import annotations

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.languages.registry import language_of
from palimpsest.next_edits.changes import Rename
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as
from tests.next_edits.conftest import Workspace, workspace

HEADER, SOURCE, USER = "include/cart.hpp", "src/cart.cpp", "src/till.cpp"
HEADER_TEXT = """\
#pragma once
#include <memory>

namespace shop {

struct Line { int count; };

class Cart {
 public:
  Cart();
  explicit Cart(int size);
  int add(int count, Line* line = nullptr);
  int total() const { return size_ + last_.count; }

 private:
  int size_ = 0;
  Line last_;
};

int helper(const Cart& cart);

}  // namespace shop
"""
SOURCE_TEXT = """\
#include "cart.hpp"

namespace shop {

Cart::Cart(int size) : size_(size) {}

int Cart::add(int count, Line* line) {
  size_ += count;
  this->size_++;
  if (line != nullptr) {
    line->count = size_;
  }
  for (auto i = 0; i < count; ++i) {
    int n = i;
  }
  for (auto i = 9; i > 0; --i) {
    add(i);
  }
  return total();
}

int helper(const Cart& cart) {
  auto each = [&](int count) { return count; };
  return each(cart.total());
}

}  // namespace shop
"""
USER_TEXT = """\
#include "cart.hpp"

using shop::Cart;

class Till : public Cart {
  std::vector<Cart> open_;
  std::unique_ptr<Cart> own_;

  int pay(Cart& cart, Other& other) {
    cart.add(1);
    other.add(2);
    own_->add(3);
    open_.add(4);
    for (auto& one : open_) {
      one.add(5);
    }
    auto* made = new Cart(6);
    made->add(7, nullptr);
    Cart local(8);
    local.add(9);
    return add(10);
  }
};
"""


@pytest.fixture
def shop() -> Workspace:
    return workspace({HEADER: HEADER_TEXT, SOURCE: SOURCE_TEXT, USER: USER_TEXT})


def edited(before: str, after: str) -> list[str]:
    lines = tuple(HEADER_TEXT.split("\n"))
    at = next(n for n, line in enumerate(lines) if before in line)
    edit = LineEdit(at, at + 1, (lines[at].replace(before, after),))
    change = DocumentChange("file:///cart.hpp", 1, (edit,))
    return list(validated(change, Baseline(lines, language_of("cpp"))).flags)


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    with pytest.raises(Unfit, match="syntax error"):
        edited("return size_ + last_.count; }", "return size_ + last_.count;")
    assert edited("explicit Cart(int size);", "explicit Cart( int size );") == ["formatting only"]
    assert edited("Cart();", "Cart() = default;") == []


def test_an_edit_that_defines_a_class_twice_is_refused_and_an_overload_is_not() -> None:
    with pytest.raises(Unfit, match="Line"):
        edited("namespace shop {", "namespace shop { struct Line { int other; };")
    assert edited("Line last_;", "Line last_; int total(int n) const { return n; }") == []


def test_a_name_is_misspelt_only_where_nothing_else_can_define_it() -> None:
    text = "int twice(int count) {\n  return 2 * cuont;\n}\n"
    for before, found in (("", ["cuont"]), ("#include <cuont.h>\n", []), ("class A : B {\n", [])):
        after = "};\n" if "class" in before else ""
        parsed = parsed_as("a.cpp", before + text + after)
        assert [slip.name for slip in slips(parsed, 0, parsed.snapshot.line_count)] == found


def test_a_renamed_class_is_followed_where_it_is_included(shop: Workspace) -> None:
    shop.edit(HEADER, ("class Cart {", "class Basket {"))
    assert shop.changes == (Rename(f"file:///{HEADER}", "class", "", "Cart", "Basket"),)
    shop.follow()
    assert shop.texts[HEADER] == HEADER_TEXT.replace("Cart", "Basket")
    assert "const Basket& cart" in shop.texts[SOURCE]
    assert shop.texts[USER] == USER_TEXT.replace("Cart", "Basket").replace("using shop::Basket", "using shop::Cart")


@pytest.mark.parametrize(("home", "before"), [(HEADER, "int add("), (SOURCE, "Cart::add(")])
def test_a_renamed_method_is_followed_in_header_source_and_calls(shop: Workspace, home: str, before: str) -> None:
    shop.edit(home, (before, before.replace("add", "put"))).follow()
    assert shop.texts[HEADER] == HEADER_TEXT.replace("add(", "put(")
    assert shop.texts[SOURCE] == SOURCE_TEXT.replace("add(", "put(")
    kept = {"other.add(2)", "open_.add(4)"}
    expected = USER_TEXT.replace("add(", "put(")
    for call in kept:
        expected = expected.replace(call.replace("add", "put"), call)
    assert shop.texts[USER] == expected


def test_a_renamed_field_is_followed_outside_its_class(shop: Workspace) -> None:
    shop.edit(HEADER, ("int size_ = 0", "int count_ = 0")).follow()
    assert shop.texts[HEADER] == HEADER_TEXT.replace("size_", "count_")
    assert shop.texts[SOURCE] == SOURCE_TEXT.replace("size_", "count_")
    assert shop.texts[USER] == USER_TEXT


def test_a_renamed_local_is_followed_in_its_block_only(shop: Workspace) -> None:
    text = shop.edit(SOURCE, ("for (auto i = 0;", "for (auto k = 0;")).follow().texts[SOURCE]
    assert "for (auto k = 0; k < count; ++k) {\n    int n = k;" in text
    assert "for (auto i = 9; i > 0; --i) {" in text


def test_a_renamed_parameter_is_followed_in_its_function(shop: Workspace) -> None:
    text = shop.edit(SOURCE, ("add(int count, Line* line)", "add(int count, Line* held)")).follow().texts[SOURCE]
    assert "if (held != nullptr) {\n    held->count = size_;" in text


def test_a_changed_signature_is_followed_by_its_declaration_and_its_calls(shop: Workspace) -> None:
    shop.edit(SOURCE, ("add(int count, Line* line)", "add(Line* line, int count)")).follow()
    assert "  int add(Line* line, int count);" in shop.texts[HEADER]
    assert "made->add(nullptr, 7);" in shop.texts[USER]


def test_a_changed_constructor_is_followed_where_objects_are_made(shop: Workspace) -> None:
    shop.texts[HEADER] = HEADER_TEXT.replace("  Cart();\n", "")
    shop.edit(HEADER, ("explicit Cart(int size)", "explicit Cart(int size, bool open)")).follow()
    assert "Cart::Cart(int size, bool open) : size_(size) {}" in shop.texts[SOURCE]
    assert "new Cart(6, );" in shop.texts[USER]
    assert "Cart local(8, );" in shop.texts[USER]
