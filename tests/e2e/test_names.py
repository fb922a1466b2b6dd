"""Completions that name what does not exist are not shown to who types; the only name that goes on is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from .conftest import Editor, start_editor, stop_editor
from .scripted import Scripted, scripted

FILES = {
    "shop/__init__.py": "",
    "shop/lonely.py": "class Lonely:\n    def go(self): ...\n",
    "shop/base.py": "class Base:\n    def save(self) -> None:\n        self.saved = True\n",
    "shop/user.py": "from shop.base import Base\n\n\nclass User(Base):\n    email_address: str\n    nick: str\n",
    "web/user.ts": "export class User {\n  emailAddress = '';\n  nick = '';\n  save(): void {}\n}\n",
    "web/math.ts": "export function sumOf(a: number[]): number {\n  return a.length;\n}\n",
    "app/User.java": "package app;\n\npublic class User {\n  String emailAddress;\n  void save() {}\n}\n",
}
PY = "from shop.user import User\n\n\ndef f(user: User, total_price: int) -> None:\n    $0\n"
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
    ("a.py", PY, "print(total_points)", "print"),
    ("a.py", PY, "return total_points", None),
    ("a.py", PY, "total_points = 1", "same"),  # it defines it
    ("a.py", PY, "print(total_price, total_points)", "print(total_price)"),
    ("a.py", "from tkinter import *\n" + PY, "return total_points", "same"),  # nobody can tell
    ("web/a.ts", TS, "return totalPrice;", "same"),
    ("web/a.ts", TS, "return totalPoints;", None),
    ("web/a.ts", TS, "console.log(totalPrice, totalPoints);", "console.log(totalPrice)"),
    ("b.js", JS, "return price;", "same"),
    ("b.js", JS, "return prices;", None),
    ("app/Main.java", JAVA, "return price;", "same"),
    ("app/Main.java", JAVA, "return prices;", None),
    ("a.php", PHP, "return $price;", "same"),
    ("a.php", PHP, "return $prices;", None),
    # members
    ("a.py", PY, "user.save()", "same"),
    ("a.py", PY, "print(user.email_address)", "same"),
    ("a.py", PY, "print(user.email)", "print"),
    ("a.py", PY.replace("User\n", "User as U\n").replace(": User", ": U"), "return user.email", None),
    ("a.py", SELF, "return len(self.items)", "same"),
    ("a.py", SELF, "return self.rows", None),
    ("a.py", SELF.replace("class Cart", "class Cart(Unknown)"), "return self.rows", "same"),
    ("a.py", SELF + "\n    def __getattr__(self, name): ...\n", "return self.rows", "same"),
    ("web/a.ts", TS, "return user.nick;", "same"),
    ("web/a.ts", TS, "return user.email;", None),
    ("b.js", JS, "return this.items;", "same"),
    ("b.js", JS, "return this.rows;", None),
    ("app/Main.java", JAVA, "user.save();", "same"),
    ("app/Main.java", JAVA, "user.store();", None),
    ("a.c", C, "return user->age;", "same"),
    ("a.c", C, "return user->name;", None),
    ("a.go", GO, "return user.Age", "same"),
    ("a.go", GO, "return user.Name", None),
    ("a.php", PHP, "return $this->items;", "same"),
    ("a.php", PHP, "return $this->rows;", None),
]


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


async def completed(window: Editor, name: str, text: str, *, invoked: bool = False) -> list[str]:
    """What is shown at `$0` of a new document of that name."""
    before, behind = text.split("$0")
    folder, _, file = name.rpartition("/")
    place = window.root / folder / f"{len(window.texts)}{file}"
    place.write_text(before + behind, encoding="utf-8")
    uri = window.open(str(place.relative_to(window.root)), before + behind)
    position = window.at(uri, before)
    await window.settled(uri, position)
    items = await window.complete(uri, position, invoked=invoked)
    return [str(item.insert_text) for item in items]


async def test_what_names_something_that_does_not_exist_is_cut_back_or_not_shown(
    window: Editor, engine: Scripted
) -> None:
    wrong = []
    for name, text, said, shown in SHOWN:
        engine.replies = [said + "\n"]
        items = await completed(window, name, text)
        if items != ([] if shown is None else [said if shown == "same" else shown]):
            wrong.append((name, text, said, items))
    assert wrong == []
