"""What the system prompt says of refs, descriptors and tools.

In: the tools that are offered.  Out: text for a model.  Small models read it with every conversation, so it is short.
"""

from collections.abc import Sequence

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
