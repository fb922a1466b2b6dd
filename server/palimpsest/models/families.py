"""Families of code models: their markers, and how each was trained to fill in the middle.  One table for all engines.

In: a marker's text, a model's names.  Out: a `Family`.  Pure data; loads nothing.

With the prefix first there is one order.  With the suffix first there are three, and a model knows one of them:

    psm                    <prefix> prefix <suffix> suffix <middle> → middle
    suffix-prefix          <suffix> suffix <prefix> prefix → middle
    suffix-prefix-middle   <suffix> suffix <prefix> prefix <middle> → middle
    prefix-suffix-middle   <prefix> <suffix> suffix <middle> prefix → middle   (the "joint" order)

The joint order is an ordinary prompt with an empty prefix and the first part of the middle.  So it is also used if a
model trained with the prefix first is prompted with the suffix first.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

SuffixFirst = Literal["suffix-prefix", "suffix-prefix-middle", "prefix-suffix-middle"]
Layout = Literal["psm", "spm"]
T = TypeVar("T")
CHUNK = 256
"""Tokens by which a prefix that is too long is cut, so that its beginning stays for many keystrokes."""
QWEN = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
STARCODER = ("<fim_prefix>", "<fim_suffix>", "<fim_middle>")
GLM = ("<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>")


@dataclass(frozen=True, slots=True)
class Family:
    """`markers`: the text before the prefix, suffix and middle of a prompt.

    `piece` matches the suffix token's text in a model file, `names` the file's architecture and names, in lower case
    without punctuation; None matches anything, "" nothing.  `served` matches the name that a server lists.  `trained`:
    whether training included suffix first, in the order `order`.  `layout`: the default, as documented by its makers.
    """

    name: str
    markers: tuple[str, str, str]
    piece: str | None
    names: str | None
    served: str
    trained: bool = False
    order: SuffixFirst = "prefix-suffix-middle"
    layout: Layout = "psm"

    def types_behind(self, layout: str) -> bool:
        """Whether typed text can follow the middle's marker, as if the model had written it, so that neither prefix nor
        suffix has to be decoded again."""
        return layout == "psm" or self.order == "suffix-prefix-middle"

    def render(self, prefix: str, suffix: str, typed: str = "", layout: str = "") -> str:
        """A prompt as text; `typed` belongs behind `prefix`."""
        return "".join(self.in_order(layout or self.layout, self.markers, prefix, suffix, typed))

    def in_order(self, layout: str, markers: tuple[T, T, T], prefix: T, suffix: T, typed: T) -> list[T]:
        """The parts of a prompt, texts or tokens, as the layout wants them."""
        before, between, after = markers
        if layout == "psm":
            return [before, prefix, between, suffix, after, typed]
        match self.order:
            case "suffix-prefix":
                return [between, suffix, before, prefix, typed]
            case "suffix-prefix-middle":
                return [between, suffix, before, prefix, after, typed]
            case _:
                return [before, between, suffix, after, prefix, typed]


FAMILIES: tuple[Family, ...] = (
    # Rozière et al. 2023, arXiv 2308.12950, 2.3: half prefix first, half suffix first in Bavarian's joint form.
    Family("Code Llama", ("<PRE> ", " <SUF>", " <MID>"), r"^[▁ ]?<SUF>$", None, r"code-?llama", True),
    # mistral-common, `encode_fim`: [SUFFIX] suffix [PREFIX] prefix, and nothing else.
    Family(
        "Codestral",
        ("[PREFIX]", "[SUFFIX]", "[MIDDLE]"),
        r"^\[SUFFIX\]$",
        None,
        r"codestral",
        True,
        "suffix-prefix",
        "spm",
    ),
    # Seed-Coder's report, arXiv 2506.03524, on its FIM pretraining: suffix, prefix, middle, each behind its token.
    Family(
        "Seed-Coder",
        ("<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"),
        r"^<\[fim-suffix\]>$",
        None,
        r"seed-?coder",
        True,
        "suffix-prefix-middle",
        "spm",
    ),
    # Mellum's report, arXiv 2510.05788, and model card: suffix, prefix, middle, each behind its token.  Mellum2 has the
    # same tokens, and is used in the same order (MizuchiLabs/tsugi.nvim, `bench/RESULTS.md`).
    Family("Mellum", STARCODER, r"^<fim_suffix>$", r"mellum", r"mellum", True, "suffix-prefix-middle", "spm"),
    # Li et al. 2023, arXiv 2305.06161, and Lozhkov et al. 2024, arXiv 2402.19173; the order is bigcode's Megatron-LM's
    # (`gpt_dataset.py`, `permute`, `fim_spm_rate` 0.5).
    Family("StarCoder", STARCODER, None, r"starcoder|santacoder", r"star-?coder|santa-?coder", True),
    # Mishra et al. 2024, arXiv 2405.04324: both modes, tokens as StarCoder's.
    Family("Granite Code", STARCODER, r"^<fim_suffix>$", r"granite\w*code", r"granite.*code", True),
    # The model cards of Granite 3.3 (StarCoder's tokens) and of Granite 4 (tokens as Qwen's) show prefix first only;
    # Granite 4.2 reasons, and does not fill in.
    Family("Granite 3", STARCODER, r"^<fim_suffix>$", r"granite", r"granite-?3"),
    Family("Granite 4", QWEN, r"^<\|fim_suffix\|>$", r"granite", r"granite-?4(?!\.2)"),
    # arXiv 2406.11409: both modes, but the order of suffix first is not published; so not `trained`.
    Family("CodeGemma", QWEN, r"^<\|fim_suffix\|>$", r"codegemma", r"codegemma"),
    # arXiv 2409.12186 and the model cards of Qwen2.5-Coder and Qwen3-Coder: prefix first.  Qwen3.5 and 3.6 are used
    # with the same markers (ggml-org/llama.vscode#55, July 2026).
    Family("Qwen Coder", QWEN, r"^<\|?fim_suffix\|?>$", r"qwen", r"qwen[\d.]*-?coder|qwen-?3\.[56]"),
    # Guo et al. 2024, arXiv 2401.14196, 3.1.2: prefix first was chosen, at a rate of one half.
    Family(
        "DeepSeek-Coder",
        ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
        r"^<｜fim▁hole｜>$",
        None,
        r"deepseek-?coder",
    ),
    # The model cards of Stable Code and of Refact: prefix first.
    Family("Stable Code", STARCODER, r"^<fim_suffix>$", r"stablecode|refact", r"stable-?code|refact"),
    # CodeGeeX4's `guides/Infilling_guideline.md`: suffix, prefix, middle, each behind its token.
    Family("CodeGeeX", GLM, r"^<\|code_suffix\|>$", r"codegeex", r"codegeex", True, "suffix-prefix-middle", "spm"),
    # GLM 4.5 and later have the same tokens, and are used with the prefix first (Zed's edit predictions, 2026).
    Family("GLM", GLM, r"^<\|code_suffix\|>$", None, r"\bglm-?(?:4\.[5-9]|5)"),
)
OURS = Family("Palimpsest", QWEN, "", "", r"palimpsest", True, "suffix-prefix", "spm")
"""A file with `palimpsest.fim_layout` was trained on the prompts that `prompt/` and `engine/` write."""
OURS_IN_SMOLLM2 = replace(
    OURS, name="Palimpsest SmolLM2", markers=("<file_sep>", "<repo_name>", "<filename>"), served=r"palimpsest.*smollm2"
)
"""Trained with tokens that SmolLM2 hardly uses: a file says which by number, a server is told by their texts."""
OTHER = Family("other", QWEN, None, None, "")


def of_file(marker: str, names: str) -> Family:
    """`marker`: the suffix token's text; `names`: architecture and names, in any spelling."""
    plain = re.sub(r"[^a-z0-9]", "", names.lower())
    for family in FAMILIES:
        by_marker = family.piece is None or re.search(family.piece, marker)
        if by_marker and (family.names is None or re.search(family.names, plain)):
            return family
    return OTHER


def of_server(model: str) -> Family | None:
    """The family of a model by its name as servers list it; None if it is not known to support fill-in-the-middle."""
    name = model.lower().replace("_", "-")
    return next((family for family in (*FAMILIES, OURS_IN_SMOLLM2, OURS) if re.search(family.served, name)), None)


def of_tokens(markers: tuple[str, str, str], name: str) -> Family:
    """The family of these markers; where several families share them, by the model's name."""
    named = of_server(name)
    if named is not None and named.markers == markers:
        return named
    same = [family for family in (*FAMILIES, OTHER) if family.markers == markers]
    return next((family for family in same if not family.trained), same[0])


def fitted(prefix: list[int], suffix: list[int], room: int) -> tuple[list[int], list[int]]:
    """Both cut to `room` tokens together: the suffix's end to a quarter, the prefix's front by whole chunks."""
    if len(prefix) + len(suffix) > room:
        suffix = suffix[: room // 4]
        over = len(prefix) + len(suffix) - room
        if over > 0:
            chunk = min(CHUNK, max(1, (room - len(suffix)) // 4))
            prefix = prefix[-(-over // chunk) * chunk :]
    return prefix, suffix
