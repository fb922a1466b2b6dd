"""A conversation's usage as a page with bars.

In: counts.  Out: Markdown.  Pure.
"""

from collections.abc import Iterator

from palimpsest.conversations.budgets import ConversationUsage
from palimpsest.window.page import bar

WIDTH = 30
"""Characters of a full bar."""


def page(title: str, usage: ConversationUsage) -> str:
    return "\n".join(_lines(title, usage)) + "\n"


def _lines(title: str, usage: ConversationUsage) -> Iterator[str]:
    yield f"# Tokens of “{title}”"
    yield ""
    if usage.estimated:
        yield "Estimated from characters, since no tokenizer answers."
        yield ""
    yield "```text"
    rows = [("all", usage.used, usage.total)]
    rows += [(name, part.used, part.budget) for name, part in usage.parts.items()]
    rows += [("blocks", usage.blocks, usage.total)]
    for name, used, most in rows:
        yield f"{name:<9} {bar(used, most, WIDTH)} {used:>7,} of {most:>7,} tokens"
    yield "```"
    yield ""
    if not usage.total:
        yield "No engine says how much the model can read."
    else:
        yield f"{usage.available:,} tokens are free. " + (
            "It is time to compact." if usage.should_compact() else "There is no need to compact."
        )
