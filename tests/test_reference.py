"""The documents' tables of settings and commands are what `scripts/reference.py` makes of the code."""

from pathlib import Path

import pytest
from scripts.reference import TABLE, TABLES, filled, main

from palimpsest.config.settings import described
from palimpsest.lsp.features import all_commands
from tests.documents import ALL

MADE_BY = "run `make docs`"


def test_every_table_is_somewhere_and_is_as_the_code_says() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in ALL}
    assert {found[2] for text in texts.values() for found in TABLE.finditer(text)} == TABLES.keys()
    for path, text in texts.items():
        assert filled(text) == text, f"{path}: {MADE_BY}"


def test_every_setting_and_every_command_has_a_row() -> None:
    for name, of in (("settings", [it.name for it in described()]), ("commands", list(all_commands()))):
        _, *rows = TABLES[name]()
        assert [row[0].strip("`") for row in rows] == of
        assert all(cell.strip() and "|" not in cell and "\n" not in cell for row in rows for cell in row)


def test_a_table_that_differs_is_found_and_then_written(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("before\n<!-- table: commands -->\n| old |\n<!-- end of table -->\nbehind\n", encoding="utf-8")
    assert main(["--check", str(file)]) == 1
    assert main([str(file)]) == 0
    assert main(["--check", str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("<!-- end of table -->\nbehind\n")
    assert "| `palimpsest.context.pin` | `{uri}` |" in text
    assert "| old |" not in text


def test_a_table_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no table 'dogs'"):
        filled("<!-- table: dogs -->\n<!-- end of table -->\n")
