"""Completions that name what does not exist are not shown to who types; the only name that goes on is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from palimpsest.context.sources import name_lookup

from .conftest import Editor, all_asked_for, start_editor, stop_editor
from .scripted import Scripted, scripted

FILES = {
    "shop/__init__.py": "",
    "shop/lonely.py": "class Lonely:\n    def go(self): ...\n",
    "shop/base.py": "class Base:\n    def save(self) -> None:\n        self.saved = True\n",
    "shop/user.py": "from shop.base import Base\n\n\nclass User(Base):\n    email_address: str\n    nick: str\n",
    "shop/numbers.py": "def sums(of: list[int]) -> int: ...\n\n\ndef half(n: int) -> int: ...\n",
    "shop/paths.py": "from pathlib import Path\n\nimport numpy as np\n\nplaces: list[Path] = [np.nowhere]\n",
    "app/kt/Basket.kt": "package app.kt\n\nclass Basket\n",
    "php/Wallet.php": "<?php\n\nnamespace App\\Money;\n\nclass Wallet {}\n",
    "web/hooks.tsx": 'import { useState } from "react";\n\nexport const useA = () => useState(1);\n',
    "web/user.ts": "export class User {\n  emailAddress = '';\n  nick = '';\n  save(): void {}\n}\n",
    "web/math.ts": "export function sumOf(a: number[]): number {\n  return a.length;\n}\n",
    "app/User.java": "package app;\n\npublic class User {\n  String emailAddress;\n  void save() {}\n}\n",
}
PY = "from shop.user import User\n\n\ndef f(user: User, total_price: int) -> None:\n    $0\n"
POINT = (
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Point:\n    x: int\n    y: int = 0\n\n\n"
    "def f() -> Point:\n    $0\n"
)
SELF = (
    "class Cart:\n    def __init__(self) -> None:\n        self.items = []\n\n    def total(self) -> int:\n        $0\n"
)
TS = 'import { User } from "./user";\n\nexport function f(user: User, totalPrice: number) {\n  $0\n}\n'
JS = "export class Cart {\n  constructor() {\n    this.items = [];\n  }\n  total(price) {\n    $0\n  }\n}\n"
JAVA = "package app;\n\nclass Main {\n  int total(User user, int price) {\n    $0\n  }\n}\n"
C = "struct user {\n  int age;\n};\n\nint f(struct user *user, int price) {\n  $0\n}\n"
GO = (
    "package main\n\ntype User struct {\n\tAge int\n}\n\nfunc (u *User) Save() {}\n\n"
    "func f(user *User, price int) int {\n\t$0\n}\n"
)
PHP = "<?php\nclass Cart {\n  private $items = [];\n  function total($price) {\n    $0\n  }\n}\n"
SHOWN = [
    # plain names
    ("a.py", PY, "print(total_price)", "same"),
    ("a.py", PY, "print(total_points)", None),
    ("a.py", PY, "return total_points", None),
    ("a.py", PY, "total_points = 1", "same"),  # it defines it
    ("a.py", PY, "print(total_price, total_points)", None),
    ("a.py", "from tkinter import *\n" + PY, "return total_points", "same"),  # nobody can tell
    ("web/a.ts", TS, "return totalPrice;", "same"),
    ("web/a.ts", TS, "return totalPoints;", None),
    ("a.py", PY, "return LARGEST_TOTAL", "same"),  # the index keeps no constants
    ("a.py", "slots = ('aaa',)\n" + PY, "print(user.aaa)", "same"),  # the file says the name
    ("a.py", PY, "print(total_price)\nprint(total_points)", "print(total_price)"),  # lines before it
    ("web/a.ts", TS, "console.log(totalPrice, totalPoints);", None),
    ("b.js", JS, "return price;", "same"),
    ("b.js", JS, "return prices;", None),
    ("app/Main.java", JAVA, "return price;", "same"),
    ("app/Main.java", JAVA, "return prices;", None),
    ("a.php", PHP, "return $price;", "same"),
    ("a.php", PHP, "return $prices;", None),
    # imports
    ("a.py", "import re\n$0\n", "from collections.defaultdict import defaultdict", None),
    (
        "a.py",
        "import re\n$0\n",
        "from dataclasses import dataclass, field, field_map",
        "from dataclasses import dataclass, field",
    ),
    ("a.py", "from dataclasses import dataclass, $0\n", "field_map", None),
    ("a.py", "from dataclasses import $0\n", "dataclass, field", "same"),
    ("a.py", "import os\n$0\n", "import sys\nimport os.pathological", "import sys"),
    ("a.py", "import re\n$0\n", "from shop.user import User, Person", "from shop.user import User"),
    ("a.py", "import re\n$0\n", "from shop.users import User", None),
    ("a.py", "import os\n\n\ndef f():\n    $0\n", "import os", None),
    ("web/a.ts", "const zero = 0;\n$0\n", 'import { User } from "./user";', "same"),
    ("web/a.ts", "const zero = 0;\n$0\n", 'import { Person } from "./user";', None),
    ("web/a.ts", "const zero = 0;\n$0\n", 'import { User } from "./users";', None),
    ("web/a.js", 'import fs from "fs";\n$0\n', 'const files = require("fs");', None),
    # arguments that are passed by name
    ("a.py", POINT, "return Point(x=1, y=2)", "same"),
    ("a.py", POINT, "return Point(x=1, z=2)", None),
    ("a.py", POINT, "return Point(x=1, x=2)", None),
    ("a.py", POINT, "p = Point(x=1)\nreturn Point(z=p)", "p = Point(x=1)"),
    ("a.py", PY, "return user.save(now=True)", None),
    ("a.py", "def g() -> int: ...\n\n\n$0\n", "g(now=True)", None),
    ("a.kt", "class P(val x: Int)\n\nfun f(): P {\n    $0\n}\n", "return P(z = 1)", None),
    # members
    ("a.py", PY, "user.save()", "same"),
    ("a.py", PY, "print(user.email_address)", "same"),
    ("a.py", PY, "print(user.email)", None),
    ("a.py", PY.replace("User\n", "User as U\n").replace(": User", ": U"), "return user.email", None),
    ("a.py", SELF, "return len(self.items)", "same"),
    ("a.py", SELF, "return self.rows", None),
    ("a.py", SELF.replace("class Cart", "class Cart(Unknown)"), "return self.rows", "same"),
    ("a.py", SELF + "\n    def __getattr__(self, name): ...\n", "return self.rows", "same"),
    ("web/a.ts", TS, "return user.nick;", "same"),
    ("web/a.ts", TS, "return user.email;", None),
    ("web/a.ts", TS, "return user.pop();", None),  # one user is no list of them
    ("web/a.ts", TS.replace("user: User", "user: User[]"), "return user.pop();", "same"),
    ("b.js", JS, "return this.items;", "same"),
    ("b.js", JS, "return this.rows;", None),
    ("app/Main.java", JAVA, "user.save();", "same"),
    ("app/Main.java", JAVA, "user.store();", None),
    ("app/Main.java", JAVA, "user.size();", None),
    ("a.c", C, "return user->age;", "same"),
    ("a.c", C, "return user->name;", None),
    ("a.go", GO, "return user.Age", "same"),
    ("a.go", GO, "return user.Name", None),
    ("a.php", PHP, "return $this->items;", "same"),
    ("a.php", PHP, "return $this->rows;", None),
]

ONLY = [
    ("a.py", "def f(total_price):\n    return total_p$0\n", "total_price"),
    ("a.py", "def f(total_price, total_paid):\n    return total_p$0\n", None),  # two
    ("a.py", "def g(total_price): ...\n\n\ndef f():\n    return total_p$0\n", None),  # of another function
    ("a.py", "def f(total_price):\n    ret$0\n", None),  # not what is always there
    ("a.js", "function f(user) {\n  user.forE$0\n}\n", None),
    ("a.py", "def f(total_price):\n    return 'total_p$0'\n", None),
    ("a.py", "total_price = 1\n\n\ndef total_p$0\n", None),  # a new name
    ("a.py", "total_price = 1\n\n\ndef f(total_p$0\n", None),
    ("a.py", "def f(total_price):\n    return max(total_p$0)\n", "total_price"),
    ("a.py", "from shop.user import User\n\n\ndef f(user: User):\n    return user.email_a$0\n", "email_address"),
    ("a.py", "from shop.user import User\n\n\ndef f(user: User):\n    return user.sav$0\n", None),  # save, saved
    ("web/a.ts", "export async function fetchUser(id: number) {}\n\nfetchUs$0\n", "fetchUser"),
    (
        "web/a.ts",
        'import { User } from "./user";\n\nfunction f(user: User) {\n  return user.emailA$0;\n}\n',
        "emailAddress",
    ),
    ("web/a.tsx", "export function UserCard() {}\n\nexport const a = () => <UserC$0 />;\n", "UserCard"),
    ("a.js", "const user = { emailAddress: 'a' };\nconst nick = user.emailAddress;\nuser.emailA$0\n", "emailAddress"),
    ("a.js", "function total(totalPrice) {\n  return totalP$0\n}\n", "totalPrice"),
    ("app/A.java", "class A {\n  int f(int totalPrice) {\n    return totalP$0;\n  }\n}\n", "totalPrice"),
    ("a.go", "package a\n\nfunc f(totalPrice int) int {\n\treturn totalP$0\n}\n", "totalPrice"),
    ("a.rs", "fn f(total_price: i32) -> i32 {\n    total_p$0\n}\n", "total_price"),
    ("a.c", "int f(int total_price) {\n  return total_p$0;\n}\n", "total_price"),
    ("a.cpp", "int f(int total_price) {\n  return total_p$0;\n}\n", "total_price"),
    ("a.cs", "class A {\n  int F(int totalPrice) {\n    return totalP$0;\n  }\n}\n", "totalPrice"),
    ("a.php", "<?php\nfunction f($totalPrice) {\n  return $totalP$0;\n}\n", "totalPrice"),
    ("a.rb", "def f(total_price)\n  total_p$0\nend\n", "total_price"),
    ("a.kt", "fun f(totalPrice: Int): Int {\n    return totalP$0\n}\n", "totalPrice"),
    ("a.lua", "local function f(total_price)\n  return total_p$0\nend\n", "total_price"),
    ("a.swift", "func f(totalPrice: Int) -> Int {\n    return totalP$0\n}\n", "totalPrice"),
]

IMPORTED = [
    # a document, what is accepted, the beginning of the document then
    ("shop/a.py", "def f():\n    $0\n", "return sums([1])", "from shop.numbers import sums\n\ndef f():"),
    (
        "shop/a.py",
        '"""A."""\n\nimport os\n\nfrom shop.numbers import half\n\n\ndef f():\n    $0\n',
        "return sums([half(1)])",
        '"""A."""\n\nimport os\n\nfrom shop.numbers import half, sums\n\n\ndef f():',
    ),
    (
        "shop/a.py",
        "import os\n\n\ndef f():\n    $0\n",
        "return Path(os.sep)",  # as another file has it, of an installed package
        "import os\nfrom pathlib import Path\n\n\ndef f():",
    ),
    ("shop/a.py", "def f():\n    $0\n", "return np.ones(2)", "import numpy as np\n\ndef f():"),
    ("shop/a.py", "from shop.numbers import sums\n\n\ndef f():\n    $0\n", "return sums([])", "from shop.numbers"),
    ("web/a.ts", "export function f() {\n  $0\n}\n", "return sumOf([1]);", 'import { sumOf } from "./math";\n\nexport'),
    (
        "web/deep/a.ts",
        "// A.\n\nimport { User } from '../user'\n\nexport const u: User = new User()\n$0\n",
        "sumOf([1])",
        "// A.\n\nimport { User } from '../user'\nimport { sumOf } from '../math'\n\nexport const u",
    ),
    (
        "web/a.tsx",
        'import React from "react";\n\nexport function A() {\n  $0\n  return <p>{a}</p>;\n}\n',
        "const [a, setA] = useState(sumOf([]));",
        'import React from "react";\nimport { useState } from "react";\nimport { sumOf } from "./math";\n\nexport',
    ),
    (
        "app/main/Main.java",
        "package app.main;\n\nclass Main {\n  void f() {\n    $0\n  }\n}\n",
        "User user = new User();",
        "package app.main;\n\nimport app.User;\n\nclass Main {",
    ),
    (
        "app/main/Main.java",
        "/* Whose it is. */\npackage app.main;\n\nclass Main {\n  void f() {\n    $0\n  }\n}\n",
        "User user = new User();",
        "/* Whose it is. */\npackage app.main;\n\nimport app.User;\n\nclass Main {",
    ),
    (
        "app/main/Main.kt",
        "package app.main\n\nimport java.io.File\n\nfun f(a: File) {\n    $0\n}\n",
        "val cart = Basket()",
        "package app.main\n\nimport java.io.File\nimport app.kt.Basket\n\nfun f",
    ),
    (
        "php/Main.php",
        "<?php\n\nnamespace App\\Main;\n\nclass Main {\n  function f() {\n    $0\n  }\n}\n",
        "return new Wallet();",
        "<?php\n\nnamespace App\\Main;\n\nuse App\\Money\\Wallet;\n\nclass Main {",
    ),
    (
        "php/Page.php",
        "<html>\n<?php\n\nfunction f() {\n    $0\n}\n",
        "return new Wallet();",
        "<html>\n<?php\n\nuse App\\Money\\Wallet;\n\nfunction f() {",
    ),
    (
        "php/Both.php",
        "<?php\n\nnamespace App\\Main {\n  function f() {\n    $0\n  }\n}\n",
        "return new Wallet();",
        "<?php\n\nnamespace App\\Main {\n  function f() {",  # each namespace has imports of its own
    ),
    ("app/Main.java", JAVA, "User other = user;", "package app;\n\nclass Main {"),  # of its own package
]


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine hides no less."""
    # no door: how long a keystroke waits for a module is nobody's to set
    monkeypatch.setattr(name_lookup, "READ_S", 60.0)


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        yield it


