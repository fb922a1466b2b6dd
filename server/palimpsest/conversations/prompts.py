"""A conversation as the model reads it: system prompt, what stands for older turns, the turns with their results.

In: turns and what is kept beside them.  Out: messages.  Pure.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from palimpsest.conversations.calls.parsing import ParsedCall, native_call, written
from palimpsest.conversations.compaction.compactions import LISTS, TEXTS, Summary
from palimpsest.conversations.experiences import Experience
from palimpsest.conversations.turns import TurnCall
from palimpsest.prompt.blocks import render_context
from palimpsest.text.markup import attribute
from palimpsest.text.positions import well_formed
from palimpsest.text.tokens import masked_block
from palimpsest.types import Block
from palimpsest.wire import ChatTail, Message, NativeMessage, Role, ToolCall

SYSTEM = """\
You help a person with the code in their editor. Blocks of their workspace may stand above this conversation. \
Answer briefly and exactly, in Markdown. Say so where you do not know something.
"""

COMPACTED = "The conversation was compacted behind this request; where it asks for that, it is done:"
"""Else the model, which no longer sees its call, makes it again."""


@dataclass(frozen=True, slots=True)
class SaidTurn:
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
    """What stands for the turns before it, without the secrets that somebody may have typed there."""
    lines = ["<summary>"]
    for name in TEXTS:
        if text := getattr(summary, name):
            lines.append(f"<{name}>{_escaped(text, name)}</{name}>")
    for name in LISTS:
        if items := getattr(summary, name):
            rows = "\n".join(f"- {_escaped(item, name)}" for item in items)
            lines.append(f"<{name}>\n{rows}\n</{name}>")
    return masked_block("\n".join([*lines, "</summary>"]))


@dataclass(frozen=True, slots=True)
class KeptMessage:
    """`id`: what it is called, as `turn-12`."""

    id: str
    role: str
    text: str


def standing(
    summary: Summary,
    last_request: str,
    rules: Sequence[tuple[str, str]] = (),
    kept: Sequence[KeptMessage] = (),
    older: tuple[int, int] | None = None,
) -> str:
    """What the model reads in place of older turns: the summary, those that are kept word for word, the project's rules
    by their file's name, as they are now, and, where somebody asked for the compaction, the last request before it word
    for word.  `older`: the numbers of the first and last of the turns, where the model can read them."""
    which = "" if older is None else f" (turn-{older[0]} to turn-{older[1]})"
    parts = [f"What was said before{which}, in short:\n{render_summary(summary)}"]
    parts += [
        f"<message id={attribute(one.id)} role={attribute(one.role)}>\n{_escaped(one.text, 'message')}\n</message>"
        for one in kept
    ]
    parts += rules_told(rules)
    if last_request.strip():
        parts += [COMPACTED, f"<last_request>\n{_escaped(last_request, 'last_request')}\n</last_request>"]
    return "\n\n".join(parts)


def named(turn: int, before: Sequence[str] = ()) -> str:
    """The address of a message, on a line of its own, and those of the replies and results `before` it: a model that
    reads one in its own replies would write them."""
    behind = f' before="{" ".join(before)}"' if before else ""
    return f'<message fd="turn-{turn}"{behind} />\n'


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


def messages(before: str, turns: Iterable[SaidTurn]) -> list[Message]:
    """Roles take turns, as chat templates want it: what one role says in a row is one message.  `before` stands for
    older turns, and has the project's rules."""
    said: list[tuple[Role, str]] = [("user", before)] if before else []
    for turn in turns:
        said.append((turn.role, with_calls(turn.text, turn.calls, natively=False)))
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


def native(call: TurnCall, turn: int) -> ToolCall:
    """The same in every prompt; its id is of nine digits, which is what the strictest servers take."""
    id_ = f"{turn % 10**7:07d}{call.number % 100:02d}"
    return ToolCall(id_, call.name, json.dumps(call.arguments, ensure_ascii=False))


def native_messages(system: str, told: str, before: str, turns: Iterable[SaidTurn]) -> list[NativeMessage]:
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


def read_by_model(chat: ChatTail, blocks: Iterable[Block]) -> str:
    """All that the model reads, for a person: blocks, tools that it is told of beside the text, messages."""
    parts = [f"# Blocks\n\n{render_context(block)}" for block in blocks]
    said: list[tuple[str, str]]
    if chat.native is None:
        said = [(message.role, message.content) for message in chat.messages]
    else:
        parts.append(f"# Tools\n\n{json.dumps(chat.native.tools, ensure_ascii=False, indent=2)}")
        said = [(one.role, with_calls(one.content, one.calls, natively=False)) for one in chat.native.messages]
    return "\n\n".join([*parts, *(f"# {role}\n\n{text}" for role, text in said)]) + "\n"


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


def with_calls(text: str, calls: Sequence[ToolCall], *, natively: bool) -> str:
    """A turn's text with the calls that are not in it, as the model reads them: in words, or beside the text."""
    if natively:
        made = [call.name + call.arguments for call in calls]
    else:
        found = [native_call(call.name, call.arguments) for call in calls]
        made = [written(call.name, call.arguments if isinstance(call, ParsedCall) else {}) for call in found]
    return "\n\n".join(part for part in (text, "\n".join(made)) if part)


def _escaped(text: str, element: str) -> str:
    """Content is verbatim but for the end of its own element (docs/formats.md)."""
    return text.replace(f"</{element}", f"&lt;/{element}")
