"""`palimpsest engine`: the process around an `EngineCore`; finds its place, serves, leaves, cleans up.

In: arguments, signals.  Out: an exit status (0 done or another engine runs, 1 no engine possible here, 2 wrong
usage), a socket that answers from before the model is loaded, logs to a file and stderr; stdout stays silent.
With `--http` it is a person's own: it says on stderr what it does, and runs beside an editor's engine too.
A crash inside libllama ends this process: that is meant, the server starts the next one.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import faulthandler
import gc
import json
import logging
import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palimpsest import __version__
from palimpsest.config.layers import merged
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.http import public as public_options
from palimpsest.engine.http.listen import Listener, answers, listen
from palimpsest.engine.http.public import Public
from palimpsest.engine.lifetime import announcing
from palimpsest.engine.lifetime.lock import ProcessLock
from palimpsest.errors import EngineUnavailable, PalimpsestError
from palimpsest.system import folders, installation, logs
from palimpsest.system.engine_address import Address, address, beside, has_sockets, identity

if TYPE_CHECKING:
    from palimpsest.engine.core import EngineCore

WAIT_POLICY = ("OMP_WAIT_POLICY", "passive")
"""Before libllama is loaded.  Threads that spin for one another slow it down thirty times on cores that something
else uses too (measured with two threads on two busy cores), and in an editor something always does."""
PREDECESSOR_S = 30.0
"""How long to wait for an engine that holds the lock but does not answer: it is starting, or on its way out."""
STOP_S = 5.0
"""How long freeing the model may take.  A load cannot be interrupted; the system frees it as well."""

logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """`is_named`: the address was given, so that no other will do."""

    model: Path
    settings: EngineSettings
    address: Address
    tcp: tuple[str, int] | None
    log_level: str
    public: Public | None = None
    idle_exit_s: float = math.inf
    is_named: bool = False


def main(argv: Sequence[str], model: Path | None = None, check: Callable[[Path], object] | None = None) -> int:
    """Run an engine until it leaves; what `palimpsest engine` does.

    `model`: what is meant without `--model`.  `check` looks at the model's file before anything is started for a
    person (`--http`); its PalimpsestError is told, and that is all.
    """
    options = _read(argv, model)
    _quiet_stdout(options)
    if options.public is not None and check is not None:
        try:
            check(options.model)
        except PalimpsestError as error:
            announcing.say(str(error))
            return 1
    os.environ.setdefault(*WAIT_POLICY)
    try:
        import uvicorn  # noqa: F401

        from palimpsest.engine.core import EngineCore
        from palimpsest.kv.llama.library import library

        library()
    except (ImportError, EngineUnavailable) as error:
        why = getattr(error, "message", error)
        ways = installation.ways_to_an_engine("\n  ")
        print(f"There is no local engine here ({why}).  Three ways on:\n  {ways}", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, _leave)
    with ExitStack() as stack:
        if not stack.enter_context(_only_one(options.address)):
            if options.public is None:
                logger.info("another engine runs at %s", options.address.socket)
                return 0
            place = options.address if options.is_named else beside(options.address, options.public.port)
            if options.is_named or not stack.enter_context(_only_one(place)):
                announcing.say(
                    f"another engine runs at {place.socket}; `palimpsest engine --list` shows those that do."
                )
                return 1
            options = dataclasses.replace(options, address=place)
        return _run(EngineCore(options.model, options.settings), options)


def _run(core: EngineCore, options: Options) -> int:
    """At an address whose lock is ours.  A person's engine whose model did not load has failed."""
    _log_to_file(options.address)
    logger.info("palimpsest %s engine %s for %s", __version__, options.address.name, options.model)
    try:
        with ExitStack() as stack:
            listener = stack.enter_context(listen(options.address, options.tcp))
            public = stack.enter_context(options.public.listen()) if options.public else None
            asyncio.run(_serve(core, listener, options, public))
    except OSError as error:
        logger.error("cannot serve at %s: %s", _places(options), error)
        return 1
    finally:
        _stop(core)
    return 1 if options.public is not None and core.health().state == "failed" else 0


def _places(options: Options) -> str:
    http = f" and {options.public.url(options.public.port)}" if options.public else ""
    return f"{options.address.socket}{http}"


async def _serve(core: EngineCore, listener: Listener, options: Options, public: socket.socket | None) -> None:
    """Answer until told to leave, by a signal, a request or long silence."""
    from palimpsest.engine.http.routes import create_app
    from palimpsest.engine.http.serve import serve
    from palimpsest.engine.lifetime.lifetime import Life
    from palimpsest.engine.lifetime.watchdog import Watch
    from palimpsest.kv.llama.library import library
    from palimpsest.llama_server.app import create_app as create_public_app

    watch = Watch(library())
    watch.start()
    life = Life(core, options.idle_exit_s, on_stop=watch.leave)
    _on_signals(asyncio.get_running_loop(), life.stop)
    core.start()
    idle = asyncio.ensure_future(life.leave_when_idle())
    serving = [serve(create_app(core, life, listener.token), listener.socket, life.stopping)]
    if options.public is not None and public is not None:
        app = create_public_app(core, life, options.public.keys)
        serving.append(serve(app, public, life.stopping, options.public.tls))
        life.http = options.public.url(public.getsockname()[1])
        announcing.tell(core, life, keys=len(options.public.keys))
    gc.freeze()  # what is loaded by now stays: a search through it is 20 ms within a keystroke
    await asyncio.gather(*serving)
    await idle
    logger.info("leaving")


