"""What a grammar cannot know of a preprocessor is left out where it stands, and nothing else is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.languages.preprocessor import first_branches, without_macros, without_unknown
from palimpsest.languages.registry import language_in, language_of
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.scopes import scopes
from palimpsest.text.snapshot import ContentChange, Range, Snapshot


@pytest.mark.parametrize(
    ("code", "left"),
    [
        ("class SHOP_API Cart {\n};", "class Cart {\n};"),
        ("struct ALIGNED(8) PACKED Cart : Base {", "struct Cart : Base {"),
        ("class SHOP_API Cart;", "class SHOP_API Cart;"),
        ("void f(int n) const NO_LOCK(a, b(c)) OTHER;", "void f(int n) const;"),
        ("void f(int n)\n    NO_LOCK(a);", "void f(int n)\n;"),
        ("  if (n) CHECK(n);", "  if (n) CHECK(n);"),
        ("  return f(n) + N;", "  return f(n) + N;"),
        ("  int code_ GUARDED_BY(lock_);", "  int code_;"),
        ("  return MAX(n);", "  return MAX(n);"),
        ("BEGIN_NAMESPACE\nint f();\n", "int f();"),
        ("enum E {\n  RED,\n  BLUE\n};", "enum E {\n  RED,\n  BLUE\n};"),
        ("f(a,\n  MOST\n);", "f(a,\n  MOST\n);"),
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nint f();', "#ifdef __cplusplus\n#endif\nint f();"),
        ("#if A\nint f(int n) {\n#else\nint f(long n) {\n#endif\n}", "int f(int n) {\n}"),
        ("#if 0\nint f() {\n#else\nint g() {\n#endif\n}", "int g() {\n}"),
        ("#if 0\nint f() {\n#endif\nint g();", "int g();"),
        ("#ifndef SHOP_H\n#define SHOP_H\nint f();\n#endif", "#ifndef SHOP_H\n#define SHOP_H\nint f();\n#endif"),
        ("#if A\n#if B\nint b;\n#else\nint c;\n#endif\n#else\nint d;\n#endif", "int b;"),
    ],
)
def test_what_is_left_out(code: str, left: str) -> None:
    found = without_unknown(code.encode())
    assert len(found) == len(code.encode())
    lines = [" ".join(line.split()).replace(" ;", ";") for line in found.decode().split("\n")]
    assert [line for line in lines if line] == [" ".join(line.split()) for line in left.split("\n")]


@given(st.text('ABC_ab1 ()\n{};:#if elsndcaxt0"ß,', max_size=300))
def test_every_byte_stays_where_it_was(code: str) -> None:
    data = code.encode()
    for change in (without_macros, without_unknown, first_branches):
        found = change(data)
        assert len(found) == len(data)
        assert all(new in (old, ord(" ")) for old, new in zip(data, found, strict=True))
        assert found.count(b"\n") == data.count(b"\n")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece", ["OP_CODE(NAME_A, 1)\n", "AB()", "AB ()\n", "A_B ", "class A_B ", "#if A\n", ")", "a ", "int a "]
)
def test_a_long_file_takes_no_minutes(piece: str) -> None:
    """400 KB, which took two minutes where each line went through all of the rest."""
    without_unknown((piece * (400_000 // len(piece)) + "}").encode())


HEADER = """#pragma once
namespace shop {
class SHOP_API Cart : public Basket {
 public:
  int total(int rate) const NO_LOCK(lock_);
#if WIDE
  void add(long n) {
#else
  void add(int n) {
#endif
    n_ += n;
  }
 private:
  int n_ GUARDED_BY(lock_);
};
}
"""


def test_a_class_behind_macros_is_found_with_its_members() -> None:
    parsed = parse_text(HEADER, language_of("cpp"))
    names = {scope.qualified_name for scope in scopes(parsed)}
    assert {"shop.Cart", "shop.Cart.add", "shop.Cart.total"} <= names
    assert parsed.n_errors == 0
    assert parsed.text_of(parsed.root.children[-1]).startswith("namespace") if parsed.root is not None else False


def test_while_it_is_typed_a_document_parses_as_it_would_anew() -> None:
    random_, parser, language = random.Random(7), Parser(language_of), language_of("cpp")
    snapshot = Snapshot("file:///cart.h", 1, "cpp", HEADER)
    parser.parse(snapshot)
    for version in range(2, 120):
        at, end = sorted(snapshot.position(random_.randrange(len(snapshot.text) + 1)) for _ in "ab")
        end = end if end.line == at.line else at
        text = random_.choice(["x", "\n", "{", "}", " MACRO", "#else\n", "#endif\n", "class A_B C {", ";", "ß", ""])
        new, edits = snapshot.changed([ContentChange(Range(at, end), text)], version)
        typed, anew = parser.update(snapshot, new, edits), parse_text(new.text, language)
        assert typed.root is not None
        assert anew.root is not None
        assert str(typed.root) == str(anew.root), new.text
        snapshot = new


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.h", "class Cart {\n};\n", "cpp"),
        ("a.h", "std::string name();\n", "cpp"),
        ("a.h", "struct class_of *class;\nint namespace = 1;\n", "c"),
        ("a.h", "int f(void);\n", "c"),
        ("a.c", "int f(void);\n", "c"),
        ("a.py", "class A: ...\n", "python"),
    ],
)
def test_a_header_is_in_the_language_that_it_is_written_in(name: str, text: str, language: str) -> None:
    assert language_in(name, text).id == language
