"""Blocks that users and agents put into the context, and documents that they pinned.

In: `put`, `drop`, `pin`, `unpin`, at any time and from any thread.  Out: blocks that are candidates until they are
dropped or expire, and pinned URIs.  Reads no file (`sources/external.py` does) and knows no budget.
"""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from palimpsest.context.values import OUTSIDE, PER_PRIORITY
from palimpsest.errors import InvalidArgument
from palimpsest.text import tokens
from palimpsest.text.secret_names import is_of_version_control, is_secret
from palimpsest.text.uris import path_or_none
from palimpsest.types import Block, BlockKey, BlockType

MAX_BLOCKS = 256
MAX_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True)
class _Entry:
    block: Block
    expires: float | None


class ExternalBlocks:
    """`clock` is a monotonic clock in seconds, as is the `ttl` of `put`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[BlockKey, _Entry] = {}
        self._pins: dict[str, None] = {}
        self._revision = 0
        self._lock = threading.Lock()

    def put(
        self,
        type: BlockType,
        name: str,
        text: str,
        *,
        editable: bool = False,
        uri: str | None = None,
        source: str = "",
        priority: float = 0.0,
        ttl: float | None = None,
    ) -> Block:
        """Add a block, or replace the one with that type and name.  It stays for `ttl` seconds, or until dropped.

        Each unit of `priority` is worth `values.PER_PRIORITY` points.  An editable block needs the `uri` of the
        document that its edits change.  Raises InvalidArgument that names the field.
        """
        if not name.strip():
            raise InvalidArgument("name", "a block needs a name.")
        if len(text) > MAX_CHARACTERS:
            raise InvalidArgument("text", f"{len(text):,} characters; {MAX_CHARACTERS:,} at most.")
        if editable and uri is None:
            raise InvalidArgument("uri", "an editable block needs the URI of the document that its edits go to.")
        if kind := tokens.found(f"{name}\n{text}"):
            raise InvalidArgument("text", f"holds what looks like {kind}.", hint=tokens.HINT)
        _check_editable(uri)
        if not isfinite(priority):
            raise InvalidArgument("priority", "expected a finite number.")
        if ttl is not None and not ttl > 0:
            raise InvalidArgument("ttl", "expected a number of seconds above 0.")
        block = Block(
            type,
            name,
            text.strip("\n"),
            value=OUTSIDE + PER_PRIORITY * priority,
            editable=editable,
            uri=uri,
            source=source or "outside",
        )
        with self._lock:
            self._expire()
            if block.key not in self._entries and len(self._entries) >= MAX_BLOCKS:
                raise InvalidArgument("name", f"{MAX_BLOCKS} blocks are there already.", hint="Drop one first.")
            self._entries[block.key] = _Entry(block, None if ttl is None else self._clock() + ttl)
            self._revision += 1
        return block

    def drop(self, type: BlockType, name: str) -> bool:
        """Remove a block; False if there is none of that type and name."""
        key = BlockKey(type, name)
        with self._lock:
            self._expire()
            dropped = self._entries.pop(key, None) is not None
            self._revision += dropped
            return dropped

    @property
    def revision(self) -> int:
        """Rises whenever the blocks or pins change, also when a block expires."""
        with self._lock:
            self._expire()
            return self._revision

    def blocks(self) -> list[Block]:
        """The blocks that are there now, in the order in which they were first put."""
        with self._lock:
            self._expire()
            return [entry.block for entry in self._entries.values()]

    def pin(self, uri: str) -> None:
        """Keep a document in the context.  The caller has checked that it may be read (`sources/external.py`)."""
        with self._lock:
            self._revision += uri not in self._pins
            self._pins[uri] = None

    def unpin(self, uri: str) -> bool:
        """False if it was not pinned."""
        with self._lock:
            known = uri in self._pins
            self._pins.pop(uri, None)
            self._revision += known
            return known

    def remove(self, gone: Callable[[str], bool]) -> None:
        """Remove the pins and blocks of documents whose URI is `gone`."""
        with self._lock:
            for uri in [uri for uri in self._pins if gone(uri)]:
                del self._pins[uri]
                self._revision += 1
            uris = {key: entry.block.uri for key, entry in self._entries.items()}
            for key in [key for key, uri in uris.items() if uri is not None and gone(uri)]:
                del self._entries[key]
                self._revision += 1

    @property
    def pins(self) -> tuple[str, ...]:
        """URIs in the order they were pinned."""
        with self._lock:
            return tuple(self._pins)

    def _expire(self) -> None:
        now = self._clock()
        over = [key for key, entry in self._entries.items() if entry.expires is not None and entry.expires <= now]
        for key in over:
            del self._entries[key]
            self._revision += 1


def _check_editable(uri: str | None) -> None:
    """Raises InvalidArgument for a document that must not be edited."""
    path = path_or_none(uri) if uri is not None else None
    if path is not None and any(is_secret(p) or is_of_version_control(p) for p in (path, Path(os.path.realpath(path)))):
        raise InvalidArgument("uri", f"{uri} looks like a file of secrets, or is version control's own.")
