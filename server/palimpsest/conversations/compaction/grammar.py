"""What a model writes a summary in: JSON with the seven fields and `remember`, under a grammar.

Out: the grammar (GBNF), and summaries read back.  Every text and list has a bound, so that a reply ends
and cannot be malformed; one that is cut at its most tokens can.
"""

import json
from dataclasses import fields, replace
from typing import Any

from palimpsest.conversations.compaction.compactions import Summary
from palimpsest.errors import InvalidArgument
from palimpsest.json_data import from_json

TEXTS = {"goal": 200, "instruction": 240, "current_status": 240, "likely_next_work": 240}
"""The most characters of each text."""
LISTS = {"discoveries": (6, 140), "completed": (6, 140), "relevant_files_directories": (8, 100), "remember": (3, 140)}
"""The most items of each list, and the most characters of an item."""
ORDER = tuple(one.name for one in fields(Summary))
MOST_TOKENS = 1600
"""Enough for the longest reply that the grammar admits in most languages."""

TASK = """\
Summarise this conversation so that the work can go on from the summary alone. Write one JSON object. \
goal: what the person wants in the end. instruction: what they asked for last. discoveries: facts found about the \
work, not about tools, also what was tried and failed, with exact names. completed: what is done. \
current_status: where the work stands. likely_next_work: the next steps. relevant_files_directories: paths. \
remember: only what will matter in other conversations too, mostly nothing.
"""


def grammar() -> str:
    """GBNF with the root rule `root`."""
    rules = list[str]()
    parts = list[str]()
    for name in ORDER:
        rule = name.replace("_", "-")
        parts.append(f'"\\"{name}\\": " {rule}')
        if name in TEXTS:
            first = "first " if name == "goal" else ""
            rules.append(f'{rule} ::= "\\"" {first}char{{0,{TEXTS[name] - len(first[:1])}}} "\\""')
        else:
            items, chars = LISTS[name]
            rules.append(f'{rule}-item ::= "\\"" char{{1,{chars}}} "\\""')
            rules.append(f'{rule} ::= "[" ({rule}-item (", " {rule}-item){{0,{items - 1}}})? "]"')
    root = 'root ::= "{" ' + ' ", " '.join(parts) + ' "}"'
    char = r'char ::= [^"\\\x00-\x1F\x7F] | "\\" ["\\/nt]'
    first = r'first ::= [^"\\\x00-\x20\x7F]'
    return "\n".join([root, *rules, char, first]) + "\n"


def read(reply: str) -> Summary:
    """The summary in a reply.  Raises InvalidArgument for one that was cut, or says no goal."""
    try:
        data = json.loads(reply[reply.find("{") : reply.rfind("}") + 1])  # a server without grammars may fence it
    except (ValueError, RecursionError):
        raise InvalidArgument("summary", "is no JSON, or not all of it.") from None
    summary = from_json(data, Summary)
    if not summary.goal.strip():
        raise InvalidArgument("goal", "is empty.")
    texts: dict[str, Any] = {name: getattr(summary, name).strip() for name in TEXTS}
    lists: dict[str, Any] = {name: _distinct(getattr(summary, name)) for name in LISTS}
    return replace(summary, **texts, **lists)


def _distinct(items: list[str]) -> list[str]:
    return list(dict.fromkeys(stripped for item in items if (stripped := item.strip())))
