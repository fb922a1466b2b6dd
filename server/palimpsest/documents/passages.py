"""The passage of a document that a link means, and what of it is shown.

In: a document's text, what a link means.  Out: its first lines, a summary.  Pure; knows no file and no editor.
"""

from palimpsest.documents.markdown import lines_of
from palimpsest.documents.outline import Heading, outline
from palimpsest.text.paragraphs import first_paragraph

LONGEST_LINE = 400


def passage(text: str, heading: Heading | None, most_lines: int, name: str = "") -> str:
    """The first lines of the heading's section; without one, of the document of that name below its front matter and
    title."""
    lines = lines_of(text)
    if heading is not None:
        start, end = min(heading.start, len(lines)), min(heading.end, len(lines))
    else:
        start, end = outline(text, name).summary[0], len(lines)
    while end > start and not lines[end - 1].strip():
        end -= 1
    shown = [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …" for line in lines[start:end][:most_lines]
    ]
    while shown and not shown[-1].strip():
        shown.pop()
    if end - start > most_lines and shown:
        shown.append("…")
    return "\n".join(shown)


def summary_of(text: str, name: str = "") -> str:
    """The first paragraph of prose on one line; "" where there is none."""
    start, end = outline(text, name).summary
    return " ".join(first_paragraph("\n".join(lines_of(text)[start:end])).split())
