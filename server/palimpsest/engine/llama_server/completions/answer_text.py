"""An answer's text, put together from its tokens and ended as llama-server ends it.

In: each token's bytes.  Out: text that can be sent, and why the answer ended.  Knows no token id and no model.
"""

import codecs
from collections.abc import Sequence
from typing import Literal

from palimpsest.text.repetition import kept

LOOK_EVERY = 8
"""Characters between two checks for a repetition within a line."""
StopType = Literal["none", "eos", "limit", "word"]


class AnswerText:
    """`skip`: bytes at the beginning that repeat the healed prefix and are no part of the text.  `n_indent`: a later
    line with less indentation ends the answer and is cut off.  `markup`: the model's own tags, at which code ends.
    `before`: the text before the answer, where an answer that repeats itself is to be ended (`text/repetition.py`); a
    stream may have sent more by then."""

    def __init__(
        self,
        stops: Sequence[str],
        *,
        skip: int = 0,
        n_indent: int = 0,
        markup: Sequence[str] = (),
        before: str | None = None,
    ) -> None:
        self._stops = stops
        self._skip = skip
        self._n_indent = n_indent
        self._markup = markup
        self._before = before
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._n_sent = 0
        self._n_looked = 0
        self._line = 0  # where the newest line that was looked at begins
        self.text = ""
        self.stop: StopType = "none"
        self.stopping_word = ""
        self.has_new_line = False

    def push(self, piece: bytes, *, out_of_time: bool, end: bool) -> str | None:
        """Add a token's bytes.  The text that can be sent now, None while a character is incomplete.

        `out_of_time`: the answer ends at its next line end.
        """
        cut = min(self._skip, len(piece))
        self._skip -= cut
        self.text += self._decoder.decode(piece[cut:])
        if self._decoder.getstate()[0] and not end:
            return None
        sent = self._release(end=end)
        if self.stop == "none" and self.has_new_line:
            self._look_at_indent()
        if self.stop == "none" and ("\n" in sent or len(self.text) - self._n_looked >= LOOK_EVERY):
            self._look_at_repetition()
        if "\n" in sent:
            self.has_new_line = True
            if out_of_time and self.stop == "none":
                self.stop = "limit"
        return sent

    def finish(self, stop: StopType) -> str:
        """End the answer for a reason outside its text.  What was held back in case a stop string followed."""
        if self.stop == "none":
            self._look_at_repetition()
            self.stop = stop
        rest = self.text[self._n_sent :]
        self._n_sent = len(self.text)
        return rest

    def _release(self, *, end: bool) -> str:
        rest = self.text[self._n_sent :]
        places = [(rest.find(word), word) for word in self._stops]
        full = min(((at, word) for at, word in places if at >= 0), default=None, key=lambda item: item[0])
        if full is not None:
            at, self.stopping_word = full
            self.stop = "word"
            self.text = self.text[: self._n_sent + at]
            rest = rest[:at]
        elif (markup := self._markup_at()) is not None:
            self.stop, self.text = "eos", self.text[:markup]
            rest = self.text[self._n_sent :]
        elif not end and (any(_begins_at_end(rest, word) for word in self._stops) or self._may_be_markup()):
            return ""
        self._n_sent = len(self.text)
        return rest

    def _markup_at(self) -> int | None:
        """Where the model's markup begins, including the line end and blanks before it; None without any."""
        text = "\n" + self.text  # a line begins here
        start = max(0, self._n_sent - max(map(len, self._markup), default=0))
        at = min((i for i in (text.find(tag, start) for tag in self._markup) if i >= 0), default=-1)
        if at < 0:
            return None
        before = text[:at].rstrip(" \t")
        return max(0, len(before) - 2 if before.endswith("\n") else at - 1)

    def _may_be_markup(self) -> bool:
        """Whether the text ends with the beginning of a tag; a line end alone does not count."""
        text = "\n" + self.text
        return any(text.endswith(tag[:n]) for tag in self._markup for n in range(1 + (tag[0] == "\n"), len(tag)))

    def _look_at_repetition(self) -> None:
        if self._before is None:
            return
        self._n_looked = len(self.text)
        n = kept(self.text, self._before)
        if n < len(self.text):
            self.stop, self.text = "limit", self.text[:n]
            self._n_sent = min(self._n_sent, n)

    def _look_at_indent(self) -> None:
        if not self._n_indent:
            return
        if self._line:
            at = self._line
            while at < len(self.text) and self.text[at] in " \t":
                at += 1
            if at < len(self.text) and at - self._line < self._n_indent:
                self.stop = "limit"
                self.text = self.text[:at]
                self._n_sent = min(self._n_sent, at)
        at = self.text.find("\n", self._line)
        if at >= 0:
            self._line = at + 1


def _begins_at_end(text: str, word: str) -> bool:
    """Whether `text` ends with the beginning of `word`."""
    return any(text.endswith(word[:n]) for n in range(min(len(word) - 1, len(text)), 0, -1))
