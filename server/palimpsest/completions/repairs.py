"""Pure: what a model may have meant by a text that does not fit between the code around the cursor.

In: the text, the cursor's line on both sides, what is open there.  Out: texts to try, the likeliest first, and where
one that is cut may end.  Which of them fits, the tree decides (`completions/fitting.py`).
"""

import re
from collections.abc import Iterator

from palimpsest.syntax.lexical import State, scan, tokens_from
from palimpsest.syntax.parse import Language
from palimpsest.text.stop_words import STOP_WORDS

BLOCK = "{"
_CLOSERS = {"(": ")", "[": "]", BLOCK: "}"}
_WORD = re.compile(r"\w*")
_NAME = re.compile(r"[^\W\d]\w\w")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_TYPED = re.compile(r"\S*\w\Z")
_MOST_TYPED = 80
"""Characters that a model may say once more."""
_ENDS = frozenset(")]}\"'`;")
_SENTENCE = re.compile(r"[.!?][\"')\]`*]*(?=\s|\Z)")
_LAST_WORD = re.compile(r"(?:\s+|\A)(\w+)\Z")
_LEADS_ON = " \t\n,;(-"
_TWICE = 2
"""Characters that are no longer the same by chance."""
_MOST_ENDS = 40
"""Places that are looked at, from the end."""


def untyped(text: str, before: str, around: str) -> str:
    """The text without what stands before the cursor on its line: all of it, or a name with what it is a member of.
    `around`: the code, which may have a word that says its beginning twice."""
    line, written = before.strip(), text.lstrip()
    if _NAME.search(line) and written.startswith(line):
        return written[len(line) :].lstrip() if before[-1:].isspace() else written[len(line) :]
    typed = _TYPED.search(before[-_MOST_TYPED:])
    for start in re.finditer(r"\b\w", typed[0]) if typed is not None else ():
        again = start.string[start.start() :]
        twice = _last(again) + _first(text[len(again) - len(_last(again)) :])
        if len(again) >= _TWICE and text.startswith(again) and not _has_word(around, twice):
            return text[len(again) :]
    return text


def repairs(text: str, before: str, rest: str, language: Language, state: State) -> Iterator[str]:
    """The text itself is among them only where it does not say once more what stands behind it.  `before`, `rest`: the
    cursor's line; `state`: whether a string or a comment is open there."""
    candidates = list[str]()
    for joined in _joined(text, before, rest):
        shorter = [_cut(joined, at, rest) for at in _repeats(joined, before, rest, language, state)]
        if "" in shorter:
            return
        candidates += [*shorter, joined, *(_cut(joined, at, rest) for at in _closings(joined, rest, language, state))]
    yield from dict.fromkeys(
        [
            *candidates,
            *(closed(one, language, state) for one in candidates),
            *(closed(one, language, state, whole=True) for one in candidates),
        ]
    )


def closed(text: str, language: Language, state: State, *, whole: bool = False) -> str:
    """The text with the brackets and the string closed that it opens, and with `whole` the string around the cursor
    that ends with the line; itself where it ends in a block's bracket or in a comment."""
    around = [state.quote] if state.quote and not state.in_block else []
    open_ = list(around)
    for token in tokens_from(text, language.lexical, state):
        if token.kind == "open":
            open_.append(_CLOSERS[text[token.start]])
        elif token.kind == "begin":
            open_.append(token.quote)
        elif token.kind == "comment" and "\n" not in text[token.start :]:
            return text
        elif token.kind in ("close", "end") or (token.kind == "line" and {*open_[-1:]} & {*language.lexical.quotes}):
            around = around[: len(open_) - 1]
            del open_[-1:]
    open_ = open_ if whole else open_[len(around) :]
    return text if text.endswith(BLOCK) else text + "".join(reversed(open_))


def grows(before: str, text: str) -> bool:
    """Whether a text says what is shown, and may be more; what was added to close that does not count."""
    return text.startswith((before, before.rstrip(")]}\"'`")))


