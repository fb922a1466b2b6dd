"""Modules read from their trees, with a made-up language: what they offer, what is followed, what is not read."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from palimpsest.config.settings import ContextSettings
from palimpsest.languages.library_files import LibraryFiles
from palimpsest.languages.modules import Modules, Surroundings
from palimpsest.languages.registry import modules_of
from palimpsest.syntax.parse import Language
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.workspace.files import WorkspaceFiles
from tests.context.context_workspace import Workspace

Make = Callable[..., Workspace]
MONEY = """\
/** Prices. */

/**
 * The total of some items.
 *
 * Tax is left out.
 */
function total(items, rate = 1) {
  return items.length * rate;
}

function _hidden() {}

/// A purse.
@sealed
class Purse extends Base {
  size = 0;
  _secret = 1;

  /** What is in it. */
  add(coin) {
    return coin;
  }
}

const LIMIT = 10;
const NAMES = {
  a: 1,
};
"""


@pytest.fixture(autouse=True)
def use_toy(toy: Language) -> None:
    pass


def modules(root: Path, toy: Language, **kwargs: object) -> Modules:
    files = WorkspaceFiles([root], **kwargs)  # type: ignore[arg-type]
    return modules_of(toy, Surroundings(files, ContextSettings(), {}))


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")


def texts(there: Workspace, file: str) -> dict[tuple[str, str], str]:
    return {(block.type, block.name): block.text for block in there.blocks(file).values()}


def test_what_a_module_offers(tmp_path: Path, toy: Language) -> None:
    write(tmp_path, {"shop/money.toy": MONEY})
    found = modules(tmp_path, toy).describe("shop/money", frozenset({"_hidden", "nothing"}), tmp_path / "main.toy")
    assert found is not None
    assert found.doc == "Prices."
    assert [(name, one.kind, one.declaration, one.doc) for name, one in found.public.items()] == [
        ("total", "function", "function total(items, rate = 1)", "The total of some items."),
        ("Purse", "class", "class Purse extends Base", "A purse."),
        ("LIMIT", "value", "const LIMIT = 10;", ""),
        ("NAMES", "value", "NAMES", ""),
    ]
    assert [(one.declaration, one.doc) for one in found.public["Purse"].members] == [
        ("Purse.size = 0", ""),
        ("Purse.add(coin)", "What is in it."),
    ]
    assert found.looked_up["nothing"] is None
    hidden = found.looked_up["_hidden"]
    assert hidden is not None
    assert hidden.declaration == "function _hidden()"


def test_what_it_offers_of_others(tmp_path: Path, toy: Language) -> None:
    write(
        tmp_path,
        {
            "shop/index.toy": "give * of ./money;\ngive Cart as Basket of ./cart;\ngive all as tools of %tools;\n"
            "give missing of ./cart;\ngive * of ./nowhere;\nfunction own() {}\n",
            "shop/money.toy": "give * of ./index;\n" + MONEY,
            "shop/cart.toy": "class Cart {}\nclass Other {}\n",
            "lib/tools/main.toy": "function hammer() {}\n",
        },
    )
    found = modules(tmp_path, toy).describe("shop/index", frozenset({"Basket"}), tmp_path / "main.toy")
    assert found is not None
    assert {name: one.declaration or one.target for name, one in found.public.items()} == {
        "own": "function own()",
        "total": "function total(items, rate = 1)",
        "Purse": "class Purse extends Base",
        "LIMIT": "const LIMIT = 10;",
        "NAMES": "NAMES",
        "Basket": "class Basket",
        "tools": "%tools",
    }


def test_a_default_is_no_part_of_everything(tmp_path: Path, toy: Language) -> None:
    write(tmp_path, {"a.toy": "give * of ./b;\n", "b.toy": "give Cart;\nclass Cart {}\nclass Hidden {}\n"})
    of_b = modules(tmp_path, toy).describe("b", frozenset(), None)
    of_a = modules(tmp_path, toy).describe("a", frozenset(), None)
    assert of_b is not None
    assert [(name, one.declaration) for name, one in of_b.public.items()] == [("default", "class default")]
    assert of_a is not None
    assert not of_a.public


def test_modules_that_offer_each_other_end(tmp_path: Path, toy: Language) -> None:
    n = 40
    stars = "".join(f"give * of ./m{i};\n" for i in range(n))
    write(tmp_path, {f"m{i}.toy": f"{stars}function f{i}() {{}}\n" for i in range(n)})
    found = modules(tmp_path, toy).describe("m0", frozenset(), None)
    assert found is not None
    assert "f0" in found.public


def test_it_is_read_again_when_it_changes_but_not_for_the_file_that_is_typed_in(tmp_path: Path, toy: Language) -> None:
    write(tmp_path, {"a.toy": "give * of ./b;\n", "b.toy": "function one() {}\n", "main.toy": ""})
    opened: dict[str, Snapshot] = {}
    files = WorkspaceFiles([tmp_path], open_document=opened.get)
    with ThreadPoolExecutor(1) as executor:
        there = modules_of(toy, Surroundings(files, ContextSettings(), {}, executor))
        near = tmp_path / "main.toy"
        assert there.describe("a", frozenset(), near) is None
        assert there.wait(60)
        found = there.describe("a", frozenset(), near)
        assert found is not None
        assert list(found.public) == ["one"]
        path = tmp_path / "b.toy"
        opened[to_uri(path)] = Snapshot(to_uri(path), 1, "toy", "function two() {}\n")
        files.look_again()
        revision = there.revision
        assert there.describe("a", frozenset(), path) is found
        assert there.wait(60)
        assert there.revision == revision
        there.describe("a", frozenset(), near)
        assert there.wait(60)
        found = there.describe("a", frozenset(), near)
        assert found is not None
        assert list(found.public) == ["two"]


def test_a_class_of_the_same_folder_needs_no_import(workspace: Make) -> None:
    there = workspace(
        {
            "shop/cart.toy": "function f() {\n  const x = Purse;\n  _help(x);$0\n}\n",
            "shop/money.toy": MONEY,
            "shop/help.toy": "/** Helps. */\nfunction _help(x) {}\n",
            "other/purse.toy": "class Purse {}\n",
        }
    )
    blocks = texts(there, "shop/cart.toy")
    assert "class Purse extends Base {" in blocks["class", "shop/*.Purse"]
    package = blocks["package", "shop/*"]
    assert "function _help(x)  // Helps." in package
    assert "f()" not in package
    assert not any("other" in name for _, name in blocks)


def test_a_class_is_found_by_what_offers_it(workspace: Make) -> None:
    there = workspace(
        {
            "cart.toy": 'import { Wallet } from "./shop/index";\nfunction f() {\n  return Wallet;$0\n}\n',
            "shop/index.toy": "give default as Wallet of ./purse;\n",
            "shop/purse.toy": "give Purse;\nclass Purse {\n  size = 0;\n}\n",
        }
    )
    blocks = texts(there, "cart.toy")
    assert "size = 0" in blocks["class", "shop/purse.Purse"]


def test_a_file_is_parsed_in_its_own_language(workspace: Make) -> None:
    there = workspace(
        {
            "cart.toy": 'import { Wallet } from "./wallet";\nfunction f() {\n  return Wallet;$0\n}\n',
            "wallet.toy": "give * of ./purse.py;\n",
            "purse.py.toy": "class Wallet {\n  size = 0;\n}\n",
        }
    )
    view = there.view("cart.toy")
    found = modules_of(view.parsed.language, Surroundings(there.gatherer.files([there.root]), there.settings, {}))
    assert found.language_at(there.root / "a.toy") is view.parsed.language
    assert found.language_at(there.root / "a.py").id == "python"
    assert found.language_at(there.root / "a.unknown") is view.parsed.language


@pytest.fixture
def library(tmp_path: Path) -> tuple[Path, LibraryFiles]:
    root = tmp_path / "work"
    write(
        root,
        {
            ".gitignore": "lib/\n",
            "lib/tools/main.toy": "function hammer() {}\n",
            "lib/tools/.env": "KEY=1\n",
            "lib/tools/.git/config": "x\n",
            "lib/tools/more/deep.toy": "x\n",
            "lib/other/main.toy": "x\n",
            "own.toy": "x\n",
        },
    )
    write(tmp_path, {"private/secret.toy": "private\n"})
    return root, LibraryFiles(WorkspaceFiles([root], ["lib/other/"]))


def test_a_librarys_files(library: tuple[Path, LibraryFiles]) -> None:
    root, files = library
    tools = root / "lib" / "tools"
    found = files.read(tools / "main.toy", tools)
    assert found is not None
    assert found.text == "function hammer() {}\n"
    assert files.exists(tools / "more" / "deep.toy", tools)
    assert [entry.name for entry in files.listing(tools, tools)] == [".git", "main.toy", "more"]


def test_what_is_never_read_of_a_library(library: tuple[Path, LibraryFiles], tmp_path: Path) -> None:
    root, files = library
    tools, private = root / "lib" / "tools", tmp_path / "private"
    (tools / "out.toy").symlink_to(private / "secret.toy")
    (tools / "folder").symlink_to(private, target_is_directory=True)
    (tools / "beside.toy").symlink_to(root / "own.toy")
    (root / "lib" / "evil").symlink_to(private, target_is_directory=True)
    (tools / "huge.toy").write_text("x" * 1_000_001)
    (tools / "binary.toy").write_bytes(b"\0\1")
    os.mkfifo(tools / "pipe.toy")
    for name in (".env", ".git/config", "out.toy", "folder/secret.toy", "beside.toy", "huge.toy", "pipe.toy"):
        assert files.read(tools / name, tools) is None, name
        assert not files.exists(tools / name, tools), name
    assert files.read(tools / "binary.toy", tools) is None
    assert files.read(tools / ".." / "other" / "main.toy", tools) is None
    assert files.read(private / "secret.toy", tools) is None
    assert files.read(root / "lib" / "evil" / "secret.toy", root / "lib" / "evil") is None
    assert files.read(root / "lib" / "other" / "main.toy", root / "lib" / "other") is None, "context.exclude"
    assert files.listing(root / "lib" / "evil", root / "lib" / "evil") == ()
    assert {entry.name for entry in files.listing(tools, tools)} == {".git", "binary.toy", "huge.toy", "main.toy"} | {
        "more",
        "pipe.toy",
    }


def test_a_key_in_a_library_is_masked(library: tuple[Path, LibraryFiles]) -> None:
    root, files = library
    tools = root / "lib" / "tools"
    key = "AKIA" + "Q3EGR7NWKZ5MTBYH"
    (tools / "key.toy").write_text(f'const key = "{key}";\n')
    found = files.read(tools / "key.toy", tools)
    assert found is not None
    assert key not in found.text


def test_a_library_outside_the_workspace(tmp_path: Path) -> None:
    write(tmp_path, {"registry/tools/main.toy": "x\n", "work/a.toy": "y\n"})
    files = LibraryFiles(WorkspaceFiles([tmp_path / "work"]))
    there = tmp_path / "registry" / "tools"
    assert files.exists(there / "main.toy", there)
    (there / "link.toy").symlink_to(tmp_path / "work" / "a.toy")
    assert not files.exists(there / "link.toy", there)
