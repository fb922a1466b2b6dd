"""Where an inline completion stops.  `|` is the cursor."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from palimpsest.completions.inline import agrees, open_brackets, stops, trim
from palimpsest.languages.registry import language_of


def shown(code: str, text: str, *, multiline: bool = False, language: str = "python") -> str:
    prefix, _, suffix = code.partition("|")
    return trim(text, prefix=prefix, suffix=suffix, multiline=multiline, language=language_of(language))[0]


@pytest.mark.parametrize(
    ("code", "text", "wanted"),
    [
        # the end of the statement
        ("x = |", "1\ny = 2\n", "1"),
        ("x = |", "foo(\n    1,\n    2,\n)\ny = 2", "foo(\n    1,\n    2,\n)"),
        ("foo(|", "\n    1,\n)\nbar()", "\n    1,\n)"),
        ("foo(|", "1,\n    2, # ) cut off", "1,"),
        ("x = |", "1 + \\\n    2\ny", "1 + \\\n    2"),
        ("x = |", '"""One\ntwo"""\ny', '"""One\ntwo"""'),
        ("x = |", "'('\ny = 2", "'('"),
        ("x = |", "1  # (\ny = 2", "1  # ("),
        ("foo(\n    1,\n    |", "2,\n    3,\n", "2,"),
        ("x = 1|", "\ny = 2", ""),
        ("def f():\n    x.|", "append(1)   ", "append(1)"),
        # what the code after the cursor says already
        ("foo(|)", "a, b)", "a, b"),
        ("foo(|)", "bar()", "bar()"),
        ("foo(bar(|))", "a)) + 1", "a"),
        ("foo(bar(|)", "a)) + 1", "a)"),
        ("foo(|\n)", "a)", "a"),
        ("foo[|]", "'a']", "'a'"),
        ('x = "|"', 'hello" + y', "hello"),
        ('x = "|', 'hello" + y', 'hello" + y'),
        ('f("|) == "other"', 'name"', 'name"'),
        ("x = |value + 1", "value + 1", ""),
        ("x = |value + 1", "value", ""),
        ("x = | + value", "a + value", "a"),
        ("x = |value", "other_value", "other_value"),
        ("x = |  # why", "1  # why", "1"),
        ("f(|, b)", "a, b)", "a"),
        ("def f():\n    |\n    return x", "return x", ""),
        ("def f():\n    |\n    return x", "ret", ""),
        ("def f():\n    |\n    return x", "re", "re"),
        ("def f():\n    x = 1|\n    return x", "0\n    return x", "0"),
        # what was just typed
        ("def f(self):\n    return self.|", "return self.total", ""),
        ("total = |", " total = 1", ""),
        ("total = |", "totals", "totals"),
        ("x = |", "x = 1", "x = 1"),
        ('"""\nWhere it is:|', " Where it is:", " Where it is:"),
        # nothing
        ("x = |", "", ""),
        ("x = |", "  \n\t ", ""),
        ("x = |", "</editing>\n", ""),
        ("x = |", "1<|FIM_MIDDLE|>2", "1"),
        ("x = |", '1<suggestion name="editing">', "1"),
        ("|", '<context type="class" name="A">', ""),
        # the same again and again
        ("print(|", "notona(notona(", "notona("),
        ("x = notona(|", "notona(notona(", ""),
        ("def f|", "f" * 40, "f"),
        ("x = 1\ny = 2\n|", "y = 2", ""),
        ("def f(it):\n    next(it)\n    |", "next(it)", ""),
        ("def f(it):\n    next(it)\n    ne|", "xt(it)", ""),
        ("def f(it):\n    next(it)\n    ne|", "xt(it, 0)", "xt(it, 0)"),
        ("def f(it):\n    next(it)\n    next(|)", "it", ""),
        ("def f(it):\n    next(it)\n    next(|)", "at", "at"),
        ("next(it)\nnext(it)\nne|", "xt(it)", "xt(it)"),  # a person has repeated it before
        ("print()\nprint(|", ")", ")"),  # what a person has written as good as alone
        ("x = [\n    a,\n    b|", "b,", "b,"),
        ("x = [\n    a,\n    |", "a,", "a,"),
    ],
)
def test_one_statement(code: str, text: str, wanted: str) -> None:
    assert shown(code, text) == wanted


BODY = "def f(a):\n    |\n"


