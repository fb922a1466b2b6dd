"""Tags of a model's reply: attributes read leniently, closing tags unescaped.

In: text.  Out: attributes and text.  Reading takes single quotes, no quotes, any order, stray commas and a missing
last quote (FORMATS.md); writing is strict.  This room knows no element by name.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr, unescape

ATTRIBUTE = re.compile(r"""([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\s,"'>]+))""")
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&#10;": "\n", "&#13;": "\r", "&#9;": "\t"}


def attributes(text: str) -> dict[str, str]:
    """The attributes in what stands between an element's name and its `>`; the first of a name wins."""
    found = dict[str, str]()
    for name, double, single, bare in ATTRIBUTE.findall(text):
        found.setdefault(name, unescape(double or single or bare, _ENTITIES))
    return found


def opening(element: str) -> re.Pattern[str]:
    """Matches an opening tag on one line, group 1 its attributes; a `>` inside quotes does not end it."""
    return re.compile(rf"""<{element}\b((?:[^>"'\n]|"[^"\n]*"|'[^'\n]*')*|[^>\n]*)>""")


def closing(element: str) -> re.Pattern[str]:
    """Matches a closing tag that ends its line or is followed by another tag: any other one is content."""
    return re.compile(rf"</{element}\s*>(?=[ \t]*(?:\r?\n|<|$))")


def escape_closing(text: str, element: str) -> str:
    """Content without a literal closing tag of its element (FORMATS.md).  What looks escaped already gets one more
    `amp;`, so that `unescape_closing` restores every text."""
    if "lt;/" in text:
        text = re.sub(rf"&((?:amp;)*lt;/{element})", r"&amp;\1", text)
    return text.replace(f"</{element}", f"&lt;/{element}")


def unescape_closing(text: str, element: str) -> str:
    """Undo the escape of a literal closing tag in an element's content (FORMATS.md)."""
    if "lt;/" not in text:
        return text
    text = text.replace(f"&lt;/{element}", f"</{element}")
    return re.sub(rf"&amp;((?:amp;)*lt;/{element})", r"&\1", text)


def quoted(value: str) -> str:
    """A double-quoted, escaped attribute value, as blocks are written with."""
    text = quoteattr(" ".join(value.split("\n")))
    return text if text[0] == '"' else '"' + text[1:-1].replace('"', "&quot;") + '"'
