"""A conversation as the model reads it: system prompt, what stands for older turns, the turns with their results.

In: turns and what is kept beside them.  Out: messages.  Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from palimpsest.memory.compaction.compactions import Summary
from palimpsest.memory.experiences.experiences import Experience
from palimpsest.text.markup import attribute
from palimpsest.wire import Message, Role

SYSTEM = """\
You help a person with the code in their editor. Blocks of their workspace may stand above this conversation. \
Answer briefly and exactly, in Markdown. Say so where you do not know something.
"""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn as the model reads it, and the results of its calls."""

    role: Role
    text: str
    results: Sequence[str] = field(default_factory=tuple)


def system_prompt(experiences: Iterable[Experience], own: str = "") -> str:
    """`own`: what the person adds."""
    parts = [SYSTEM, own and f"{own.strip()}\n", render_experiences(experiences)]
    return "\n".join(part for part in parts if part)


def render_experiences(experiences: Iterable[Experience]) -> str:
    """The seed's form (selfref.md); "" for none."""
    rows = [f'  <exp id="{one.id}">{_escaped(one.text, "exp")}</exp>\n' for one in experiences]
    return f"<experiences>\n{''.join(rows)}</experiences>\n" if rows else ""


def render_summary(summary: Summary) -> str:
    """What stands for the turns before it."""
    lines = ["<summary>"]
    for name in ("goal", "instruction", "current_status", "likely_next_work"):
        if text := getattr(summary, name):
            lines.append(f"<{name}>{_escaped(text, name)}</{name}>")
    for name in ("discoveries", "completed", "relevant_files_directories"):
        if items := getattr(summary, name):
            rows = "\n".join(f"- {_escaped(item, name)}" for item in items)
            lines.append(f"<{name}>\n{rows}\n</{name}>")
    return "\n".join([*lines, "</summary>"])


def standing(summary: Summary, last_request: str, rules: Sequence[tuple[str, str]] = ()) -> str:
    """What the model reads in place of older turns: the summary, the last request of them word for word, and the
    project's rules, by their file's name, as they are now."""
    parts = [f"What was said before, in short:\n{render_summary(summary)}"]
    parts += [
        f"<rules file={attribute(name)}>\n{_escaped(text, 'rules')}\n</rules>" for name, text in rules if text.strip()
    ]
    if last_request.strip():
        parts.append(f"<last_request>\n{_escaped(last_request, 'last_request')}\n</last_request>")
    return "\n\n".join(parts)


def pointer(turn: int, number: int, tool: str, n_chars: int) -> str:
    """What stands where a result was dropped: it can be read again like a descriptor."""
    return f'<result fd="result-{turn}-{number}" tool={attribute(tool)} chars="{n_chars}" dropped="true"/>'


def messages(before: str, turns: Iterable[Said]) -> list[Message]:
    """Roles take turns, as chat templates want it: what one role says in a row is one message.  `before` stands for
    older turns."""
    said: list[tuple[Role, str]] = [("user", before)] if before else []
    for turn in turns:
        said.append((turn.role, turn.text))
        if turn.results:
            said.append(("user", "\n".join(turn.results)))
    joined = list[Message]()
    for role, text in said:
        if joined and joined[-1].role == role:
            joined[-1] = Message(role, f"{joined[-1].content}\n\n{text}")
        else:
            joined.append(Message(role, text))
    return joined


def _escaped(text: str, element: str) -> str:
    """Content is verbatim but for the end of its own element (FORMATS.md)."""
    return text.replace(f"</{element}", f"&lt;/{element}")
