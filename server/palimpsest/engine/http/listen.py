"""Where the engine listens: a private Unix socket, or loopback TCP with a token in a private file.

In: an `Address` whose lock this process holds.  Out: a listening socket; afterwards nothing of it is left.
Knows no HTTP.
"""

import json
import os
import secrets
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from palimpsest.system.engine_address import Address

BACKLOG = 128


@dataclass(frozen=True, slots=True)
class Listener:
    """`token` is empty where the socket's mode guards it."""

    socket: socket.socket
    token: str = ""


@contextmanager
def listen(place: Address, tcp: tuple[str, int] | None) -> Iterator[Listener]:
    """Listen at `place`, or on loopback `tcp` (host, port) with host, port and token written to `place.note`.

    What an engine that was killed left there is removed first, and afterwards what this one made.
    Raises OSError; FileExistsError when the socket's path is taken by something else.
    """
    remove_stale(place)
    listener = _tcp(place, tcp) if tcp else Listener(_unix(place.socket))
    try:
        yield listener
    finally:
        listener.socket.close()
        with suppress(OSError):  # whoever starts next removes it
            (place.note if tcp else place.socket).unlink()


def answers(place: Address) -> bool:
    """Whether something accepts connections at `place`."""
    try:
        if place.note.exists():
            note = json.loads(place.note.read_text(encoding="utf-8"))
            socket.create_connection((note["host"], note["port"]), timeout=1.0).close()
            return True
        if sys.platform == "win32":
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(1.0)
            client.connect(str(place.socket))
            return True
    except (OSError, ValueError, KeyError, TypeError):
        return False


def remove_stale(place: Address) -> None:
    """Remove a dead engine's socket and note.  The caller holds the lock, so no engine of ours lives there."""
    with suppress(FileNotFoundError):  # there is none
        place.note.unlink()
    with suppress(FileNotFoundError):  # there is none
        if not stat.S_ISSOCK(place.socket.lstat().st_mode):
            raise FileExistsError(f"{place.socket} is no socket; it was left alone")
        if answers(place):
            raise FileExistsError(f"{place.socket} belongs to another program")
        place.socket.unlink()


def _unix(path: Path) -> socket.socket:
    """Bound with mode 0600 from its first moment: a mode set after binding would leave a gap."""
    if sys.platform == "win32":
        raise OSError("no Unix sockets here")
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        server.bind(str(path))
        server.listen(BACKLOG)
    except OSError:
        server.close()
        raise
    finally:
        os.umask(before)
    return server


def _tcp(place: Address, wanted: tuple[str, int]) -> Listener:
    host, _ = wanted
    server = socket.create_server(wanted, family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=BACKLOG)
    token = secrets.token_urlsafe(32)
    port = server.getsockname()[1]
    note = json.dumps({"host": host, "port": port, "token": token, "pid": os.getpid()})
    draft = place.note.with_suffix(".draft")
    with suppress(FileNotFoundError):  # there is none
        draft.unlink()
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(note)
    draft.replace(place.note)  # whoever reads it reads all of it
    return Listener(server, token)
