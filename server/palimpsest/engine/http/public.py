"""The engine on TCP for other machines and other programs: where, with which keys, under which certificate.

In: options of the command line, the environment, a file of keys that may change.  Out: a `Public`; a listening socket;
whether a key opens.  A key is never logged.  Knows no route.
"""

import argparse
import hashlib
import hmac
import logging
import os
import socket
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palimpsest.engine.http.listen import BACKLOG
from palimpsest.system.given import MOST, host_and_port, text
from palimpsest.system.reading import Refused, read_text, stamp

KEY_VARIABLE = "PALIMPSEST_API_KEY"
KEY_FILE = "a file with one key a line"
CERTIFICATE, PRIVATE_KEY, PEM = "a certificate (PEM)", "the private key (PEM)", "-----BEGIN "
LOOPBACK = ("127.0.0.1", "localhost", "::1")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tls:
    certificate: Path
    key: Path


class Keys:
    """Any of them opens.  Those of a file are read again once it has changed: a key is given to somebody, or taken from
    them, while the engine runs.  Without any at the beginning no key is wanted, whatever comes of the file."""

    def __init__(self, given: Iterable[str] = (), file: Path | None = None) -> None:
        """Raises nothing: a file that cannot be read has no keys."""
        self._given, self._of_file, self._file = _digests(given), frozenset[bytes](), file
        self._read: tuple[int, int] | None = None
        self._look()
        self._wanted = len(self) > 0

    def __len__(self) -> int:
        return len(self._given | self._of_file)

    def __bool__(self) -> bool:
        """Whether one is wanted."""
        return self._wanted

    def opens(self, key: bytes) -> bool:
        """Keys are compared by digests, so that the time it takes reveals neither a key nor its length."""
        self._look()
        digest = hashlib.sha256(key).digest()
        matches = [hmac.compare_digest(digest, known) for known in self._given | self._of_file]  # always all of them
        return any(matches)

    def _look(self) -> None:
        if self._file is None or (now := stamp(self._file)) == self._read:
            return
        self._read = now
        try:
            self._of_file = _digests(read_text(self._file, MOST).splitlines())
        except (OSError, Refused) as error:
            self._of_file = frozenset()
            logger.warning("the file of keys cannot be read (%s): none of it opens", error)
        logger.info("keys that open: %d", len(self))


def _digests(keys: Iterable[str]) -> frozenset[bytes]:
    bare = filter(None, map(str.strip, keys))
    return frozenset(hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest() for key in bare)


@dataclass(frozen=True, slots=True)
class Public:
    """`keys`: any of them opens; none are wanted on loopback only."""

    host: str
    port: int
    keys: Keys = field(default_factory=Keys, repr=False)
    tls: Tls | None = None

    def place(self, port: int) -> str:
        """As `--http` takes it."""
        return f"[{self.host}]:{port}" if ":" in self.host else f"{self.host}:{port}"

    def url(self, port: int) -> str:
        return f"{'https' if self.tls else 'http'}://{self.place(port)}"

    def listen(self) -> socket.socket:
        """Raises OSError."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        return socket.create_server((self.host, self.port), family=family, backlog=BACKLOG)


def add(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "HTTP",
        "The engine's own protocol and llama-server's, for other machines and other editors' clients.  "
        "The engine then stays until it is told to leave, unless --idle-exit-s is given.",
    )
    group.add_argument("--http", metavar="PORT|HOST:PORT", help="serve there too; a port alone is on 127.0.0.1")
    group.add_argument(
        "--api-key",
        metavar="KEY",
        help="what clients must send as `Authorization: Bearer KEY` (several: with commas between them).  Other users "
        f"of this machine can read a command line: --api-key-file and the variable {KEY_VARIABLE} are private",
    )
    group.add_argument(
        "--api-key-file", type=Path, metavar="PATH", help=f"{KEY_FILE}; it is read again when it changes"
    )
    group.add_argument("--tls-cert", type=Path, metavar="PATH", help="a certificate (PEM, with its chain), for https")
    group.add_argument("--tls-key", type=Path, metavar="PATH", help="the certificate's private key (PEM)")


def read(parser: argparse.ArgumentParser, given: Mapping[str, Any]) -> Public | None:
    """None without --http.  Prints what is wrong and raises SystemExit(2)."""
    if given["http"] is None:
        for name in ("api_key", "api_key_file", "tls_cert", "tls_key"):
            if given[name] is not None:
                parser.error(f"--{name.replace('_', '-')}: goes with --http, which is not given")
        return None
    host, port = _where(parser, given["http"])
    keys = _keys(parser, given)
    if not keys and host not in LOOPBACK:
        parser.error(f"--http: others can reach {host}; give it a key with --api-key-file")
    return Public(host, port, keys, _tls(parser, given["tls_cert"], given["tls_key"]))


def _where(parser: argparse.ArgumentParser, written: str) -> tuple[str, int]:
    host, port = host_and_port(parser, "--http", written, "a port, or a host and a port such as 0.0.0.0:8012")
    return host or "127.0.0.1", port


def _keys(parser: argparse.ArgumentParser, given: Mapping[str, Any]) -> Keys:
    keys = [*(given["api_key"] or "").split(","), *os.environ.get(KEY_VARIABLE, "").split(",")]
    path: Path | None = given["api_key_file"]
    if path is None:
        return Keys(keys)
    lines = text(parser, "--api-key-file", path, KEY_FILE).splitlines()
    if not any(line.strip() for line in lines):
        parser.error(f"--api-key-file: expected {KEY_FILE}; there is none in {path}")
    return Keys(keys, path) if path.is_file() else Keys([*keys, *lines])  # a pipe is read once


def _tls(parser: argparse.ArgumentParser, certificate: Path | None, key: Path | None) -> Tls | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        parser.error("--tls-cert, --tls-key: one goes with the other; give both")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:  # also what ssl itself finds wrong, without saying in which file
        for option, path, wanted in ("--tls-cert", certificate, CERTIFICATE), ("--tls-key", key, PRIVATE_KEY):
            if PEM not in text(parser, option, path, wanted):
                parser.error(f"{option}: expected {wanted}; {path} is none")
        parser.error(f"--tls-cert, --tls-key: expected {CERTIFICATE} and {PRIVATE_KEY} of it; OpenSSL says: {error}")
    return Tls(certificate, key)
