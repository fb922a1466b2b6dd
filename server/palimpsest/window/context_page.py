"""Pure: the context at a cursor as a page: the code there, budgets, the last answer, blocks with tokens and state.

In: what `palimpsest.context.show` and `.usage` answer, and the last request for text.  Out: a page, with a link for
each block.
"""

from collections.abc import Mapping
from typing import Any

from palimpsest.text.amounts import amount
from palimpsest.window.page import Page, bar

WIDTHS = (14, 14)
LEFT_OUT = "left out"
STATES = {"resident": "●", "stored": "◐", "wanted": "○", LEFT_OUT: "✗"}
TOLD = {"resident": "", "stored": "kept in memory", "wanted": "not decoded yet", LEFT_OUT: "no room"}
UNFIT = "✗ no room in the cache beside an answer: set a smaller context.budget or a larger engine.n_ctx"
KINDS = {"filesystem": "file tree"}
CELLS = 6


def page(context: Mapping[str, Any], usage: Mapping[str, Any], last: Mapping[str, float]) -> Page:
    made = Page("Context")
    editing = context["editing"]
    made.row((f"{editing['type']} {editing['name']}", "title"), (f"  {editing['file']}", "dim"))
    made.row()
    _budgets(made, usage)
    reused, decoded = last["reused"], last["decoded"]
    if reused + decoded:
        text = f"{decoded} decoded, {reused} reused, {last['ms']:.0f} ms"
        made.bar("last answer", reused, reused + decoded, text, "ready", "busy", widths=WIDTHS)
        made.row()
    made.row((f"Blocks ({len(context['blocks'])})", "title"))
    for block in context["blocks"]:
        made.links[len(made.lines)] = block
        _block(made, block)
    made.row()
    made.row(("● in the cache  ◐ stored  ○ wanted", "dim"))
    if any(block["state"] == LEFT_OUT for block in context["blocks"]):
        made.row((UNFIT, "dim"))
    return made


def about(kind: str, tokens: int, state: str) -> str:
    """What stands beside a block's name in a list."""
    return " · ".join(filter(None, (amount(tokens, "token"), KINDS.get(kind, kind), TOLD.get(state, state))))


def budget_rows(usage: Mapping[str, Any]) -> list[dict[str, str]]:
    """The whole context, then its parts, for a list."""
    parts, budgets, total = usage["parts"], usage["budgets"], usage["total"]
    rows = (
        ("Context", usage["used"], total),
        ("Blocks", parts["blocks"], budgets["blocks"]),
        ("Code at the cursor", parts["tail"]["used"], budgets["tail"]),
        ("Instructions", parts["system"], total),
    )
    return [{"label": label, "about": f"{_bar(used, most)} {used:,} of {most:,}"} for label, used, most in rows]


def _bar(used: int, most: int) -> str:
    """A short bar that is not empty where something is used: one cell is the least that there is."""
    least = most / CELLS if used else 0
    return bar(max(used, least), most, CELLS).translate({ord("█"): "▰", ord("░"): "▱"})


def _budgets(made: Page, usage: Mapping[str, Any]) -> None:
    made.row(("Budgets", "title"), ("  estimated" if usage["estimated"] else "", "dim"))
    parts, budgets, total = usage["parts"], usage["budgets"], usage["total"]
    for name, used, most in (
        ("context", usage["used"], total),
        ("instructions", parts["system"], total),
        ("blocks", parts["blocks"], budgets["blocks"]),
        ("at the cursor", parts["tail"]["used"], budgets["tail"]),
    ):
        made.bar(name, used, most, f"{used} / {most}", "used", widths=WIDTHS)
    made.row()


def _block(made: Page, block: Mapping[str, Any]) -> None:
    kind, span = block["type"], block["span"]
    made.row(
        (f"{STATES[block['state']]} ", kind),
        (f"{kind:<14}", kind),
        f" {block['name']}",
        ("  pinned" if block["source"] == "pin" else "", "pinned"),
        (f"  {block['tokens']} tokens" + (f"  {span[0]}–{span[1]}" if span else ""), "dim"),
    )
