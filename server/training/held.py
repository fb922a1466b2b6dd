"""Held-out cases to measure on, made from installed packages that no training data came from.

In: the environment's packages.  Out: workspaces, and cursors in words and before names, as text.  The product chooses
the blocks, as in training (`product`).  Knows no token and no model.
"""

from __future__ import annotations

import re
import sysconfig
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from palimpsest.prompt import blocks as rendering
from palimpsest.text.snapshot import Position
from training import outline
from training.corpus import Module, add_environment, read_folder, read_installed
from training.examples import Mix, Workspace
from training.product import Desk, File, Place, defined, functions, without
from training.sketch import Span, sketch

PACKAGES = Path(__file__).with_name("packages.txt")
WORD = re.compile(r"[^\w\n]?[^\W\d]\w{4,}")
PROJECT, OWN_NAME = Path(__file__).parents[1] / "palimpsest", "quire"
LONGEST = 900
"""Characters of an editing block; more is rare, and slow to measure."""


@dataclass(frozen=True)
class Case:
    """A cursor behind `typed`, which the prompt ends without: the answer has to begin with it (healing).

    `rest` is what stood from the beginning of `typed` to the line's end, `word` its first word with the character
    that tokenizers join to it.
    """

    blocks: tuple[str, ...]
    prefix: str
    typed: str
    word: str
    rest: str
    suffix: str


@dataclass(frozen=True)
class Held:
    """`packages`: those that were found, with versions.  `workspaces` have cursors where blocks matter most, as in
    training, those of `plain` anywhere a cursor may stand.  `own`: the same of this project's source under another
    name, which no model has read.  `words`: cursors inside of identifiers.  `names`: cursors behind the first letters
    of names that stand in a block and nowhere else in the prompt."""

    packages: list[str]
    workspaces: list[Workspace]
    plain: list[Workspace]
    own: list[Workspace]
    words: list[Case]
    names: list[Case]


class NothingHeldOut(Exception):
    """None of the held-out packages is installed; says how to install them."""


def held_out(file: Path = PACKAGES) -> dict[str, str]:
    """The requirement of each package that `packages.txt` holds out, by name."""
    return marked("; held out", file)


def kept_out(file: Path = PACKAGES) -> frozenset[str]:
    """The names of all packages that nothing may be learned from, those held out among them."""
    return frozenset(marked("; held out", file)) | frozenset(marked("; kept out", file))


def marked(mark: str, file: Path) -> dict[str, str]:
    lines = (line for line in file.read_text().splitlines() if mark in line)
    return {line.split("==")[0]: line.split()[0] for line in lines}


def make(work: Path, n_modules: int, n_words: int, n_names: int, seed: int = 7) -> Held:
    """Cases from at most `n_modules` modules of each package; `work` is an empty folder for copies of them.

    Raises NothingHeldOut.
    """
    found, packages = list[tuple[Place, Module]](), []
    for name in held_out():
        if installed := read_installed(name, work / name):
            package, modules = installed
            packages.append(f"{package.name} {package.version}")
            add_environment(work / name, Path(sysconfig.get_paths()["purelib"]))
            place = Place(work / name, work / "described")
            found += [(place, m) for m in Random(name).sample(modules, min(n_modules, len(modules)))]
    if not found:
        raise NothingHeldOut("no held-out package is installed; pip install " + " ".join(held_out().values()))
    rng = Random(seed)
    rng.shuffle(found)
    workspaces = [w for place, m in found for w in place.workspaces(m, (), functions(m), rng, Mix())]
    rng.shuffle(workspaces)
    other = Random(seed + 1)  # of its own: the other cases stay what they were
    plain = [w for place, m in found for w in place.workspaces(m, (), functions(m), other, Mix(plain_cuts=True))]
    other.shuffle(plain)
    words, names = list[Case](), list[Case]()
    for place, module in found:
        if len(words) >= n_words and len(names) >= n_names:
            break
        words += word_cases(place, module, rng) if len(words) < n_words else []
        names += name_cases(place, module, rng) if len(names) < n_names else []
    words, names = words[:n_words], names[:n_names]
    for cases in (words, names):
        Random(seed).shuffle(cases)  # the first few stand for all: those of one module are alike
    return Held(packages, workspaces, plain, own_source(work, n_modules), words, names)


