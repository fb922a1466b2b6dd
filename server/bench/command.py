"""`python -m bench NAME`: measurements, each with `--json`.

In: arguments.  Out: a table, or one JSON object.  Measures what is there; judges nothing.

A bench is a module with NAME, HELP, `add(parser)` for options of its own, `measure(options)` that returns what is
printed with `--json`, and `show(result, console)` for a person.  `--json` every bench has, and `--model` but where
it says NEEDS_MODEL = False.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from importlib import import_module
from types import ModuleType

from rich.console import Console

from palimpsest.errors import PalimpsestError

BENCHES = (  # modules of `benches/`, in the order of `--help`
    "equivalence",
    "layouts",
    "stale",
    "cache_types",
    "trace",
    "replay",
    "keystroke",
    "rest",
    "context",
    "infill",
    "infilling",
    "holes",
    "quality",
    "formats",
    "names",
    "recall",
    "next_edit",
    "typing",
    "team",
    "figures",
)


def main(argv: list[str]) -> int:
    parser, benches = _parser()
    options = parser.parse_args(argv)
    bench = benches[options.name]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what it has started, and written, goes
    try:
        result = bench.measure(options)
    except KeyboardInterrupt:
        return 130
    except PalimpsestError as error:
        print(f"python -m bench: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(result))
    else:
        bench.show(result, Console())
    return 0


def _parser() -> tuple[argparse.ArgumentParser, dict[str, ModuleType]]:
    parser = argparse.ArgumentParser("python -m bench", description=(__doc__ or "").partition("\n")[0])
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    benches = {}
    for name in BENCHES:
        bench = import_module(f"bench.benches.{name}")
        own = names.add_parser(bench.NAME, help=bench.HELP)
        if getattr(bench, "NEEDS_MODEL", True):
            own.add_argument("--model", metavar="PATH", default="", help="a GGUF file instead of the default one")
        own.add_argument("--json", action="store_true", help="print one JSON object")
        bench.add(own)
        benches[bench.NAME] = bench
    return parser, benches
