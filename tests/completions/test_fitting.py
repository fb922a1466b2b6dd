"""What a model says that does not fit between the code on both sides of the cursor: what is left of it.

`|` is the cursor.  A model's text is trimmed and fitted as a window does it.
"""

from __future__ import annotations

import pytest

from palimpsest.completions.fitting import fitting
from palimpsest.completions.inline import trim
from palimpsest.completions.repairs import grows, untyped
from palimpsest.completions.results import Result
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import Snapshot


def shown(name: str, code: str, *said: str, is_cut: bool = False, multiline: bool = False) -> list[str]:
    prefix, suffix = code.split("|")
    language = language_of("", name)
    snapshot = Snapshot(f"file:///{name}", 1, language.id, prefix + suffix)
    new = [untyped(one, prefix.rpartition("\n")[2], prefix + suffix) for one in said]
    texts = [trim(one, prefix=prefix, suffix=suffix, multiline=multiline, language=language) for one in new]
    parser = Parser(language_of)
    place = snapshot.position(len(prefix))
    result = Result(tuple(filter(None, texts)), is_cut=is_cut)
    return list(fitting(parser, parser.parse(snapshot), place, result).texts)


JAVA = "class A {{\n  int f() {{\n    {}\n    return 1;\n  }}\n}}\n"
FUNC = "package a\n\nfunc f() {{\n\t{}\n}}\n"
FN = "fn f() {{\n    {}\n}}\n"
CS = "class A {{\n    void F() {{\n        {}\n    }}\n}}\n"
PHP = "<?php\n{}\n"
C = "int f(void) {{\n    {}\n    return 0;\n}}\n"

