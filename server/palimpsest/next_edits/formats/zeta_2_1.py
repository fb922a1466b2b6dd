"""Pure: the format of Zeta 2.1, which is Zeta 2's but for the window: numbered marks stand between blocks of its lines,
and the answer has only the blocks that change, between the marks around them."""

import re
from collections.abc import Sequence
from itertools import pairwise

from palimpsest.next_edits.formats.format import NextEditPrompt, WindowAnswer, WindowRequest, marked
from palimpsest.next_edits.formats.zeta_2 import CURSOR, END_OF_TEXT, FILE, MIDDLE, PREFIX, SUFFIX, Zeta2

FEWEST_LINES, MOST_LINES = 6, 16
FARTHEST = 5
"""Lines among which a better beginning of a block is looked for."""
_TAG = re.compile(r"<\|marker_(\d+)\|>")
_LEAVING = ("break", "continue", "return", "throw", "end")


class Zeta21(Zeta2):
    name = "zeta-2.1"
    stops = (END_OF_TEXT,)
    marks = (SUFFIX, PREFIX, MIDDLE, FILE, CURSOR, "<|marker_", END_OF_TEXT)

    def _section(self, asked: WindowRequest) -> str:
        text, at, written = asked.text, asked.offset, ""
        starts, is_placed = boundaries(text), False
        for number, (start, end) in enumerate(pairwise(starts), 1):
            block = text[start:end]
            if not is_placed and start <= at <= end:
                block, is_placed = marked(block, CURSOR, at - start), True
            written += f"<|marker_{number}|>{block}"
        return f"{FILE}{asked.path}\n{asked.before}{written}<|marker_{len(starts)}|>\n"

    def _read(self, asked: WindowRequest, prompt: NextEditPrompt, written: str) -> WindowAnswer:
        tags = list(_TAG.finditer(written))
        if len(tags) < 2:
            return WindowAnswer(refused="it has no two marks")
        first, last = int(tags[0][1]), int(tags[-1][1])
        if first == last:
            return WindowAnswer(asked.text)
        starts = boundaries(asked.text)
        if not 0 < first < last <= len(starts):
            return WindowAnswer(refused="its marks are not those of the window")
        put = _TAG.sub("", written[tags[0].end() : tags[-1].start()]).replace(CURSOR, "")
        return WindowAnswer(f"{asked.text[: starts[first - 1]]}{put}{asked.text[starts[last - 1] :]}")


def boundaries(text: str) -> list[int]:
    """Offsets between which the blocks of a text are, its beginning and its end included.

    A block ends at a blank line once it has a few lines, or after many; the next one begins with a line that says
    something, if there is one near."""
    if not text:
        return [0, 0]
    lines = text.removesuffix("\n").split("\n")
    starts, blocks, last, at = [0], [0], 0, 0
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    while at < len(lines):
        behind_blank = bool(at and lines[at].strip() and not lines[at - 1].strip())
        target = _beginning(lines, at)
        is_due = at - last >= FEWEST_LINES and behind_blank and len(lines) - target >= FEWEST_LINES
        if is_due or at - last >= MOST_LINES:
            blocks.append(starts[target])
            at = last = target
        at += 1
    return blocks if blocks[-1] == len(text) else [*blocks, len(text)]


def _beginning(lines: Sequence[str], at: int) -> int:
    near = range(at, min(len(lines), at + FARTHEST))
    return next((row for row in near if _says(lines[row].strip())), at)


def _says(line: str) -> bool:
    return line[:1] not in ("", "}", "]", ")") and line.rstrip(";") not in _LEAVING
