"""Blocks of a function's tests, of what a test is of, and of the fixtures that it takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from context_workspace import Workspace

from palimpsest.context.activity.chunks import chunk_at
from palimpsest.context.values import FIXTURE, TEST
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.types import Block

Make = Callable[..., Workspace]
CART = """\
class Cart:
    def total(self):
        return sum(self.prices)

    def clear(self):
        self.prices = []


def shipping(cart):
    return 5
"""
TESTS = """\
import pytest

from shop.cart import Cart, shipping


@pytest.fixture
def full():
    return Cart([1, 2])


def test_total(full):
    assert full.total() == 3


def test_total_of_nothing():
    assert Cart([]).total() == 0


def test_shipping():
    assert shipping(Cart([])) == 5
"""
TOKEN = "ghp_" + "A1b2C3d4" * 5


def companions(made: Workspace, file: str, text: str | None = None) -> dict[str, Block]:
    return {block.name: block for block in made.blocks(file, text).values() if block.source == "test"}


def at(text: str, needle: str) -> str:
    return text.replace(needle, f"{needle}$0", 1)


def test_the_tests_of_a_function(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART, "tests/test_cart.py": TESTS})
    found = companions(made, "shop/cart.py", at(CART, "return sum"))
    assert list(found) == ["tests/test_cart.py test_total", "tests/test_cart.py test_total_of_nothing"]
    block = found["tests/test_cart.py test_total"]
    assert block.text == "def test_total(full):\n    assert full.total() == 3"
    assert (block.type, block.editable, block.uri) == ("file", True, to_uri(made.root / "tests/test_cart.py"))
    assert block.lines == (10, 11)
    assert block.value == TEST
    assert list(companions(made, "shop/cart.py", at(CART, "return 5"))) == ["tests/test_cart.py test_shipping"]


def test_of_a_function_that_no_test_names_those_of_its_class(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART, "tests/test_cart.py": TESTS})
    found = companions(made, "shop/cart.py", at(CART, "self.prices = []"))
    assert list(found) == ["tests/test_cart.py full", "tests/test_cart.py test_total_of_nothing"]


def test_a_test_gets_what_it_is_of(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART, "tests/test_cart.py": TESTS})
    found = companions(made, "tests/test_cart.py", at(TESTS, "assert full.total()"))
    assert found["shop/cart.py Cart.total"].text == "    def total(self):\n        return sum(self.prices)"
    assert "shop/cart.py Cart.clear" not in found


def test_fixtures_of_the_file_and_of_those_above(workspace: Make) -> None:
    conftest = (
        "import pytest\n\n\n@pytest.fixture(scope='session')\ndef shop():\n    return 1\n\n\ndef helper():\n    ...\n"
    )
    nearer = "from pytest import fixture\n\n\n@fixture\ndef till(shop):\n    return 2\n"
    files = {"tests/conftest.py": conftest, "tests/unit/conftest.py": nearer, "conftest.py": conftest}
    made = workspace(files)
    text = f"{TESTS}\n\ndef test_all(full, till, shop, helper, tmp_path):\n    $0use(full, till, shop, helper)\n"
    found = companions(made, "tests/unit/test_cart.py", text)
    assert set(found) == {"tests/unit/test_cart.py full", "tests/unit/conftest.py till", "tests/conftest.py shop"}
    assert found["tests/conftest.py shop"].text.startswith("@pytest.fixture(scope='session')\ndef shop():")
    assert all(abs(block.value - FIXTURE) < 1 and block.editable for block in found.values())
    only = f"{TESTS}\n\ndef test_all(till):\n    $0\n"
    assert set(companions(made, "tests/unit/test_cart.py", only)) == {"tests/unit/conftest.py till"}


JAVASCRIPT = """\
import { total } from "./cart";

