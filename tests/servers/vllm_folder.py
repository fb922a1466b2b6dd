"""Writes a GGUF as the folder of safetensors that vLLM loads: python tests/servers/vllm_folder.py MODEL.gguf FOLDER

`vllm.py` runs it in vLLM's own environment, which has torch and transformers.  transformers reads the weights
(and turns queries and keys back into its own order); the vocabulary is read as llama.cpp does it (`training/`), since
transformers knows only some of the splits.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import gguf
import torch  # type: ignore[import-not-found]
import transformers  # type: ignore[import-not-found]
from tokenizers import AddedToken, Tokenizer, processors

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))
from training import vocabulary


def main(source: Path, folder: Path) -> None:
    fields = {key: field.contents() for key, field in gguf.GGUFReader(source).fields.items()}
    read = vocabulary.of(fields)
    write_vocabulary(fields, read.tokenizer, folder)
    loaded = transformers.AutoModelForCausalLM.from_pretrained(
        source.parent, gguf_file=source.name, dtype=torch.float32
    )
    del loaded.config.quantization_config  # which would have it written as quantized, and that is refused
    model = transformers.AutoModelForCausalLM.from_config(loaded.config, dtype=torch.float32)
    model.load_state_dict(loaded.state_dict())
    marks = read.marks
    ends = {fields["tokenizer.ggml.eos_token_id"], marks.start, marks.end, marks.prefix, marks.suffix, marks.middle}
    model.generation_config = transformers.GenerationConfig(bos_token_id=marks.start, eos_token_id=sorted(ends))
    model.save_pretrained(folder)


def write_vocabulary(fields: dict[str, Any], tokenizer: Tokenizer, folder: Path) -> None:
    texts, kinds = fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.token_type"]
    control = [text for text, kind in zip(texts, kinds, strict=True) if kind == gguf.TokenType.CONTROL]
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in control])
    begin, end = (texts[fields[f"tokenizer.ggml.{name}_token_id"]] for name in ("bos", "eos"))
    if fields.get("tokenizer.ggml.add_bos_token"):
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{begin} $A", pair=f"{begin} $A $B", special_tokens=[(begin, texts.index(begin))]
        )
    written = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=begin, eos_token=end)
    written.chat_template = fields.get("tokenizer.chat_template")
    written.save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
