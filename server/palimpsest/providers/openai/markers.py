"""Control tokens spelled in a text, for a server that reads them out of everything it is sent.

In: texts of a prompt, an answer.  Out: the same texts with a space within each such spelling, and the answer without.
`<|im_end|>` is sent as `< |im_end|>`, `< |im_end|>` with one more space; so every text comes back as it was.  Pure.
"""

import re

from palimpsest.types import CURSOR_MARKER

_OURS = re.escape(CURSOR_MARKER[1:])
_ANGLE = (
    rf"(?!{_OURS})\|[^|<>\s]{{1,64}}\|>|｜[^｜<>\s]{{1,64}}｜>|\[[^\[\]<>\s]{{1,64}}\]>|</?SYS>>|/?s>"
    r"|(?:bos|eos|pad|unk|PRE|SUF|MID|EOT|EOD|file_sep|repo_name|reponame|filename|gh_stars|file_separator)>"
    r"|(?:start_of|end_of|fim|issue|jupyter|commit|extra_id)_\w{1,32}>|unused\d+>"
)
_SQUARE = (
    r"/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS|TOOL_CONTENT|CALL_ID|PREFIX|SUFFIX|MIDDLE"
    r"|gMASK)\]"
)
_SPELLED = re.compile(rf"<(?= *(?:{_ANGLE}))|\[(?= *{_SQUARE})")
_SPACED = re.compile(rf"(<) (?= *(?:{_ANGLE}))|(\[) (?= *{_SQUARE})")
_BEGUN = re.compile(r"[<\[] *(?:</?SYS>|[^\s>]{0,66})\Z")
"""An end of a text that may become such a spelling."""


def spaced(text: str) -> str:
    return _SPELLED.sub(r"\g<0> ", text)


def unspaced(text: str) -> str:
    return _SPACED.sub(lambda match: match[1] or match[2], text)


class Unspaced:
    """An answer that comes in pieces; without `is_on` as it is."""

    def __init__(self, is_on: bool) -> None:
        self._is_on = is_on
        self._waiting = ""

    def push(self, piece: str, *, is_last: bool = False) -> str:
        """The text that is known now."""
        text, self._waiting = self._waiting + piece, ""
        if not self._is_on:
            return text
        if not is_last and (begun := _BEGUN.search(text)):
            text, self._waiting = text[: begun.start()], text[begun.start() :]
        return unspaced(text)
