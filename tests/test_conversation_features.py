"""The table of what conversations can do: every test that it names is there."""

import re

from palimpsest.conversations.operations.table import OPERATIONS
from palimpsest.lsp.features import all_commands
from tests.documents import ROOT, text

TABLE = text(ROOT / "docs/conversation-features.md")
ROWS = re.findall(r"^\| (?!what |feature |---)(.+?) \| (.*) \| (.+) \|$", TABLE, re.MULTILINE)
NAMED = re.findall(r"^\| (?:.+?) \| (`[\w-]+\.md`) \| (.*?) ?\| .+ \|$", TABLE, re.MULTILINE)


def test_every_row_names_tests_that_are_there() -> None:
    defined = set[str]()
    for path in (ROOT / "tests").rglob("test_*.py"):
        defined |= {path.stem, *re.findall(r"^\s*(?:async )?def (test_\w+)", text(path), re.MULTILINE)}
    problems = []
    for what, _, tests in ROWS:
        named = set(re.findall(r"`(test_\w+)`", tests))
        if not named or named - defined:
            problems.append(f"{what}: {', '.join(named - defined) or 'names no test'}")
    assert problems == []


def test_each_of_the_first_documents_has_rows_with_all_that_it_names() -> None:
    """How many features each of them names; these documents are not part of this repository."""
    named = [where for where, _ in NAMED]
    sizes = {"context-manager": 22, "file-descriptors": 24, "response-references": 10, "selfref": 10}
    assert {name: named.count(f"`{name}.md`") for name in sizes} == sizes
    assert named.count("`document-references.md`") >= 29


def test_what_the_first_documents_call_otherwise_may_be_called_so_here() -> None:
    found = dict[str, set[str]]()
    for _, names in NAMED:
        for name, here in re.findall(r"`([\w.]+)`(?: \(here `([\w.]+)`\))?", names):
            if here.startswith("palimpsest."):
                assert here in all_commands()
            else:
                found.setdefault(here or name, set()).update({name} if here else ())
    assert found.keys() <= OPERATIONS.keys()
    assert {name: also for name, also in found.items() if also} == {
        name: set(one.also) for name, one in OPERATIONS.items() if one.also
    }
