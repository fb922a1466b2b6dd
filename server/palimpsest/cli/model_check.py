"""`palimpsest model check`: tries a model on the code in a folder, says what came of it, and keeps it for the engine.

In: arguments.  Out: sentences for a person, or with `--json` the profile.
"""

import argparse
import datetime
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from palimpsest.checking.places import places
from palimpsest.checking.running import tried
from palimpsest.checking.verdict import concluded
from palimpsest.config.layers import own_settings
from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.json_data import to_json
from palimpsest.models import files, profiles
from palimpsest.models.profiles import Profile
from palimpsest.models.trials import LEAST_PLACES, ModelTrial, TrialPlace
from palimpsest.system import folders, process_lock
from palimpsest.system.priority import step_back
from palimpsest.system.terminal import terminal
from palimpsest.text.amounts import amount

SECONDS, PLACES, MOST = 180, 48, 10_000
PAUSE_S = 5.0


def arguments(parser: argparse.ArgumentParser) -> None:
    names = "a GGUF file, the name of a downloaded one, `default` or `embedded`; by default the one in use"
    parser.add_argument("name", metavar="NAME", nargs="?", help=names)
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="try it on the code in this folder (the present one)"
    )
    times = f"for the first half of it; the other takes as long again ({SECONDS})"
    parser.add_argument("--seconds", type=_positive, default=SECONDS, metavar="N", help=times)
    most = f"at most N places in the code ({PLACES})"
    parser.add_argument("--places", type=_positive, default=PLACES, metavar="N", help=most)
    parser.add_argument("--forget", action="store_true", help="forget what was found out before, and try nothing")
    parser.add_argument("--politely", action="store_true", help=argparse.SUPPRESS)  # nobody waits for it
    parser.set_defaults(does=check)


def _positive(text: str) -> int:
    value = int(text)
    if not 1 <= value <= MOST:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to {MOST}, got {text}")
    return value


def check(options: argparse.Namespace, out: Console) -> dict[str, Any]:
    """Raises PalimpsestError."""
    if options.politely:
        step_back()
    settings = own_settings()
    path = files.find(options.name) if options.name else files.model_path(settings.model)
    files.inspect(path)
    if options.forget:
        was_there = profiles.forget(path)
        if not options.json:
            out.print(f"What was known of {path.name} is forgotten." if was_there else f"{path.name} had no profile.")
        return {"forgotten": was_there}
    record = profiles.place_of(path)
    with _alone(politely=options.politely):
        some, where = _places(options)
        with _progress(options, len(some)) as progress:
            trial = tried(path, settings.engine, some, options.seconds, progress)
    profile = concluded(trial, datetime.date.today().isoformat(), where)
    is_kept = len(trial.tokens) >= LEAST_PLACES
    if not options.json:  # said, too, where it cannot be kept: it took minutes
        for line in told(profile):
            out.print(line, markup=False)
    if is_kept:
        profiles.keep(record, profile)
    if not options.json:
        says = "Editors' engines use this as soon as they have nothing else to do, others from their next start."
        out.print(says if is_kept else "Nothing is kept. More code, or more time (`--seconds`), may help.")
    return {"path": str(path), "kept": is_kept, **to_json(profile)}


def told(profile: Profile) -> list[str]:
    """For a person."""
    at = amount(int(profile.figures.get("places", 0)), "place")
    first = f"{profile.model}, tried on {profile.made} at {at} of {profile.tried_on}:"
    return [first, *(f"  {sentence}" for sentence in profile.verdict)]


@contextmanager
def _alone(*, politely: bool) -> Iterator[None]:
    """Two trials at once would disturb each other's times.  One that nobody waits for waits.  Raises ModelError."""
    lock = folders.state() / "model-check.lock"
    while (fd := process_lock.take(lock)) is None:
        if not politely:
            raise ModelError("Another trial of a model is under way.", hint="It takes some minutes; try again then.")
        time.sleep(PAUSE_S)
    try:
        yield
    finally:
        os.close(fd)


def _places(options: argparse.Namespace) -> tuple[list[TrialPlace], str]:
    """Of the folder that was named, else of this one, else of Palimpsest's own source."""
    own = Path(str(resources.files("palimpsest")))
    if options.folder is not None:
        if not options.folder.is_dir():
            raise InvalidArgument("--folder", f"{options.folder} is no folder.")
        return places(options.folder, options.places), str(options.folder)
    here = Path.cwd()
    if not folders.is_whole_disk(here):
        try:
            return places(here, options.places), str(here)
        except InvalidArgument:  # nothing to try it on
            pass
    return places(own, options.places), "Palimpsest's own source"


@contextmanager
def _progress(options: argparse.Namespace, n: int) -> Iterator[Callable[[ModelTrial], None]]:
    """Is told of the trial as it grows; shows nothing with `--json`, or where nobody looks."""
    columns = TextColumn("trying it"), BarColumn(), TextColumn("{task.completed} of {task.total} places")
    is_shown = not options.json and sys.stderr.isatty()
    with Progress(*columns, console=terminal(stderr=True), transient=True, disable=not is_shown) as bar:
        task = bar.add_task("", total=n)
        yield lambda trial: bar.update(task, completed=len(trial.tokens))
