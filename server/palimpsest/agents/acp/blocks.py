"""What a prompt is made of: what was typed, links to files, texts that came along.

In: the protocol's content blocks.  Out: what was typed, with the names of the files in their places, and the files as
parts, of which long ones become descriptors.  Reads no file by itself.
"""

from __future__ import annotations

import re
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
from palimpsest.languages.registry import language_of
from palimpsest.memory.descriptors.incoming import Part

_WORD_OR_FILE = re.compile(r"[\w`)\[]")
Block = TextContentBlock | ImageContentBlock | AudioContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock


@dataclass(frozen=True, slots=True)
class Prompt:
    text: str
    parts: tuple[Part, ...] = ()


def prompt_of(blocks: Iterable[Block], named: Callable[[str], str], text_of: Callable[[str], str | None]) -> Prompt:
    """`named` says what a URI's document is called here, `text_of` what is in it; None where it is not to be read.

    Raises InvalidArgument for what is neither text nor a link."""
    typed, parts, was_text = "", dict[str, Part](), False
    for block in blocks:
        if isinstance(block, TextContentBlock):
            # a text right behind a text is one of its own, such as the code that was selected
            apart = was_text and typed.strip() and block.text.strip()
            typed = f"{typed}\n\n{block.text}" if apart else _beside(typed, block.text)
        elif isinstance(block, ResourceContentBlock):
            text = text_of(block.uri)
            shown = f"[{block.name}]({block.uri})" if text is None else _added(parts, named(block.uri), text)
            typed = _beside(typed, shown)
        elif isinstance(block, EmbeddedResourceContentBlock) and isinstance(block.resource, TextResourceContents):
            typed = _beside(typed, _added(parts, named(block.resource.uri), block.resource.text))
        else:
            raise InvalidArgument("prompt", "the model reads only text: take pictures, sounds and binary files out.")
        was_text = isinstance(block, TextContentBlock)
    return Prompt(typed.strip("\n"), tuple(parts.values()))


def _beside(typed: str, more: str) -> str:
    """A word and a file are kept apart where the editor has not done so."""
    touch = _WORD_OR_FILE.match(typed[-1:]) and _WORD_OR_FILE.match(more[:1])
    return f"{typed} {more}" if touch else typed + more


def _added(parts: dict[str, Part], name: str, text: str) -> str:
    """A file once, by its name; what stands for it in the text."""
    parts[name] = Part(text, f"file:{name}", language_of("", name).id)
    return f"`{name}`"
