"""Whether a class or module has a member: what it says, and where nobody can tell."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from context_workspace import Workspace

from palimpsest.syntax.naming import unexplained

FILES = {
    "shop/__init__.py": "",
    "shop/base.py": "class Base:\n    def save(self): ...\n",
    "shop/user.py": "from shop.base import Base\n\n\nclass User(Base):\n    nick: str\n\n    def go(self): ...\n",
    "shop/far.py": "from somewhere import Far\n\n\nclass Near(Far):\n    nick: str\n",
    "shop/lazy.py": "class Lazy:\n    def __getattr__(self, name): ...\n",
    "shop/tools.py": "def cut(): ...\n",
    "shop/stars.py": "from somewhere import *\n\n\ndef cut(): ...\n",
}
HEAD = (
    "from shop.user import User\nfrom shop.far import Near\nfrom shop.lazy import Lazy\nfrom shop import tools, stars\n"
)
KNOWN = [
    # code whose last member is looked for, and whether it is there; None: nobody can tell
    ("def f(a: User): a.nick", True),
    ("def f(a: User): a.save", True),
    ("def f(a: User): a.none", False),
    ("def f(a: User | None): a.none", False),
    ("def f(a: Near): a.none", None),
    ("def f(a: Lazy): a.none", None),
    ("def f(a): a.none", None),
    ("def f(a: Unknown): a.none", None),
    ("def f():\n    a = User()\n    a.none", False),
    ("def f(many: list[User]):\n    for a in many:\n        a.none", False),
    ("def f(many: dict):\n    for a in list(many):\n        a.none", None),
    ("def f(a: User):\n    if isinstance(a, Sub):\n        a.none", None),
    ("def f(a: User):\n    a.more = 1\n    a.more", True),
    ("class A(User):\n    def f(self): super().save", True),
    ("class A(User):\n    def f(self): super().none", False),
    ("class A(User):\n    def f(self):\n        self.own = 1\n        self.own", True),
    ("class A(User):\n    def f(self): self.none", False),
    ("class A(make(User)):\n    def f(self): self.none", None),
    ("import abc\nfrom abc import ABC\nclass A(ABC):\n    def f(self): self.none", False),
    ("tools.cut", True),
    ("tools.none", False),
    ("stars.none", None),
    ("def f(tools): tools.none", None),
]


@pytest.mark.parametrize(("code", "expected"), KNOWN)
def test_members_are_those_of_a_class_its_bases_or_a_module(
    workspace: Callable[..., Workspace], code: str, expected: bool | None
) -> None:
    made = workspace(FILES)
    view = made.view("main.py", f"{HEAD}{code}$0\n")
    made.gatherer.candidates(view)
    assert made.gatherer.names is not None
    last = unexplained(view.parsed, 0, len(view.parsed.snapshot.utf8))[-1]
    assert last.is_member
    members = made.gatherer.names.members(view, last)
    assert (None if members is None else last.name in members) == expected


def test_what_another_file_exports_is_imported_as_most_do(workspace: Callable[..., Workspace]) -> None:
    other = "from shop.user import User as Person\nfrom pathlib import Path\n"
    made = workspace({**FILES, "a.py": other, "b.py": "from pathlib import Path\n", "c.py": "from mine import Path\n"})
    view = made.view("main.py", "x = 1$0\n")
    made.gatherer.candidates(view)
    names = made.gatherer.names
    assert names is not None
    assert names.exported(view, "User") is None  # the index is not complete
    made.build_index()
    made.gatherer.files_changed()
    made.gatherer.candidates(view)
    items = {name: names.exported(view, name) for name in ("User", "Person", "Path", "go", "Nothing")}
    found = {name: item and item.item and (item.item.module, item.item.name) for name, item in items.items()}
    assert found == {
        "User": ("shop.user", "User"),
        "Person": ("shop.user", "User"),
        "Path": ("pathlib", "Path"),
        "go": None,
        "Nothing": None,
    }
    assert [name for name, item in items.items() if item is not None and not item.exists] == ["go", "Nothing"]
