"""What a person reads about a link, in a warning or where it is pointed at.

In: what a link means, texts.  Out: sentences, and texts as Markdown shows them.
"""

import re

from palimpsest.documents.markdown import fence_mark
from palimpsest.documents.wikilinks import Found, Missing, Resolved

MOST_CANDIDATES = 20
_MARKUP = re.compile(r"([\\`*\[<>|~&]|(?<!\w)_|_(?!\w)|^[#+\-=])")
"""What Markdown takes for markup, and no more: an editor that shows it as text shows each escape, too."""
_NUMBER = re.compile(r"^(\d{1,9})([.)])")


def told(meaning: Resolved) -> str:
    """What is wrong with a link, in a sentence; "" where nothing is."""
    if isinstance(meaning, Found):
        return ""
    if isinstance(meaning, Missing):
        if meaning.document is None:
            nothing = "No document is called so, and none has it as its path, alias or only heading"
            return f"{meaning.why or nothing}."
        return f"{meaning.document.path} has no such heading."
    paths = [document.path for document in meaning.documents]
    more = f" and {len(paths) - MOST_CANDIDATES} more" if len(paths) > MOST_CANDIDATES else ""
    return f"This may mean {', '.join(paths[:MOST_CANDIDATES])}{more}: write which, by its path."


def plain(text: str) -> str:
    """A text as Markdown shows it, whatever is in it."""
    return _NUMBER.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", " ".join(text.split())))


def fenced(text: str, language: str = "") -> str:
    fence = fence_mark(text)
    return f"{fence}{language}\n{text}\n{fence}"
