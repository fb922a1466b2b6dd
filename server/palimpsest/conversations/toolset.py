"""The tools that the model is told of in a window's conversations, and what they reach for.

In: calls.  Out: outcomes.  Which tools there are is `conversations/operations/`'s to say; files are written, and
the person is asked, by the host; documents are `conversations/documents/`'s.
"""

import functools
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palimpsest.context.estimate import estimate
from palimpsest.conversations.answers import Answer, ResultRoom, ToolResult, failed
from palimpsest.conversations.call_runner import Needs, sent_of_tools
from palimpsest.conversations.documents.document_tools import DocumentTools
from palimpsest.conversations.documents.referring import summarized
from palimpsest.conversations.forking import ForkTools
from palimpsest.conversations.host import Host
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.operations.instructions import described, description, foreseen, instructions
from palimpsest.conversations.operations.operation import Operation, ToolHost
from palimpsest.conversations.operations.table import OF_DESCRIPTORS, OF_REFS, TOOLS, signatures
from palimpsest.conversations.operations.toolbox import Toolbox
from palimpsest.conversations.token_counts import most_chars, thresholds
from palimpsest.errors import InvalidArgument, PalimpsestError
from palimpsest.window.services import Services

logger = logging.getLogger(__name__)


class Toolset:
    """Says which tools a model is told of, and runs operations for models and programs."""

    def __init__(
        self,
        services: Services,
        memory: Callable[[], Memory],
        documents: DocumentTools,
        forks: ForkTools,
        host: Host,
    ) -> None:
        self._services = services
        self._memory = memory
        self._documents = documents
        self.forks = forks
        self._host = host

    def parameters(self) -> Mapping[str, Sequence[str]]:
        if self._services.settings.conversation.tools == "none":
            return {}
        return signatures(TOOLS.values())  # a call of one that is off gets an answer that says so

    def told(self, needs: Needs) -> str:
        """What the system prompt says of them, for what was said last."""
        tools = self._told(needs)
        return instructions(tools) if tools else ""

    def native(self, needs: Needs) -> tuple[str, list[dict[str, Any]]]:
        """Nothing where even the fewest take more than their share in this form: they are told in words then."""
        tools = self._told(needs, natively=True)
        if not tools or (self._choice == "auto" and not self._fits(tools, natively=True)):
            return "", []
        return instructions(tools, native=True), [tool.native for tool in tools]

    def described(self, needs: Needs, *, natively: bool) -> tuple[str, Mapping[str, str]]:
        tools = self._told(needs, natively=natively)
        if not tools:
            return "", {}
        how = instructions(tools, native=True)
        if natively:
            return how, {tool.name: json.dumps(tool.native, ensure_ascii=False) for tool in tools}
        return f"{how}\n\n{described([], with_refs=self._services.settings.conversation.refs)}", {
            tool.name: description(tool) for tool in tools
        }

    def read_turns(self) -> bool:
        return self._is_told and self._services.settings.file_descriptor.enabled

    @property
    def _is_told(self) -> bool:
        model = self._services.supervisor.status.model
        is_able = model is not None and bool(model.chat_template)
        return self._choice != "none" and (self._choice != "auto" or is_able)

    @property
    def _choice(self) -> str:
        return self._services.settings.conversation.tools

    def _told(self, needs: Needs, *, natively: bool = False) -> list[Operation]:
        if not self._is_told:
            return []
        every = [tool for tool in TOOLS.values() if not self._why_off(tool.name)]
        fits = functools.partial(self._fits, natively=natively)
        if self._choice == "relevant" or (self._choice == "auto" and not fits(every)):
            return foreseen(needs.said, every, fits, needs.lately, needs.before)
        return every

    def _fits(self, tools: Sequence[Operation], *, natively: bool) -> bool:
        """Whether what is said of them takes no more than its share of what the model can read."""
        model = self._services.supervisor.status.model
        room = self._services.settings.conversation.tools_share * (model.window if model is not None else 0)
        native = [tool.native for tool in tools] if natively else []
        return estimate(sent_of_tools(instructions(tools, native=natively), native)) <= room

    async def run(
        self, conversation: str, turn: int, name: str, arguments: Mapping[str, Any], room: ResultRoom | None = None
    ) -> ToolResult:
        if why := self._why_off(name):
            return failed(name, InvalidArgument(name, why))
        options = thresholds(self._services)
        most = options.max_direct_output_chars if options.enabled else None
        bounds = {"max_direct_output_chars": most, "most_chars": most_chars(self._services)}
        return await self._box().run(name, arguments, conversation, self._tool_host(self._host), room, **bounds)

    async def answer(self, operation: Operation, arguments: Mapping[str, Any], conversation: str, host: Host) -> Answer:
        """What a program asks for.  `host`: where it asks the person and writes files.  Raises PalimpsestError."""
        if operation.name in OF_REFS and (why := self._why_off(operation.name)):
            raise InvalidArgument(operation.name, why)
        return await self._box().answer(operation, arguments, conversation, self._tool_host(host))

    def _tool_host(self, host: Host) -> ToolHost:
        return ToolHost(host, self._documents, self.forks, self._summarize, self._summary)

    async def _summarize(self, conversation: str, fd: str) -> str:
        return (await summarized(self._services, self._memory(), conversation, fd)).summary

    async def _summary(self, conversation: str, fd: str) -> str:
        if self._services.settings.documents.summaries == "never":
            return ""
        try:
            return await self._summarize(conversation, fd)
        except PalimpsestError as error:
            logger.info("no summary of %s: %s", fd, error)
            return ""

    def _why_off(self, name: str) -> str:
        settings = self._services.settings
        if name in OF_REFS and not settings.conversation.refs:
            return "is about refs, which are off; the setting conversation.refs turns them on."
        if name in OF_DESCRIPTORS and not settings.file_descriptor.enabled:
            return "is about descriptors, which are off; the setting file_descriptor.enabled turns them on."
        return ""

    def _box(self) -> Toolbox:
        options = thresholds(self._services)
        return Toolbox(self._memory(), page_size=options.default_page_size, pretty=options.json_pretty_print)
