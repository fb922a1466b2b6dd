"""Pure: the elements of every edit format's replies: `<suggestion name="…">` with its content, one `<summary>`.

In: a reply's text.  Out: its elements; and the other way round.  What the content means is each format's.  Tags are
read leniently: single or no quotes, any order, stray commas, a missing quote (`text/markup.py` writes them).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import unescape

from palimpsest.edits.shown import ShownBlock
from palimpsest.text.markup import attribute, escape_closing, unescape_closing
from palimpsest.types import CURSOR_MARKER

ATTRIBUTE = re.compile(r"""([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\s,"'>]+))""")
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&#10;": "\n", "&#13;": "\r", "&#9;": "\t"}
SUMMARY = re.compile(r"<summary\s*>(.*?)(?:</summary\s*>|(?=<suggestion\b)|\Z)", re.DOTALL)
NEXT_ELEMENT = re.compile(r"^[ \t]*<(?:suggestion\b[^\n]*|summary\s*)>", re.MULTILINE)
LAST_LINE_END = re.compile(r"\n[ \t]*\Z")
"""The text between the last line and the closing tag."""
OPENER = re.compile(r"(?m)^([-+]?[ \t]*)(?:&((?:amp;)*lt;)|<)(?=suggestion\b[^\n]*>|summary\s*>)")
"""Text that would be read as the next element if it stood at the beginning of a line.  Diff marks before it are
ignored, so that a line is always written in the same way."""
ESCAPED_OPENER = re.compile(r"(?m)^([-+]?[ \t]*)&(?:amp;((?:amp;)*lt;)|lt;)(?=suggestion\b[^\n]*>|summary\s*>)")
FENCE = re.compile(r"\s*(?:```+|~~~+)[\w.+-]*\s*\Z")
NO_NAME = "the suggestion does not name a block"


def opening(element: str) -> re.Pattern[str]:
    """Matches an opening tag on one line, group 1 its attributes; a `>` inside quotes does not end it."""
    return re.compile(rf"""<{element}\b((?:[^>"'\n]|"[^"\n]*"|'[^'\n]*')*|[^>\n]*)>""")


def closing(element: str) -> re.Pattern[str]:
    """Matches a closing tag that ends its line or is followed by another tag: any other closing tag is content."""
    return re.compile(rf"</{element}\s*>(?=[ \t]*(?:\r?\n|<|$))")


OPEN, CLOSE = opening("suggestion"), closing("suggestion")


def attributes(text: str) -> dict[str, str]:
    """The attributes in the text between an element's name and its `>`; if a name occurs twice, the first counts."""
    values = dict[str, str]()
    for name, double, single, bare in ATTRIBUTE.findall(text):
        values.setdefault(name, unescape(double or single or bare, _ENTITIES))
    return values


@dataclass(frozen=True, slots=True)
class Element:
    """One `<suggestion>`: its content verbatim, from after the opening tag's line to the end of the last line.
    `complete` is False if the reply was cut off inside it; the unfinished line is then left out."""

    name: str
    content: str
    complete: bool = True

    def lines(self, block: ShownBlock | None) -> list[str]:
        """The content's lines without line ends, without fences around the whole content and without cursor markers;
        tags are unescaped."""
        if not self.content.strip():
            return []
        lines = LAST_LINE_END.sub("", self.content).split("\n")
        if not lines[0].strip():
            del lines[0]  # the rest of the opening tag's line
        marked = block is not None and any(CURSOR_MARKER in line.text for line in block.lines)
        lines = [line.removesuffix("\r") for line in lines]
        if not marked:  # a document that mentions the marker keeps it
            lines = [line.replace(CURSOR_MARKER, "") for line in lines]
        return [unescaped(line, block) for line in unfenced(lines)]


def elements(reply: str) -> tuple[list[Element], str]:
    """The suggestions of a reply, in order, and its summary on one line.  Anything outside of them is ignored."""
    suggestions, outside, position = list[Element](), list[str](), 0
    while head := OPEN.search(reply, position):
        outside.append(reply[position : head.start()])
        content, position, complete = _content(reply, head.end())
        suggestions.append(Element(attributes(head[1]).get("name", ""), content, complete))
    outside.append(reply[position:])
    summary = SUMMARY.search("".join(outside))
    return suggestions, unescape_closing(" ".join(summary[1].split()), "summary") if summary else ""


def _content(reply: str, start: int) -> tuple[str, int, bool]:
    """(content, where reading continues, whether the suggestion was finished)."""
    close = CLOSE.search(reply, start)
    other = NEXT_ELEMENT.search(reply, start)
    if other and (close is None or other.start() < close.start()):  # the closing tag is missing
        return reply[start : other.start()], other.start(), True
    if close:
        return reply[start : close.start()], close.end(), True
    whole_lines = reply.rfind("\n") + 1  # the last line may be incomplete: drop it
    return reply[start : max(start, whole_lines)], len(reply), False


def unfenced(lines: list[str]) -> list[str]:
    """The lines without one pair of fences around everything; the closing fence may be missing."""
    inner = [i for i, line in enumerate(lines) if line.strip()]
    if not inner or not FENCE.match(lines[inner[0]]):
        return lines
    last = inner[-1] if len(inner) > 1 and FENCE.match(lines[inner[-1]]) else len(lines)
    return lines[inner[0] + 1 : last]


def element(name: str, lines: Sequence[str], block: ShownBlock) -> str:
    """A `<suggestion>` with these lines, ending in a newline.  Lines that would be read differently because they are
    blank or begin with a fence are put between fences."""
    content = "".join(f"{escaped(line, block)}\n" for line in lines)
    if Element(name, f"\n{content}").lines(block) != list(lines):
        content = f"```\n{content}```\n"
    return f"<suggestion name={attribute(name)}>\n{content}</suggestion>\n"


def summary_element(summary: str) -> str:
    return f"<summary>{escape_closing(' '.join(summary.split()), 'summary')}</summary>\n"


def escaped(text: str, block: ShownBlock | None) -> str:
    """A line in which these are escaped: a literal closing tag of the suggestion or of the element that the block was
    shown in, and anything that would be read as the next element."""
    text = escape_closing(text, "suggestion")
    if block:
        text = escape_closing(text, block.element)
    return OPENER.sub(one_more, text)


def unescaped(text: str, block: ShownBlock | None) -> str:
    text = unescape_closing(ESCAPED_OPENER.sub(one_less, text), "suggestion")
    return unescape_closing(text, block.element) if block else text


def one_more(match: re.Match[str]) -> str:
    """What `OPENER` matches, escaped once more."""
    return f"{match[1]}&amp;{match[2]}" if match[2] else f"{match[1]}&lt;"


def one_less(match: re.Match[str]) -> str:
    """What `ESCAPED_OPENER` matches, escaped once less."""
    return f"{match[1]}&{match[2]}" if match[2] else f"{match[1]}<"
