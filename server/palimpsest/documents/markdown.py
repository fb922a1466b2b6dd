"""What a Markdown text has: headings, code, what is text for a reader, and fields above it.

In: a text.  Out: lines, places, fields.  CommonMark is read by markdown-it-py, of which only the blocks are used: the
grammar that editing blocks are cut by takes several times as long for prose, during which no other thread runs, reads
some of it differently, and may not be given every text (`languages/grammars.py`).  Front matter is read by PyYAML,
whose loader in C can be made to end the process.  What cannot be read is left out.  Pure.
"""

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.rules_block import StateBlock, blockquote, html_block, list_block
from markdown_it.token import Token

MOST_LINES = 40_000
"""Blocks are looked for in this many lines of a document: a megabyte of items takes ten seconds. What is behind is
text."""
_DEEPEST = 18
"""Lists and quotes are read in one another to this depth, of which a list counts twice; markdown-it reads 20."""
_MOST_FRONT = 200
"""Lines of front matter."""
_LONGEST_YAML, _MOST_BRACKETS = 4_000, 200
"""Characters of front matter that are read at once, and brackets among them: PyYAML takes quadratic time for some."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_END = re.compile(r"\r\n?")
_FIELD = re.compile(r"^(?=[\w-]+[ \t]*:)", re.MULTILINE)
_MARK = re.compile(r"`+|<!--|\\[^\w\s]")
_TICKS = re.compile(r"`+")
_SHOWN = re.compile(r"[^\r\n]")
_MAY_GO_ON = re.compile(r"```|~~~|<[!pst]", re.IGNORECASE)
_HTML = re.compile(r"<(?:!--|(script|pre|style|textarea)(?=[\s>]|$))", re.IGNORECASE)
"""What goes on, whatever stands behind it, until its end comes.  Other elements would only go on up to an empty line,
and models forget that line: what is in `<details>` is read as Markdown."""


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.disable("reference")
    parser.block.ruler.at("html_block", _html_block, {"alt": ["paragraph", "blockquote"]})
    parser.block.ruler.at("list", _bounded(list_block), {"alt": ["paragraph", "blockquote"]})
    parser.block.ruler.at("blockquote", _bounded(blockquote), {"alt": ["paragraph", "blockquote", "list"]})
    return parser


def _bounded(rule: RuleFuncBlockType) -> RuleFuncBlockType:
    """What is deeper is text: where the parser's own bound is reached, it reads no more of the document."""
    return lambda state, start, end, silent: state.level < _DEEPEST and rule(state, start, end, silent)


def _html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    at = state.bMarks[start] + state.tShift[start]
    return _HTML.match(state.src, at) is not None and html_block(state, start, end, silent)


_PARSER, _WITHOUT_HTML = _parser(), _parser().disable("html_block")


HeadingMark = tuple[range, str, int]
"""Lines, title and level of a heading."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The characters `start..end` of the text, from the mark that opens it to the end of its last line, which are the
    lines in `lines`.  `content` is what is in it, without the newline before the mark that closes."""

    start: int
    end: int
    lines: range
    content: str
    info: str
    mark: str
    is_closed: bool

    @property
    def language(self) -> str:
        """What is written behind the mark first, in lower case."""
        return re.split(r"[\s,{]", self.info.strip(), maxsplit=1)[0].lower()


def lines_of(text: str) -> list[str]:
    """The lines as Markdown counts them, without their ends; there is always one."""
    return re.split(r"\r\n?|\n", text)


def front_matter(text: str) -> tuple[dict[str, list[str]], int]:
    """The fields in front of a text, and how many lines they take.  A field has texts: one, or those of its list; none
    where it has something else."""
    lines = _LINE.findall(text)
    end = _front_end(lines)
    fields = _fields("".join(lines[1 : end - 1])) if end else {}
    return {str(name).lower(): list(_texts(value)) for name, value in fields.items()}, end


def field_rows(fields: Mapping[str, str]) -> Iterator[str]:
    """Fields as the lines of front matter, without those that are empty."""
    for name, value in fields.items():
        if said := " ".join(value.split()):
            yield yaml.safe_dump({name: said}, width=math.inf, allow_unicode=True).rstrip("\n")