def ends(text: str, around: str) -> list[int]:
    """Behind each word, closing bracket, quote and `;`, the longest first, and not behind the last word: it may go on.
    One that the code around has is as good as whole."""
    tokens = list(_TOKEN.finditer(text))
    if tokens and _last(text) and not _has_word(around, tokens[-1][0]):
        tokens.pop()
    whole = (one for one in reversed(tokens) if one[0] in _ENDS or _last(one[0]))
    return [one.end() for one in whole][:_MOST_ENDS]


def spoken(text: str, around: str) -> str:
    """The whole sentences of prose that was cut; where there is none, all but the words at its end that lead on."""
    if sentences := list(_SENTENCE.finditer(text)):
        return text[: sentences[-1].end()]
    text = text[: next(iter(ends(text, around)), 0)]
    while (last := _LAST_WORD.search(text)) is not None and last[1].lower() in STOP_WORDS:
        text = text[: last.start()].rstrip(_LEADS_ON)
    return text if re.search(r"\w", text) else ""


def _joined(text: str, before: str, rest: str) -> Iterator[str]:
    """Within a word, first what joins its halves; nothing where the text says one of them otherwise."""
    half, word = _first(rest), _first(text)
    if half and word and _last(before):
        joins = word.removesuffix(half)
        if half.startswith(word) or word.startswith(half) or before.endswith(joins):
            return
        yield joins
    yield text


def _repeats(text: str, before: str, rest: str, language: Language, state: State) -> Iterator[int]:
    """Where the text says once more what is behind it: the rest of the line or its beginning, or, behind a name, the
    bracket that follows that."""
    at = _overlap(text, rest)
    if at >= 0 and not (_last(text[:at]) and _first(text[at:])):
        yield at
    bracket = _outside(text, rest[:1], language, state) if rest[:1] in _CLOSERS else -1
    if bracket >= 0 and _last(before + text[:bracket]):
        yield bracket


def _overlap(text: str, rest: str) -> int:
    """Where the end of the text begins that the rest begins with, and that does more than close what the text opens; -1
    where there is none."""
    written, behind = text.rstrip(), rest.strip()
    for n in range(min(len(written), len(behind)), 0, -1):
        same, beginning = behind[:n], written[:-n]
        closes = any(beginning.count(a) > beginning.count(b) and b in same for a, b in _CLOSERS.items())
        if written.endswith(same) and (not closes or re.search(r"\w", same)):
            return len(beginning)
    return -1


def _closings(text: str, rest: str, language: Language, state: State) -> Iterator[int]:
    """Where the text says what stands right behind, where it closes what it has not opened, and, where something stands
    behind, its last bracket."""
    behind, open_, last = rest.strip(), list[str](), -1
    places = {_outside(text, behind[:1], language, state), _overlap(text, rest)}
    for token in tokens_from(text, language.lexical, state):
        if token.kind == "open":
            open_.append(_CLOSERS[text[token.start]])
        elif token.kind == "close":
            fits = bool(open_) and open_.pop() == text[token.start]
            last = token.start if behind or not fits else last
            if not fits:
                break
    if (word := _first(behind)) and (same := re.search(rf"\b{re.escape(word)}\b", text)) is not None:
        places.add(same.start())
    yield from sorted((at for at in {*places, last} if at > 0), reverse=True)


def _outside(text: str, char: str, language: Language, state: State) -> int:
    """Where a text has a sign outside of the brackets, strings and comments that it opens; -1 where it has none."""
    depth, is_around = 0, True
    states = [state, *scan(text, language.lexical, state)]
    for at, (one, now) in enumerate(zip(text, states, strict=False)):
        is_around = is_around and (now.quote, now.comment) == (state.quote, state.comment)
        if (now.quote or now.comment) and not is_around:
            continue
        if char and one == char and depth == 0 and not char.isalnum():
            return at
        depth = max(0, depth + (one in _CLOSERS) - (one in _CLOSERS.values()))
    return -1


def _cut(text: str, at: int, rest: str) -> str:
    """Without blanks before those of the rest, "" where nothing else is left."""
    beginning = text[:at].rstrip()
    return beginning if rest[:1].isspace() or not beginning else text[:at]


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def _first(text: str) -> str:
    match = _WORD.match(text)
    return match[0] if match is not None else ""


def _last(text: str) -> str:
    return _first(text[::-1])[::-1]
