"""Behind a value of a known class or a module, the engine is told which names can stand there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from palimpsest import wire
from palimpsest.assist.shared.requests import Requests

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


async def test_names_that_can_stand_at_the_cursor(
    machine: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, told = Requests.completion, list[Sequence[str]]()

    def spying(self: Requests, *given: Any, **named: Any) -> wire.GenerateRequest:
        told.append(named.get("names", ()))
        return made(self, *given, **named)

    # no door: what is told here shows in a model's choice alone
    monkeypatch.setattr(Requests, "completion", spying)
    (tmp_path / "work").mkdir()
    assert "shop/user.py" in FILES
    wrong = []
    with scripted() as engine:
        engine.replies = ["\n"]
        window = await window_of(tmp_path / "work", engine, known_words="always")
        for name, text, typed, names in ROWS:
            uri, position = await opened(window, name, text.replace("$0", f"{typed}$0"))
            for _ in range(MOST_TRIES):  # another file is read aside
                told.clear()
                await window.complete(uri, position)
                found = {*told[-1]} if told else set[str]()
                if found == names:
                    break
                await asyncio.sleep(0.05)
            else:
                wrong.append((name, typed, found))
    assert wrong == []
