"""What commands and our own methods are called with: dataclasses, and how they are read.

In: a decoded JSON value.  Out: the dataclass, or InvalidArgument that names the field.  Knows no command.

Nothing comes in many shapes: no argument, null, and an empty list where an object is meant, since Lua and Lisp write
their empty tables and nil so.  All of them are an object without fields, and a field that has such a value is missing.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from typing import Annotated, Any, TypeVar

from lsprotocol import types as lsp

from palimpsest.errors import InvalidArgument
from palimpsest.json_data import Range, from_json
from palimpsest.lsp.plain import plain
from palimpsest.lsp.tolerance import LARGEST

logger = logging.getLogger(__name__)

A = TypeVar("A")
Count = Annotated[int, Range(0, LARGEST)]


@dataclass(frozen=True, slots=True)
class Nothing:
    """No argument."""


@dataclass(frozen=True, slots=True)
class At:
    line: Count
    character: Count

    @property
    def lsp(self) -> lsp.Position:
        return lsp.Position(self.line, self.character)


@dataclass(frozen=True, slots=True)
class Between:
    start: At
    end: At


@dataclass(frozen=True, slots=True)
class Uri:
    uri: str


@dataclass(frozen=True, slots=True)
class DocumentArguments:
    uri: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class PlaceArguments:
    """Where the cursor was last in code, unless a document is named."""

    uri: str = ""
    position: At | None = None


@dataclass(frozen=True, slots=True)
class Id:
    id: str


@dataclass(frozen=True, slots=True)
class ConversationArguments:
    conversation: str


def read(where: str, kind: type[A], value: Any) -> A:
    """`where` names the command or method."""
    try:
        given = plain(value)
    except RecursionError:
        raise InvalidArgument(where, "the argument is nested too deeply.") from None
    if given is None or given == []:
        given = {}
    if not isinstance(given, dict):
        raise InvalidArgument(where, f"expected one object as the argument, got {type(given).__name__}.")
    try:
        return from_json({name: field for name, field in given.items() if field not in (None, [], {})}, kind)
    except InvalidArgument as error:
        problem = error.message.removeprefix(f"{error.field}: ")
        hint = f"; {where} takes {shape(kind)}" if problem == "is missing" else ""
        raise InvalidArgument(error.field, f"{problem}{hint}.") from None


@contextmanager
def refusals_logged(method: str) -> Iterator[None]:
    """For a notification, to which nobody is told what is wrong with it."""
    try:
        yield
    except InvalidArgument as error:
        logger.warning("%s: %s", method, error)


def shape(kind: type) -> str:
    """`{uri, position, range?}`: the fields, with a question mark where they may be left out."""
    names = (f"{f.name}{'' if f.default is MISSING and f.default_factory is MISSING else '?'}" for f in fields(kind))
    return f"{{{', '.join(names)}}}"


def among(name: str, value: str, choices: Iterable[str]) -> str:
    """The value, if it is one of those known only at run time.  Raises InvalidArgument."""
    known = tuple(choices)
    if value not in known:
        raise InvalidArgument(name, f"expected one of {', '.join(known)}, got {value!r}.")
    return value
