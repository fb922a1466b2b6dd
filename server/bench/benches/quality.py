"""`python -m bench quality WORKSPACE`: holes in real functions, completed with their blocks, with none, with others'.

In: a workspace, a model, a seed.  Out: by kind of hole (`completing/holes.py`) and mode (`completing/asking.py`) a row:

    {"n", "offered", "exact", "similarity", "valid",  how many; shares of them; the mean edit similarity
     "names": {"of", "rate"},                        names in holes that only a block has, and the share written
     "generated", "decoded", "ms": {"p50", "p95"},   tokens and milliseconds of one completion
     "passed", "tested": {"of", "passed"}}           with `--run`: shares of runs that pass; those of functions whose
                                                     failing the tests notice

`quiet` has for the first mode what would be shown if the model had to be sure enough (`completing/quiet.py`).
`valid` is a completion with which the file has no more syntax errors than before.  With `--run` the workspace's tests
run on a copy with each completion in it; what the model wrote is executed then.  The workspace itself is only read.
"""

from __future__ import annotations

import argparse
import asyncio
import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.completing import completions, plot, quiet, scores
from bench.completing.asking import bar
from bench.completing.holes import Hole, holes
from bench.completing.trying import Trials
from bench.replaying.ours import own_folders
from bench.shared.options import model_file, positive
from palimpsest.errors import InvalidArgument

NAME = "quality"
HELP = "holes in a workspace's functions completed with and without their blocks: matches, names, tests passed"

