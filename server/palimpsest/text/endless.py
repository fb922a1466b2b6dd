"""Find whether a text that is being written only says the same again and again, as small models sometimes end.

In: the text so far.  Out: yes or no.  Pure.  Much more has to repeat than a person would ask for (`repetition.py` is
for code at the cursor, where little is enough); repetitions without a letter, such as rules of dashes, are allowed.
"""

from __future__ import annotations

import re

COPIES, FEWEST = 6, 600
"""What repeats stands there so often, and all of its copies are so many characters, at least."""
LONGEST = 500
"""Of one copy, in characters."""
_LETTER = re.compile(r"[^\W\d_]")


def is_endless(text: str) -> bool:
    for size in range(1, min(LONGEST, len(text) // COPIES) + 1):
        copies = text[-max(COPIES * size, FEWEST) :]
        if len(copies) >= FEWEST and copies[size:] == copies[:-size] and _LETTER.search(copies[:size]):
            return True
    return False
