"""Pure: a document that a turn refers to, as a value.

Out: the value, and how several of one turn become one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["direct", "search"]
"""`direct`: the turn links to it; `search`: a tool found or read it."""

NOT_FOUND = "Document not found"


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
    """Each document, or link that leads nowhere, once, where it came first; what is known of either is kept.  Links to
    several sections of a document are one each, unless the whole document is linked to as well."""
    every = list(references)
    linked = dict[str, list[str]]()
    for one in every:
        if one.kind == "direct" and one.path is not None:
            linked.setdefault(one.path, []).append(one.fragment)
    linked = {path: [""] if "" in sections else sections for path, sections in linked.items()}
    found = dict[tuple[str | None, str], DocumentReference]()
    for one in every:
        sections = linked.get(one.path, []) if one.path is not None else []
        section = one.fragment if one.fragment in sections else next(iter(sections), "")
        about = (one.path, one.wikilink if one.path is None else section)
        first = found.get(about)
        if first is None:
            found[about] = replace(one, fragment=section) if sections else one
            continue
        both: Kind = "direct" if "direct" in (first.kind, one.kind) else "search"
        found[about] = replace(
            first,
            wikilink=one.wikilink if one.kind == "direct" and one.fragment == section else first.wikilink,
            kind=both,
            read=first.read or one.read,
            fragment=first.fragment if sections or first.fragment == one.fragment else "",
            summary=first.summary or one.summary,
            snippet=first.snippet or one.snippet,
        )
    return list(found.values())


def problem_told(problem: str) -> str:
    """What is wrong with a link, for a person: one that may not be read, or of which there are several, is there."""
    return f"not found: {problem or 'broken link'}" if problem in ("", NOT_FOUND) else problem


def wikilink_to(path: str, heading: str = "") -> str:
    """A link that means the document, wherever it is written; heading characters that no link has are left out."""
    heading = "".join(char for char in heading if char not in "[]|#\n")
    return f"[[{path}#{heading}]]" if heading else f"[[{path}]]"
