"""`palimpsest mcp`: the Model Context Protocol over stdio, for an agent that works beside the person.

In: arguments, the protocol's lines.  Out: its answers, logs to stderr, an exit status (0 when the agent leaves, 1 where
this cannot work here, 2 wrong usage).
"""

import argparse
import importlib.util
import sys
from pathlib import Path

from palimpsest.errors import PalimpsestError
from palimpsest.windows.sockets import check_platform

NEEDS = f"palimpsest mcp needs the Model Context Protocol's library: {sys.executable} -m pip install {{}}"
LIBRARY = "'mcp>=2.0,<3'"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workspace",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="a folder that the editor has open (default: this one)",
    )
    parser.set_defaults(ends_at_once=True)  # a thread of the library's waits for the next line, whatever happens


def run(options: argparse.Namespace) -> int:
    if not options.workspace.is_dir():
        options.parser.error(f"--workspace: expected a folder; there is no {options.workspace}")
    if importlib.util.find_spec("mcp") is None:
        print(NEEDS.format(LIBRARY), file=sys.stderr)
        return 1
    try:
        check_platform()
    except PalimpsestError as error:
        print(f"palimpsest mcp: {error}", file=sys.stderr)
        return 1

    import anyio

    from palimpsest.agents.tools import make_server, serve
    from palimpsest.agents.workspace import AgentWorkspace

    anyio.run(serve, make_server(AgentWorkspace(options.workspace)))
    return 0
