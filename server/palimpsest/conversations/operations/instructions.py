"""What the system prompt says of refs, descriptors and tools, and which tools a conversation is likely to need: fewer
descriptions, more room for what is said.

In: messages, tools.  Out: some of the tools, in the table's order; text for a model.  Small models read it with every
conversation, so it is short.  What was offered once stays while there is room, so that the engine's cache of the system
prompt stays too.  Knows no conversation.
"""

import re
from collections.abc import Callable, Collection, Sequence

from palimpsest.conversations.operations.operation import Operation

REFS = """<reference_id_instructions>
You can give parts of your replies an id, to use them later without repeating them:

1. Put the part between <ref id="unique_id"> and </ref>
2. Choose ids that describe the part, such as "recursive_search_function"; the same id again replaces it
3. Inside the part, write a literal </ref> as &lt;/ref>
4. Refs stay for the whole conversation

Commands:
- ref_to_file(ref_id="example_code", file_path="hello.py") - write it to a file; mode="append", or mode="insert" with \
insert_at_line=10, add to one
- list_refs() - which refs there are
- get_ref(ref_id="example_code") - read one

Mark code, data, and whatever may be wanted in a file or again.
</reference_id_instructions>"""

DESCRIPTORS = """<file_descriptor_instructions>
Long output and long messages are kept in file descriptors; you see the first page of them:

1. A descriptor has an id, such as "fd-3"; {addressed} can be read like one: "turn-12", \
"result-12-0"{ref}. <message fd="turn-3" before="turn-2" /> before a message is its id, and that of the reply before it
2. Read one with read_fd, page by page or as a whole
3. truncated="true": the page ends inside a line, which goes on on the next; continued="true": it \
begins inside one

Commands:
- read_fd(fd="fd-3", page=2) - one page
- read_fd(fd="fd-3", read_all=True) - everything
- read_fd(fd="fd-3", start_line=45, end_line=90) - some lines
- search_fd(fd="fd-3", query="ERROR") - find lines without reading everything

Read all that matters before you conclude anything. Of JSON over several pages, read every page before you parse it. \
Very large content can be given to forks.
</file_descriptor_instructions>"""

_CALLING = """<tool_instructions>
To use a tool, write its call on a line of its own, outside code fences{and_refs}, with literal arguments only. \
Several calls of one reply run in order. Their results come with the next message; end your reply behind the calls.

{tools}
</tool_instructions>"""

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


def described(tools: Sequence[Operation], *, with_refs: bool = True) -> str:
    """The tools for a model that writes calls into its reply."""
    listed = "\n".join(description(tool) for tool in tools)
    return _CALLING.format(tools=listed, and_refs=" and refs" if with_refs else "")


def instructions(tools: Sequence[Operation], *, native: bool = False) -> str:
    """All of it, as far as the tools are there; with native calls, the server tells the model of the tools."""
    names = {tool.name for tool in tools}
    with_refs = "ref_to_file" in names
    words = ("turns, results and refs", ', "ref:example_code"') if with_refs else ("turns and results", "")
    descriptors = DESCRIPTORS.format(addressed=words[0], ref=words[1])
    parts = [REFS if with_refs else "", descriptors if "read_fd" in names else ""]
    return "\n\n".join(part for part in [*parts, "" if native else described(tools, with_refs=with_refs)] if part)


def description(tool: Operation) -> str:
    optional = [one.name for one in tool.told if not one.required and f"{one.name}=" not in tool.example]
    more = f" (also: {', '.join(optional)})" if optional else ""
    return f"- {tool.example} - {tool.description}{more}"


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