def _leave(_number: int, _frame: object) -> None:
    """Until the event loop takes the signals over: what was made is removed on the way out."""
    raise SystemExit(0)


def _on_signals(loop: asyncio.AbstractEventLoop, stop: Any) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(stop))


def _stop(core: EngineCore) -> None:
    """Free everything native, or leave it to the system where that takes too long."""
    thread = threading.Thread(target=core.stop, daemon=True)
    thread.start()
    thread.join(STOP_S)
    if thread.is_alive():
        logger.warning("the model is still busy; leaving it to the system")
        logging.shutdown()
        os._exit(0)


@contextmanager
def _only_one(place: Address) -> Iterator[bool]:
    """True while this is the only engine at `place`; False when another one is there and answers.

    An engine that is leaving still holds the lock, so a start that comes then waits for it to be gone.
    """
    lock = ProcessLock(place.lock)
    end = time.monotonic() + PREDECESSOR_S
    while not (ours := lock.acquire()):
        if answers(place) or time.monotonic() > end:
            break
        time.sleep(0.05)
    try:
        yield ours
    finally:
        lock.release()


def _quiet_stdout(options: Options) -> None:
    """Whatever prints in here goes to stderr, and so do the stack of a native fault and the log (to a person all of
    it, to the server's file what is wrong)."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.NOTSET if sys.stderr is not None and sys.stderr.isatty() else logging.WARNING)
    with suppress(OSError, RuntimeError):  # no stderr at all
        os.dup2(2, 1)
        faulthandler.enable()
    handler.setFormatter(logs.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=options.log_level.upper(), handlers=[handler])


def _log_to_file(place: Address) -> None:
    with suppress(OSError):  # a log that cannot be written is no reason to have no engine
        path = folders.state() / f"{place.name}.log"
        handler = logs.PrivateFile(path, max_bytes=1 << 20, n_old=1)
        handler.setFormatter(logs.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
        logging.getLogger().addHandler(handler)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="palimpsest engine",
        description="One model and its cache, for every editor.",
        epilog="`palimpsest engine --list` shows those that run, `palimpsest engine --stop [NAME|PORT]` ends one.",
    )
    parser.add_argument("--model", type=Path, metavar="PATH", help="a GGUF file; by default the one in use")
    parser.add_argument(
        "--socket", type=Path, metavar="PATH", help="serve here, not at a path named after model and settings"
    )
    parser.add_argument("--tcp", metavar="HOST:PORT", help="serve on loopback TCP with a token; port 0: a free one")
    parser.add_argument("--settings", default="{}", metavar="JSON", help="engine settings as one object")
    parser.add_argument("--identity", help=argparse.SUPPRESS)  # the server's, so that both surely look at one place
    parser.add_argument("--log-level", default="info", choices=("debug", "info", "warning", "error"))
    for item in dataclasses.fields(EngineSettings):
        if item.metadata["process"]:
            kind, choices = type(item.default), item.metadata["choices"] or None
            name = "--" + item.name.replace("_", "-")
            parser.add_argument(name, type=kind, choices=choices, default=None, help=item.metadata["doc"])
    public_options.add(parser)
    return parser


def _read(argv: Sequence[str], default: Path | None) -> Options:
    """The options; prints what is wrong and raises SystemExit(2)."""
    parser = _parser()
    given = vars(parser.parse_args(argv))
    try:
        table = json.loads(given["settings"])
    except ValueError as error:
        parser.error(f"--settings is not JSON: {error}")
    if not isinstance(table, dict):
        parser.error("--settings: expected an object")
    own = {item.name: given.get(item.name) for item in dataclasses.fields(EngineSettings) if item.metadata["process"]}
    settings, problems = merged([{"engine": table}, {"engine": own}])
    if problems:
        parser.error("; ".join(map(str, problems)))
    named: Path | None = given["model"] or default
    if named is None:
        parser.error("--model is missing")
    model = named.absolute()
    if given["socket"]:
        place = Address(given["socket"].absolute())
        if place.socket.suffix in (".lock", ".json"):
            parser.error("--socket: .lock and .json beside it are taken")
    else:
        name = given["identity"] or identity(model, dataclasses.asdict(settings.engine), __version__)
        place = address(folders.runtime(), name)
    public = public_options.read(parser, given)
    stays = public is not None and given["idle_exit_s"] is None
    return Options(
        model,
        settings.engine,
        place,
        _host_and_port(parser, given["tcp"]),
        given["log_level"],
        public,
        math.inf if stays else settings.engine.idle_exit_s,
        is_named=given["socket"] is not None,
    )


def _host_and_port(parser: argparse.ArgumentParser, text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None if has_sockets() else ("127.0.0.1", 0)
    host, _, port = text.rpartition(":")
    if host not in ("127.0.0.1", "localhost", "[::1]") or not port.isdecimal() or int(port) > 65535:
        parser.error(f"--tcp {text}: expected a loopback address and a port, such as 127.0.0.1:0")
    return host.strip("[]"), int(port)
