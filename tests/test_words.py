"""One word, one meaning: the table of words in server/ARCHITECTURE.md, read against the code."""

import ast
import re
from itertools import pairwise

from tests.sources import MAP, sources

WORDS = re.findall(r"^\| `(\w+)` \| .+ \| `([\w/.]+)` \|$", MAP, re.MULTILINE)


def test_the_map_has_a_table_of_words() -> None:
    assert len(WORDS) > 20


def test_each_word_of_the_table_is_defined_once_and_where_it_says() -> None:
    defined = [(c, path) for path, text in sources().items() for c in re.findall(r"^ *class (\w+)", text, re.MULTILINE)]
    problems = [
        f"`{word}`: the table says {where}, the code {found}"
        for word, where in WORDS
        if (found := [path for name, path in defined if name == word]) != [where]
    ]
    assert problems == []


FRAGMENT = re.compile(r"(?:The same|Of|That|Also|To be|For (?:a|an|one|each)|From (?:a|an|one))\b")


def _docstrings(text: str) -> list[str]:
    """Those of constants: an editor's hover shows nothing else of them."""
    found = list[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef):
            for named, said in pairwise(node.body):
                is_text = isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant)
                if is_text and isinstance(named, ast.Assign | ast.AnnAssign):
                    found.append(str(said.value.value))  # type: ignore[attr-defined]
    return found


def test_the_docstring_of_a_constant_can_be_read_by_itself() -> None:
    said = {path: _docstrings(text) for path, text in sources().items()}
    assert sum(map(len, said.values())) > 500
    assert [(path, one) for path, found in said.items() for one in found if FRAGMENT.match(one)] == []


def test_no_two_classes_have_one_name() -> None:
    """A name means one thing; the demonstration's sample is code of others."""
    named = dict[str, list[str]]()
    for path, text in sources().items():
        if not path.startswith("demo/sample/"):
            for name in re.findall(r"^class ([A-Za-z]\w*)", text, re.MULTILINE):
                named.setdefault(name, []).append(path)
    assert {name: paths for name, paths in named.items() if len(paths) > 1} == {}
