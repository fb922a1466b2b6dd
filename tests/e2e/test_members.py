"""Behind a value of a known class or a module, the engine is told which names can stand there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from palimpsest import wire
from palimpsest.completions import requests

from .conftest import Editor, stop_editor
from .scripted import scripted
from .test_names import FILES, opened, window_of

PY = "class Cart:\n    zebras: int\n    yaks: int\n\n    def sold(self) -> int:\n        $0\n"
USER = "from shop.user import User\n\n\ndef f(user: User):\n    return $0\n"
TS = "class Cart {\n  zebras = 0;\n  yaks = 0;\n}\n\nfunction f(cart: Cart) {\n  return $0\n}\n"
JAVA = "class Cart {\n  int zebras;\n  int yaks;\n}\n\nclass A {\n  int f(Cart cart) {\n    return $0;\n  }\n}\n"
PHP = "<?php\nclass Cart {\n  private $zebras = 0;\n  private $yaks = 0;\n  function f() {\n    return $0;\n  }\n}\n"
C = "struct cart {\n  int zebras;\n  int yaks;\n};\n\nint f(struct cart *cart) {\n  return $0;\n}\n"
GO = "package a\n\ntype Cart struct {\n\tZebras int\n\tYaks int\n}\n\nfunc f(cart *Cart) int {\n\treturn $0\n}\n"
MOST_TRIES = 20
ROWS = [
    # a document, what is typed at its place, the names
    ("a.py", PY, "return self.", {"zebras", "yaks", "sold"}),
    ("a.py", PY, "return self.so", {"zebras", "yaks", "sold"}),
    ("a.py", PY, "return self.sold().", set()),  # nobody knows what it is of
    ("a.py", PY, "return sel", set()),
    ("a.py", PY, "return 'self.'", set()),
    ("a.py", PY.replace("class Cart", "class Cart(Unknown)"), "return self.", set()),
    ("a.py", USER, "user.", {"email_address", "nick", "save", "saved", "Base"}),  # a base by its name
    *(
        ("a.py", f"class Cart:\n    yaks: int\n\n\ndef f(cart: {kind}):\n    return $0\n", "cart.", set())
        for kind in ("list[Cart]", "type[Cart]", "dict[str, Cart]", "Callable[[], Cart]")
    ),
    ("a.py", "class Cart:\n    yaks: int\n\n\ndef f(cart: 'Cart | None'):\n    return $0\n", "cart.", {"yaks"}),
    ("a.py", "class Cart:\n    yaks: int\n\n\ncart = Cart()\nprint($0)\n", "cart.", {"yaks"}),
    ("a.py", "class Cart:\n    yaks: int\n\n\nCart$0\n", ".", set()),
    ("a.py", "class Cart:\n    palimpsest: int\n\n\nc = Cart()\nc$0\n", ".", {"palimpsest"}),
    *(("web/a.ts", TS.replace("cart: Cart", f"cart: {kind}"), "cart.", set()) for kind in ("Cart[]", "() => Cart")),
    ("A.java", JAVA.replace("Cart cart", "Cart[] cart"), "cart.", set()),
    ("a.go", GO.replace("*Cart", "[]Cart"), "cart.", set()),
    ("a.php", PHP, "self::", set()),
    ("a.py", "import shop.numbers as n\n\n\ndef f():\n    return $0\n", "n.", {"sums", "half"}),
    ("web/a.ts", TS, "cart.", {"zebras", "yaks"}),
    ("A.java", JAVA, "cart.", {"zebras", "yaks"}),
    ("a.php", PHP, "$this->", {"zebras", "yaks", "f"}),
    ("a.c", C, "cart->", {"zebras", "yaks"}),
    ("a.go", GO, "cart.", {"Zebras", "Yaks"}),
]


@pytest.fixture
async def asking(
    machine: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Editor, Callable[[str, lsp.Position], Awaitable[set[str]]]]]:
    """A window, and which names its engine is told where a completion is asked for."""
    made, told = requests.completion, list[Sequence[str]]()

    def spying(*given: Any, **named: Any) -> wire.GenerateRequest:
        told.append(named.get("names", ()))
        return made(*given, **named)

    # no door: what is told here shows in a model's choice alone
    monkeypatch.setattr(requests, "completion", spying)
    (tmp_path / "work").mkdir()
    with scripted() as engine:
        engine.replies = ["\n"]
        window = await window_of(tmp_path / "work", engine, known_words="always")

        async def names(uri: str, position: lsp.Position) -> set[str]:
            told.clear()
            await window.complete(uri, position)
            return {*told[-1]} if told else set()

        yield window, names
        await stop_editor(window)


async def until_told(names: Callable[[str, lsp.Position], Awaitable[set[str]]], at: Any, wanted: set[str]) -> set[str]:
    """Other files are read aside."""
    found = set[str]()
    for _ in range(MOST_TRIES):
        if (found := await names(*at)) == wanted:
            break
        await asyncio.sleep(0.05)
    return found


async def test_names_that_can_stand_at_the_cursor(asking: Any) -> None:
    window, names = asking
    wrong = []
    for name, text, typed, wanted in ROWS:
        at = await opened(window, name, text.replace("$0", f"{typed}$0"))
        if (found := await until_told(names, at, wanted)) != wanted:
            wrong.append((name, typed, found))
    assert wrong == []


async def test_another_document_may_change_them_meanwhile(asking: Any) -> None:
    window, names = asking
    at = await opened(window, "a.py", USER.replace("$0", "user.$0"))
    before = {"email_address", "nick", "save", "saved", "Base"}
    assert await until_told(names, at, before) == before
    other = window.open("shop/user.py", FILES["shop/user.py"])
    window.edit(other, "    nick: str\n", "    nickname: str\n$0")
    await window.settled(*at)
    after = before - {"nick"} | {"nickname"}
    assert await until_told(names, at, after) == after
