"""KV of blocks that are not in the cache: in host memory, and on disk where the settings want it.

In: bytes that were read from a sequence.  Out: the same bytes, by the digest of the tokens they encode.  To disk goes
what memory's budget pushes out, and the rest when its workspace or the engine closes, so that a block that changes with
every keystroke is not written with every keystroke.  Belongs to the engine's thread.
"""

import hashlib
import json
import logging
from pathlib import Path

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.arena.store import HostStore, StoredKV
from palimpsest.engine.cache.disk import DiskStore, StoredItem
from palimpsest.engine.llama.library import library
from palimpsest.newest import Newest
from palimpsest.system import folders
from palimpsest.system.reading import open_regular

LOG = logging.getLogger("palimpsest.engine")
MAX_NOTED = 8192
"""Digests that are known to be a workspace's; those it named longest ago are forgotten first."""
MAX_WORKSPACES = 256
"""Digests are kept for at most this many workspaces."""
SAMPLES = 64
SAMPLE = 1 << 16
BEGINNING = 4 << 20
"""Bytes: a GGUF file's metadata and the shapes of its tensors are in here, or most of them."""


class Stores:
    """`get`, `put`, `in`, `drop` and `start_of` are all that planner and executor use.

    A digest belongs to every workspace that named it (`note`), so that a reset finds its copies wherever they came
    from; the last some thousands that a workspace named are known.
    """

    def __init__(self, max_bytes: int, disk: DiskStore | None = None) -> None:
        self._disk = disk
        self.memory = HostStore(max_bytes, pushed_out=self._to_disk)
        self._noted = Newest[str, Newest[str, None]](MAX_WORKSPACES)  # both in order of last use

    @property
    def enabled(self) -> bool:
        return self.memory.enabled or self.on_disk

    @property
    def on_disk(self) -> bool:
        return self._disk is not None

    @property
    def bytes(self) -> int:
        """In host memory."""
        return self.memory.bytes

    @property
    def disk_bytes(self) -> int:
        """Of all models."""
        return self._disk.bytes if self._disk is not None else 0

    def __contains__(self, digest: object) -> bool:
        return digest in self.memory or (self._disk is not None and digest in self._disk)

    def start_of(self, digest: str) -> int | None:
        """Where the KV was saved, None when it is not stored; does not count as use."""
        start = self.memory.start_of(digest)
        return start if start is not None or self._disk is None else self._disk.start_of(digest)

    def get(self, digest: str) -> StoredItem | None:
        item: StoredItem | None = self.memory.get(digest)
        return item if item is not None or self._disk is None else self._disk.get(digest)

    def put(self, digest: str, item: StoredKV) -> bool:
        if self.memory.put(digest, item):
            return True
        return self._to_disk(digest, item)

    def drop(self, digest: str) -> None:
        self.memory.drop(digest)
        if self._disk is not None:
            self._disk.drop(digest)

    def _to_disk(self, digest: str, item: StoredKV, *, patient: bool = False) -> bool:
        return self._disk is not None and item.lasting and self._disk.put(digest, item, patient=patient)

    # Workspaces

    def note(self, workspace: str, digest: str) -> None:
        self._noted[workspace] = noted = self._noted.get(workspace) or Newest[str, None](MAX_NOTED)
        noted[digest] = None

    def is_of(self, workspace: str, digest: str) -> bool:
        return digest in self._noted.get(workspace, ())

    def keys_of(self, workspace: str) -> list[str]:
        """What the workspace's blocks in the store are called."""
        items = (self.memory.peek(digest) for digest in self._noted.get(workspace, ()))
        return list(dict.fromkeys(item.key for item in items if item is not None and item.key))

    def forget(self, workspace: str) -> None:
        """Drop every copy of what the workspace wanted."""
        for digest in self._noted.pop(workspace, ()):
            self.drop(digest)

    def keep(self, workspace: str) -> None:
        """The workspace is closed: what it has in memory goes to disk as well, as far as the disk keeps up."""
        for digest in self._noted.get(workspace, ()) if self.on_disk else ():
            if (item := self.memory.peek(digest)) is not None:
                self._to_disk(digest, item)

    def close(self) -> None:
        """All of memory to disk, what was used last first.  Returns when it is written."""
        if self._disk is not None:
            for digest, item in reversed(self.memory.items()):
                self._to_disk(digest, item, patient=True)
            self._disk.close()
        self.memory.clear()


def make_stores(model: Path, settings: EngineSettings, long_rope: bool) -> Stores:
    """As the settings want them; without a disk, with a warning, where its folder cannot be had."""
    disk = None
    if settings.disk_mb:
        try:
            disk = DiskStore(folders.cache() / "kv", kv_identity(model, settings, long_rope), settings.disk_mb << 20)
        except OSError as error:
            LOG.warning("there is no store on disk: %s", error)
    return Stores(settings.store_mb << 20, disk)


def kv_identity(model: Path, settings: EngineSettings, long_rope: bool) -> str:
    """24 hex digits: of the file's size, time of change, beginning and samples throughout, of the KV types, of
    which rotation the model uses, and of the version of llama.cpp, whose format the bytes have.  Raises OSError."""
    facts = model.stat()
    relevant = {name: getattr(settings, name) for name in ("type_k", "type_v", "flash_attention", "n_gpu_layers")}
    version = library().api.version
    what = json.dumps([facts.st_size, facts.st_mtime_ns, relevant, long_rope, version], sort_keys=True)
    made = hashlib.blake2b(what.encode(), digest_size=12)
    with open_regular(model) as file:
        made.update(file.read(BEGINNING))
        rest = max(0, facts.st_size - BEGINNING - SAMPLE)
        for i in range(SAMPLES):
            file.seek(BEGINNING + rest * i // (SAMPLES - 1))
            made.update(file.read(SAMPLE))
    return made.hexdigest()
