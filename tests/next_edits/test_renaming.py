"""A rename is followed where the name is this name, and nowhere else."""

from __future__ import annotations

import dis
import random
import types
from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from palimpsest.next_edits.changes import Rename
from palimpsest.next_edits.detect import changes
from palimpsest.next_edits.renaming import stands
from palimpsest.next_edits.sites import places
from palimpsest.next_edits.targets import File
from palimpsest.syntax.uses import uses
from tests.examples import examples

from .conftest import Workspace, applied, parsed, workspace

SHADOWED = '''\
x = 1


def f(x, y=x):
    """x"""
    return x + sum(x for x in [x])  # x


class C:
    x = x

    def m(self):
        self.x = x
        return f"{x} x"


def g():
    global x
    x += 1
    return lambda x=x: x


f(x=x)
'''


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            ("x = 1", "n = 1"),
            [
                "def f(x, y=n):",
                "x = n",
                "self.x = n",
                'return f"{n} x"',
                "global n",
                "n += 1",
                "return lambda x=n: x",
                "f(x=n)",
            ],
        ),
        (
            ("def f(x,", "def f(n,"),
            ["return n + sum(x for x in [x])  # x", "return x + sum(x for x in [n])  # x", "f(n=x)"],
        ),
        (("for x in [x]", "for n in [x]"), ["return x + sum(n for n in [x])  # x"]),
        (("lambda x=x", "lambda n=x"), ["return lambda n=x: n"]),
        (("    x = x", "    n = x"), ["self.n = x"]),
    ],
)
def test_shadowed_names_strings_comments_and_keywords_are_told_apart(
    edit: tuple[str, str], expected: list[str]
) -> None:
    assert workspace(SHADOWED).edit("a.py", edit).lines() == [f"a.py: {line}" for line in expected]


@pytest.mark.parametrize(
    ("source", "edit"),
    [
        ("def a(): pass\ndef b(): pass\na()\n", ("def a", "def b")),  # the new name had a meaning
        ("def a(): pass\ndef a(): pass\na()\n", ("def a", "def c")),  # a copy that gets a name of its own
        ("x = 1\nx = 2\nprint(x)\n", ("x = 2", "y = 2")),  # a second variable
        ("def a(): pass\na()\n", ("a()\n", "c()\n")),  # another function is called here
        ("def a(): pass\na()\n", ("def a():", "def c(:")),  # still being typed
        ("def a(): pass\na()\n", ("def a", "async def a")),  # no rename at all
        ("def f(a):\n    x = a.b.c + 1\n    return x\n", ("    x = a.b", "    y = a.b\n    x = y")),  # a part's name
    ],
)
def test_what_is_no_rename_is_followed_by_none(source: str, edit: tuple[str, str]) -> None:
    found = workspace(source).edit("a.py", edit).places()
    assert not [place for there in found.values() for place in there if place.kind == "rename"]


def test_a_method_is_followed_where_its_class_can_be_seen(shop: Workspace) -> None:
    assert shop.edit("shop/cart.py", ("def add(", "def put(")).lines() == [
        'tests/test_cart.py: cart.put(Item("tea", 450))',
        'tests/test_cart.py: cart.put(Item("tea", 450), 2)',
    ]


def test_a_list_s_method_of_the_same_name_is_left_alone(shop: Workspace) -> None:
    assert shop.edit("shop/cart.py", ("def remove(", "def take(")).lines() == []


def test_members_of_two_classes_are_told_apart(shop: Workspace) -> None:
    assert shop.edit("shop/cart.py", ("def price(", "def cost(")).lines() == [
        "shop/cart.py: return sum(line.cost() for line in self.lines)"
    ]


def test_a_field_is_given_by_keyword() -> None:
    files = {
        "a.py": "@dataclass\nclass A:\n    x: int\n    y: int\n",
        "b.py": "from a import A\n\nA(x=1, y=2).x\nother(x=1)\n",
    }
    lines = workspace(files).edit("a.py", ("x: int", "z: int")).lines()
    assert lines == ["b.py: A(z=1, y=2).x", "b.py: A(x=1, y=2).z"]


def test_a_function_is_followed_through_imports(shop: Workspace) -> None:
    shop.texts["app.py"] = "import shop.item\nfrom shop import item as i\nfrom other import format_price\n"
    shop.texts["app.py"] += "shop.item.format_price(1)\ni.format_price(2)\nformat_price(3)\nx.format_price(4)\n"
    lines = shop.edit("shop/item.py", ("def format_price", "def show_price")).lines()
    assert [line for line in lines if line.startswith("app.py")] == [
        "app.py: shop.item.show_price(1)",
        "app.py: i.show_price(2)",
    ]
    assert "shop/cart.py: from shop.item import Item, show_price" in lines
    assert "shop/cart.py: rows.append(show_price(self.total()))" in lines


def test_uses_follow_behind_an_import_that_has_followed() -> None:
    user = "from a import new\n\n\ndef f():\n    return old(1)\n\n\ndef g(old):\n    return old(2)\n"
    there = {"a.py": "def old(x):\n    return x\n", "b.py": user, "c.py": "from d import new\n\nold(3)\n"}
    assert workspace(there).edit("a.py", ("def old", "def new")).lines() == ["b.py: return new(1)"]


def test_a_builtin_of_the_old_name_is_left_alone_there() -> None:
    there = {"a.py": "def open(x):\n    return x\n", "b.py": "from a import opened\n\nopen('x')\n"}
    assert workspace(there).edit("a.py", ("def open", "def opened")).lines() == []


