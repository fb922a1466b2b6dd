"""C: which scope a line is in, which name a declarator gives, what is visible, what a struct shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in, visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import file_scope, scope_at, signature
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
    return sample(SAMPLES / "cart.c")


@pytest.fixture(scope="module")
def header() -> Parsed:
    return sample(SAMPLES / "cart.h")


def file_names(text: str) -> list[tuple[str, str]]:
    parsed = parsed_as("a.c", text)
    return [(item.name, item.signature) for item in visible(parsed, file_scope(parsed))]


def test_the_scopes_of_a_source(cart: Parsed) -> None:
    assert outline(cart) == [
        ("function", "PERCENT", 7, 7),
        ("function", "find_line", 18, 27),
        ("function", "cart_new", 29, 38),
        ("function", "cart_free", 40, 51),
        ("function", "cart_add", 53, 72),
        ("function", "cart_total", 74, 96),
        ("function", "cart_visit", 98, 108),
    ]


def test_the_scopes_of_a_header(header: Parsed) -> None:
    assert outline(header) == [
        ("function", "CART_EACH", 17, 18),
        ("class", "discount", 20, 24),
        ("class", "line", 26, 31),
        ("class", "cart_t", 33, 44),
        ("class", "cart_t.total", 39, 42),
        ("function", "cart_new", 50, 51),
        ("function", "cart_free", 52, 52),
        ("function", "cart_add", 54, 62),
        ("function", "cart_total", 63, 63),
        ("function", "cart_visit", 64, 64),
        ("function", "cart_size", 66, 69),
    ]
    assert scope_at(header, line_of(header, "@return"), 0).name == "cart_add"


@pytest.mark.parametrize(
    ("text", "name", "written"),
    [
        ("int f(void) { }", "f", "int f(void)"),
        ("static inline char *f(int a) { }", "f", "static inline char *f(int a)"),
        ("struct a **f(struct a *a)\n{\n}", "f", "struct a **f(struct a *a)"),
        ("char *(*get(int x))(void) { return 0; }", "get", "char *(*get(int x))(void)"),
        ("int (puts)(const char *text) { }", "puts", "int (puts)(const char *text)"),
        ("unsigned long f();", "f", "unsigned long f()"),
        ("void *f(size_t n);", "f", "void *f(size_t n)"),
        ("#define MAX(a, b) ((a) > (b))\n", "MAX", "#define MAX(a, b)"),
        ("#define EACH(a) \\\n  for (;;)\n", "EACH", "#define EACH(a)"),
        ("struct a { int b; };", "a", "struct a"),
        ("typedef struct { int b; } a_t;", "a_t", "typedef struct a_t"),
        ("typedef struct a { int b; } a_t;", "a_t", "typedef struct a a_t"),
        ("typedef enum\n{\n  A, B\n} kind;", "kind", "typedef enum kind"),
        ("union u { int b; float c; };", "u", "union u"),
        ("__attribute__((noreturn)) void die(const char *why, ...) { }", "die", None),
    ],
)
def test_a_definition_has_its_name_and_its_header(text: str, name: str, written: str | None) -> None:
    parsed = parsed_as("a.c", text)
    ((_, found, _, _),) = outline(parsed)
    assert found == name
    assert written is None or signature(parsed, scope_named(parsed, name)) == written


def test_a_declarator_gives_one_name() -> None:
    assert file_names(
        "int a, *b, c[3], **d[SIZE];\n"
        "int (*handler)(int code, char *text);\n"
        "int (*table[2])(void);\n"
        "static const char *names[] = {first, second};\n"
        "struct item one = { .name = two };\n"
        "extern long total;\n"
        "typedef unsigned int word;\n"
        "typedef int (*visitor)(struct item *item);\n"
        "struct later;\n"
        "#define LIMIT 10\n"
        "#define GUARD\n"
    ) == [
        ("a", "int a"),
        ("b", "int *b"),
        ("c", "int c[3]"),
        ("d", "int **d[SIZE]"),
        ("handler", "int (*handler)(int code, char *text)"),
        ("table", "int (*table[2])(void)"),
        ("names", "char *names[]"),
        ("one", "struct item one"),
        ("total", "long total"),
        ("word", "unsigned int word"),
        ("visitor", "int (*visitor)(struct item *item)"),
        ("LIMIT", "#define LIMIT 10"),
    ]


def test_what_a_function_sees(cart: Parsed) -> None:
    assert names_at(cart, "(void)names")[:6] == [
        "parameter: const cart_t *cart",
        "local: long total",
        "local: unsigned char steps[STEP]",
        "local: struct line *line",
        "local: size_t i",
        "function: #define PERCENT(value, percent)",
    ]
    assert "constant: int (*order)(const struct line *, const struct line *)" in names_at(cart, "order = cart->compare")


def test_an_include_gives_everything(cart: Parsed) -> None:
    assert [(item.module, item.name) for item in imports(cart)] == [
        ("cart.h", "*"),
        ("<stdlib.h>", "*"),
        ("<string.h>", "*"),
    ]
    assert imports(parsed_as("a.c", '#include\n#include "\n#include NAME\n#include <\n')) == []


def test_names_used_are_those_without_a_head(cart: Parsed) -> None:
    line = line_of(cart, "(long)line->count")
    assert names_in(cart, line, line + 1) == {"total", "line"}
    line = line_of(cart, "struct line made")
    assert names_in(cart, line, line + 1) == {"line", "made", "article"}


def test_a_struct_shows_its_fields(header: Parsed) -> None:
    assert interface(header, "cart_t") == [
        "typedef struct cart {",
        "    char *owner;",
        "    struct line *first;",
        "    size_t size;",
        "    enum discount discount;",
        "    int (*compare)(const struct line *a, const struct line *b);",
        "    unsigned closed : 1;",
        "    union total { ... }",
        "} cart_t;",
    ]
    assert interface(header, "line")[:2] == ["/** One article, and how often it is bought. */", "struct line {"]
    assert interface(header, "discount")[1] == "    DISCOUNT_NONE = 0,"


def test_editing_blocks(cart: Parsed, header: Parsed) -> None:
    block = editing(cart, "cart->first = line;")
    assert (block.type, block.name) == ("function", "cart_add")
    assert [line.text for line in block.lines] == list(cart.snapshot.lines[52:72])
    assert editing(header, "size_t size;").name == "cart_t"
    assert lines_shown(header, "size_t size;") == [
        *header.snapshot.lines[32:39],
        "        ...",
        *header.snapshot.lines[41:44],
    ]
    shown = lines_shown(header, "extern int cart_count")
    assert "void cart_free(cart_t *cart);" in shown
    assert "    return cart->size;" not in shown


def test_what_is_missing_at_the_cursor() -> None:
    assert missing("a.c", "int f(void)\n{|\n}\n") == "block"
    assert missing("a.c", "int f(void)\n{\n    |\n}\n") == "block"
    assert missing("a.c", "int f(void)\n{\n    |\n    g();\n}\n") == "line"
    assert missing("a.c", "int f(void)\n{\n    if (x) {|") == "block"
    assert missing("a.c", "int f(void)\n{\n    g(a,|\n}\n") == "block"


def test_windows_line_ends_change_nothing(header: Parsed) -> None:
    other = parsed_as("cart.h", header.snapshot.text.replace("\n", "\r\n"))
    assert outline(other) == outline(header)
    assert interface(other, "cart_t") == interface(header, "cart_t")
    assert imports(other) == imports(header)


@pytest.mark.parametrize("name", ["cart.c", "cart.h"])
def test_typing_a_file_raises_nothing(name: str) -> None:
    type_it(name, (SAMPLES / name).read_text(encoding="utf-8"))