RAISES = "raise NotImplementedError"
"""In the place of a body: what a function's tests notice."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", type=Path, metavar="WORKSPACE", help="a folder of source")
    parser.add_argument("--n", type=positive, default=10, metavar="N", help="holes of each kind (10)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of holes (0)")
    parser.add_argument("--max-tokens", type=positive, default=128, metavar="N", help="of one completion (128)")
    parser.add_argument("--n-ctx", type=positive, default=0, metavar="N", help="cells of the cache (the server's own)")
    parser.add_argument(
        "--run", type=_command, metavar="CMD", help="the workspace's tests; they run what the model wrote, on copies"
    )
    parser.add_argument("--timeout", type=positive, default=120, metavar="S", help="seconds for one --run (120)")
    parser.add_argument("--chosen", action="store_true", help="with the chosen blocks only")
    parser.add_argument("--plot", type=_svg, metavar="FILE.svg", help="write a picture of the rates")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    root = options.workspace.resolve()
    if not root.is_dir():
        raise InvalidArgument("WORKSPACE", f"{options.workspace} is no folder.")
    model = model_file(options)
    found = holes(root, options.n, Random(options.seed))
    with Progress(console=Console(stderr=True), transient=True) as progress:
        trials = Trials(root, options.run, options.timeout) if options.run else None
        baseline = trials.check() if trials else None
        modes = completions.MODES[:1] if options.chosen else completions.MODES
        advance = bar(progress, "completions", len(found) * len(modes))
        given = completions.settings(model, options.max_tokens, options.n_ctx)
        asked = _asked(root, found, given, advance, modes)
        found_scores = _scores(found, asked, trials, bar(progress, "tests", len(found)) if trials else lambda: None)
        table = scores.rows([hole.kind for hole in found], asked.offered, found_scores)
    result = {
        "model": asked.info["name"],
        "workspace": root.name,
        "seed": options.seed,
        "max_tokens": options.max_tokens,
        "holes": len(found),
        "files": len({hole.function.file for hole in found}),
        "kinds": table,
        "quiet": quiet.rows(asked.offered[modes[0]], found_scores[modes[0]]),
    }
    if trials and baseline:
        result["run"] = {
            "command": " ".join(options.run),
            "baseline": {"passed": baseline.passed, "seconds": round(baseline.seconds, 2)},
            "runs": trials.n_runs,
        }
    if options.plot:
        title = f"{result['holes']} holes in functions of {root.name}, completed by {result['model']}"
        options.plot.write_text(plot.svg(title, table), encoding="utf-8")
    return result


def show(result: dict[str, Any], console: Console) -> None:
    title = f"{result['model']}: {result['holes']} holes in {result['files']} files of {result['workspace']}"
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("hole")
    table.add_column("blocks")
    columns = ["n", "offered", "exact", "alike", "valid", "names"]
    columns += ["tests"] if "run" in result else []
    for column in [*columns, "tokens", "ms"]:
        table.add_column(column, justify="right")
    for kind, modes in result["kinds"].items():
        for mode, row in modes.items():
            rates = [f"{row[name]:.2f}" for name in ("offered", "exact", "similarity", "valid")]
            names = row["names"]
            rates.append(f"{names['rate']:.2f}/{names['of']}" if names["of"] else "–")
            rates += [f"{row['passed']:.2f}"] if "run" in result else []
            costs = [f"{row['generated']:.0f}+{row['decoded']:.0f}", f"{row['ms']['p50']:.0f}"]
            table.add_row(kind, mode, str(row["n"]), *rates, *costs)
        table.add_section()
    console.print(table)
    console.print("names: those that only a block has, and of how many; tokens: generated + decoded; ms: p50.")
    shown = ((row["least"], row["quiet"], row["right"]) for row in result["quiet"] if row["right"] is not None)
    parts = (f"{least:.1f}: {silent:.2f}, {right:.2f}" for least, silent, right in shown)
    console.print(f"by how sure the model must be, the share kept quiet, and right of the rest: {'; '.join(parts)}")
    if run := result.get("run"):
        tested = next(iter(result["kinds"]["all"].values()))["tested"]["of"]
        console.print(
            f"`{run['command']}` passes on an untouched copy, in {run['baseline']['seconds']} s; it notices when "
            f"{tested} of the {result['holes']} functions fail."
        )


def _asked(
    root: Path, found: Sequence[Hole], settings: Mapping[str, Any], advance: Callable[[], None], modes: Sequence[str]
) -> completions.CompletionRun:
    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        return asyncio.run(completions.ask(root, found, settings, own_folders(Path(folder)), advance, modes))


def _scores(
    found: Sequence[Hole], asked: completions.CompletionRun, trials: Trials | None, advance: Callable[[], None]
) -> dict[str, list[scores.Score]]:
    """By mode, in the order of holes."""
    result: dict[str, list[scores.Score]] = {mode: [] for mode in asked.offered}
    for i, hole in enumerate(found):
        texts = {mode: answers[i].text for mode, answers in asked.offered.items()}
        tested, passed = _tried(trials, hole, set(texts.values())) if trials else (None, {})
        for mode, text in texts.items():
            result[mode].append(scores.scored(hole, text, asked.names[i], passed.get(text), tested))
        advance()
    return result


def _tried(trials: Trials, hole: Hole, texts: set[str]) -> tuple[bool, dict[str, bool]]:
    """Whether the tests notice when the function raises, and with which texts in the hole they pass.  An open hole
    passes nothing, and what stood there needs no run."""
    function = hole.function
    tested = not trials.run(function.file, function.with_body(RAISES)).passed
    passed = {text: text.rstrip() == hole.text.rstrip() for text in texts}
    for text in sorted(text for text, known in passed.items() if text and not known):
        passed[text] = trials.run(function.file, hole.filled(text)).passed
    return tested, passed


def _command(text: str) -> list[str]:
    """An argparse type: a command's words, as a shell would split them; none runs it."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no command: {error}") from None
    if not words:
        raise argparse.ArgumentTypeError("wants a command, got nothing")
    return words


def _svg(text: str) -> Path:
    """An argparse type."""
    if not text.endswith(".svg"):
        raise argparse.ArgumentTypeError(f"wants a name that ends in .svg, got {text}")
    return Path(text)
