"""The descriptors of conversations: long texts read by page, searched, named, marked, written to files.

In: a conversation, ids or names, parts.  Out: fields, and XML as a model reads it.  What is kept, and how it is cut
into pages, is `conversations/descriptors/`'s to know.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from palimpsest.conversations.descriptors import results
from palimpsest.conversations.events import ConversationChanged
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.summarizing import summarized
from palimpsest.conversations.thresholds import thresholds
from palimpsest.errors import InvalidArgument
from palimpsest.lsp.arguments import Conversation
from palimpsest.lsp.command import Command
from palimpsest.lsp.descriptor_arguments import Close, Create, Mark, Of, Read, Rename, Search, Section, Write
from palimpsest.lsp.parts import text_at
from palimpsest.lsp.refs import write_asking

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


async def create(server: PalimpsestServer, asked: Create) -> dict[str, Any]:
    text: str | Iterable[str] = asked.content
    source, language = asked.source or "selection", ""
    if asked.uri:
        text, where, language = await text_at(server, asked.uri, asked.range)
        source = asked.source or where
    language = asked.language or language
    if asked.uri and not text:
        raise InvalidArgument("uri", f"{asked.uri[:200]} is empty, so there is nothing to keep.")
    if not text:
        raise InvalidArgument("content", "is missing; give a text, or the uri of a document that has one.")

    options = thresholds(server.window.session.services)
    sizes: dict[str, Any] = {"page_size": options.default_page_size, "pretty": options.json_pretty_print}

    def made(memory: Memory) -> results.Result:
        one = memory.descriptors.create(asked.conversation, text, source, asked.name, language, **sizes)
        return results.created(one, memory.descriptors.read(asked.conversation, one.id))

    answer = await _answered(server, asked.conversation, made)
    if asked.tell:
        server.window.report.tell(f"The descriptor {answer['fd']} has it now.")
    return answer


async def read(server: PalimpsestServer, asked: Read) -> dict[str, Any]:
    def found(memory: Memory) -> results.Result:
        if not asked.extract:
            return results.read(memory.descriptors.read(asked.conversation, asked.which, asked.wanted))
        made = memory.descriptors.extract(asked.conversation, asked.which, asked.wanted)
        return results.created(made, memory.descriptors.read(asked.conversation, made.id))

    answer = await _answered(server, asked.conversation, found)
    if asked.extract:
        server.window.session.events.tell(ConversationChanged(asked.conversation))
    return answer


async def search(server: PalimpsestServer, asked: Search) -> dict[str, Any]:
    if not asked.query:
        raise InvalidArgument("query", "is missing: what is looked for.")
    options: dict[str, Any] = {
        "regex": asked.regex, "case_sensitive": asked.case_sensitive, "context": asked.context,
    }  # fmt: skip
    return await _answered(
        server,
        asked.conversation,
        lambda memory: results.found(
            memory.descriptors.search(asked.conversation, asked.which, asked.query, **options)
        ),
    )


async def listed(server: PalimpsestServer, asked: Conversation) -> dict[str, Any]:
    return await _answered(
        server, asked.conversation, lambda memory: results.listed(memory.descriptors.list(asked.conversation))
    )


async def rename(server: PalimpsestServer, asked: Rename) -> dict[str, Any]:
    names = asked.names or ({asked.fd: asked.name} if asked.fd else {})
    if not names:
        raise InvalidArgument("names", "is missing; give fd and name, or names with a name for each fd.")
    return await _answered(
        server, asked.conversation, lambda memory: results.renamed(memory.descriptors.rename(asked.conversation, names))
    )


async def close(server: PalimpsestServer, asked: Close) -> dict[str, Any]:
    fds = asked.fds or ([asked.fd] if asked.fd else [])
    if not fds:
        raise InvalidArgument("fds", "is missing: the ids of the descriptors.")
    return await _answered(
        server, asked.conversation, lambda memory: results.closed(memory.descriptors.close(asked.conversation, fds))
    )


async def mark(server: PalimpsestServer, asked: Mark) -> dict[str, Any]:
    return await _answered(
        server,
        asked.conversation,
        lambda memory: results.marked(
            memory.descriptors.mark(asked.conversation, asked.which, _named(asked), *asked.lines)
        ),
    )


async def section(server: PalimpsestServer, asked: Section) -> dict[str, Any]:
    return await _answered(
        server,
        asked.conversation,
        lambda memory: results.section_read(
            memory.descriptors.section(asked.conversation, asked.which, _named(asked)), asked.ref_id
        ),
    )


async def sections(server: PalimpsestServer, asked: Of) -> dict[str, Any]:
    return await _answered(
        server,
        asked.conversation,
        lambda memory: results.sections(
            memory.descriptors.id_of(asked.conversation, asked.which),
            memory.descriptors.sections(asked.conversation, asked.which),
        ),
    )


async def unmark(server: PalimpsestServer, asked: Section) -> dict[str, Any]:
    return await _answered(
        server,
        asked.conversation,
        lambda memory: results.unmarked(memory.descriptors.unmark(asked.conversation, asked.which, _named(asked))),
    )


async def write(server: PalimpsestServer, asked: Write) -> dict[str, Any]:
    descriptors = server.window.session.conversing.memory.descriptors
    text = await asyncio.to_thread(descriptors.text, asked.conversation, asked.which)
    if not asked.file_path:
        raise InvalidArgument("file_path", "is missing: a path in the workspace.")
    done = await write_asking(server, asked, text)
    fd = descriptors.id_of(asked.conversation, asked.which)
    fields, xml = results.written(fd, done.shown, asked.mode, done.bytes, done.lines)
    return {**fields, "xml": xml}


async def summarize(server: PalimpsestServer, asked: Of) -> dict[str, Any]:
    """By the model, from the beginning of the text; kept with the descriptor."""
    session = server.window.session
    made = await summarized(session.services, session.conversing.memory, asked.conversation, asked.which)
    return await _answered(server, asked.conversation, lambda _: results.listed([made]))


def _named(asked: Section) -> str:
    if not asked.ref_id:
        raise InvalidArgument("ref_id", "is missing: the section's name.")
    return asked.ref_id


async def _answered(
    server: PalimpsestServer, conversation: str, ask: Callable[[Memory], results.Result]
) -> dict[str, Any]:
    memory = server.window.session.conversing.memory

    def found() -> dict[str, Any]:
        memory.conversations.get(conversation)
        fields, xml = ask(memory)
        return {**fields, "xml": xml}

    return await asyncio.to_thread(found)


COMMANDS = (
    Command(
        "palimpsest.fd.create",
        Create,
        create,
        "puts a text, or an open document or a part of it, into a descriptor of a conversation",
        changes=True,
    ),
    Command(
        "palimpsest.fd.read",
        Read,
        read,
        "a part of a descriptor: a page, lines, characters, a paragraph, a function or class, or all; with `extract` "
        "it becomes a descriptor of its own",
    ),
    Command("palimpsest.fd.search", Search, search, "where a text or a regular expression is in a descriptor"),
    Command("palimpsest.fd.list", Conversation, listed, "the descriptors of a conversation"),
    Command(
        "palimpsest.fd.rename", Rename, rename, "gives descriptors names, which then stand for their ids", changes=True
    ),
    Command(
        "palimpsest.fd.close",
        Close,
        close,
        "takes descriptors off the list; their ids are not given again",
        changes=True,
    ),
    Command("palimpsest.fd.mark", Mark, mark, "gives lines of a descriptor a name: a section", changes=True),
    Command("palimpsest.fd.section", Section, section, "a section's text"),
    Command("palimpsest.fd.sections", Of, sections, "the sections of a descriptor"),
    Command("palimpsest.fd.unmark", Section, unmark, "takes a section's name away; the text stays", changes=True),
    Command(
        "palimpsest.fd.summarize",
        Of,
        summarize,
        "has the model say in a sentence what a descriptor is about; kept with it",
        slow="Summarizing",
        changes=True,
    ),
    Command("palimpsest.fd.write", Write, write, "writes a descriptor to a file, as `palimpsest.refs.write` does"),
)
