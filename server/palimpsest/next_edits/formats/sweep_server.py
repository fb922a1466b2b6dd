"""Pure: the format of Sweep's own server for its next-edit models (`sweep-autocomplete`).

The file as it was opened, what was retrieved and the changes stand before the window, which is smaller than in the
published format, has a mark at the cursor, and says with its path which lines it is.  What the server does not show
is refused here, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from palimpsest.next_edits.formats.diffs import Hunk, hunks
from palimpsest.next_edits.formats.format import (
    EMPTY,
    Answer,
    Asked,
    FilePart,
    Format,
    Piece,
    Prompt,
    Rows,
    ended,
    marked,
    rows,
)
from palimpsest.next_edits.formats.sweep import SEPARATOR, STOPS, why_not_shown, without_note

CURSOR = "<|cursor|>"
ABOVE, BELOW = 2, 5
MOST_TOKENS, CHARS_PER_TOKEN = 512, 3.5
"""Of a window's lines but the first two."""
RETRIEVED_CHARS = 7168
MOST_CHANGES = 6
WHOLE_LINES, PART_LINES, STRIDE = 800, 300, 150
"""A longer file is shown in part, which begins at a multiple of the stride."""
LONGEST_LINE = 600
MOST_ADDED = 20


class SweepServer(Format):
    name = "sweep-server"
    stops = STOPS
    tokens = (SEPARATOR,)
    marks = (*STOPS, CURSOR)

    def window(self, lines: Sequence[str], line: int, syntax: Iterable[Rows]) -> tuple[range, range]:
        """Blank lines at its ends do not count; none where the cursor is above it, or a line is too long."""
        n_lines = len(lines) - (not lines[-1])
        line = min(line, n_lines - 1)
        start, stop = max(0, line - ABOVE), min(n_lines, line + BELOW + 1)
        while start < stop and not lines[start].strip():
            start, stop = start + 1, min(n_lines, stop + 1)
        while stop > start and not lines[stop - 1].strip():
            stop -= 1
        rest = "".join(f"{it}\n" for it in lines[start + ABOVE : stop])
        if int(len(rest) / CHARS_PER_TOKEN) > MOST_TOKENS:
            stop = start + ABOVE + rest.count("\n", 0, int(MOST_TOKENS * CHARS_PER_TOKEN) - 1)
        window = range(start, stop)
        if not start <= line or not window or any(len(it) > LONGEST_LINE for it in lines[start:stop]):
            window = range(line, line)
        return window, window

    def _prompt(self, asked: Asked) -> Prompt | None:
        path, shown = asked.path, _shown(asked)
        if not shown.strip():  # of a window that was held while its text was deleted
            return None
        before = _formers(shown, [hunk for _, hunk in _hunks(asked)])[-1:]
        at, row = _cursor(asked, shown)
        current, original = marked(shown, CURSOR, at), before[0] if before else shown
        if current.endswith("\n") and original.endswith("\n"):
            current, original = current[:-1], original[:-1]
        where = f"{path}:{row + 1}:{row + len(rows(current)) + 1}"
        changes = list(_changes(asked))
        begun = "".join(re.findall(r"\A.*\n*", shown[:at]))
        tail = (
            f"{SEPARATOR}original/{where}\n{original}\n"
            f"{SEPARATOR}current/{where}\n{current}\n{SEPARATOR}updated/{where}\n"
        )
        opened = f"{SEPARATOR}{path}\n{_opened(asked)}\n"
        return Prompt(
            (
                *(Piece("file", _cut(f"{SEPARATOR}{part.path}\n{part.text}\n")) for part in asked.files),
                Piece("opened", _cut(opened)),
                *(Piece("retrieved", _cut(text)) for text in _retrieved(asked.retrieved)),
                *(Piece(piece.kind, _cut(piece.text)) for piece in changes),
                Piece("text", f"{tail}{begun}" if changes else f"\n{tail}{begun}"),
            ),
            begun,
        )

    def _read(self, asked: Asked, prompt: Prompt, written: str) -> Answer:
        shown, text = _shown(asked), f"{prompt.prefill}{written}"
        if not written.strip() and shown[len(prompt.prefill) :].strip():
            return EMPTY
        if written.startswith("<|"):
            return Answer(refused="it begins with a mark")
        cursor, row = _cursor(asked, shown)
        if reason := _adds_above(shown, text, row) or why_not_shown(shown, text, cursor, row):
            return Answer(refused=reason)
        text = re.sub(r"\A(?:[^\S\n]*\n)+", "", without_note(text)).replace(CURSOR, "")
        text = "".join(rows(text)[: shown.count("\n") + MOST_ADDED])
        if any(_alike(text, former) for former in _formers(shown, [hunk for _, hunk in _hunks(asked)])):
            return Answer(refused="it brings back an earlier text")
        return Answer(text.removesuffix("\n"))


