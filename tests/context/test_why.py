"""Why a name is in the context or is not: what is said of each way that it can go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from context_workspace import Workspace

from palimpsest.context.choice.chooser import Chooser
from palimpsest.context.choice.why import MOST, Why
from palimpsest.context.name_uses import without_strings
from palimpsest.languages.registry import language_of

Make = Callable[..., Workspace]
PRICES = '''class Price:
    """What one item costs."""

    def with_tax(self, rate: float) -> "Price":
        return self

    def as_cheque_of(self, bank: str) -> str:
        return bank


def parse_price(text: str) -> Price:
    """From `1.20`."""
    return Price()
'''
FILES = {"shop/__init__.py": "", "shop/prices.py": PRICES}
IMPORTED = "from shop.prices import parse_price\n\n\ndef total(items):\n    return parse_price(items[0])$0\n"
IMPORTS_CLASS = "from shop.prices import Price\n\n\ndef f(a):\n"
ALONE = "def total(items):\n    price = parse_price(items[0])\n    return price.as_cheque_of('$0')\n"


async def why(
    workspace: Make,
    name: str,
    text: str = ALONE,
    files: Mapping[str, str] = {},
    *,
    file: str = "main.py",
    index: bool = True,
    **settings: Any,
) -> Why:
    made = workspace({**FILES, **files}, **settings)
    made.is_typing = False
    if index:
        made.build_index()
    chooser = Chooser(made.gatherer, made.external, made.settings)
    try:
        return await chooser.why(made.view(file, text), name)
    finally:
        chooser.close()


def reasons(found: Why) -> dict[str, str]:
    return {looked.source: looked.why_not for looked in found.looked if looked.why_not}


@pytest.mark.parametrize(
    ("name", "text", "summary"),
    [
        ("parse_price", IMPORTED, "The model sees it in package shop.prices."),
        ("parse_price", ALONE, "The model sees it in package shop.prices (used)."),
        ("as_cheque_of", ALONE, "The model sees it in package shop.prices (used)."),
        (
            "Price",
            "def total(cents) -> Price:\n    return Price($0)\n",
            "The model sees it in class shop.prices.Price.",
        ),
        ("price", ALONE, "The model sees it: the code at the cursor shows line 2, which defines it."),
        ("return", ALONE, "It comes with the language, so no source looks for it."),
        ("len", ALONE, "It comes with the language, so no source looks for it."),
        ("with_tax", ALONE, "The code at the cursor does not use it, so no source looks for it."),
        (
            "make_price",
            "def total(items):\n    return make_price(items)$0\n",
            "No block has it: no file of the workspace that may be shown defines it.",
        ),
        (
            "make_price",
            "from shop.gone import make_price\n\n\ndef total(items):\n    return make_price(items)$0\n",
            "No block has it: the import in line 1 leads to no file that a model may see.",
        ),
    ],
)
async def test_the_first_sentence_says_what_became_of_it(workspace: Make, name: str, text: str, summary: str) -> None:
    assert (await why(workspace, name, text)).summary == summary


async def test_a_block_with_its_line_and_what_defines_the_name(workspace: Make) -> None:
    tests = {"tests/test_prices.py": "def parse_price(): ...\n"}
    found = await why(workspace, "parse_price", IMPORTED, tests)
    holder, mention = (it for it in found.holders if it.source in ("package", "scope"))
    assert (holder.name, holder.source, holder.outcome) == ("package shop.prices", "package", "chosen")
    assert holder.line.startswith("shop.prices.parse_price(text: str)")
    assert (mention.name, mention.declares) == ("scope main", False), "it shows no more than the import"
    assert [(it.file, it.line, it.kind, it.test) for it in found.definitions] == [
        ("shop/prices.py", 10, "function", False),
        ("tests/test_prices.py", 0, "function", True),
    ]
    assert [(it.module, it.line, it.origin) for it in found.imports] == [("shop.prices", 0, "workspace")]
    assert reasons(found)["elsewhere"] == "this file imports it"
    assert next(it for it in found.looked if it.source == "package").having == 1


async def test_without_room_it_says_what_came_before(workspace: Make) -> None:
    found = await why(workspace, "parse_price", IMPORTED, budget=30)
    assert {it.outcome for it in found.holders if it.declares} == {"no room"}
    holder = next(it for it in found.holders if it.source == "package")
    assert found.selection.ranked[holder.place - 1].block is holder.block
    assert found.summary == (
        f"package shop.prices has it, but there is no room for its {holder.tokens} tokens: of 30, 0 are taken by what "
        "comes before it."
    )


async def test_a_source_that_is_off_says_what_it_would_have(workspace: Make) -> None:
    found = await why(workspace, "parse_price", IMPORTED, sources=("class", "scope"))
    assert found.holders[0].outcome == "off"
    assert (
        found.summary == "package shop.prices has it, but comes from a source that is switched off (context.sources)."
    )
    off = {it.source: it.blocks for it in found.looked if not it.on}
    assert off["package"] > 0
    assert off["git"] == off["test"] == 0, "what looks for no names is not even asked"
    assert found.holders[0].block not in found.selection.chosen


@pytest.mark.parametrize(
    ("text", "outcomes", "summary"),
    [
        (
            "parse_price is ours",
            {"external": "chosen", "package": "same name"},
            "The model sees it in package shop.prices.",
        ),
        (
            "prices are ours",
            {"package": "same name"},
            "package shop.prices has it, but there is a better block of its name.",
        ),
    ],
)
async def test_of_two_blocks_of_one_name_one_is_left_out(
    workspace: Make, text: str, outcomes: Mapping[str, str], summary: str
) -> None:
    made = workspace(FILES)
    made.is_typing = False
    made.external.put("package", "shop.prices", text, priority=9)
    chooser = Chooser(made.gatherer, made.external, made.settings)
    found = await chooser.why(made.view("main.py", IMPORTED), "parse_price")
    chooser.close()
    assert {it.source: it.outcome for it in found.holders if it.declares} == outcomes
    assert found.summary == summary


@pytest.mark.parametrize(
    ("name", "text", "source", "reason"),
    [
        ("Price", "def f():\n    Price = 1\n    return Price$0\n", "class", "neither this file nor what it imports"),
        ("parse_price", ALONE, "package", "no module that this file imports offers it"),
        (
            "open_price",
            "import shop.prices\n\n\ndef f():\n    shop.prices.open_price()$0\n",
            "package",
            "shop.prices has nothing",
        ),
        (
            "with_tax",
            f"{IMPORTS_CLASS}    return Price.with_tax(a)$0\n",
            "package",
            "outside of its classes, shop.prices",
        ),
        ("with_tax", f"{IMPORTS_CLASS}    return a$0\n", "package", "no module that this file imports offers it"),
        ("dumps", "import gone\n\n\ndef f():\n    return gone.dumps()$0\n", "package", "nothing of gone may be shown"),
        ("twice", "def f():\n    return twice()$0\n", "elsewhere", "several places define it"),
        ("short", "def f(a):\n    return a.short()$0\n", "elsewhere", "long or of several words"),
        ("with_tax", "def f(a):\n    return a.with_tax$0\n", "elsewhere", "looked for where it is called"),
        ("parse_price", "def f(a):\n    return a.parse_price()$0\n", "elsewhere", "it is no method"),
        ("ab", "def f():\n    return ab()$0\n", "elsewhere", "too short"),
        ("price", ALONE, "scope", "the code at the cursor shows it"),
    ],
)
async def test_a_source_says_why_it_has_none(workspace: Make, name: str, text: str, source: str, reason: str) -> None:
    more = {"a.py": "def twice(): ...\ndef short(): ...\n", "b.py": "def twice(): ...\n"}
    assert reason in reasons(await why(workspace, name, text, more))[source]


@pytest.mark.parametrize(
    ("name", "line", "is_declared"),
    [
        ("Item", "class Item(Base):", True),
        ("Base", "class Item(Base):", False),
        ("add", "def add(self, item: Item) -> Price:", True),
        ("Item", "def add(self, item: Item) -> Price:", False),
        ("Price", "def add(self, item: Item) -> Price:", False),
        ("Price", "items: list[Price]", False),
        ("Price", "price: Price = field()", False),
        ("add", "Cart: def add(self, item: Item) -> Price:", True),
        ("Cart", "Cart: def add(self, item: Item) -> Price:", False),
        ("Item", "Cart: def add(self, item: Item) -> Price:", False),
        ("Price", "Map<String, Price> prices", False),
        ("Add", "func (cart *Cart) Add(item Item) Price", True),
        ("parse", "pub(crate) fn parse(text: &str) -> Price", True),
        ("parse", "price::Price::parse(text)", True),
        ("RED", "enum Color { RED, GREEN }", True),
        ("MAX", "const MAX = 3", True),
        ("three", "const MAX = three", False),
        ("other", "def add(self):  # as other", False),
        ("parse", '"""Of several\nlines.\n"""\n\n\ndef parse(text: str) -> Price: ...', True),
        ("parse", '"""Of several\nlines, as parse() has.\n"""\n\n\ndef other(text: str) -> Price: ...', False),
    ],
)
async def test_a_line_is_about_the_name_that_it_declares(
    workspace: Make, name: str, line: str, is_declared: bool
) -> None:
    made = workspace()
    made.external.put("package", "mine", line)
    chooser = Chooser(made.gatherer, made.external, made.settings)
    found = await chooser.why(made.view("main.py", f"x = {name}\n$0"), name)
    chooser.close()
    assert [it.declares for it in found.holders if it.source == "external"] == [is_declared]


async def test_a_member_is_not_looked_for_in_a_module_that_is_called_like_its_value(workspace: Make) -> None:
    files = {"shop/price.py": PRICES}
    uses = "def first(price: Price): ...\n\n\ndef f(cart):\n    return cart.price.with_tax$0\n"
    found = await why(workspace, "with_tax", f"from shop.price import Price\n\n\n{uses}", files)
    assert [it.name for it in found.definitions] == ["Price.with_tax", "Price.with_tax"]
    assert (found.uses, found.imports) == (("price",), ())
    assert found.summary == f"No block has it: {reasons(found)['elsewhere']}."


async def test_an_index_that_is_not_complete_says_so(workspace: Make) -> None:
    found = await why(workspace, "parse_price", index=False)
    assert found.summary == "No block has it, and the index of names is not complete: it is being built, or off."
    assert "not complete" in reasons(found)["elsewhere"]


@pytest.mark.parametrize("rules", [".gitignore", ".palimpsestignore"])
async def test_of_a_file_that_no_model_may_see_nothing_is_told(workspace: Make, rules: str) -> None:
    for text in (ALONE, IMPORTED):
        found = await why(workspace, "parse_price", text, {rules: "prices.py\n"})
        assert (found.n_definitions, found.n_holders) == (0, sum(not it.declares for it in found.holders))
        assert "no file" in found.summary
        assert "prices" not in found.summary


async def test_a_name_of_a_module_is_told_as_one(workspace: Make) -> None:
    files = {"money.js": "exports.parse = function (text) { return text; };\n"}
    text = 'const money_1 = require("./money");\nfunction total(items) {\n  return money_1.parse(items)$0;\n}\n'
    found = await why(workspace, "money_1", text, files, file="main.js")
    assert found.summary == "No block has it: it is what this file calls money."


async def test_a_name_is_one_name_with_its_mark_and_without(workspace: Make) -> None:
    text = "<?php\nfunction total($rows) {\n    $sum = 0;\n    return $sum$0;\n}\n"
    found = await why(workspace, "sum", text, file="cart.php")
    assert (found.uses, found.own_line, found.is_shown) == (("",), 2, True)


async def test_a_name_that_everything_has_is_told_of_in_part(workspace: Make) -> None:
    many = {f"part{n}.py": "def parse_price(): ...\n" for n in range(2 * MOST)}
    found = await why(workspace, "parse_price", ALONE, many)
    assert (found.n_definitions, len(found.definitions)) == (2 * MOST + 1, MOST)
    assert reasons(found)["elsewhere"] == "several places define it"


@pytest.mark.parametrize(
    ("language_id", "code"),
    [
        ("python", "'''a\nb'''\n# c\nfoo()\n"),
        ("javascript", "const a = `x\ny ${b}\nz`;\nfoo()\n"),
        ("go", "var a = `x\ny`\nfoo()\n"),
        ("rust", 'let a = "x\ny";\n/* a\nb */ foo()\n'),
        ("lua", "x = [[a\nb]]\nfoo()\n"),
        ("c", "/* a\n b */ foo();\r\n// x\\\ny\nbar();"),
    ],
)
def test_what_strings_and_comments_say_goes_and_their_lines_stay(language_id: str, code: str) -> None:
    lines = without_strings(code, language_of(language_id).lexical).split("\n")
    assert [len(line) for line in lines] == [len(line) for line in code.split("\n")]
    assert [number for number, line in enumerate(lines) if "foo" in line] == [
        number for number, line in enumerate(code.split("\n")) if "foo" in line
    ]
