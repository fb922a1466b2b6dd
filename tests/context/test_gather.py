"""All sources together: what is never shown, what stays when the cursor moves, what happens when a source fails."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.context.choice.selection import select
from palimpsest.context.sources.scope import ScopeSource
from palimpsest.errors import InvalidArgument, OutsideWorkspace
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.types import Block

Make = Callable[..., Workspace]

SHOP = {
    "shop/__init__.py": "",
    "shop/item.py": "class Item:\n    price: float = 0.0\n",
    "shop/cart.py": (
        "import re\nimport json\nfrom shop.item import Item\n\n\n"
        "def one(s):\n    return re.match('a', s)ONE\n\n\n"
        "def two(i: Item):\n    return json.dumps(i.price)TWO\n"
    ),
    "README.md": "# Cart\n\nThe cart.\n",
}


def cart(where: str) -> str:
    text = SHOP["shop/cart.py"]
    return text.replace(where, "$0").replace("ONE", "").replace("TWO", "")


def chosen(
    made: Workspace, text: str, before: list[Block], budget: int = 4000, file: str = "shop/cart.py"
) -> list[Block]:
    view = made.view(file, text)
    candidates = made.gatherer.candidates(view)
    return select(
        candidates, before, budget, lambda b: len(b.text) // 3, lambda b: made.gatherer.still_valid(b, view)
    ).chosen


def keys(blocks: list[Block]) -> set[str]:
    return {str(b.key) for b in blocks}


def test_blocks_of_another_function_stay_while_there_is_room(workspace: Make) -> None:
    made = workspace(SHOP)
    first = chosen(made, cart("ONE"), [])
    assert {"package:re", "scope:shop.cart", "filesystem:shop"} <= keys(first)
    assert "package:json" not in keys(first)
    second = chosen(made, cart("TWO"), first)
    assert {"package:re", "package:json", "class:shop.item.Item"} <= keys(second)
    third = chosen(made, cart("ONE"), second)
    assert keys(third) == keys(second)
    assert {b.key: b.text for b in third} == {b.key: b.text for b in second}


def test_they_leave_when_room_is_needed(workspace: Make) -> None:
    made = workspace(SHOP)
    first = chosen(made, cart("ONE"), [])
    needed = sum(len(b.text) // 3 for b in chosen(made, cart("TWO"), []))
    assert "package:re" not in keys(chosen(made, cart("TWO"), first, needed))


def test_they_leave_with_their_import(workspace: Make) -> None:
    made = workspace(SHOP)
    both = chosen(made, cart("TWO"), chosen(made, cart("ONE"), []))
    after = chosen(made, cart("TWO").replace("import re\n", ""), both)
    assert keys(both) - keys(after) == {"package:re"}
    back = chosen(made, cart("ONE"), after)
    assert "package:re" in keys(back)
    gone = chosen(made, cart("ONE").replace("from shop.item import Item\n", ""), back)
    assert keys(back) - keys(gone) >= {"class:shop.item.Item"}


def test_they_leave_with_the_class_they_show_or_when_it_changes(workspace: Make) -> None:
    made = workspace(SHOP)
    first = chosen(made, cart("TWO"), [])
    assert "class:shop.item.Item" in keys(chosen(made, cart("ONE"), first))
    made.write({"shop/item.py": "class Item:\n    weight: float = 0.0\n"})
    assert "class:shop.item.Item" not in keys(chosen(made, cart("ONE"), first))


def test_blocks_of_another_file_leave(workspace: Make) -> None:
    made = workspace(SHOP)
    first = chosen(made, cart("ONE"), [])
    other = chosen(made, "def f():\n    $0\n", first, file="shop/other.py")
    assert "package:re" not in keys(other)
    assert "filesystem:shop" in keys(other)


def test_nothing_secret_ignored_or_outside_is_in_any_block(workspace: Make) -> None:
    made = workspace(
        {
            ".gitignore": "private/\n",
            ".env": "TOKEN=hunter2\n",
            "private/__init__.py": "",
            "private/keys.py": 'class Keys:\n    """hunter2"""\n    def hunter2(self): ...\n',
            "id_rsa.py": "class Creds:\n    hunter2 = 1\n",
            "excluded/deep.py": "def hunter2(): ...\nclass Deep:\n    hunter2 = 1\n",
        },
        exclude=("excluded/",),
    )
    (made.root.parent / "outside.py").write_text("class Out:\n    hunter2 = 1\n")
    (made.root / "linked.py").symlink_to(made.root.parent / "outside.py")
    text = (
        "from private.keys import Keys\nfrom id_rsa import Creds\nfrom excluded.deep import Deep, nothing\n"
        "from linked import Out\nimport private.keys\nimport excluded.deep\n\n\n"
        "def f(a: Keys, b: Creds, c: Deep, d: Out):\n"
        "    private.keys.Keys, excluded.deep.x(), nothing()\n    $0\n"
    )
    blocks = made.blocks("use.py", text)
    assert not [b.key for b in blocks.values() if "hunter2" in b.text]
    tree = blocks["filesystem:root"].text
    assert not any(name in tree for name in (".env", "private", "id_rsa", "excluded"))


@pytest.mark.parametrize(
    ("name", "error", "reason"),
    [
        (".env", InvalidArgument, "secrets"),
        ("../outside.txt", OutsideWorkspace, "outside the workspace"),
        ("linked.txt", OutsideWorkspace, "outside the workspace"),
        ("big.txt", InvalidArgument, "larger"),
        ("binary.dat", InvalidArgument, "no UTF-8 text"),
        ("missing.txt", InvalidArgument, "cannot be read"),
        ("sub", InvalidArgument, "is not a file"),
    ],
)
def test_a_pin_that_is_refused_says_why(workspace: Make, name: str, error: type[Exception], reason: str) -> None:
    made = workspace({".env": "A=1", "big.txt": "x" * 1_000_001, "sub/a": ""})
    (made.root / "binary.dat").write_bytes(b"\x00\x01")
    (made.root.parent / "outside.txt").write_text("x")
    (made.root / "linked.txt").symlink_to(made.root.parent / "outside.txt")
    with pytest.raises(error, match=reason):
        made.pin(name)


def test_a_pinned_file_is_whole_or_cut_and_named_so(workspace: Make) -> None:
    made = workspace(
        {"data/case.json": "".join(f'{{"n": {n}}}\n' for n in range(300)), ".gitignore": "notes.txt\n"}, block_tokens=64
    )
    made.write({"notes.txt": "a note\n"})
    for name in ("data/case.json", "notes.txt"):
        made.pin(name)
    blocks = [b for b in made.blocks("use.py", "x = $0").values() if b.type == "file"]
    assert [b.name for b in blocks][1] == "notes.txt"
    assert (blocks[1].text, blocks[1].lines, blocks[1].pinned) == ("a note", (0,), True)
    n_lines = len(blocks[0].text.split("\n"))
    assert blocks[0].name == f"data/case.json (lines 1-{n_lines} of 300)"
    assert 10 < n_lines < 40
    made.external.unpin(to_uri(made.root / "notes.txt"))
    assert [b.name for b in made.blocks("use.py", "x = $0").values() if b.type == "file"] == [blocks[0].name]


def test_the_document_itself_is_not_shown_as_a_pinned_file(workspace: Make) -> None:
    made = workspace({"a.py": "x = 1\n"})
    made.external.pin(to_uri(made.root / "a.py"))
    assert not [key for key in made.blocks("a.py", "x = $0") if key.startswith("file:")]
    assert "file:a.py" in made.blocks("b.py", "x = $0")


def test_what_agents_put_is_a_candidate(workspace: Make) -> None:
    made = workspace()
    made.external.put("documentation", "attrs", "attrs makes classes")
    assert made.blocks("a.py", "x = $0")["documentation:attrs"].text == "attrs makes classes"


def test_only_the_kinds_that_are_asked_for(workspace: Make) -> None:
    made = workspace(SHOP, sources=("scope",))
    assert {b.type for b in made.blocks("shop/cart.py", cart("ONE")).values()} == {"scope"}


def test_what_was_put_is_there_whatever_sources_are_asked_for(workspace: Make) -> None:
    for sources, expected in ((), {"recent:put"}), (("file",), {"recent:put", "file:notes.txt"}):
        made = workspace({**SHOP, "notes.txt": "a note\n"}, sources=sources)
        made.external.put("recent", "put", "text")
        made.pin("notes.txt")
        assert made.blocks("shop/cart.py", cart("ONE")).keys() == expected


def test_a_source_that_fails_yields_nothing_and_is_logged_once(
    workspace: Make, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = workspace(SHOP)

    def fail(self: object, view: object) -> list[Block]:
        raise RuntimeError("out of order")

    # no door: no source is known to fail
    monkeypatch.setattr(ScopeSource, "candidates", fail)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            kinds = {b.type for b in made.blocks("shop/cart.py", cart("ONE")).values()}
    assert {"package", "filesystem"} <= kinds
    assert "scope" not in kinds
    assert [record.getMessage() for record in caplog.records] == ["no scope blocks: RuntimeError: out of order"]


@pytest.mark.parametrize(
    "text", ["", "$0", "def", "class A(", "import ", "from . import (", '"""', "\x00 def f(: $0 \ud800"]
)
def test_no_text_is_too_broken(workspace: Make, text: str, caplog: pytest.LogCaptureFixture) -> None:
    made = workspace({"a.py": "x = 1\n"})
    blocks = made.blocks("a.py", text)
    assert "filesystem:root" in blocks
    assert caplog.records == []


