"""The command line: one tree of arguments, whose branches are the commands.

In: arguments.  Out: an exit status (0 done, 1 the thing asked about is not right, 2 wrong usage, 130 Ctrl-C).
A branch is imported and filled in only where it is asked for, since an editor waits for `serve` to answer.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec

from palimpsest import __version__

COMMANDS: Mapping[str, tuple[str, str]] = {
    "serve": ("app", "the language server, over stdio (what an editor starts)"),
    "engine": (
        "cli.engine",
        "the engine process (the server starts it by itself); --http for other clients, --list, --stop; get: fetches a "
        "prebuilt llama.cpp",
    ),
    "mcp": (
        "agents.command",
        "the Model Context Protocol over stdio, for agents: the context of a workspace's open windows",
    ),
    "acp": (
        "agents.acp.command",
        "the Agent Client Protocol over stdio, for editors: conversations about a workspace with the local model",
    ),
    "demo": ("demo.command", "the real server and engine on a sample workspace, driven as an editor would"),
    "doctor": ("cli.doctor", "model, engine, sockets, editors: what is right, and what to do where it is not"),
    "model": ("cli.model", "list, use, get, info, check, adapt: which model answers, and how well"),
    "config": ("cli.config", "schema: what an editor completes and checks palimpsest.toml by"),
    "log": ("cli.log", "where the logs of servers and engines are; --follow shows what is written to them"),
    "completion": ("cli.completion", "a script with which your shell completes these commands"),
}
"""Where each is, and what it is.  Its module has `arguments`, which fills in its branch, and `run`; a command
that has nothing to undo says `ends_at_once`."""
MAY_BE_LEFT_OUT = {"mcp": ("agents", "conversations"), "acp": ("agents", "conversations")}
"""The packages that these commands need, and an installation may lack."""
PROTOCOLS = ("serve", "mcp", "acp")
"""Their output is a protocol's, and they see to its end."""
INTERRUPTED = 130
"""What a shell says of a program that Ctrl-C ended."""


def tree(*asked: str) -> argparse.ArgumentParser:
    """The tree of arguments with the branches of these commands, or of all; the others are only named in it."""
    root = argparse.ArgumentParser("palimpsest", epilog="`palimpsest COMMAND --help` says more.")
    root.add_argument("-V", "--version", action="version", version=f"palimpsest {__version__}")
    root.set_defaults(tree=tree, ends_at_once=False)
    branches = root.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, does) in COMMANDS.items():
        if not _is_there(name):
            continue
        branch = branches.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")
        if name in (asked or COMMANDS):
            command = import_module(f"palimpsest.{module}")
            command.arguments(branch)
            branch.set_defaults(run=command.run, parser=branch)
    return root


def main(argv: list[str] | None = None, *, on_interrupt: Callable[..., None] | None = None) -> int:
    """Run a command, that of the process where there is no `argv`.  `on_interrupt` hears Ctrl-C now, and again when the
    command has ended; one that has something to undo gets an exception instead while it runs."""
    words = sys.argv[1:] if argv is None else argv
    asked = next((word for word in words if not word.startswith("-")), "help")
    if not _is_there(asked):
        print(f"palimpsest {asked}: this installation has no agents; the usual one has them.", file=sys.stderr)
        return 1
    root = tree(asked)
    if not words or words[0] in ("-h", "--help", "help"):
        root.print_help(sys.stdout if words else sys.stderr)
        return 0 if words else 2
    options = root.parse_args(words)
    if not _has_home():
        return 1
    try:
        if on_interrupt is not None and not options.ends_at_once:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        status = int(options.run(options))
        if words[0] not in PROTOCOLS:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # who reads has seen enough: `palimpsest config schema | head`
        if words[0] in PROTOCOLS:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest there when it ends
        return 1
    finally:
        if on_interrupt is not None:
            signal.signal(signal.SIGINT, on_interrupt)  # nor is one lost while the interpreter ends


def _is_there(command: str) -> bool:
    """Whether the installation has what a command needs."""
    return all(find_spec(f"palimpsest.{package}") is not None for package in MAY_BE_LEFT_OUT.get(command, ()))


def _has_home() -> bool:
    """Whether there is a folder for what is kept; a person is told where it is not their own."""
    from palimpsest.system import folders  # `--version` needs none

    try:
        if warning := folders.homeless():
            print(f"palimpsest: {warning}", file=sys.stderr)
    except PermissionError as error:
        print(f"palimpsest: {error}", file=sys.stderr)
        return False
    return True
