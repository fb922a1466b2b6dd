"""`python -m bench trace KIND --repo DIR --out F`: make a session that `python -m bench replay` can replay.

In: a local git repository.  Out: a file, and what is in it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.shared.options import positive
from bench.traces.format import Trace, write
from bench.traces.history import history, tree
from bench.traces.sessions import hopping, typing
from palimpsest.errors import InvalidArgument

NAME = "trace"
HELP = "make an editing session from a git repository, for `replay`"
NEEDS_MODEL = False

KINDS = ("history", "hopping", "typing")


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=KINDS, help="commits typed in; a person between files; typing alone")
    parser.add_argument("--repo", type=Path, required=True, metavar="DIR", help="a local git repository")
    parser.add_argument("--out", type=Path, required=True, metavar="F", help=".jsonl, .jsonl.gz or .jsonl.xz")
    parser.add_argument("--until", default="HEAD", metavar="REV", help="the last commit that counts (HEAD)")
    parser.add_argument("--under", nargs="*", default=[], metavar="PATH", help="only files below these")
    parser.add_argument("--commits", type=positive, default=10, metavar="N", help="history: commits (10)")
    parser.add_argument("--most-files", type=positive, default=16, metavar="N", help="history: skip larger ones (16)")
    parser.add_argument("--typed-lines", type=positive, default=2, metavar="N", help="history: the rest is pasted (2)")
    parser.add_argument("--files", type=positive, default=4, metavar="N", help="hopping: files (4)")
    parser.add_argument("--hops", type=positive, default=32, metavar="N", help="hopping: hops (32)")
    parser.add_argument("--functions", type=positive, default=3, metavar="N", help="typing: functions (3)")
    parser.add_argument("--burst", type=positive, default=6, metavar="N", help="characters between requests (6)")
    parser.add_argument("--seed", type=int, default=0)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises InvalidArgument."""
    trace = _made(options)
    try:
        write(trace, options.out)
    except OSError as error:
        raise InvalidArgument("--out", f"{options.out} cannot be written: {error}") from None
    return {
        "path": str(options.out),
        "bytes": options.out.stat().st_size,
        "made": trace.made,
        "files": len(trace.files),
        "events": dict(Counter(type(event).__name__.lower() for event in trace.events)),
    }


def show(result: dict[str, Any], console: Console) -> None:
    console.print(f"{result['path']}: {result['made']}; {result['files']} files, {result['bytes']:,} bytes")
    console.print(", ".join(f"{n} {name}" for name, n in result["events"].items()))


def _made(options: argparse.Namespace) -> Trace:
    same: dict[str, int] = {"seed": options.seed, "burst": options.burst}
    if options.kind == "history":
        return history(
            options.repo,
            commits=options.commits,
            until=options.until,
            under=options.under,
            typed_lines=options.typed_lines,
            most_files=options.most_files,
            **same,
        )
    files = tree(options.repo, options.until, options.under)
    if options.kind == "hopping":
        return hopping(files, n_files=options.files, hops=options.hops, **same)
    return typing(files, n_functions=options.functions, **same)
