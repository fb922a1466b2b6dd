"""What the routes say about the model.

In: the loaded engine.  Out: `ModelProperties`.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from palimpsest.chat_templates.program import CHATML
from palimpsest.engine.llama.library import library
from palimpsest.engine.model.facts import chat_template
from palimpsest.engine.native_engine import NativeEngine


@dataclass(frozen=True, slots=True)
class ModelProperties:
    """`name`: the model's in answers; `size`: its bytes; `ftype`: its quantization in llama.cpp's words; `template`:
    the chat template, which is ChatML where the file has none."""

    name: str
    path: str
    n_ctx: int
    n_ctx_train: int
    n_embd: int
    n_params: int
    n_vocab: int
    vocab_type: int
    size: int
    ftype: str
    template: str
    bos: str
    eos: str


def properties(engine: NativeEngine) -> ModelProperties:
    api, model = library().api, engine.model
    buffer = ctypes.create_string_buffer(256)
    api.llama_model_desc(model.handle, buffer, len(buffer))
    template = chat_template(model)

    return ModelProperties(
        name=model.path.name,
        path=str(model.path),
        n_ctx=engine.sizes.n_prompt,
        n_ctx_train=engine.facts.n_ctx_train,
        n_embd=int(api.llama_model_n_embd(model.handle)),
        n_params=engine.facts.n_params,
        n_vocab=model.n_vocab,
        vocab_type=int(api.llama_vocab_type(model.vocab)),
        size=int(api.llama_model_size(model.handle)),
        ftype=buffer.value.decode("utf-8", "replace").split(" ", 2)[2],  # behind architecture and size: "all F32"
        template=template.text or CHATML,
        bos=template.bos,
        eos=template.eos,
    )
