"""A name for a model's KV, so that none is ever read back into another model.

In: a model file, the settings that the bytes of a cell depend on.  Out: a name.  Reads a sample of the file.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.llama.library import library
from palimpsest.system.reading import open_regular

SAMPLES = 64
SAMPLE = 1 << 16
BEGINNING = 4 << 20
"""Bytes: a GGUF file's metadata and the shapes of its tensors are in here, or most of them."""


def kv_identity(model: Path, settings: EngineSettings, long_rope: bool) -> str:
    """24 hex digits: of the file's size, time of change, beginning and samples throughout, of the KV types, of
    which rotation the model uses, and of the version of llama.cpp, whose format the bytes have.  Raises OSError."""
    facts = model.stat()
    kept = {name: getattr(settings, name) for name in ("type_k", "type_v", "flash_attention", "n_gpu_layers")}
    version = library().api.version
    what = json.dumps([facts.st_size, facts.st_mtime_ns, kept, long_rope, version], sort_keys=True)
    made = hashlib.blake2b(what.encode(), digest_size=12)
    with open_regular(model) as file:
        made.update(file.read(BEGINNING))
        rest = max(0, facts.st_size - BEGINNING - SAMPLE)
        for i in range(SAMPLES):
            file.seek(BEGINNING + rest * i // (SAMPLES - 1))
            made.update(file.read(SAMPLE))
    return made.hexdigest()
