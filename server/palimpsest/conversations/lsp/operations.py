"""The operations of conversations (`conversations/operations/`) as commands of editors and programs.

In: the table of operations.  Out: commands, whose arguments are the operation's, with the conversation's id before
them; they answer its fields and, as `xml`, what a model reads.
"""

from dataclasses import MISSING, field, fields, make_dataclass, replace
from typing import Annotated, Any, Literal

from palimpsest.conversations.compaction.compactions import Compaction
from palimpsest.conversations.compaction.words import WRITERS
from palimpsest.conversations.events import BranchChanged, ConversationChanged
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.ask import text_at
from palimpsest.conversations.lsp.conversation_host import WindowHost, write_file
from palimpsest.conversations.operations.memory import COMPACT, compacted, summary_of
from palimpsest.conversations.operations.operation import Operation, OperationParameter
from palimpsest.conversations.operations.table import OPERATIONS
from palimpsest.errors import AlreadyExists, InvalidArgument
from palimpsest.json_data import Range
from palimpsest.lsp.arguments import Between
from palimpsest.lsp.asking import confirmed
from palimpsest.lsp.command import Command
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.tolerance import LARGEST
from palimpsest.workspace.changes import FileWrite
from palimpsest.workspace.writing import WrittenFile

OVERWRITE = "{} exists already. Replace what is in it?"
_EMPTY: dict[str, tuple[Any, Any]] = {
    "text": (str, ""),
    "whole number": (int | None, None),
    "true or false": (bool, False),
    "list of texts": (tuple[str, ...], ()),
    "texts by name": (dict[str, str], MISSING),
    "range": (Between | None, None),
}
"""The type of an argument of a kind, and what it has where it was not given."""


def argument_of(operation: Operation) -> type:
    """A dataclass with the conversation's id and the operation's parameters."""
    rows = [("conversation", str), *(_field(one) for one in operation.parameters)]
    return make_dataclass(operation.name, rows, frozen=True, slots=True, kw_only=True)


def given(argument: Any) -> dict[str, Any]:
    """What was given of it, by name, without the conversation."""
    values = {one.name: (getattr(argument, one.name), one) for one in fields(argument) if one.name != "conversation"}
    return {
        name: value
        for name, (value, one) in values.items()
        if (one.default is MISSING and one.default_factory is MISSING) or value not in (one.default, {})
    }


def command_of(operation: Operation) -> Command[Any]:
    async def run(server: PalimpsestServer, argument: Any) -> dict[str, Any]:
        return await _run(server, operation, argument.conversation, given(argument))

    carried_out = compact if operation is COMPACT else run
    return Command(
        f"palimpsest.{operation.command}", argument_of(operation), carried_out, operation.does, slow=operation.slow
    )


async def _run(
    server: PalimpsestServer, operation: Operation, conversation: str, arguments: dict[str, Any]
) -> dict[str, Any]:
    session = server.window.session
    if operation.idle:
        await conversations_of(session).conversing.check_idle(conversation)
    used = {one.use: arguments.pop(one.name) for one in operation.parameters if one.use and one.name in arguments}
    if "document" in used:
        uri = used["document"]
        text, source, language = await text_at(server, uri, used.get("part"))
        if not text:
            raise InvalidArgument("uri", f"{uri[:200]} is empty, so there is nothing to keep.")
        arguments = {"source": source, "language": language, **arguments, "content": text}
    host = CommandHost(server, asks=used.get("ask", False))
    answer = await conversations_of(session).toolset.answer(operation, arguments, conversation, host)
    if operation.rewinds:
        session.events.emit(BranchChanged(conversation))
        await conversations_of(session).conversing.compacting.recount(conversation)
    if operation.changes or arguments.get(operation.changes_with):
        session.events.emit(ConversationChanged(conversation))
    if used.get("tell"):
        server.window.report.tell(operation.tell.format(**answer.fields))
    return {**answer.fields, "xml": answer.xml}


class CommandHost(WindowHost):
    """Who calls a command has decided that a file is written.  `asks`: whether one that is there may be replaced, is
    the person's to say."""

    def __init__(self, server: PalimpsestServer, *, asks: bool) -> None:
        super().__init__(server)
        self._asks = asks

    async def write_file(self, conversation: str, file: FileWrite) -> WrittenFile:
        try:
            return await write_file(self._server, file)
        except AlreadyExists:
            if not self._asks or not await confirmed(self._server, OVERWRITE.format(file.path), "Replace"):
                raise
            return await write_file(self._server, replace(file, overwrite=True))


def _field(parameter: OperationParameter) -> tuple[Any, ...]:
    required = parameter.required and not parameter.may_omit
    kind, empty = _EMPTY[parameter.kind]
    if parameter.choices:
        kind, empty = Literal[(*parameter.choices, "")], ""  # as if it were not given
    if parameter.kind == "whole number":
        low = -LARGEST if parameter.least is None else parameter.least
        number = Annotated[int, Range(low, LARGEST if parameter.most is None else parameter.most)]
        kind = number if required else number | None
    if required:
        return parameter.name, kind
    return parameter.name, kind, field(default_factory=dict) if empty is MISSING else field(default=empty)


async def compact(server: PalimpsestServer, asked: Any) -> dict[str, Any]:
    """A summary takes the place of what was said, for the model.  With `goal` it is the caller's own; else the model
    writes it, `instruction` says what is wanted of it, and `target` how many tokens the messages may take then."""
    conversing = conversations_of(server.window.session).conversing
    compacting, talk = conversing.compacting, asked.conversation
    conversing.memory.conversations.get(talk)
    if not asked.goal:
        await conversing.check_idle(talk)
        blocks = conversing.blocks_of(talk)
        return _answer(await compacting.compact(talk, blocks, instruction=asked.instruction, target=asked.target))
    if asked.target is not None:
        raise InvalidArgument("target", "is for a summary that the model writes; leave it out, or `goal`.")
    queued = await compacting.queue(talk, summary_of(given(asked)))
    if conversing.is_running(talk):
        return _answer(queued)
    applied = await compacting.apply_queued(talk)
    return _answer(queued if applied is None else applied)


def _answer(done: Compaction) -> dict[str, Any]:
    answer = compacted(done)
    says = f"a summary, written by {WRITERS[done.written_by]}, stands for what was said"
    return {**answer.fields, "says": says, "xml": answer.xml}


COMMANDS: tuple[Command[Any], ...] = tuple(command_of(one) for one in OPERATIONS.values() if one.command)