def headings_and_code(text: str) -> tuple[list[HeadingMark], frozenset[int]]:
    """The headings that are in no list and no quote; the lines of fences and of indented code."""
    tokens = _blocks(text)
    found = [
        (range(*token.map), " ".join(inner.content.split()), int(token.tag[1:]))
        for token, inner in pairwise(tokens)
        if token.type == "heading_open" and token.map and token.level == 0 and inner.content.strip()
    ]
    return found, _code_lines(tokens)


def fences(text: str, passed: Callable[[int, list[Fence]], int] | None = None) -> list[Fence]:
    """Fenced code in order, in lists and quotes too, and in what is HTML: nobody should take it for something else.

    `passed` is asked, once each and in order, about lines that are in no fence: where the line begins, and the fences
    so far, the last of which it may replace.  What it answers is the end of what is read as blank lines from there on,
    as far as it is behind the line's beginning.  So whether a line is in a fence may depend on those before it, and the
    text is read once."""
    if "```" not in text and "~~~" not in text:
        return []
    lines, found = _LINE.findall(text), list[Fence]()
    starts = [0, *accumulate(map(len, lines))]
    n_read = 0

    def read(tokens: Sequence[Token]) -> None:
        nonlocal n_read
        for token in tokens[n_read:]:
            if token.type == "fence" and token.map:
                found.append(_fence(text, lines, starts, token, *token.map))
        n_read = len(tokens)

    def ask(line: int, tokens: Sequence[Token]) -> int:
        read(tokens)
        if passed is None or (found and line in found[-1].lines):
            return 0
        return bisect_left(starts, passed(starts[line], found))

    state = _Passing("".join(lines[:MOST_LINES]), ask)
    _WITHOUT_HTML.block.tokenize(state, 0, state.lineMax)
    read(state.tokens)
    return found


class _Passing(StateBlock):
    """Blocks that are being read; `ask` answers, for a line and the blocks before it, as far as which line there is
    nothing but blanks."""

    def __init__(self, text: str, ask: Callable[[int, Sequence[Token]], int]) -> None:
        super().__init__(_END.sub("\n", text).replace("\0", "\ufffd"), _WITHOUT_HTML, {}, [])
        self._ask, self._behind, self._n_lines = ask, 0, self.lineMax

    def isEmpty(self, line: int) -> bool:
        if self._behind <= line < self._n_lines:
            self._behind = line + 1
            for blank in range(line, min(self._ask(line, self.tokens), self._n_lines)):
                self.tShift[blank] = self.sCount[blank] = self.eMarks[blank] - self.bMarks[blank]
                self._behind = blank + 1
        return super().isEmpty(line)

    def skipEmptyLines(self, line: int) -> int:
        while line < self.lineMax and self.isEmpty(line):
            line += 1
        return line


def _fence(text: str, lines: Sequence[str], starts: Sequence[int], token: Token, first: int, last: int) -> Fence:
    start = starts[first] + lines[first].index(token.markup)
    end = starts[last] - len(lines[last - 1]) + len(lines[last - 1].rstrip("\r\n"))
    content, is_closed = token.content.removesuffix("\n"), _is_closed(token, first, last)
    if last == MOST_LINES < len(lines) and not is_closed:
        last, end = len(lines), len(text)
    return Fence(start, end, range(first, last), content, token.info, token.markup, is_closed)


def unfenced(content: str) -> tuple[str, str]:
    """(What is in the fence, its language) of a content that is one fence and nothing else; else (the content, "")."""
    found = [one for one in fences(content) if one.is_closed]
    if len(found) != 1 or content[: found[0].start].strip() or content[found[0].end :].strip():
        return content, ""
    return found[0].content, found[0].language


def closing(text: str) -> str:
    """What closes the fence, the comment or the element (`<pre>`) that a text leaves open and that would go on in what
    follows it, on a line of its own; "" for none.  It is indented as its beginning is, so that it is in the same item
    of a list."""
    if _MAY_GO_ON.search(text) is None:
        return ""
    lines, last = (
        _LINE.findall(text),
        next((token for token in reversed(_PARSER.parse(text)) if not token.nesting), None),
    )
    if last is None or not last.map or "".join(lines[last.map[1] :]).strip():
        return ""
    if last.type == "fence":
        begin = end = last.markup
        is_closed = _is_closed(last, *last.map)
    elif last.type == "html_block" and (html := _HTML.match(last.content.lstrip())) is not None:
        begin, end = html[0], f"</{html[1].lower()}>" if html[1] else "-->"
        is_closed = end in last.content.lower()
    else:
        return ""
    before = lines[last.map[0]].partition(begin)[0].expandtabs(4)
    if is_closed or ">" in before:  # a quote ends by itself
        return ""
    return f"{'' if text.endswith(chr(10)) else chr(10)}{' ' * len(before)}{end}"


