"""A base read, learned beside, written and read back by llama.cpp; fails where torch and llama.cpp differ.

Run by `test_base.py`, where torch is: with a folder of small models that `tests.models` made.
"""

import json
import sys
from ctypes import c_char_p, c_float, c_int32, c_size_t, c_void_p
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from palimpsest.models.merge import Kind, merge
from training import adapter, base, ending, lora, parity
from training.arena import Arena
from training.folder import convert
from training.head import Taught, frozen_head
from training.layout import MIDDLE
from training.measures import cross_entropy
from training.model import Parts
from training.portions import batch_of
from training.shelf import Encoded, EncodedTail

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
        of.vocabulary.marks.start,
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
    arena, ids = Arena(of.path), [of.vocabulary.marks.start, *of.vocabulary.encode(TEXTS[0])]
    load = arena.api.function("llama_adapter_lora_init", c_void_p, (c_void_p, c_char_p))
    loaded = load(arena.model, str(path).encode())
    assert loaded
    scales, adapters = (c_float * 1)(1.0), (c_void_p * 1)(loaded)
    use = arena.api.function("llama_set_adapters_lora", c_int32, (c_void_p, c_void_p, c_size_t, c_void_p))
    assert use(arena.context, adapters, 1, scales) == 0
    theirs, _ = cross_entropy(arena.decode(ids[:-1], 0, len(ids) - 1), ids[1:])
    arena.close()
    without_rows = {**learned.factors, lora.ROWS: of.parameters["embedding"][of.vocabulary.marks.rows]}
    ours = parity.torch_losses(of, lora.Lora(8, 2.0, without_rows), ids)
    assert np.abs(ours - theirs).max() < CLOSE * ours.mean()


def an_adapter_is_read_as_it_was_written(folder: Path, family: str) -> None:
    of, path = base.read(folder / f"{family}.gguf"), folder / "written.gguf"
    learned = random_lora(of, 8)
    adapter.write(of, learned, path, Kind.F32)
    found = adapter.load(of, path)
    assert (found.rank, found.scale) == (learned.rank, learned.scale)
    assert found.factors.keys() == learned.factors.keys()
    for name, value in learned.factors.items():
        torch.testing.assert_close(found.factors[name], value, rtol=0, atol=0)
    with pytest.raises(base.NotABase, match=r"written\.gguf has no"):
        adapter.load(replace(of, shape=replace(of.shape, n_layers=of.shape.n_layers + 1)), path)
    with pytest.raises(base.NotABase, match="no adapter"):
        adapter.load(of, of.path)


def rows_that_an_older_adapter_lacks_are_as_at_first(folder: Path) -> None:
    of = base.read(folder / "llama.gguf")
    own = replace(of, vocabulary=replace(of.vocabulary, marks=replace(of.vocabulary.marks, end=7)))
    learned, path = random_lora(of, 8), folder / "older.gguf"
    adapter.write(of, learned, path, Kind.F32)
    rows = adapter.load(own, path).factors[lora.ROWS]
    torch.testing.assert_close(rows[:3], learned.factors[lora.ROWS], rtol=0, atol=0)
    assert torch.equal(rows[3], lora.fresh(own, 8, 2.0).factors[lora.ROWS][3])


def a_higher_rank_is_the_same_at_first(folder: Path) -> None:
    of = base.read(folder / "llama.gguf")
    learned = random_lora(of, 4)
    wide, ids = lora.widened(learned, of, 8), [of.vocabulary.marks.start, *of.vocabulary.encode(TEXTS[0])]
    assert wide.factors["down.a"].shape[1] == wide.factors["down.b"].shape[2] == wide.rank == 8
    ours, theirs = (parity.torch_losses(of, each, ids) for each in (wide, learned))
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