def test_a_short_property_is_what_others_use_in_exports_and_a_member_elsewhere() -> None:
    source = "function old() {}\nmodule.exports = { old };\nsend({ old });\n"
    lines = workspace({"a.js": source}).edit("a.js", ("old", "fresh")).lines()
    assert lines == ["a.js: module.exports = { fresh };", "a.js: send({ old: fresh });"]


def test_an_overriding_method_follows() -> None:
    source = (
        "class A:\n    def m(self): pass\n\nclass B(A):\n    def m(self): pass\n\nclass D:\n    def m(self): pass\n"
    )
    assert workspace(source).edit("a.py", ("def m", "def n")).lines() == ["a.py: def n(self): pass"]


def test_a_parameter_s_keyword_follows_in_calls_of_that_function_only(shop: Workspace) -> None:
    shop.texts["app.py"] = "from shop.item import format_price\nformat_price(cents=1)\nother(cents=2)\n"
    lines = shop.edit("shop/item.py", ("format_price(cents", "format_price(amount")).lines()
    assert [line for line in lines if line.startswith("app.py")] == ["app.py: format_price(amount=1)"]
    assert len(lines) == 3


def test_non_ascii_text_around_a_name_is_no_obstacle() -> None:
    made = workspace("ß = 'ä'\ndef f(größe):\n    return 'é', größe, ß\n").edit("a.py", ("f(größe", "f(maß")).follow()
    assert made.texts["a.py"] == "ß = 'ä'\ndef f(maß):\n    return 'é', maß, ß\n"


# Renames of generated code: the compiler says whether the meaning is the same ------------------------------------

NAMES = ("a", "b", "c")
FRESH = "fresh"


def expression(pick: random.Random, depth: int = 2) -> str:
    name, other = pick.choice(NAMES), pick.choice(NAMES)
    inner = expression(pick, depth - 1) if depth else name
    forms = [
        name,
        f"{name} + {inner}",
        f"{name}.{other}",
        f"{name}({inner}, {other}=1)",
        f"[{inner} for {name} in {other} if {name}]",
        f"{{{name}: {inner} for {name}, {other} in {inner}}}",
        f"(lambda {name}, {other}{name}={inner}: {name})",
        f"f'{{{name}}} {other}'",
        f"'{name}'",
    ]
    return pick.choice(forms)


def body(pick: random.Random, depth: int, in_function: bool) -> list[str]:
    lines = [f"global {pick.choice(NAMES)}"] if in_function and pick.random() < 0.3 else []
    for _ in range(pick.randint(1, 4)):
        name, other, value = pick.choice(NAMES), pick.choice(NAMES), expression(pick)
        forms = [
            [f"{name} = {value}  # {name}"],
            [f"{name} += {value}"],
            [f"{name}, {other} = {value}"],
            [f"for {name} in {value}:", f"    {other}"],
            [f"with {value} as {name}:", f"    print({name})"],
            ["try:", f"    {value}", f"except E as {name}:", f"    {name}"],
            [f"if ({name} := {value}):", f"    {other}"],
            [f"import {name}"],
            [f"from m import {name} as {other}"],
            [value],
        ]
        if depth and pick.random() < 0.5:
            is_function = pick.random() < 0.7
            inner = ["    " + line for line in body(pick, depth - 1, is_function)]
            parameters = f"{name}=({value}), *{other}" if name != other else f"{name}"
            forms = [[f"def {other}({parameters}):" if is_function else f"class {name}({other}):", *inner]]
        lines += pick.choice(forms)
    return lines


def code(text: str) -> types.CodeType | None:
    try:
        return compile(text, "a.py", "exec")
    except (SyntaxError, ValueError):
        return None


def meaning(compiled: types.CodeType, old: str) -> tuple[object, ...]:
    """What a program does, its variables called by their old names; qualified names have them, too."""

    def named(value: object) -> object:
        if isinstance(value, types.CodeType):
            return meaning(value, old)
        return value.replace(FRESH, old) if isinstance(value, str) else repr(value)

    # Cells are made in the order of their names.
    code = (i for i in dis.get_instructions(compiled) if i.opname not in ("MAKE_CELL", "LOAD_CLOSURE"))
    return tuple((i.opname, named(i.argval)) for i in code if "JUMP" not in i.opname)


def loads(compiled: types.CodeType, name: str) -> Iterator[str]:
    for i in dis.get_instructions(compiled):
        if isinstance(i.argval, types.CodeType):
            yield from loads(i.argval, name)
        elif i.opname in ("LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL") and i.argval == name:
            yield i.opname


@examples(2)
@given(st.randoms(use_true_random=True))
def test_a_program_means_the_same_once_a_rename_is_followed(pick: random.Random) -> None:
    text = "\n".join(body(pick, 2, False)) + "\n"
    compiled = code(text)
    assume(compiled is not None)
    before = parsed("a.py", text)
    bound = [use for name in "abc" for use in uses(before, name) if use.binds]
    assume(bound)
    chosen = pick.choice(bound)
    old = text.encode()
    after = parsed("a.py", (old[: chosen.start] + FRESH.encode() + old[chosen.end :]).decode())
    home = File(after, "a.py", True)
    found = [c for c in changes(before, after) if isinstance(c, Rename) and c.kind != "attribute" and stands(c, home)]
    assume(found)
    for change in found:
        made = applied(after.snapshot.text, places(change, home, home))
        assert made.replace(FRESH, change.old) == text
        new = code(made)
        assert new is not None, made
        assert meaning(new, change.old) == meaning(compiled, change.old), made
        if change.kind in ("variable", "function", "class", "import") and not change.scope:
            assert not list(loads(new, change.old)), made
