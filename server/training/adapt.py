"""Has a model learn a person's own code; kept if it completes better: `python -m training.adapt REPO… --out FILE`.

In: git repositories, a GGUF.  Out: one JSON object on stdout, what is under way on stderr, and FILE only if the model
completes better than before.  `palimpsest model adapt` runs it.

Held out are the commits of the last week, and as many before them as make `LEAST` hunks; where the history is younger,
the last ones.  The examples come from the
tree before them, as the product would ask there: its blocks, its layout, without what git ignores and what holds a
secret.  Low-rank factors learn by block distillation (arXiv 2605.15913): the model as it is reads the same blocks in
order, and teaches the one that reads each of them alone, with some of them left out.  A part of the loss comes from
what stands there, for the teacher does not know this code either.

Then the held-out hunks are typed letter by letter with both models (`bench typing`).  Hunks are drawn again `DRAWS`
times (the bootstrap): the new model is kept if 95 of 100 draws save more keys, and its wrong characters are not surely
more.

It goes on where it was stopped.  Nothing leaves the machine, and the examples are deleted at the end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from bench.traces.history import git
from bench.typing.hunks import at_most, unpacked_tree
from palimpsest.checking.source import source_paths
from palimpsest.errors import InvalidArgument, ModelError, PalimpsestError
from palimpsest.models import profiles
from palimpsest.models.alone import need_room
from palimpsest.models.merge import merge
from palimpsest.system import folders
from palimpsest.system.git import repository
from palimpsest.system.machine import free_memory
from palimpsest.system.processes import end_with, run_behind
from palimpsest.workspace.files import WorkspaceFiles
from training.corpus import Module, Package
from training.data import Task
from training.examples import Mix
from training.memory import SETTINGS
from training.product import functions
from training.texts import place_of, portions, write

T = TypeVar("T")
MIX = Mix(n_cuts=3, shares={"spm": 1.0})
"""Completions alone, in the layout that the engine asks for; what this code calls things is to be learned."""
DAY, WEEK = 86_400, 7
LEAST, MOST = 12, 24
"""Hunks that are typed, of each repository."""
LARGEST = 150_000
"""Characters of a file."""
LABELS, RANK, RATE, WARM_UP = 0.5, 16, 2e-4, 5
A_MINUTE, LEAST_FUNCTIONS = 20, 60
"""Functions that examples are made of, for each minute of learning and at least: about as many as two cores read."""
HELD, CHECKPOINT, ADAPTER = "held.json", "lora.pt", "adapter.gguf"
DRAWS, SURE = 2000, 0.95
CHECKPOINT_COPIES, MODEL_COPIES = 2, 2
"""Room for what is learned, twice while it is saved, and for the new model, as many times the model's file."""
PROCESS_BYTES, FILE_COPIES = 3 << 30, 16
"""What a process that learns needs beside its share of the weights: so much, and so many times the model's file."""