def _shown(asked: Asked) -> str:
    """The window's text with the end of its last line, unless the document ends there without one."""
    return f"{asked.text}\n" if asked.window.stop < len(asked.lines) else asked.text


def _cursor(asked: Asked, shown: str) -> tuple[int, int]:
    """Where the cursor is in the text, and in which of its lines; below the window it is at its end."""
    at = min(asked.offset, len(shown))
    return at, shown.count("\n", 0, at if at < len(shown) else at - 1)


def _adds_above(shown: str, text: str, row: int) -> str:
    """Its window begins right above the cursor: lines that come in there alone are no answer to what was just done."""
    lines = rows(shown)
    above, at = "".join(lines[:row]), "".join(lines[row:])
    is_it = lines[row].strip() and shown.strip() != text.strip() and text.startswith(above) and text.endswith(at)
    return "it adds lines above the cursor" if is_it else ""


def _opened(asked: Asked) -> str:
    lines = asked.opened.removesuffix("\n").split("\n")
    if len(lines) <= WHOLE_LINES:
        return asked.opened
    start = max(0, round((asked.cursor.line - PART_LINES // 2) / STRIDE)) * STRIDE
    return "\n".join(lines[start : start + PART_LINES])


def _retrieved(parts: Sequence[FilePart]) -> list[str]:
    """The last ones, as many as there is room for."""
    kept, room = list[str](), RETRIEVED_CHARS
    for part in reversed(parts):
        text = f"{SEPARATOR}{part.path}\n{part.text}\n"
        room -= len(text)
        if room < 0:
            break
        kept.insert(0, f"{text}\n")
    return kept


def _hunks(asked: Asked) -> list[tuple[int, Hunk]]:
    """Those that change more than blanks, the oldest first, with the number of their change."""
    found = [(n, hunk) for n, change in enumerate(asked.changes) for hunk in hunks(change.diff)]
    return [(n, hunk) for n, hunk in found if hunk.texts(0)[0].strip() != hunk.texts(0)[1].strip()]


def _changes(asked: Asked) -> Iterator[Piece]:
    shown = _hunks(asked)[-MOST_CHANGES:]
    for place, (n, hunk) in enumerate(shown, 1):
        change = asked.changes[n]
        original, updated = (text.strip("\n") for text in hunk.texts(1))
        # Their first line is not counted, as the server does not.
        last = hunk.first + sum(not line.startswith("-") for line in hunk.lines[1:])
        where = f"{change.path}:{hunk.first + 1}:{last}"
        text = f"{SEPARATOR}{where}\noriginal:\n{original}\nupdated:\n{updated}"
        text = text.rstrip("\n") if place == len(shown) else text
        yield Piece("text" if change.is_open else "change", f"{text}\n")


def _formers(shown: str, made: Sequence[Hunk]) -> list[str]:
    """What the window was before each of the changes, the newest first, as far as they are found in it."""
    found = list[str]()
    for hunk in reversed(made):
        now = ended(found[-1] if found else shown)
        for around in (1, 0) if hunk.lines[0].startswith(" ") else (0,):
            was, is_now = (f"{text}\n" for text in hunk.texts(around))
            if is_now.strip() and is_now in now:
                former = now.replace(is_now, was if was.strip() or hunk.texts(around)[0] else "", 1)
                found.append(former if shown.endswith("\n") else former.removesuffix("\n"))
                break
        else:
            break
    return found


def _alike(one: str, other: str) -> bool:
    """But for blank lines."""
    return re.sub(r"\n+", "\n", one.strip("\n")) == re.sub(r"\n+", "\n", other.strip("\n"))


def _cut(text: str) -> str:
    """With long lines cut."""
    if max(map(len, text.split("\n"))) <= LONGEST_LINE:
        return text
    return "\n".join(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}..." for line in text.split("\n"))
