"""What models answered in cursortab.nvim's evaluation, which stands beside its cases.

In: a case, a model's name there.  Out: its first answer, and the document that it makes.

A recording is a file of JSON lines, in which each request and each answer is a body in base64: of the servers with
OpenAI's `/v1/completions`, a prompt and a text.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from typing import Any

from bench.next_edits.cases import Case, lines_of
from palimpsest.errors import InvalidArgument
from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.format import NextEditFormat, NextEditPrompt, WindowRequest

MODELS = {
    "sweep-next-edit-0.5B": "sweep",
    "sweep-next-edit-1.5B": "sweep",
    "sweep-next-edit-7B": "sweep",
    "zeta-2": "zeta-2",
}
"""By their names there, the format of ours that reads what they write.  The others there write no window."""
EXPECTED = "expected"
"""In place of a model's name: what the case expects, as if a model had written it."""
_WINDOWS = {
    "sweep": re.compile(r"<\|file_sep\|>current/[^\n]*\n(.*)<\|file_sep\|>updated/[^\n]*\n(.*)\Z", re.DOTALL),
    "zeta-2": re.compile(r"<<<<<<< CURRENT\n(.*)=======\n()", re.DOTALL),
}
_CURSOR = re.compile(r"<\|(?:user_cursor|cursor)\|>")


@dataclass(frozen=True, slots=True)
class Recording:
    """`written` is what the model wrote for the lines `window`, whose text it is None for where nothing was recorded;
    `target` is the document with it."""

    target: str
    window: str = ""
    written: str | None = None
    is_whole: bool = True


def format_of(model: str) -> str:
    """Raises InvalidArgument."""
    if model == EXPECTED:
        return "sweep"
    if model not in MODELS:
        raise InvalidArgument("--recorded", f"{model!r} is none of {', '.join((*MODELS, EXPECTED))}.")
    return MODELS[model]


def window_in(format: str, prompt: str) -> tuple[str, str] | None:
    """The lines that a prompt asks to be rewritten, without the cursor's mark, and the beginning of the answer that the
    prompt ends with."""
    found = _WINDOWS[format].search(prompt)
    return None if found is None else (_CURSOR.sub("", found[1]), found[2])


def recording(case: Case, model: str) -> Recording:
    """Raises InvalidArgument where the case has none that can be read."""
    if model == EXPECTED:
        return Recording(case.text if case.expected is None else f"{case.expected.rstrip()}\n")
    if case.folder is None or not (path := case.folder / f"{model}.ndjson").is_file():
        raise InvalidArgument("--recorded", f"{case.name} has no answer of {model}.")
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        asked, answered = (next(_body(row) for row in rows if row["kind"] == kind) for kind in ("request", "response"))
        choice, found = answered["choices"][0], window_in(MODELS[model], asked["prompt"])
        if found is None:
            raise ValueError("the prompt is of another format")
        return _recording(case, FORMATS[MODELS[model]], *found, choice["text"], choice["finish_reason"] == "stop")
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise InvalidArgument("--recorded", f"{path} cannot be read: {error!r}.") from None


def _body(row: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(base64.b64decode(row["body_b64"]))
    return body


def _recording(case: Case, format: NextEditFormat, window: str, begun: str, text: str, is_whole: bool) -> Recording:
    lines, shown = lines_of(case.text), lines_of(window)
    start = next((at for at in range(len(lines)) if lines[at : at + len(shown)] == shown), None)
    if start is None:
        raise ValueError("the document has no such lines")
    stop, written = start + len(shown), f"{begun}{text}"
    asked = WindowRequest(case.file, lines, range(start, stop), range(start, stop), case.cursor)
    answer = format.read(asked, NextEditPrompt(()), written, is_whole=is_whole)
    after = shown if answer.refused else lines_of(answer.text)
    target = "".join(f"{line}\n" for line in (*lines[:start], *after, *lines[stop:]))
    return Recording(target, window, written, is_whole)
