"""The `[[links]]` that a Markdown text has for a reader: not those in code, comments and front matter, nor what
only looks like one.

In: a text.  Out: links with their places.  A link's text in brackets (`[[1]](address)`) and a footnote's mark are no
links to documents.  Pure.
"""

from itertools import islice

from palimpsest.documents.markdown import prose
from palimpsest.documents.wikilinks import Link, links

MOST_LINKS = 10_000
"""At most this many links of one text are looked at."""


def prose_links(text: str, most: int = MOST_LINKS) -> list[Link]:
    """The first of them, in order."""
    shown = prose(text) if "[[" in text else ""
    found = (link for link in islice(links(shown), MOST_LINKS) if _is_link(shown, link))
    return list(islice(found, most))


def _is_link(shown: str, link: Link) -> bool:
    is_text = shown.startswith(("(", "["), link.end) and not shown.startswith("[[", link.end)
    return not is_text and not link.target.startswith("^")
