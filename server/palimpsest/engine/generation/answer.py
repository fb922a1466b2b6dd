"""An answer's text as its tokens come: whole characters only, cut at a stop string, without the healed piece.

In: each token's bytes.  Out: text that is final.  Knows no token id and no model.
"""

import codecs
from collections.abc import Sequence

from palimpsest.stop_strings import StoppedText


class GeneratedText(StoppedText):
    """`skip` bytes at the beginning are the healed piece and are not part of the text.  Bytes of an unfinished
    character at the end are dropped."""

    def __init__(self, stops: Sequence[str], skip: int = 0) -> None:
        super().__init__(stops)
        self._skip = skip
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, piece: bytes) -> str:
        """Add a token's bytes; the text that became final."""
        cut = min(self._skip, len(piece))
        self._skip -= cut
        return self.add(self._decoder.decode(piece[cut:]))
