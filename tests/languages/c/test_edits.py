"""C: errors that an edit makes, and the places that follow an edit."""

from __future__ import annotations

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.languages.registry import language_of
from palimpsest.next_edits.changes import Rename, SignatureChange
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as
from tests.next_edits.conftest import Workspace, workspace

CART = """\
struct line { int count; struct line *next; };
typedef struct cart { struct line *first; int size; } cart_t;

static int limit = 10;

int add(struct cart *cart, int count, char *name);

static int twice(cart_t *cart, int (*each)(int count))
{
    struct line made = { .count = 0 }, *line = cart->first;
    for (int i = 0; i < limit; i++) {
        int n = i;
        each(n);
    }
    for (int i = 9; i > 0; i--) {
        line->count += i;
        (*line).count++;
        made.count = add(cart, i, "x");
    }
    cart->first[0].count = 2;
    return limit;
}

int add(struct cart *cart, int count, char *name)
{
    twice(cart, count);
    return count;
}
"""


@pytest.fixture
def shop() -> Workspace:
    return workspace({"src/cart.c": CART})


def edited(before: str, after: str) -> list[str]:
    lines = tuple(CART.split("\n"))
    at = next(n for n, line in enumerate(lines) if before in line)
    edit = LineEdit(at, at + 1, (lines[at].replace(before, after),))
    change = DocumentChange("file:///cart.c", 1, (edit,))
    return list(validated(change, Baseline(lines, language_of("c"))).flags)


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    with pytest.raises(Unfit, match="syntax error"):
        edited("twice(cart, count);", "twice(cart, count;")
    assert edited("twice(cart, count);", "twice( cart, count );") == ["formatting only"]
    assert edited("limit = 10", "limit = 11") == []


def test_an_edit_that_defines_a_function_twice_is_refused_and_one_that_declares_it_is_not() -> None:
    with pytest.raises(Unfit, match="add"):
        edited("static int twice(", "int add(struct cart *cart, int count, char *name) {} static int twice(")
    assert edited("static int limit = 10;", "static int limit = 10; static int twice(cart_t *, int (*)(int));") == []


def test_a_name_is_not_misspelt_where_an_include_may_define_it() -> None:
    text = CART.replace("return limit;", "return limti;")
    parsed = parsed_as("cart.c", text)
    assert [(slip.name, slip.meant) for slip in slips(parsed, 0, parsed.snapshot.line_count)] == [("limti", ("limit",))]
    parsed = parsed_as("cart.c", '#include "limits.h"\n' + text)
    assert slips(parsed, 0, parsed.snapshot.line_count) == []


def test_a_renamed_field_is_followed_where_its_struct_is_known(shop: Workspace) -> None:
    shop.edit("src/cart.c", ("{ int count;", "{ int number;"))
    assert shop.changes == (Rename("file:///src/cart.c", "attribute", "line", "count", "number"),)
    text = shop.follow().texts["src/cart.c"]
    assert text == CART.replace("{ int count;", "{ int number;").replace("line->count", "line->number").replace(
        ".count = 0", ".number = 0"
    ).replace("(*line).count", "(*line).number").replace("made.count", "made.number").replace(
        "first[0].count", "first[0].number"
    )


def test_a_renamed_field_is_followed_through_other_names_of_its_struct(shop: Workspace) -> None:
    text = shop.edit("src/cart.c", ("{ struct line *first;", "{ struct line *head;")).follow().texts["src/cart.c"]
    assert text == CART.replace("struct line *first", "struct line *head").replace("cart->first", "cart->head")
    text = CART.replace("struct line *first; int size;", "struct line *first; int size; cart_t *next;")
    text = text.replace("return limit;", "cart->next->first = 0;\n    return limit;")
    text = workspace({"a.c": text}).edit("a.c", ("struct line *first", "struct line *head")).follow().texts["a.c"]
    assert "cart->next->head = 0;" in text


def test_a_renamed_function_is_followed_in_its_file(shop: Workspace) -> None:
    text = shop.edit("src/cart.c", ("static int twice", "static int double_it")).follow().texts["src/cart.c"]
    assert text == CART.replace("twice", "double_it")


def test_a_renamed_variable_is_followed_in_its_block_only(shop: Workspace) -> None:
    text = shop.edit("src/cart.c", ("for (int i = 0;", "for (int k = 0;")).follow().texts["src/cart.c"]
    assert "for (int k = 0; k < limit; k++) {\n        int n = k;" in text
    assert "for (int i = 9; i > 0; i--) {" in text
    text = workspace({"a.c": CART}).edit("a.c", ("static int limit", "static int most")).follow().texts["a.c"]
    assert text == CART.replace("limit", "most")


