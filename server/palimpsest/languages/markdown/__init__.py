"""Markdown as a `Language`."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node, Range

from palimpsest.languages.base import Data, embedded
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Embedded

_BEFORE_LINE = "block_continuation"


class Markdown(Data):
    id = "markdown"
    name = "Markdown"
    language_ids = ("markdown", "md")
    suffixes = (".md", ".markdown", ".mkd")
    grammar_module = "tree_sitter_markdown"
    lexical = Lexical()
    is_checked = False

    def embedded(self, parsed: Parsed, lines: range) -> Sequence[Embedded]:
        found = list[Embedded]()
        for captures in parsed.matches("embeds", lines.start, lines.stop):
            text = captures["text"][0]
            named = parsed.text_of(captures["language"][0]).strip("{}.").lower()
            part = embedded(parsed, named, list(_ranges(text)), text)
            found += [part] if part is not None else []
        return found


def _ranges(text: Node) -> Iterator[Range]:
    """A block of code without what stands before its lines in a quote or a list."""
    start_byte, start = text.start_byte, text.start_point
    for child in (child for child in text.children if child.type == _BEFORE_LINE):
        if child.start_byte > start_byte:
            yield Range(start, child.start_point, start_byte, child.start_byte)
        start_byte, start = child.end_byte, child.end_point
    if text.end_byte > start_byte:
        yield Range(start, text.end_point, start_byte, text.end_byte)


LANGUAGE = Markdown()
