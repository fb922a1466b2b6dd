"""`palimpsest acp`: the Agent Client Protocol over stdio, for editors that talk with agents.

In: arguments, the protocol's lines.  Out: its answers, logs to a file and to stderr, an exit status (0 when the editor
leaves, 1 where this cannot work here, 2 wrong usage).
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import sys

from palimpsest.app import log_to_file

NEEDS = f"palimpsest acp needs the Agent Client Protocol's library: {sys.executable} -m pip install {{}}"
LIBRARY = "'agent-client-protocol>=0.12'"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("palimpsest acp", description=__doc__.partition("\n")[0])
    parser.add_argument("--log-level", default="info", choices=("debug", "info", "warning", "error"))
    options = parser.parse_args(argv)
    if importlib.util.find_spec("acp") is None:
        print(NEEDS.format(LIBRARY), file=sys.stderr)
        return 1
    log_to_file(options.log_level)

    asyncio.run(_serve())
    return 0


async def _serve() -> None:
    from acp import stdio_streams

    from palimpsest.agents.acp.agent import serve
    from palimpsest.agents.acp.lines import MOST_BUFFERED, Lines

    await serve(Lines(*await stdio_streams(limit=MOST_BUFFERED)))
