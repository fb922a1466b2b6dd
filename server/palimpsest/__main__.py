"""The command line: `palimpsest serve | engine | mcp | acp | demo | doctor | model`.

In: arguments.  Out: an exit status (0 done, 1 the thing asked about is not right, 2 wrong usage).
Each command's room is imported only when asked for, since an editor waits for `serve` to answer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from palimpsest import __version__

USAGE = """\
usage: palimpsest COMMAND [options]

  serve    the language server, over stdio (what an editor starts)
  engine   the engine process (the server starts it by itself); --http for other clients, --list, --stop;
           get: fetches a prebuilt llama.cpp
  mcp      the Model Context Protocol over stdio, for agents: the context of a workspace's open windows
  acp      the Agent Client Protocol over stdio, for editors: conversations about a workspace with the local model
  demo     the real server and engine on a sample workspace, driven as an editor would
  doctor   model, engine, sockets, editors: what is right, and what to do where it is not
  model    list, use, get: which model answers

`palimpsest COMMAND --help` says more.  palimpsest {version}
"""


def _serve(argv: list[str]) -> int:
    from palimpsest.app import serve_main

    return serve_main(argv)


def _engine(argv: list[str]) -> int:
    from palimpsest.cli.engine import main as engine_main

    return engine_main(argv)


def _mcp(argv: list[str]) -> int:
    from palimpsest.agents.command import main as mcp_main

    return mcp_main(argv)


def _acp(argv: list[str]) -> int:
    from palimpsest.agents.acp.command import main as acp_main

    return acp_main(argv)


def _demo(argv: list[str]) -> int:
    from palimpsest.demo.command import main as demo_main

    return demo_main(argv)


def _doctor(argv: list[str]) -> int:
    from palimpsest.cli.doctor import main as doctor_main

    return doctor_main(argv)


def _model(argv: list[str]) -> int:
    from palimpsest.cli.model import main as model_main

    return model_main(argv)


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "serve": _serve,
    "engine": _engine,
    "mcp": _mcp,
    "acp": _acp,
    "demo": _demo,
    "doctor": _doctor,
    "model": _model,
}


def main(argv: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if argv is None else argv
    name = arguments[0] if arguments else ""
    if name in ("-h", "--help", "help"):
        print(USAGE.format(version=__version__), end="")
        return 0
    if name in ("-V", "--version"):
        print(f"palimpsest {__version__}")
        return 0
    command = COMMANDS.get(name)
    if command is None:
        print(USAGE.format(version=__version__), end="", file=sys.stderr)
        if name:
            print(f"\npalimpsest: no command {name!r}", file=sys.stderr)
        return 2
    return command(arguments[1:])


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # of `python -m`: the current folder, which may be a workspace; what is imported yet is ours
    sys.exit(main())
