"""What an engine's process is started with.

In: arguments.  Out: `Options`, or what is wrong with them on stderr and exit status 2.  Opens nothing.
"""

import argparse
import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from palimpsest import __version__
from palimpsest.config.layers import merged
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.http import public as public_options
from palimpsest.engine.http.public import Public
from palimpsest.system import folders
from palimpsest.system.engine_address import Address, address, has_sockets, identity
from palimpsest.system.given import host_and_port, json_object


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
    next_edit_model: Path | None = None


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = "One model and its cache, for every editor."
    parser.add_argument("--model", type=Path, metavar="PATH", help="a GGUF file; by default the one in use")
    parser.add_argument("--next-edit-model", type=Path, metavar="PATH", help="a second GGUF file, for next edits alone")
    parser.add_argument(
        "--socket", type=Path, metavar="PATH", help="serve here, not at a path named after model and settings"
    )
    parser.add_argument("--tcp", metavar="HOST:PORT", help="serve on loopback TCP with a token; port 0: a free one")
    parser.add_argument("--settings", metavar="JSON", help="engine settings as one object")
    parser.add_argument("--identity", help=argparse.SUPPRESS)  # the server's, so that both surely look at one place
    parser.add_argument("--log-level", default="info", choices=("debug", "info", "warning", "error"))
    for item in dataclasses.fields(EngineSettings):
        if item.metadata["process"]:
            kind, choices = type(item.default), item.metadata["choices"] or None
            name = "--" + item.name.replace("_", "-")
            parser.add_argument(name, type=kind, choices=choices, default=None, help=item.metadata["doc"])
    public_options.add(parser)


def read(parser: argparse.ArgumentParser, given: Mapping[str, Any], default: Path) -> Options:
    """The options; prints what is wrong and raises SystemExit(2).  `default`: the model without `--model`."""
    table = json_object(parser, "--settings", given["settings"] or "{}")
    own = {item.name: given.get(item.name) for item in dataclasses.fields(EngineSettings) if item.metadata["process"]}
    settings, problems = merged([{"engine": table}, {"engine": own}])
    if problems:
        parser.error("; ".join(map(str, problems)))
    model: Path = (given["model"] or default).absolute()
    second: Path | None = given["next_edit_model"] and given["next_edit_model"].absolute()
    if given["socket"]:
        place = Address(given["socket"].absolute())
        if place.socket.suffix in (".lock", ".json"):
            parser.error("--socket: expected another ending; .lock and .json are those of files beside it")
    else:
        name = given["identity"] or identity(model, dataclasses.asdict(settings.engine), __version__, second)
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
        next_edit_model=second,
    )


def _host_and_port(parser: argparse.ArgumentParser, text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None if has_sockets() else ("127.0.0.1", 0)
    wanted = "a loopback address and a port, such as 127.0.0.1:0"
    host, port = host_and_port(parser, "--tcp", text, wanted)
    if host not in ("127.0.0.1", "localhost", "::1"):
        parser.error(f"--tcp: expected {wanted}; got {text!r}")
    return host, port
