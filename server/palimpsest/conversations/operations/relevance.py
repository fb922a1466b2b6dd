"""Which tools a conversation is likely to need: fewer descriptions, more room for what is said.

In: messages, tools.  Out: some of the tools, in the table's order.  What was offered once stays while there is room,
so that the engine's cache of the system prompt stays too.  Knows no conversation.
"""

import re
from collections.abc import Callable, Collection, Sequence

from palimpsest.conversations.operations.operation import Operation

MOST_READ = 10_000
"""Characters of one message."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_ID = re.compile(r"\b(?:fd-\d+|(?:turn|result)-\d[\d-]*|exp_\d+|cp_[0-9a-f]{8}|fork_[0-9a-f]{8})\b|\bref:|<ref\b")
_TOGETHER = (
    ("fork", "gather"), ("spawn", "gather"),
    ("create_temp_file", "read_temp_file", "write_temp_file", "delete_temp_file"),
    ("mark_fd_section", "get_fd_section", "list_fd_sections", "delete_fd_section"),
    ("create_checkpoint", "restore_checkpoint", "list_checkpoints"), ("list_refs", "get_ref"),
)  # fmt: skip
"""One of each group is of little use without the others."""
_BY_ID = {"fd": "fd", "tu": "fd", "re": "ref", "ex": "forget", "cp": "checkpoint", "fo": "gather", "<r": "ref"}


def foreseen(
    messages: Sequence[str],
    tools: Sequence[Operation],
    fits: Callable[[Sequence[Operation]], bool],
    lately: Collection[str] = (),
    before: Sequence[str] = (),
) -> list[Operation]:
    """The tools that are always offered, those that the last of the messages is about, and those that were called
    `lately`; as long as it `fits`, also those of earlier messages and those called `before`, the newest first.  Where
    no message says anything of tools: all of them, if they fit."""

    def offered(names: Collection[str]) -> list[Operation]:
        return [tool for tool in tools if tool.always or tool.name in names]

    chosen = _with_partners({*lately, *(about(messages[-1], tools) if messages else ())})
    for names in (*(about(message, tools) for message in reversed(messages[:-1])), *({name} for name in before)):
        more = _with_partners(chosen | names)
        if not fits(offered(more)):
            break
        chosen = more
    return list(tools) if not chosen and fits(tools) else offered(chosen)


def about(message: str, tools: Sequence[Operation]) -> set[str]:
    """The names of the tools whose topics or names a message has words of, or whose ids."""
    words = {_stem(word) for word in _WORD.findall(message[:MOST_READ].lower())}
    ids = {_BY_ID.get(match[0][:2], "") for match in _ID.finditer(message[:MOST_READ])}
    return {tool.name for tool in tools if _fits(tool, words, ids)}


def _with_partners(names: set[str]) -> set[str]:
    return names.union(*(group for group in _TOGETHER if names.intersection(group)))


def _fits(tool: Operation, words: Collection[str], ids: Collection[str]) -> bool:
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
