"""`palimpsest engine`: with the model in use where none is named; `--list` and `--stop` for those that run, `get` for
a prebuilt llama.cpp.

In: arguments.  Out: an exit status (0 done, 1 there is none such or it did not work, 2 wrong usage).
The process itself is `engine/main.py`.
"""

import argparse
import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass

from palimpsest.config.layers import own_settings
from palimpsest.engine.options import add, read
from palimpsest.errors import EngineError, EngineSilent
from palimpsest.libraries.known import BACKENDS
from palimpsest.models.files import inspect, model_path
from palimpsest.system import folders, loops, process_lock
from palimpsest.system.engine_address import Address, of_the_process
from palimpsest.wire import Health

END_S = 20.0
"""How long one that was told to leave may take."""
PAUSE_S = 0.05


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true", help="show the engines that run")
    parser.add_argument("--json", action="store_true", help="with --list: as JSON")
    parser.add_argument(
        "--stop",
        nargs="?",
        const="",
        metavar="NAME|PORT",
        help="end one that runs; the one with --http, if none is named",
    )
    add(parser)
    get = parser.add_subparsers(metavar="COMMAND").add_parser("get", help="fetch a prebuilt llama.cpp")
    get.add_argument(
        "backend",
        nargs="?",
        choices=("auto", *BACKENDS),
        help="auto: by the GPU that is here; without it, as before, or auto where nothing was fetched yet",
    )
    get.add_argument("--json", action="store_true", help="one JSON object instead of text")
    get.add_argument("--progress", action="store_true", help="with --json: how far it is, as objects on stderr")
    get.set_defaults(get=True)
    parser.set_defaults(get=False)


def run(options: argparse.Namespace) -> int:
    if options.get:
        from palimpsest.cli.engine_library import run as get

        return get(options)
    if options.list or options.stop is not None:
        return loops.run(_show(as_json=options.json) if options.list else _stop(options.stop))
    from palimpsest.engine.main import main

    settings = own_settings()
    if options.settings is None:  # with them a server starts it
        options.settings = json.dumps(of_the_process(asdict(settings.engine)))
    return main(read(options.parser, vars(options), model_path(settings.model)), inspect)


@dataclass(frozen=True, slots=True)
class Running:
    """An engine at `place`; `health` is None where it is there and does not answer."""

    place: Address
    health: Health | None

    @property
    def name(self) -> str:
        return self.place.called

    @property
    def pid(self) -> int:
        """0 where the system does not say."""
        return self.health.pid if self.health is not None else process_lock.holder(self.place.lock) or 0

    def is_called(self, name: str) -> bool:
        """Whether it has this name, process or port; "" means every engine that a person started with `--http`."""
        http = self.health.http if self.health is not None else ""
        return bool(http) if not name else name in (self.name, str(self.pid), http, http.rpartition(":")[2])


async def running() -> list[Running]:
    """Every engine of this user that is at its usual place."""
    from palimpsest.providers.palimpsest.launch import find

    folder = folders.runtime()
    places = sorted(
        {path.with_suffix(".sock") for kind in ("sock", "json") for path in folder.glob(f"engine-*.{kind}")}
    )
    engines = []
    for place in map(Address, places):
        try:
            engine = await find(place)
        except EngineSilent:
            engines.append(Running(place, None))
            continue
        if engine is not None:
            with suppress(EngineError):  # it left between two questions
                engines.append(Running(place, await engine.health()))
            await engine.aclose()
    return engines


async def _show(*, as_json: bool) -> int:
    engines = await running()
    if as_json:
        rows = [
            {"name": e.name, "pid": e.pid, "model": h.model if h else "", "state": h.state if h else "silent",
             "clients": h.clients if h else 0, "http": h.http if h else ""}
            for e in engines for h in (e.health,)
        ]  # fmt: skip
        print(json.dumps(rows))
        return 0
    for engine in engines:
        health = engine.health
        if health is None:
            print(f"{engine.name}  process {engine.pid}, does not answer")
            continue
        where = f", {health.http}" if health.http else ""
        print(f"{engine.name}  process {health.pid}, {health.state}, {health.clients} editors{where}: {health.model}")
    if not engines:
        print("no engine runs")
    return 0


async def _stop(name: str) -> int:
    """End those that are meant, and wait until they are gone.  An editor that used one starts another."""
    from palimpsest.providers.palimpsest.launch import send_away

    meant = [engine for engine in await running() if engine.is_called(name)]
    if not meant:
        who = f"called {name}" if name else "that serves --http"
        print(f"palimpsest engine: no engine runs {who}; --list shows those that do", file=sys.stderr)
        return 1
    for one in meant:
        await send_away(one.place)
    status = 0
    for one in meant:
        gone = await _is_gone(one)
        print(f"{one.name} has ended" if gone else f"{one.name} does not end; it is process {one.pid}")
        status |= not gone
    return status


async def _is_gone(one: Running) -> bool:
    from palimpsest.engine.http.listen import answers

    end = asyncio.get_running_loop().time() + END_S
    while await asyncio.to_thread(answers, one.place):
        if asyncio.get_running_loop().time() > end:
            return False
        await asyncio.sleep(PAUSE_S)
    return True
