"""Which tools a message is likely to need: fewer descriptions, more room for the conversation.

In: messages, tools.  Out: some of the tools, in the table's order.  Knows no conversation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from palimpsest.memory.tools.tool import Tool

_WORD = re.compile(r"[^\W\d_]{2,}")
_ID = re.compile(r"\b(?:fd-\d+|(?:turn|result)-\d[\d-]*|exp_\d+|cp_[0-9a-f]{8}|fork_[0-9a-f]{8})\b|\bref:|<ref\b")
_TOGETHER = (
    ("fork", "gather"), ("spawn", "gather"), ("create_temp_file", "read_temp_file", "delete_temp_file"),
    ("mark_fd_section", "get_fd_section", "list_fd_sections", "delete_fd_section"),
    ("create_checkpoint", "restore_checkpoint", "list_checkpoints"), ("list_refs", "get_ref"),
)  # fmt: skip
"""Of these, one is of little use without the others."""
_BY_ID = {"fd": "fd", "tu": "fd", "re": "ref", "ex": "forget", "cp": "checkpoint", "fo": "gather", "<r": "ref"}


def relevant(message: str, tools: Sequence[Tool], used: Collection[str] = ()) -> list[Tool]:
    """Those that are always offered, those whose topics or names the message has words of, those that were `used`
    lately, and what belongs to them; all of them where nothing but the first would be left."""
    words = {_stem(word) for word in _WORD.findall(message.lower())}
    ids = {_BY_ID.get(found[0][:2], "") for found in _ID.finditer(message)}
    chosen = {tool.name for tool in tools if tool.name in used or _fits(tool, words, ids)}
    for group in _TOGETHER:
        if chosen.intersection(group):
            chosen.update(group)
    if not chosen:
        return list(tools)
    return [tool for tool in tools if tool.always or tool.name in chosen]


def _fits(tool: Tool, words: Collection[str], ids: Collection[str]) -> bool:
    named = set(tool.name.replace("fds", "fd").split("_"))
    if tool.name in ids or named & set(ids):
        return True
    return any(_stem(topic) in words for topic in tool.topics)


def _stem(word: str) -> str:
    """A word without the endings that make no difference here."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)].removesuffix("e")
    return word.removesuffix("e")
