"""Conversations and documents as a graph: who refers to whom, and which documents link to which.

In: references by conversation, links between documents.  Out: nodes and edges.  Pure; bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.conversations.documents.reference import DocumentReference

MOST_NODES = 120
NodeKind = Literal["conversation", "document", "broken"]
EdgeKind = Literal["direct", "search", "link"]


@dataclass(frozen=True, slots=True)
class Node:
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

    nodes: tuple[Node, ...]
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
        tuple(Node(node, *known[node], degree[node]) for node in sorted(kept)),
        tuple(edge for edge in edges if edge.source in shown and edge.target in shown),
        len(known) - len(kept),
    )