async def window_of(folder: Path, engine: Scripted, **completion: object) -> Editor:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    settings = {"ahead": False, "first_ms": 20_000, "time_ms": 20_000, "cached": 0, **completion}
    it = await start_editor(folder, {"engine": {"kind": "openai", "url": engine.url}, "completion": settings})
    await it.ready()
    await indexed(it)
    return it


async def indexed(window: Editor) -> None:
    """A block of what only the index knows is there once it is complete."""
    uri = window.open("asks.py", "def f():\n    Lonely()\n    return 2\n")
    position = window.at(uri, "return 2")
    window.cursor(uri, position)
    while not any(block["name"] == "shop.lonely.Lonely" for block in (await window.show(uri, position))["blocks"]):
        await asyncio.sleep(0.05)


@pytest.fixture
async def window(machine: dict[str, str], tmp_path: Path, engine: Scripted) -> AsyncIterator[Editor]:
    (tmp_path / "work").mkdir()
    it = await window_of(tmp_path / "work", engine)
    yield it
    await stop_editor(it)


async def opened(window: Editor, name: str, text: str) -> tuple[str, lsp.Position]:
    """A new file of about that name, and the place of `$0` in it."""
    before, behind = text.split("$0")
    place = window.root / name
    place = place.with_name(f"{place.stem}{len(window.texts)}{place.suffix}")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(before + behind, encoding="utf-8")
    uri = window.open(str(place.relative_to(window.root)), before + behind)
    position = window.at(uri, before)
    await window.settled(uri, position)
    return uri, position