def fence_mark(text: str) -> str:
    """A mark for a fence around a text that nothing in the text closes."""
    return "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))


def prose(text: str) -> str:
    """The text, as long as it was, with blanks for its front matter, code and comments: places in one are places in the
    other."""
    lines = _LINE.findall(text)
    front = _front_end(lines)
    tokens = _blocks(text)
    hidden = _code_lines(tokens) | set(range(front))
    starts = [0, *accumulate(map(len, lines))]
    shown = blanked(text, ((starts[number], starts[number + 1]) for number in sorted(hidden)))
    blocks = [
        (starts[token.map[0]], starts[token.map[1]], token.type == "html_block")
        for token in tokens
        if token.map and token.type in ("inline", "html_block")
    ]
    return blanked(shown, _spans(shown, blocks))


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with blanks for what stands at these places, which are in order."""
    parts, at = list[str](), 0
    for start, end in spans:
        parts += [text[at:start], _SHOWN.sub(" ", text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def _blocks(text: str) -> list[Token]:
    """With the lines of the text, of which front matter is none."""
    lines = _LINE.findall(text)
    front = _front_end(lines)
    return _PARSER.parse("\n" * front + "".join(lines[front:MOST_LINES]))


def _is_closed(fence: Token, first: int, last: int) -> bool:
    n_inside = fence.content.count("\n") + bool(fence.content and not fence.content.endswith("\n"))
    return last - first == n_inside + 2


def _code_lines(tokens: Sequence[Token]) -> frozenset[int]:
    code = (token.map for token in tokens if token.map and token.type in ("fence", "code_block"))
    return frozenset(line for first, last in code for line in range(first, last))


def _front_end(lines: Sequence[str]) -> int:
    """The line behind the front matter; 0 without any."""
    if not lines or lines[0].removeprefix("\ufeff").rstrip() != "---":
        return 0
    return next((n for n, line in enumerate(lines[1:_MOST_FRONT], 2) if line.rstrip() in ("---", "...")), 0)


def _fields(written: str) -> Mapping[Any, Any]:
    """Of front matter that is not YAML, each field by itself; a field that is none has what stands behind its name."""
    fields = _yaml(written)
    if fields is None:
        fields = {}
        for part in _FIELD.split(written):
            name, mark, value = part.partition(":")
            fields |= (_yaml(part) or {name.rstrip(): value.strip().partition("\n")[0].strip("\r\"'")}) if mark else {}
    return fields


def _yaml(written: str) -> dict[Any, Any] | None:
    """Its values are texts, lists and mappings: nothing else is made of what a stranger wrote, no date either."""
    if len(written) > _LONGEST_YAML or written.count("[") + written.count("{") > _MOST_BRACKETS:
        return None
    try:
        found = yaml.load(written, yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):  # the last two: numbers of no character
        return None
    return found if isinstance(found, dict) else None


def _texts(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str) and one.strip():
            yield " ".join(one.split())


def _spans(text: str, blocks: Sequence[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """What stands between as many backticks as there are at its end, and comments, in order.  A block is text or HTML:
    a comment may go on behind HTML, and does where it has no end."""
    ticks = defaultdict[int, list[int]](list)
    for run in _TICKS.finditer(text):
        ticks[len(run[0])].append(run.start())
    behind = 0
    for start, end, is_html in blocks:
        at, is_commented = max(start, behind), True
        while (mark := _MARK.search(text, at, end)) is not None:
            at, close = mark.end(), 0
            if mark[0][0] == "`":
                same = ticks[len(mark[0])]
                number = bisect_left(same, at)
                close = same[number] + len(mark[0]) if number < len(same) and same[number] < end else 0
            elif mark[0][0] == "<" and is_commented:
                close = text.find("-->", at - 2, len(text) if is_html else end) + 3
                is_commented = close > 2
                close = end if is_html and not is_commented else close
            if close > at:
                yield mark.start(), close
                at = behind = close