@dataclass(frozen=True, slots=True)
class Held:
    """What is kept from learning: the commits in `base..head`, which began `days` before the newest."""

    repo: Path
    base: str
    head: str
    days: int
    n_hunks: int

    @property
    def commits(self) -> str:
        return f"{self.base}..{self.head}"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Typed with both models: the keys that it takes, those that had to be pressed, wrong characters shown."""

    plain: int
    pressed: tuple[int, int]
    wrong: tuple[int, int]


Interval = tuple[float, float, float]
"""As measured, and between which two `SURE` of the draws lie."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two models: `saved`, the share of keys that nobody had to press; `wrong`, wrong characters shown for each key
    that was pressed; `gained`, `more_wrong`: by how much these are larger with the second one."""

    saved: tuple[float, float]
    wrong: tuple[float, float]
    gained: Interval
    more_wrong: Interval

    @property
    def is_better(self) -> bool:
        """Surely more is saved, and what is wrong is not surely more."""
        return self.gained[1] > 0 and self.more_wrong[1] <= 0


def repositories(some: Iterable[Path]) -> list[Path]:
    """Each once, though folders of it be named more often: its hunks would count double.  Raises GitError."""
    return list(dict.fromkeys(repository(folder.resolve()) for folder in some))


def held_out(repo: Path, seed: int) -> Held:
    """Raises InvalidArgument for what is no repository, or whose history is too short."""
    log = [line.partition(" ") for line in git(repo, "log", "--first-parent", "--format=%ct %H").splitlines()]
    times, names = [int(time) for time, _, _ in log], [name for _, _, name in log]
    for at, days in _bases(times):
        n = len(at_most(repo, MOST, seed, f"{names[at]}..{names[0]}"))
        if n >= LEAST:
            return Held(repo, names[at], names[0], days, n)
    raise InvalidArgument("FOLDER", f"{repo} has too few commits: {LEAST} that add some lines of code are needed.")


def _bases(times: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The last commit to learn from, as an index, and the days of those after it: ever farther back, by time and, where
    that goes too far, by number.  Clocks may have been wrong, so that times are in any order."""
    days, far = WEEK, 0
    while (at := next((i for i, time in enumerate(times) if time <= times[0] - days * DAY), None)) is not None:
        if at > far:
            yield at, days
            far = at
        days *= 2
    n, last = LEAST, len(times) - 1
    while far < last:
        far = min(max(n, far + 1), last)
        yield far, max(1, (times[0] - times[far - 1]) // DAY + 1)
        n *= 2


def modules_of(folder: Path, package: str) -> Iterator[Module]:
    """Every file of code, tests among them, that may enter a context block."""
    files = WorkspaceFiles((folder,), clock=time.thread_time)
    for path in source_paths(files, folder, tests=True):
        source = files.source(path)
        text = "" if source is None else source.text.replace("\r\n", "\n")
        if text and len(text) <= LARGEST and "\r" not in text:
            name = path.relative_to(folder).as_posix()
            yield Module(package, name, name, text)


def task_of(held: Held, folder: Path, cache: Path, most: int, seed: int) -> Task:
    """At most about `most` functions of the tree before the held-out commits."""
    unpacked_tree(held.repo, held.base, folder)
    modules = list(modules_of(folder, held.repo.name))
    Random(seed).shuffle(modules)
    chosen, wanted = list[Module](), set[int]()
    for module in modules:
        if len(wanted) < most:
            chosen.append(module)
            wanted.update(functions(module))
    if not wanted:
        raise InvalidArgument("FOLDER", f"{held.repo} has no functions that could be learned from.")
    package = Package(held.repo.name, held.base, "")
    return Task(package, folder, chosen, frozenset(wanted), False, (), cache, seed)


def make(job: tuple[Task, Path]) -> int:
    """The examples of some forty functions, in a process of its own."""
    task, path = job
    if path.exists():
        return 0
    place, rng = place_of(task.folder, task.cache), Random(f"{task.seed} {path.name}")
    return write((w for m in task.modules for w in place.workspaces(m, (), task.wanted, rng, MIX)), path)


def at_once(work: Callable[[T], object], jobs: Sequence[T]) -> None:
    """In processes that end with this one: left behind, they would wait for work for good.  Raises ModelError where one
    is killed."""
    workers = os.cpu_count(), get_context("spawn"), end_with, (os.getpid(), signal.SIGKILL)
    with ProcessPoolExecutor(*workers) as pool:
        try:
            list(pool.map(work, jobs))
        except BrokenProcessPool:
            raise ModelError("A process that made examples was killed.", hint="Is there enough memory?") from None


def compared(hunks: Sequence[Hunk], seed: int = 0) -> Compared:
    """Of the same hunks with both."""
    rng = Random(seed)
    draws = [_figures(rng.choices(hunks, k=len(hunks))) for _ in range(DRAWS)]
    (saved, wrong), all_draws = _figures(hunks), zip(*draws, strict=True)
    gained, more_wrong = (
        _interval(after - before, sorted(y - x for x, y in each))
        for (before, after), each in zip((saved, wrong), all_draws, strict=True)
    )
    return Compared(saved, wrong, gained, more_wrong)


def _figures(hunks: Sequence[Hunk]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Saved and wrong, each before and after."""
    plain = sum(hunk.plain for hunk in hunks)
    pressed = [sum(hunk.pressed[i] for hunk in hunks) for i in (0, 1)]
    wrong = [sum(hunk.wrong[i] for hunk in hunks) / max(1, pressed[i]) for i in (0, 1)]
    return (1 - pressed[0] / plain, 1 - pressed[1] / plain), (wrong[0], wrong[1])


def _interval(found: float, draws: list[float]) -> Interval:
    beside = round((1 - SURE) / 2 * len(draws))
    return found, draws[beside], draws[-beside - 1]


def processes(model: Path) -> int:
    """How many learn at once: one for each core, as far as memory goes.  Raises ModelError where it is too short."""
    need = PROCESS_BYTES + FILE_COPIES * model.stat().st_size
    n = min(os.cpu_count() or 1, int(free_memory() // need))
    if n < 1:
        raise ModelError(
            f"Learning needs {need / 1e9:.0f} GB of free memory for {model.name}; there are {free_memory() / 1e9:.0f}.",
            hint="Close other programs, or adapt a smaller model.",
        )
    return n


class Adapting:
    """A run: its steps, each a program of its own, and what they leave in `work`."""

    def __init__(self, model: Path, repos: Sequence[Path], out: Path, minutes: float, seed: int) -> None:
        self.model, self.out, self.minutes, self.seed = model, out, minutes, seed
        self.began = time.monotonic()
        said = "\0".join([profiles.place_of(model).stem, str(minutes), str(seed), *map(str, repos)])
        self.work = folders.cache() / "adapt" / hashlib.sha256(os.fsencode(said)).hexdigest()[:16]
        self.held = self._held(repos) or self._begun([held_out(repo, seed) for repo in repos])

    def _held(self, repos: Sequence[Path]) -> list[Held]:
        """By the run that was stopped, whatever was committed since; none where there is no such run, or its commits
        are gone."""
        try:
            said = json.loads((self.work / HELD).read_text(encoding="utf-8"))
            held = [Held(repo, **each) for repo, each in zip(repos, said, strict=True)]
            for each in held:
                for commit in (each.base, each.head):
                    git(each.repo, "cat-file", "-e", f"{commit}^{{commit}}")
        except (OSError, ValueError, TypeError, InvalidArgument):
            return []
        return held

    def _begun(self, held: list[Held]) -> list[Held]:
        shutil.rmtree(self.work, ignore_errors=True)
        said = [{name: value for name, value in asdict(each).items() if name != "repo"} for each in held]
        try:
            self.work.mkdir(parents=True, mode=0o700)
            (self.work / "texts" / "train").mkdir(parents=True)
            (self.work / HELD).write_text(json.dumps(said), encoding="utf-8")
        except OSError:
            shutil.rmtree(self.work, ignore_errors=True)
            raise
        return held

    def run(self) -> dict[str, Any]:
        """What is printed.  Raises PalimpsestError, OSError; where nothing was learned before that, nothing stays."""
        try:
            return self._run()
        except (PalimpsestError, OSError):
            if not (self.work / CHECKPOINT).exists():
                shutil.rmtree(self.work, ignore_errors=True)
            raise

    def _run(self) -> dict[str, Any]:
        n_processes = processes(self.model)
        self.need_room()
        if why_not := step("training.base", self.model, is_shown=False).strip():
            raise ModelError(f"{self.model.name} cannot learn: {why_not}.")
        n_functions = self.examples()
        progress = self.learn(n_processes)
        new = self.work / self.out.name
        merge(self.model, self.work / ADAPTER, new)
        hunks = list(self.typed(new))
        if not hunks:
            shutil.rmtree(self.work)
            raise ModelError(
                "None of the held-out commits could be typed: each of these files holds what looks secret."
            )
        found = compared(hunks, self.seed)
        if found.is_better:
            try:
                put(new, self.out)
            except OSError as error:
                raise ModelError(
                    f"The new model is better, but {self.out.parent} cannot take it: {error.strerror or error}.",
                    hint="Make room there; started again, this goes on from here.",
                ) from error
        shutil.rmtree(self.work)
        return {
            "is_better": found.is_better,
            **asdict(found),
            "hunks": len(hunks),
            "functions": n_functions,
            "tokens": progress["n_tokens"],
            "days": [held.days for held in self.held],
            "minutes": {"learning": progress["seconds"] / 60, "all": (time.monotonic() - self.began) / 60},
        }

    def need_room(self) -> None:
        """Raises ModelError, OSError: now, and not after hours."""
        size = self.model.stat().st_size
        self.out.parent.mkdir(parents=True, exist_ok=True)
        there = sum(file.stat().st_size for file in self.work.iterdir() if file.is_file())
        need_room(self.work, (CHECKPOINT_COPIES + MODEL_COPIES) * size - there)
        need_room(self.out.parent, MODEL_COPIES * size)
        if not os.access(self.out.parent, os.W_OK):
            raise ModelError(f"{self.out.parent} cannot be written to.", hint="The new model is to be kept there.")

    def learn(self, n_processes: int) -> dict[str, Any]:
        """Leaves the adapter; how far the run came (`plan.Progress`)."""
        tell(f"Learning for {self.minutes:g} minutes, {n_processes} at once.")
        checkpoint = self.work / CHECKPOINT
        command = ["training.tune", "--base", self.model, "--texts", self.work / "texts", "--out", checkpoint]
        sizes = ["--minutes", self.minutes, "--rank", RANK, "--rate", RATE, "--labels", LABELS, "--held", 0]
        step(*command, *sizes, "--processes", n_processes, "--warm-up", WARM_UP)
        step("training.adapter", "--base", self.model, "--checkpoint", checkpoint, "--out", self.work / ADAPTER)
        progress: dict[str, Any] = json.loads(checkpoint.with_suffix(".json").read_text(encoding="utf-8"))
        return progress

    def examples(self) -> int:
        """Of how many functions."""
        most = int(A_MINUTE * self.minutes) + LEAST_FUNCTIONS
        trees = [self.work / "trees" / str(i) / held.repo.name for i, held in enumerate(self.held)]
        tasks = [
            task_of(held, tree, self.work / "described", most // len(self.held), self.seed)
            for held, tree in zip(self.held, trees, strict=True)
        ]
        n = sum(len(task.wanted) for task in tasks)
        train = self.work / "texts" / "train"
        jobs = [
            (part, train / f"{i}-{j}.jsonl.gz") for i, task in enumerate(tasks) for j, part in enumerate(portions(task))
        ]
        tell(f"Making examples of {n} functions in {', '.join(held.repo.name for held in self.held)}.")
        at_once(make, jobs)
        return n

    def typed(self, new: Path) -> Iterator[Hunk]:
        for i, held in enumerate(self.held):
            found = []
            for model, name in ((self.model, "before"), (new, "after")):
                command = ["bench", "typing", held.repo, "--until", held.commits, "--n", held.n_hunks]
                kept = self.work / f"typed-{i}-{profiles.place_of(model).name}"
                with suppress(OSError, ValueError):  # by a run that could not be ended
                    found.append(json.loads(kept.read_text(encoding="utf-8")))
                    continue
                tell(f"Typing {held.n_hunks} hunks of {held.repo.name}'s last {held.days} days, {name}.")
                said = step(*command, "--seed", self.seed, "--model", model, "--json", is_shown=False)
                found.append([each["balanced"] for each in json.loads(said)["hunks"]])
                kept.write_text(json.dumps(found[-1]), encoding="utf-8")
            for a, b in zip(*found, strict=True):
                if a["plain"]:  # what holds a secret is not typed
                    yield Hunk(a["plain"], (a["pressed"], b["pressed"]), (a["wrong"], b["wrong"]))


def put(made: Path, target: Path) -> None:
    """Moved, also to another file system, where it appears whole: engines may have mapped what was there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        shutil.move(made, part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def step(*command: object, is_shown: bool = True) -> str:
    """What a Python program says, or, where that is shown, tells on the way.  Raises ModelError if it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    line, out = [sys.executable, "-m", *map(str, command)], sys.stderr if is_shown else None
    # Ctrl-C is for this process, and learning is told to keep what it has.
    status, said = run_behind(line, environment, signal.SIGTERM, out)
    if status:
        raise ModelError(f"{command[0]} ended with status {status}: what it said stands above.")
    return said


def main() -> int:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("repos", type=Path, nargs="+", metavar="REPO")
    cli.add_argument("--base", type=Path, required=True)
    cli.add_argument("--out", type=Path, required=True)
    cli.add_argument("--minutes", type=float, default=60.0)
    cli.add_argument("--seed", type=int, default=0)
    a = cli.parse_args()
    os.umask(0o077)  # examples, and what was learned of them, are for nobody else
    try:
        repos = repositories(a.repos)
        print(json.dumps(Adapting(a.base, repos, a.out, a.minutes, a.seed).run()))
    except KeyboardInterrupt:
        tell("What was learned so far is kept: started again, it goes on from there.")
        return 130
    except PalimpsestError as error:
        print(json.dumps({"error": {"code": error.code, "message": error.message, "hint": error.hint}}))
        return 1
    except OSError as error:
        hint = "Is there room, and may you write there?"
        message = f"{error.filename or folders.cache_place()}: {error.strerror or error}."
        print(json.dumps({"error": {"code": "model", "message": message, "hint": hint}}))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
