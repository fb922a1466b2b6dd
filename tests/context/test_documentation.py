"""`documentation` blocks: the module's docstring and what the README says about it."""

from __future__ import annotations

from collections.abc import Callable

from context_workspace import Workspace

from palimpsest.context.sources.documentation import sections
from palimpsest.text.uris import to_uri

Make = Callable[..., Workspace]
README = """\
Before the first heading.

# Shop

A shop.

## The cart

`Cart.add` puts an item in.

```
# no heading, cart
```

## Prices

Call `gross_price` for prices.

## Weather

Nothing to do with it.
"""
CART = '"""Carts.\n\nAnd items.\n"""\n\n\nclass Cart:\n    def put(self):\n        $0\n'


def found(made: Workspace, text: str = CART) -> dict[str, str]:
    return {b.name: b.text for b in made.blocks("shop/cart.py", text).values() if b.type == "documentation"}


def test_the_docstring_and_the_sections_about_it(workspace: Make) -> None:
    blocks = found(workspace({"README.md": README}))
    assert blocks["module shop.cart"] == "Carts.\n\nAnd items."
    assert blocks["README.md#The cart"] == "## The cart\n\n`Cart.add` puts an item in.\n\n```\n# no heading, cart\n```"
    assert set(blocks) == {"module shop.cart", "README.md#The cart"}


def test_names_that_the_editing_block_uses_count(workspace: Make) -> None:
    blocks = found(workspace({"README.md": README}), "def f():\n    x = gross_price(1)\n    $0\n")
    assert "README.md#Prices" in blocks
    assert "README.md#Weather" not in blocks


def test_sections_of_restructured_text() -> None:
    text = "Title\n=====\n\nIntro.\n\nUsage\n-----\n\nUse it.\n\nEmpty\n-----\n"
    assert [(s.title, s.lines[-1]) for s in sections(text)] == [("Title", "Intro."), ("Usage", "Use it.")]


def test_a_readme_without_headings_takes_no_other_block_with_it(workspace: Make) -> None:
    for text in ("The cart, in plain words.\n", "\n", ""):
        assert set(found(workspace({"README.md": text}))) == {"module shop.cart"}


def test_a_nearer_readme_counts_too_and_ignored_ones_do_not(workspace: Make) -> None:
    made = workspace(
        {
            ".gitignore": "README.md\n!/shop/README.md\n",
            "README.md": "# Cart\n\nignored\n",
            "shop/README.md": "# Cart\n\nnear\n",
        }
    )
    assert "README.md#Cart" not in found(made)
    assert found(made)["shop/README.md#Cart"] == "# Cart\n\nnear"


def test_a_long_section_is_cut_at_a_line(workspace: Make) -> None:
    made = workspace({"README.md": "# Cart\n\n" + "\n".join(f"line {n} of the cart" for n in range(400))})
    text = found(made)["README.md#Cart"]
    assert len(text) < 1000
    assert text.split("\n")[-1].endswith("of the cart")


def test_it_stays_valid_as_long_as_it_is_written(workspace: Make) -> None:
    made = workspace({"README.md": README})
    view = made.view("shop/cart.py", CART)
    blocks = [b for b in made.gatherer.candidates(view) if b.type == "documentation"]
    assert len(blocks) > 1
    assert all(made.gatherer.still_valid(b, view) for b in blocks)
    made.write({"README.md": "# Other\n\ntext\n"})
    made.gatherer.candidates(view)
    assert [b.name for b in blocks if made.gatherer.still_valid(b, view)] == ["module shop.cart"]


def test_a_section_is_a_range_of_its_document(workspace: Make) -> None:
    made = workspace({"README.md": README.replace("\n", "\r\n")})
    found = made.gatherer.candidates(made.view("shop/cart.py", CART))
    (block,) = [one for one in found if one.source == "documentation" and one.name == "README.md#The cart"]
    assert block.editable
    assert block.uri == to_uri(made.root / "README.md")
    assert block.lines is not None
    lines = README.split("\n")
    assert [lines[n] for n in block.lines if n is not None] == block.text.split("\n")
