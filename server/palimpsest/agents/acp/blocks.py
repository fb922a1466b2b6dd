"""What a prompt is made of, as text: what was typed, links to files, texts that came along.

In: the protocol's content blocks.  Out: parts, one for each block that is long enough to become a descriptor of its
own.  Reads no file by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from palimpsest.errors import InvalidArgument
from palimpsest.text.markup import attribute, escape_closing

Block = TextContentBlock | ImageContentBlock | AudioContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock


@dataclass(frozen=True, slots=True)
class Part:
    """`source`: where the text comes from, "" for what was typed."""

    text: str
    source: str = ""

    @property
    def shown(self) -> str:
        """As the model reads it."""
        return (
            self.text
            if not self.source
            else (f"<file path={attribute(self.source)}>\n{escape_closing(self.text, 'file')}\n</file>")
        )


def parts_of(blocks: Iterable[Block], named: Callable[[str], str], text_of: Callable[[str], str | None]) -> list[Part]:
    """`named` says what a URI's document is called here, `text_of` what is in it; None where it is not to be read.

    Raises InvalidArgument for what is neither text nor a link."""
    parts = list[Part]()
    for block in blocks:
        if isinstance(block, TextContentBlock):
            parts.append(Part(block.text))
        elif isinstance(block, ResourceContentBlock):
            text = text_of(block.uri)
            parts.append(Part(f"[{block.name}]({block.uri})") if text is None else Part(text, named(block.uri)))
        elif isinstance(block, EmbeddedResourceContentBlock) and isinstance(block.resource, TextResourceContents):
            parts.append(Part(block.resource.text, named(block.resource.uri)))
        else:
            raise InvalidArgument("prompt", "this model reads text; pictures, sounds and binary files are left out.")
    return parts


def joined(parts: Iterable[Part]) -> str:
    """What was typed around a link stays on its line; a file has lines of its own."""
    written = ""
    for part in parts:
        if part.source and written and not written.endswith("\n"):
            written += "\n"
        written += part.shown + ("\n" if part.source else "")
    return written.strip("\n")
