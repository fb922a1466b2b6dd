"""The documents' tables of settings and of an editor's commands, made from their declarations.

In: documents with `<!-- table: NAME -->` and `<!-- end of table -->`, each on a line.  Out: the same with the table
between them.  `python scripts/reference.py [--check] FILE...` writes them, or says whether they are as they
should be.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from palimpsest.config.permissions import IN_TABLE
from palimpsest.config.settings import described
from palimpsest.lsp.arguments import shape
from palimpsest.lsp.features import all_commands

TABLE = re.compile(r"(?m)^(<!-- table: (.+?) -->\n).*?^(<!-- end of table -->)$", re.DOTALL)


def settings() -> Iterator[tuple[str, ...]]:
    yield "setting", "default", "workspace", "what it does"
    for setting in described():
        choices = [f"`{choice}`" for choice in setting.choices]
        known = not choices or all(choice in setting.doc for choice in choices)
        doc = setting.doc if known else f"{setting.doc} One of {', '.join(choices)}."
        yield f"`{setting.name}`", _default(setting.default), IN_TABLE[setting.by.set_by], doc


def commands() -> Iterator[tuple[str, ...]]:
    yield "command", "argument", "what it does"
    for command in all_commands().values():
        alone = ", or the id alone" if command.id_alone else ""
        yield f"`{command.name}`", f"`{shape(command.argument)}`{alone}", command.does


TABLES: Mapping[str, Callable[[], Iterable[tuple[str, ...]]]] = {"settings": settings, "commands": commands}


def filled(text: str) -> str:
    """A document's text with its tables as they should be.  Raises ValueError for a table that nobody makes."""

    def made(table: re.Match[str]) -> str:
        if table[2] not in TABLES:
            raise ValueError(f"no table {table[2]!r}; there are {', '.join(TABLES)}")
        head, *rows = TABLES[table[2]]()
        lines = [head, ("---",) * len(head), *rows]
        return table[1] + "".join(_line(cells) for cells in lines) + table[3]

    return TABLE.sub(made, text)


def _line(cells: tuple[str, ...]) -> str:
    return f"|{'|'.join(cells)}|\n" if cells[0] == "---" else f"| {' | '.join(cells)} |\n"


def _default(value: Any) -> str:
    if isinstance(value, tuple):
        return "`[" + ", ".join(f'"{item}"' for item in value) + "]`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("scripts/reference.py", description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 where a table differs")
    options = parser.parse_args(argv)
    status = 0
    for file in options.files:
        text = file.read_text(encoding="utf-8")
        new = filled(text)
        if new != text and options.check:
            print(f"{file}: a table is not as the code says; run this without --check", file=sys.stderr)
            status = 1
        elif new != text:
            file.write_text(new, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
