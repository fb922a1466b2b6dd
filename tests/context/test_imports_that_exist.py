"""What an import names that does not exist, and the names by which what is called takes arguments."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from context_workspace import Workspace

from palimpsest.syntax.naming import given_between, imported_between

FILES = {
    # Python
    "shop/__init__.py": "",
    "shop/user.py": "from shop.base import Base\n\nclass User(Base):\n    nick: str\n\nfor x in ():\n    globe = 1\n",
    "shop/base.py": "class Base: ...\n",
    "shop/lazy.py": "def __getattr__(name): ...\n",
    "shop/made.py": "globals().update(a=1)\n",
    "shop/stars.py": "from somewhere import *\n",
    "shop/fast.pyx": "",
    "plain/tools.py": "def cut(): ...\n",
    # JavaScript
    "web/package.json": '{"name": "web", "dependencies": {"react": "1"}}',
    "web/cart.ts": "export class Cart {}\nexport const { a, b } = x;\nexport type Row = string;\n",
    "web/old.js": "module.exports = { read, write };\n",
    "web/all.ts": 'export * from "./cart";\n',
    "web/Page.vue": "<template></template>\n",
    "web/style.css": "a {}\n",
    # Go
    "go.mod": "module example.com/shop\n\ngo 1.21\n",
    "cart/cart.go": "package cart\n\nfunc New() {}\n",
    # Rust
    "rs/Cargo.toml": '[package]\nname = "rs"\nversion = "0.1.0"\n',
    "rs/src/lib.rs": "pub mod cart;\npub mod made;\n",
    "rs/src/cart.rs": "pub struct Cart;\npub enum Kind { A }\n",
    "rs/src/made.rs": "bits! { A }\n",
    # Java, Kotlin
    "app/User.java": "package app;\n\npublic class User {\n  static class Row {}\n}\n",
    "app/Basket.kt": "package app\n\nclass Basket\nfun total() = 1\n",
    # PHP
    "php/composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}',
    "php/src/Money/Wallet.php": "<?php\n\nnamespace App\\Money;\n\nclass Wallet {}\n",
    # Ruby, Lua
    "rb/lib/shop/cart.rb": "module Shop\nend\n",
    "rb/lib/shop/fast.so": "",
    "lua/shop/cart.lua": "return {}\n",
    "lua/shop/parts/init.lua": "return {}\n",
    # C, C++
    "c/cart.h": "int total(void);\n",
    "c/parts/money.h": "int money(void);\n",
    # C#
    "cs/Cart.cs": "namespace Shop.Carts;\n\npublic class Cart {}\n",
    "cs/Base.cs": "namespace Shop;\n\npublic class Base {}\n",
}
LACKS = [
    # a file, an import, and what of it does not exist
    ("a.py", "from shop.user import User", ""),
    ("a.py", "from shop.user import Base", ""),
    ("a.py", "from shop.user import Person", "name"),
    ("a.py", "from shop.user import globe", ""),
    ("a.py", "from shop.nothing import x", "module"),
    ("a.py", "import shop.nothing", "module"),
    ("a.py", "from shop import user", ""),
    ("a.py", "from shop import nothing", "name"),
    ("a.py", "from shop import fast", ""),
    ("a.py", "from shop.fast import x", ""),
    ("a.py", "from shop.lazy import x", ""),
    ("a.py", "from shop.made import x", ""),
    ("a.py", "from shop.stars import x", ""),
    ("a.py", "from plain.tools import cut", ""),
    ("a.py", "from plain.none import cut", "module"),
    ("shop/b.py", "from .user import User", ""),
    ("shop/b.py", "from .nothing import User", "module"),
    ("shop/b.py", "from . import nothing", "name"),
    ("shop/b.py", "from . import user", ""),
    ("a.py", "from collections.defaultdict import defaultdict", "module"),
    ("a.py", "from collections import defaultdict", ""),
    ("a.py", "from collections.abc import Mapping", ""),
    ("a.py", "from dataclasses import dataclass", ""),
    ("a.py", "from dataclasses import field_map", "name"),
    ("a.py", "from json import JSON_TYPE", "name"),
    ("a.py", "from os import path", ""),
    ("a.py", "import os.path", ""),
    ("a.py", "from os.path import join", ""),
    ("a.py", "from signal import SIGINT", ""),
    ("a.py", "from socket import AF_INET", ""),
    ("a.py", "from math import tau", ""),
    ("a.py", "from math import taus", "name"),
    ("a.py", "from concurrent import futures", ""),
    ("a.py", "from typing import Any", ""),
    ("a.py", "from typing import Listing", "name"),
    ("a.py", "from unittest import IsolatedAsyncioTestCase", ""),
    ("a.py", "from io import StringIO, OpenWrapper", ""),
    ("a.py", "from hashlib import _Hash", ""),
    ("a.py", "from __future__ import annotations", ""),
    ("a.py", "import winreg", ""),
    ("a.py", "from re import *", ""),
    ("web/a.ts", 'import { Cart } from "./cart";', ""),
    ("web/a.ts", 'import { b, Row } from "./cart";', ""),
    ("web/a.ts", 'import { Basket } from "./cart";', "name"),
    ("web/a.ts", 'import { Cart } from "./all";', ""),
    ("web/a.ts", 'import { Basket } from "./all";', "name"),
    ("web/a.ts", 'import { Cart } from "./carts";', "module"),
    ("web/a.ts", 'import { Cart } from "../web/cart.js";', ""),
    ("web/a.ts", 'import Page from "./Page";', ""),
    ("web/a.ts", 'import Page from "./Page.vue";', ""),
    ("web/a.ts", 'import css from "./other.css";', ""),
    ("web/a.js", 'const { read } = require("./old");', ""),
    ("web/a.js", 'const { reads } = require("./old");', ""),
    ("web/a.js", 'const a = require("./none");', "module"),
    ("web/a.js", 'const fs = require("fs");', ""),
    ("web/a.js", 'const fs = require("node:fs/promises");', ""),
    ("web/a.js", 'import { x } from "react";', ""),
    ("web/a.js", 'import { x } from "react/jsx";', ""),
    ("web/a.js", 'import { x } from "reactive";', "module"),
    ("web/a.js", 'import { x } from "@/cart";', ""),
    ("other/a.js", 'import { x } from "reactive";', ""),
    ("b/main.go", 'import "example.com/shop/cart"', ""),
    ("b/main.go", 'import "example.com/shop/carts"', "module"),
    ("b/main.go", 'import "example.com/other/carts"', ""),
    ("rs/src/other.rs", "use crate::cart::Cart;", ""),
    ("rs/src/other.rs", "use crate::cart::Kind::A;", ""),
    ("rs/src/other.rs", "use crate::cart::Basket;", "name"),
    ("rs/src/other.rs", "use crate::made::Basket;", ""),
    ("rs/src/other.rs", "use crate::nothing::Basket;", "name"),
    ("rs/src/other.rs", "use std::collections::HashMap;", ""),
    ("main/Main.java", "import app.User;", ""),
    ("main/Main.java", "import app.User.Row;", ""),
    ("main/Main.java", "import app.Basket;", ""),
    ("main/Main.java", "import app.Person;", "name"),
    ("main/Main.java", "import app.DaggerUser;", ""),
    ("main/Main.java", "import java.util.List;", ""),
    ("main/Main.kt", "import app.total", ""),
    ("main/Main.kt", "import app.totals", ""),
    ("main/Main.kt", "import app.Person", "name"),
    ("php/src/A.php", "<?php\nuse App\\Money\\Wallet;", ""),
    ("php/src/A.php", "<?php\nuse App\\Money\\Purse;", "module"),
    ("php/src/A.php", "<?php\nuse App\\Money;", ""),
    ("php/src/A.php", "<?php\nuse Other\\Money\\Purse;", ""),
    ("rb/lib/shop/a.rb", 'require_relative "cart"', ""),
    ("rb/lib/shop/a.rb", 'require_relative "cart.rb"', ""),
    ("rb/lib/shop/a.rb", 'require_relative "fast"', ""),
    ("rb/lib/shop/a.rb", 'require_relative "carts"', "module"),
    ("rb/lib/shop/a.rb", 'require_relative "../other/carts"', "module"),
    ("rb/lib/a.rb", 'require "shop/cart"', ""),
    ("rb/lib/a.rb", 'require "shop/carts"', "module"),
    ("rb/lib/a.rb", 'require "other/carts"', ""),
    ("rb/lib/a.rb", 'require "json"', ""),
    ("main.lua", 'local cart = require("shop.cart")', ""),
    ("main.lua", 'local parts = require("shop/parts")', ""),
    ("main.lua", 'local carts = require("shop.carts")', "module"),
    ("main.lua", 'local socket = require("socket.http")', ""),
    ("c/a.c", '#include "cart.h"', ""),
    ("c/a.c", '#include "carts.h"', "module"),
    ("c/a.c", '#include "parts/money.h"', ""),
    ("c/a.c", '#include "parts/monies.h"', "module"),
    ("c/a.c", '#include "gtest/gtest.h"', ""),
    ("c/a.c", "#include <gtest.h>", ""),
    ("c/a.c", "#include <stdio.h>", ""),
    ("c/a.cpp", "#include <vector>", ""),
    ("c/a.cpp", "#include <QString>", ""),
    ("c/a.cpp", '#include "carts.hpp"', "module"),
    ("cs/A.cs", "using Shop.Carts;", ""),
    ("cs/A.cs", "using Shop.Parts;", "module"),
    ("cs/A.cs", "using static Shop.Base;", ""),
    ("cs/A.cs", "using Other.Parts;", ""),
    ("cs/A.cs", "using System.Linq;", ""),
]
POINT = "from dataclasses import dataclass\n\n\n@dataclass\nclass Point:\n    x: int\n    y: int = 0\n\n\n"
KEYWORDS = [
    # a file, code whose last call passes arguments by name, and whether the last of these is known; None: nobody can
    # tell
    ("a.py", POINT + "Point(x=1, y=2)", True),
    ("a.py", POINT + "Point(x=1, z=2)", False),
    ("a.py", POINT + "@dataclass\nclass Deep(Point):\n    z: int\n\n\nDeep(x=1, z=2)", True),
    ("a.py", POINT + "@dataclass\nclass Deep(Point):\n    z: int\n\n\nDeep(x=1, q=2)", False),
    ("a.py", POINT + "@dataclass\nclass Deep(Far):\n    z: int\n\n\nDeep(x=1, q=2)", None),
    ("a.py", POINT.replace("@dataclass", "@define") + "Point(x=1, z=2)", None),
    ("a.py", POINT.replace("@dataclass", "@dataclass(frozen=True)") + "Point(x=1, z=2)", False),
    ("a.py", POINT + "def f(Point):\n    Point(x=1, z=2)", None),
    ("a.py", "class P(NamedTuple):\n    x: int\n\n\nP(x=1)", True),
    ("a.py", "class P(NamedTuple):\n    x: int\n\n\nP(z=1)", False),
    ("a.py", "class P(BaseModel):\n    x: int\n\n\nP(z=1)", None),
    ("a.py", "class P(Enum):\n    x: int\n\n\nP(z=1)", None),
    ("a.py", "class P:\n    def __init__(self, a): ...\n\n\nP(a=1)", True),
    ("a.py", "class P:\n    def __init__(self, a): ...\n\n\nP(b=1)", False),
    ("a.py", "class P:\n    def __init__(self, a, **more): ...\n\n\nP(b=1)", None),
    ("a.py", "class P:\n    def __init__(self, a): ...\n\n\nclass Q(P): ...\n\n\nQ(b=1)", False),
    ("a.py", "class P:\n    def __new__(cls, a): ...\n\n\nP(b=1)", None),
    ("a.py", "class P(metaclass=M):\n    def __init__(self): ...\n\n\nP(b=1)", None),
    ("a.py", "class P:\n    def go(self, a): ...\n    def f(self):\n        self.go(a=1)", True),
    ("a.py", "class P:\n    def go(self, a): ...\n    def f(self):\n        self.go(b=1)", False),
    ("a.py", "class P:\n    def go(self, a): ...\n\n\ndef f(p: P):\n    p.go(b=1)", False),
    ("a.py", "class P(Far):\n    def f(self):\n        self.go(b=1)", None),
    ("a.py", "def f(a, *more, b=1): ...\n\n\nf(1, b=1)", True),
    ("a.py", "def f(a, *more, b=1): ...\n\n\nf(1, c=1)", False),
    ("a.py", "@made\ndef f(a): ...\n\n\nf(c=1)", None),
    ("a.py", "@cache\ndef f(a): ...\n\n\nf(c=1)", False),
    ("a.py", "if x:\n    def f(a): ...\nelse:\n    def f(b): ...\n\n\nf(c=1)", None),
    ("a.py", "f(c=1)", None),
    ("a.py", "from plain.tools import cut\n\ncut(c=1)", False),
    ("a.py", "from plain import tools\n\ntools.cut(c=1)", False),
    ("a.py", "from plain.tools import cut as c\n\nc(c=1)", False),
    ("a.py", "import json\n\njson.dumps(1, indented=2)", None),
    ("a.py", "import shutil\n\nshutil.copyfile('a', 'b', follow_symlinks=True)", True),
    ("a.py", "import shutil\n\nshutil.copyfile('a', 'b', follow_links=True)", False),
    ("a.py", "from dataclasses import field\n\nfield(default_factory=list)", True),
    ("a.py", "from dataclasses import field\n\nfield(factory=list)", False),
    ("a.py", "from subprocess import run\n\nrun(['a'], timeouts=1)", None),
    ("a.kt", "class P(val x: Int, y: Int = 1)\n\nfun f() = P(x = 1)\n", True),
    ("a.kt", "class P(val x: Int, y: Int = 1)\n\nfun f() = P(z = 1)\n", False),
    ("a.kt", "class P(val x: Int) {\n  constructor(z: String) : this(1)\n}\n\nfun f() = P(z = 1)\n", None),
    ("a.kt", "fun g(a: Int) = 1\nfun g(b: String) = 1\n\nfun f() = g(b = 1)\n", True),
    ("a.kt", "fun g(a: Int) = 1\n\nfun f() = g(b = 1)\n", False),
    ("a.cs", "class P {\n  public P(int a) {}\n}\n\nclass Q {\n  P F() { return new P(b: 1); }\n}\n", False),
    ("a.cs", "class P {\n  public P(int a) {}\n}\n\nclass Q {\n  P F() { return new P(a: 1); }\n}\n", True),
    ("a.php", "<?php\nclass P {\n  function __construct(private int $x) {}\n}\nnew P(x: 1);\n", True),
    ("a.php", "<?php\nclass P {\n  function __construct(private int $x) {}\n}\nnew P(z: 1);\n", False),
    ("a.php", "<?php\nfunction f(int $a) {}\nf(b: 1);\n", False),
    ("a.php", "<?php\nfunction f(int ...$a) {}\nf(b: 1);\n", None),
    ("a.swift", "struct P {\n  init(to x: Int) {}\n}\nlet p = P(to: 1)\n", True),
    ("a.swift", "struct P {\n  init(to x: Int) {}\n}\nlet p = P(x: 1)\n", False),
    ("a.rb", "def f(a, b: 1) end\nf(1, b: 2)\n", True),
    ("a.rb", "def f(a, b: 1) end\nf(1, c: 2)\n", False),
    ("a.rb", "def f(a, b = {}) end\nf(1, c: 2)\n", None),
]
AGAIN = [
    ("a.py", "import os\n\n\ndef f():\n    $0import os\n", True),
    ("a.py", "import os\n\n\ndef f():\n    $0import os.path\n", False),
    ("a.py", "def g():\n    import os\n\n\ndef f():\n    $0import os\n", False),
    ("a.py", "from a import b\n$0from a import c\n", False),
    ("a.js", 'import fs from "fs";\n$0const fs = require("fs");\n', True),
    ("a.js", 'import { readFile } from "node:fs";\n$0const files = require("fs");\n', True),
    ("a.js", 'import { readFile } from "fs";\n$0import { writeFile } from "fs";\n', False),
    ("a.js", 'const { a } = require("fs");\n$0const { b } = require("fs");\n', False),
]


@pytest.fixture
def made(workspace: Callable[..., Workspace]) -> Workspace:
    it = workspace(FILES)
    it.build_index()
    return it


def test_what_an_import_names_is_looked_for(made: Workspace) -> None:
    wrong = []
    for file, code, expected in LACKS:
        view = made.view(file, f"{code}\n$0")
        made.gatherer.candidates(view)
        names = made.gatherer.names
        assert names is not None
        found = imported_between(view.parsed, 0, len(view.parsed.snapshot.utf8))
        lacking = [names.lacks(view, one.item) for one in found]
        if not found or max(lacking) != expected:
            wrong.append((file, code, lacking))
    assert wrong == []


def test_nobody_can_tell_of_the_workspace_before_it_is_indexed(workspace: Callable[..., Workspace]) -> None:
    it = workspace(FILES)
    view = it.view("main/Main.java", "import app.Person;\n$0")
    it.gatherer.candidates(view)
    assert it.gatherer.names is not None
    (one,) = imported_between(view.parsed, 0, len(view.parsed.snapshot.utf8))
    assert it.gatherer.names.lacks(view, one.item) == ""


def test_the_names_by_which_arguments_are_passed(made: Workspace) -> None:
    wrong = []
    for file, code, expected in KEYWORDS:
        view = made.view(file, f"{code}\n$0")
        made.gatherer.candidates(view)
        names = made.gatherer.names
        assert names is not None
        last = given_between(view.parsed, 0, len(view.parsed.snapshot.utf8))[-1]
        known = names.keywords(view, last.call)
        if (None if known is None else last.name in known) is not expected:
            wrong.append((file, code, known))
    assert wrong == []


@pytest.mark.parametrize(("file", "code", "expected"), AGAIN)
def test_what_the_file_imports_already(made: Workspace, file: str, code: str, expected: bool) -> None:
    view = made.view(file, code)
    at = len(code.partition("$0")[0].encode())
    found = imported_between(view.parsed, at, len(view.parsed.snapshot.utf8))
    assert [one.again for one in found] == [expected]


def test_an_argument_is_passed_twice(made: Workspace) -> None:
    for file, code, expected in [
        ("a.py", "f(a=1, b=2, a=3)", ["a"]),
        ("a.py", "f(a=1, b=g(a=2))", []),
        ("a.swift", "f(a: 1, a: 2)", []),
        ("a.kt", "fun h() = f(a = 1, a = 2)", ["a"]),
    ]:
        view = made.view(file, f"{code}\n$0")
        given = given_between(view.parsed, 0, len(view.parsed.snapshot.utf8))
        assert [one.name for one in given if one.again] == expected, code
