"""A conversation as the model reads it: system prompt, what stands for older turns, the turns with their results.

In: turns and what is kept beside them.  Out: messages.  Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from palimpsest.memory.calls.native import native_call, written
from palimpsest.memory.calls.parsing import ParsedCall
from palimpsest.memory.compaction.compactions import Summary
from palimpsest.memory.conversations.turns import Call
from palimpsest.memory.experiences.experiences import Experience
from palimpsest.text.markup import attribute
from palimpsest.text.positions import well_formed
from palimpsest.wire import Message, NativeMessage, Role, ToolCall

SYSTEM = """\
You help a person with the code in their editor. Blocks of their workspace may stand above this conversation. \
Answer briefly and exactly, in Markdown. Say so where you do not know something.
"""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn as the model reads it, and the results of its calls.  `calls`: those calls, where they are not in the
    text.  `notes`: what is wrong with it besides."""

    role: Role
    text: str
    results: Sequence[str] = field(default_factory=tuple)
    calls: Sequence[ToolCall] = field(default_factory=tuple)
    notes: Sequence[str] = field(default_factory=tuple)


def system_prompt(experiences: Sequence[Experience], own: str = "", most_chars: int | None = None) -> str:
    """`own`: what the person adds.  `most_chars`: of experiences."""
    parts = [SYSTEM, own and f"{own.strip()}\n", render_experiences(experiences, most_chars)]
    return "\n".join(part for part in parts if part)


def render_experiences(experiences: Sequence[Experience], most_chars: int | None = None) -> str:
    """The seed's form (selfref.md); "" for none.  Where there are too many, the newest that fit: else what is
    remembered would leave no room for what is said."""
    rows = [f'  <exp id="{one.id}">{_escaped(one.text, "exp")}</exp>\n' for one in experiences]
    left, first = most_chars, len(rows)
    while first and (left is None or len(rows[first - 1]) <= left):
        first -= 1
        left = None if left is None else left - len(rows[first])
    more = f'  <older count="{first}">inspect() lists them</older>\n' if first else ""
    return f"<experiences>\n{more}{''.join(rows[first:])}</experiences>\n" if rows else ""


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
    parts += rules_told(rules)
    if last_request.strip():
        parts.append(f"<last_request>\n{_escaped(last_request, 'last_request')}\n</last_request>")
    return "\n\n".join(parts)


def rules_told(rules: Sequence[tuple[str, str]]) -> list[str]:
    return [
        f"<rules file={attribute(name)}>\n{_escaped(text, 'rules')}\n</rules>" for name, text in rules if text.strip()
    ]


def quoted(role: str, text: str) -> str:
    """What a document brings along and nobody said here: as text of the person's, not as what its heading says."""
    return f'<quoted role={attribute(role)} from="elsewhere">\n{_escaped(text, "quoted")}\n</quoted>'


def pointer(turn: int, number: int, tool: str, n_chars: int) -> str:
    """What stands where a result was dropped: it can be read again like a descriptor."""
    return f'<result fd="result-{turn}-{number}" tool={attribute(tool)} chars="{n_chars}" dropped="true"/>'


def messages(before: str, turns: Iterable[Said]) -> list[Message]:
    """Roles take turns, as chat templates want it: what one role says in a row is one message.  `before` stands for
    older turns, and has the project's rules."""
    said: list[tuple[Role, str]] = [("user", before)] if before else []
    for turn in turns:
        said.append((turn.role, "\n\n".join(part for part in (turn.text, _written(turn.calls)) if part)))
        if behind := [*turn.results, *turn.notes]:
            said.append(("user", "\n".join(behind)))
    joined = list[Message]()
    for role, text in said:
        if joined and joined[-1].role == role:
            joined[-1] = Message(role, f"{joined[-1].content}\n\n{text}")
        else:
            joined.append(Message(role, text))
    return joined


def whole(system: str, told: str, said: Sequence[Message]) -> list[Message]:
    """`told`: what is said of tools."""
    text = _system(system, told)
    return [*([Message("system", text)] if text else []), *said]


def native(call: Call, turn: int) -> ToolCall:
    """The same in every prompt; its id is of nine digits, which is what the strictest servers take."""
    id_ = f"{turn % 10**7:07d}{call.number % 100:02d}"
    return ToolCall(id_, call.name, json.dumps(call.arguments, ensure_ascii=False))


def native_messages(system: str, told: str, before: str, turns: Iterable[Said]) -> list[NativeMessage]:
    """The same for an engine that takes calls and their results by themselves."""
    text = _system(system, told)
    made = [NativeMessage("system", text)] if text else []
    if before:
        made.append(NativeMessage("user", before))
    for turn in turns:
        _behind(made, NativeMessage(turn.role, turn.text, list(turn.calls)))
        if turn.calls:
            made += [
                NativeMessage("tool", result, answers=call.id)
                for call, result in zip(turn.calls, turn.results, strict=True)
            ]
        elif turn.results:
            _behind(made, NativeMessage("user", "\n".join(turn.results)))
        if turn.notes:
            _behind(made, NativeMessage("user", "\n".join(turn.notes)))
    return made


def _system(system: str, told: str) -> str:
    return "\n".join(well_formed(part) for part in (system, told) if part)


def _behind(made: list[NativeMessage], message: NativeMessage) -> None:
    """What one role says in a row is one message."""
    last = made[-1] if made else None
    if last is None or last.role != message.role or last.calls:
        made.append(message)
    else:
        text = "\n\n".join(part for part in (last.content, message.content) if part)
        made[-1] = NativeMessage(message.role, text, message.calls)


def _written(calls: Iterable[ToolCall]) -> str:
    found = [native_call(call.name, call.arguments) for call in calls]
    return "\n".join(written(call.name, call.arguments if isinstance(call, ParsedCall) else {}) for call in found)


def _escaped(text: str, element: str) -> str:
    """Content is verbatim but for the end of its own element (FORMATS.md)."""
    return text.replace(f"</{element}", f"&lt;/{element}")
