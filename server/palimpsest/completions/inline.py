"""Pure: trims generated text to the part that is worth showing as an inline completion.

In: the generated text, the code before and after the cursor, the mode, the language.  Out: a prefix of the generated
text, "" if nothing is worth showing.  docs/formats.md, "Inline completion", says where it stops.  Knows no tokens
and no editors.

Each rule returns the index of the first character to cut off, and the smallest index wins.  The rules are applied until
nothing changes, so trimming is idempotent.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from palimpsest.prompt.titles import HEADS
from palimpsest.syntax.lexical import State, scan, unmatched_closers
from palimpsest.syntax.parse import Language
from palimpsest.text.repetition import LOOK_BACK, kept
from palimpsest.types import MARKUP

LONGEST_REST = 10_000
"""Characters behind the cursor that are looked at for what blocks a completion."""
_OTHERS = {"summary": "<details"}
"""Elements of others around one of that name."""
_ATTRIBUTE = re.compile(r"""" (?:file|name|editable)="(?P<tag_end>[^"\n]*"(?: editable="\w*")?>)?""")
"""The rest of one of our opening tags whose beginning the model left out."""
_LONGEST = 40
"""Maximum length of a tag, in characters."""
_LEFT_OUT = re.compile(r"^[ \t]*(?:\.\.\.|…)[^\w\n]*$", re.MULTILINE)
"""Stands in blocks for code left out."""
_OPEN_TAG = re.compile(r"<[A-Za-z][^<>]*\Z")
_WORD = re.compile(r"\w")
_NAME = re.compile(r"[^\W\d]\w\w")
_VALUE_FOLLOWS = re.compile(r"\b(?:return|yield|in|of|case|default|await|typeof)\Z")
_CLOSING = frozenset(")]}>\"'`,;:.")
_PARTIAL = 3
"""This many characters of the last line must agree with the next line for it to count as the beginning of that line."""


def _mark(mark: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """What a document has that may have the mark, and the mark, with blanks before one that begins a line."""
    name, tag = "".join(filter(str.isalpha, mark)), re.escape(mark.strip())
    if not tag.endswith(">") or "/" in tag:
        tag = tag.rstrip(">") + r"(?![\w.:-])"
    start = r"^[ \t]*" if mark[0] == "\n" else ""
    return (f"<{name}", *filter(None, [_OTHERS.get(name)])), re.compile(start + tag, re.MULTILINE)


_FOREIGN = (
    *map(_mark, MARKUP),
    *(((head,), re.compile(rf"\b{head}\b", re.IGNORECASE)) for head in HEADS),
)
"""What a model writes because of its training: elements of ours, and what edits are called.  A document may have the
same."""


def trim(text: str, *, prefix: str, suffix: str, multiline: bool, language: Language) -> tuple[str, str]:
    """The part of `text` to show at the cursor between `prefix` and `suffix`, and what stands where it is cut, "" where
    that is nothing but blanks.

    The part is always a prefix of `text`; it never ends in a line of whitespace; it is "" if it is empty, only
    whitespace, or a duplicate.  Without `multiline`, or if code follows on the cursor's line, it is the rest of one
    statement, and spans several lines only while a bracket opened on the cursor's line or later is open.
    """
    place, reason = _Position.at(prefix, suffix, multiline, language), ""
    while True:
        end, why = min(((rule(text, place), why) for rule, why in _RULES), key=lambda one: one[0])
        if end < len(text):
            reason = why
        shorter = _tidy(text[:end], place)
        if shorter == text:
            return text, reason
        text = shorter


def agrees(whole: str, typed: str) -> str | None:
    """What remains of a shown completion after `typed` has been typed; None if they disagree."""
    return whole[len(typed) :] if whole.startswith(typed) else None


def has_behind(rest: str, most: int) -> bool:
    """Whether the rest of a line has more characters than `most` that block a completion: closing brackets, quotes,
    punctuation and blanks do not count.  Its beginning tells."""
    blocking = (char for char in rest[:LONGEST_REST] if not (char in _CLOSING or char.isspace()))
    return next(islice(blocking, most, None), None) is not None


def open_brackets(prefix: str, suffix: str, language: Language) -> bool:
    """Whether a bracket or multi-line string that began on the cursor's line is still open at its end."""
    place = _Position.at(prefix, suffix, False, language)
    return place.goes_on(place.state)


def stops(multiline: bool, *, brackets: bool = False) -> list[str]:
    """Stop strings for generation.  `brackets`: the result of `open_brackets`."""
    return ["\n</editing", "\n\n\n"] if multiline or brackets else ["\n"]


@dataclass(frozen=True, slots=True)
class _Position:
    """The cursor.  `line_depth` is the bracket depth at the start of its line, `opener` where the bracket is
    that is open there, `rest_closes` the number of brackets that the rest of the line closes, `unneeded` that of those
    which nothing behind closes, below zero where more is closed there.  `above`: the end of the text before the cursor.
    """

    prefix: str
    suffix: str
    states: Sequence[State]
    state: State
    line_depth: int
    opener: int
    outermost: int
    unneeded: int
    rest_closes: int
    line: str
    rest: str
    above: str
    next_lines: tuple[str, ...]
    multiline: bool
    language: Language

    @classmethod
    def at(cls, prefix: str, suffix: str, multiline: bool, language: Language) -> "_Position":
        line_start = prefix.rfind("\n") + 1
        states = [State(), *scan(prefix, language.lexical)]
        state, outermost = states[-1], min(s.depth for s in states)
        rest, _, below = suffix.partition("\n")
        return cls(
            prefix=prefix,
            suffix=suffix,
            states=states,
            state=state,
            line_depth=states[line_start].depth,
            opener=_opener(states[: line_start + 1]),
            outermost=outermost,
            unneeded=state.depth - outermost - unmatched_closers(suffix, language.lexical, state),
            rest_closes=unmatched_closers(rest, language.lexical, state),
            line=prefix[line_start:],
            rest=rest,
            above=prefix[-LOOK_BACK:],
            next_lines=tuple(line.rstrip() for line in below.split("\n") if line.strip()),
            multiline=multiline and not rest.strip(),
            language=language,
        )

    @property
    def on_empty_line(self) -> bool:
        return not self.line.strip()

    def has(self, words: tuple[str, ...]) -> bool:
        """Whether the document has one of them, on either side of the cursor."""
        return any(word in self.prefix or word in self.suffix for word in words)

    @property
    def in_list(self) -> bool:
        """Whether the line is in a bracket that holds values, where one may stand twice."""
        return self.line_depth > self.outermost and not _opens_block(self.prefix, self.opener)

    @property
    def floor(self) -> int | None:
        """A completion may lower the depth so far; None: nobody knows.  The rest of the line closes what the line has
        opened, whatever is missing or too much elsewhere; within a list, it may be the list."""
        unneeded = self.unneeded
        if self.rest_closes and (unneeded < 0 or not self.in_list):
            on_line = max(0, self.state.depth - self.line_depth - self.rest_closes)
            unneeded = on_line if unneeded < 0 else min(unneeded, on_line)
        return self.state.depth - unneeded if unneeded >= 0 else None

    def goes_on(self, state: State) -> bool:
        """Whether the statement on the cursor's line continues past a line end in this state."""
        opened = state.in_block and not (self.state.in_block and self.on_empty_line)
        return state.escaped or opened or state.depth - self.rest_closes > self.line_depth


def _opener(states: Sequence[State]) -> int:
    """Where the bracket is that is open in the last of these states; -1 where none is."""
    depth = states[-1].depth
    return next((at for at in range(len(states) - 2, -1, -1) if states[at].depth < depth), -1)


def _opens_block(text: str, at: int, *, alone: bool = False) -> bool:
    """Whether the bracket at a place holds statements; `alone`: and nothing on its line."""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    if at < 0 or text[at] != "{" or (alone and text[at + 1 : end if end >= 0 else len(text)].strip()):
        return False
    line = text[start:at]
    head = line.rstrip()
    is_apart = head != line and _WORD.match(head[-1:]) is not None and not _VALUE_FOLLOWS.search(head)
    return not head or head.endswith((")", "=>", "->", ">")) or is_apart


def _foreign(text: str, place: _Position) -> int:
    """Where our own tags, which are not code, begin.  A tag may have begun on the cursor's line."""
    whole, n = place.line + text, len(place.line)
    places = (
        match.start()
        for known, mark in _FOREIGN
        for match in mark.finditer(whole, max(0, n - _LONGEST))
        if match.end() > n and not place.has(known)
    )
    return min([_rest_of_tag(text, place), *(max(0, at - n) for at in places)])


def _stands_for_code(text: str, place: _Position) -> int:
    """Where a line stands for code left out, unless the document has such lines; where errors are known, they tell."""
    is_known = place.language.grammar is not None and place.language.is_checked
    match = _LEFT_OUT.search(text, 0 if place.on_empty_line else len(text.partition("\n")[0]))
    if is_known or match is None or _LEFT_OUT.search(place.prefix) or _LEFT_OUT.search(place.suffix):
        return len(text)
    return match.start()


def _rest_of_tag(text: str, place: _Position) -> int:
    """Where a word begins that has a closing but no opening quote and is followed by attributes of our tags: `a.py"
    name="a">`.  After a `<tag` of the document, the attributes belong to that tag."""
    n = len(place.line)
    whole = place.line + text
    for match in _ATTRIBUTE.finditer(whole, max(0, n - _LONGEST)):
        start = match.start()
        line_start = whole.rfind("\n", 0, start) + 1
        unopened = whole.count('"', line_start, start) % 2 == 0
        in_tag = _OPEN_TAG.search(place.above + text[: max(0, start - n)])
        if match.end() > n and not in_tag and (unopened or match["tag_end"]):
            word = max(whole.rfind(space, 0, start) for space in ' "\n') + 1
            return max(0, word - n)
    return len(text)


def _end(text: str, place: _Position) -> int:
    return _block_end(text, place) if place.multiline else _statement_end(text, place)


def _statement_end(text: str, place: _Position) -> int:
    """The end of the cursor's statement, or of its first line if the statement does not end in the text."""
    if "\n" not in text:
        return len(text)
    state = place.state
    for i, after in enumerate(scan(text, place.language.lexical, place.state)):
        if text[i] == "\n" and not place.goes_on(state):
            return i
        state = after
    return len(text) if not place.goes_on(state) else text.index("\n")


def _block_end(text: str, place: _Position) -> int:
    """The end of the block that contains the cursor: a less indented line, or two empty lines.  If the statement at the
    cursor has already begun, or is at the margin, and opens a block: the end of that block."""
    indent, opens, blank, end = _indent(place.line), None, 0, 0
    for start, line, inside, depth in _lines(text, place):
        if start == 0:
            indent, blank = (_indent(line), 0) if line.strip() else (indent, 1)
        elif not inside:
            if opens is None:
                opens = place.language.opens_block(place.line + text[: start - 1]) and not (
                    place.on_empty_line and indent
                )
            blank += not line.strip()
            if blank == 2 or (line.strip() and depth < place.line_depth):
                return end
            if line.strip() and _indent(line) < indent + (opens and not place.language.continues_block(line)):
                return end
        if line.strip():
            blank, end = 0, start + len(line) - (len(place.line) if start == 0 else 0)
    return len(text)


def _lines(text: str, place: _Position) -> Iterator[tuple[int, str, bool, int]]:
    """(start, line, inside, depth) of each line; the first includes the text before the cursor.  `inside`: the line
    continues a string, a bracket or an escaped line end, so its indentation means nothing."""
    states = [place.state, *scan(text, place.language.lexical, place.state)]
    start = 0
    for line in text.split("\n"):
        state, escaped = states[start], start > 0 and states[start - 1].escaped
        inside = escaped or state.in_block or state.depth > place.outermost
        yield start, (line if start else place.line + line), inside, state.depth
        start += len(line) + 1


def _indent(line: str) -> int:
    wide = line.expandtabs(8)
    return len(wide) - len(wide.lstrip())


def _closes_block(text: str, place: _Position) -> int:
    """Where a bracket ends a block that began on a line above, behind a statement on its own line."""
    whole, n = place.prefix + text, len(place.prefix)
    states = [*place.states, *scan(text, place.language.lexical, place.state)]
    for at in range(n, len(whole)):
        if whole[at] == "}" and states[at + 1].depth < states[at].depth:
            start = whole.rfind("\n", 0, at) + 1
            opener = _opener(states[: at + 1])
            if opener < start and _opens_block(whole, opener, alone=True) and _WORD.search(whole, start, at):
                return at - n
    return len(text)


def _too_many_closers(text: str, place: _Position) -> int:
    """The first bracket that closes something the code after the cursor already closes."""
    floor = place.floor
    if floor is None:
        return len(text)
    states = scan(text, place.language.lexical, place.state)
    return next((i for i, state in enumerate(states) if state.depth < floor), len(text))


def _closing_quote(text: str, place: _Position) -> int:
    """The end of the string that contains the cursor, if the rest of its line already ends it and not another one."""
    if not place.state.quote or place.rest.count(place.state.quote) % 2 == 0:
        return len(text)
    states = scan(text, place.language.lexical, place.state)
    return next((i for i, state in enumerate(states) if not state.quote), len(text))


def _repeats_rest(text: str, place: _Position) -> int:
    """Where the text repeats the rest of the cursor's line."""
    rest, written = place.rest.strip(), text.strip()
    if not rest or not written:
        return len(text)
    if rest.startswith(written):
        return 0
    at = len(text.rstrip()) - len(rest)
    if at < 0 or not text.rstrip().endswith(rest) or not _WORD.search(rest):
        return len(text)  # only brackets and quotes: the rules above decide these
    inside_word = at > 0 and _WORD.match(text[at - 1]) and _WORD.match(rest)
    return len(text) if inside_word else at


def _repeats_lines(text: str, place: _Position) -> int:
    """Where the text repeats the lines after the cursor, or a line repeats the one above it."""
    lines = [(start, line.rstrip(), inside) for start, line, inside, _ in _lines(text, place) if line.strip()]
    above_it = (line.rstrip() for line in reversed(place.above.split("\n")[:-1]) if line.strip())
    line_above, earlier = next(above_it, ""), next(above_it, "")
    for i, (start, line, inside) in enumerate(lines):
        last = i + 1 == len(lines)
        if start == 0 and not place.on_empty_line:  # the end of a line that a person has begun
            whole = (line + place.rest).rstrip() if last else line
            is_above, is_below = earlier != whole == line_above, place.next_lines[:1] == (whole,)
            if (is_above or is_below) and _WORD.search(text) and not (place.in_list or place.state.in_block):
                return 0
            continue
        following = () if last else (lines[i + 1][1],)
        if place.next_lines[:1] == (line,) and (last or _WORD.search(line) or place.next_lines[1:2] == following):
            return max(0, start - 1)
        if last and place.next_lines and len(line.strip()) >= _PARTIAL and place.next_lines[0].startswith(line):
            return max(0, start - 1)
        above = lines[i - 1][1] if i else line_above
        if line == above and _WORD.search(line) and not inside:
            return max(0, start - 1)
    return len(text)


def _repeats_typed(text: str, place: _Position) -> int:
    """Nothing remains of a text that begins with all that stands before the cursor on its line."""
    typed = place.line.strip()
    again = _NAME.search(typed) and text.lstrip().startswith(typed)
    return 0 if again and not place.state.in_block else len(text)


def _goes_in_circles(text: str, place: _Position) -> int:
    """Where degenerate text starts to repeat itself or the text right above it."""
    return kept(text, place.above)


def _tidy(text: str, place: _Position) -> str:
    """The text without trailing white space, except blanks before more code on the same line."""
    if not text.strip():
        return ""
    spaces = text[len(text.rstrip()) :]
    needed = place.rest.strip() and not place.rest[0].isspace() and "\n" not in spaces
    return text if needed else text.rstrip()


_RULES: tuple[tuple[Callable[[str, _Position], int], str], ...] = (
    (_foreign, "a mark of prompts, which is not code"),
    (_stands_for_code, "a line that stands for code left out"),
    (_end, "the end of the statement or the block"),
    (_closes_block, "a bracket that ends a block begun above, behind a statement"),
    (_too_many_closers, "a bracket that closes what the code behind closes already"),
    (_closing_quote, "the end of the string, which the line has already"),
    (_repeats_rest, "the rest of the line once more"),
    (_repeats_lines, "the lines below or above once more"),
    (_repeats_typed, "the typed line once more"),
    (_goes_in_circles, "a text that repeats itself"),
)
"""Each rule, and what stands where it cuts."""
