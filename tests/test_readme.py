"""The README's tables say what the code does."""

import re
from pathlib import Path

from palimpsest.config.origins import IN_README, given, listed
from palimpsest.config.settings import described
from palimpsest.lsp.commands import COMMANDS

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def rows(section: str) -> dict[str, list[str]]:
    """The table of a section: the cells behind each row's name."""
    text = README.split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = [[c.strip() for c in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_every_setting_is_listed_with_its_default() -> None:
    table = rows("Settings")
    expected = {item.name: item for item in described()}
    assert list(table) == list(expected)
    assert set(listed()) == set(expected), "config/origins.py and config/settings.py have the same settings"
    for name, item in expected.items():
        default, workspace, doc = table[name]
        says = given(name)
        assert says is not None, f"config/origins.py does not say who may give {name}"
        assert workspace == IN_README[says.giver], name
        assert default == setting_default(item.default), name
        assert item.doc in doc, name


def test_every_command_is_listed() -> None:
    assert set(rows("Commands")) == set(COMMANDS)


def test_every_file_it_points_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (Path(__file__).parent.parent / target).exists(), target


def setting_default(value: object) -> str:
    if isinstance(value, tuple):
        return "`[" + ", ".join(f'"{x}"' for x in value) + "]`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"
