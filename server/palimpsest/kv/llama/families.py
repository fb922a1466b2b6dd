"""Code model families: how each was taught to fill in the middle.

In: a FIM token's text, a model's names.  Out: a `Family`.  Pure data; loads nothing.

Suffix first comes in three orders of tokens, and a model knows the one it was trained on:

    suffix-prefix          <suffix> suffix <prefix> prefix → middle
    suffix-prefix-middle   <suffix> suffix <prefix> prefix <middle> → middle
    prefix-suffix-middle   <prefix> <suffix> suffix <middle> prefix → middle   (the "joint" order)

The joint order is an ordinary prompt with an empty prefix, of whose middle the first part is given.  So it is also the
one to take where a model that was trained prefix first is asked suffix first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

SuffixFirst = Literal["suffix-prefix", "suffix-prefix-middle", "prefix-suffix-middle"]


@dataclass(frozen=True, slots=True)
class Family:
    """`marker` matches the suffix token's text, `names` the architecture and names of a file, lower case without
    punctuation; None matches anything.  `trained`: whether suffix first was part of the training, in `order`."""

    name: str
    marker: str | None
    names: str | None
    trained: bool
    order: SuffixFirst = "prefix-suffix-middle"


FAMILIES: tuple[Family, ...] = (
    # Rozière et al. 2023, arXiv 2308.12950, 2.3: half prefix first, half suffix first in Bavarian's joint form.
    Family("Code Llama", r"^[▁ ]?<SUF>$", None, True),
    # mistral-common, `encode_fim`: [SUFFIX] suffix [PREFIX] prefix, and nothing else.
    Family("Codestral", r"^\[SUFFIX\]$", None, True, "suffix-prefix"),
    # Seed-Coder's report, arXiv 2506.03524, on its FIM pretraining: suffix, prefix, middle, each behind its token.
    Family("Seed-Coder", r"^<\[fim-suffix\]>$", None, True, "suffix-prefix-middle"),
    # Mellum's report, arXiv 2510.05788, and model card: suffix, prefix, middle, each behind its token.
    Family("Mellum", None, r"mellum", True, "suffix-prefix-middle"),
    # Li et al. 2023, arXiv 2305.06161, and Lozhkov et al. 2024, arXiv 2402.19173; the order is bigcode's Megatron-LM's
    # (`gpt_dataset.py`, `permute`, `fim_spm_rate` 0.5).
    Family("StarCoder", None, r"starcoder|santacoder", True),
    # Mishra et al. 2024, arXiv 2405.04324: both modes, tokens as StarCoder's.  Not Granite 3 and 4 (their cards show
    # prefix first only).
    Family("Granite Code", r"^<fim_suffix>$", r"granite\w*code", True),
    # arXiv 2406.11409: both modes, but the order of suffix first is not published; so not `trained`.
    Family("CodeGemma", r"^<\|fim_suffix\|>$", r"codegemma", False),
    # arXiv 2409.12186 and the model cards of Qwen2.5-Coder and Qwen3-Coder: prefix first.
    Family("Qwen Coder", r"^<\|?fim_suffix\|?>$", r"qwen", False),
    # Guo et al. 2024, arXiv 2401.14196, 3.1.2: prefix first was chosen, at a rate of one half.
    Family("DeepSeek-Coder", r"^<｜fim▁hole｜>$", None, False),
    Family("other", None, None, False),
)
OURS = Family("Palimpsest", None, None, True, "suffix-prefix")
"""A file that states `palimpsest.fim_layout` was trained on what `prompt/` and `kv/` write."""


def family_of(marker: str, names: str) -> Family:
    """`marker`: the suffix token's text; `names`: architecture and names, in any writing."""
    plain = re.sub(r"[^a-z0-9]", "", names.lower())
    for family in FAMILIES:
        by_marker = family.marker is None or re.search(family.marker, marker)
        if by_marker and (family.names is None or re.search(family.names, plain)):
            return family
    raise AssertionError("the last family matches anything")
