"""Whether torch and llama.cpp read a base alike: `python -m training.parity FILE.gguf`.

In: a base, texts.  Out: the mean loss of both, f32 throughout, the largest difference of a token's, and how many of the
texts are split into the same tokens.  Torch has base and factors apart, llama.cpp what `training.adapter` and
`training.merge` make of them.  To be run before a night is spent on a base that nobody has tried here.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from palimpsest.models.merge import Kind, merge
from training import adapter
from training import base as bases
from training.arena import Arena
from training.base import Base
from training.layout import Builder
from training.lora import Lora, fresh, frozen, loss
from training.measures import cross_entropy
from training.model import Parts


def torch_losses(base: Base, lora: Lora, ids: Sequence[int], dtype: torch.dtype = torch.float32) -> bases.Floats:
    """Loss of every token of `ids` but the first, read alone at positions from 0."""
    builder = Builder([ids[0]], [], np.random.default_rng(0))
    builder.add_alone(np.array(ids[1:]), 1, 1.0, 0)
    with torch.no_grad():
        found = loss(frozen(base, dtype, "cpu"), lora, builder.finish(), Parts())
    return np.asarray(found.float().numpy(), np.float32)


def llama_losses(path: Path, ids: Sequence[int]) -> bases.Floats:
    arena = Arena(path)
    try:
        return np.asarray(cross_entropy(arena.decode(ids[:-1], 0, len(ids) - 1), ids[1:])[0], np.float32)
    finally:
        arena.close()


def compare(base: Base, texts: Sequence[str], folder: Path, lora: Lora | None = None) -> dict[str, float]:
    """{"torch", "llama.cpp", "largest", "texts", "split_alike"}; a file with f32 weights is written to `folder`."""
    lora = lora or fresh(base, 1, 1.0)
    factors, exact = folder / "adapter.gguf", folder / "exact.gguf"
    adapter.write(base, lora, factors, Kind.F32)
    merge(base.path, factors, exact, kind=Kind.F32)
    arena = Arena(exact, 64)
    alike = sum(arena.tokens(text) == base.vocabulary.encode(text) for text in texts)
    arena.close()
    rows = [[base.vocabulary.marks.start, *base.vocabulary.encode(text)][:400] for text in texts[:6]]
    ours = np.concatenate([torch_losses(base, lora, row) for row in rows])
    theirs = np.concatenate([llama_losses(exact, row) for row in rows])
    exact.unlink()
    figures = {"torch": ours.mean(), "llama.cpp": theirs.mean(), "largest": np.abs(ours - theirs).max()}
    return {**{name: round(float(x), 5) for name, x in figures.items()}, "texts": len(texts), "split_alike": alike}


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("base", type=Path)
    a = cli.parse_args()
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    texts = [text for file in files if (text := file.read_text())]
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(compare(bases.read(a.base), texts, Path(folder))))


if __name__ == "__main__":
    main()
