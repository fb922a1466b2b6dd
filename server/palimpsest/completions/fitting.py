"""Pure: completions that the code around them admits: what would add a syntax error is mended or left out.

In: a document's parse, a cursor, texts for it.  Out: those that add no error, those that leave the fewest first.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from palimpsest.completions.indentation import outer_columns
from palimpsest.completions.repairs import BLOCK, closed, ends, repairs, spoken
from palimpsest.completions.results import CompletionResult
from palimpsest.languages.embedded import parsed_at
from palimpsest.syntax.calls import doubled
from palimpsest.syntax.definitions import headers_between
from palimpsest.syntax.indentation import bodiless, indent_width, misplaced, unfinished
from palimpsest.syntax.lexical import Lexical, State, state_after
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.places import is_comment, is_idle, is_token, is_whole
from palimpsest.syntax.prose import prose_at
from palimpsest.syntax.unknown import defined_twice
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import ContentChange, Position, Range

LARGEST = 100_000
"""Characters of a document: a larger one takes too long to be parsed once more for each text."""
NAME = "x"
"""Put at the cursor, where a name may be missing.  An error that goes away with it is there only because the line is
not finished; it does not allow a text to leave one."""
MOST_TEXTS, MOST_TRIED, MOST_ENDS = 16, 12, 4
"""So many texts of one answer are looked at, so many repairs of one text are tried, and so many places where a text
that is cut may end."""
FITS_NOT = "it would leave an error, a line at a wrong indent or something defined twice"
MENDED = "so much of it fits between the code around, closed where that needs it"
ENOUGH = "as many as were asked for come before it"
_LETTER = re.compile(r"\w")
_CLOSING = re.compile(r"\s*([)\]}\"'`]*)")


def fitting(parser: Parser, document: Parsed, position: Position, result: CompletionResult) -> CompletionResult:
    """As many as were asked for.  The order of texts that leave as many errors as each other stays.  Of those that are
    cut, what is whole."""
    place, fits = _Place(parser, document, position), list[tuple[int, str]]()
    reasons = dict.fromkeys(result.texts, ("", ENOUGH))
    for text in result.texts[:MOST_TEXTS]:
        one = place.best(place.whole(text) if text in result.cut else text)
        reasons[text] = ("", FITS_NOT) if one is None else (one[1], MENDED)
        fits += [one] if one is not None else []
        if sum(not _left_open(one) for one in fits) >= max(1, result.asked):
            break  # the others would come behind
    texts = tuple(dict.fromkeys(text for _, text in sorted(fits, key=_left_open)))
    return result.after("fitting", texts, {text: reason for text, reason in reasons.items() if text != reason[0]})


def placed(
    parser: Parser, document: Parsed, position: Position, result: CompletionResult, *, is_indented: bool = False
) -> CompletionResult:
    """The texts that fit, and where they begin: where an empty line is deeper than any of them may be, further out.
    `is_indented`: they begin with blanks that the line lacks; such a line is not indented too deep."""
    old, line = document.snapshot, document.snapshot.lines[position.line]
    fitted = fitting(parser, document, position, result)
    if fitted.texts or is_indented or not result.texts or line.strip() or document.language.whole_file:
        return fitted
    for column in outer_columns(old.lines, position):
        start = Position(position.line, column)
        new, edits = old.changed([ContentChange(Range(start, position), "")], old.version)
        moved = fitting(parser, parser.imagined(old, new, edits), start, result)
        if moved.texts:
            return replace(moved, start=start)
    return fitted


def _left_open(one: tuple[int, str]) -> int:
    """The faults of a text; a block's bracket at its end is none."""
    return 0 if one[1].endswith(BLOCK) else one[0]


