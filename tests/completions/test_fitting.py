"""What a model says that does not fit between the code on both sides of the cursor: what is left of it.

`|` is the cursor.  A model's text is trimmed and fitted as a window does it.
"""

from __future__ import annotations

import pytest

from palimpsest.completions.fitting import fitting
from palimpsest.completions.inline import trim
from palimpsest.completions.repairs import grows, untyped
from palimpsest.completions.results import CompletionResult
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import Snapshot


def shown(name: str, code: str, *said: str, is_cut: bool = False, multiline: bool = False) -> list[str]:
    prefix, suffix = code.split("|")
    language = language_of("", name)
    snapshot = Snapshot(f"file:///{name}", 1, language.id, prefix + suffix)
    new = [untyped(one, prefix.rpartition("\n")[2], prefix + suffix) for one in said]
    texts = [trim(one, prefix=prefix, suffix=suffix, multiline=multiline, language=language)[0] for one in new]
    parser = Parser(language_of)
    place = snapshot.position(len(prefix))
    result = CompletionResult(tuple(filter(None, texts)), len(texts), cut=frozenset(texts if is_cut else ()))
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
UNDONE = [  # what a compiler refuses though the tree does not; what is shown of it
    ("a.py", "from a import b, Cou|\nfrom c import d\n", "nter,", []),
    ("b.py", "from a import (\n    b, Cou|\n)\n", "nter,", ["nter,"]),
    ("a.yaml", 'web:\n  ports:\n    - "|\n\ndb:\n  image: a\n', '""', []),
    ("b.yaml", 'web:\n  ports:\n    - "|\n\ndb:\n  image: a\n', '80:80"', ['80:80"']),
]
DEFINED = [  # again, or another thing; what is shown of it
    ("c.py", "def f():\n    return 1\n\n\n|\n", "def f():\n    return 2", []),
    ("d.py", "def f():\n    return 1\n\n\n|\n", "def g():\n    return 2", ["def g():\n    return 2"]),
    ("e.py", "class A:\n    def f(self):\n        return 1\n\n    |\n", "def f(self):\n        return 2", []),
    ("a.go", "package a\n\nfunc main() {\n\tx()\n}\n\n|\n", "func main() {\n\ty()\n}", []),
    ("a.c", "int main(void) {\n  return 0;\n}\n\n|\n", "int main(void) {\n  return 1;\n}", []),
    (
        "a.cpp",
        "int f(int a) {\n  return a;\n}\n|\n",
        "int f(char a) {\n  return a;\n}",
        ["int f(char a) {\n  return a;\n}"],
    ),
    ("a.css", ".a {\n  b: c;\n}\n\n|\n", ".a {\n  d: e;\n}", [".a {\n  d: e;\n}"]),
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
    # the string that is open at the cursor
    ("main.py", 'if __name__ == "__main|', '__":', ['__":']),
    ("open.py", 'x = f([1, "hel|\n', 'lo", g(2', ['lo", g(2)']),
    ("open.js", 'f("hel|\n', 'lo", 3', ['lo", 3']),
    ("open.ts", 'const a = [1, "hel|\n', 'lo"', ['lo"']),
    ("open.java", JAVA.format('f("hel|'), 'lo", a[b', ['lo", a[b]']),
    ("open.go", FUNC.format('f("hel|'), 'lo", g(a', ['lo", g(a)']),
    ("open.rs", FN.format('f("hel|'), 'lo", g(a', ['lo", g(a)']),
    ("open.cs", CS.format('F("hel|'), 'lo", g(a', ['lo", g(a)']),
    ("open.c", C.format('f("hel|'), 'lo", g(a', ['lo", g(a)']),
    ("open.kt", 'val x = f("hel|\n', 'lo", g(a', ['lo", g(a)']),
    ("open.swift", 'let x = f("hel|\n', 'lo", g(a', ['lo", g(a)']),
    ("open.rb", 'x = f("hel|\n', 'lo", g(a', ['lo", g(a)']),
    ("open.lua", 'x = f("hel|\n', 'lo", g(a', ['lo", g(a)']),
    ("open.php", PHP.format('$x = f("hel|'), 'lo", g($a', ['lo", g($a)']),
    ("end.py", 'x = "hel|\n', "lo", ['lo"']),
    ("end.go", FUNC.format('x := "hel|'), "lo", ['lo"']),
    ("within.py", "x = f(|)\n", '")" + a)', ['")" + a']),
    ("comment.py", "x = 1  # the (|\n", "one's", ["one's"]),
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


def given_twice(name: str, code: str, said: str, other: str) -> list[tuple[str, str, str, list[str]]]:
    return [(f"twice.{name}", code, said, []), (f"once.{name}", code, other, [other])]


ROWS += [  # what only a compiler sees
    *given_twice("py", "x = f(a=1, |)\n", "a=2", "b=2"),
    *given_twice("kt", "val x = f(a = 1, |)\n", "a = 2", "b = 2"),
    *given_twice("cs", CS.format("F(a: 1, |);"), "a: 2", "b: 2"),
    *given_twice("php", PHP.format("f(a: 1, |);"), "a: 2", "b: 2"),
    *given_twice("rb", "f(a: 1, |)\n", "a: 2", "b: 2"),
    ("labels.swift", "let x = f(a: 1, |)\n", "a: 2", ["a: 2"]),  # a part of the function's name
    *given_twice("d.py", "def f(a, |):\n    pass\n", "a", "b=f(a=1)"),
    *given_twice("js", "function f(a, |) {\n}\n", "a", "b"),
    *given_twice("ts", "function f(a: number, |) {\n}\n", "a: string", "b: string"),
    *given_twice("java", "class A {\n  int f(int a, |) {\n    return 1;\n  }\n}\n", "String a", "String b"),
    *given_twice("c", "int f(int a, |) {\n    return 1;\n}\n", "char *a", "char *b"),
    *given_twice("cpp", "int f(int a, |) {\n    return 1;\n}\n", "Foo &a", "Foo &b"),
    ("unnamed.c", "int f(size_t, |);\n", "size_t", ["size_t"]),
    *given_twice("go", "package a\n\nfunc f(a int, |) {\n}\n", "a string", "b string"),
    ("unnamed.go", "package a\n\nfunc f(_ int, |) {\n}\n", "_ string", ["_ string"]),
    *given_twice("rs", "fn f(a: i32, |) {\n}\n", "a: u8", "b: u8"),
    *given_twice("d.kt", "fun f(a: Int, |) {\n}\n", "a: String", "b: String"),
    *given_twice("d.cs", "class A {\n    void F(int a, |) {\n    }\n}\n", "string a", "string b"),
    *given_twice("d.php", "<?php\nfunction f($a, |) {\n}\n", "$a", "$b"),
    *given_twice("d.rb", "def f(a, |)\nend\n", "a", "b"),
    ("open.py", "x = f(a=1, |\n", "a=2)", []),
    ("head.py", "def f(x):\n    for a in |\n    return x\n", "x:", ["x:"]),  # its body is still to be written
]


def test_a_block_without_a_body_is_no_beginning_of_what_stands_behind_it() -> None:
    code, said = "def f(x):\n    if x|\n    return x\n", ":\n        for a in b:\n        y()"
    assert shown("a.py", code, said, multiline=True) == []
    assert shown("a.py", code, said.replace("    y()", "        y()"), multiline=True) != []


CLOSED = [  # by the editor, as soon as it was opened
    ("a.ts", "const f = (a: strin|)\n", "g): boolean => {", "g"),
    ("b.ts", "const f = (a: strin|)\n", "g):", "g"),
    ("a.js", "const f = (val|)\n", "ue) => {", "ue"),
    ("b.js", "if (f(a, val|))\n", "ue)) {", "ue"),
    ("a.go", "func f(a strin|)\n", "g) bool {", "g"),
    ("a.rs", "fn f(a: Strin|)\n", "g) -> bool {", "g"),
    ("a.java", "int f(String a|)\n", "b) {", "b"),
    ("a.c", "int f(int a|)\n", "b) {", "b"),
    ("a.cs", "int F(string a|)\n", "b) =>", "b"),
    ("a.kt", "fun f(a: Strin|)\n", "g): Boolean {", "g"),
    ("a.swift", "func f(a: Strin|)\n", "g) ->", "g"),
]


@pytest.mark.parametrize(("name", "code", "said", "wanted"), CLOSED, ids=[row[0] for row in CLOSED])
@pytest.mark.parametrize("around", ["{}", "{}}}\n", "g() {{\n\n{}"], ids=["balanced", "too much", "missing"])
def test_what_the_rest_of_the_line_closes_is_not_closed_twice_whatever_is_missing_elsewhere(
    name: str, code: str, said: str, wanted: str, around: str
) -> None:
    assert shown(name, around.format(code), said) == [wanted]


def test_what_the_line_has_opened_and_the_rest_of_it_leaves_open_may_be_closed() -> None:
    assert shown("a.js", "x = f(g(a|)\n", "b)") == ["b)"]
    assert shown("a.py", "return f(\n    g(a|)\n", "b)") == ["b)"]


SAME = [
    ("a.py", "def f(self):\n    |\n    if self.discount is not None:\n        a()\n", "if self.discount is not None:"),
    ("a.js", "function f() {\n  |\n  if (this.discount) {\n    a();\n  }\n}\n", "if (this.discount) {"),
    ("a.go", FUNC.format("|\n\tif discount != nil {\n\t\ta()\n\t}"), "if discount != nil {"),
    ("a.rs", FN.format("|\n    if discount.is_some() {\n        a();\n    }"), "if discount.is_some() {"),
    ("a.java", JAVA.format("|\n    this.discount = discount;"), "this.discount = discount;"),
    ("a.rb", "def f\n  |\n  puts discount\nend\n", "puts discount"),
    ("a.yaml", "a:\n  |\n  discount: 1\n", "discount: 1"),
    ("a.md", "|\nThe discount is given once.\n", "The discount is given once."),
]


@pytest.mark.parametrize(("name", "code", "said"), SAME, ids=[row[0] for row in SAME])
@pytest.mark.parametrize("typed", [0, 3, 7])
def test_a_line_that_stands_behind_the_cursor_is_not_said_before_it(
    name: str, code: str, said: str, typed: int
) -> None:
    assert shown(name, code.replace("|", said[:typed] + "|"), said[typed:]) == []


@pytest.mark.parametrize(("name", "code", "said", "wanted"), ROWS, ids=[f"{row[0]}-{row[2]}" for row in ROWS])
def test_what_does_not_fit_is_mended_or_not_shown(name: str, code: str, said: str, wanted: list[str]) -> None:
    assert shown(name, code, said) == wanted


@pytest.mark.parametrize(("name", "code", "said", "wanted"), UNDONE, ids=[row[0] for row in UNDONE])
def test_what_only_a_compiler_refuses_is_not_shown(name: str, code: str, said: str, wanted: list[str]) -> None:
    assert shown(name, code, said) == wanted


@pytest.mark.parametrize(("name", "code", "said", "wanted"), DEFINED, ids=[row[0] for row in DEFINED])
def test_what_is_defined_already_is_not_defined_again(name: str, code: str, said: str, wanted: list[str]) -> None:
    assert shown(name, code, said, multiline=True) == wanted


def test_of_several_those_that_fit_are_shown_each_once() -> None:
    assert shown("a.py", "x = |\n", "1 +", "f(", "f()", "g") == ["f()", "g"]


CUT = [
    ("a.py", "total = |\n", "compute(values, key=lam", ["compute(values)"]),
    ("b.py", "total = |\n", "compute(values", ["compute"]),
    ("c.py", "values = []\ntotal = |\n", "compute(values", ["compute(values)"]),
    ("d.py", "total = |\n", "first + seco", ["first"]),
    ("e.py", "self\nself.|\n", "items.app", ["items"]),
    ("f.py", "x = |\n", '"hello wor', ['"hello"']),
    ("g.py", "def f(a):\n    |\n", "# compute the su", ["# compute"]),
    ("h.py", "def f(a):\n    |\n", "b = a\n    return first(a) + seco", ["b = a\n    return first(a)"]),
    ("a.js", "const x = |;\n", "foo(a, b.ma", ["foo(a)"]),
    ("a.go", FUNC.format("x := |"), "g(a, b.Ma", ["g(a)"]),
    ("a.rs", FN.format("let x = |;"), "g(a, b.ma", ["g(a)"]),
    ("a.rb", "x = |\n", "g(a, b.ma", ["g(a)"]),
    ("i.py", "total = |\n", "(", []),
    ("a.md", "Some words |\n", "and others tha", ["and others"]),
    ("j.py", 'def f(a):\n    """|"""\n', "Take a and return a list of", ["Take a and return a list"]),
    ("k.py", "def f(a):\n    |\n", '"""Take a list of', ['"""Take a list"""']),
    ("l.py", 'def f(a):\n    """|"""\n', "Take a. It returns a list of", ["Take a."]),
    ("b.js", "// |\n", "Take a. It returns a list of", ["Take a."]),
    ("b.md", "|\n", "Take one. And the ot", ["Take one."]),
]


@pytest.mark.parametrize(("name", "code", "said", "wanted"), CUT, ids=[f"{row[0]}-{row[2]}" for row in CUT])
def test_what_time_has_cut_ends_where_something_is_whole(name: str, code: str, said: str, wanted: list[str]) -> None:
    assert shown(name, code, said, is_cut=True, multiline="\n" in said) == wanted


def test_only_what_time_has_cut_ends_earlier_and_it_gives_way_to_what_leaves_no_error() -> None:
    code = "def f(a, b):\n    c = []\n    |\n        c.append(d)\n    return c\n"
    prefix, suffix = code.split("|")
    snapshot = Snapshot("file:///a.py", 1, "python", prefix + suffix)
    parser, place = Parser(language_of), snapshot.position(len(prefix))
    cut = "for d, e in zip(a, b, (), (),"
    result = CompletionResult((cut, "for d in a:"), 2, cut=frozenset([cut]))
    assert fitting(parser, parser.parse(snapshot), place, result).texts[0] == "for d in a:"


LONE = [
    ("a.py", "class A(B):\n    def f(self):\n        |\n", "super().f()\n        {}", "self"),
    ("b.py", "def f(a):\n    |\n", "b = a\n    {}", "if"),
    ("a.js", "function f() {\n  |\n}\n", "g();\n  {}", "self"),
    ("a.ts", "function f(): void {\n  |\n}\n", "g();\n  {}", "const"),
    ("a.java", "class A {\n  void f() {\n    |\n  }\n}\n", "g();\n    {}", "total"),
    ("a.go", FUNC.format("|"), "g()\n\t{}", "self"),
    ("a.c", "void f(void) {\n    |\n}\n", "g();\n    {}", "total;"),
    ("a.php", PHP.format("function f() {\n    |\n}"), "g();\n    {}", "$total;"),
]


@pytest.mark.parametrize(("name", "code", "said", "lone"), LONE, ids=[row[0] for row in LONE])
def test_the_beginning_of_another_statement_is_left_out(name: str, code: str, said: str, lone: str) -> None:
    assert shown(name, code, said.format(lone), multiline=True) == [said.partition("\n")[0]]
    assert shown(name, code, lone) == []


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("a.py", "def f(a):\n    |\n", "b = a\n    return"),
        ("b.py", "|\n", "df = f()\ndf"),  # a notebook shows it
        ("a.rb", "def f\n  |\nend\n", "a = 1\n  a"),
        ("a.rs", FN.format("|"), "let a = 1;\n    a"),
        ("c.py", "def f(a):\n    x = [\n        |\n    ]\n", "a,\n        b"),
    ],
)
def test_a_name_that_is_a_value_stays(name: str, code: str, said: str) -> None:
    assert shown(name, code, said, multiline=True) == [said]


def test_what_was_closed_for_now_may_grow() -> None:
    assert grows("compute(values)", "compute(values, key=len)")
    assert grows("first", "first + second")
    assert not grows("first(a)", "second(a)")
