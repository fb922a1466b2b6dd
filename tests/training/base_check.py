"""A base read, learned beside, written and read back by llama.cpp; fails where torch and llama.cpp differ.

Run by `test_base.py`, where torch is: with a folder of small models that `tests.models` made.
"""

import ctypes
import sys
from pathlib import Path

import llama_cpp.llama_cpp as ll
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from training import adapter, base, lora, parity
from training.arena import Arena
from training.head import frozen_head
from training.measures import cross_entropy
from training.merge import Kind

CLOSE = 1e-3
"""Of a loss: llama.cpp keeps keys and values in 16 bits.  Random weights have losses of eighty nats."""
TEXTS = [
    "def add(self, item, quantity=12):\n        self.items_by_name[item.name] += quantity\n",
    "L12+         überzahl = naïve_Größe — 漢字 🙂\n",
    "a <|endoftext|> stays text",
]


def random_lora(of: base.Base, rank: int) -> lora.Lora:
    """Factors that change what the model says, marks included."""
    torch.manual_seed(3)
    made = lora.fresh(of, rank, 2.0)
    for name, value in made.factors.items():
        if name.endswith(".b") or name == lora.ROWS:
            value.add_(torch.randn_like(value) * 0.05)
    return made


def both_read_the_same(folder: Path, family: str) -> None:
    of = base.read(folder / f"{family}.gguf")
    for learned in (None, random_lora(of, 8)):
        figures = parity.compare(of, TEXTS, folder, learned)
        assert figures["largest"] < CLOSE * figures["torch"], (family, figures)
        assert figures["split_alike"] == len(TEXTS)
    ids = [
        of.vocabulary.marks.end,
        of.vocabulary.marks.prefix,
        *of.vocabulary.encode(TEXTS[0]),
        of.vocabulary.marks.middle,
        5,
    ]
    plain, learned = (parity.torch_losses(of, x, ids) for x in (lora.fresh(of, 8, 2.0), random_lora(of, 8)))
    assert np.abs(plain - learned).max() > 0.1, "or the factors were not seen"


def llama_cpp_takes_the_adapter(folder: Path, family: str) -> None:
    """Beside the base, without the marks' rows, which an adapter of llama.cpp's cannot have."""
    of = base.read(folder / f"{family}.gguf")
    learned, path = random_lora(of, 8), folder / "adapter.gguf"
    adapter.write(of, learned, path, Kind.F32)
    arena, ids = Arena(of.path), [of.vocabulary.marks.end, *of.vocabulary.encode(TEXTS[0])]
    loaded = ll.llama_adapter_lora_init(arena.model, str(path).encode())
    assert loaded
    scales, adapters = (ctypes.c_float * 1)(1.0), (ll.llama_adapter_lora_p_ctypes * 1)(loaded)
    assert ll.llama_set_adapters_lora(arena.context, adapters, 1, scales) == 0
    theirs, _ = cross_entropy(arena.decode(ids[:-1], 0, len(ids) - 1), ids[1:])
    arena.close()
    without_rows = {**learned.factors, lora.ROWS: of.parameters["embedding"][of.vocabulary.marks.rows]}
    ours = parity.torch_losses(of, lora.Lora(8, 2.0, without_rows), ids)
    assert np.abs(ours - theirs).max() < CLOSE * ours.mean()


def its_loss_has_the_gradients_that_autograd_finds() -> None:
    torch.manual_seed(1)
    x, vocabulary, ids = torch.randn(700, 16), torch.randn(50, 16), torch.tensor([4, 9])
    rows, weights, targets = torch.randn(2, 16), torch.rand(700), torch.randint(0, 50, (700,))
    found = []
    for frozen in (True, False):
        a, b = (value.clone().requires_grad_() for value in (x, rows))
        if frozen:
            losses = frozen_head(a, vocabulary, b, ids, targets)
        else:
            losses = F.cross_entropy(F.linear(a, vocabulary.index_copy(0, ids, b)), targets, reduction="none")
        found.append([losses, *torch.autograd.grad((losses * weights).sum(), [a, b])])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def a_lower_rank_keeps_the_most(folder: Path) -> None:
    of = base.read(folder / "llama.gguf")
    whole = random_lora(of, 8)

    def product(of: lora.Lora) -> torch.Tensor:
        return torch.bmm(of.factors["qkv.b"], of.factors["qkv.a"])

    torch.testing.assert_close(product(lora.reduced(whole, 8)), product(whole), rtol=1e-3, atol=1e-5)
    errors = [float((product(lora.reduced(whole, rank)) - product(whole)).norm()) for rank in (2, 4, 6)]
    assert errors == sorted(errors, reverse=True)


def what_cannot_be_trained_on_says_why(folder: Path) -> None:
    for kind, reason in (("mamba", "family mamba"), ("plain", "prefix, suffix, middle")):
        with pytest.raises(base.NotABase, match=reason):
            base.read(folder / f"{kind}.gguf")


def main() -> None:
    folder = Path(sys.argv[1])
    for family in ("llama", "fim"):
        both_read_the_same(folder, family)
        llama_cpp_takes_the_adapter(folder, family)
    its_loss_has_the_gradients_that_autograd_finds()
    a_lower_rank_keeps_the_most(folder)
    what_cannot_be_trained_on_says_why(folder)


if __name__ == "__main__":
    main()
