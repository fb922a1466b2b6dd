"""A conversation's tokens against its budgets: shares of what the model can read.

In: counts.  Out: what is used and left, whether it is time to compact, and a page with bars that says so.  Pure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from palimpsest.window.page import bar

LEAST_RESERVE, MOST_RESERVE, RESERVE = 2_048, 20_000, 0.15
"""Tokens that are kept free for the next reply: a share of the window, within bounds."""
NEARLY_FULL = 0.9


@dataclass(frozen=True, slots=True)
class Shares:
    """Of all that the model can read.  `lent`: what system prompt and tools leave of theirs is the messages'."""

    system: float = 0.1
    tools: float = 0.3
    messages: float = 0.6
    lent: bool = False

    def for_messages(self, total: int, taken: int) -> int:
        """The messages' budget of `total` tokens, behind a system prompt and tools that have `taken` so many."""
        left = max(0, int(self.system * total) + int(self.tools * total) - taken) if self.lent else 0
        return int(self.messages * total) + left


@dataclass(frozen=True, slots=True)
class BudgetPart:
    used: int
    budget: int

    @property
    def percentage(self) -> int:
        return round(100 * self.used / self.budget) if self.budget else 0


@dataclass(frozen=True, slots=True)
class ConversationUsage:
    """Tokens.  `total`: what the model can read at once, 0 where nobody knows.  `estimated`: no tokenizer answered."""

    total: int
    system: int
    tools: int
    messages: int
    blocks: int = 0
    estimated: bool = False
    shares: Shares = Shares()

    @property
    def used(self) -> int:
        return self.system + self.tools + self.messages + self.blocks

    @property
    def available(self) -> int:
        return max(0, self.total - self.used)

    @property
    def parts(self) -> Mapping[str, BudgetPart]:
        return {
            "system": BudgetPart(self.system, int(self.shares.system * self.total)),
            "tools": BudgetPart(self.tools, int(self.shares.tools * self.total)),
            "messages": BudgetPart(self.messages, self.shares.for_messages(self.total, self.system + self.tools)),
        }

    def should_compact(self) -> bool:
        """Whether the messages are over their budget, the window is nearly full, or the reserve is not
        free any more."""
        if not self.total:
            return False
        left = self.total - self.used
        is_over = self.messages > self.parts["messages"].budget or self.used > NEARLY_FULL * self.total
        return is_over or left < reserve(self.total)


def reserve(total: int) -> int:
    """Tokens to keep free of `total`, three eighths of a small window."""
    return min(MOST_RESERVE, max(LEAST_RESERVE, int(RESERVE * total)), total * 3 // 8)


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