async def test_the_only_name_that_goes_on_is_shown_whatever_the_model_says(window: Editor, engine: Scripted) -> None:
    wrong = []
    for name, text, shown in ONLY:
        uri, position = await opened(window, name, text)
        for said, invoked in (("", False), ("oints", True)):
            engine.replies = [said + "\n"]
            items = [str(item.insert_text) for item in await window.complete(uri, position, invoked=invoked)]
            if (items[:1] != [shown]) if shown else items and not said:
                wrong.append((name, text, said, items))
    assert wrong == []


def applying(window: Editor) -> list[str]:
    """As an editor applies what a server sends; the labels of what it was."""
    labels = list[str]()

    @window.client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        changes = params.edit.document_changes
        assert changes is not None
        window.apply([change for change in changes if isinstance(change, lsp.TextDocumentEdit)])
        labels.append(params.label or "")
        return lsp.ApplyWorkspaceEditResult(applied=True)

    return labels


async def accepted(window: Editor, name: str, text: str) -> tuple[str, str]:
    """The text of the document with what is shown in it, and after the item's command."""
    uri, position = await opened(window, name, text)
    (item,) = await window.complete(uri, position)
    assert item.command is not None
    assert item.range is not None
    window.replace(uri, item.range.start, item.range.end, str(item.insert_text))
    typed = window.texts[uri]
    await window.command(item.command.command, (item.command.arguments or [{}])[0])
    return typed, window.texts[uri]


