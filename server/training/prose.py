"""Workspaces of prose, markup, configuration and commit messages: `python -m training.prose --sources DIR`.

In: the folders that `training.sources` filled, and git repositories (`--messages DIR`, any number of times).
Out, in `--out` (default: `texts` in the user's cache, where those of code are), as `training.texts` writes them:
`train/NAME-prose-….jsonl.gz` and `held/…`, a workspace a line.  A package is held out as a whole, one of eight by its
name.

The model was made from code, and wrote in a paragraph what it had learned to write in front of an edit.
"""

import argparse
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from multiprocessing import Pool
from pathlib import Path
from random import Random

from training import CACHE, sources, texts
from training.corpus import GENERATED, OWN, SECRET, Module, Package
from training.data import Task
from training.examples import digest
from training.product import functions
from training.sketch import MESSAGE, is_prose

LONGEST_LINE, MOST_CHARACTERS = 400, 60_000
"""Of a file that is read."""
N_PASSAGES = 400
"""Of a package, at most: a changelog of ten years is no better than a tenth of it."""
N_HELD = 8
TEMPLATE = "# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored.\n#\n"
"""What git writes below the message."""
NAMES = {"A": "new file", "D": "deleted", "M": "modified"}


def documents(folder: Path, package: str) -> Iterator[Module]:
    """Every file of prose or markup that may be learned from, in a fixed order."""
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder).as_posix()
        if not is_prose(path) or file.is_symlink() or not file.is_file() or file.stat().st_size > MOST_CHARACTERS:
            continue
        try:
            text = file.read_text(encoding="utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
        is_long = max(map(len, text.split("\n"))) > LONGEST_LINE
        is_made = any(mark in text[:600].lower() for mark in GENERATED)
        if not (is_long or is_made or SECRET.search(text) or OWN.intersection(Path(path).parts)) and len(text) > 200:
            yield Module(package, path, path, text)


def messages(repository: Path) -> Iterator[Module]:
    """The messages of a repository's commits, as git shows them to who writes them: one's files stand below it."""
    log = ("git", "-C", str(repository), "log", "--no-merges", "--name-status", "--format=%x00%B%x01")
    said = subprocess.run(log, capture_output=True, check=True, timeout=600).stdout.decode("utf-8", "replace")
    for number, entry in enumerate(said.split("\x00")[1:]):
        message, _, changed = entry.partition("\x01")
        rows = [line.split("\t") for line in changed.split("\n") if "\t" in line]
        files = [f"#\t{NAMES.get(row[0][:1], 'renamed')}:   {row[-1]}" for row in rows[:12]]
        text = f"{message.strip()}\n\n{TEMPLATE}# Changes to be committed:\n" + "\n".join(files) + "\n"
        if files and not SECRET.search(text):
            yield Module(repository.name, str(number), MESSAGE, text)


def tasks(folders: Path | None, repositories: Sequence[Path], cache: Path, seed: int) -> list[Task]:
    """What to make of which package; each passage once."""
    found: list[tuple[Package, Path, list[Module]]] = []
    for source in sources.listed():
        there = folders / source.folder if folders else None
        if there and there.is_dir():
            package = Package(f"{source.folder}-prose", source.version, sources.stated_licence(there) or source.licence)
            if package.is_permissive:
                found.append((package, there, list(documents(there, source.folder))))
    found += [(Package(f"{r.name}-messages", "", "its owner's"), r, list(messages(r))) for r in repositories]
    taken = set[int]()
    chosen = []
    for package, folder, modules in found:
        wanted = set[int]()
        Random(f"{seed} {package.name}").shuffle(modules)
        for module in modules:
            new = set(functions(module)) - taken
            wanted |= new if len(wanted) < N_PASSAGES else set()
            taken |= new
        is_held = digest(package.name) % N_HELD == 0
        chosen.append(Task(package, folder, modules, frozenset(wanted), is_held, (), cache, seed))
    return [task for task in chosen if task.wanted]


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--sources", type=Path, help="a folder that `training.sources` filled")
    cli.add_argument("--messages", type=Path, action="append", default=[], help="a git repository of one's own")
    cli.add_argument("--out", type=Path, default=CACHE / "texts")
    cli.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    cli.add_argument("--seed", type=int, default=0)
    a = cli.parse_args()
    start = time.time()
    left = texts.jobs(tasks(a.sources, a.messages, a.out / "described", a.seed), a.out)
    print(f"{len(left)} files to make, {time.time() - start:.0f} s", flush=True)
    with Pool(a.processes) as pool:
        for name, n in pool.imap_unordered(texts.make, left):
            print(f"{name}: {n} workspaces, {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