IN_A_STRING = [
    ("a.py", "x = f'hello {|}'\n", "name}!"),
    ("b.py", 'x = f"hello {|}"\n', 'name}!"'),
    ("c.py", 'x = f"""hello {|}"""\n', "name} and more"),
    ("a.js", "const x = `hello ${|}`;\n", "name}!"),
    ("b.js", "const x = `hello ${|}`;\n", "name}!`;"),
    ("a.ts", "const x = `hello ${|} and`;\n", "name}, you"),
    ("a.tsx", "const x = <p title={`a ${|}`}>b</p>;\n", "name}!"),
    ("a.cs", CS.format('var x = $"hello {|}";'), "name}!"),
    ("a.swift", 'let x = "hello \\(|)"\n', "name)!"),
    ("b.swift", 'let x = "hello \\(|)"\n', "name}!"),
    ("a.php", PHP.format('$x = "hello {$|}";'), "name}!"),
    ("a.kt", 'val x = "hello ${|}"\n', "name}!"),
    ("a.rb", 'x = "hello #{|}"\n', "name}!"),
    ("a.sh", 'x="hello ${|}"\n', "name}!"),
]
CALLED = [  # a bracket that is there already; `fetch` and its rest
    ("a.py", "fetch|(3)\n", "fetchUserData(id)"),
    ("a.js", "fetch|(3)\n", "fetchUserData(id);"),
    ("b.js", "fetch|(3);\n", "UserData(id).then(use);"),
    ("a.ts", "const a = fetch|(3);\n", "fetchUserData(id: number);"),
    ("a.java", JAVA.format("fetch|(3);"), "fetchUserData(id);"),
    ("a.go", FUNC.format("fetch|(3)"), "fetchUserData(id)"),
    ("a.rs", FN.format("fetch|(3);"), "fetchUserData(id)?;"),
    ("a.cs", CS.format("fetch|(3);"), "fetchUserData(id);"),
    ("a.kt", "val a = fetch|(3)\n", "fetchUserData(id)"),
    ("a.swift", "let a = fetch|(3)\n", "fetchUserData(id)"),
    ("a.rb", "fetch|(3)\n", "fetchUserData(id)"),
    ("a.php", PHP.format("fetch|(3);"), "fetchUserData($id);"),
    ("a.lua", "fetch|(3)\n", "fetchUserData(id)"),
    ("a.c", C.format("fetch|(3);"), "fetchUserData(id);"),
    ("a.cpp", C.format("fetch|(3);"), "fetchUserData(id);"),
]
WITHIN = [  # the word's other half is behind the cursor
    (name, code.replace("fetch|", "fetchUs|erData"), said) for name, code, said in CALLED
] + [
    ("f.py", "for colour in col|ours:\n    pass\n", "colour:"),
    ("g.py", "for colour in col|ours:\n    pass\n", "our:"),
    ("f.js", "for (const colour of col|ours) {\n}\n", "colours) {"),
    ("f.rs", FN.format("for colour in col|ours {\n    }"), "colours.iter() {"),
    ("f.go", FUNC.format("for range col|ours {\n\t}"), "colours {"),
]
ROWS = [
    *((name, code, said, ["name"]) for name, code, said in IN_A_STRING),
    *((name, code, said, ["UserData"]) for name, code, said in CALLED),
    *((name, code, said, list[str]()) for name, code, said in WITHIN),
    # what is typed said again, and the rest of the line
    ("h.js", 'if (user.na| === "x") {\n}\n', 'name === "x"', ["me"]),
    ("i.js", 'if (user.na| === "x") {\n}\n', 'me === "x") {', ["me"]),
    ("j.js", 'if (user.na| === "x") {\n}\n', "user.name", ["me"]),
    ("h.ts", 'if (user.na| === "x") {\n}\n', 'name === "x"', ["me"]),
    ("h.py", 'if user.na| == "x":\n    pass\n', 'name == "x":', ["me"]),
    ("h.java", JAVA.format('if (user.na| == "x") {\n    }'), 'name == "x"', ["me"]),
    ("h.go", FUNC.format('if user.na| == "x" {\n\t}'), 'name == "x" {', ["me"]),
    ("h.rs", FN.format('if user.na| == "x" {\n    }'), 'name == "x"', ["me"]),
    ("h.cs", CS.format('if (user.na| == "x") {\n        }'), 'name == "x"', ["me"]),
    ("h.kt", 'val a = user.na| == "x"\n', 'name == "x"', ["me"]),
    ("h.swift", 'let a = user.na| == "x"\n', 'name == "x"', ["me"]),
    ("h.rb", 'if user.na| == "x"\nend\n', 'name == "x"', ["me"]),
    ("h.php", PHP.format('if ($user->na| === "x") {\n}'), 'name === "x"', ["me"]),
    ("k.js", "na|;\nconst nanametag = 1;\n", "nametag", ["nametag"]),  # such a word there is
    # a bracket or a string that is missing, and behind nowhere
    ("l.py", "x = |\n", "foo(a, [b", ["foo(a, [b])"]),
    ("m.py", "x = |\n", '"hello', ['"hello"']),
    ("n.py", "print(|)\n", '"hello', ['"hello"']),
    ("l.js", "const x = |;\n", "foo(`a", ["foo(`a`)"]),
    ("l.go", FUNC.format("x := |"), 'g("a', ['g("a")']),
    ("l.rb", "x = |\n", "foo(a, [b", ["foo(a, [b])"]),
    ("l.lua", "local x = |\n", "f({1, 2", ["f({1, 2})"]),
    ("l.kt", "val x = |\n", 'listOf("a', ['listOf("a")']),
    # one too many
    ("o.js", "const x = |;\n", "1;", ["1"]),
    ("p.js", "const x = [|, b];\n", "a,", ["a"]),
    ("q.js", "foo(|);\n", "a));", ["a"]),
    ("o.py", "x = [|, b]\n", "a,", ["a"]),
    ("q.py", "print(x|)\n", "(y)", ["(y)"]),
    ("r.py", "foo(|, b)\n", "g(c, d)", ["g(c, d)"]),
    ("r.js", "function f()| {\n}\n", ": number {", []),
    ("r.ts", "function f()| {\n}\n", ": number {", [": number"]),
    ("s.py", "total = |\n", "1 +", []),
    ("t.json", '{"a": |}\n', "[1, 2", ["[1, 2]"]),
    ("u.json", '{"a": 1|}\n', ', "b"', []),
    ("u.css", "a { color: | }\n", "red; }", ["red;"]),
    # data, prose, and what is embedded
    ("x.yaml", "a:\n  |\nb: 2\n", "c: 1", ["c: 1"]),
    ("x.toml", "x = |\n", '["a", "b', ['["a", "b"]']),
    ("x.css", "a { col|: red; }\n", "color", ["or"]),
    ("x.tsx", "const a = <div>|</div>;\n", "hello</div>;", ["hello"]),
    ("x.html", "<p>|</p>\n", "hello</p>", ["hello"]),
    ("y.html", "<script>\nlet x = |;\n</script>\n", "f(1;", ["f(1)"]),
    ("x.sql", "SELECT | FROM a;\n", "b, c FROM", ["b, c"]),
    ("x.md", "Some wo|rds here\n", "nderful words", ["nderful"]),
    ("y.md", "```python\nx = |\n```\n", "f(1", ["f(1)"]),
    ("x.sh", 'if [ -f "$a" ]; then\n  |\nfi\n', 'echo "$a', ['echo "$a"']),
    # the lines below are deeper: what is missing opens a block
    *(
        (name, code, said, [said][: said.endswith("{")])
        for name, code, condition in (
            ("v.js", "function f(a) {\n  |\n    g(a);\n  }\n}\n", "if (a) {"),
            ("v.ts", "function f(a: number) {\n  |\n    g(a);\n  }\n}\n", "while (a) {"),
            (
                "v.java",
                "class A {\n  int f(int a) {\n    |\n      g(a);\n    }\n    return 1;\n  }\n}\n",
                "if (a > 1) {",
            ),
            ("v.go", "package a\n\nfunc f(a int) {\n\t|\n\t\tg(a)\n\t}\n}\n", "if a > 1 {"),
            ("v.rs", "fn f(a: i32) {\n    |\n        g(a);\n    }\n}\n", "if a > 1 {"),
            ("v.c", "int f(int a) {\n    |\n        g(a);\n    }\n    return 1;\n}\n", "if (a) {"),
            ("v.cs", "class A {\n  int F(int a) {\n    |\n      G(a);\n    }\n    return 1;\n  }\n}\n", "if (a > 1) {"),
            ("v.php", "<?php\nfunction f($a) {\n    |\n        g($a);\n    }\n}\n", "if ($a) {"),
            ("v.kt", "fun f(a: Int) {\n    |\n        g(a)\n    }\n}\n", "if (a > 1) {"),
            ("v.swift", "func f(a: Int) {\n    |\n        g(a)\n    }\n}\n", "if a > 1 {"),
        )
        for said in (condition, "h(1)" if name.endswith((".go", ".kt", ".swift")) else "h(1);")
    ),
    # and where they are not, it opens none
    ("w.js", "function f(a) {\n  |\n  g(a);\n}\n", "if (a) {", []),
    ("w.rs", "fn f(a: i32) {\n    |\n    g(a);\n}\n", "if a > 1 {", []),
    ("w.c", "int f(int a) {\n    |\n    g(a);\n    return 1;\n}\n", "if (a) {", []),
    ("w.py", "def f(a):\n    |\n    g(a)\n", "if a:", []),
]


