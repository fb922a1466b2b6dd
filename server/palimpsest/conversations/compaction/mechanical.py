"""Summaries without a model, and what is added to every summary whoever wrote it.

What a summary must not lose is collected by rules: names, paths, what was tried and failed; the code in a message, what
it defines, and what others call it by.

In: turns with their calls, the summary before them.  Out: summaries; short lists, the newest first; a message with its
code told in words, and the names and lines that it mentions.
Code is parsed once another process has lived through it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from palimpsest.conversations.calls.parsing import MOST_CHARS as MOST_CALL
from palimpsest.conversations.calls.parsing import scan
from palimpsest.conversations.compaction.compactions import LISTS, TEXTS, Summary
from palimpsest.conversations.refs.kinds import language_name
from palimpsest.documents.markdown import blanked, fences
from palimpsest.languages.embedded import called
from palimpsest.syntax.parse import parse_file
from palimpsest.syntax.scopes import scopes

MOST_PATHS = 16
MOST_NAMES = 32
MOST_FAILURES = 8
MOST_CHARS = 160
MOST_READ = 20_000
"""Characters of one text that are looked through, half from each end."""
MOST_LOST = 200_000
"""Characters of one text that are read in vain for the ends of calls."""
_LONGEST_LINE = 400

PATH = re.compile(r"(?<![\w/:.-])(?:~?/|\.{1,2}/)?(?:[\w.-]{1,80}/){0,12}[\w-][\w.-]{0,80}\.[A-Za-z]\w{0,7}(?![\w/(])")
FOLDER = re.compile(r"(?<![\w/:.-])(?:[\w.-]{1,80}/){1,12}(?![\w/])")
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?![\w.]*/)")
QUOTED = re.compile(r"`([^`\n]{2,60})`")
FAILURE = re.compile(r"\b(?:\w*(?:Error|Exception)\b|FAILED\b|failed\b|error:|panicked\b|cannot\b|not found\b)")
TAG = re.compile(r"</?[a-z_]+(?: [^<>]{0,400})?/?>")
MESSAGE = re.compile(r"<message>(.*?)</message>", re.DOTALL)
MOST_PIECES = 20
"""At most this many pieces of one message are looked at."""
MOST_TRIED = 8
"""At most this many pieces without a fence are looked at: each is parsed in every language."""
LEAST_LINES = 3
"""Code without a fence counts as code from this many lines on."""
LEAST_NAME = 3
"""Characters of a name that needs no quotes."""
INDENTED = re.compile(
    r"^(?![ \t\n]|[-*+>#]|\d+[.)]|</?ref\b)[^\n]+\n(?:[ \t]+\S[^\n]*(?:\n|\Z)|[ \t]*\n|[)}\]][^\n]*(?:\n|\Z))+",
    re.MULTILINE,
)
"""A line and what is indented below it, with brackets that close it."""
LINES = re.compile(r"\blines?[ \t]+(\d{1,6})(?:[ \t]*(?:-|–|to|and|through)[ \t]*(\d{1,6}))?|\.\w{1,8}:(\d{1,6})\b")
CALLED = re.compile(r"([A-Za-z_]\w*)\(")


@dataclass(frozen=True, slots=True)
class Called:
    name: str
    arguments: Mapping[str, Any]
    failed: bool
    result: str


@dataclass(frozen=True, slots=True)
class TurnWithCalls:
    """A turn with its calls."""

    role: str
    text: str
    calls: Sequence[Called] = field(default_factory=tuple)


def paths(turns: Sequence[TurnWithCalls]) -> list[str]:
    """Files and folders that were named."""
    every = list[str]()
    for text in _newest(turns):
        read = _part(text)
        every += [match.group() for match in PATH.finditer(read) if _is_path(match.group())]
        every += [match.group() for match in FOLDER.finditer(read)]
    return list(dict.fromkeys(every))[:MOST_PATHS]


def names(turns: Sequence[TurnWithCalls], tools: Collection[str] = ()) -> list[str]:
    """Identifiers of the work, those that were said most often first; none of `tools` or of their parameters."""
    of_tools = {*tools, *(call.name for turn in turns for call in turn.calls)}
    counted, known = Counter[str](), {*paths(turns), *of_tools}
    for text in _newest(turns, with_errors=False):
        read = _part(_without_calls(text, of_tools))
        quoted = {name for name in QUOTED.findall(read) if NAME.fullmatch(name)}
        for match in NAME.finditer(read):
            name = match.group()
            if name not in known and len(name) <= 80 and (name in quoted or is_joined(name)):
                counted[name] += 1
    return [name for name, _ in counted.most_common(MOST_NAMES)]


def failures(turns: Sequence[TurnWithCalls], tools: Collection[str] = ()) -> list[str]:
    """What was tried and failed: calls, and lines that tell of errors; what a call writes tells of none."""
    lines, of_tools = list[str](), {*tools, *(call.name for turn in turns for call in turn.calls)}
    for turn in reversed(turns):
        for call in reversed(turn.calls):
            if call.failed:
                message = MESSAGE.search(call.result)
                lines.append(short(f"{call_line(call)}: {message.group(1) if message else call.result}"))
            else:
                lines += _failed_lines(call.result)
        lines += _failed_lines(_without_calls(turn.text, of_tools))
    return list(dict.fromkeys(lines))[:MOST_FAILURES]


def call_line(call: Called) -> str:
    """A call as it is written, its long arguments cut; its turn has all of it."""
    arguments = ", ".join(f"{name}={short(repr(value), 40)}" for name, value in call.arguments.items())
    return f"{call.name}({_cut(arguments)})"


def with_short_calls(text: str, tools: Collection[str]) -> str:
    """A text in which each call tells what is called, not the whole of its arguments."""
    parts, end = list[str](), 0
    for _, arguments, behind in _calls(text, tools):
        if behind > arguments:
            parts += [text[end:arguments], _cut(text[arguments : behind - 1])]
            end = behind - 1
    return "".join([*parts, text[end:]])


def short(text: str, most: int = MOST_CHARS) -> str:
    """A text in one line, cut with `…`."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _cut(arguments: str) -> str:
    return arguments if len(arguments) <= MOST_CHARS else short(arguments)