def test_a_renamed_parameter_is_followed_in_its_function(shop: Workspace) -> None:
    shop.edit("src/cart.c", ("static int twice(cart_t *cart, int", "static int twice(cart_t *chosen, int"))
    text = shop.follow().texts["src/cart.c"]
    assert "*line = chosen->first;" in text
    assert 'made.count = add(chosen, i, "x");' in text
    assert "    twice(cart, count);" in text


def test_a_renamed_type_is_followed(shop: Workspace) -> None:
    text = shop.edit("src/cart.c", ("} cart_t;", "} basket;")).follow().texts["src/cart.c"]
    assert text == CART.replace("cart_t", "basket")


def test_a_changed_signature_is_followed_by_calls(shop: Workspace) -> None:
    shop.edit(
        "src/cart.c", ("static int twice(cart_t *cart, int (*each)(int count))", "static int twice(cart_t *cart)")
    )
    assert isinstance(shop.changes[0], SignatureChange)
    assert "    twice(cart);\n" in shop.follow().texts["src/cart.c"]


HEADER_FILE = """\
struct cart { int size; };
extern int cart_count;
#define MOST 10
int cart_add(struct cart *cart, int count);
void cart_free(struct cart *cart);
"""
SOURCE_FILE = """\
#include "cart.h"

int cart_count = 0;

static int helper(int n)
{
    return n > MOST;
}

int cart_add(struct cart *cart, int count)
{
    cart_count++;
    return helper(cart->size + count);
}

void cart_free(struct cart *cart)
{
    cart_add(cart, 1);
}
"""
USER_FILE = """\
#include <stdio.h>
#include "shop/cart.h"

static int helper(int n)
{
    return n;
}

int main(void)
{
    struct cart cart = { .size = MOST };
    helper(cart_count);
    return cart_add(&cart, 2);
}
"""
OTHER_FILE = """\
int cart_add(int a);
int cart_count;

int other(void)
{
    return cart_add(cart_count);
}
"""


@pytest.fixture
def files() -> Workspace:
    return workspace(
        {
            "include/shop/cart.h": HEADER_FILE,
            "src/cart.c": SOURCE_FILE,
            "src/main.c": USER_FILE,
            "test/other.c": OTHER_FILE,
        }
    )


@pytest.mark.parametrize(
    ("home", "before", "after", "old", "new"),
    [
        ("include/shop/cart.h", "int cart_add(", "int cart_put(", "cart_add", "cart_put"),
        ("src/cart.c", "int cart_add(", "int cart_put(", "cart_add", "cart_put"),
        ("include/shop/cart.h", "extern int cart_count", "extern int carts", "cart_count", "carts"),
        ("src/cart.c", "int cart_count = 0", "int carts = 0", "cart_count", "carts"),
        ("include/shop/cart.h", "define MOST", "define LIMIT", "MOST", "LIMIT"),
    ],
)
def test_a_name_that_files_share_is_followed_where_it_is_included(
    files: Workspace, home: str, before: str, after: str, old: str, new: str
) -> None:
    expected = {name: text.replace(old, new) for name, text in files.texts.items()}
    expected["test/other.c"] = OTHER_FILE
    assert files.edit(home, (before, after)).follow().texts == expected


def test_a_static_function_is_followed_in_its_own_file_only(files: Workspace) -> None:
    files.edit("src/cart.c", ("static int helper", "static int helping")).follow()
    assert files.texts["src/cart.c"] == SOURCE_FILE.replace("helper", "helping")
    assert files.texts["src/main.c"] == USER_FILE


@pytest.mark.parametrize("home", ["include/shop/cart.h", "src/cart.c"])
def test_a_changed_signature_is_followed_by_its_declarations_and_its_calls(files: Workspace, home: str) -> None:
    files.edit(home, ("(struct cart *cart, int count)", "(int count, struct cart *cart)")).follow()
    assert "int cart_add(int count, struct cart *cart);" in files.texts["include/shop/cart.h"]
    assert "int cart_add(int count, struct cart *cart)\n{" in files.texts["src/cart.c"]
    assert "cart_add(1, cart);" in files.texts["src/cart.c"]
    assert "return cart_add(2, &cart);" in files.texts["src/main.c"]
    assert files.texts["test/other.c"] == OTHER_FILE
