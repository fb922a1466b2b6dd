"""`class` blocks: the class around the cursor and those the code deals with."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from context_workspace import Workspace

from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri

Make = Callable[..., Workspace]

CART = '''\
from shop import Basket
from shop.item import Item
from . import item as items


class Store:
    def save(self) -> None:
        pass


class Cart(Store):
    """A cart.

    With more to say.
    """

    items: list[Item]
    limit = 3
    names = {
        "a": 1,
    }

    def __init__(self, owner: str, size=3) -> None:
        self.owner = owner
        self.size = size
        self.total: float = 0.0

    @property
    def n(self) -> int:
        return len(self.items)

    async def add(
        self,
        item: Item,
        quantity: int = 1,
    ) -> None:
        $0
        self.items.append(item)

    def twice(self): return 2
'''
FILES = {
    "shop/__init__.py": "from .basket import Basket as Basket\n",
    "shop/basket.py": "class Basket:\n    def fill(self, n: int) -> None:\n        pass\n",
    "shop/item.py": "class Item:\n    price: float = 0.0\n\n    class Kind:\n        x = 1\n",
    "shop/cart.py": CART,
}


def test_the_enclosing_class_is_shown_as_formats_has_it(workspace: Make) -> None:
    block = workspace(FILES).blocks("shop/cart.py")["class:shop.cart.Cart"]
    assert block.text == "\n".join(
        [
            "class Cart(Store):",
            '    """A cart."""',
            "    items: list[Item]",
            "    limit = 3",
            "    names",
            "    owner: str",
            "    size",
            "    total: float",
            "    def __init__(self, owner: str, size=3) -> None: ...",
            "    @property",
            "    def n(self) -> int: ...",
            "    async def add(self, item: Item, quantity: int = 1) -> None: ...",
            "    def twice(self): ...",
        ]
    )
    assert block.editable
    assert block.uri == to_uri(workspace().root / "shop" / "cart.py")


def test_a_line_with_a_place_is_that_line_of_the_document(workspace: Make) -> None:
    made = workspace(FILES)
    classes = [block for block in made.blocks("shop/cart.py").values() if block.type == "class"]
    assert len(classes) == 4
    for block in classes:
        path = made.root / (block.name.rpartition(".")[0].replace(".", "/") + ".py")
        document = path.read_text("utf-8").replace("$0", "").split("\n")
        assert block.lines is not None
        texts = block.text.split("\n")
        assert len(texts) == len(block.lines)
        places = [place for place in block.lines if place is not None]
        assert places, block.name
        for text, place in zip(texts, block.lines, strict=True):
            assert place is None or document[place] == text


def test_classes_of_annotations_bases_and_attributes_come_along(workspace: Make) -> None:
    blocks = workspace(FILES).blocks("shop/cart.py")
    classes = sorted((b for b in blocks.values() if b.type == "class"), key=lambda b: -b.value)
    known = ["shop.cart.Cart", "shop.item.Item", "shop.cart.Store"]
    assert [b.name for b in classes] == [*known, "shop.basket.Basket"], "what is imported and not used yet comes last"


def test_a_class_is_found_through_a_packages_init(workspace: Make) -> None:
    blocks = workspace(FILES).blocks("shop/use.py", "from shop import Basket\n\ndef f():\n    b = Basket()\n    $0\n")
    assert blocks["class:shop.basket.Basket"].text == "class Basket:\n    def fill(self, n: int) -> None: ..."


def test_a_class_is_found_by_alias_and_through_its_module(workspace: Make) -> None:
    made = workspace(FILES)
    for text in (
        "from shop.item import Item as Thing\n\ndef f(x: Thing):\n    $0\n",
        "from shop import item\n\ndef f():\n    y = item.Item()\n    $0\n",
        "import shop.item\n\ndef f():\n    y = shop.item.Item()\n    $0\n",
        "import shop.item as si\n\ndef f():\n    y = si.Item()\n    $0\n",
        "from . import item\n\ndef f():\n    y = item.Item()\n    $0\n",
        "from .item import *\n\ndef f():\n    y = Item()\n    $0\n",
    ):
        assert "class:shop.item.Item" in made.blocks("shop/use.py", text), text


def test_a_src_folder_is_looked_into(workspace: Make) -> None:
    made = workspace({f"src/{name}": text for name, text in FILES.items()})
    blocks = made.blocks("tests/test_x.py", "from shop.item import Item\n\ndef test_a():\n    i = Item()\n    $0\n")
    assert "class:shop.item.Item" in blocks
    assert "class:shop.cart.Cart" in made.blocks("src/shop/cart.py")


def test_what_is_open_counts_before_what_is_saved(workspace: Make) -> None:
    made = workspace(FILES)
    uri = to_uri(made.root / "shop" / "item.py")
    made.open[uri] = Snapshot(uri, 3, "python", "class Item:\n    weight: int\n")
    assert "weight: int" in made.blocks("shop/cart.py")["class:shop.item.Item"].text


def test_code_that_does_not_parse_still_has_its_class(workspace: Make) -> None:
    broken = CART.replace("self.items.append(item)", "self.items.append((")
    text = workspace(FILES).blocks("shop/cart.py", broken)["class:shop.cart.Cart"].text
    assert "    def __init__(self, owner: str, size=3) -> None: ..." in text


def test_a_broken_file_elsewhere_is_no_failure(workspace: Make) -> None:
    made = workspace({**FILES, "shop/item.py": "class Item(:\n  price ==\n\n def"})
    assert "class:shop.cart.Cart" in made.blocks("shop/cart.py")


def test_typing_in_a_method_changes_no_class_block(workspace: Make) -> None:
    made = workspace(FILES)
    seen = set()
    for typed in ("s", "self", "self.", "self.own", "self.owner", "self.owner = Ba", "self.owner = x("):
        blocks = made.blocks("shop/cart.py", CART.replace("$0", typed + "$0"))
        seen.add(tuple(sorted((key, b.text) for key, b in blocks.items() if b.type == "class")))
    assert len(seen) == 1


@pytest.mark.parametrize("line", ["    def twice(self): return 2", "        self.owner = owner", "    limit = 3"])
def test_typing_a_member_changes_no_class_block(workspace: Make, line: str) -> None:
    made = workspace(FILES)
    seen = set()
    for typed in ("", "4", ".x", " + [", ' + "y"'):
        text = CART.replace("$0", "").replace(line, f"{line}{typed}$0")
        block = made.blocks("shop/cart.py", text).get("class:shop.cart.Cart")
        seen.add(block.text if block is not None else None)
    assert len(seen) == 1


def test_to_stand_on_a_members_line_changes_no_class_block(workspace: Make) -> None:
    made = workspace(FILES)
    text = CART.replace("$0", "")

    def shown(line: str, typed: str = "") -> str:
        return made.blocks("shop/cart.py", text.replace(line, f"{line}{typed}$0"))["class:shop.cart.Cart"].text

    first = made.blocks("shop/cart.py", CART)["class:shop.cart.Cart"].text
    assert shown("        self.owner = owner") == first
    assert shown("        self.size = size") == first
    assert shown("        self.size = size", " + 1") == first  # until the cursor leaves it
    text = text.replace("self.size = size", "self.extent = size")
    assert "    extent" in shown("        self.owner = owner")


def test_the_class_that_the_editing_block_shows_is_not_shown_twice(workspace: Make) -> None:
    text = CART.replace("$0", "").replace("    limit = 3", "    limit = $0")
    made = workspace(FILES)
    assert made.view("shop/cart.py", text).editing.type == "class"
    assert "class:shop.cart.Cart" not in made.blocks("shop/cart.py", text)


def test_a_long_class_is_cut_to_what_the_file_uses(workspace: Make) -> None:
    methods = "".join(f"    def method_{n:03}(self, a: int, b: str) -> None:\n        pass\n" for n in range(200))
    made = workspace({"big.py": f"class Big:\n{methods}"}, block_tokens=100)
    block = made.blocks("use.py", "from big import Big\n\ndef f(b: Big):\n    b.method_150(1, '')\n    $0\n")[
        "class:big.Big"
    ]
    assert block.text.startswith("class Big:\n")
    assert "method_150" in block.text
    assert len(block.text) < 100 * 4
    assert block.lines is not None
    assert len(block.lines) == len(block.text.split("\n"))


def test_a_class_found_by_way_of_another_file_is_that_of_the_document(workspace: Make) -> None:
    """On disk, as in a later version of a document, the file has other lines than the view."""
    kept = "# a line\n" * 40 + "class Item:\n    colour = 1\n\n    def paint(self) -> None: ...\n"
    made = workspace({"item.py": kept, "on.py": "from item import Item as Kind\n"})
    imported = "from on import Kind\n\n\n"
    changed = imported + "class Item(Kind):\n    size = 1\n\n    def fill(self):\n        $0\n"
    assert made.blocks("item.py", changed)["class:item.Item"].text.split("\n")[1] == "    size = 1"
    without = imported + "class Box:\n    size = 1\n\n\ndef f(kind: Kind, box: Box):\n    $0\n"
    assert [name for name in made.blocks("item.py", without) if name.startswith("class:")] == ["class:item.Box"]
