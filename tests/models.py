"""Small models with random weights and real tokenizers, written as GGUF files, for tests that need a real llama.cpp.

Cache correctness shows on any weights.  `written(kind, folder)` makes the file when it is not there yet:

    fim        qwen2, FIM tokens, f32
    fim-q8     the same in Q8_0
    short      the same, trained with fewer positions than a cache has cells
    starcoder  the same under the name of a family that was trained suffix first
    own        the same with a FIM layout of its own stated in the file
    palimpsest-smollm2  the same with the markers that our default model has
    llama      llama, FIM tokens
    plain      llama, no FIM tokens, a BOS token that is added, a chat template
    swa        gemma2-like sliding window beside full attention
    mrope      qwen2vl: rotary positions that cannot be shifted
    embedding  qwen2 that says how it pools; reranker the same
    encoder    qwen2 whose tokens see those behind them
    adapter    a LoRA file; projector: one for pictures (mmproj)
    mamba      recurrent: one state per sequence
    hybrid     lfm2: short convolutions, which keep a state, beside attention
    moe        qwen3moe: a mixture of experts
    mla        deepseek2: K and V of all heads in one latent vector, experts
    mamba2     granitehybrid: Mamba 2 beside attention
    delta      qwen35: gated delta nets beside attention, interleaved M-RoPE
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from tests.sources import recorded

SPECIAL = (
    "<|endoftext|>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|fim_pad|>",
    "<|im_start|>",
    "<|im_end|>",
)
QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHATML = (
    "{% for message in messages %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
N_TRAINED = 4096


@functools.cache
def vocabulary(size: int = 1536) -> tuple[list[str], list[str]]:
    """Tokens and merges of a byte-level BPE learned from real source."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(QWEN2_SPLIT), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([recorded()[:300_000]], trainer)
    made = json.loads(tokenizer.to_str())["model"]
    tokens = [token for token, _ in sorted(made["vocab"].items(), key=lambda item: item[1])]
    return tokens, [" ".join(merge) if isinstance(merge, list) else merge for merge in made["merges"]]


@dataclass
class Writer:
    """Tensors and metadata of one file under way."""

    gguf: gguf.GGUFWriter
    random: np.random.Generator
    quantized: bool = False

    def matrix(self, name: str, rows: int, columns: int, scale: float | None = None) -> None:
        values = self.random.standard_normal((rows, columns), dtype=np.float32) * (scale or columns**-0.5)
        if self.quantized:
            kind = gguf.GGMLQuantizationType.Q8_0
            self.gguf.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
        else:
            self.gguf.add_tensor(name, values)

    def vector(self, name: str, size: int, value: float | None = None) -> None:
        values = self.random.standard_normal(size) * 0.1 if value is None else np.full(size, value)
        self.gguf.add_tensor(name, values.astype(np.float32))


SEED = {f"<|fim_{name}|>": f"<[fim-{name}]>" for name in ("prefix", "middle", "suffix", "pad")}
"""Seed-Coder's markers, which llama.cpp does not know by their text."""
SMOLLM2 = {
    "<|fim_prefix|>": "<file_sep>",
    "<|fim_middle|>": "<filename>",
    "<|fim_suffix|>": "<repo_name>",
    "<|fim_pad|>": "<pad>",
}
"""The tokens of SmolLM2 that our default model has for markers."""


def _tokenizer(w: gguf.GGUFWriter, *, fim: bool | dict[str, str], add_bos: bool, chat: bool) -> None:
    """`fim`: with FIM tokens that are stated, without, or with others that are not."""
    tokens, merges = vocabulary()
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("qwen2")
    if isinstance(fim, dict):
        tokens = [fim.get(token, token) for token in tokens]
    elif not fim:  # llama.cpp knows FIM tokens by their text, too
        tokens = [token.replace("fim_", "other_") for token in tokens]
    w.add_token_list(tokens)
    names = {token.replace("fim_", "other_") for token in SPECIAL} | {*SPECIAL, *SEED.values(), *SMOLLM2.values()}
    w.add_token_types([gguf.TokenType.CONTROL if token in names else gguf.TokenType.NORMAL for token in tokens])
    w.add_token_merges(merges)
    w.add_bos_token_id(0)
    w.add_eos_token_id(0)
    w.add_add_bos_token(add_bos)
    if fim is True:
        for name, token in (("pre", 1), ("mid", 2), ("suf", 3), ("pad", 4)):
            w.add_uint32(f"tokenizer.ggml.fim_{name}_token_id", token)
    if chat:
        w.add_chat_template(CHATML)


