"""What a model is told of the documents that a message links to.

In: references, texts of the documents that may stand in the message.  Out: what is added to the message.  Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from palimpsest.context.estimate import estimate
from palimpsest.conversations.documents.reference import DocumentReference
from palimpsest.text.markup import attribute, escape_closing

SHARE = 0.2
"""Of the tokens that are left for messages: a document that takes less stands in the message itself."""


def fits(text: str, room_tokens: int) -> bool:
    """Whether a document's text may stand in the message; else the model reads it with the tool."""
    return estimate(text) < room_tokens * SHARE


def element(path: str, text: str) -> str:
    return f"<document path={attribute(path)}>\n{escape_closing(text, 'document')}\n</document>"


def told(
    references: Sequence[DocumentReference], texts: Mapping[str, str], above: Collection[str] = frozenset()
) -> str:
    """The list of the documents, then the texts of those that are given, but for those that stand `above` as they are;
    "" where there is none."""
    if not references:
        return ""
    lines = ["Referenced Documents:"]
    for one in references:
        if one.path is None:
            lines.append(f"- {one.wikilink}: Warning - {one.problem or 'Document not found'}")
        else:
            where = ", its text stands above" if one.path in above else ""
            lines.append(f"- {one.wikilink} ({one.path}{where}){f': {one.summary}' if one.summary else ''}")
    given = [one.path for one in references if one.path is not None and one.path in texts]
    for path in given:
        lines.append(element(path, texts[path]))
    if any(one.path is not None and one.path not in texts and one.path not in above for one in references):
        lines.append("Read these documents with read_document if you need more of them.")
    return "\n".join(lines)
