"""The table of what conversations can do: every test that it names is there."""

import re

from tests.documents import ROOT, text

ROWS = re.findall(
    r"^\| (?!what|---)(.+?) \| .* \| (.+) \|$", text(ROOT / "docs/conversation-features.md"), re.MULTILINE
)


def test_every_row_names_tests_that_are_there() -> None:
    defined = set[str]()
    for path in (ROOT / "tests").rglob("test_*.py"):
        defined |= {path.stem, *re.findall(r"^\s*(?:async )?def (test_\w+)", text(path), re.MULTILINE)}
    problems = []
    for what, tests in ROWS:
        named = set(re.findall(r"`(test_\w+)`", tests))
        if not named or named - defined:
            problems.append(f"{what}: {', '.join(named - defined) or 'names no test'}")
    assert problems == []


def test_the_table_has_rows() -> None:
    assert len(ROWS) > 40
