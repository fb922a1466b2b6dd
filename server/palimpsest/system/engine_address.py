"""Where an engine of one model and settings is met: names of its socket, lock and address file.

In: a folder, the model's path, the engine's settings as a mapping.  Out: paths that the engine and every server
come to by themselves, without asking each other.  This room makes no folder, opens no socket and starts nothing;
of the model it reads size and time of change only.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

THE_CLIENTS = frozenset({"kind", "url", "api_key_env", "api_key", "ca_file", "model", "timeout_s", "retries"})
"""Engine settings that no engine process hears of: how its client reaches it."""
NOT_THE_CACHE = THE_CLIENTS | {"idle_exit_s"}
"""Engine settings that make no other engine: neither the model's answers nor its memory depend on them."""


@dataclass(frozen=True, slots=True)
class Address:
    """One engine's meeting place; everything else is named after `socket`."""

    socket: Path

    @property
    def lock(self) -> Path:
        """Held, locked (`system/process_lock.py`), by the engine process for its life.  Never removed: a lock on a
        removed file locks nothing."""
        return self.socket.with_suffix(".lock")

    @property
    def note(self) -> Path:
        """`{"host", "port", "token", "pid"}` of an engine on loopback TCP; mode 0600."""
        return self.socket.with_suffix(".json")

    @property
    def name(self) -> str:
        return self.socket.stem


def identity(model: Path, settings: Mapping[str, Any], version: str) -> str:
    """12 hex digits: equal for two starts exactly when one engine can serve both.

    A model written anew at the same path is another model; one that is missing has an identity too, so that the
    engine can say what is wrong with it.
    """
    path = Path(os.path.realpath(model))
    try:
        facts = path.stat()
        file = [facts.st_size, facts.st_mtime_ns]
    except OSError:
        file = []
    what = [str(path), file, {k: v for k, v in settings.items() if k not in NOT_THE_CACHE}, version]
    return hashlib.blake2b(json.dumps(what, sort_keys=True).encode(), digest_size=6).hexdigest()


def address(folder: Path, name: str) -> Address:
    """The meeting place called `name` (an `identity`) in a private folder (`folders.runtime()`)."""
    return Address(folder / f"engine-{name}.sock")


def beside(place: Address, port: int) -> Address:
    """Where an engine is met that serves `port` for a person, while `place` is another one's."""
    name = hashlib.blake2b(f"{place.name}:{port or os.getpid()}".encode(), digest_size=6).hexdigest()
    return address(place.socket.parent, name)


def is_loopback(host: str) -> bool:
    """Whether a host of a URL is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def has_sockets() -> bool:
    """Unix domain sockets that asyncio can serve; without them it is loopback TCP and a token."""
    return sys.platform != "win32"
