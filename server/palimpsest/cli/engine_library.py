"""`palimpsest engine get [auto|cpu|vulkan|cuda|metal]`: a prebuilt llama.cpp, fetched, tried and used from then on.

In: arguments.  Out: text for a person, or with `--json` one JSON object; exit status 0 done, 1 not right, 2 usage.
"""

import argparse
import dataclasses
import json
import sys

from palimpsest.cli.progress import bar
from palimpsest.config.layers import own_settings
from palimpsest.engine.llama.trial import Tried, tried
from palimpsest.errors import EngineUnavailable, ModelError, PalimpsestError
from palimpsest.libraries import get
from palimpsest.libraries.known import ARCHIVES, BACKENDS, Archive, archive, machine
from palimpsest.libraries.locate import Located, home, located, used

CPU = "`palimpsest engine get cpu` has the one for processors."


def run(options: argparse.Namespace) -> int:
    try:
        place, library = _fetched_before(options) or _first_that_works(options)
    except PalimpsestError as error:
        print(json.dumps({"error": {"code": error.code, "message": error.message, "hint": error.hint}}) if options.json
              else str(error), file=sys.stdout if options.json else sys.stderr)  # fmt: skip
        return 1
    except KeyboardInterrupt:
        print("Stopped. It goes on from here the next time.", file=sys.stderr)
        return 130
    if options.json:
        print(json.dumps({"library": str(place.file), **dataclasses.asdict(library)}))
    else:
        set_ = own_settings().engine.library.strip()
        then = f"The setting engine.library, which names {set_}, goes before it." if set_ else "It is used from now on."
        print(f"{place.file}: {described(library)}.  {then}")
    return 0


def _fetched_before(options: argparse.Namespace) -> tuple[Located, Tried] | None:
    """What was fetched before, unless a backend is asked for: it may have been chosen."""
    folder = used() if options.backend is None else None
    if folder is None or not any(folder.name == one.folder for one in ARCHIVES.values()):
        return None
    try:
        place = located(str(folder))
        library = tried(place.file)
    except PalimpsestError:
        return None
    needs_gpu = any(folder.name == one.folder for one in ARCHIVES.values() if one.backend in get.DRIVERS)
    return (place, library) if library.gpus or not needs_gpu else None


def _first_that_works(options: argparse.Namespace) -> tuple[Located, Tried]:
    """The library that is asked for; of `auto` the one for the GPU, else that for processors.  Raises
    PalimpsestError."""
    wanted = get.wanted(options.backend or "auto")
    cpu = archive("cpu", machine())
    if options.backend in BACKENDS or wanted.backend == "cpu" or cpu is None:
        return _got(wanted, options)
    try:
        return _got(wanted, options)
    except PalimpsestError as error:
        _say(options, f"{wanted.name} cannot be used here: {error.message}  The one for processors instead.")
    return _got(cpu, options)


def described(library: Tried) -> str:
    """`llama.cpp 0.4.0-dev, built for zen4, on NVIDIA GeForce RTX 4090 (24.0 GB)`"""
    built = f", built for {library.processor}" if library.processor else ""
    gpus = ", ".join(f"{gpu.description} ({gpu.memory / 1e9:.1f} GB)" for gpu in library.gpus)
    fault = f" (its GPU cannot be used: {library.fault})" if library.fault else ""
    return f"llama.cpp {library.version}{built}, on {gpus or 'the processor alone'}{fault}"


def _got(what: Archive, options: argparse.Namespace) -> tuple[Located, Tried]:
    """Fetched, and tried before it takes the place of the one that is used."""
    if not get.has_driver(what.backend):
        raise ModelError(f"There is no driver for {what.backend} here.", hint=CPU)
    if get.is_here(what):
        try:
            return _tried(what)
        except EngineUnavailable as error:  # damaged since
            _say(options, f"{error.message}  It is fetched again.")
            get.forget(what)
    _say(options, f"{what.package}: {what.size / 1e6:.1f} MB to fetch.")
    with bar(options.json, options.progress) as progress:
        got = get.get(what, progress)
    try:
        result = _tried(what)
    except PalimpsestError:
        get.forget(what)
        raise
    _say(options, f"{got.size / 1e6:.1f} MB in {got.folder}.")
    return result


def _tried(what: Archive) -> tuple[Located, Tried]:
    """What is here; used from now on.  Raises EngineUnavailable where it does not load, ModelError where it can use no
    GPU though it is for one."""
    place = located(str(home() / what.folder))
    library = tried(place.file)
    if what.backend in get.DRIVERS and not library.gpus:
        why, hint = library.fault or "there is none that it knows", "A newer driver may help.  " * bool(library.fault)
        raise ModelError(f"{what.name} can use no GPU here ({why}), so it is not used.", hint=hint + CPU)
    get.use(what)
    return place, library


def _say(options: argparse.Namespace, text: str) -> None:
    if not options.json:
        print(text)