describe("a cart", () => {
  it("sums its prices", () => {
    expect(total([1, 2])).toBe(3);
  });
});
"""


def test_a_test_that_is_no_function(workspace: Make) -> None:
    made = workspace({"src/cart.ts": "", "src/cart.test.ts": JAVASCRIPT})
    code = "export function total(prices: number[]): number {\n  $0return 0;\n}\n"
    (block,) = companions(made, "src/cart.ts", code).values()
    assert block.name == "src/cart.test.ts line 1"
    assert "expect(total([1, 2])).toBe(3);" in block.text


@pytest.mark.parametrize(
    ("source", "test", "code", "tests", "name"),
    [
        (
            "cart.go",
            "cart_test.go",
            "package shop\n\nfunc Total(prices []int) int {\n\t$0return 0\n}\n",
            "package shop\n\nfunc TestTotal(t *testing.T) {\n\tif Total(nil) != 0 {\n\t\tt.Fail()\n\t}\n}\n",
            "cart_test.go TestTotal",
        ),
        (
            "src/main/java/shop/Cart.java",
            "src/test/java/shop/CartTest.java",
            "package shop;\n\nclass Cart {\n    int total() {\n        $0return 0;\n    }\n}\n",
            "package shop;\n\nclass CartTest {\n    @Test\n    void sums() {\n        check(cart.total());\n    }\n}\n",
            "src/test/java/shop/CartTest.java CartTest.sums",
        ),
        (
            "lib/cart.rb",
            "test/test_cart.rb",
            "class Cart\n  def total\n    $0\n  end\nend\n",
            "class TestCart\n  def test_sum\n    assert_equal 0, cart.total\n  end\nend\n",
            "test/test_cart.rb TestCart.test_sum",
        ),
        (
            "src/cart.rs",
            "tests/cart.rs",
            "pub fn total(prices: &[u32]) -> u32 {\n    $00\n}\n",
            "#[test]\nfn sums() {\n    assert_eq!(total(&[]), 0);\n}\n",
            "tests/cart.rs sums",
        ),
    ],
)
def test_in_other_languages(workspace: Make, source: str, test: str, code: str, tests: str, name: str) -> None:
    made = workspace({source: "", test: tests})
    assert list(companions(made, source, code)) == [name]


def test_a_block_stays_while_its_lines_do(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART, "tests/test_cart.py": TESTS})
    view = made.view("shop/cart.py", at(CART, "return sum"))
    block = next(block for block in made.gatherer.candidates(view) if block.source == "test")
    elsewhere = made.view("shop/cart.py", at(CART, "return 5"))
    assert made.gatherer.still_valid(block, elsewhere)
    made.write({"tests/test_cart.py": "# Tests.\n" + TESTS})
    assert companions(made, "shop/cart.py", at(CART, "return sum"))[block.name].lines == (11, 12)
    assert made.gatherer.still_valid(block, view)
    made.write({"tests/test_cart.py": TESTS.replace("== 3", "== 4")})
    view = made.view("shop/cart.py", at(CART, "return sum"))
    assert "== 4" in companions(made, "shop/cart.py", at(CART, "return sum"))[block.name].text
    assert not made.gatherer.still_valid(block, view)


def test_what_was_edited_lately_is_there_once(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART, "tests/test_cart.py": TESTS})
    there = Snapshot(to_uri(made.root / "tests/test_cart.py"), 1, "python", TESTS)
    made.activity.chunks.add(chunk_at(parse_snapshot(there, language_of("python")), 11))
    blocks = made.blocks("shop/cart.py", at(CART, "return sum"))
    assert "recent:tests/test_cart.py test_total" not in blocks
    assert "file:tests/test_cart.py test_total" in blocks
    assert "recent:tests/test_cart.py test_total" in made.blocks("shop/cart.py", at(CART, "return 5"))


@pytest.mark.parametrize(
    "files",
    [
        {".gitignore": "tests/\n"},
        {".palimpsestignore": "test_cart.py\n"},
        {"tests/test_cart.py": f"KEY = '{TOKEN}'\n{TESTS}"},
    ],
)
def test_nothing_of_a_test_that_is_ignored_or_secret(workspace: Make, files: dict[str, str]) -> None:
    made = workspace({"shop/cart.py": CART, "tests/test_cart.py": TESTS, **files})
    assert companions(made, "shop/cart.py", at(CART, "return sum")) == {}


def test_nothing_of_fixtures_that_are_secret(workspace: Make) -> None:
    fixture = "import pytest\n\n\n@pytest.fixture\ndef full():\n    return 1\n"
    made = workspace({"tests/conftest.py": f"KEY = '{TOKEN}'\n{fixture}"})
    text = "def test_all(full):\n    $0use(full)\n"
    assert companions(made, "tests/test_cart.py", text) == {}
    made.write({"tests/conftest.py": fixture})
    assert list(companions(made, "tests/test_cart.py", text)) == ["tests/conftest.py full"]


def test_a_huge_test_is_not_parsed(workspace: Make) -> None:
    made = workspace({"shop/cart.py": CART, "tests/test_cart.py": TESTS + "# more\n" * 40_000})
    assert companions(made, "shop/cart.py", at(CART, "return sum")) == {}