class _Place:
    """A cursor, and what the document may not have more of with a text there."""

    def __init__(self, parser: Parser, document: Parsed, position: Position) -> None:
        self._parser, self._snapshot, self._position = parser, document.snapshot, position
        line = self._snapshot.lines[position.line]
        self._before, self._rest = line[: position.column], line[position.column :]
        self._parsed = parsed_at(document, position)
        self._is_read = (
            self._parsed.root is not None and self._parsed.language.is_checked and len(self._snapshot.text) <= LARGEST
        )
        self._fills = not line.strip()
        self._byte = len(utf8(self._snapshot.text[: self._snapshot.offset(position)])) if self._is_read else 0
        self._closers = self._behind(self._parsed, self._byte) if self._is_read else 0
        self._before_it = self._faults(self._parsed, position) if self._is_read else 0
        self._with_name = min(self._before_it, self._faults(*self._with(NAME))) if self._before_it else 0

    def best(self, text: str) -> tuple[int, str] | None:
        """How many faults it leaves, and what is left of the text or was added to it; None: not to be shown.  A whole
        line may be what was missing: it is left out where it leaves the lines around it at a wrong indent.  So are
        several lines that leave a bracket open, and that the tree likes no better with it closed."""
        text = self._working(text)
        if not text or (len(self._state.quote) == 1 and text.strip() == 2 * self._state.quote):
            return None  # nothing, or the end of a string and the beginning of another one
        tried = list(repairs(text, self._before, self._rest, self._parsed.language, self._state))[:MOST_TRIED]
        above, _, last = text.rpartition("\n")
        above = above.rstrip()
        if last.strip().isidentifier() and ends(above, above)[:1] == [len(above)] and self._closed(above) == above:
            tried.append(above)  # the last line is the beginning of another statement
        if not self._is_read:
            return (0, tried[0]) if tried else None
        with_closers = self._closed(text)
        best = self._first(tried)
        if text == with_closers or best is None or best[0] == 0 or self._judged(with_closers) != self._judged(text):
            return best
        return None if "\n" in text else (best[0], with_closers)  # in code with errors the tree cannot tell

    def _first(self, texts: Iterable[str]) -> tuple[int, str] | None:
        """The one with the fewest faults, if they are no more than there were and no compiler refuses one before it."""
        best: tuple[int, str] | None = None
        for text in texts:
            n = self._judged(text)
            if n is None:
                return None
            if n <= self._most(text) and (best is None or n < best[0]):
                best = n, text
            if n == 0:
                break
        return best

    def _most(self, text: str) -> int:
        """Faults that a text may leave.  Where the lines below are deeper than its own, it may be the beginning of
        their block that is missing."""
        if text.endswith(BLOCK):
            return self._before_it  # what is in it is still to come
        below = next((line for line in self._snapshot.lines[self._position.line + 1 :] if line.strip()), "")
        is_above = self._fills and indent_width(below) > indent_width(self._before + text)
        return min(self._with_name, self._with_block) if is_above else self._with_name

    @cached_property
    def _state(self) -> State:
        """What is open at the cursor.  An expression within a string is code."""
        snapshot, lines = self._snapshot, self._parsed.lines
        at, start = snapshot.offset(self._position), snapshot.offset(Position(lines.start, 0))
        state = state_after(snapshot.text[max(start, at - LARGEST) : at], self._parsed.language.lexical)
        if not self._is_read or not (state.quote or state.comment):
            return state
        return state if prose_at(self._with(NAME)[0], self._position) is not None else State()

    def _closed(self, text: str) -> str:
        return closed(text, self._parsed.language, self._state)

    @cached_property
    def _doubled(self) -> int:
        return doubled(self._parsed, *self._near(self._position))

    @cached_property
    def _defined_twice(self) -> Counter[str]:
        return defined_twice(self._parsed)

    @cached_property
    def _with_block(self) -> int:
        return self._faults(*self._with(BLOCK))

    def whole(self, text: str) -> str:
        """Up to the end of an argument, a call or a statement, else of a word; of prose, of a sentence."""
        parsed = self._parsed
        if self._is_read:
            parsed, _ = self._with(self._closed(text))
        around = self._snapshot.text
        places = [len(spoken(text, around))] if self._is_prose(parsed, text) else ends(text, around)
        if not self._is_read:
            return text[: places[0]] if places else ""
        best = [place for place in places if is_whole(parsed, self._byte + len(utf8(text[:place])))]
        for place in [*best[:MOST_ENDS], *places[:MOST_ENDS]]:
            part = text[:place]
            if self._first([part, self._closed(part)]) is not None:
                return part
        return ""

    def _is_prose(self, parsed: Parsed, text: str) -> bool:
        """Whether a text ends in a comment or a string that began before its first word, or in a language that has
        neither."""
        state, start = self._state, self._snapshot.offset(self._position)
        if self._parsed.language.lexical == Lexical() or (state.in_block and state.quote not in text):
            return True
        first = _LETTER.search(text) if parsed is not self._parsed else None
        places = (0,) if first is None else (first.end(), len(text))
        return all(prose_at(parsed, parsed.snapshot.position(start + place)) is not None for place in places)

    def _working(self, text: str) -> str:
        """Without the lines at its end that are whole ones and do no more than name something."""
        while self._is_read and (self._fills or "\n" in text):
            parsed, _ = self._with(text)
            line = text[text.rfind("\n") + 1 :].lstrip()
            stop = self._byte + len(utf8(text))
            if not line or not is_idle(parsed, stop - len(utf8(line)), stop):
                break
            text = text[: len(text) - len(line)].rstrip()
        return text

    def _with(self, text: str) -> tuple[Parsed, Position]:
        """The parse of the document with a text in it, and where that ends."""
        old, at = self._snapshot, self._position
        new, edits = old.changed([ContentChange(Range(at, at), text)], old.version)
        end = new.position(old.offset(at) + len(text))
        return parsed_at(self._parser.imagined(old, new, edits), at), end

    def _judged(self, text: str) -> int | None:
        """Faults with a text; None for one that a compiler refuses, whatever the tree found missing before.  It may end
        in a block's head."""
        after, end = self._with(text)
        if after.root is None:
            return self._with_name
        if doubled(after, *self._near(end)) > self._doubled or bodiless(after, self._position.line, end.line):
            return None
        if headers_between(after, self._position.line, end.line + 1) and defined_twice(after) - self._defined_twice:
            return None
        stop = self._byte + len(utf8(text))
        n = self._faults(after, end)
        if n <= self._before_it and is_comment(after, self._byte, stop):
            return self._with_name
        n += self._behind(after, stop) < self._closers
        return n + (self._fills and n == self._before_it and misplaced(after, *self._near(end)) > 0)

    def _faults(self, parsed: Parsed, end: Position) -> int:
        """Errors of the tree, and near the lines statements that stand at a wrong indent or are not finished."""
        near = self._near(end)
        return parsed.n_errors + misplaced(parsed, *near) + unfinished(parsed, *near)

    def _near(self, end: Position) -> tuple[int, int]:
        return max(0, self._position.line - 1), end.line + 2

    def _behind(self, parsed: Parsed, byte: int) -> int:
        """How many of the closing brackets and quotes right behind the text close something; where the tree cannot
        tell, all.  One that the text has closed before would be a part of the string around it."""
        match = _CLOSING.match(self._rest)
        if match is None or parsed.root is None:
            return 0
        starts = (byte + len(utf8(self._rest[:at])) for at in range(match.start(1), match.end(1)))
        return sum(is_token(parsed, at) for at in starts)
