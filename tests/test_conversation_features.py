"""The table of what conversations can do: every test that it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLE = (ROOT / "docs" / "conversation-features.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!what|---)(.+?) \| .* \| (.+) \|$", TABLE, re.MULTILINE)
DEFINED = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in (
        path.stem,
        *re.findall(r"^\s*(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE),
    )
}


@pytest.mark.parametrize(("what", "tests"), ROWS, ids=[what[:50] for what, _ in ROWS])
def test_a_row_names_tests_that_are_there(what: str, tests: str) -> None:
    named = re.findall(r"`(test_\w+)`", tests)
    assert named, what
    assert not set(named) - DEFINED


def test_the_table_has_rows() -> None:
    assert len(ROWS) > 40
