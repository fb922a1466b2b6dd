"""The calls of a reply, run in order; what they are run with (`Tools`), and what was said before them (`Needs`).

In: a reply's text, tools.  Out: results for the model, kept with the turn; events.  Knows no tool.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from palimpsest.conversations.answers import ResultRoom, ToolResult, element
from palimpsest.conversations.calls.parsing import MOST_CALLS, ParsedCall, WrongCall, calls_in, native_call
from palimpsest.conversations.events import BranchChanged, CallBegan, CallDone, TurnBegan
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.operations.table import own_name
from palimpsest.conversations.operations.toolbox import wrong
from palimpsest.conversations.turns import Turn
from palimpsest.window.events import Events
from palimpsest.wire import ToolCall

RESTORED = "restore_checkpoint"


@dataclass(frozen=True, slots=True)
class Needs:
    """What tools may matter for: what the person said, the last of it at the end, and the names of tools that were
    called: `lately`, and `before` that, the newest first."""

    said: Sequence[str] = ()
    lately: frozenset[str] = frozenset()
    before: Sequence[str] = ()


class Tools(Protocol):
    """What a model may call."""

    def parameters(self) -> Mapping[str, Sequence[str]]:
        """The names of each tool's parameters, in order; by all names that it may be called by."""
        ...

    def told(self, needs: Needs) -> str:
        """What the system prompt says of the tools that may matter now; "" for none."""
        ...

    def described(self, needs: Needs, *, natively: bool) -> tuple[str, Mapping[str, str]]:
        """In pieces: how tools are called, and what is said of each; `natively` as `native` has them."""
        ...

    def read_turns(self) -> bool:
        """Whether the model is told of one that reads turns and results by their addresses."""
        ...

    def native(self, needs: Needs) -> tuple[str, list[dict[str, Any]]]:
        """The same for an engine that is told of tools by itself: what the system prompt still says, and the tools."""
        ...

    async def run(
        self, conversation: str, turn: int, name: str, arguments: Mapping[str, Any], room: ResultRoom | None = None
    ) -> ToolResult:
        """Raises nothing but cancellation: the result of a wrong call, or of one without `room`, says what is wrong."""
        ...


def sent_of_tools(told: str, native: Sequence[Mapping[str, Any]]) -> str:
    """All that is sent of tools, as it is counted: what the system prompt says, and those that stand beside it."""
    return f"{told}\n{json.dumps(native, ensure_ascii=False)}" if native else told


async def run_calls(
    memory: Memory,
    events: Events,
    tools: Tools,
    turn: Turn,
    look: Callable[[], Awaitable[ResultRoom | None]],
    natively: Sequence[ToolCall] = (),
) -> int:
    """Run what the turn calls, or what came beside it `natively`; how many calls there were, wrong ones too.  `look`
    says which room all results have together; None where nobody knows what the model can read.
    Cancelling it leaves the calls that are done, and no trace of the one that was not."""
    found: Sequence[ParsedCall | WrongCall]
    if natively:
        found = [native_call(one.name, one.arguments, i) for i, one in enumerate(natively[: MOST_CALLS + 1])]
    else:
        found = calls_in(memory.turns.text(turn), tools.parameters())
    room = await look() if found else None
    for number, written in enumerate(found):
        call = replace(written, name=own_name(written.name))
        name, arguments = call.name, {} if isinstance(call, WrongCall) else call.arguments
        events.emit(CallBegan(turn.conversation, turn.id, number, name, arguments))
        if isinstance(call, WrongCall):
            outcome = wrong(call)
        else:
            outcome = await tools.run(turn.conversation, turn.id, name, arguments, room)
        if room is not None:
            room = replace(room, tokens=room.tokens - await room.count(outcome.xml))
        came_to = "failed" if outcome.error else "done", outcome.xml, outcome.descriptor
        kept = await memory.writes.run(memory.turns.add_call, turn.id, name, arguments, *came_to)
        events.emit(CallDone(turn.conversation, turn.id, kept, outcome.xml))
    if found and (added := await memory.writes.run(_carried_over, memory, turn)) is not None:
        events.emit(BranchChanged(turn.conversation))
        events.emit(TurnBegan(turn.conversation, added))
    return len(found)


def _carried_over(memory: Memory, turn: Turn) -> Turn | None:
    """Where a call has gone back to a checkpoint, the turn that made it is not among those that the model reads next:
    what its calls came to is said again behind the last of these, with what the person asked."""
    branch = memory.turns.branch(turn.conversation)
    if turn.id in [one.id for one in branch]:
        return None
    results = [memory.contents.text(call.result) for call in memory.turns.calls(turn.id) if call.result]
    before = memory.turns.branch(turn.conversation, turn.id)
    asked = next((one for one in reversed(before) if one.role == "user"), None)
    if asked is not None and asked.id not in [one.id for one in branch]:
        results.append(element("last_request", {}, memory.turns.text(asked)))
    return memory.turns.add(turn.conversation, "tool", "\n".join(results), source=RESTORED)
