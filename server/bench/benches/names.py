"""`python -m bench names`: misspelt words in real functions, and how often the first suggestion puts them right.

In: a folder of source (the standard library unless another is named), a model, a seed.  Out: a table or

    {"model", "workspace", "n", "plain", "seed",       plain: how many of them the document then defines nowhere
     "mended": row, "replies": row,                    as it is, and without our own fixes
     "as_it_is": {"files", "lines", "offered"}}        what would be offered for the folder undamaged
    row = {"right", "plain", "wrong"}                  first suggestions that give back what was there, of them plain
                                                       names, and those that do not

The real server and engine answer, one reply each, the cursor at the misspelt word's line.  A misspelt word is any of a
function: also a member, an argument's name or text, of which no tree knows that it is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.repairing.cases import Case, cases
from bench.repairing.damage import WAYS
from bench.replaying.ours import START_S, own_folders
from bench.shared.options import model_file, positive
from bench.shared.source import standard_library
from palimpsest.checking.source import documents
from palimpsest.edits.misspelt import slips
from palimpsest.errors import InvalidArgument
from palimpsest.lsp.client.driver import Driver
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.unknown import unbound_in

NAME = "names"
HELP = "misspelt words put right by the first suggestion, and what is offered for code as it is"

ROWS = {"mended": "auto", "replies": "never"}
"""Values of `suggestion.mend_names` and `suggestion.mend_slips`."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "workspace", type=Path, nargs="?", metavar="WORKSPACE", help="a folder of source (the standard library)"
    )
    parser.add_argument("--n", type=positive, default=40, metavar="N", help="damaged functions (40)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of functions and damage (0)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    with tempfile.TemporaryDirectory(prefix="pal-") as place:
        folder = options.workspace.resolve() if options.workspace else standard_library(Path(place).resolve())
        if not folder.is_dir():
            raise InvalidArgument("WORKSPACE", f"{folder} is no folder.")
        found = cases([folder], options.n, Random(options.seed), {"misspelt": WAYS["misspelt"]})
        told = asyncio.run(_asked(folder, found, model_file(options), Path(place)))
        return {
            **told,
            "workspace": options.workspace.resolve().name if options.workspace else "the standard library",
            "n": len(found),
            "plain": sum(map(_is_plain, found)),
            "seed": options.seed,
            "as_it_is": _as_it_is(folder),
        }


def show(result: dict[str, Any], console: Console) -> None:
    title = f"{result['model']}: {result['n']} functions of {result['workspace']}, a word misspelt in each"
    table = Table(title=title, title_justify="left")
    for column in ("first suggestion", "right", f"plain names, of {result['plain']}", "wrong", "none"):
        table.add_column(column, justify="right" if table.columns else "left")
    for name, label in (("mended", "as it is"), ("replies", "of the replies alone")):
        row = result[name]
        none = result["n"] - row["right"] - row["wrong"]
        table.add_row(label, *(str(n) for n in (row["right"], row["plain"], row["wrong"], none)))
    console.print(table)
    whole = result["as_it_is"]
    console.print(f"{whole['offered']} names would be mended in {whole['files']} files ({whole['lines']} lines) as is.")


async def _asked(folder: Path, found: Sequence[Case], model: Path, place: Path) -> dict[str, Any]:
    result, folders = dict[str, Any](), own_folders(place)
    for name, choice in ROWS.items():
        driver = Driver()
        settings = {"model": {"path": str(model)}, "suggestion": {"mend_names": choice, "mend_slips": choice}}
        await driver.start(folder, settings, folders)
        try:
            await driver.ready(START_S)
            result["model"] = (await driver.command("palimpsest.model.info"))["name"]
            result[name] = _row(found, [await _first(driver, case) for case in found])
        finally:
            await driver.stop()
    return result


async def _first(driver: Driver, case: Case) -> str | None:
    """The document with the first suggestion in it, None where there is none."""
    uri = driver.open(case.function.path, case.text)
    where = {"line": _line(case), "character": 0}
    answer = await driver.command("palimpsest.suggest", {"uri": uri, "position": where})
    driver.close(uri)
    if not answer["suggestions"]:
        return None
    lines = case.text.split("\n")
    for edit in reversed(answer["suggestions"][0]["edit"]["documentChanges"][0]["edits"]):
        start, end = edit["range"]["start"]["line"], edit["range"]["end"]["line"]
        lines[start:end] = edit["newText"].removesuffix("\n").split("\n") if edit["newText"] else []  # whole lines
    return "\n".join(lines)


def _row(found: Sequence[Case], results: Sequence[str | None]) -> dict[str, int]:
    right = [text == "\n".join(case.function.document) for case, text in zip(found, results, strict=True)]
    return {
        "right": sum(right),
        "plain": sum(is_right and _is_plain(case) for case, is_right in zip(found, right, strict=True)),
        "wrong": sum(text is not None for text in results) - sum(right),
    }


def _is_plain(case: Case) -> bool:
    line = _line(case)
    return bool(unbound_in(parse_text(case.text, case.function.parsed.language), line, line + 1))


def _line(case: Case) -> int:
    return case.function.scope.start_line + case.damage.edits[0].start


def _as_it_is(folder: Path) -> dict[str, int]:
    found = [(parsed.snapshot.line_count, slips(parsed, 0, parsed.snapshot.line_count)) for parsed in documents(folder)]
    return {
        "files": len(found),
        "lines": sum(n for n, _ in found),
        "offered": sum(len(slipped) for _, slipped in found),
    }
