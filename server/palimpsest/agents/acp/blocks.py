"""What a prompt is made of: what was typed, links to files, texts that came along.

In: the protocol's content blocks.  Out: what was typed, with the names of the files in their places, and the files as
parts, of which long ones become descriptors.  Reads no file by itself.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from acp import schema

from palimpsest.agents.acp.workspaces import AcpWorkspace
from palimpsest.conversations.descriptors.incoming import MessagePart
from palimpsest.errors import InvalidArgument
from palimpsest.languages.registry import language_of

_WORD_OR_FILE = re.compile(r"[\w`)\[]")
Block = (
    schema.TextContentBlock
    | schema.ImageContentBlock
    | schema.AudioContentBlock
    | schema.ResourceContentBlock
    | schema.EmbeddedResourceContentBlock
)


@dataclass(frozen=True, slots=True)
class AcpPrompt:
    text: str
    parts: tuple[MessagePart, ...] = ()


def prompt_of(blocks: Iterable[Block], files: AcpWorkspace) -> AcpPrompt:
    """Raises InvalidArgument for what is neither text nor a link, and for secrets."""
    typed, parts, was_text = "", dict[str, MessagePart](), False
    for block in blocks:
        if isinstance(block, schema.TextContentBlock):
            # a text right behind a text is one of its own, such as the code that was selected
            apart = was_text and typed.strip() and block.text.strip()
            typed = f"{typed}\n\n{block.text}" if apart else _beside(typed, block.text)
        elif isinstance(block, schema.ResourceContentBlock):
            text = files.text_of(block.uri)
            shown = f"[{block.name}]({block.uri})" if text is None else _added(parts, files.named(block.uri), text)
            typed = _beside(typed, shown)
        elif isinstance(block, schema.EmbeddedResourceContentBlock) and isinstance(
            block.resource, schema.TextResourceContents
        ):
            uri, text, name = block.resource.uri, block.resource.text, files.named(block.resource.uri)
            if (reason := files.why_not(uri, text)) is not None:
                raise InvalidArgument("prompt", f"{name} {reason}; take it out.")
            typed = _beside(typed, _added(parts, name, text))
        else:
            raise InvalidArgument("prompt", "the model reads only text: take pictures, sounds and binary files out.")
        was_text = isinstance(block, schema.TextContentBlock)
    return AcpPrompt(typed.strip("\n"), tuple(parts.values()))


def _beside(typed: str, more: str) -> str:
    """A word and a file are kept apart where the editor has not done so."""
    touch = _WORD_OR_FILE.match(typed[-1:]) and _WORD_OR_FILE.match(more[:1])
    return f"{typed} {more}" if touch else typed + more


def _added(parts: dict[str, MessagePart], name: str, text: str) -> str:
    """A file once, by its name; what stands for it in the text."""
    parts[name] = MessagePart(text, f"file:{name}", language_of("", name).id)
    return f"`{name}`"
