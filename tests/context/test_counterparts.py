"""Which file tests a file, and which a test is of, as languages name and place them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from context_workspace import Workspace

from palimpsest.context.sources.counterparts import Counterparts, of_test
from palimpsest.languages.registry import language_of, languages

Make = Callable[..., Workspace]
PAIRS = [
    ("shop/cart.py", "shop/test_cart.py"),
    ("shop/cart.py", "shop/cart_test.py"),
    ("shop/cart.py", "shop/tests/test_cart.py"),
    ("shop/cart.py", "tests/test_cart.py"),
    ("shop/cart.py", "tests/shop/test_cart.py"),
    ("src/shop/cart.py", "tests/unit/test_cart.py"),
    ("src/shop/parts/cart.py", "tests/parts/test_cart.py"),
    ("cart.go", "cart_test.go"),
    ("internal/shop/cart.go", "internal/shop/cart_test.go"),
    ("src/cart.ts", "src/cart.test.ts"),
    ("src/cart.tsx", "src/cart.spec.tsx"),
    ("src/cart.ts", "src/__tests__/cart.ts"),
    ("src/cart.js", "src/__tests__/cart.test.js"),
    ("src/shop/cart.js", "test/shop/cart.js"),
    ("src/cart.ts", "src/cart.test.tsx"),
    ("src/main/java/shop/Cart.java", "src/test/java/shop/CartTest.java"),
    ("app/src/main/kotlin/shop/Cart.kt", "app/src/test/kotlin/shop/CartTest.kt"),
    ("src/Cart.java", "test/TestCart.java"),
    ("lib/shop/cart.rb", "spec/shop/cart_spec.rb"),
    ("app/models/cart.rb", "spec/models/cart_spec.rb"),
    ("lib/cart.rb", "test/test_cart.rb"),
    ("src/cart.rs", "tests/cart.rs"),
    ("src/cart.rs", "src/cart_test.rs"),
    ("Shop/Models/Cart.cs", "Shop.Tests/Models/CartTests.cs"),
    ("src/Shop/Cart.cs", "test/Shop.Tests/CartTests.cs"),
    ("src/Cart.php", "tests/Unit/CartTest.php"),
    ("Sources/Shop/Cart.swift", "Tests/ShopTests/CartTests.swift"),
    ("src/cart.lua", "spec/cart_spec.lua"),
    ("src/cart.c", "tests/test_cart.c"),
    ("src/cart.cpp", "test/cart_test.cc"),
    ("src/cart.cc", "src/cart_unittest.cc"),
    ("bin/deploy.sh", "test/deploy.bats"),
]


@pytest.mark.parametrize(("source", "test"), PAIRS)
def test_a_file_and_its_test_find_each_other(workspace: Make, source: str, test: str) -> None:
    others = ["README.md", "shop/other.py", "src/other.py", "tests/test_other.py"]
    made = workspace(dict.fromkeys((source, test, *others), ""))
    found, language = Counterparts(made.gatherer.files([made.root])), language_of("", source)
    assert found.tests_of(made.root / source, language) == [made.root / test]
    assert not found.is_test(made.root / source, language)
    assert found.is_test(made.root / test, language_of("", test))
    assert found.source_of(made.root / test, language_of("", test)) == made.root / source


def test_every_language_with_scopes_is_tried() -> None:
    tried = {language_of("", name).id for pair in PAIRS for name in pair}
    assert tried == {it.id for it in languages() if it.grammar is not None and not it.whole_file} - {"html"}


@pytest.mark.parametrize(
    ("stem", "names", "expected"),
    [
        ("test_cart", ("test_{}", "{}_test"), "cart"),
        ("cart_test", ("test_{}", "{}_test"), "cart"),
        ("test_", ("test_{}",), ""),
        ("cart", ("test_{}",), ""),
        ("attest_cart", ("test_{}",), ""),
        ("cart.test", ("{}.test",), "cart"),
    ],
)
def test_what_a_test_is_of_by_its_name(stem: str, names: tuple[str, ...], expected: str) -> None:
    assert of_test(stem, names) == expected


def test_of_two_that_may_be_meant_none_is(workspace: Make) -> None:
    made = workspace(dict.fromkeys(("a/cart.py", "b/cart.py", "tests/test_cart.py"), ""))
    found, python = Counterparts(made.gatherer.files([made.root])), language_of("python")
    assert found.source_of(made.root / "tests/test_cart.py", python) is None
    (made.root / "b/cart.py").unlink()
    found = Counterparts(made.gatherer.files([made.root]))
    assert found.source_of(made.root / "tests/test_cart.py", python) == made.root / "a/cart.py"


def test_what_is_ignored_or_leads_elsewhere_is_not_found(workspace: Make, tmp_path: object) -> None:
    made = workspace({"cart.py": "", ".gitignore": "tests/\n", "tests/test_cart.py": "", "away/test_cart.py": ""})
    (made.root / "spec").symlink_to(made.root / "away")
    found = Counterparts(made.gatherer.files([made.root]))
    assert found.tests_of(made.root / "cart.py", language_of("python")) == []
