"""The `[[links]]` that a Markdown text has for a reader: not those in code, comments and front matter, nor what
only looks like one.

In: a text.  Out: links with their places.  A link's text in brackets (`[[1]](address)`) and a footnote's mark are no
links to documents.  Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.documents.markdown import prose
from palimpsest.documents.wikilinks import Link, links

MOST_LINKS = 10_000
"""Of one text; those behind are not looked at."""


def prose_links(text: str) -> Iterator[Link]:
    if "[[" not in text:
        return
    shown = prose(text)
    for number, link in enumerate(links(shown)):
        if number >= MOST_LINKS:
            return
        is_text = shown.startswith(("(", "["), link.end) and not shown.startswith("[[", link.end)
        if not is_text and not link.target.startswith("^"):
            yield link
