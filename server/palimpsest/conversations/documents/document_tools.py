"""The tools `read_document`, `find_documents` and `find_excerpts`, and which documents are related to a text.

In: what a model or a program asks for.  Out: answers; what was found or read is kept with the turn that asked.  Only
documents that `workspace/files.py` lets through are read or found.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from palimpsest.conversations.answers import Answer, element, listed, passage
from palimpsest.conversations.documents.reference import DocumentReference, wikilink_to
from palimpsest.conversations.documents.referring import Referring
from palimpsest.conversations.memory import Memory
from palimpsest.documents import passages
from palimpsest.documents.wikilinks import DocumentNames, Found, Link, Missing, links
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.text.amounts import amount
from palimpsest.text.stop_words import STOP_WORDS
from palimpsest.window.workspace_documents import LinkPlace, WorkspaceDocuments

FEW, MOST = 5, 50
"""Results where nobody says how many, and at most."""
SECTIONS_LOOKED_AT = 200
EXCERPT_CHARS = 1_200
SNIPPET_CHARS = 100
_WORD = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class RelatedDocument:
    """`why`: words in common, or conversations that used it together with documents of this one."""

    path: str
    title: str
    summary: str
    why: str


class DocumentTools:
    """Reads and finds documents for a model or a program, and keeps with the turn what was found."""

    def __init__(self, documents: WorkspaceDocuments, referring: Referring, memory: Callable[[], Memory]) -> None:
        self._documents = documents
        self._referring = referring
        self._memory = memory

    async def read_document(self, conversation_id: str, document: str, heading: str = "") -> Answer:
        """A document by path, title, alias or link.  Raises NotFound, InvalidArgument, StorageError."""
        root, meaning = await self._meant(_as_link(document, heading))
        path = meaning.document.path
        text = await self._documents.text(root, path)
        if text is None:
            raise NotFound("document", f"{path} {await self._documents.why_not(root, path)}.")
        under = meaning.heading.title if meaning.heading is not None else ""
        content = passages.passage(text, meaning.heading, len(text)) if meaning.heading is not None else text
        about = await self._referring.summary(text, path)
        reference = DocumentReference(wikilink_to(path), path, "search", fragment=under, read=True, summary=about)
        await self._note(conversation_id, [reference])
        return _document(path, meaning.document.outline.title or path, under, content)

    async def find_documents(self, conversation_id: str, query: str, limit: int | None = None) -> Answer:
        """Documents that have some of the words, in whatever form, the best first."""
        found, most = dict[str, tuple[str, str, str]](), _most(limit)
        snippets = dict[str, str]()
        for root in self._documents.folders:
            names = await self._documents.names(root)
            for path, _, text in await self._documents.found_by_words(root, _wanted(query), SECTIONS_LOOKED_AT):
                if path not in found and len(found) < most:
                    found[path], snippets[path] = await self._described(root, path, names), text
        await self._note(
            conversation_id,
            [
                DocumentReference(wikilink_to(path), path, "search", summary=summary, snippet=_snippet(snippets[path]))
                for path, _, summary in found.values()
            ],
        )
        return _documents(query, list(found.values()))

    async def find_excerpts(self, conversation_id: str, query: str, limit: int | None = None) -> Answer:
        """Sections that have some of the words, in whatever form, the best first, each as far as an excerpt goes."""
        found, most = list[tuple[str, str, str]](), _most(limit)
        for root in self._documents.folders:
            sections = await self._documents.found_by_words(root, _wanted(query), most)
            for path, heading, text in sections[: most - len(found)]:
                cut = text if len(text) <= EXCERPT_CHARS else f"{text[:EXCERPT_CHARS].rstrip()} …"
                found.append((path, heading, cut))
        await self._note(
            conversation_id,
            [
                DocumentReference(wikilink_to(path), path, "search", fragment=heading, snippet=_snippet(text))
                for path, heading, text in found
            ],
        )
        return _excerpts(query, found)

    async def related(self, text: str, most: int, *, conversation_id: str = "") -> list[RelatedDocument]:
        """Documents that may matter for a turn that is being written; none that the conversation refers to already."""
        known = set[str]()
        if conversation_id:
            kept = await asyncio.to_thread(self._memory().documents.of_conversation, conversation_id)
            known = {one.path for _, one in kept if one.path is not None and (one.kind == "direct" or one.read)}
        together = await asyncio.to_thread(self._memory().documents.together, sorted(known)) if known else {}
        found = dict[str, RelatedDocument]()
        for root in self._documents.folders:
            sections = await self._documents.found_by_words(root, words_of(text) - STOP_WORDS, SECTIONS_LOOKED_AT)
            names = await self._documents.names(root)
            why = {path: "has words of the turn" for path, _, _ in sections}
            for path in sorted(together, key=lambda one: (-together[one], one)):
                if path in names.by_path:
                    why.setdefault(path, f"used with these documents in {amount(together[path], 'conversation')}")
            for path, reason in why.items():
                if path not in known and path not in found and len(found) < most:
                    found[path] = RelatedDocument(*await self._described(root, path, names), reason)
        return list(found.values())

    async def _meant(self, link: Link) -> tuple[Path, Found]:
        if not self._documents.folders:
            raise NotFound("document", "no folder is open, so there are no documents.")
        candidates, lacks, why = list[str](), "", ""
        for root in self._documents.folders:
            (meaning,) = await self._documents.meant_now(LinkPlace(root, ""), [link])
            if isinstance(meaning, Found):
                return root, meaning
            if isinstance(meaning, Missing):
                lacks = lacks or (meaning.document.path if meaning.document is not None else "")
                why = why or meaning.why
            else:
                candidates += [document.path for document in meaning.documents]
        if candidates:
            raise InvalidArgument("document", f"{link.target} may mean several: {', '.join(candidates[:MOST])}.")
        if lacks:
            raise NotFound("heading", f"{lacks} has no heading {link.heading!r}.")
        if why:
            raise NotFound("document", f"{why}.")
        known, about = list[str](), list[str]()
        for root in self._documents.folders:
            known += (await self._documents.names(root)).by_path
            about += [path for path, _, _ in await self._documents.found_by_words(root, _wanted(link.target), FEW)]
        alike = get_close_matches(link.target, known[:2_000], FEW, 0.4)
        near = (alike or list(dict.fromkeys(about)) or sorted(known))[:FEW]
        raise NotFound(
            "document", f"there is no document {link.target!r}.", hint=f"There are {', '.join(near)}." if near else ""
        )

    async def _described(self, root: Path, path: str, names: DocumentNames) -> tuple[str, str, str]:
        text = await self._documents.text(root, path) or ""
        known = names.by_path.get(path)
        title = known.outline.title if known is not None else ""
        return path, title or PurePosixPath(path).stem, await self._referring.summary(text, path)

    async def _note(self, conversation_id: str, references: Iterable[DocumentReference]) -> None:
        """With the turn that the model is writing: the last one of the conversation."""
        if conversation_id and self._referring.is_on:
            await asyncio.to_thread(self._keep, conversation_id, list(references))

    def _keep(self, conversation_id: str, references: list[DocumentReference]) -> None:
        memory = self._memory()
        head = memory.conversations.get(conversation_id).head
        if head is not None:
            memory.documents.add(head, references)


def words_of(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _wanted(query: str) -> frozenset[str]:
    """The words of a query that say something; all of them where none does."""
    words = words_of(query)
    return words - STOP_WORDS or words


def _as_link(document: str, heading: str) -> Link:
    written = document.strip()
    found = next(links(written), None) if written.startswith("[[") else next(links(f"[[{written}]]"), None)
    if found is None:
        raise InvalidArgument("document", "a path, a title or a [[link]] is wanted.")
    heading = heading.strip().removeprefix("#").strip()
    return Link(found.target, heading, name=f"{found.target}#{heading}") if heading else found


def _most(limit: int | None) -> int:
    return FEW if limit is None else max(1, min(MOST, limit))


def _snippet(text: str) -> str:
    return " ".join(text.split())[:SNIPPET_CHARS]


def _document(path: str, title: str, heading: str, text: str) -> Answer:
    about = {"path": path, "title": title} | ({"heading": heading} if heading else {})
    fields = {"path": path, "title": title, "heading": heading, "content": text}
    return Answer(passage("document", about, text), fields, text)


def _documents(query: str, found: Sequence[tuple[str, str, str]]) -> Answer:
    """Path, title and summary of each."""
    rows = [element("document", {"path": path, "title": title}, summary) for path, title, summary in found]
    every = [{"path": path, "title": title, "summary": summary} for path, title, summary in found]
    about = {"query": query, "count": len(found)}
    return Answer(listed("documents", about, rows), {"count": len(found), "documents": every})


def _excerpts(query: str, found: Sequence[tuple[str, str, str]]) -> Answer:
    """Path, heading and text of each."""
    every = [{"document": path, "heading": heading, "text": text} for path, heading, text in found]
    rows = [
        passage("excerpt", {"document": path, "heading": heading}, text).removesuffix("</excerpt>") + "  </excerpt>"
        for path, heading, text in found
    ]
    about = {"query": query, "count": len(found)}
    return Answer(listed("excerpts", about, rows), {"count": len(found), "excerpts": every})
