"""The local address of an engine: the paths of its socket, lock and address file.

In: a folder, the model's path, the engine's settings as a mapping.  Out: paths that the engine and all its clients
derive independently.  Creates and opens nothing; of the model only size and modification time are read.
"""

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
"""Engine settings that only the client uses, to reach the engine."""
NOT_THE_CACHE = THE_CLIENTS | {"idle_exit_s"}
"""Engine settings that an engine can be shared across: neither its answers nor its memory depend on them."""


@dataclass(frozen=True, slots=True)
class Address:
    """One engine's address; the other paths are derived from `socket`."""

    socket: Path

    @property
    def lock(self) -> Path:
        """The file that the engine process keeps locked (`process_lock.py`).  Never removed: a lock on a removed file
        locks nothing."""
        return self.socket.with_suffix(".lock")

    @property
    def note(self) -> Path:
        """`{"host", "port", "token", "pid"}` of an engine on loopback TCP; mode 0600."""
        return self.socket.with_suffix(".json")

    @property
    def name(self) -> str:
        return self.socket.stem

    @property
    def called(self) -> str:
        """The name that a person gives `palimpsest engine --stop`."""
        return self.name.removeprefix("engine-")


def identity(model: Path, settings: Mapping[str, Any], version: str, next_edit_model: Path | None = None) -> str:
    """12 hex digits, equal if and only if one engine can serve both.

    A file that was replaced at the same path is another model.  A missing file has an identity too, so that the engine
    can report it.
    """
    what = [*file_facts(model), {k: v for k, v in settings.items() if k not in NOT_THE_CACHE}, version]
    what += file_facts(next_edit_model) if next_edit_model is not None else []
    return hashlib.blake2b(json.dumps(what, sort_keys=True).encode(), digest_size=6).hexdigest()


CHANGED = "The model's file was changed; the engine begins anew."


def file_facts(model: Path) -> list[Any]:
    """What tells a model's file from another one at its path, or from itself before it was written over; shorter where
    there is none."""
    path = Path(os.path.realpath(model))
    try:
        facts = path.stat()
        return [str(path), [facts.st_size, facts.st_mtime_ns]]
    except OSError:
        return [str(path), []]


def of_the_process(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The engine settings that its process is started with."""
    return {name: value for name, value in settings.items() if name not in THE_CLIENTS}


def address(folder: Path, name: str) -> Address:
    """The address called `name` (an `identity`) in a private folder (`folders.runtime()`)."""
    return Address(folder / f"engine-{name}.sock")


def beside(place: Address, port: int) -> Address:
    """The address of an engine that a user started on `port`, while `place` belongs to another engine."""
    name = hashlib.blake2b(f"{place.name}:{port or os.getpid()}".encode(), digest_size=6).hexdigest()
    return address(place.socket.parent, name)


def is_loopback(host: str) -> bool:
    """Whether a URL's host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def has_sockets() -> bool:
    """Whether asyncio can serve Unix domain sockets here; otherwise engines use loopback TCP and a token."""
    return sys.platform != "win32"
