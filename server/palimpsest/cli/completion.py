"""`palimpsest completion SHELL`: a script with which the shell completes our commands and their arguments.

In: the tree of arguments.  Out: the script on stdout.
"""

import argparse
from collections.abc import Iterator

import shtab

PATHS = {"PATH": shtab.FILE, "FILE": shtab.FILE, "DIR": shtab.DIRECTORY}
"""What is completed, by how the help names an argument."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=shtab.SUPPORTED_SHELLS, help="the shell that reads the script")


def run(options: argparse.Namespace) -> int:
    root: argparse.ArgumentParser = options.tree()
    for action in _actions(root):
        if action.metavar in PATHS:
            action.complete = PATHS[action.metavar]  # type: ignore[attr-defined]
    print(shtab.complete(root, options.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for branch in action.choices.values():
                yield from _actions(branch)
        else:
            yield action
