"""Pure: the blocks that a model was shown, with the line numbers that its reply uses.

In: an `Editing`, `Block`s, the versions of their documents.  Out: `ShownBlock`s by the name a reply uses.  Does not
know about documents, tokens or engines.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from palimpsest.types import Block, Editing, ShownLine

EDITING = "editing"
"""The name of the editing block in a reply (docs/formats.md, ln-diff)."""


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """One block as shown.  `version` is the version of the document `uri` that `lines` were taken from.

    `element` is the tag it was shown in, whose literal closing tag is escaped in the content.  `scope` is the
    qualified name of the definition that the editing block is (`Cart.add`), empty for a file and for other blocks.
    """

    name: str
    editable: bool
    uri: str
    version: int
    lines: tuple[ShownLine, ...]
    scope: str = ""

    @property
    def element(self) -> str:
        return "editing" if self.name == EDITING else "context"

    @property
    def editable_numbers(self) -> tuple[int, ...]:
        """The numbers of lines that stand for a line of the document, in ascending order; empty if nothing may be
        edited."""
        if not self.editable:
            return ()
        return tuple(line.number for line in self.lines if line.number is not None and line.document_line is not None)

    def unnumbered_after(self, number: int) -> frozenset[str]:
        """The lines without a number (a cut, an omitted body) that stand directly after line `number`."""
        texts, here = set[str](), False
        for line in self.lines:
            if line.number is not None:
                here = line.number == number
            elif here:
                texts.add(line.text.strip())
        return frozenset(texts)


def of_editing(editing: Editing) -> ShownBlock:
    scope = "" if editing.type == "file" else editing.name
    return ShownBlock(EDITING, True, editing.uri, editing.version, editing.lines, scope)


def of_block(block: Block, version: int) -> ShownBlock:
    """A context block.  Its lines are counted from 1, and only those that stand for a document line can be edited.

    A block that does not say which document its lines are from cannot be edited, whatever else it says.
    """
    texts = block.text.split("\n")
    places = block.lines if block.lines is not None else (None,) * len(texts)
    editable = block.editable and block.uri is not None and block.lines is not None and len(places) == len(texts)
    lines = tuple(
        ShownLine(text, number, place) for number, (text, place) in enumerate(zip(texts, places, strict=False), start=1)
    )
    return ShownBlock(block.name, editable, block.uri or "", version, lines)


def shown_blocks(editing: Editing, blocks: Iterable[Block], versions: Mapping[str, int]) -> dict[str, ShownBlock]:
    """Every block of a prompt by the names that a reply may use for it.

    `versions` gives the version of each document.  A block is not editable if its document is not in `versions` or if
    two blocks have the same name, since a reply could not tell them apart.  The editing block can be called `editing`
    or, since small models do that, by its own name (`Cart.add`), unless a context block has that name.
    """
    own = of_editing(editing)
    context = dict[str, ShownBlock]()
    for block in blocks:
        version = versions.get(block.uri) if block.uri is not None else None
        shown_block = of_block(block, version or 0)
        if version is None or block.name in context:
            shown_block = replace(shown_block, editable=False)
        context[block.name] = shown_block
    return {editing.name: own, **context, EDITING: own}
