"""A document that a turn refers to, as a value.

Out: the value, and how several of one turn become one.  Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["direct", "search"]
"""`direct`: the turn links to it; `search`: a tool found or read it."""


@dataclass(frozen=True, slots=True)
class DocumentReference:
    """`path` is relative to its workspace folder, None for a link that leads nowhere, whose `problem` says why.
    `fragment` is a heading.  `read`: its text was given to the model."""

    wikilink: str
    path: str | None
    kind: Kind = "direct"
    fragment: str = ""
    read: bool = False
    summary: str = ""
    snippet: str = ""
    problem: str = ""


def without_repeats(references: Iterable[DocumentReference]) -> list[DocumentReference]:
    """Each document, or link that leads nowhere, once, where it came first; what is known of either is kept."""
    found = dict[tuple[str | None, str], DocumentReference]()
    for one in references:
        about = (one.path, one.wikilink if one.path is None else "")
        first = found.get(about)
        if first is None:
            found[about] = one
            continue
        both: Kind = "direct" if "direct" in (first.kind, one.kind) else "search"
        found[about] = replace(
            first,
            kind=both,
            read=first.read or one.read,
            fragment=first.fragment or one.fragment,
            summary=first.summary or one.summary,
            snippet=first.snippet or one.snippet,
        )
    return list(found.values())


def wikilink_to(path: str, heading: str = "") -> str:
    """A link that means the document, wherever it is written; heading characters that no link has are left out."""
    heading = "".join(char for char in heading if char not in "[]|#\n")
    return f"[[{path}#{heading}]]" if heading else f"[[{path}]]"
