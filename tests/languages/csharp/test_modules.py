"""C#: which files a namespace has, what a file sees with and without `using`."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.languages.csharp import namespace_at, namespaces, namespaces_in
from tests.context.context_workspace import Workspace
from tests.languages.reading import parsed_as
from tests.languages.resolving import files_of, imported, members, modules, offered, write

CART = """\
using System;
using Shop.Money;
using Rates = Shop.Money.RateTable;

namespace Shop.Carts;

/// <summary>What a buyer wants.</summary>
public class Cart : Basket
{
    private int size;
    public Line Last { get; set; }

    public Line Add(string name, Amount price)
    {
        return null;
    }
}
"""
SHOP = {
    "Shop/Shop.csproj": "<Project/>\n",
    "Shop/Carts/Cart.cs": CART,
    "Shop/Carts/Line.cs": "namespace Shop.Carts\n{\n    class Line\n    {\n        public int Count;\n    }\n\n"
    "    namespace Inner\n    {\n        public class Deep { }\n    }\n}\n",
    "Shop/Basket.cs": "namespace Shop;\n\npublic abstract class Basket\n{\n    public abstract int Weight();\n}\n\n"
    "file class Hidden { }\n",
    "Shop/Money/Amount.cs": "namespace Shop.Money;\n\npublic readonly record struct Amount(long Cents);\n"
    "public static class RateTable { }\n",
    "Shop/GlobalUsings.cs": "global using System.Linq;\nglobal using Shop.Stock;\n",
    "Shop/Stock/Shelf.cs": "namespace Shop.Stock;\n\npublic class Shelf { }\n",
    "Tools/Program.cs": "using Shop.Carts;\n\nnamespace Tools;\n\nclass Program { }\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    return tmp_path / "shop"


def test_files_have_the_namespace_that_they_declare(shop: Path) -> None:
    found = modules(shop, "csharp")
    assert found.name_of(shop / "Shop/Carts/Cart.cs", shop) == "Shop.Carts"
    assert imported(found, shop, "Shop/Carts/Cart.cs") == [
        ("System", "*", "System"),
        ("Shop.Money", "*", "Shop.Money"),
        ("Shop.Money", "RateTable", "Shop.Money"),
    ]
    assert [item.module for item in found.implied("Shop.Carts", shop / "Shop/Carts/Cart.cs")] == [
        "Shop.Carts",
        "Shop",
        "System.Linq",
        "Shop.Stock",
    ]
    assert [item.module for item in found.implied("Tools", shop / "Tools/Program.cs")] == ["Tools"]


def test_files_of_a_namespace(shop: Path) -> None:
    found = modules(shop, "csharp")
    assert files_of(found, shop, "Shop.Carts", "Shop/Carts/Cart.cs") == ["Shop/Carts/Cart.cs", "Shop/Carts/Line.cs"]
    assert files_of(found, shop, "Shop.Carts", "Tools/Program.cs") == ["Shop/Carts/Cart.cs", "Shop/Carts/Line.cs"]
    assert files_of(found, shop, "Shop.Carts.Inner", "Shop/Carts/Cart.cs") == ["Shop/Carts/Line.cs"]
    assert files_of(found, shop, "Shop", "Shop/Carts/Cart.cs") == ["Shop/Basket.cs"]
    assert files_of(found, shop, "System", "Shop/Carts/Cart.cs") == []
    assert files_of(found, shop, "Carts", "Shop/Carts/Cart.cs") == []


def test_what_a_namespace_offers(shop: Path) -> None:
    found, program = modules(shop, "csharp"), shop / "Tools/Program.cs"
    assert offered(found, "Shop.Carts", program) == {"Cart": "public class Cart : Basket", "Line": "class Line"}
    assert offered(found, "Shop.Carts.Inner", shop / "Shop/Carts/Cart.cs") == {"Deep": "public class Deep"}
    assert offered(found, "Shop", shop / "Shop/Carts/Cart.cs") == {"Basket": "public abstract class Basket"}
    assert members(found, "Shop.Carts", "Cart", program) == [
        "Line Cart.Last",
        "public Line Cart.Add(string name, Amount price)",
    ]


def test_namespaces_in_any_folder_are_found_by_the_index(tmp_path: Path) -> None:
    there = Workspace(tmp_path / "shop")
    there.write({**SHOP, "else/where.cs": "namespace Other\n{\n    namespace Place { public class There { } }\n}\n"})
    text = "using Other.Place;\n\nnamespace Tools;\n\nclass Program\n{\n    void Run(There there)\n    {\n        $0\n"
    assert "class:Other.Place.There" not in there.blocks("Tools/Program.cs", text + "    }\n}\n")
    there.build_index()
    assert "class:Other.Place.There" in there.blocks("Tools/Program.cs", text + "        \n    }\n}\n")


def test_classes_of_the_namespace_and_of_those_around_it_have_blocks(tmp_path: Path) -> None:
    there = Workspace(tmp_path / "shop")
    there.write(SHOP)
    blocks = there.blocks("Shop/Carts/Cart.cs", CART.replace("return null;", "Line line = $0"))
    assert "public int Count;" in blocks["class:Shop.Carts.Line"].text
    assert "public abstract int Weight();" in blocks["class:Shop.Basket"].text
    assert "public readonly record struct Amount(long Cents)" in blocks["package:Shop.Money"].text


def test_what_may_not_be_seen_is_in_no_namespace(shop: Path) -> None:
    (shop.parent / "Out.cs").write_text("namespace Shop.Carts;\n\npublic class Out { }\n")
    (shop / "Shop/Carts/Out.cs").symlink_to(shop.parent / "Out.cs")
    (shop / ".palimpsestignore").write_text("Line.cs\n")
    assert files_of(modules(shop, "csharp"), shop, "Shop.Carts", "Shop/Carts/Cart.cs") == ["Shop/Carts/Cart.cs"]


def test_namespaces_of_a_text_and_of_its_tree() -> None:
    text = "// namespace No\nnamespace A.B\n{\n    namespace C {\n    }\n    namespace D\n    {\n    }\n}\n"
    text += "namespace E { }\n"
    assert namespaces_in(text) == ["A.B", "A.B.C", "A.B.D"]
    parsed = parsed_as("a.cs", text)
    assert [name for name, _, _ in namespaces(parsed)] == ["A.B", "A.B.C", "A.B.D", "E"]
    assert [namespace_at(parsed, line) for line in (0, 2, 4, 5, 8, 9)] == ["", "A.B", "A.B.C", "A.B.D", "A.B", "E"]
    assert namespaces_in("namespace A; // all\r\nclass B { }\r\n") == ["A"]
