"""Pure: what a model says, taken apart: its thought, its reply, its calls.

In: the text that has come, and the thought if it came beside it.  Out: `Spoken`.

Only what a model thinks at the beginning of a text is a thought.  The text begins with a mark (`<think>`, `[THINK]`,
a channel), and the thought ends at the first mark for the end that is not quoted and stands in no code.  Without one
all of it is a thought.  A thought that opens others of its form ends where the outermost does.  Where the chat template
has written the mark for the beginning, the text has none: the end is then a mark that begins or ends its line, is not
quoted, stands in no code fence and in no suggestion, and has no mark for the beginning anywhere before it.  Any other
mark is a part of the reply.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from palimpsest.wire import Choice, GenerateAnswer, ToolCall

_FORMS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<scratchpad>": "</scratchpad>",
    "<thoughts>": "</thoughts>",
    "<mm:think>": "</mm:think>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<unused94>thought": "<unused95>",
    "[THINK]": "[/THINK]",
    "<seed:think>": "</seed:think>",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|channel>thought": "<channel|>",
    "Here is my thought process:": "Here is my response:",
}
_ANSWERS = {
    "<response>": "</response>",
    "<answer>": "</answer>",
    "<|START_RESPONSE|>": "<|END_RESPONSE|>",
    "<|begin_of_solution|>": "<|end_of_solution|>",
    "[BEGIN FINAL RESPONSE]": "[END FINAL RESPONSE]",
}
"""What some models put around the reply behind a thought."""
_CHANNELS = ("<|channel|>", "<|start|>")
_ENDS = tuple(mark for mark in _FORMS.values() if not mark[0].isalpha())


def _marks(marks: Iterable[str]) -> re.Pattern[str]:
    """In any case, with blanks where a tag may have them."""
    forms = (re.sub(r"(?<=\w)>\Z", r"\\s{0,9}>", re.escape(mark)) for mark in marks)
    return re.compile("|".join(forms), re.IGNORECASE)


_BEGINS = {mark: _marks([mark]) for mark in _FORMS}
_UNOPENED, _OPENED = _marks(_ENDS), _marks(_FORMS)
MOST_ENDS = 64
"""At most this many ends of a thought are looked at, since all that stands before each is read for it."""
_NOTHING_SEEN = " \t\r\n\ufeff\u200b\u2060"
_MESSAGE = re.compile(
    r"(?:<\|start\|>assistant)?([^<]*)<\|channel\|>(\w+)([^<]*)(?:<\|constrain\|>[^<]*)?<\|message\|>"
)
_MESSAGE_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_PART_OF_A_MARK = re.compile(r"<\|?\w*\|?\Z")
_RECIPIENT = re.compile(r"to=(?:functions\.)?([\w.\-]+)")
_BARE = ("analysis", "assistantfinal")
"""What is left of the marks of channels where a server takes special tokens out."""
_FENCE = re.compile(r"(?m)^[ \t]*(`{3,}|~{3,})([^\n]*)")
_SUGGESTION = re.compile(r"<(/?)suggestion\b")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")


@dataclass(frozen=True, slots=True)
class Spoken:
    """`text`: the reply, without the thought; empty as long as the thought goes on."""

    text: str = ""
    thought: str = ""
    calls: tuple[ToolCall, ...] = ()


def spoken(text: str, thought: str = "", *, is_whole: bool = True) -> Spoken:
    """`thought`: what came beside the text.  Of a text that is not whole, an end that may be a part of a mark is in
    neither."""
    parted = _of_channels(text, is_whole) if text.lstrip().startswith(_CHANNELS) else _of_marks(text, is_whole)
    return replace(parted, thought="\n\n".join(part for part in (thought.strip(), parted.thought) if part))


def heard(answer: GenerateAnswer) -> GenerateAnswer:
    """An answer whose choices have the reply, the thought and the calls apart."""
    return replace(answer, choices=[_heard(choice) for choice in answer.choices])


def opened_by(prompt: str) -> str:
    """The mark for the beginning of a thought that a prompt ends with; "" for none."""
    return next((mark for mark in _FORMS if prompt.rstrip().endswith(mark)), "")


def _heard(choice: Choice) -> Choice:
    parted = spoken(choice.text, choice.thought)
    return replace(choice, text=parted.text, thought=parted.thought, calls=[*choice.calls, *parted.calls])


def _of_marks(text: str, is_whole: bool) -> Spoken:
    thoughts, at = list[str](), 0
    while (begun := _mark_at(text, at)) is not None:
        mark, start = begun
        end = _end(text, start, mark, is_whole)
        if end is None:
            thoughts.append(text[start:] if is_whole else _without_part(text[start:], [_FORMS[mark]]))
            at = len(text)
        else:
            thoughts.append(text[start : end.start])
            at = end.stop
    if not thoughts:
        unopened = _unopened(text, is_whole)
        if unopened is None:
            return Spoken("" if not is_whole and _may_begin(text, (*_FORMS, *_CHANNELS)) else text)
        thoughts, at = (
            [text[: unopened.start].lstrip().removeprefix(_BARE[0] if unopened.is_bare else "")],
            unopened.stop,
        )
    thought = "\n\n".join(part.strip() for part in thoughts if part.strip())
    rest = text[at:]
    if not is_whole and _may_begin(rest, (*_FORMS, *_ANSWERS)):
        return Spoken("", thought)
    return Spoken(_unwrapped(_BLANK_LINES.sub("", rest), is_whole), thought)


def _mark_at(text: str, at: int) -> tuple[str, int] | None:
    """The mark for a beginning that stands there, behind blanks, and where it ends."""
    at = len(text) - len(text[at:].lstrip(_NOTHING_SEEN))
    matches = ((mark, begin.match(text, at)) for mark, begin in _BEGINS.items())
    return next(((mark, begun.end()) for mark, begun in matches if begun is not None), None)


def _end(text: str, start: int, mark: str, is_whole: bool) -> range | None:
    """Where a thought that `mark` begins ends: behind those within it that begin a line, in code only where nothing
    else can be its end; another form's, a line's first or last, where there is none of its own."""
    inner = [at for at, _ in _places(text, start, mark) if not text[text.rfind("\n", start, at) + 1 : at].strip()]
    first, last, n_ended = None, None, 0
    for at, behind in islice(_places(text, start, _FORMS[mark]), MOST_ENDS):
        if not _is_quoted(text, at, behind, is_whole):
            if not _is_in_code(text, start, at):
                last, n_ended = range(at, behind), n_ended + 1
                if n_ended > bisect_left(inner, at):
                    return last
            first = range(at, behind) if first is None else first
    first = last or first
    if first is not None or not is_whole:
        return first if is_whole else None
    ends = (match.span() for match in _UNOPENED.finditer(text, start))
    return next(
        (range(*end) for end in ends if _is_clear(text, *end, is_whole) and not _is_in_code(text, start, end[0])), None
    )


@dataclass(frozen=True, slots=True)
class _Unopened:
    start: int
    stop: int
    is_bare: bool = False


def _unopened(text: str, is_whole: bool) -> _Unopened | None:
    """The end of a thought whose beginning is not in the text."""
    begun, end = _BARE
    if text.lstrip().startswith(begun) and (at := text.find(end)) > 0:
        return _Unopened(at, at + len(end), is_bare=True)
    # a long reply is looked at again for each word of it
    for match in _UNOPENED.finditer(text):
        at, behind = match.span()
        if _is_clear(text, at, behind, is_whole) and not _is_in_code(text, 0, at):
            return None if _OPENED.search(text, 0, at) else _Unopened(at, behind)
    return None


def _is_clear(text: str, at: int, behind: int, is_whole: bool) -> bool:
    """Whether what stands there begins or ends its line."""
    begins = not text[text.rfind("\n", 0, at) + 1 : at].strip()
    rest = text[behind : newline if (newline := text.find("\n", behind)) >= 0 else len(text)]
    return begins or (not rest.strip() and (is_whole or newline >= 0))


def _places(text: str, at: int, mark: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _marks([mark]).finditer(text, at))


def _is_quoted(text: str, start: int, end: int, is_whole: bool) -> bool:
    before = text[start - 1 : start]
    if before in ('"', "'", "`") and (text[end : end + 1] == before or (end == len(text) and not is_whole)):
        return True
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line.count("`") % 2 == 1 and "`" in text[end:].partition("\n")[0]


def _is_in_code(text: str, start: int, at: int) -> bool:
    """Whether a fence is open there, or a suggestion that ends behind it."""
    tags = list(_SUGGESTION.finditer(text, start, at))
    if tags and not tags[-1][1]:
        behind = _SUGGESTION.search(text, at)
        return behind is None or bool(behind[1])
    fence = ""
    for match in _FENCE.finditer(text[start:at]):
        if not fence:
            fence = match[1]
        elif match[1].startswith(fence) and not match[2].strip():
            fence = ""
    return bool(fence)


def _unwrapped(text: str, is_whole: bool) -> str:
    begun = next((mark for mark in _ANSWERS if text.startswith(mark)), None)
    if begun is None:
        return text
    inner, end = text.removeprefix(begun).lstrip(), _ANSWERS[begun]
    inner = inner.rstrip().removesuffix(end) if inner.rstrip().endswith(end) else inner
    return inner if is_whole else _without_part(inner, [end])


def _may_begin(text: str, marks: Sequence[str]) -> bool:
    """Whether a mark may be about to begin the text."""
    begun = text.strip(_NOTHING_SEEN).lower()
    return any(mark.lower().startswith(begun) for mark in marks)


def _without_part(text: str, marks: Sequence[str]) -> str:
    """Without an end that a mark begins with."""
    n = max((n for mark in marks for n in range(1, len(mark) + 1) if text.endswith(mark[:n])), default=0)
    return text[: len(text) - n]


def _of_channels(text: str, is_whole: bool) -> Spoken:
    """Messages to channels, as models do it that have them: `analysis` is a thought, what has a recipient a call."""
    texts, thoughts, calls, at = list[str](), list[str](), list[ToolCall](), 0
    while (head := _MESSAGE.search(text, at)) is not None:
        end = _MESSAGE_END.search(text, head.end())
        at = len(text) if end is None else end.start()
        content = text[head.end() : at]
        if end is None and not is_whole:
            content = _PART_OF_A_MARK.sub("", content)
        recipient = _RECIPIENT.search(head[1] + head[3])
        if head[2] == "analysis":
            thoughts.append(content.strip())
        elif recipient is None:
            texts.append(content)
        elif end is not None or is_whole:
            calls.append(ToolCall(f"call-{len(calls)}", recipient[1], content.strip()))
    return Spoken("\n\n".join(texts), "\n\n".join(filter(None, thoughts)), tuple(calls))
