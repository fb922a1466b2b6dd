"""The board: what people and agents put into the context from outside, and what they pinned.

In: `put`, `drop`, `pin`, `unpin`, at any time and from any thread.  Out: blocks that are candidates until they are
dropped or their time is over, and the pinned documents.  Owner of that state, and of nothing else: it reads no file
(`sources/files.py` does, for the pins) and knows no budget.
"""

from __future__ import annotations

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
from palimpsest.types import BLOCK_TYPES, Block, BlockKey, BlockType

MAX_BLOCKS = 256
MAX_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True)
class _Posted:
    block: Block
    expires: float | None


class ExternalBlocks:
    """`clock` gives seconds that only ever rise; `put`'s `ttl` counts in them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._posted: dict[BlockKey, _Posted] = {}
        self._pins: dict[str, None] = {}
        self._revision = 0
        self._lock = threading.Lock()

    def put(
        self,
        type: str,
        name: str,
        text: str,
        *,
        editable: bool = False,
        uri: str | None = None,
        source: str = "",
        priority: float = 0.0,
        ttl: float | None = None,
    ) -> Block:
        """Post a block, or replace the one of that type and name; it stays for `ttl` seconds, or until dropped.

        `priority` moves it among the others by `values.PER_PRIORITY` points each.  An editable block needs the `uri`
        its edits go to.  Raises InvalidArgument that names the field.
        """
        checked = _checked_type(type)
        if not name.strip():
            raise InvalidArgument("name", "a block needs a name.")
        if len(text) > MAX_CHARACTERS:
            raise InvalidArgument("text", f"{len(text):,} characters; {MAX_CHARACTERS:,} at most.")
        if editable and uri is None:
            raise InvalidArgument("uri", "an editable block needs the URI of the document that its edits go to.")
        if kind := tokens.found(f"{name}\n{text}"):
            raise InvalidArgument("text", f"holds what looks like {kind}.", hint=tokens.HINT)
        _check_place(uri)
        if not isfinite(priority):
            raise InvalidArgument("priority", "expected a finite number.")
        if ttl is not None and not ttl > 0:
            raise InvalidArgument("ttl", "expected a number of seconds above 0.")
        block = Block(
            checked,
            name,
            text.strip("\n"),
            value=OUTSIDE + PER_PRIORITY * priority,
            editable=editable,
            uri=uri,
            source=source or "outside",
        )
        with self._lock:
            self._expire()
            if block.key not in self._posted and len(self._posted) >= MAX_BLOCKS:
                raise InvalidArgument("name", f"{MAX_BLOCKS} blocks are there already.", hint="Drop one first.")
            self._posted[block.key] = _Posted(block, None if ttl is None else self._clock() + ttl)
            self._revision += 1
        return block

    def drop(self, type: str, name: str) -> bool:
        """Take a block off; False when there is none of that type and name."""
        key = BlockKey(_checked_type(type), name)
        with self._lock:
            self._expire()
            dropped = self._posted.pop(key, None) is not None
            self._revision += dropped
            return dropped

    @property
    def revision(self) -> int:
        """Rises whenever what is posted or pinned changes, also by time."""
        with self._lock:
            self._expire()
            return self._revision

    def blocks(self) -> list[Block]:
        """What is posted now, in the order it first came."""
        with self._lock:
            self._expire()
            return [posted.block for posted in self._posted.values()]

    def pin(self, uri: str) -> None:
        """Hold a document in the context.  Whether it may be read is checked by `sources/files.py`, beforehand."""
        with self._lock:
            self._revision += uri not in self._pins
            self._pins[uri] = None

    def unpin(self, uri: str) -> bool:
        """False when it was not pinned."""
        with self._lock:
            known = uri in self._pins
            self._pins.pop(uri, None)
            self._revision += known
            return known

    def leave(self, gone: Callable[[str], bool]) -> None:
        """Take off what is of documents that are `gone`, by their URIs: pins, and posted blocks."""
        with self._lock:
            for uri in [uri for uri in self._pins if gone(uri)]:
                del self._pins[uri]
                self._revision += 1
            for key in [key for key, p in self._posted.items() if p.block.uri is not None and gone(p.block.uri)]:
                del self._posted[key]
                self._revision += 1

    @property
    def pins(self) -> tuple[str, ...]:
        """URIs in the order they were pinned."""
        with self._lock:
            return tuple(self._pins)

    def _expire(self) -> None:
        now = self._clock()
        over = [key for key, p in self._posted.items() if p.expires is not None and p.expires <= now]
        for key in over:
            del self._posted[key]
            self._revision += 1


def _check_place(uri: str | None) -> None:
    """Raises InvalidArgument for a document that no edit may go to."""
    path = path_or_none(uri) if uri is not None else None
    if path is not None and any(is_secret(p) or is_of_version_control(p) for p in (path, Path(os.path.realpath(path)))):
        raise InvalidArgument("uri", f"{uri} looks like a file of secrets, or is version control's own.")


def _checked_type(type: str) -> BlockType:
    for known in BLOCK_TYPES:
        if type == known:
            return known
    raise InvalidArgument("type", f"expected one of {', '.join(BLOCK_TYPES)}, got {type!r}.")
