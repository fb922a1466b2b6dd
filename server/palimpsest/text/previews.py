"""A text of somebody else's as a person is shown it.

In: a text.  Out: its beginning, in which nothing is hidden: a character that cannot be seen, or that turns others
around, is written as its code; and a message in which nothing can be clicked.  Pure.
"""

from palimpsest.visible import visible

MOST_LINES = 20
MOST_CHARS = 700
"""A preview has at most this many characters: with the question around it, less than the 1,000 that VS Code shows of a
message."""


def preview(text: str) -> str:
    """Ends with how much there is besides."""
    lines = text.splitlines()
    shown = "\n".join(lines[:MOST_LINES])[:MOST_CHARS]
    n_more = len("\n".join(lines)) - len(shown)
    shown = visible(shown, "\n\t")
    return f"{shown}\n… and {n_more:,} more characters" if n_more else shown


def without_links(message: str) -> str:
    """VS Code makes a link of `[text](address)` in a message, and its address may be a command of the editor's."""
    return visible(message, "\n\t").replace("](", "] (")
