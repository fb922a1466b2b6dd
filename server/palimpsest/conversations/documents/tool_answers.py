"""What a model reads of documents that it asked for, and programs with it.

In: documents, passages.  Out: XML and fields (docs/formats.md, "Results and errors").  Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from palimpsest.text.markup import attribute, escape_closing


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    """`text` is what a descriptor would hold, if the answer is long."""

    xml: str
    fields: dict[str, Any] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    path: str
    heading: str
    text: str


def read(path: str, title: str, heading: str, text: str) -> DocumentAnswer:
    under = f" heading={attribute(heading)}" if heading else ""
    xml = f"<document path={attribute(path)} title={attribute(title)}{under}>\n{_inside(text, 'document')}\n</document>"
    return DocumentAnswer(xml, {"path": path, "title": title, "heading": heading, "content": text}, text)


def documents(query: str, found: Sequence[tuple[str, str, str]]) -> DocumentAnswer:
    """Path, title and summary of each."""
    rows = [
        f"  <document path={attribute(path)} title={attribute(title)}>{_inside(summary, 'document')}</document>"
        for path, title, summary in found
    ]
    xml = "\n".join([f'<documents query={attribute(query)} count="{len(found)}">', *rows, "</documents>"])
    every = [{"path": path, "title": title, "summary": summary} for path, title, summary in found]
    return DocumentAnswer(xml, {"count": len(found), "documents": every}, "")


def excerpts(query: str, found: Sequence[Excerpt]) -> DocumentAnswer:
    rows = [
        f"  <excerpt document={attribute(one.path)} heading={attribute(one.heading)}>\n"
        f"{_inside(one.text, 'excerpt')}\n  </excerpt>"
        for one in found
    ]
    xml = "\n".join([f'<excerpts query={attribute(query)} count="{len(found)}">', *rows, "</excerpts>"])
    every = [{"document": one.path, "heading": one.heading, "text": one.text} for one in found]
    return DocumentAnswer(xml, {"count": len(found), "excerpts": every}, "")


def _inside(text: str, element: str) -> str:
    return escape_closing(text, element)
