"""`python -m bench figures`: measure again what the documents say, and write it into them.

In: a clone of the repository, a model.  Out: the tables of docs/measurements.md and the README's figures, each written
as soon as it was measured, with machine, model, commit, date and command; or, with `--json`, `{"tables": {name:
{"seconds"} | {"error"}}, "model", "machine", "commit"}`.

A table that was measured with the same model at the same commit is left as it is, so that a run goes on where the last
one was stopped; a table named with `--only` is measured in any case.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.publishing import pages, running
from bench.publishing.catalog import FIGURES, Figure
from bench.publishing.provenance import Provenance, provenance
from bench.shared.options import model_file
from palimpsest.errors import InvalidArgument, PalimpsestError

NAME = "figures"
HELP = "every table of docs/measurements.md, measured again and written there"

SUMMARY = "readme"
"""The region of the README."""
CLONE = Path(__file__).parents[3]


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", metavar="NAME", default="", help=f"one of {', '.join(FIGURES)}; replay: all three")
    parser.add_argument("--small", action="store_true", help="as little as possible: to see whether it works")
    parser.add_argument("--root", type=Path, default=CLONE, metavar="DIR", help="the clone (the one this is run from)")
    parser.add_argument("--into", type=Path, metavar="DIR", help="README.md and docs/ there are written (the clone's)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError: at once where nothing can be measured, and at the end where a table was not."""
    chosen = _chosen(options.only)
    if options.small and options.into is None:
        raise InvalidArgument("--small", "wants --into: so little measured is nothing to be read.")
    root, model = options.root.resolve(), model_file(options)
    into = (options.into or root).resolve()
    measurements, readme = into / "docs" / "measurements.md", into / "README.md"
    for page in (measurements, readme):
        if not page.is_file():
            raise InvalidArgument("--root", f"there is no {page}: the tables are in a clone of the repository.")
    now, told = provenance(root, model), Console(stderr=True, highlight=False, soft_wrap=True)
    told.print(f"{now.machine}; {now.model}; commit {now.commit}", markup=False)
    result: dict[str, dict[str, Any]] = {}
    for name in chosen:
        figure = FIGURES[name]
        region = pages.regions(measurements.read_text(encoding="utf-8"))[name]
        if not options.only and now.is_that_of(region, figure.line()):
            told.print(f"{name}: is there already", markup=False)
            continue
        told.print(f"{name}: {figure.line()} …", markup=False)
        start = time.monotonic()
        try:
            found = running.run(figure, root, model, small=options.small)
        except PalimpsestError as error:
            result[name] = {"error": str(error)}
            told.print(f"{name}: not measured: {error}", markup=False)
            continue
        _write(name, figure, found, provenance(root, model), measurements, readme)
        result[name] = {"seconds": round(time.monotonic() - start, 1)}
        told.print(f"{name}: written after {result[name]['seconds']} s", markup=False)
    if missing := [name for name, row in result.items() if "error" in row]:
        raise PalimpsestError(f"Not measured: {', '.join(missing)}.")
    return {"tables": result, **asdict(now)}


def show(result: dict[str, Any], console: Console) -> None:
    seconds = sum(row["seconds"] for row in result["tables"].values())
    console.print(f"{len(result['tables'])} tables written in {seconds:.0f} s.")


def _chosen(only: str) -> list[str]:
    names = [name for name in FIGURES if only in ("", name, name.partition("-")[0])]
    if not names:
        raise InvalidArgument("--only", f"there is no table {only!r}, but {', '.join(FIGURES)}.")
    return names


def _write(name: str, figure: Figure, found: dict[str, Any], now: Provenance, measurements: Path, readme: Path) -> None:
    """Each page as it is now: hours may have passed."""
    body = f"{now.line(figure.line(), figure.note)}\n\n{figure.write(found)}"
    measurements.write_text(
        pages.replaced(measurements.read_text(encoding="utf-8"), name, body), encoding="utf-8"
    )  # fmt: skip
    rows = {label: (text, now.short) for label, text in figure.rows(found).items()}
    readme.write_text(pages.with_rows(readme.read_text(encoding="utf-8"), SUMMARY, rows), encoding="utf-8")
