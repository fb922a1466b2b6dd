"""The documents that a turn links to: what they are, what they are about, and what the model is told of them.

In: a message, a descriptor.  Out: its references and what is added to it; a short summary by the model, asked in a tail
of its own, so that the conversation's stays.  Summaries are kept by the hash of a document's text: the
first paragraph where it is short enough, else the model's own words, if there is somebody to ask it.
"""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest import wire
from palimpsest.context.estimate import estimate
from palimpsest.conversations import answers
from palimpsest.conversations.descriptors.descriptors import Descriptor
from palimpsest.conversations.documents.reference import NOT_FOUND, DocumentReference, without_repeats
from palimpsest.conversations.memory import Memory
from palimpsest.documents.passages import passage, summary_of
from palimpsest.documents.prose import prose_links
from palimpsest.documents.wikilinks import Found, Link, Missing, Resolved
from palimpsest.errors import EngineUnavailable, PalimpsestError
from palimpsest.text.positions import well_formed
from palimpsest.text.tokens import masked
from palimpsest.visible import visible
from palimpsest.window.services import LOADING_S, Services
from palimpsest.window.workspace_documents import LinkPlace, WorkspaceDocuments

Told = tuple[str, str]
"""A document's path, and the heading of the section that is meant; "" for all of it."""
Ask = Callable[[str], Awaitable[str]]
"""Has the model answer a prompt in a few words."""
MOST_REFERENCES = 50
"""At most this many links of one turn are looked up."""
SHOWN_CHARS = 1_000
"""A model that is asked for a summary is shown this many characters of a document."""
MOST_CANDIDATES = 10
PROMPT = "Summarize this document in one sentence:\n\n"
SHARE = 0.2
"""A document that takes less than this share of the tokens left for messages stands in the message itself."""
SENTENCE = "Say in one sentence what this text is:\n\n"
BEGINNING_CHARS = 2_000
"""A model that is asked for a summary is shown this many characters of a text's beginning."""
MOST_TOKENS = 50

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Referred:
    """`told` is what the model reads behind the message; "" where the message links to nothing."""

    references: tuple[DocumentReference, ...] = ()
    told: str = ""


class Referring:
    """Finds the documents that a message links to, and says what the model is told of them."""

    def __init__(self, services: Services, documents: WorkspaceDocuments, memory: Callable[[], Memory]) -> None:
        self._services = services
        self._documents = documents
        self._memory = memory

    @property
    def is_on(self) -> bool:
        """Whether it is kept which documents turns refer to."""
        return self._services.settings.documents.links

    async def referred(
        self, text: str, room_tokens: int = 0, *, uri: str = "", ask: Ask | None = None, told_before: str = ""
    ) -> Referred:
        """What a message links to.  A document that takes less than a fifth of `room_tokens` stands in what is told,
        unless it does as it is in `told_before`, which the model still reads.  Raises StorageError."""
        is_asked = self.is_on and "[[" in text
        found = await asyncio.to_thread(prose_links, text, MOST_REFERENCES) if is_asked else []
        place = self._documents.place(uri) or self._documents.place()
        if not found or place is None:
            return Referred()
        references, texts, above = list[DocumentReference](), dict[Told, str](), set[Told]()
        for link, meaning in zip(found, await self._documents.meant_now(place, found), strict=True):
            one = _reference(link, text[link.start : link.end], meaning)
            if isinstance(meaning, Found) and one.path is not None:
                about = one.path, one.fragment
                one, content = await self._with_text(place, one, meaning, ask)
                if content and element(about[0], content) in told_before:
                    above.add(about)
                elif content and about not in texts and fits(content, room_tokens):
                    texts[about] = content
                    room_tokens -= estimate(content)
            references.append(one)
        given = above | texts.keys()
        every = [
            replace(one, read=one.read or (one.path or "", one.fragment) in given)
            for one in without_repeats(references)
        ]
        return Referred(tuple(every), told(every, texts, above - texts.keys()))

    async def _with_text(
        self, place: LinkPlace, one: DocumentReference, meaning: Found, ask: Ask | None
    ) -> tuple[DocumentReference, str]:
        text = await self._documents.text(place.root, meaning.document.path)
        if text is None:
            why = await self._documents.why_not(place.root, meaning.document.path)
            return replace(one, path=None, problem=f"{meaning.document.path} {why}"), ""
        content = text if meaning.heading is None else passage(text, meaning.heading, len(text))
        return replace(one, summary=await self.summary(text, one.path or "", ask)), content

    async def summary(self, text: str, name: str, ask: Ask | None = None) -> str:
        """What a document is about; "" where nobody can say.  What the model has said once is kept."""
        settings = self._services.settings.documents
        first = await asyncio.to_thread(summary_of, text, name)
        if first and len(first) <= settings.summary_chars:
            return first
        name = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
        kept = await asyncio.to_thread(self._memory().documents.summary, name)
        if kept is not None:
            return kept
        if ask is not None and settings.summaries == "auto" and text.strip():
            try:
                said = " ".join((await ask(PROMPT + text[:SHOWN_CHARS])).split())
            except PalimpsestError as error:
                logger.info("no summary: %s", error)
                said = ""
            if said:
                await asyncio.to_thread(self._memory().documents.keep_summary, name, said)
                return said
        return f"{first[: settings.summary_chars - 1].rstrip()}…" if first else ""