@pytest.mark.parametrize(
    ("code", "text", "wanted"),
    [
        (BODY, "x = 1\n    return x\n\ndef g():\n    pass\n", "x = 1\n    return x"),
        (BODY, "for b in a:\n        c()\n    d()\ne()\n", "for b in a:\n        c()\n    d()"),
        (BODY, "x = [\n  1,\n]\n    y\nz", "x = [\n  1,\n]\n    y"),
        (BODY, "x = '''\nmargin\n'''\n    y\nz", "x = '''\nmargin\n'''\n    y"),
        (BODY, "x = 1\n\n    y = 2\n\n\n    z = 3", "x = 1\n\n    y = 2"),
        (BODY, "\n\n    x = 1", ""),
        (BODY, "\ndef g(): pass", ""),
        (BODY, "x()\n    x()\n    x()\n", "x()"),
        (BODY, "x = 1\n" + "    if x:\n        y()\n" * 3, "x = 1\n    if x:\n        y()"),
        ("x = 1\n|\n", "x = 1\n" * 25, ""),
        ("def f(a):|\n", "\n    return 1\ndef g():\n    pass", "\n    return 1"),
        ("if a:|\n", "\n    b\nelse:\n    c\nd\n", "\n    b\nelse:\n    c"),
        ("|\n", "def f():\n    return 1\nx = f()\n", "def f():\n    return 1"),
        ("foo(\n    a,\n    |\n", "b,\n)\nbar()\n", "b,\n)"),
        ("foo(\n    a,\n    |\n)", "b,\n)\nbar()\n", "b,"),
        ("def f():\n    |\n    if a:\n        b()\n", "x = 1\n    if a:\n        b()\n    c()", "x = 1"),
        ("def f():\n    [\n        |\n    ]", "1,\n        2,\n    ]\n    x", "1,\n        2,"),
        ("x = |value\n", "1\ny = 2", "1"),
    ],
)
def test_several_lines(code: str, text: str, wanted: str) -> None:
    assert shown(code, text, multiline=True) == wanted


@pytest.mark.parametrize(
    ("code", "text", "wanted", "language"),
    [
        ("for (const a of b) {\n  console.log(|\n", "a);}", "a);", "javascript"),
        ("for _, a := range b {\n\tfmt.Println(|\n", "a)}", "a)", "go"),
        ("fn f() {\n    g(|\n", "a);}", "a);", "rust"),
        ("if (a) {\n  b = |\n", "1;}", "1;", "java"),
        ("a {\n  color: |\n", "red;}", "red;", "css"),
        ("b.forEach(a => {|\n", "console.log(a); });", "console.log(a); });", "javascript"),
        ("const a = {\n  b: |\n", "2};", "2};", "javascript"),
        ("{b.map((a) => (\n  <i>|", "{a}</i>))}", "{a}</i>))}", "typescriptreact"),
    ],
)
def test_a_block_that_began_above_does_not_end_behind_a_statement(
    code: str, text: str, wanted: str, language: str
) -> None:
    assert shown(code, text, language=language) == wanted


@pytest.mark.parametrize("quote", ['"', "'"])
def test_an_attribute_ends_with_its_quote(quote: str) -> None:
    code = '<input type="text" name="first">\n<input type="|" name="second">\n'.replace('"', quote)
    said = 'text" placeholder="Given" name="first">'.replace('"', quote)
    for language in ("html", "xml", "javascriptreact"):
        assert shown(code, said, language=language) == "text"


@pytest.mark.parametrize(
    ("code", "text", "wanted", "language"),
    [
        ("<shop>\n  |\n</shop>\n", "<summary>Mend it.</summary>", "", "xml"),
        ("<shop>\n  |\n</shop>\n", "<b>\n  </b>\n  <summary>Mend it.", "<b>\n  </b>", "xml"),
        ("<a>\n  <summary>b</summary>\n  |\n</a>\n", "<summary>c</summary>", "<summary>c</summary>", "xml"),
        ("<a>\n  |\n  <summary>b</summary>\n</a>\n", "<summary>c</summary>", "<summary>c</summary>", "xml"),
        ("<details>\n  |\n</details>\n", "<summary>c</summary>", "<summary>c</summary>", "html"),
        ("/// |\nclass A {}\n", "<summary>", "<summary>", "csharp"),
        ("const a = |;\n", "<context.Provider/>", "<context.Provider/>", "typescriptreact"),
        ("# TODO: Fix |\n", "the misspelt name `area`.", "", "python"),
        ("# TODO: Fix |\n", 'the misspelt name "area".', "", "python"),
        ("# TODO: |\n", "Add the missing line that sets `area`.", "", "python"),
        ("It is wrong. |\n", "Remove the repeated line.", "", "markdown"),
        ("* Fix the misspelt name `a`.\n* |\n", "Fix the misspelt name `b`.", "Fix the misspelt name `b`.", "markdown"),
        ("# TODO: Fix |\n", "the name", "the name", "python"),
        ("|\n# Please enter the commit message\n", "...", "", "git-commit"),
        ("<shop>\n  |\n</shop>\n", "...", "", "xml"),
        ("<shop>\n  |\n</shop>\n", "...,", "", "xml"),
        ("<shop>\n  ...\n  |\n</shop>\n", "a\n  ...", "a\n  ...", "xml"),
        ("def f(self) -> int:\n    |\n", "...", "...", "python"),
    ],
)
def test_words_of_edits_are_not_completed_where_the_document_has_none(
    code: str, text: str, wanted: str, language: str
) -> None:
    assert shown(code, text, multiline=True, language=language) == wanted


