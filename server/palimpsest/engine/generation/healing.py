"""Token healing: the piece at the cursor that more typing could change, held back from the prompt.

In: the text before the cursor.  Out: where to cut it.  Pure text: what the tokens are is `vocab.py`'s business.

The pieces are those of the usual pre-tokenizers of code models (GPT-2's and its descendants'), with a whole
identifier as one: a word joined to the one character before it (space, dot, open bracket), a run of
punctuation joined to a space before it, or the last of several spaces, which the next word will take.
"""

import re

PIECE = re.compile(
    r"[^\w\r\n]?\w+"  # self._name, " name", ".name", "(name"
    r"| ?[^\s\w]+"  # "):", " ==", "(\""
    r"|[^\S\r\n]+(?=[^\S\r\n])"  # spaces but the last, which joins what follows
    r"|\s"
)
MAX_PIECE = 48
MAX_LINE = 2048


def held_back(prefix: str) -> str:
    """The end of `prefix` that the answer is to begin with; "" when typing on cannot change the last token.

    A line's pieces are found from its beginning, so that the cut stays where it is while a word grows.
    """
    line = prefix[max(prefix.rfind("\n"), prefix.rfind("\r")) + 1 :]
    if len(line) > MAX_LINE:
        line = line[-(len(line) % MAX_LINE) - 256 :]
    last = ""
    for match in PIECE.finditer(line):
        last = match.group()
    return last if 0 < len(last) <= MAX_PIECE else ""
