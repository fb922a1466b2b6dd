"""Operations are run here: what a model called (arguments checked, the answer or the error as XML), and what a program
asked for.

In: a call.  Out: an answer.  Arguments are checked against the tool's parameters: a number or a truth value in quotes
is taken for one, and a single text for a list of one, since that is how models are wrong.  A model's result longer than
the threshold becomes a descriptor, and its preview stands for it.
"""

import asyncio
import inspect
import logging
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, cast

from palimpsest.conversations.answers import Answer, ResultRoom, ToolResult, failed
from palimpsest.conversations.calls.parsing import WrongCall
from palimpsest.conversations.descriptors.addresses import DEFAULT_PAGE_SIZE
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.operations.descriptors import wrapped
from palimpsest.conversations.operations.operation import Operation, OperationCall, OperationParameter, ToolHost
from palimpsest.conversations.operations.table import TOOLS
from palimpsest.errors import LONGEST_SHOWN, InvalidArgument, NotFound, OutOfRange, PalimpsestError, shown

LEAST_PAGE = 200
"""Characters of a page of what has little room."""

_TRUTH = {"true": True, "false": False}

logger = logging.getLogger(__name__)


class Toolbox:
    """The operations of a workspace's memory.  `page_size` and `pretty` are of the descriptors that are made."""

    def __init__(self, memory: Memory, *, page_size: int = DEFAULT_PAGE_SIZE, pretty: bool = True) -> None:
        self._memory = memory
        self._page_size = page_size
        self._pretty = pretty

    async def answer(
        self, operation: Operation, arguments: Mapping[str, Any], conversation_id: str, host: ToolHost
    ) -> Answer:
        """Run an operation for a program, whose arguments are checked.  Raises NotFound for no such conversation, and
        whatever the operation raises."""
        self._memory.conversations.get(conversation_id)  # at once: what is asked for next must not come before this
        sizes = self._page_size, self._pretty
        call = OperationCall(conversation_id, dict(arguments), self._memory, host, "program", None, *sizes)
        return await _run(operation, call)

    async def run(
        self,
        name: str,
        arguments: Mapping[str, Any],
        conversation_id: str,
        host: ToolHost,
        room: ResultRoom | None = None,
        *,
        max_direct_output_chars: int | None = None,
        most_chars: int | None = None,
    ) -> ToolResult:
        """Run a tool for a model: an error is a result, too, and never an exception.  Nothing becomes a descriptor
        where `max_direct_output_chars` is None.  `most_chars`: of a part that is read at once.  What has no `room` is a
        descriptor, too; a part of one is refused."""
        try:
            tool = _tool(name)
            sizes = self._page_size, self._pretty
            call = OperationCall(
                conversation_id, checked(tool, arguments), self._memory, host, "model", most_chars, *sizes
            )
            answer = await _run(tool, call)
            limit = None if tool.pages else max_direct_output_chars
            return await self._within(answer, limit, room, tool, conversation_id)
        except PalimpsestError as error:
            return failed(name if name in TOOLS else "", error)
        except Exception:  # a mistake of ours is a result, too: the model goes on without it
            logger.exception("the tool %s failed", name)
            return failed(name, PalimpsestError(f"{name} failed; the log says why."))

    async def _within(
        self, answer: Answer, limit: int | None, room: ResultRoom | None, tool: Operation, conversation_id: str
    ) -> ToolResult:
        n_tokens = 0 if room is None else await room.count(answer.xml)
        fitting = len(answer.xml) if room is None or n_tokens <= room.tokens else room.chars(answer.xml, n_tokens)
        if limit is None and fitting < len(answer.xml):
            raise OutOfRange(
                "call",
                f"its result has {len(answer.xml):,} characters, and there is room for {fitting:,} beside an answer.",
                hint="Ask for less, as a page or fewer lines, or in the next reply.",
            )
        if limit is None or len(answer.xml) <= min(limit, fitting):
            return ToolResult(answer.xml, answer.fields)
        page_size = min(self._page_size, max(LEAST_PAGE, fitting // 2))
        about = answer.text or answer.xml, f"tool:{tool.name}", min(limit, fitting), page_size, self._pretty
        descriptor, preview = await asyncio.to_thread(wrapped, self._memory.descriptors, conversation_id, *about)
        return ToolResult(preview.xml, {**answer.fields, **preview.fields}, descriptor)


async def _run(operation: Operation, call: OperationCall) -> Answer:
    if inspect.iscoroutinefunction(operation.run):
        answered: Answer = await operation.run(call)
        return answered
    run = cast(Callable[[OperationCall], Answer], operation.run)
    return await (call.memory.writes.run(run, call) if operation.stores else asyncio.to_thread(run, call))


def _tool(name: str) -> Operation:
    if name in TOOLS:
        return TOOLS[name]
    near = get_close_matches(name, TOOLS, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(sorted(TOOLS))}."
    raise NotFound("tool", f"there is no tool {name[:60]!r}.", hint=hint)


def checked(tool: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments under the parameters' own names.  Raises InvalidArgument that names the argument and says what
    would be right."""
    known = {name: one for one in tool.told for name in one.also} | {one.name: one for one in tool.told}
    values = dict[str, Any]()
    for name, value in arguments.items():
        parameter = known.get(name)
        if parameter is None:
            raise InvalidArgument(
                name[:LONGEST_SHOWN] or "arguments", f"{tool.name} has no such argument.", hint=_hint(tool, name)
            )
        if parameter.name in values:
            raise InvalidArgument(parameter.name, "is given twice.")
        if value is not None:
            values[parameter.name] = _value(parameter, value)
    for parameter in tool.told:
        if parameter.required and parameter.name not in values:
            raise InvalidArgument(
                parameter.name, f"is missing: {parameter.description}.", hint=f"As in {tool.example}."
            )
    return values


def _hint(tool: Operation, name: str) -> str:
    names = [one.name for one in tool.told]
    if not names:
        return f"It takes none: {tool.example}."
    near = get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]}?" if near else f"There are: {', '.join(names)}."


def _value(parameter: OperationParameter, value: Any) -> Any:
    read = _read(parameter, value)
    if read is None:
        raise InvalidArgument(parameter.name, f"expected {_wanted(parameter)}, got {shown(value)}.")
    if parameter.choices and read not in parameter.choices:
        raise InvalidArgument(parameter.name, f"expected one of {', '.join(parameter.choices)}, got {shown(value)}.")
    if parameter.least is not None and read < parameter.least:
        raise InvalidArgument(parameter.name, f"expected {parameter.least} or more, got {shown(read)}.")
    if parameter.most is not None and read > parameter.most:
        raise InvalidArgument(parameter.name, f"expected {parameter.most} or less, got {shown(read)}.")
    return read


def _read(parameter: OperationParameter, value: Any) -> Any:
    """The value as one of the parameter's kind; None for a value of another kind."""
    match parameter.kind:
        case "text":
            return value if isinstance(value, str) else None
        case "whole number":
            return _whole(value)
        case "true or false":
            read = _TRUTH.get(value.strip().lower()) if isinstance(value, str) else value
            return read if isinstance(read, bool) else None
        case "list of texts":
            items = [value] if isinstance(value, str) else value
            return items if isinstance(items, list) and all(isinstance(one, str) for one in items) else None
        case "texts by name":
            is_right = isinstance(value, dict) and all(isinstance(one, str) for one in (*value, *value.values()))
            return value if is_right else None


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and len(value) < 20 and value.strip().lstrip("-").isascii():
        digits = value.strip()
        return int(digits) if digits.removeprefix("-").isdigit() else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _wanted(parameter: OperationParameter) -> str:
    return parameter.kind if parameter.kind == "texts by name" else f"a {parameter.kind}".replace("a true", "true")


def wrong(call: WrongCall) -> ToolResult:
    """What a call that could not be read answers."""
    return failed(call.name if call.name in TOOLS else "", InvalidArgument("call", call.reason), call.line)