def transformer(
    path: Path,
    architecture: str,
    *,
    fim: bool | dict[str, str] = True,
    add_bos: bool = False,
    chat: bool = False,
    quantized: bool = False,
    layers: int = 2,
    width: int = 64,
    heads: int = 2,
    kv_heads: int = 1,
    ff: int = 128,
    n_trained: int = N_TRAINED,
    extra: Callable[[gguf.GGUFWriter], Any] = lambda w: None,
    post_norms: bool = False,
    biases: bool = True,
) -> None:
    w = gguf.GGUFWriter(path, architecture)
    w.add_name(path.stem)
    w.add_block_count(layers)
    w.add_context_length(n_trained)
    w.add_embedding_length(width)
    w.add_feed_forward_length(ff)
    w.add_head_count(heads)
    w.add_head_count_kv(kv_heads)
    w.add_rope_freq_base(1e5)
    w.add_layer_norm_rms_eps(1e-6)
    extra(w)
    _tokenizer(w, fim=fim, add_bos=add_bos, chat=chat)
    t = Writer(w, np.random.default_rng(3), quantized)
    head, n_vocab = width // heads, len(vocabulary()[0])
    t.matrix("token_embd.weight", n_vocab, width, 1.0)
    t.vector("output_norm.weight", width, 1.0)
    for i in range(layers):
        b = f"blk.{i}."
        for name in ("attn_norm", "ffn_norm", *(("post_attention_norm", "post_ffw_norm") if post_norms else ())):
            t.vector(f"{b}{name}.weight", width, 1.0)
        for name, rows in (("q", heads * head), ("k", kv_heads * head), ("v", kv_heads * head)):
            t.matrix(f"{b}attn_{name}.weight", rows, width)
            if biases:
                t.vector(f"{b}attn_{name}.bias", rows)
        t.matrix(b + "attn_output.weight", width, width)
        t.matrix(b + "ffn_gate.weight", ff, width)
        t.matrix(b + "ffn_up.weight", ff, width)
        t.matrix(b + "ffn_down.weight", width, ff)
    _finish(w)


def _mamba(
    path: Path, *, layers: int = 2, width: int = 64, inner: int = 128, state: int = 8, conv: int = 4, rank: int = 8
) -> None:
    w = gguf.GGUFWriter(path, "mamba")
    w.add_name(path.stem)
    w.add_block_count(layers)
    w.add_context_length(N_TRAINED)
    w.add_embedding_length(width)
    w.add_feed_forward_length(0)
    w.add_head_count(0)
    w.add_ssm_conv_kernel(conv)
    w.add_ssm_inner_size(inner)
    w.add_ssm_state_size(state)
    w.add_ssm_time_step_rank(rank)
    w.add_layer_norm_rms_eps(1e-5)
    _tokenizer(w, fim=True, add_bos=False, chat=False)
    t = Writer(w, np.random.default_rng(7))
    t.matrix("token_embd.weight", len(vocabulary()[0]), width, 1.0)
    t.vector("output_norm.weight", width, 1.0)
    for i in range(layers):
        b = f"blk.{i}."
        t.vector(b + "attn_norm.weight", width, 1.0)
        t.matrix(b + "ssm_in.weight", 2 * inner, width)
        t.matrix(b + "ssm_conv1d.weight", inner, conv)
        t.vector(b + "ssm_conv1d.bias", inner)
        t.matrix(b + "ssm_x.weight", rank + 2 * state, inner)
        t.matrix(b + "ssm_dt.weight", inner, rank)
        t.vector(b + "ssm_dt.bias", inner)
        w.add_tensor(b + "ssm_a", -np.tile(np.arange(1, state + 1, dtype=np.float32), (inner, 1)))
        t.vector(b + "ssm_d", inner, 1.0)
        t.matrix(b + "ssm_out.weight", width, inner)
    _finish(w)


