"""Conversations and documents as a graph: who refers to whom, and which documents link to which.

In: references by conversation, links between documents.  Out: nodes and edges, bounded, and a picture of them:
conversations within, documents around them, in SVG without scripts, links or anything to be loaded.  Names are escaped
in it, and what XML cannot hold is left out.  The same graph gives the same picture.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape

from palimpsest.conversations.documents.reference import DocumentReference
from palimpsest.conversations.memory import Memory
from palimpsest.documents.prose import prose_links
from palimpsest.documents.wikilinks import Found
from palimpsest.text.amounts import amount
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


LONGEST_LABEL = 40
_INNER, _SPACE = 120.0, 26.0
_BESIDE, _ABOVE = 280.0, 40.0
"""Room for the longest label, and for a line of one."""
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLE = """
    .conversation { fill: #4477aa } .document { fill: #228833 } .broken { fill: #cc3311 }
    line { stroke: #888888; stroke-width: 1 } .search { stroke-dasharray: 4 3 } .link { stroke: #bbbbbb }
    text { font: 12px sans-serif; fill: #777777 }
"""


def svg(graph: Graph) -> str:
    inner = [node for node in graph.nodes if node.kind == "conversation"]
    outer = [node for node in graph.nodes if node.kind != "conversation"]
    near = max(_INNER, len(inner) * _SPACE / math.tau)
    far = max(near + 140.0, len(outer) * _SPACE / math.tau)
    places = {**_ring(inner, near if len(inner) > 1 else 0.0, -math.tau / 4), **_ring(outer, far, 0.0)}
    (left, right), (top, bottom) = _around(places.values())
    width, height = right - left, bottom - top
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}">',
        f"<style>{_STYLE}</style>",
        f"<title>{_text(_title(graph))}</title>",
        *(_line(edge, places) for edge in graph.edges),
        *(_dot(node, *places[node.id]) for node in graph.nodes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _around(places: Collection[tuple[float, float]]) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where the picture goes, across and down: as far as there are nodes and their labels."""
    across, down = [x for x, _ in places] or [0.0], [y for _, y in places] or [0.0]
    return (min(across) - _BESIDE, max(across) + _BESIDE), (min(down) - _ABOVE, max(down) + _ABOVE)


def _title(graph: Graph) -> str:
    n_conversations = sum(node.kind == "conversation" for node in graph.nodes)
    left_out = f"; {graph.n_left_out} more are not shown" if graph.n_left_out else ""
    counts = (n_conversations, "conversation"), (len(graph.nodes) - n_conversations, "document")
    return " and ".join(amount(n, what) for n, what in counts) + left_out


def _ring(nodes: Sequence[GraphNode], radius: float, first: float) -> dict[str, tuple[float, float]]:
    """`first`: the first one's angle; another one for each ring, so that few nodes are not all on one line."""
    step = math.tau / max(1, len(nodes))
    angles = {node.id: first + number * step for number, node in enumerate(nodes)}
    return {name: (radius * math.cos(angle), radius * math.sin(angle)) for name, angle in angles.items()}


def _line(edge: Edge, places: Mapping[str, tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    return f'<line class="{edge.kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _dot(node: GraphNode, x: float, y: float) -> str:
    size = 4.0 + min(8.0, node.n_edges)
    label = node.label if len(node.label) <= LONGEST_LABEL else f"{node.label[: LONGEST_LABEL - 1]}…"
    if node.kind == "conversation":  # outwards it would lie on a document
        side, at, down = "middle", x, (size + 14 if y > 1 else -size - 6)
    elif x < -1:
        side, at, down = "end", x - size - 4, 4.0
    else:
        side, at, down = "start", x + size + 4, 4.0
    return (
        f'<g class="node"><circle class="{node.kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"/>'
        f'<text x="{at:.1f}" y="{y + down:.1f}" text-anchor="{side}">{_text(label)}</text>'
        f"<title>{_text(node.label)}</title></g>"
    )


def _text(text: str) -> str:
    return escape(_NOT_IN_XML.sub("", text))
