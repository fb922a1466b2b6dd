"""Edits in which something stands in place of code that was not written again, and edits in which the same is code."""

from __future__ import annotations

import difflib
import re

import pytest

from palimpsest.edits.line_edits import normalised
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.languages.registry import language_of
from palimpsest.types import DocumentChange, LineEdit

PYTHON = """\
import json


def load(path):
    with open(path) as file:
        found = json.load(file)
    found.setdefault("n", 0)
    return found


def save(path, found):
    with open(path, "w") as file:
        json.dump(found, file)
"""
LOAD = PYTHON[PYTHON.index("    with") : PYTHON.index("    return")]
SAVE = PYTHON[PYTHON.index("    with open(path, ") :]
LEFT_OUT = [
    "# ... existing code ...",
    "# ...existing code...",
    "# existing code",
    "# … existing code …",
    "#...",
    "# ...",
    "# rest of the function unchanged",
    "# rest of load unchanged",
    "# The rest of the function remains the same.",
    "# ... rest of load() ...",
    "# (remaining code)",
    "# unchanged",
    "pass  # unchanged",
    "pass  # ... existing implementation ...",
    "# same as before",
    "# Existing code here...",
    "# [rest of your code]",
    "# --- omitted for brevity ---",
    "# ... restlicher Code ...",
    "# 其余代码保持不变",
    "# остальной код без изменений",
    "# существующий код",
    "# 现有代码",
    "# 기존 코드",
    "# código existente",
    "# mevcut kod",
    "# [unchanged]",
    "# -- unchanged --",
    "# load",
    "# found",
    "# lines 2-4 unchanged",
    "# (3 lines omitted)",
    "# TODO: keep existing code",
    "# same as original",
    "# ⋮",
    "# . . .",
    "# ...\n    # existing code\n    # ...",
    "# no changes",
    "# etc.",
    "# voir plus haut",
    "# see above",
    "# now it is written",
    '"... existing code ..."',
    "...",
    "…",
    "... # unchanged",
    "... existing code ...",
]
EXISTING = "... existing code ..."
OTHERS = {
    "javascript": (
        "function load(path) {\n  «const a = read(path);»\n  return a;\n}\n",
        [f"// {EXISTING}", "/* ... unchanged ... */", "// rest of the function", f"/*\n   * {EXISTING}\n   */"],
    ),
    "typescript": ("function load(): string {\n  «const a = read();»\n  return a;\n}\n", [f"// {EXISTING}"]),
    "javascriptreact": ("const a = (\n  <p>\n    «<b>1</b>»\n  </p>\n);\n", [f"{{/* {EXISTING} */}}"]),
    "go": ("package a\n\nfunc load() int {\n\t«a := 1»\n\treturn a\n}\n", [f"// {EXISTING}", "/* unchanged */"]),
    "rust": ("fn load() -> i32 {\n    «let a = 1;»\n    a\n}\n", [f"// {EXISTING}", "/* ... unchanged ... */"]),
    "java": ("class A {\n  «int load() { return 1; }»\n  int b;\n}\n", ["// ... existing methods ..."]),
    "c": ("int load(void) {\n  «int a = 1;»\n  return a;\n}\n", [f"/* {EXISTING} */", "// rest unchanged ..."]),
    "cpp": ("int load() {\n  «int a = 1;»\n  return a;\n}\n", [f"// {EXISTING}"]),
    "csharp": ("class A {\n  int Load() {\n    «int a = 1;»\n    return a;\n  }\n}\n", [f"// {EXISTING}"]),
    "php": ("<?php\nfunction load() {\n  «$a = 1;»\n  return $a;\n}\n", [f"// {EXISTING}", f"# {EXISTING}"]),
    "ruby": ("def load\n  «a = 1»\n  a\nend\n", [f"# {EXISTING}"]),
    "lua": ("function load()\n  «local a = 1»\n  return a\nend\n", [f"-- {EXISTING}", "--[[ ... unchanged ... ]]"]),
    "kotlin": ("fun load(): Int {\n  «val a = 1»\n  return a\n}\n", [f"// {EXISTING}"]),
    "swift": ("func load() -> Int {\n  «let a = 1»\n  return a\n}\n", [f"// {EXISTING}"]),
    "sql": ("SELECT a\nFROM b\n«WHERE c = 1»;\n", [f"-- {EXISTING}"]),
    "html": ("<body>\n  «<p>a</p>»\n  <p>b</p>\n</body>\n", [f"<!-- {EXISTING} -->", "<!-- rest unchanged -->"]),
    "vue": ("<script>\nconst a = 1;\n«const b = 2;»\n</script>\n", [f"// {EXISTING}"]),
    "css": ("a {\n  «color: red;»\n  top: 0;\n}\n", ["/* ... existing styles ... */"]),
    "yaml": ("a:\n  b: 1\n  «c: 2»\n", ["# ... existing entries ..."]),
    "toml": ("[a]\n«b = 1»\nc = 2\n", ["# ... existing entries ..."]),
    "shellscript": ("a() {\n  «b=1»\n  echo $b\n}\n", [f"# {EXISTING}"]),
    "markdown": ("# A\n\n«One.»\n\nTwo.\n", ["<!-- ... existing content ... -->", "...", "[... rest unchanged ...]"]),
    "plaintext": ("one\n«two»\nthree\n", ["... existing content ...", "...", "# ... existing entries ..."]),
    "haskell": ("load = do\n  «a <- b»\n  c a\n", [f"-- {EXISTING}"]),
    "makefile": ("a:\n\t«b»\n\tc\n", ["# ... existing rules ..."]),
    "ini": ("[a]\n«b=1»\nc=2\n", ["; ... existing entries ..."]),
}
"""What is between the marks is replaced."""