def _hybrid(path: Path, *, layers: int = 4, width: int = 64, heads: int = 2, ff: int = 128, conv: int = 3) -> None:
    w = gguf.GGUFWriter(path, "lfm2")
    w.add_name(path.stem)
    w.add_block_count(layers)
    w.add_context_length(N_TRAINED)
    w.add_embedding_length(width)
    w.add_feed_forward_length(ff)
    w.add_head_count(heads)
    w.add_head_count_kv([heads if i % 2 else 0 for i in range(layers)])
    w.add_vocab_size(len(vocabulary()[0]))
    w.add_shortconv_l_cache(conv)
    w.add_rope_freq_base(1e5)
    w.add_layer_norm_rms_eps(1e-5)
    _tokenizer(w, fim=True, add_bos=False, chat=False)
    t = Writer(w, np.random.default_rng(7))
    t.matrix("token_embd.weight", len(vocabulary()[0]), width, 1.0)
    t.vector("token_embd_norm.weight", width, 1.0)
    for i in range(layers):
        b = f"blk.{i}."
        t.vector(b + "attn_norm.weight", width, 1.0)
        t.vector(b + "ffn_norm.weight", width, 1.0)
        if i % 2:
            for name in ("q", "k", "v", "output"):
                t.matrix(f"{b}attn_{name}.weight", width, width)
            for name in ("q", "k"):
                t.vector(f"{b}attn_{name}_norm.weight", width // heads, 1.0)
        else:
            t.matrix(b + "shortconv.conv.weight", width, conv)
            t.matrix(b + "shortconv.in_proj.weight", 3 * width, width)
            t.matrix(b + "shortconv.out_proj.weight", width, width)
        t.matrix(b + "ffn_gate.weight", ff, width)
        t.matrix(b + "ffn_up.weight", ff, width)
        t.matrix(b + "ffn_down.weight", width, ff)
    _finish(w)


class Shape:
    """What the newer architectures have in common: a file begun, its tensors by layer, the feed-forward network."""

    def __init__(self, path: Path, architecture: str, layers: int, kv_heads: int | list[int] = 1) -> None:
        self.gguf = w = gguf.GGUFWriter(path, architecture)
        self.layers, self.width, self.ff, self.head, self.heads = layers, 64, 128, 32, 2
        w.add_name(path.stem)
        w.add_block_count(layers)
        w.add_context_length(N_TRAINED)
        w.add_embedding_length(self.width)
        w.add_feed_forward_length(self.ff)
        w.add_head_count(self.heads)
        w.add_head_count_kv(kv_heads)
        w.add_vocab_size(len(vocabulary()[0]))
        w.add_rope_freq_base(1e5)
        w.add_layer_norm_rms_eps(1e-6)
        _tokenizer(w, fim=True, add_bos=False, chat=False)
        self.tensors = Writer(w, np.random.default_rng(3))
        self.tensors.matrix("token_embd.weight", len(vocabulary()[0]), self.width, 1.0)
        self.tensors.vector("output_norm.weight", self.width, 1.0)

    def stack(self, name: str, n: int, rows: int, columns: int) -> None:
        """Several matrices in one tensor."""
        values = self.tensors.random.standard_normal((n, rows, columns), dtype=np.float32) * columns**-0.5
        self.gguf.add_tensor(name, values)

    def norms(self, block: str, *names: str, size: int = 0) -> None:
        for name in names:
            self.tensors.vector(f"{block}{name}.weight", size or self.width, 1.0)

    def attention(self, block: str, queries: int = 1) -> None:
        """`queries`: 2 where half of them are gates."""
        for name, heads in (("q", queries * self.heads), ("k", 1), ("v", 1)):
            self.tensors.matrix(f"{block}attn_{name}.weight", heads * self.head, self.width)
        self.tensors.matrix(block + "attn_output.weight", self.width, self.heads * self.head)
        self.norms(block, "attn_q_norm", "attn_k_norm", size=self.head)

    def feed_forward(self, block: str) -> None:
        self.tensors.matrix(block + "ffn_gate.weight", self.ff, self.width)
        self.tensors.matrix(block + "ffn_up.weight", self.ff, self.width)
        self.tensors.matrix(block + "ffn_down.weight", self.width, self.ff)

    def experts(self, block: str, *, shared: bool = False) -> None:
        """Four, each of a quarter of the width that all have."""
        ff = self.ff // N_EXPERTS
        self.tensors.matrix(block + "ffn_gate_inp.weight", N_EXPERTS, self.width)
        for name, rows, columns in (("gate", ff, self.width), ("up", ff, self.width), ("down", self.width, ff)):
            self.stack(f"{block}ffn_{name}_exps.weight", N_EXPERTS, rows, columns)
            if shared:
                self.tensors.matrix(f"{block}ffn_{name}_shexp.weight", rows, columns)

    def has_experts(self) -> None:
        self.gguf.add_expert_count(N_EXPERTS)
        self.gguf.add_expert_used_count(2)
        self.gguf.add_expert_feed_forward_length(self.ff // N_EXPERTS)

    def has_heads(self) -> None:
        self.gguf.add_key_length(self.head)
        self.gguf.add_value_length(self.head)

    def has_state(self, *, inner: int, state: int, rank: int, groups: int) -> None:
        self.gguf.add_ssm_conv_kernel(N_CONV)
        self.gguf.add_ssm_inner_size(inner)
        self.gguf.add_ssm_state_size(state)
        self.gguf.add_ssm_time_step_rank(rank)
        self.gguf.add_ssm_group_count(groups)
        self.gguf.add_rope_dimension_count(self.head)


N_EXPERTS, N_CONV = 4, 4


def _moe(path: Path) -> None:
    m = Shape(path, "qwen3moe", 2)
    m.has_heads()
    m.has_experts()
    for i in range(m.layers):
        b = f"blk.{i}."
        m.norms(b, "attn_norm", "ffn_norm")
        m.attention(b)
        m.experts(b)
    _finish(m.gguf)


def _mla(path: Path, *, rank: int = 32, q_rank: int = 48, nope: int = 16, rope: int = 16, value: int = 16) -> None:
    m = Shape(path, "deepseek2", 2)
    w, t = m.gguf, m.tensors
    w.add_key_length(rank + rope)
    w.add_value_length(rank)
    w.add_key_length_mla(nope + rope)
    w.add_value_length_mla(value)
    w.add_rope_dimension_count(rope)
    w.add_kv_lora_rank(rank)
    w.add_q_lora_rank(q_rank)
    m.has_experts()
    w.add_leading_dense_block_count(1)
    w.add_expert_shared_count(1)
    w.add_expert_weights_scale(1.0)
    t.matrix("output.weight", len(vocabulary()[0]), m.width)
    for i in range(m.layers):
        b = f"blk.{i}."
        m.norms(b, "attn_norm", "ffn_norm")
        t.matrix(b + "attn_q_a.weight", q_rank, m.width)
        m.norms(b, "attn_q_a_norm", size=q_rank)
        t.matrix(b + "attn_q_b.weight", m.heads * (nope + rope), q_rank)
        t.matrix(b + "attn_kv_a_mqa.weight", rank + rope, m.width)
        m.norms(b, "attn_kv_a_norm", size=rank)
        m.stack(b + "attn_k_b.weight", m.heads, rank, nope)
        m.stack(b + "attn_v_b.weight", m.heads, value, rank)
        t.matrix(b + "attn_output.weight", m.width, m.heads * value)
        if i:
            m.experts(b, shared=True)
        else:
            m.feed_forward(b)
    _finish(w)


def _mamba2(path: Path, *, layers: int = 4, inner: int = 128, state: int = 16, rank: int = 4, groups: int = 1) -> None:
    m = Shape(path, "granitehybrid", layers, [2 if i % 2 else 0 for i in range(layers)])
    w, t = m.gguf, m.tensors
    m.has_state(inner=inner, state=state, rank=rank, groups=groups)
    for scale in (w.add_logit_scale, w.add_residual_scale, w.add_embedding_scale):
        scale(1.0)
    w.add_attention_scale(m.head**-0.5)
    convolved = inner + 2 * groups * state
    for i in range(layers):
        b = f"blk.{i}."
        m.norms(b, "attn_norm", "ffn_norm")
        if i % 2:
            for name in ("q", "k", "v", "output"):
                t.matrix(f"{b}attn_{name}.weight", m.width, m.width)
        else:
            t.matrix(b + "ssm_in.weight", inner + convolved + rank, m.width)
            t.matrix(b + "ssm_conv1d.weight", convolved, N_CONV)
            t.vector(b + "ssm_conv1d.bias", convolved)
            t.vector(b + "ssm_dt.bias", rank)
            w.add_tensor(b + "ssm_a", -np.ones((rank, 1), np.float32))
            w.add_tensor(b + "ssm_d", np.ones((rank, 1), np.float32))
            w.add_tensor(b + "ssm_norm.weight", np.ones((groups, inner // groups), np.float32))
            t.matrix(b + "ssm_out.weight", m.width, inner)
        m.feed_forward(b)
    _finish(w)


def _delta(path: Path, *, state: int = 16, rank: int = 4, groups: int = 2) -> None:
    m = Shape(path, "qwen35", 4)
    w, t = m.gguf, m.tensors
    key, value = state * groups, state * rank
    m.has_heads()
    m.has_state(inner=value, state=state, rank=rank, groups=groups)
    w.add_rope_dimension_sections([4, 6, 6, 0])
    for i in range(m.layers):
        b = f"blk.{i}."
        m.norms(b, "attn_norm", "post_attention_norm")
        if i == 3:  # each fourth
            m.attention(b, queries=2)
        else:
            t.matrix(b + "attn_qkv.weight", 2 * key + value, m.width)
            t.matrix(b + "attn_gate.weight", value, m.width)
            t.matrix(b + "ssm_conv1d.weight", 2 * key + value, N_CONV)
            t.vector(b + "ssm_dt.bias", rank)
            t.vector(b + "ssm_a", rank, -1.0)
            for name in ("alpha", "beta"):
                t.matrix(f"{b}ssm_{name}.weight", rank, m.width)
            m.norms(b, "ssm_norm", size=state)
            t.matrix(b + "ssm_out.weight", m.width, value)
        m.feed_forward(b)
    _finish(w)


def _finish(w: gguf.GGUFWriter) -> None:
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def _swa(w: gguf.GGUFWriter) -> None:
    w.add_sliding_window(64)
    w.add_key_length(32)
    w.add_value_length(32)


def _no_model(path: Path, architecture: str, kind: str) -> None:
    w = gguf.GGUFWriter(path, architecture)
    w.add_type(kind)
    w.add_name(path.stem)
    w.add_tensor("blk.0.attn_q.weight.lora_a", np.zeros((8, 64), np.float32))
    _finish(w)


def _own_layout(w: gguf.GGUFWriter) -> None:
    w.add_string("palimpsest.fim_layout", "psm")


KINDS: dict[str, Callable[[Path], None]] = {
    "fim": lambda path: transformer(path, "qwen2"),
    "short": lambda path: transformer(path, "qwen2", n_trained=1024),
    "starcoder": lambda path: transformer(path, "qwen2", layers=1),
    "seed": lambda path: transformer(path, "qwen2", layers=1, fim=SEED),
    "palimpsest-smollm2": lambda path: transformer(path, "qwen2", layers=1, fim=SMOLLM2),
    "own": lambda path: transformer(path, "qwen2", layers=1, extra=_own_layout),
    "fim-q8": lambda path: transformer(path, "qwen2", quantized=True),
    "llama": lambda path: transformer(path, "llama", biases=False),
    "plain": lambda path: transformer(path, "llama", fim=False, add_bos=True, chat=True, biases=False),
    "swa": lambda path: transformer(path, "gemma2", extra=_swa, post_norms=True, biases=False),
    "mrope": lambda path: transformer(path, "qwen2vl", extra=lambda w: w.add_rope_dimension_sections([4, 6, 6, 0])),
    "embedding": lambda path: transformer(
        path, "qwen2", layers=1, extra=lambda w: w.add_pooling_type(gguf.PoolingType.LAST)
    ),
    "reranker": lambda path: transformer(
        path, "qwen2", layers=1, extra=lambda w: w.add_pooling_type(gguf.PoolingType.RANK)
    ),
    "encoder": lambda path: transformer(path, "qwen2", layers=1, extra=lambda w: w.add_causal_attention(False)),
    "adapter": lambda path: _no_model(path, "qwen2", "adapter"),
    "projector": lambda path: _no_model(path, "clip", "mmproj"),
    "mamba": lambda path: _mamba(path),
    "hybrid": lambda path: _hybrid(path),
    "moe": _moe,
    "mla": lambda path: _mla(path),
    "mamba2": lambda path: _mamba2(path),
    "delta": lambda path: _delta(path),
}


def written(kind: str, folder: Path) -> Path:
    """The model's file in `folder`, written when it is not there."""
    path = folder / f"{kind}.gguf"
    if not path.exists():
        KINDS[kind](path)
    return path
