"""`palimpsest model adapt`: has a model learn from a person's own repositories, and uses it if it completes better.

In: arguments.  Out: sentences for a person, or with `--json` what was found out.  `training.adapt` does the work, in a
process of its own and with a library that Palimpsest is not installed with; it lies beside the package in a checkout,
and in an installed package in `beside`.
"""

import argparse
import importlib.util
import json
import os
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import resources
from itertools import chain, count
from pathlib import Path
from typing import Any

from rich.console import Console

from palimpsest.config.layers import own_settings
from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.models import files
from palimpsest.models.alone import alone
from palimpsest.models.header import GgufFile
from palimpsest.system import folders
from palimpsest.system.git import repository
from palimpsest.system.processes import run_behind
from palimpsest.text.amounts import amount

MODULE = "training.adapt"
MINUTES = 60.0
NEEDS = ("torch", "tokenizers")
"""What only learning needs: more than all the rest together."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER", help="git repositories (the present one)")
    parser.add_argument(
        "--model", default="", metavar="NAME", help="the model to begin with; by default the one in use"
    )
    parser.add_argument(
        "--minutes",
        type=_minutes,
        default=MINUTES,
        metavar="N",
        help=f"of learning; trying it comes on top ({MINUTES:g})",
    )
    parser.add_argument("--no-use", action="store_true", help="keep the file if it is better, but do not use it yet")
    parser.set_defaults(does=adapt)


def _minutes(text: str) -> float:
    with suppress(ValueError):
        if 0 < float(text) <= 10_000:
            return float(text)
    raise argparse.ArgumentTypeError(f"expected minutes, more than 0, got {text}")


def adapt(options: argparse.Namespace, out: Console) -> dict[str, Any]:
    """Raises PalimpsestError."""
    some = [folder.expanduser().absolute() for folder in options.folders] or [Path.cwd()]
    for folder in some:
        if not folder.is_dir():
            raise InvalidArgument("FOLDER", f"{folder} is no folder.")
        repository(folder.resolve())  # before gigabytes are fetched for nothing
    found = files.find(options.model) if options.model else files.model_path(own_settings().model)
    model = files.inspect(found.absolute())
    place = _beside()
    if not hasattr(os, "fork"):
        raise ModelError("Learning needs Linux: its processes are forked.")
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        raise ModelError(
            f"Learning needs {' and '.join(missing)}, which Palimpsest is not installed with.",
            hint=f"{sys.executable} -m pip install {' '.join(missing)}",
        )
    target = _target(model.path, some)
    lock = folders.state() / "model-adapt.lock"  # each takes all cores, and most of the memory
    with alone(lock, "A model is learning already.", "Wait for it, or stop it with Ctrl-C."):
        said = _learned(place, [*map(str, some), "--base", str(model.path), "--out", str(target), "--minutes"], options)
    is_used, refused = said["is_better"] and not options.no_use, ""
    if is_used:
        try:
            files.use(target)
        except ModelError as error:  # what a night has found out is told all the same
            is_used, refused = False, f": {error}"
    if not options.json:
        for line in told(said, model, target, is_used=is_used, refused=refused):
            out.print(line, markup=False)
    return {"path": str(target) if said["is_better"] else None, "used": is_used, **said}


def _target(model: Path, some: Sequence[Path]) -> Path:
    """A file of its own for what is learned of these folders: others may have the same names."""
    names = "-".join(re.sub(r"[^\w.-]+", "-", folder.resolve().name).strip(".-") for folder in some)[:40]
    first = folders.models() / f"{model.stem}-{names}.gguf"
    more = (first.with_name(f"{first.stem}-{n}.gguf") for n in count(2))
    return next(path for path in chain([first], more) if not path.exists())


def _learned(place: Path, arguments: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Politely: what learns takes all cores for a long time.  Raises ModelError."""
    command = [sys.executable, "-m", MODULE, *arguments, str(options.minutes)]
    # None of these processes, nor those that they start, imports what lies in the present folder.
    environment = {**os.environ, "PYTHONPATH": str(place), "PYTHONSAFEPATH": "1"}
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # `nohup`
            # Like Ctrl-C: what learns is in a session of its own, and hears neither.
            signal.signal(number, signal.default_int_handler)
    status, output = run_behind(command, environment, signal.SIGINT)
    try:
        said: dict[str, Any] = json.loads(output)
    except ValueError:
        raise ModelError(f"Learning ended with status {status}; what it said stands above.") from None
    if error := said.get("error"):
        raise ModelError(error["message"], hint=error["hint"])
    return said


def _beside() -> Path:
    """The folder with the programs that are no part of the package.  Raises ModelError where there is none."""
    package = Path(str(resources.files("palimpsest")))
    for place in (package / "beside", package.parent):
        if (place / "training" / "adapt.py").is_file():
            return place
    raise ModelError(
        "This installation is without the programs that models are made with.", hint="pip install palimpsest-lsp"
    )


def told(said: dict[str, Any], model: GgufFile, target: Path, *, is_used: bool, refused: str = "") -> list[str]:
    """For a person."""
    (before, after), (_, low, high) = said["saved"], said["gained"]
    wrong = " to ".join(f"{value:.2f}" for value in said["wrong"])
    learned, whole = said["minutes"]["learning"], said["minutes"]["all"]
    lines = [
        f"It read {said['tokens']:,} tokens of {amount(said['functions'], 'function')} in {learned:.0f} minutes "
        f"({whole:.0f} with everything).",
        f"Typed with both, {amount(said['hunks'], 'hunk')} of the last commits: keys saved {before:.3f} before, "
        f"{after:.3f} after (95 of 100 draws: {low:+.3f} to {high:+.3f}); wrong characters for each key {wrong}.",
    ]
    if not said["is_better"]:
        return [*lines, f"That is not surely better: {model.name} stays, and nothing is kept."]
    how = f"It is not used yet{refused or '.'}"
    if is_used:
        how = "It is used from now on; running editors: restart the engine."
    return [*lines, f"It is better, and kept: {target}.  {how}", f"Back: palimpsest model use {model.path}"]