def change(old: str, new: str, language: str = "python") -> str:
    """Why an edit is refused that makes one of the other; "" where it is not."""
    lines, then = tuple(old.split("\n")), tuple(new.split("\n"))
    found = difflib.SequenceMatcher(None, lines, then, autojunk=False).get_opcodes()
    edits = normalised(lines, [LineEdit(a, b, then[c:d]) for kind, a, b, c, d in found if kind != "equal"])
    try:
        validated(DocumentChange("file:///a", 1, edits, ("editing",)), Baseline(lines, language_of(language)))
    except Unfit as reason:
        return str(reason)
    return ""


@pytest.mark.parametrize("text", LEFT_OUT)
@pytest.mark.parametrize("code", [LOAD, SAVE], ids=["a part of a body", "a body"])
def test_what_stands_in_place_of_code_is_refused(code: str, text: str) -> None:
    assert "it leaves code out" in change(PYTHON, PYTHON.replace(code, f"    {text}\n"))


@pytest.mark.parametrize(("language", "text"), [(one, text) for one, (_, texts) in OTHERS.items() for text in texts])
def test_in_every_language_by_its_own_comments(language: str, text: str) -> None:
    marked, _ = OTHERS[language]
    old, new = marked.replace("«", "").replace("»", ""), re.sub("«.*»", lambda _: text, marked)
    assert "it leaves code out" in change(old, new, language)


def test_a_definition_on_one_line_in_place_of_one_with_code_is_refused() -> None:
    head = "def save(path, found):\n"
    assert "it leaves code out" in change(PYTHON, PYTHON.replace(head + SAVE, head.rstrip() + " ...\n"))