def test_names_do_not_depend_on_how_the_folder_is_written(workspace: Make) -> None:
    made = workspace(SHOP)
    blocks = made.blocks("shop/cart.py", cart("TWO")).values()
    assert blocks
    for block in blocks:
        assert "\\" not in block.name
        assert str(made.root) not in block.name + block.text


def test_a_document_that_is_no_file_has_what_needs_no_file(workspace: Make) -> None:
    made = workspace(SHOP)
    snapshot = Snapshot(
        "untitled:Untitled-1", 1, "python", "import math\n\n\nclass A:\n    def f(self): return math.e\n"
    )
    view = made.view_of(snapshot, Path("Untitled-1"), len(snapshot.text) - 1)
    kinds = {block.type for block in made.gatherer.candidates(view)}
    assert kinds == {"class", "package", "scope"}


def test_a_document_of_which_nothing_can_be_told_has_what_needs_no_language(
    workspace: Make, caplog: pytest.LogCaptureFixture
) -> None:
    made = workspace({**SHOP, "shop/cart.sql": "", "AGENTS.md": "Be kind.\n"})
    path = made.root / "shop/cart.sql"
    text = "-- the cart\nselect item from Cart;\n\nimport json\nclass Cart:\n    x = json.dumps(1)\n"
    view = made.view_of(Snapshot(to_uri(path), 1, "sql", text), path, len(text) - 3)
    blocks = {str(block.key) for block in made.gatherer.candidates(view)}
    assert blocks == {"filesystem:shop", "documentation:AGENTS.md", "documentation:README.md#Cart"}
    assert caplog.records == []
