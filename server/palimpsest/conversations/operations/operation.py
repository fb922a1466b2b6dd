"""An operation on a conversation as it is declared: once, beside what carries it out.

Out: values, and what operations need from outside: a person's consent, an engine, the workspace's documents, which a
window's tools give (`conversations/toolset.py`).  A model's tool (a call in its reply, and its JSON schema), the
command of editors and programs (`conversations/lsp/operations.py`), the tool of agents (`agents/tools.py`) and the
documents' tables are made from it.  Knows no operation by name.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from palimpsest.conversations.answers import Answer
from palimpsest.conversations.descriptors.addresses import DEFAULT_PAGE_SIZE
from palimpsest.conversations.documents.document_tools import DocumentTools
from palimpsest.conversations.host import Host
from palimpsest.conversations.memory import Memory


class ForkOperations(Protocol):
    """The first argument is the conversation that calls; what cannot be done is raised as an error of `errors.py`."""

    async def fork(self, conversation: str, tasks: Sequence[str]) -> Answer: ...

    async def spawn(
        self,
        conversation: str,
        task: str,
        instruction: str,
        preload_fds: Sequence[str],
        preload_files: Sequence[str],
        preload_temp_files: Sequence[str],
        *,
        fresh: bool,
        behind_all: bool,
    ) -> Answer: ...

    async def gather(self, conversation: str, include_history: bool) -> Answer: ...

    def cancel(self, conversation: str) -> int:
        """Stop the children that are at work; how many there were."""
        ...


@dataclass(frozen=True, slots=True)
class ToolHost:
    """`host`: where it asks the person and writes files.  `summarize`: has the model say what a descriptor is, kept
    with it; raises EngineError where it cannot be asked.  `summary`: the same, "" where it cannot be asked or is not
    to be."""

    host: Host
    documents: DocumentTools
    forks: ForkOperations
    summarize: Callable[[str, str], Awaitable[str]]
    summary: Callable[[str, str], Awaitable[str]]


Kind = Literal["text", "whole number", "true or false", "list of texts", "texts by name", "range"]
Use = Literal["", "document", "part", "tell", "ask"]
SCHEMAS: Mapping[Kind, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "whole number": {"type": "integer"},
    "true or false": {"type": "boolean"},
    "list of texts": {"type": "array", "items": {"type": "string"}},
    "texts by name": {"type": "object", "additionalProperties": {"type": "string"}},
}


@dataclass(frozen=True, slots=True)
class OperationParameter:
    """`also` are other names that models give it.  `of_programs`: no model is told of it.  `may_omit`: a program may
    leave it out although it is required, since something else may stand for it.  `use`: what becomes of it before the
    operation runs: the text of a `document`, or of a `part` of it, is given as `content`; with `tell` the person is
    told of the answer; with `ask` they are asked whether a file may be replaced."""

    name: str
    kind: Kind
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    also: tuple[str, ...] = ()
    of_programs: bool = False
    may_omit: bool = False
    use: Use = ""

    @property
    def schema(self) -> dict[str, Any]:
        more: dict[str, Any] = {"enum": list(self.choices)} if self.choices else {}
        if self.least is not None:
            more["minimum"] = self.least
        if self.most is not None:
            more["maximum"] = self.most
        return {**SCHEMAS[self.kind], "description": self.description, **more}


@dataclass(frozen=True, slots=True)
class OperationCall:
    """A call on its way to its operation.  `arguments` are checked; those that were not given are not there.  `by`
    whom: a model, or a program (an editor, an agent).  `most_chars`: of a part that is read, where there is a bound.
    `page_size` and `pretty` are of descriptors that are made."""

    conversation_id: str
    arguments: dict[str, Any]
    memory: Memory
    outside: ToolHost
    by: Literal["model", "program"] = "model"
    most_chars: int | None = None
    page_size: int = DEFAULT_PAGE_SIZE
    pretty: bool = True

    def text(self, name: str, default: str = "") -> str:
        return str(self.arguments.get(name, default))

    def texts(self, name: str) -> list[str]:
        return list(self.arguments.get(name, ()))

    def number(self, name: str) -> int | None:
        return self.arguments.get(name)

    def is_set(self, name: str) -> bool:
        return bool(self.arguments.get(name, False))


Run = Callable[[OperationCall], Answer] | Callable[[OperationCall], Awaitable[Answer]]
"""One that is no coroutine function is run on a thread: it reads and writes the database."""


@dataclass(frozen=True, slots=True)
class Operation:
    """`name`: as models and agents call it.  `description`: what they are told of it.  `also`: other names that a model
    may call it by, since other systems have it under them; it is not told of them.

    For models: `example` is a call as one writes it, "" where none is offered it; `always`: it is offered whatever is
    asked; `topics` are words of messages that it is relevant for; `pages`: its result is a part that was asked for,
    and never becomes a descriptor.
    For programs: `command` behind `palimpsest.`, "" where there is none; `does` is the line of the documents' table;
    `slow`: the title of the progress that is
    shown; `tell`: what the person is told of the answer, where it was asked for; `changes`: behind it the conversation
    is not as it was, `changes_with`: where this argument is given; `idle`: no reply may be under way; `rewinds`:
    another branch of it may be shown.
    For agents: the parameters that they have, None where they have no such tool; `told_agents` is what they are told
    of it instead of the description.
    `stores`: it is done on the thread that writes, behind what was asked for before, and to its end when cancelled."""

    name: str
    description: str
    run: Run
    parameters: tuple[OperationParameter, ...] = ()
    example: str = ""
    topics: tuple[str, ...] = ()
    writes: bool = False
    always: bool = False
    pages: bool = False
    command: str = ""
    does: str = ""
    slow: str = ""
    tell: str = ""
    idle: bool = False
    changes: bool = False
    changes_with: str = ""
    rewinds: bool = False
    agents: tuple[str, ...] | None = None
    told_agents: str = ""
    stores: bool = False
    also: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[OperationParameter, ...]:
        """The parameters that a model is told of."""
        return tuple(one for one in self.parameters if not one.of_programs)

    @property
    def schema(self) -> dict[str, Any]:
        """A model's arguments as JSON schema."""
        return {
            "type": "object",
            "properties": {one.name: one.schema for one in self.told},
            "required": [one.name for one in self.told if one.required],
            "additionalProperties": False,
        }

    @property
    def native(self) -> dict[str, Any]:
        """The tool as an OpenAI-compatible server is told of it."""
        function = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": function}


def required(
    name: str,
    kind: Kind,
    description: str,
    *,
    also: tuple[str, ...] = (),
    least: int | None = None,
    may_omit: bool = False,
) -> OperationParameter:
    return OperationParameter(name, kind, description, True, also=also, least=least, may_omit=may_omit)


def of_programs(
    name: str, kind: Kind, description: str, *, least: int | None = None, use: Use = ""
) -> OperationParameter:
    return OperationParameter(name, kind, description, least=least, of_programs=True, use=use)