def _failed_lines(text: str) -> Iterator[str]:
    for line in _part(text).splitlines():
        if len(line) <= _LONGEST_LINE and FAILURE.search(line):
            yield short(line)


def _newest(turns: Sequence[TurnWithCalls], *, with_errors: bool = True) -> Iterator[str]:
    """`with_errors`: what is said of calls that failed, too."""
    for turn in reversed(turns):
        yield turn.text
        yield from _arguments(turn.calls)
        yield from (TAG.sub(" ", _part(call.result)) for call in turn.calls if with_errors or not call.failed)


def _without_calls(text: str, tools: Collection[str]) -> str:
    """What a call names are parameters; its arguments are looked at by themselves."""
    parts, end = list[str](), 0
    for start, _, behind in _calls(text, tools):
        parts.append(text[end:start])
        end = behind
    return " ".join([*parts, text[end:]])


def _calls(text: str, tools: Collection[str]) -> Iterator[tuple[int, int, int]]:
    """Where each call begins, where its arguments do, and the place behind it; of one that is not closed, the name."""
    end = lost = 0
    for call in re.finditer(rf"\b(?:{'|'.join(map(re.escape, tools))})[ \t]?\(", text) if tools else ():
        if call.start() < end:
            continue
        most = MOST_CALL if lost < MOST_LOST else _LONGEST_LINE
        scanned = scan(text, call.end() - 1, call.end() + most)
        if scanned.end is None:
            lost += scanned.stopped - call.end()
        end = scanned.end or call.end()
        yield call.start(), call.end(), end


def _arguments(calls: Iterable[Called]) -> Iterator[str]:
    for call in calls:
        yield "\n".join(str(value) for value in call.arguments.values())


def _part(text: str) -> str:
    return text if len(text) <= MOST_READ else f"{text[: MOST_READ // 2]}\n{text[-MOST_READ // 2 :]}"


def _is_path(text: str) -> bool:
    """Whether it names a folder, or has a suffix in lower case that a method would not have."""
    stem, suffix = text.rsplit(".", 1)
    return "/" in text or (
        len(stem) > 1 and len(suffix) <= 4 and suffix.islower() and text.count(".") == 1 and "_" not in suffix
    )


def is_joined(name: str) -> bool:
    """Whether it is of several words: `one_two`, `oneTwo`, `one.two`."""
    inner = name.strip("_")
    return "_" in inner or re.search(r"[a-z][A-Z]", inner) is not None


@dataclass(frozen=True, slots=True)
class CodePiece:
    """A piece of code in a text, from `start` to `end`.  `language`: its fence's word, "" where it has none."""

    start: int
    end: int
    text: str
    language: str

    @property
    def n_lines(self) -> int:
        return self.text.count("\n") + 1


def pieces(text: str) -> list[CodePiece]:
    """Fences, and outside of them what is indented and defines something."""
    fenced = [CodePiece(one.start, one.end, one.content, one.language) for one in fences(text)]
    outside = blanked(text, [(one.start, one.end) for one in fenced])
    return sorted([*fenced, *_indented(outside)], key=lambda one: one.start)[:MOST_PIECES]


def defined(piece: CodePiece) -> Mapping[str, int]:
    """The names of its definitions, with the lines that each has."""
    language = called(language_name(piece.text, {"lang": piece.language} if piece.language else {}))
    if language is None:
        return {}
    definitions = [scope for scope in scopes(parse_file(piece.text, language)) if scope.kind != "file" and scope.name]
    return {scope.name: scope.end_line - scope.start_line for scope in definitions}


def without_code(text: str) -> str:
    """How long each piece is in its place: code in one line is none."""
    words, end = list[str](), 0
    for piece in pieces(text):
        words += [text[end : piece.start], f"({piece.n_lines} lines of code)"]
        end = piece.end
    return "".join([*words, text[end:]])


