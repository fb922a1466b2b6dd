"""`palimpsest.context.*`: what a cursor's context is, and blocks that come from outside.

In: arguments.  Out: answers.  Which blocks there are is decided in `context/`.
"""

import re
from dataclasses import dataclass
from typing import Any

from palimpsest.errors import InvalidArgument
from palimpsest.lsp import answers
from palimpsest.lsp.arguments import At, PlaceArguments, Uri
from palimpsest.lsp.command import Commands
from palimpsest.lsp.convert import position_in
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.session.context import PutBlock
from palimpsest.text.amounts import amount
from palimpsest.text.snapshot import Position
from palimpsest.types import BlockType
from palimpsest.window import context_page

USAGE = "context.usage"
"""What a conversation takes, as the command of that name answers it."""
_NAME = re.compile(r"[^\W\d]\w{0,199}[?!]?")


@dataclass(frozen=True, slots=True)
class BlockArguments:
    type: BlockType
    name: str


@dataclass(frozen=True, slots=True)
class UsageAt:
    """Without a document, where the cursor was last; with a conversation, what that takes.  `items`: and what each
    message, result, tool and block of it does."""

    uri: str = ""
    position: At | None = None
    conversation: str = ""
    items: bool = False


@dataclass(frozen=True, slots=True)
class NameAt:
    """Without a document, where the cursor was last; without a name, the one there."""

    uri: str = ""
    position: At | None = None
    name: str = ""


def place_of(server: PalimpsestServer, uri: str, position: At | None) -> tuple[str, Position]:
    """Where the cursor was last in code, unless a document is named.  Raises InvalidArgument."""
    session = server.window.session
    if uri:
        snapshot = session.documents.get(uri)
        return snapshot.uri, position_in(snapshot, (position or At(0, 0)).lsp, server.window.client.encoding)
    if session.cursor.code is None:
        raise InvalidArgument("uri", "nobody has said yet where the cursor is.")
    return session.cursor.code


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.context.show",
    "the editing block and context blocks there, or at the cursor, their state in the cache, and the budgets",
)
async def show(server: PalimpsestServer, at: PlaceArguments) -> dict[str, Any]:
    context = server.window.session.context
    shown = await context.show(*place_of(server, at.uri, at.position))
    budget = answers.budget(await context.budget_of(shown.view, shown.blocks))
    return {
        **answers.context(shown),
        "about": f"{len(shown.blocks)}, {amount(sum(shown.tokens.values()), 'token')}",
        "budgets": context_page.budget_rows(budget),
    }


@COMMANDS.add(
    "palimpsest.context.usage",
    "tokens of the context there, or at the cursor: how many, in which parts, and each part's budget",
)
async def usage(server: PalimpsestServer, at: UsageAt) -> dict[str, Any]:
    if at.conversation:
        of_conversation = await server.loader.extension(USAGE)
        if of_conversation is None:
            raise InvalidArgument("conversation", "there are no conversations in this installation.")
        answer: dict[str, Any] = await of_conversation(server, at.conversation, items=at.items)
        return answer
    return answers.budget(await server.window.session.context.budget(*place_of(server, at.uri, at.position)))


@COMMANDS.add(
    "palimpsest.context.why",
    "why a name is in the context there, or is not: where it is defined, which blocks have it and what became of "
    "them, what each source says of it",
)
async def why(server: PalimpsestServer, at: NameAt) -> dict[str, Any]:
    if at.name and not _NAME.fullmatch(at.name):
        raise InvalidArgument("name", f"expected one name as code has it, got {at.name[:80]!r}.")
    return answers.why(*await server.window.session.context.why(*place_of(server, at.uri, at.position), at.name))


@COMMANDS.add("palimpsest.context.put", "a block from outside, by an agent or a script")
async def put(server: PalimpsestServer, block: PutBlock) -> dict[str, Any]:
    name, tokens = server.window.session.context.put(block)
    return {"name": name, "tokens": tokens}


@COMMANDS.add("palimpsest.context.drop", "takes such a block off again")
async def drop(server: PalimpsestServer, block: BlockArguments) -> dict[str, Any]:
    return {"dropped": server.window.session.context.drop(block.type, block.name)}


@COMMANDS.add("palimpsest.context.pin", "keeps a file in the context")
async def pin(server: PalimpsestServer, file: Uri) -> dict[str, Any]:
    name, tokens = server.window.session.context.pin(file.uri)
    return {"name": name, "tokens": tokens, "says": f"{name} is pinned ({amount(tokens, 'token')})"}


@COMMANDS.add("palimpsest.context.unpin", "no longer keeps a file in the context")
async def unpin(server: PalimpsestServer, file: Uri) -> dict[str, Any]:
    name, tokens = server.window.session.context.unpin(file.uri)
    return {"name": name, "tokens": tokens, "says": f"{name} is not pinned any more"}
