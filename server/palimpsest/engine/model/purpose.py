"""Whether a GGUF file is a model that writes text, and what it is if not.

In: a file, or a loaded model.  Out: what it is instead, "" for a text generator.  Keys and values are the GGUF
specification's, numbers of pooling types llama.cpp's (LLAMA_POOLING_TYPE_*).
"""

import struct
from pathlib import Path

from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.native import Model
from palimpsest.system.reading import Refused, open_regular

BEGINNING = 1 << 20
"""Bytes: keys about the file as a whole come first."""
STRING = 8  # GGUF_METADATA_VALUE_TYPE_STRING
FILES = {
    "adapter": "an adapter (LoRA), which only changes another model",
    "mmproj": "a projector for pictures, which only serves another model",
    "imatrix": "an importance matrix",
    "vocab": "a vocabulary without a model",
}
PROJECTOR = "clip"
RANK = 4
HINT = "Choose a model that writes text: `palimpsest model list` shows some."


def of_file(path: Path) -> str:
    """By what a file says of itself, without loading it; "" also for a file that cannot be read."""
    try:
        with open_regular(path) as file:
            raw = file.read(BEGINNING)
    except (OSError, Refused):  # loading it says why
        return ""
    if _string(raw, "general.architecture") == PROJECTOR:
        return FILES["mmproj"]
    return FILES.get(_string(raw, "general.type"), "")


def of_model(model: Model) -> str:
    """By a loaded model's metadata and what llama.cpp knows of its architecture."""
    api, architecture = library().api, model.metadata("general.architecture")
    pooling = model.metadata(f"{architecture}.pooling_type")
    if pooling == str(RANK):
        return "a reranker"
    if pooling not in ("", "0", "-1"):
        return "an embedding model"
    if api.llama_model_has_encoder(model.handle):
        return "an encoder, or needs one"
    if model.metadata(f"{architecture}.attention.causal") == "false":
        return "an encoder: its tokens see those behind them"
    if api.llama_model_is_diffusion(model.handle):
        return "a diffusion model, which does not write from left to right"
    return ""


def _string(raw: bytes, key: str) -> str:
    """A key's text, "" where it is not among these bytes."""
    name = struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", STRING)
    at = raw.find(name)
    if at < 0 or at + len(name) + 8 > len(raw):
        return ""
    start = at + len(name) + 8
    (length,) = struct.unpack("<Q", raw[start - 8 : start])
    return raw[start : start + length].decode("utf-8", "replace") if length < 256 else ""
