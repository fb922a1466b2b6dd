"""Changes that a person makes twice by hand, in six languages, and the text once they are made everywhere.  Each
editor's tests make them with its own keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

N = 5
"""Places that each text has."""
NAMES = "abcdefgh"


@dataclass(frozen=True, slots=True)
class Change:
    """`place` makes one place of a text, by its number; `old` in it becomes `new`, or is a whole line that goes, or the
    line that a new one comes below."""

    file: str
    how: Literal["words", "line put in", "line taken out"]
    place: str
    old: str
    new: str = ""
    head: str = ""
    tail: str = ""

    def _place(self, n: int) -> str:
        return self.place.replace("@", NAMES[n])

    def _made(self, n: int) -> str:
        place, old, new = (it.replace("@", NAMES[n]) for it in (self.place, self.old, self.new))
        assert place.count(old) == 1
        if self.how == "words":
            return place.replace(old, new)
        line = next(it for it in place.splitlines(keepends=True) if old in it)
        indent = line[: len(line) - len(line.lstrip())]
        return place.replace(line, f"{line}{indent}{new}\n" if self.how == "line put in" else "")

    def text(self, n_made: int) -> str:
        places = [self._made(n) if n < n_made else self._place(n) for n in range(N)]
        return f"{self.head}{''.join(places)}{self.tail}"

    def at(self, n: int) -> tuple[int, int]:
        """The line and the column behind `old` in a place, where those before it are made."""
        text = self.text(n)
        old = self.old.replace("@", NAMES[n])
        before = text[: text.index(old, text.index(self._place(n))) + len(old)]
        return before.count("\n") + 1, len(before) - before.rfind("\n")


CHANGES = (
    Change("one.py", "words", "def pay_@(cart):\n    return cart.total(@)\n\n\n", "(@)", "(@, exact=True)"),
    Change("two.py", "line taken out", "def go_@(job):\n    trace(job)\n    return job.run(@)\n\n\n", "trace(job)"),
    Change(
        "one.ts",
        "words",
        "export function of_@(it: any): string {\n  return show(it, '@');\n}\n\n",
        "it: any",
        "it: unknown",
    ),
    Change(
        "two.ts",
        "line put in",
        "it('@', async () => {\n  const page = await open();\n  expect(page.a).toBe('@');\n});\n\n",
        "await open();",
        "await page.settled();",
    ),
    Change(
        "one.go",
        "words",
        "func Read@(path string) ([]byte, error) {\n\tdata, err := ioutil.ReadFile(path)\n\treturn data, err\n}\n\n",
        "ioutil.",
        "os.",
        "package shop\n\n",
    ),
    Change(
        "two.go",
        "line put in",
        "func Use@(s *Store) {\n\ts.mu.Lock()\n\ts.use(s.@)\n}\n\n",
        "s.mu.Lock()",
        "defer s.mu.Unlock()",
        "package shop\n\n",
    ),
    Change(
        "one.rs",
        "words",
        "fn read_@(path: &str) -> Result<String> {\n    let text = load(path).unwrap();\n    Ok(text.@())\n}\n\n",
        ".unwrap()",
        "?",
    ),
    Change(
        "One.java",
        "words",
        '  public int @(Cart cart) {\n    return cart.get("@");\n  }\n\n',
        'get("@")',
        'getOrDefault("@", 0)',
        "class One {\n",
        "}\n",
    ),
    Change(
        "Two.java",
        "line taken out",
        '  public void @(Job job) {\n    System.out.println(job);\n    job.run("@");\n  }\n\n',
        "System.out.println(job);",
        "",
        "class Two {\n",
        "}\n",
    ),
    Change(
        "One.cs",
        "line put in",
        '    public void @(Item item)\n    {\n        var row = Find(item);\n        Save(row, "@");\n    }\n\n',
        "Find(item);",
        "row.Touch();",
        "class One\n{\n",
        "}\n",
    ),
)
_RUN = "def @(job):\n    return job.run(name='@')\n\n\n", "name='@'", "name='@', wait=True"
each = pytest.mark.parametrize("change", CHANGES, ids=[f"{it.file}-{it.how.replace(' ', '-')}" for it in CHANGES])


def pair(here: str, there: str) -> tuple[Change, Change]:
    """The same change in two files, the first of which imports the second."""
    return (
        Change(f"{here}.py", "words", *_RUN, head=f"import {there}\n\n\n"),
        Change(f"{there}.py", "words", *_RUN, head="import sys\n\n\n"),
    )
