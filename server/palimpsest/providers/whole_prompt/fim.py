"""Prompts for filling in the middle, and the question for a chat model that has no tokens for it.

In: texts before and after a cursor.  Out: prompts as text, or their parts.  Pure.

Where the middle's marker comes last (`models/families.py`), what was typed since the prompt was first made is put
behind it, as if the model had written it.  So a server that only reuses a prompt's beginning decodes neither prefix
nor suffix again while a person types."""

import re
from dataclasses import dataclass

from palimpsest.types import CURSOR_MARKER

MOST_TYPED = 400
"""Characters behind `<middle>`; with more, the prompt is made anew, as models were trained to see it."""
SETTLED = 40
"""Where nobody waits for the answer, the prompt is made anew with more characters than this."""
PIECE = re.compile(r"[^\w\r\n]?\w{1,47}\Z|[^\S\r\n]\Z")


def held_back(prefix: str) -> str:
    """The end of `prefix` whose tokens more typing could change, with which the answer has to begin: the word at the
    cursor with the character that its first token may include, or the last space."""
    match = PIECE.search(prefix)
    return match[0] if match else ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The texts that a prompt was made of, which typing continues."""

    prefix: str
    suffix: str

    def typed(self, prefix: str, suffix: str, most: int) -> str | None:
        """What was typed since; None for another place or text, or for more than `most` characters."""
        grown = len(prefix) - len(self.prefix)
        if suffix != self.suffix or not 0 <= grown <= most or not prefix.startswith(self.prefix):
            return None
        return prefix[len(self.prefix) :]


ASK = (
    f"Write the code that belongs at {CURSOR_MARKER}. Answer with that code alone, without the code before or after "
    "it, without an explanation and without a code fence."
)
FENCE = re.compile(r"\s*```[\w+-]*\n(.*?)(\n```\s*)?\Z", re.DOTALL)


def asked(prefix: str, suffix: str) -> str:
    """The question for a chat model that has no tokens for filling in the middle."""
    return f"{prefix}{CURSOR_MARKER}{suffix}\n{ASK}"


def answered(reply: str, prefix: str) -> str:
    """A chat model's reply as the text to insert: without a fence and without a repetition of the cursor's line."""
    fenced = FENCE.match(reply)
    text = fenced[1] if fenced else reply
    line = prefix[prefix.rfind("\n") + 1 :]
    if line.strip():
        for begun in (line, line.lstrip()):
            if text.startswith(begun):
                return text[len(begun) :]
    return text