def a_teacher_gives_the_gradients_that_autograd_finds() -> None:
    torch.manual_seed(2)
    x, vocabulary, ids = torch.randn(300, 16), torch.randn(50, 16), torch.tensor([4, 9])
    rows, weights, targets = torch.randn(2, 16), torch.rand(300), torch.randint(0, 50, (300,))
    teacher = Taught(torch.randn(300, 16), torch.randn(2, 16), 0.3)
    of_teacher = F.linear(teacher.states, vocabulary.index_copy(0, ids, teacher.rows)).softmax(-1)
    wanted = 0.3 * F.one_hot(targets, 50) + 0.7 * of_teacher
    found = []
    for frozen in (True, False):
        a, b = (value.clone().requires_grad_() for value in (x, rows))
        if frozen:
            losses = frozen_head(a, vocabulary, b, ids, targets, teacher)
        else:
            losses = F.cross_entropy(F.linear(a, vocabulary.index_copy(0, ids, b)), wanted, reduction="none")
        found.append([losses, *torch.autograd.grad((losses * weights).sum(), [a, b])])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def a_teacher_reads_in_order_what_the_other_reads_in_place(folder: Path) -> None:
    of = base.read(folder / "llama.gguf")
    marks, encode = of.vocabulary.marks, of.vocabulary.encode
    header, footer = [marks.start, *encode("<context>")], encode("</context>")
    blocks = [np.array(encode(text)) for text in ("def one(): ...", "class Two:\n    three = 3")]
    suffix, middle = np.array([marks.suffix, *encode("\nend()")]), encode("one()")
    head = [marks.prefix, *encode("two = ")]
    tail = EncodedTail(0, suffix, np.array([*head, *middle, marks.end]), len(head), 5)
    workspace, rng = Encoded(blocks, [tail, tail._replace(suffix=suffix[:3])]), np.random.default_rng(1)
    in_place, in_order = (batch_of([workspace], header, footer, rng, in_order=each) for each in (False, True))
    assert np.array_equal(in_place.targets, in_order.targets)
    assert np.array_equal(in_place.parts, in_order.parts)

    model = lora.frozen(of, torch.float32, "cpu")
    teacher = lora.taught(model, in_order, 0.5, Parts())
    losses = F.cross_entropy(
        teacher.states @ of.parameters["embedding"].mT, torch.from_numpy(in_order.targets), reduction="none"
    )
    whole = [*header, *blocks[0], *blocks[1], *footer, *suffix, *tail.tail]
    n = len(tail.tail) - 1
    theirs = parity.torch_losses(of, lora.fresh(of, 4, 2.0), whole)[-n:]
    np.testing.assert_allclose(losses[:n].numpy(), theirs, rtol=1e-4, atol=1e-4)
    assert (in_order.parts[:n] == MIDDLE).sum() == len(middle) + 1


def a_lower_rank_keeps_the_most(folder: Path) -> None:
    of = base.read(folder / "llama.gguf")
    whole = random_lora(of, 8)

    def product(of: lora.Lora) -> torch.Tensor:
        return torch.bmm(of.factors["qkv.b"], of.factors["qkv.a"])

    torch.testing.assert_close(product(lora.reduced(whole, 8)), product(whole), rtol=1e-3, atol=1e-5)
    errors = [float((product(lora.reduced(whole, rank)) - product(whole)).norm()) for rank in (2, 4, 6)]
    assert errors == sorted(errors, reverse=True)


def an_end_of_its_own_is_learned_and_ends_answers(folder: Path) -> None:
    of = base.read(folder / "llama.gguf")
    marks = replace(of.vocabulary.marks, end=7)
    own = replace(of, vocabulary=replace(of.vocabulary, marks=marks))
    before = {**lora.fresh(of, 8, 2.0).state()}
    restored = lora.restored(own, before).factors[lora.ROWS]
    assert restored.shape == (4, of.shape.width)
    assert torch.equal(restored[3], of.parameters["embedding"][marks.start]), "it begins as what has ended texts"
    adapter.write(own, random_lora(own, 8), folder / "own.gguf", Kind.F32)
    merge(of.path, folder / "own.gguf", folder / "ending.gguf", kind=Kind.F32)
    merged = base.read(folder / "ending.gguf")
    assert merged.vocabulary.marks == marks
    again = lora.fresh(merged, 8, 2.0).factors[lora.ROWS][3]
    assert torch.equal(again, merged.parameters["embedding"][7]), "its end was learned already"
    arena = Arena(folder / "ending.gguf", 64)
    assert marks.end in arena.ends
    assert arena.tokens("x", bos=True)[0] == marks.start
    arena.close()


