"""Blocks as a model sees them, and the fixed texts around them.

In: `types.Block`, `types.Editing`.  Out: text, in the format of docs/formats.md.  Knows no token, file or engine.
The embedded model is trained on what these functions write (`training/data.py` calls them), so a change here needs a
newly trained model.

A workspace's prompt is

    HEADER  block block …  FOOTER  tail

where every block (and the footer) is encoded behind the header alone, and the tail sees all of it.
"""

from palimpsest.text.markup import attribute, escape_closing
from palimpsest.types import FOOTER as FOOTER
from palimpsest.types import HEADER as HEADER
from palimpsest.types import Block, Editing


def render_context(block: Block) -> str:
    """`<context …>` with its content, ending in a newline."""
    editable = "true" if block.editable else "false"
    head = f'<context type={attribute(block.type)} name={attribute(block.name)} editable="{editable}">'
    return f"{head}\n{escape_closing(block.text, 'context')}\n</context>\n"


def editing_head(editing: Editing) -> str:
    """The opening tag of an editing block, ending in a newline."""
    return f"<editing type={attribute(editing.type)} file={attribute(editing.file)} name={attribute(editing.name)}>\n"


EDITING_END = "\n</editing>\n"


def number_line(number: int | None, text: str) -> str:
    """`L<n> text`; an empty line is `L<n>`; a line without a number stays as it is (ln-diff, docs/formats.md)."""
    if number is None:
        return text
    return f"L{number} {text}" if text else f"L{number}"


def render_numbered(editing: Editing) -> str:
    """The editing block with line numbers, for a model that is to edit it."""
    lines = "\n".join(number_line(line.number, line.text) for line in editing.lines)
    return editing_head(editing) + escape_closing(lines, "editing") + EDITING_END


def render_plain(editing: Editing) -> str:
    """The editing block without line numbers, for formats that repeat or quote code."""
    return editing_head(editing) + escape_closing(editing.text, "editing") + EDITING_END


def render_fim(editing: Editing) -> tuple[str, str]:
    """(prefix, suffix) of an inline completion: the unnumbered editing block, split at the cursor."""
    prefix = editing_head(editing) + escape_closing(editing.prefix, "editing")
    return prefix, escape_closing(editing.suffix, "editing") + EDITING_END
