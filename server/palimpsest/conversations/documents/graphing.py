"""The graph of conversations and documents, with the links between the documents.

In: a memory, the workspace's documents.  Out: a `Graph`.  Reads at most as many documents as are shown.
"""

from __future__ import annotations

import asyncio

from palimpsest.conversations.documents.graph import MOST_NODES, Graph, graph
from palimpsest.conversations.documents.reference import DocumentReference
from palimpsest.conversations.documents.workspace_documents import Place, WorkspaceDocuments
from palimpsest.conversations.memory import Memory
from palimpsest.documents.prose import prose_links
from palimpsest.documents.wikilinks import Found

MOST_LINKS = 1_000
"""Of one document."""


async def graph_of(memory: Memory, documents: WorkspaceDocuments, conversation_id: str = "") -> Graph:
    """Of one conversation, or of all of the workspace's.  Raises NotFound, StorageError."""
    references, names = await asyncio.to_thread(_kept, memory, conversation_id)
    paths = list(dict.fromkeys(one.path for every in references.values() for one in every if one.path is not None))
    return graph(references, names, await links_between(documents, paths[:MOST_NODES]))


async def links_between(documents: WorkspaceDocuments, paths: list[str]) -> list[tuple[str, str]]:
    """Which of the documents link to which."""
    found, known = dict[tuple[str, str], None](), frozenset(paths)
    for root in documents.folders:
        names = await documents.names(root)
        for path in paths:
            text = await documents.text(root, path) if path in names.by_path else None
            links = await asyncio.to_thread(prose_links, text or "", MOST_LINKS)
            for meaning in await documents.meant(Place(root, path), links):
                if isinstance(meaning, Found) and meaning.document.path in known:
                    found[path, meaning.document.path] = None
    return list(found)


def _kept(memory: Memory, conversation_id: str) -> tuple[dict[str, list[DocumentReference]], dict[str, str]]:
    every = memory.documents.by_conversation()
    names = {one.id: one.name for one in memory.conversations.list()}
    if not conversation_id:
        return every, names
    talk = memory.conversations.get(conversation_id)
    return {talk.id: every.get(talk.id, [])}, {talk.id: talk.name}
