"""One block's KV as a file: magic, a header that vouches for itself, data that the header vouches for.

    magic (8) | length of header (4, little-endian) | BLAKE2b of header (16) | header (JSON) | data

In: a path, a block's KV.  Out: a file that is there whole or not at all; what is read back is what was written, or
nothing.  Knows no folder, no budget and no llama.cpp.
"""

import hashlib
import json
import os
import struct
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from palimpsest.engine.arena.store import Data

MAGIC = b"PLMPSKV1"
_PREFIX = struct.Struct("<8sI16s")
_MAX_HEADER = 1 << 16


@dataclass(frozen=True, slots=True)
class FileHeader:
    """`model` names the model file and everything else that the KV depends on; `digest` the header and text that are
    encoded; `checksum` is that of the `n_bytes` of data."""

    model: str
    digest: str
    n_tokens: int
    start: int
    key: str
    n_bytes: int
    checksum: str


class Damaged(Exception):
    """The file is not what was written: cut off, changed, or of another format."""


def checksum(data: Data) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def write(path: Path, header: FileHeader, data: Data) -> None:
    """Raises OSError; then there is no such file, or the old one."""
    raw = json.dumps(asdict(header)).encode()
    passing = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    fd = os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with open(fd, "wb") as file:
            file.write(_PREFIX.pack(MAGIC, len(raw), hashlib.blake2b(raw, digest_size=16).digest()))
            file.write(raw)
            file.write(data)
        # not synced: what a loss of power tears, the checksums show
        os.replace(passing, path)
    except BaseException:  # half a file is of use to nobody
        passing.unlink(missing_ok=True)
        raise


def read_header(path: Path) -> FileHeader:
    """Raises OSError, Damaged."""
    with path.open("rb", buffering=0) as file:
        return _header(file)[0]


def read(path: Path) -> tuple[FileHeader, bytearray]:
    """Raises OSError, Damaged."""
    with path.open("rb", buffering=0) as file:
        header, at = _header(file)
        data, n = bytearray(header.n_bytes), 0
        file.seek(at)
        while n < len(data) and (got := file.readinto(memoryview(data)[n:])):
            n += got
    if n < len(data) or checksum(data) != header.checksum:
        raise Damaged(path)
    return header, data


def _header(file: BinaryIO) -> tuple[FileHeader, int]:
    """The header and where the data begins."""
    raw = file.read(_PREFIX.size)
    if len(raw) < _PREFIX.size:
        raise Damaged(file.name)
    magic, length, vouched = _PREFIX.unpack(raw)
    text = file.read(length) if magic == MAGIC and length <= _MAX_HEADER else b""
    if not text or hashlib.blake2b(text, digest_size=16).digest() != vouched:
        raise Damaged(file.name)
    try:
        header = FileHeader(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise Damaged(file.name) from error
    at = _PREFIX.size + length
    if os.fstat(file.fileno()).st_size != at + header.n_bytes:
        raise Damaged(file.name)
    return header, at