def mentioned(text: str, *, by_person: bool) -> set[str]:
    """What may be names of code: any word of a person's; of a model's those that are quoted, called or of several
    words, since it says much."""
    quoted = {name for one in QUOTED.findall(text) for name in NAME.findall(one)}
    names = {*quoted, *CALLED.findall(text)}
    for name in NAME.findall(text):
        if is_joined(name) or (by_person and len(name) >= LEAST_NAME):
            names.add(name)
    return {part for name in names for part in (name, *name.split("."))}


def last_line(text: str) -> int:
    """The last of the lines that it mentions by their numbers; 0 for none."""
    return max((int(number) for one in LINES.findall(text) for number in one if number), default=0)


def _indented(text: str) -> Iterator[CodePiece]:
    every = (
        CodePiece(one.start(), one.start() + len(one[0].rstrip()), one[0].rstrip(), "")
        for one in INDENTED.finditer(text)
    )
    long = (piece for piece in every if piece.n_lines >= LEAST_LINES)
    yield from (piece for piece in islice(long, MOST_TRIED) if defined(piece))


FAILED = "Tried and failed: "
NAMES = "Names: "
DONE = "Called: "
WANTED = "Wanted of this summary: "
MOST_ITEMS = 24
"""Each list has at most this many items, so that a summary of summaries does not grow."""
MOST_DONE = 10
MOST_TEXT = 400


def mechanical(
    turns: Sequence[TurnWithCalls], before: Summary | None, instruction: str = "", tools: Collection[str] = ()
) -> Summary:
    """A summary of the turns by rules alone.  `instruction`: what a person wants of it, which rules cannot follow: the
    model reads it instead.  `tools`: names."""
    requests = [turn.text for turn in turns if turn.role == "user" and turn.text.strip()]
    replies = [turn.text for turn in turns if turn.role == "assistant" and turn.text.strip()]
    last = _in_short(requests[-1]) if requests else before.instruction if before else ""
    goal = before.goal if before else _in_short(requests[0]) if requests else "The conversation so far."
    done = [DONE + call_line(call) for turn in turns for call in turn.calls if not call.failed]
    summary = Summary(
        goal=goal,
        instruction=last,
        discoveries=[WANTED + short(instruction, MOST_TEXT)] if instruction.strip() else [],
        completed=done[-MOST_DONE:],
        current_status=_in_short(f"Last answer: {replies[-1]}") if replies else "Nothing was answered yet.",
        likely_next_work="Go on with what was asked last." if last else "",
        relevant_files_directories=[],
    )
    return completed(summary, turns, before, tools)


def completed(
    summary: Summary, turns: Sequence[TurnWithCalls], before: Summary | None, tools: Collection[str] = ()
) -> Summary:
    """A summary with the names, paths and failures of the turns, and those that the summary before them held."""
    old = before or Summary("", "", [], [], "", "", [])
    every = _joined(names(turns, tools), (name for name in _names_of(old.discoveries) if name not in tools))
    mentioned = [one for one in old.discoveries if not one.startswith((NAMES, WANTED))]
    tried = [FAILED + one for one in failures(turns, tools)]
    own = [with_short_calls(one, tools) for one in summary.discoveries if not one.startswith(NAMES)]
    discoveries = _joined(own, tried, mentioned)
    return replace(
        summary,
        discoveries=[*discoveries, NAMES + ", ".join(every)] if every else discoveries,
        completed=_joined([with_short_calls(one, tools) for one in summary.completed], old.completed),
        relevant_files_directories=_joined(
            summary.relevant_files_directories, paths(turns), old.relevant_files_directories
        ),
    )


def fitted(summary: Summary, most_chars: int) -> Summary:
    """The summary with some `most_chars` at most in what the model reads: of the longest list the last item goes first,
    then texts are cut."""
    lists = {name: list(getattr(summary, name)) for name in LISTS}
    texts = {name: getattr(summary, name) for name in TEXTS}
    room = most_chars - sum(map(len, texts.values()))
    while sum(map(_n_chars, lists.values())) > max(0, room):
        max(lists.values(), key=_n_chars).pop()
    if room < 0:
        texts = {name: short(text, most_chars // len(texts)) for name, text in texts.items()}
    fields: dict[str, Any] = {**texts, **lists}
    return replace(summary, **fields)


def _in_short(text: str) -> str:
    return short(without_code(text), MOST_TEXT)


def _n_chars(items: Sequence[str]) -> int:
    return sum(map(len, items))


def _joined(*lists: Iterable[str]) -> list[str]:
    """The items of all lists, each once, the first lists' before the others'."""
    return list(dict.fromkeys(item for items in lists for item in items))[:MOST_ITEMS]


def _names_of(discoveries: Iterable[str]) -> list[str]:
    lists = [one.removeprefix(NAMES).split(", ") for one in discoveries if one.startswith(NAMES)]
    return [name for names_ in lists for name in names_]
