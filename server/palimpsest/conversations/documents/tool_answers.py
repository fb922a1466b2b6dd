"""What a model reads of documents that it asked for, and programs with it.

In: documents, passages.  Out: XML and fields (docs/formats.md, "Results and errors").  Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.conversations.answers import Answer, listed, opening, passage
from palimpsest.text.markup import escape_closing


@dataclass(frozen=True, slots=True)
class Excerpt:
    path: str
    heading: str
    text: str


def read(path: str, title: str, heading: str, text: str) -> Answer:
    about = {"path": path, "title": title} | ({"heading": heading} if heading else {})
    fields = {"path": path, "title": title, "heading": heading, "content": text}
    return Answer(passage("document", about, text), fields, text)


def documents(query: str, found: Sequence[tuple[str, str, str]]) -> Answer:
    """Path, title and summary of each."""
    rows = [
        f"<{opening('document', {'path': path, 'title': title})}>{escape_closing(summary, 'document')}</document>"
        for path, title, summary in found
    ]
    every = [{"path": path, "title": title, "summary": summary} for path, title, summary in found]
    about = {"query": query, "count": len(found)}
    return Answer(listed("documents", about, rows), {"count": len(found), "documents": every})


def excerpts(query: str, found: Sequence[Excerpt]) -> Answer:
    rows = [
        passage("excerpt", {"document": one.path, "heading": one.heading}, one.text).removesuffix("</excerpt>")
        + "  </excerpt>"
        for one in found
    ]
    every = [{"document": one.path, "heading": one.heading, "text": one.text} for one in found]
    about = {"query": query, "count": len(found)}
    return Answer(listed("excerpts", about, rows), {"count": len(found), "excerpts": every})
