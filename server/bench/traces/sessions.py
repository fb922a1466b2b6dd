"""Sessions that no history tells: a person who hops between files, a person who types.

In: a repository's files, a seed.  Out: a `Trace`.
"""

from __future__ import annotations

from collections.abc import Mapping

from bench.traces.format import Trace
from bench.traces.person import Person
from bench.traces.places import Function, all_functions, functions
from palimpsest.errors import InvalidArgument

PARAMETER = ", extra: int = 0"


def hopping(files: Mapping[str, str], *, n_files: int, hops: int, seed: int, burst: int) -> Trace:
    """Between functions of a few files, back and forth, typing a line in each; now and then a method gets one more
    parameter.  After every second hop typing begins at once, without a look around.  Raises InvalidArgument for too
    few functions."""
    found = all_functions(files)
    if len(found) < n_files:
        raise InvalidArgument("repo", f"{n_files} files with three functions each are wanted; there are {len(found)}.")
    person = Person(files, seed, burst)
    names = person.random.sample(sorted(found), n_files)
    wanted = {name: person.random.sample([f.name for f in found[name]], 3) for name in names}
    at, inside = 0, 0
    for hop in range(hops):
        kind = hop % 4
        if kind == 1:  # another function of this file
            inside += 1
        else:  # the next file, or the one before
            at += -1 if kind == 3 else 1
        file = names[at % n_files]
        name = wanted[file][inside % 3 if kind == 1 else (hop // (4 * n_files)) % 3]
        if kind == 2 and hop % 8 == 6:
            _one_more_parameter(person, file)
        _type_a_little(person, file, name, look=hop % 2 == 0)
        if kind == 3:
            person.save()
    made = f"{hops} hops between three functions each of {n_files} files"
    return person.trace("hopping", made)


def typing(files: Mapping[str, str], *, n_functions: int, seed: int, burst: int) -> Trace:
    """Functions typed in anew, one behind the other, at the end of a file that stands.  Raises InvalidArgument."""
    found = all_functions(files)
    if not found:
        raise InvalidArgument("repo", "no file with three functions of 5 to 45 lines.")
    person = Person(files, seed, burst)
    file = person.random.choice(sorted(found))
    sources = person.random.sample(_module_functions(files, file), n_functions)
    text = files[file]
    person.turn_to(file)
    person.go(file, text.count("\n"), len(text.rpartition("\n")[2]))
    person.look()
    for source in sources:
        person.type("\n\n" + source)
    person.save()
    return person.trace("typing", f"{n_functions} functions typed at the end of {file}")


def _type_a_little(person: Person, file: str, name: str, *, look: bool) -> None:
    """One more statement of the function, much like another of its."""
    place = _now(person, file, name)
    person.go(file, place.line, len(person.buffers.lines(file)[place.line]))
    if look:
        person.look()
    person.type(f"\n{place.indent}{person.random.choice(place.statements)}")


def _one_more_parameter(person: Person, file: str) -> None:
    """A signature that other functions' context shows."""
    text = person.buffers.text(file)
    methods = [
        f for f in functions(file, text, 2, 200) if f.parameters_end is not None and "extra" not in _def(f, text)
    ]
    if not methods:
        return
    method = person.random.choice(methods)
    assert method.parameters_end is not None
    person.go(file, method.def_line, method.parameters_end)
    person.look()
    person.type(PARAMETER)
    person.look()


def _def(function: Function, text: str) -> str:
    return text.split("\n")[function.def_line]


def _now(person: Person, file: str, name: str) -> Function:
    """Where a function is after all that was typed above it."""
    found = functions(file, person.buffers.text(file), 2, 400)
    return next(f for f in found if f.name == name)


def _module_functions(files: Mapping[str, str], but: str) -> list[str]:
    """Whole functions of modules, from files near by in the same language."""
    folder, suffix = but.rpartition("/")[0], but.rpartition(".")[2]
    near = [file for file in sorted(files) if file != but and file.startswith(folder) and file.endswith(f".{suffix}")]
    return [found.text for file in near for found in functions(file, files[file], 9, 26) if found.is_top]