def test_a_function_in_a_language_of_braces_ends_with_its_brace() -> None:
    text = " {\n  return '}';\n}\nlet x = 1;\n"
    assert shown("function f()|\n", text, multiline=True, language="javascript") == " {\n  return '}';\n}"


def test_a_shown_completion_agrees_with_what_is_typed_of_it() -> None:
    assert agrees("append(x)", "app") == "end(x)"
    assert agrees("append(x)", "append(x)") == ""
    assert agrees("append(x)", "") == "append(x)"
    assert agrees("append(x)", "apx") is None


@pytest.mark.parametrize(
    ("code", "is_open"),
    [("x = |", False), ("foo(|", True), ("foo(|)", False), ("foo(\n    |", False), ('"""|', True), ('"""\n|', False)],
)
def test_a_bracket_opened_on_the_cursors_line_needs_more_lines(code: str, is_open: bool) -> None:
    prefix, _, suffix = code.partition("|")
    assert open_brackets(prefix, suffix, language_of("python")) is is_open
    assert ("\n" in stops(False, brackets=is_open)) is not is_open
    assert "\n" not in stops(True)


PIECE = st.sampled_from(
    [
        "x",
        "foo",
        "(",
        ")",
        "[",
        "]",
        ":",
        " ",
        "    ",
        "\n",
        "\n    ",
        "\n\n",
        '"',
        "'",
        '"""',
        "#",
        "\\",
        "return x",
        ",",
    ]
)
CODE = st.lists(PIECE, max_size=12).map("".join)


@given(
    text=CODE,
    prefix=CODE,
    suffix=CODE,
    multiline=st.booleans(),
    language=st.sampled_from(["python", "javascript", "plaintext"]),
)
def test_what_is_shown_is_a_beginning_that_needs_no_more_trimming(
    text: str, prefix: str, suffix: str, multiline: bool, language: str
) -> None:
    result = trim(text, prefix=prefix, suffix=suffix, multiline=multiline, language=language_of(language))[0]
    assert text.startswith(result)
    assert result == "" or result.split("\n")[-1].strip()
    assert trim(result, prefix=prefix, suffix=suffix, multiline=multiline, language=language_of(language))[0] == result


@given(text=CODE, line=CODE.filter(lambda code: "\n" not in code))
def test_nothing_is_shown_twice(text: str, line: str) -> None:
    """A completion that is the next line, or the rest of this one, is not shown."""
    assume(line.strip() and "\\" not in line)
    assert trim(line, prefix="", suffix=f"\n{line}\n{text}", multiline=False, language=language_of("python"))[0] == ""
    assert trim(line, prefix="x = ", suffix=line, multiline=False, language=language_of("python"))[0] == ""


@pytest.mark.parametrize(
    ("code", "text", "wanted"),
    [
        ("some|", '.py" name="notes.txt">', ""),
        ("see someth|", 'ing of the p.py" name="p.html">', "ing of the"),
        ("notes|", '/txt" file="notes.txt" editable="false">', ""),
        ('open "|', 'write.py" name="notes.txt" editable="false">', ""),
        ("<|", 'context type="function" file="a.py" name="a">', ""),
        ("<e|", 'diting type="function" file="a.py" name="a">', ""),
        ("a <|", "/context>", ""),
        ("<|", "/editing>", ""),
        ("a <edit|", "ing>used", ""),
        ('<input type="|', 'text" name="town">', 'text" name="town">'),
        ('<input\n  type="te|', 'xt" name="town">', 'xt" name="town">'),
        ('level="|', 'info" name="x"', 'info" name="x"'),
        ("<context>\n<a/><|", "/context>", "/context>"),
        ("x" * 100_000 + "|", "y", "y"),
    ],
)
def test_no_tag_of_ours_is_completed(code: str, text: str, wanted: str) -> None:
    assert shown(code, text, language="plaintext") == wanted
