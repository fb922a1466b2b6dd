"""Conversations and documents as a graph: who refers to whom, and which documents link to which.

In: references by conversation, links between documents.  Out: nodes and edges.  Pure; bounded.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.conversations.documents.reference import DocumentReference
from palimpsest.conversations.memory import Memory
from palimpsest.documents.prose import prose_links
from palimpsest.documents.wikilinks import Found
from palimpsest.window.workspace_documents import LinkPlace, WorkspaceDocuments

MOST_NODES = 120
NodeKind = Literal["conversation", "document", "broken"]
EdgeKind = Literal["direct", "search", "link"]

MOST_LINKS = 1_000
"""At most this many links of one document are drawn."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """`n_edges` of the whole graph, also those to nodes that are left out."""

    id: str
    kind: NodeKind
    label: str
    n_edges: int


@dataclass(frozen=True, slots=True)
class Edge:
    """Between the ids of two nodes."""

    source: str
    target: str
    kind: EdgeKind


@dataclass(frozen=True, slots=True)
class Graph:
    """`n_left_out`: nodes beyond the bound, those with the fewest edges."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]
    n_left_out: int = 0


def graph(
    references: Mapping[str, Sequence[DocumentReference]],
    names: Mapping[str, str],
    links: Iterable[tuple[str, str]] = (),
    most: int = MOST_NODES,
) -> Graph:
    """`names` are the conversations'; `links` lead from one document's path to another's, and count only between
    documents that a conversation refers to."""
    known, edges = dict[str, tuple[NodeKind, str]](), dict[Edge, None]()
    for conversation, every in references.items():
        known[conversation] = "conversation", names.get(conversation) or conversation
        for one in every:
            target = one.path if one.path is not None else f"broken:{one.wikilink}"
            known.setdefault(target, ("document" if one.path is not None else "broken", one.path or one.wikilink))
            edges[Edge(conversation, target, one.kind)] = None
    for source, target in links:
        if source != target and source in known and target in known:
            edges[Edge(source, target, "link")] = None
    degree = Counter(end for edge in edges for end in (edge.source, edge.target))
    kept = sorted(known, key=lambda node: (-degree[node], node))[:most]
    shown = frozenset(kept)
    return Graph(
        tuple(GraphNode(node, *known[node], degree[node]) for node in sorted(kept)),
        tuple(edge for edge in edges if edge.source in shown and edge.target in shown),
        len(known) - len(kept),
    )


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
            for meaning in await documents.meant(LinkPlace(root, path), links):
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