@pytest.mark.parametrize(("name", "code", "said", "wanted"), ROWS, ids=[f"{row[0]}-{row[2]}" for row in ROWS])
def test_what_does_not_fit_is_mended_or_not_shown(name: str, code: str, said: str, wanted: list[str]) -> None:
    assert shown(name, code, said) == wanted


def test_of_several_those_that_fit_are_shown_each_once() -> None:
    assert shown("a.py", "x = |\n", "1 +", "f(", "f()", "g") == ["f()", "g"]


CUT = [
    ("a.py", "total = |\n", "compute(values, key=lam", ["compute(values)"]),
    ("b.py", "total = |\n", "compute(values", ["compute"]),
    ("c.py", "values = []\ntotal = |\n", "compute(values", ["compute(values)"]),
    ("d.py", "total = |\n", "first + seco", ["first"]),
    ("e.py", "self\nself.|\n", "items.app", ["items"]),
    ("f.py", "x = |\n", '"hello wor', ['"hello"']),
    ("g.py", "def f(a):\n    |\n", "# compute the su", ["# compute the"]),
    ("h.py", "def f(a):\n    |\n", "b = a\n    return first(a) + seco", ["b = a\n    return first(a)"]),
    ("a.js", "const x = |;\n", "foo(a, b.ma", ["foo(a)"]),
    ("a.go", FUNC.format("x := |"), "g(a, b.Ma", ["g(a)"]),
    ("a.rs", FN.format("let x = |;"), "g(a, b.ma", ["g(a)"]),
    ("a.rb", "x = |\n", "g(a, b.ma", ["g(a)"]),
    ("i.py", "total = |\n", "(", []),
    ("a.md", "Some words |\n", "and others tha", ["and others"]),
]


@pytest.mark.parametrize(("name", "code", "said", "wanted"), CUT, ids=[f"{row[0]}-{row[2]}" for row in CUT])
def test_what_time_has_cut_ends_where_something_is_whole(name: str, code: str, said: str, wanted: list[str]) -> None:
    assert shown(name, code, said, is_cut=True, multiline="\n" in said) == wanted


def test_what_was_closed_for_now_may_grow() -> None:
    assert grows("compute(values)", "compute(values, key=len)")
    assert grows("first", "first + second")
    assert not grows("first(a)", "second(a)")
