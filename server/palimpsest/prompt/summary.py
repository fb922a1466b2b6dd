"""The question for a commit message, and the message in a model's reply.

In: files before and after.  Out: text; the message that a reply contains.  There are two ways to ask, as for edits: a
model that follows instructions is shown the change and told what to write; one trained on our edits is shown one block
with its edit, and continues with the summary.  Knows no token, no file and no engine.
"""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from palimpsest.text.markup import attribute, escape_closing
from palimpsest.types import LineEdit

SUBJECT = 72
"""The most characters of a message's first line, which git's tools show without cutting it."""
CONTEXT_LINES = 3
OPEN, CLOSE = "<summary>", "</summary>"
LINE_GRAMMAR = f'root ::= [^ \\t\\r\\n<] [^\\r\\n<]{{0,{SUBJECT + 23}}} "{CLOSE}"'
"""One line and its closing tag.  The line may be a little longer than the bound: it is shortened between words."""

_INSTRUCTIONS = f"""\
<instructions>
Above is a change that is about to be committed. In each <change>, a line that begins with "-" was removed, one with \
"+" was added, and the others stand around them.

Write the commit message. Its first line says in at most {SUBJECT} characters what the change does, in the imperative \
("Add the missing check"), without a full stop. Say what changed and why as far as the code shows it; guess nothing. \
Answer with this line, and only where it leaves out something important with a body of a few short lines, and write \
nothing else:
{OPEN}the first line{CLOSE}
<body>the body, or leave this element out</body>
</instructions>
"""
_SUMMARY = re.compile(r"<summary\s*>(.*?)(?:</summary\s*>|<body\b|\Z)", re.DOTALL)
_BODY = re.compile(r"<body\s*>(.*?)(?:</body\s*>|\Z)", re.DOTALL)
_FENCE = re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE)
_BODY_LABEL = re.compile(r"\A[*_]*(?:body|description)[*_]*[:：][*_\s]*", re.IGNORECASE)
_BEFORE_IT = re.compile(
    r"(?:(?:sure|certainly|of course|okay|here you go)\b[^\n]*[.!,]|[^\n]*[:：][*_ ]*)[ \t]*(?:\n|\Z)", re.IGNORECASE
)
"""Lines of a reply about the message that follows them."""
_LABEL = re.compile(
    r"[#>*_\s]*(?:subject(?: line)?|title|first line|summary|commit (?:message|subject))[*_ ]*[:：][*_\s]*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FileChange:
    """One file before and after, in lines without line ends; `file` is its path as shown, `was` the one before where it
    has moved.  No lines: not there."""

    file: str
    kind: Literal["added", "changed", "removed", "renamed"]
    old: tuple[str, ...]
    new: tuple[str, ...]
    was: str = ""

    @cached_property
    def edits(self) -> tuple[LineEdit, ...]:
        """The edits that turn `old` into `new`, in lines of `old`."""
        old, new = self.old, self.new
        shorter = min(len(old), len(new))
        head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
        rest = shorter - head
        tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
        matcher = difflib.SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail])
        return tuple(
            LineEdit(head + start, head + end, new[head + a : head + b])
            for tag, start, end, a, b in matcher.get_opcodes()
            if tag != "equal"
        )

    @cached_property
    def size(self) -> int:
        """Lines removed and added."""
        return sum(edit.end - edit.start + len(edit.lines) for edit in self.edits)


def told(changes: Sequence[FileChange], others: Sequence[str], max_chars: int) -> str:
    """The change for a model that follows instructions.  The largest file comes first; each but the last gets at most
    half of the room that is left; files without room are named with `others`."""
    written, named, room = list[str](), list(others), max_chars
    for rank, change in enumerate(changes):
        is_last = rank + 1 == len(changes)
        text = _rendered(change, room if is_last else room // 2)
        if not text:
            named.append(change.file)
            continue
        written.append(text)
        room -= len(text)
    if named:
        written.append(f"Changed, too: {', '.join(named)}\n")
    return "".join(written) + _INSTRUCTIONS


def _rendered(change: FileChange, max_chars: int) -> str:
    """One file's change with the lines around it, cut at a line's end; empty where not even a beginning fits."""
    was = f" was={attribute(change.was)}" if change.was else ""
    head = f"<change file={attribute(change.file)} kind={attribute(change.kind)}{was}>\n"
    room = max_chars - len(head) - len("...\n</change>\n")
    kept = list[str]()
    for line in _lines(change):
        text = escape_closing(line, "change")
        room -= len(text) + 1
        if room < 0:
            kept.append("...")
            break
        kept.append(text)
    if kept in ([], ["..."]):
        return ""
    return head + "\n".join(kept) + "\n</change>\n"


def _lines(change: FileChange) -> Iterator[str]:
    """`-` and `+` before removed and added lines, a space before lines around them, `...` between distant places."""
    old, shown, before = change.old, 0, False
    for edit in change.edits:
        start = max(shown, edit.start - CONTEXT_LINES)
        if shown:
            behind = min(shown + CONTEXT_LINES, start)
            yield from (f" {line}" for line in old[shown:behind])
            shown = behind
        if start > shown and before:
            yield "..."
        yield from (f" {line}" for line in old[start : edit.start])
        yield from (f"-{line}" for line in old[edit.start : edit.end])
        yield from (f"+{line}" for line in edit.lines)
        shown, before = edit.end, True
    yield from (f" {line}" for line in old[shown : shown + CONTEXT_LINES])


def message(reply: str) -> tuple[str, str]:
    """(first line, body) of a reply, which has no thought any more; the first line is "" where there is none.  Lenient:
    without the elements, the first line with text that is not about the message is the first line, and what follows is
    the body."""
    text = _FENCE.sub("", reply).strip()
    if found := _SUMMARY.search(text):
        body = _BODY.search(text)
        return subject(found[1]), body[1].strip() if body else ""
    while before := _BEFORE_IT.match(text):
        text = text[before.end() :].strip()
    first, _, rest = text.partition("\n")
    return subject(first), _BODY_LABEL.sub("", _BODY.sub(r"\1", rest).strip())


def subject(text: str) -> str:
    """One line of at most SUBJECT characters, shortened between words, without quotes around it, a full stop, or a word
    that says that it is one."""
    label = _LABEL.match(text)
    line = " ".join(text[label.end() if label is not None else 0 :].replace("&lt;/", "</").split())
    if line[:1] == line[-1:] and line[:1] in ("`", '"', "'", "*"):
        line = line.strip(line[0])
    line = line.removesuffix(".").strip()
    if len(line) <= SUBJECT:
        return line
    short, _, _ = line[: SUBJECT + 1].rpartition(" ")
    return (short or line[:SUBJECT]).rstrip(" ,;:-")


def commit_message(first: str, body: str) -> str:
    return f"{first}\n\n{body}\n" if body else f"{first}\n"
