"""How attributes and contents of the elements around blocks and replies are written (docs/formats.md).

In: text.  Out: text.  Knows no element by name.
"""

import re
from xml.sax.saxutils import quoteattr

from palimpsest.visible import visible


def attribute(value: str) -> str:
    """A double-quoted, escaped attribute value in one line."""
    quoted = quoteattr(visible(value.replace("\n", " ")))
    return quoted if quoted[0] == '"' else '"' + quoted[1:-1].replace('"', "&quot;") + '"'


def escape_closing(text: str, element: str) -> str:
    """Content is verbatim except for a literal closing tag of its own element.  What looks escaped already gets one
    more `amp;`, so that `unescape_closing` restores every text."""
    if "lt;/" in text:
        text = re.sub(rf"&((?:amp;)*lt;/{element})", r"&amp;\1", text)
    return text.replace(f"</{element}", f"&lt;/{element}")


def unescape_closing(text: str, element: str) -> str:
    if "lt;/" not in text:
        return text
    text = text.replace(f"&lt;/{element}", f"</{element}")
    return re.sub(rf"&amp;((?:amp;)*lt;/{element})", r"&\1", text)
