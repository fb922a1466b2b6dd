"""How model families are asked to fill in the middle, and where what is typed goes in such a prompt.

In: a model's name; texts before and after a cursor.  Out: prompts as text, or the parts of one.  Pure.

    psm   <prefix> prefix <suffix> suffix <middle> typed → answer
    spm   <suffix> suffix <prefix> prefix typed → answer

In psm, what was typed since the prompt was first laid out stands behind `<middle>`, as if the model had written it:
so typing re-decodes neither prefix nor suffix with a server that only reuses a prompt's beginning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from palimpsest.types import CURSOR_MARKER

MOST_TYPED = 400
"""Characters behind `<middle>`; with more, the prompt is laid out anew, as models were trained to see it."""
SETTLED = 40
"""The same where nobody waits for the answer."""
CHUNK = 256
"""A prefix too long is cut by so many tokens at once, so that its beginning stays for many keystrokes."""
PIECE = re.compile(r"[^\w\r\n]?\w{1,47}\Z|[^\S\r\n]\Z")


def held_back(prefix: str) -> str:
    """The end of `prefix` that more typing could change, which the answer is to begin with: the word at the cursor
    with the character that its first token may include, or the last space."""
    match = PIECE.search(prefix)
    return match[0] if match else ""


@dataclass(frozen=True, slots=True)
class Family:
    """`markers`: what stands before prefix, suffix and middle in a prompt written as text."""

    markers: tuple[str, str, str]
    layout: Literal["psm", "spm"] = "psm"

    def render(self, prefix: str, suffix: str, typed: str = "", layout: str = "") -> str:
        before, between, after = self.markers
        prefix, suffix, typed = map(self.neutral, (prefix, suffix, typed))
        if (layout or self.layout) == "spm":
            return f"{between}{suffix}{before}{prefix}{typed}"
        return f"{before}{prefix}{between}{suffix}{after}{typed}"

    def neutral(self, text: str) -> str:
        """`text` with nothing in it that a server would take for a marker."""
        for marker in self.markers:
            word = marker.strip()
            text = text.replace(word, f"{word[:1]} {word[1:]}")
        return text


QWEN = Family(("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"))
STARCODER = Family(("<fim_prefix>", "<fim_suffix>", "<fim_middle>"))
DEEPSEEK = Family(("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"))
CODE_LLAMA = Family(("<PRE> ", " <SUF>", " <MID>"))
CODESTRAL = Family(("[PREFIX]", "[SUFFIX]", "[MIDDLE]"), "spm")
CODEGEEX = Family(("<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"))
FAMILIES = (QWEN, STARCODER, DEEPSEEK, CODE_LLAMA, CODESTRAL, CODEGEEX)
NAMES: tuple[tuple[str, Family], ...] = (
    (r"star-?coder|stable-?code|santa-?coder|granite.*code|refact", STARCODER),
    (r"qwen[\d.]*-?coder|codegemma|granite-?[34]|seed-?coder|palimpsest", QWEN),
    (r"deepseek-?coder", DEEPSEEK),
    (r"code-?llama", CODE_LLAMA),
    (r"codestral", CODESTRAL),
    (r"codegeex", CODEGEEX),
)


def family_of(model: str) -> Family | None:
    """By the model's name, as servers list it; None for one that is not known to fill in the middle."""
    name = model.lower().replace("_", "-")
    return next((family for pattern, family in NAMES if re.search(pattern, name)), None)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A prompt as it was laid out, which typing continues."""

    prefix: str
    suffix: str

    def typed(self, prefix: str, suffix: str, most: int) -> str | None:
        """What was typed since; None where this is another place or text, or it is more than `most` characters."""
        grown = len(prefix) - len(self.prefix)
        if suffix != self.suffix or not 0 <= grown <= most or not prefix.startswith(self.prefix):
            return None
        return prefix[len(self.prefix) :]


def fitted(prefix: list[int], suffix: list[int], room: int) -> tuple[list[int], list[int]]:
    """Both cut to `room` tokens together: the suffix's end to a quarter, the prefix's front by whole chunks."""
    if len(prefix) + len(suffix) > room:
        suffix = suffix[: room // 4]
        over = len(prefix) + len(suffix) - room
        if over > 0:
            chunk = min(CHUNK, max(1, room // 4))
            prefix = prefix[-(-over // chunk) * chunk :]
    return prefix, suffix


ASK = (
    f"Write the code that belongs at {CURSOR_MARKER}. Answer with that code alone, without the code before or after "
    "it, without an explanation and without a code fence."
)
FENCE = re.compile(r"\s*```[\w+-]*\n(.*?)(\n```\s*)?\Z", re.DOTALL)


def asked(prefix: str, suffix: str) -> str:
    """What a chat model that has no tokens for it is asked."""
    return f"{prefix}{CURSOR_MARKER}{suffix}\n{ASK}"


def answered(reply: str, prefix: str) -> str:
    """A chat model's reply as the text to insert: no fence, and no repetition of the line that the cursor is on."""
    fenced = FENCE.match(reply)
    text = fenced[1] if fenced else reply
    line = prefix[prefix.rfind("\n") + 1 :]
    if line.strip():
        for begun in (line, line.lstrip()):
            if text.startswith(begun):
                return text[len(begun) :]
    return text
