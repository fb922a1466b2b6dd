"""Pure: the format that Sweep published for its next-edit models, Qwen2.5-Coder of 0.5, 1.5 and 7 billion parameters.

Files, changes, and then the window three times: as it was before the newest change, as it is, and as it will be, which
is the answer.  Each is a document of its own behind `<|file_sep|>`.
"""

from collections.abc import Iterable, Iterator, Sequence

from palimpsest.next_edits.formats.diffs import hunks, spans
from palimpsest.next_edits.formats.format import (
    EMPTY,
    NextEditFormat,
    NextEditPrompt,
    PastChange,
    PromptPiece,
    Rows,
    WindowAnswer,
    WindowRequest,
    ended,
    rows,
    unended,
)

SEPARATOR = "<|file_sep|>"
STOPS = (SEPARATOR, "<|endoftext|>", "</s>")
ABOVE = BELOW = 10
MOST_CHANGES = 3
MOST_LINES = 40
"""A change has at most this many lines, before and after; of more the first 20 and the last 19 are shown."""
MANY = 5
"""Lines added and removed in a change that reaches above the cursor."""
_NO_LINE_END = " No newline at end of file"


class Sweep(NextEditFormat):
    name = "sweep"
    stops = STOPS
    tokens = (SEPARATOR,)
    marks = STOPS

    def window(self, lines: Sequence[str], line: int, syntax: Iterable[Rows]) -> tuple[range, range]:
        window = range(max(0, line - ABOVE), min(len(lines), line + BELOW + 1))
        return window, window

    def _prompt(self, asked: WindowRequest) -> NextEditPrompt:
        path = asked.path
        pieces = [PromptPiece("file", _document(part.path, part.text)) for part in asked.files]
        pieces += [_piece(change) for change in asked.changes[-MOST_CHANGES:]]
        window = _document(f"original/{path}", asked.original), _document(f"current/{path}", asked.text)
        return NextEditPrompt((*pieces, PromptPiece("text", f"{''.join(window)}{SEPARATOR}updated/{path}\n")))

    def _read(self, asked: WindowRequest, prompt: NextEditPrompt, written: str) -> WindowAnswer:
        if not written.strip():
            return EMPTY
        text = unended(without_note(written), asked.text)
        window = ended(asked.text)
        row = min(asked.cursor.line - asked.window.start, len(rows(window)) - 1)
        reason = why_not_shown(window, ended(text), min(asked.offset, len(window)), row)
        return WindowAnswer(refused=reason) if reason else WindowAnswer(text)


def without_note(text: str) -> str:
    """Without a note of diffs, which the models have seen in them."""
    return text.partition(_NO_LINE_END)[0] if text.rstrip("\n").endswith(_NO_LINE_END) else text


def why_not_shown(window: str, text: str, cursor: int, row: int) -> str:
    """Why Sweep's server does not show an answer, "" where it does: it rewrites what is above the cursor, which the
    person has just left, or says nothing."""
    lines = rows(window)
    made = list(spans(lines, rows(text)))
    gone, put = sum(b - a for a, b, _, _ in made), sum(d - c for _, _, c, d in made)
    if window[:cursor] != text[:cursor] and min(gone, put) > MANY:
        return "it rewrites what is above the cursor"
    if not lines[row].strip() and text == "".join([*lines[:row], *lines[row + 1 :]]):
        return "it only takes the blank line of the cursor away"
    return ""


def _document(path: str, text: str) -> str:
    return f"{SEPARATOR}{path}\n{ended(text)}"


def _piece(change: PastChange) -> PromptPiece:
    sides = zip(*hunks(change.diff), strict=True)
    original, updated = (_cut(part for part in side if part) for side in sides)
    written = _document(f"{change.path}.diff", f"original:\n{ended(original)}updated:\n{updated}")
    return PromptPiece("text" if change.is_open else "change", written)


def _cut(parts: Iterator[str]) -> str:
    lines = "\n".join(parts).split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES // 2], "...", *lines[-(MOST_LINES // 2 - 1) :]]
    return "\n".join(lines)
