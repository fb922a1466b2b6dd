"""Calls are run here: arguments checked, the handler asked, the answer or the error as XML.

In: a call.  Out: a `ToolResult`; an error of the call is one too, and never an exception.  A result longer than the
threshold becomes a descriptor, and its preview stands for it.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

from palimpsest.conversations.calls.parsing import WrongCall
from palimpsest.conversations.descriptors.addresses import DEFAULT_PAGE_SIZE
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.tools import checkpoint_tools as of_checkpoints
from palimpsest.conversations.tools import descriptor_tools as of_descriptors
from palimpsest.conversations.tools import document_tools as of_documents
from palimpsest.conversations.tools import host_tools as of_hands
from palimpsest.conversations.tools import memory_tools as of_memory
from palimpsest.conversations.tools import ref_tools as of_refs
from palimpsest.conversations.tools import temp_file_tools as of_temp_files
from palimpsest.conversations.tools.arguments import checked
from palimpsest.conversations.tools.call import Call, Handlers, Quick
from palimpsest.conversations.tools.results import failed
from palimpsest.conversations.tools.table import TOOLS
from palimpsest.conversations.tools.tool import Answer, Tool, ToolResult
from palimpsest.conversations.tools.tool_host import Hands
from palimpsest.errors import InvalidArgument, NotFound, PalimpsestError

logger = logging.getLogger(__name__)

Wrap = Callable[[str, str, str, int], tuple[str, Answer]]
"""(conversation, text, source, threshold) → the new descriptor's id, and its preview."""


class Toolbox:
    """The tools that have a handler.  Without `wrap`, long results stay as they are."""

    def __init__(self, handlers: Handlers, wrap: Wrap | None = None) -> None:
        self._handlers = handlers
        self._wrap = wrap

    @property
    def tools(self) -> Sequence[Tool]:
        return [tool for name, tool in TOOLS.items() if name in self._handlers]

    async def run(
        self,
        name: str,
        arguments: Mapping[str, Any],
        conversation_id: str,
        hands: Hands,
        *,
        max_direct_output_chars: int | None = None,
        most_chars: int | None = None,
    ) -> ToolResult:
        """Nothing becomes a descriptor where `max_direct_output_chars` is None.  `most_chars`: of a part that is read
        at once."""
        try:
            tool = self._tool(name)
            call = Call(conversation_id, checked(tool, arguments), hands, most_chars)
            answer = await self._answer(tool, call)
            limit = None if tool.pages else max_direct_output_chars
            return await self._within(answer, limit, tool, conversation_id)
        except PalimpsestError as error:
            return failed(name if name in TOOLS else "", error)
        except Exception:
            logger.exception("the tool %s failed", name)
            return failed(name, PalimpsestError(f"{name} failed; the log says why."))

    def _tool(self, name: str) -> Tool:
        if name in self._handlers:
            return TOOLS[name]
        near = get_close_matches(name, self._handlers, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(sorted(self._handlers))}."
        raise NotFound("tool", f"there is no tool {name[:60]!r}.", hint=hint)

    async def _answer(self, tool: Tool, call: Call) -> Answer:
        handler = self._handlers[tool.name]
        if inspect.iscoroutinefunction(handler):
            answered: Answer = await handler(call)
            return answered
        return await asyncio.to_thread(cast(Quick, handler), call)

    async def _within(self, answer: Answer, limit: int | None, tool: Tool, conversation_id: str) -> ToolResult:
        if self._wrap is None or limit is None or len(answer.xml) <= limit:
            return ToolResult(answer.xml, answer.fields)
        source = f"tool:{tool.name}"
        text = answer.text or answer.xml
        descriptor, preview = await asyncio.to_thread(self._wrap, conversation_id, text, source, limit)
        return ToolResult(preview.xml, {**answer.fields, **preview.fields}, descriptor)


def wrong(call: WrongCall) -> ToolResult:
    """What a call that could not be read answers."""
    return failed(call.name if call.name in TOOLS else "", InvalidArgument("call", call.reason), call.line)


def toolbox_of(memory: Memory, *, page_size: int = DEFAULT_PAGE_SIZE, pretty: bool = True) -> Toolbox:
    """The tools for everything that a memory keeps.  `page_size` and `pretty` are of the descriptors that it makes."""

    def wrap(conversation_id: str, text: str, source: str, threshold: int) -> tuple[str, Answer]:
        paging = threshold, page_size, pretty
        return of_descriptors.wrapped(memory.descriptors, conversation_id, text, source, *paging)

    kept = of_memory.handlers(memory.conversations, memory.turns, memory.experiences, memory.compactions)
    texts = {
        **of_descriptors.handlers(memory.descriptors),
        **of_refs.handlers(memory.refs),
        **of_temp_files.handlers(memory.temp_files),
        **of_documents.handlers(memory.documents, memory.turns),
    }
    return Toolbox({**texts, **kept, **of_checkpoints.handlers(memory.checkpoints), **of_hands.HANDLERS}, wrap)