def _reference(link: Link, written: str, meaning: Resolved) -> DocumentReference:
    if isinstance(meaning, Found):
        heading = meaning.heading.title if meaning.heading is not None else ""
        return DocumentReference(written, meaning.document.path, "direct", fragment=heading)
    if isinstance(meaning, Missing):
        lacks = f"{meaning.document.path} has no such heading" if meaning.document else meaning.why or NOT_FOUND
        return DocumentReference(written, None, "direct", fragment=link.heading, problem=lacks)
    paths = ", ".join(document.path for document in meaning.documents[:MOST_CANDIDATES])
    return DocumentReference(written, None, "direct", problem=f"Several documents are meant: {paths}")


def fits(text: str, room_tokens: int) -> bool:
    """Whether a document's text may stand in the message; else the model reads it with the tool."""
    return estimate(text) < room_tokens * SHARE


def element(path: str, text: str) -> str:
    return answers.passage("document", {"path": path}, text)


def told(
    references: Sequence[DocumentReference], texts: Mapping[Told, str], above: Collection[Told] = frozenset()
) -> str:
    """The list of the documents, then the texts of those that are given, but for those that stand `above` as they are;
    "" where there is none."""
    if not references:
        return ""
    lines = ["Referenced Documents:"]
    for one in references:
        if one.path is None:
            lines.append(f"- {one.wikilink}: Warning - {one.problem or NOT_FOUND}")
        else:
            where = ", its text stands above" if (one.path, one.fragment) in above else ""
            lines.append(f"- {one.wikilink} ({visible(one.path)}{where}){f': {one.summary}' if one.summary else ''}")
    given = {*texts, *above}
    for (path, section), text in texts.items():
        if not section or (path, "") not in given:
            lines.append(element(path, text))
    if any(one.path is not None and (one.path, one.fragment) not in given for one in references):
        lines.append("Read these documents with read_document if you need more of them.")
    return "\n".join(lines)


async def summarized(services: Services, memory: Memory, conversation: str, fd: str) -> Descriptor:
    """Raises EngineError where the model cannot be asked or says nothing, NotFound, InvalidArgument."""
    ask = asking(services)
    if ask is None:
        raise EngineUnavailable(
            "The model cannot be asked for a summary.",
            hint="Use one that is told what to do, and wait until it is there.",
        )
    text = await asyncio.to_thread(memory.descriptors.beginning, conversation, fd, BEGINNING_CHARS)
    said = " ".join((await ask(SENTENCE + text)).split())
    if not said:
        raise EngineUnavailable("The model said nothing.")
    return await asyncio.to_thread(memory.descriptors.set_summary, conversation, fd, said)


def asking(services: Services) -> Ask | None:
    """None where the model cannot be told what to do, or is not there."""
    model = services.supervisor.status.model
    if model is None or not model.chat_template:
        return None

    async def ask(prompt: str) -> str:
        request = wire.GenerateRequest(
            workspace=services.workspace,
            chat=wire.ChatTail([wire.Message("user", well_formed(masked(prompt)))]),
            slot="chat",
            sync=services.requests.sync([], "chat"),
            max_tokens=MOST_TOKENS,
            sampling=wire.Sampling(temperature=0.0),
            tail="document-summary",
        )
        async with services.supervisor.engine(LOADING_S) as engine:
            answer = await services.generate(engine, request, [])
        return answer.choices[0].text if answer.choices else ""

    return ask
