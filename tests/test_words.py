"""One word, one meaning: the table of words in server/ARCHITECTURE.md, read against the code."""

import ast
import io
import re
import tokenize
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SERVER = ROOT / "server" / "palimpsest"
MAP = (ROOT / "server" / "ARCHITECTURE.md").read_text(encoding="utf-8")
WORDS = re.findall(r"^\| `(\w+)` \| .+ \| `([\w/.]+)` \|$", MAP, re.MULTILINE)
RETIRED = frozenset(re.findall(r"`(\w+)`", MAP.partition("Retired words:")[2].partition("\n\n")[0]))
FILES = sorted(SERVER.rglob("*.py"))


def parts(name: str) -> set[str]:
    """`_EngineLifecycle_of` has the words engine, lifecycle and of."""
    return {part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def defined() -> Counter[str]:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in FILES)
    return Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def test_the_map_has_a_table_of_words() -> None:
    assert len(WORDS) > 20
    assert len(RETIRED) > 10


def test_each_word_of_the_table_is_defined_once_and_where_it_says() -> None:
    times = defined()
    for word, where in WORDS:
        text = (SERVER / where).read_text(encoding="utf-8")
        assert re.search(rf"^class {word}\b", text, re.MULTILINE), f"{where} does not define {word}"
        assert times[word] == 1, f"{word} is defined {times[word]} times"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SERVER)))
def test_no_retired_word_is_used(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    names = {t.string for t in tokens if t.type == tokenize.NAME} | {*path.relative_to(SERVER).with_suffix("").parts}
    documented = [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.Module, ast.ClassDef, ast.FunctionDef))]
    comments = [t.string for t in tokens if t.type == tokenize.COMMENT]
    prose = " ".join([*comments, *(ast.get_docstring(n) or "" for n in documented)])
    read = set(re.findall(r"[a-z]+", prose.lower().replace("of course", "")))
    assert not RETIRED & (set().union(*map(parts, names)) | read)