KEPT = {
    "a comment that stood there": (
        PYTHON.replace("    found.set", "    # ... existing code ...\n    found.set"),
        PYTHON.replace(LOAD, "    # ... existing code ...\n    found = 1\n"),
    ),
    "nothing is taken out": (PYTHON, PYTHON.replace("    found.set", "    # ... existing code ...\n    found.set")),
    "a new protocol": (
        PYTHON,
        PYTHON.replace('"w"', '"x"')
        + "\n\nclass P(Protocol):\n    def load(self) -> int: ...\n\n    def save(self) -> None:\n        ...\n",
    ),
    "overloads of what was there": (
        PYTHON.replace("found.setdefault", "found.default"),
        PYTHON.replace("def load", "@overload\ndef load(a: str): ...\n@overload\ndef load(a: int):\n    ...\ndef load"),
    ),
    "a method that becomes abstract": (
        "class A:\n    def a(self):\n        b = 1\n        return b\n",
        "class A(ABC):\n    @abstractmethod\n    def a(self): ...\n",
    ),
    "a type": ("def f(a: tuple[int, int]):\n    return a\n", "def f(a: tuple[int, ...]):\n    return a\n"),
    "a default": ("x = Field(None)\n", "x = Field(...)\n"),
    "an index": ("x = a[:, 0]\n", "x = a[\n    ...,\n    0,\n]\n"),
    "a stub": ("def f(): ...\ndef g():\n    return 1\n", "def f(a): ...\ndef g():\n    return 2\n"),
    "a comment with dots of its own": (
        "def f():\n    a = 1\n    return a\n",
        "def f():\n    # wait ...\n    a = 2\n    return a\n",
    ),
    "a comment about code that exists": (
        "def f():\n    a = 1\n    return a\n",
        "def f():\n    # existing users rely on this order\n    a = 2\n    return a\n",
    ),
    "a comment that says why nothing is done": (
        "def f(a, b):\n    if a == b:\n        raise X\n    return a\n",
        "def f(a, b):\n    if a == b:\n        # unchanged\n        return b\n    return a\n",
    ),
    "a remark behind code": ("a = 1\nb = 2\n", "a = 1  # unchanged\nb = 3\n"),
    "an example in a comment": (
        "def f():\n    a = 1\n    return a\n",
        "def f():\n    # Called as:\n    #   f()\n    #   ...\n    a = 2\n    return a\n",
    ),
    "code that is commented out": (
        "def f():\n    a = 1\n    print(a)\n    return a\n",
        "def f():\n    a = 1\n    # print(a)\n    return a\n",
    ),
    "a comment in place of one": (
        "def f():\n    # twice\n    b = 1\n    return a\n",
        "def f():\n    # once\n    return a\n",
    ),
    "code that goes": ("def f():\n    a = 1\n    b = 1\n    return a\n", "def f():\n\n    return a\n"),
    "a text": ("a = 'b'\n", "a = '# ... existing code ...'\n"),
    "a text of several lines": ("a = 'b'\nc = 1\n", 'a = """\n# ... existing code ...\n...\n"""\nc = 2\n'),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), KEPT.values(), ids=KEPT)
def test_what_is_code_or_stood_there_is_none(old: str, new: str) -> None:
    assert change(old, new) == ""


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("javascript", "function f(a) {\n  return g(a);\n}\n", "function f(...args) {\n  return g(...args);\n}\n"),
        ("javascript", "f(\n  a,\n);\n", "f(\n  ...b,\n);\n"),
        ("c", "int f(int a);\n", "int f(\n    int a,\n    ...\n);\n"),
        ("lua", "function f(a)\n  return g(a)\nend\n", "function f(...)\n  return g(...)\nend\n"),
        ("php", "<?php\n$a = f(1);\n", "<?php\n$a = f(...);\n"),
        ("typescript", "const a: number[] = [1];\n", "const a: [number, ...string[]] = [1];\n"),
        ("go", "package a\n\nfunc f(a int) {}\n", "package a\n\nfunc f(a ...int) {}\n"),
        ("yaml", "a: 1\nb: 2\n", "a: 1\nb: 3 # was 2 before\n"),
        ("markdown", "One.\n\nTwo.\n", "One ... and more.\n\nThree...\n"),
    ],
)
def test_in_no_language_code_is_one(language: str, old: str, new: str) -> None:
    assert change(old, new, language) == ""
