"""Pure: reads the tags of a model's reply leniently: single or no quotes, any order, stray commas, a missing quote.

In: text.  Out: attributes and patterns (docs/formats.md).  `text/markup.py` writes tags.  Knows no element by name.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import unescape

ATTRIBUTE = re.compile(r"""([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\s,"'>]+))""")
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&#10;": "\n", "&#13;": "\r", "&#9;": "\t"}


def attributes(text: str) -> dict[str, str]:
    """The attributes in the text between an element's name and its `>`; if a name occurs twice, the first counts."""
    found = dict[str, str]()
    for name, double, single, bare in ATTRIBUTE.findall(text):
        found.setdefault(name, unescape(double or single or bare, _ENTITIES))
    return found


def opening(element: str) -> re.Pattern[str]:
    """Matches an opening tag on one line, group 1 its attributes; a `>` inside quotes does not end it."""
    return re.compile(rf"""<{element}\b((?:[^>"'\n]|"[^"\n]*"|'[^'\n]*')*|[^>\n]*)>""")


def closing(element: str) -> re.Pattern[str]:
    """Matches a closing tag that ends its line or is followed by another tag: any other closing tag is content."""
    return re.compile(rf"</{element}\s*>(?=[ \t]*(?:\r?\n|<|$))")