def the_ends_row_is_fitted_to_what_it_has_not_seen() -> None:
    random = torch.Generator().manual_seed(5)
    x = torch.randn(2000, 12, generator=random).double()
    x[:, -1] = 3.0  # as the last layer's: something that is always there
    is_end = x[:, 0] + 0.3 * x[:, 1] > 1.2
    states = ending.States(x, torch.full((2000,), -1.0).double(), torch.full((2000,), 2.0).double(), is_end)
    row, figures = ending.best(states, torch.arange(2000) // 10, torch.zeros(12).double())
    assert figures["before"]["ended"] == 0
    assert figures["after"]["end"] < 0.5 * figures["before"]["end"]
    assert states.figures(row)["ended"] > 0.5
    assert states.figures(row)["lost"] < 0.1


def write_folder(of: base.Base, there: Path, dtype: torch.dtype) -> None:
    """The base as Hugging Face has such models: halves turned, matrices apart, everything under other names."""
    there.mkdir()
    shape, p = of.shape, of.parameters
    found = {"model.embed_tokens.weight": p["embedding"], "model.norm.weight": p["final_norm"]}
    for i in range(shape.n_layers):
        at = f"model.layers.{i}."
        for x, weight, bias in zip(
            "qkv", *(torch.split(p[name][i], list(shape.qkv)) for name in ("qkv", "qkv_bias")), strict=True
        ):
            found[f"{at}self_attn.{x}_proj.weight"] = weight
            if of.architecture == "qwen2":
                found[f"{at}self_attn.{x}_proj.bias"] = bias
        gate, up = p["gate_up"][i].chunk(2)
        found |= {f"{at}mlp.gate_proj.weight": gate, f"{at}mlp.up_proj.weight": up}
        found |= {f"{at}self_attn.o_proj.weight": p["out"][i], f"{at}mlp.down_proj.weight": p["down"][i]}
        found[f"{at}input_layernorm.weight"] = p["attention_norm"][i]
        found[f"{at}post_attention_layernorm.weight"] = p["feed_forward_norm"][i]
    head, data = {}, b""
    for name, value in found.items():
        raw = value.contiguous().to(dtype).view(torch.uint8).numpy().tobytes()
        of_dtype = {torch.float32: "F32", torch.bfloat16: "BF16"}[dtype]
        offsets = [len(data), len(data) + len(raw)]
        head[name] = {"dtype": of_dtype, "shape": list(value.shape), "data_offsets": offsets}
        data += raw
    told = json.dumps(head).encode()
    (there / "model.safetensors").write_bytes(len(told).to_bytes(8, "little") + told + data)
    config = {
        "model_type": of.architecture,
        "hidden_size": shape.width,
        "intermediate_size": shape.feed_forward,
        "num_hidden_layers": shape.n_layers,
        "num_attention_heads": shape.n_heads,
        "num_key_value_heads": shape.n_kv,
        "max_position_embeddings": shape.n_context,
        "rms_norm_eps": shape.epsilon,
        "rope_theta": shape.rope_base,
        "vocab_size": shape.n_vocabulary,
        "tie_word_embeddings": True,
        "eos_token_id": of.vocabulary.marks.end,
    }
    (there / "config.json").write_text(json.dumps(config))
    bpe = of.vocabulary.tokenizer
    bpe.add_special_tokens(["<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"])
    bpe.save(str(there / "tokenizer.json"))


def a_folder_becomes_a_base(folder: Path, family: str, dtype: torch.dtype) -> None:
    of = base.read(folder / f"{family}.gguf")
    write_folder(of, folder / family, dtype)
    convert(folder / family, folder / "converted.gguf")
    again = base.read(folder / "converted.gguf")
    assert (again.architecture, again.vocabulary.marks) == (of.architecture, of.vocabulary.marks)
    assert vars(again.shape) | {"epsilon": 0} == vars(of.shape) | {"epsilon": 0}
    for name, value in of.parameters.items():
        assert torch.equal(again.parameters[name], value.to(dtype).float()), name
    assert all(again.vocabulary.encode(text) == of.vocabulary.encode(text) for text in TEXTS[:2])
    arena = Arena(folder / "converted.gguf", 64)
    assert arena.tokens(TEXTS[0]) == again.vocabulary.encode(TEXTS[0])
    arena.close()


def what_cannot_be_trained_on_says_why(folder: Path) -> None:
    for kind, reason in (("mamba", "family mamba"), ("plain", "prefix, suffix, middle")):
        with pytest.raises(base.NotABase, match=reason):
            base.read(folder / f"{kind}.gguf")


def main() -> None:
    folder = Path(sys.argv[1])
    for family in ("llama", "fim"):
        both_read_the_same(folder, family)
        llama_cpp_takes_the_adapter(folder, family)
        an_adapter_is_read_as_it_was_written(folder, family)
    rows_that_an_older_adapter_lacks_are_as_at_first(folder)
    a_higher_rank_is_the_same_at_first(folder)
    a_folder_becomes_a_base(folder, "llama", torch.float32)
    a_folder_becomes_a_base(folder, "fim", torch.bfloat16)
    its_loss_has_the_gradients_that_autograd_finds()
    a_teacher_gives_the_gradients_that_autograd_finds()
    a_teacher_reads_in_order_what_the_other_reads_in_place(folder)
    a_lower_rank_keeps_the_most(folder)
    an_end_of_its_own_is_learned_and_ends_answers(folder)
    the_ends_row_is_fitted_to_what_it_has_not_seen()
    what_cannot_be_trained_on_says_why(folder)


if __name__ == "__main__":
    main()