def own_source(work: Path, n_modules: int) -> list[Workspace]:
    """Workspaces of this project's own source, renamed: no model was trained on it, under whatever name."""
    folder = work / OWN_NAME
    for file in PROJECT.rglob("*.py"):
        there = folder / OWN_NAME / file.relative_to(PROJECT)
        there.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text().replace(PROJECT.name, OWN_NAME)
        there.write_text(text.replace(PROJECT.name.capitalize(), OWN_NAME.capitalize()))
    add_environment(folder, Path(sysconfig.get_paths()["purelib"]))
    place, rng = Place(folder, work / "described"), Random(2)
    modules = list(read_folder(folder / OWN_NAME, OWN_NAME, f"{OWN_NAME}/"))
    modules = rng.sample(modules, min(len(modules), n_modules))
    found = [w for m in modules for w in place.workspaces(m, (), functions(m), rng, Mix())]
    rng.shuffle(found)
    return found


def desks(place: Place, module: Module, rng: Random) -> Iterator[tuple[Desk, Span]]:
    """Somebody at each function of a module."""
    if found := sketch(module.path, module.source):
        file = File(module.path, found, False)
        for span in found.functions:
            if span.is_wanted:
                yield Desk(place, file, rng), span


def word_cases(place: Place, module: Module, rng: Random) -> Iterator[Case]:
    """One identifier of each function, with the cursor somewhere inside; the rest of its line is not there yet."""
    for desk, span in desks(place, module, rng):
        lines = range(span.first + 1, span.end)
        places = [(i, m) for i in lines for m in WORD.finditer(desk.file.lines[i]) if is_code(desk.file.lines[i], m)]
        if places:
            i, match = rng.choice(places)
            joined = int(not (match[0][0].isalnum() or match[0][0] == "_"))
            n_typed = joined + rng.randint(1, len(match[0]) - joined - 2)
            if case := at_cursor(desk, i, match.start(), n_typed, match[0]):
                yield case


def name_cases(place: Place, module: Module, rng: Random) -> Iterator[Case]:
    """One name of each function that only a block has, with the cursor behind its first one to three letters."""
    for desk, span in desks(place, module, rng):
        lines = desk.file.lines
        desk.look("\n".join(lines), Position(span.first + 1, 0))
        known = defined(desk.blocks)
        counts = Counter(w for line in lines[span.first : span.end] for w in outline.WORD.findall(line))
        places = [
            (i, m)
            for i in range(span.first + 1, span.end)
            for m in WORD.finditer(lines[i])
            if (word := m[0].lstrip(" .([{@=-*")) in known and counts[word] == 1 and is_code(lines[i], m)
        ]
        if places:
            i, match = rng.choice(places)
            joined = int(not (match[0][0].isalnum() or match[0][0] == "_"))
            case = at_cursor(desk, i, match.start(), joined + rng.randint(1, 3), match[0])
            word = match[0][joined:]
            if case and word in defined(desk.blocks) and not re.search(rf"\b{word}\b", case.prefix + case.suffix):
                yield case


def is_code(line: str, match: re.Match[str]) -> bool:
    """Roughly: not in a comment or a string."""
    before = line[: match.start()]
    return "#" not in before and before.count('"') % 2 == 0 and before.count("'") % 2 == 0 and match[0][0] not in "'\"#"


def at_cursor(desk: Desk, line: int, column: int, n_typed: int, word: str) -> Case | None:
    whole = desk.file.lines
    cursor = column + n_typed
    view = desk.look(*without(whole, Position(line, cursor), Position(line, len(whole[line]))))
    prefix, suffix = rendering.render_fim(view.editing)
    rest = whole[line][column:]
    if len(prefix) + len(suffix) > LONGEST or not desk.blocks:
        return None
    blocks = tuple(map(rendering.render_context, desk.blocks))
    return Case(blocks, prefix[: len(prefix) - n_typed], rest[:n_typed], word, rest, suffix)