async def test_what_is_accepted_gets_the_imports_that_it_lacks(window: Editor, engine: Scripted) -> None:
    labels, wrong = applying(window), []
    for name, text, said, begins in IMPORTED:
        engine.replies = [said + "\n"]
        labels.clear()
        typed, after = await accepted(window, name, text)
        is_added = not typed.startswith(begins)
        rest = text.split("$0")[0].rstrip().rsplit("\n", 1)[-1] + "\n"
        right = after.startswith(begins) and after.endswith(typed[typed.index(rest) :]) and len(labels) == is_added
        if not right:
            wrong.append((name, said, after, labels))
    assert wrong == []


async def test_who_types_it_all_or_wants_no_imports_gets_none(
    machine: dict[str, str], tmp_path: Path, engine: Scripted
) -> None:
    name, text, said, _ = IMPORTED[0]
    engine.replies = [said + "\n"]
    (tmp_path / "work").mkdir()
    window = await window_of(tmp_path / "work", engine, imports=False)
    try:
        labels = applying(window)
        typed, after = await accepted(window, name, text)
        assert typed == after
        assert labels == []
    finally:
        await stop_editor(window)


async def test_without_an_engine_the_only_name_is_shown(machine: dict[str, str], tmp_path: Path) -> None:
    window = await start_editor(tmp_path, {"engine": {"kind": "none"}})
    try:
        name, text, shown = ONLY[0]
        before, behind = text.split("$0")
        uri = window.open(name, before + behind)
        items = await window.complete(uri, window.at(uri, before))
        assert [item.insert_text for item in items] == [shown]
    finally:
        await stop_editor(window)


async def test_what_names_something_that_does_not_exist_is_cut_back_or_not_shown(
    window: Editor, engine: Scripted
) -> None:
    wrong = []
    for name, text, said, shown in SHOWN:
        engine.replies = [said + "\n"]
        items = [str(item.insert_text) for item in await window.complete(*await opened(window, name, text))]
        if items != ([] if shown is None else [said if shown == "same" else shown]):
            wrong.append((name, text, said, items))
    assert wrong == []


async def test_who_asks_gets_what_exists_first(window: Editor, engine: Scripted) -> None:
    said = ["return total_points", "return total_price", "return total_paid"]
    engine.replies = [f"{one}\n" for one in said]
    items = await all_asked_for(window, *await opened(window, "a.py", PY))
    assert sorted(str(item.insert_text) for item in items) == sorted(said)
    assert items[0].insert_text == "return total_price"
