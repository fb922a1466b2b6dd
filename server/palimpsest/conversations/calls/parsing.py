"""The calls in a reply: lines that are exactly a call (docs/formats.md, "Calls by the model").

In: a reply, and the parameters of each tool.  Out: names with arguments, or what is wrong with a call; the
reply without them.  Evaluates nothing: arguments are literals, as values that JSON has.  Calls in code fences and in
refs are content, not calls.  Servers of tools write the same calls as a name and JSON (`native_call`).  Knows no tool.

A call may go on over several lines, as long as its brackets are open.  Of a tool that is known, a line that is nearly a
call is reported; a line with another name is text, unless it is nearly the name of a tool.
"""

import ast
import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from math import isfinite
from typing import Any

from palimpsest.conversations.refs.tags import extract
from palimpsest.documents.markdown import MOST_LINES, Fence, blanked, fences
from palimpsest.text.positions import well_formed

MOST_CHARS = 200_000
"""One call may have this many characters, so that what it writes into a file or tells a fork still fits."""
DEEPEST = 20
CONSTANTS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
"""The constants by the names that Python and JSON have for them."""

_TOKEN = re.compile(
    r'''(?P<space>\s++|\#[^\n]*+)
      | (?P<string>[rRuU]?(?:"""(?>(?:[^\\"]++|\\.|"(?!""))*)"""|\'\'\'(?>(?:[^\\\']++|\\.|\'(?!\'\'))*)\'\'\'
                          |"(?!"")(?>(?:[^\\"\n]++|\\.)*)"|\'(?!\'\')(?>(?:[^\\\'\n]++|\\.)*)\'))
      | (?P<number>(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?!\w))
      | (?P<name>[^\W\d]\w*+)
      | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<mark>[,:=]) | (?P<sign>[+-])
      | (?P<quote>["\']) | (?P<other>.)''',
    re.VERBOSE | re.DOTALL,
)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_NOT_CLOSED = "a string does not end on its line; write \\n in it, or put it in triple quotes"


@dataclass(frozen=True, slots=True)
class Scanned:
    """`end` is None for a call that does not end before `stopped`; `problem` is the end of a sentence, or empty."""

    end: int | None
    problem: str = ""
    stopped: int = 0


def scan(text: str, start: int, most: int) -> Scanned:
    """Reads from the bracket at `start`, at most to `most`.  What passes here can be given to Python's parser without
    harm: brackets are nested `DEEPEST` deep at most, and nothing in it could be chained without an end."""
    brackets, problem = list[str](), ""
    before, last_name = "mark", ""
    for token in _TOKEN.finditer(text, start, min(most, len(text))):
        kind, written = token.lastgroup or "other", token[0]
        if kind == "space":
            continue
        if kind == "quote":
            return Scanned(None, _NOT_CLOSED, token.start())
        problem = problem or _problem(kind, written, before, last_name)
        if kind == "open":
            brackets.append(written)
            if len(brackets) > DEEPEST:
                return Scanned(None, f"its brackets are more than {DEEPEST} deep", token.start())
        elif kind == "close":
            if brackets.pop() != _PAIRS[written]:
                return Scanned(None, "its brackets do not fit", token.start())
            if not brackets:
                return Scanned(token.end(), problem or _pending(before, last_name), token.end())
        last_name = written if kind == "name" else ""
        before = _kind_before(kind, written)
    if most < len(text) and most - start >= MOST_CHARS:
        return Scanned(None, f"it is longer than {MOST_CHARS:,} characters", most)
    return Scanned(None, "its bracket is not closed", min(most, len(text)))


def _kind_before(kind: str, written: str) -> str:
    """`value` behind what ends a value, `name` behind what may be a parameter's name."""
    if kind == "name" and written not in CONSTANTS:
        return "name"
    return "value" if kind in ("string", "number", "name", "close") else kind


def _problem(kind: str, written: str, before: str, last_name: str) -> str:
    if before == "name" and written != "=":
        return _pending(before, last_name)
    if kind == "other":
        return f"{written!r} is not part of a literal"
    if kind == "open" and before == "value":
        return f"{written!r} stands behind a value"
    if kind == "sign" and before not in ("open", "mark"):
        return f"{written!r} is computed with, and only literals can be given"
    if kind == "name" and written not in CONSTANTS and before not in ("open", "mark"):
        return f"{written!r} is not a literal"
    return ""


def _pending(before: str, last_name: str) -> str:
    return f"{last_name!r} is not a literal; put text in quotes" if before == "name" else ""


LARGEST = 1e300
"""What a float holds, so that every number can be compared with every other."""


class NotLiteral(ValueError):
    """The message is the end of a sentence."""


def literals(written: str) -> tuple[list[Any], dict[str, Any]]:
    """Arguments without and with a name.  Raises NotLiteral."""
    try:
        call = ast.parse(f"_{written}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        raise NotLiteral(message.rstrip(".") or "its arguments are not written as literals") from None
    if not isinstance(call, ast.Call):
        raise NotLiteral("it is not a call")
    named = dict[str, Any]()
    for keyword in call.keywords:
        if keyword.arg is None:
            raise NotLiteral("** is not a literal")
        if keyword.arg in named:
            raise NotLiteral(f"{keyword.arg} is given twice")
        named[keyword.arg] = _value(keyword.value)
    return [_value(argument) for argument in call.args], named


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=str() as text):
            return well_formed(text)
        case ast.Constant(value=bool() | None as value):
            return value
        case ast.Constant(value=int() | float() as number):
            return _finite(number)
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as number)):
            return _finite(-number if isinstance(sign, ast.USub) else number)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_key(key): _value(value) for key, value in zip(keys, values, strict=True)}
    raise NotLiteral(f"{ast.unparse(node)[:60]} is not a literal")


def _key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return well_formed(node.value)
    raise NotLiteral("the keys of an object are text in quotes")


def _finite(number: int | float) -> int | float:
    if abs(number) > LARGEST:
        raise NotLiteral("a number is too large")
    return number


MOST_CALLS = 50
"""One reply may have this many calls."""
MOST_LOST = 500_000
"""Characters read in vain for the ends of calls that have none; then only single lines are read."""
MOST_NAMES = 200
"""Names of no tool that are compared with those of tools."""
ALIKE = 0.85
_BEGIN = re.compile(r"^ {0,3}(?P<name>[A-Za-z_][\w.]{0,60})[ \t]?(?P<bracket>\()", re.MULTILINE | re.ASCII)
_MARK = re.compile(r"\n[ \t]*(?:```|~~~)")
_BARE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t\r]*$", re.MULTILINE)
_GOES_ON = (")", "(", "[", "{", ",", '"', "'")
"""How a line ends that was meant as a call or its beginning."""


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """`line` is the call's first line in the reply, from 0."""

    name: str
    arguments: dict[str, Any]
    line: int


@dataclass(frozen=True, slots=True)
class WrongCall:
    """`reason` is a sentence that says what would be right."""

    line: int
    reason: str
    name: str = ""


def calls_in(reply: str, tools: Mapping[str, Sequence[str]]) -> list[ParsedCall | WrongCall]:
    """The calls in order.  `tools` has the names of each tool's parameters, in order, for arguments without a name."""
    calls = list[ParsedCall | WrongCall]()
    for call, _, _ in _Reader(reply, tools).calls():
        if len(calls) == MOST_CALLS:
            calls.append(WrongCall(call.line, f"Only the first {MOST_CALLS} calls of a reply are run."))
            break
        calls.append(call)
    return calls


def without_calls(reply: str, tools: Mapping[str, Sequence[str]]) -> str:
    """The reply without the lines of those calls that `calls_in` can run: for whom these are shown by themselves."""
    parts, end = list[str](), 0
    for call, start, behind in islice(_Reader(reply, tools).calls(), MOST_CALLS):
        if isinstance(call, ParsedCall):
            parts.append(reply[end:start])
            end = _line_end(reply, behind) + 1
    return "".join([*parts, reply[end:]])


class _Reader:
    """Reads each call once: what stands in one opens and closes no fence, and what stands in a fence is none."""

    def __init__(self, reply: str, tools: Mapping[str, Sequence[str]]) -> None:
        self._reply = reply
        self._tools = tools
        self._alike = dict[str, str]()
        self._n_lost = 0
        self._refs = extract(reply).regions
        self._without_refs = blanked(reply, self._refs)
        self._line_ends = [end.start() for end in re.finditer("\n", reply)]
        self._known = dict[int, tuple[ParsedCall | WrongCall | None, int]]()
        self._passed_to = 0

    def calls(self) -> Iterator[tuple[ParsedCall | WrongCall, int, int]]:
        """The calls of the reply, each with its place, half-open."""
        fenced: list[Fence] | None = None
        behind = 0
        for begin in _BEGIN.finditer(self._without_refs):
            start = begin.start()
            if start < behind or not self._concerns(begin["name"]):
                continue
            if fenced is None:
                fenced = list(reversed(fences(self._without_refs, self._passed)))
            while fenced and fenced[-1].end <= start:
                fenced.pop()
            if fenced and fenced[-1].start <= start:
                continue
            if bisect_left(self._line_ends, start) >= MOST_LINES:
                return  # nobody knows what is in a fence there
            call, behind = self._read(begin)
            if call is not None:
                yield call, start, behind

    def _passed(self, start: int, fenced: list[Fence]) -> int:
        """Where a reader of fences goes on who has come to this line, which is in none: behind a call with a mark in
        it, or behind the mark.  A fence in an item of a list ends with the item, before the code in it, where that is
        not indented as CommonMark has it; a model means it to end at the next bare mark."""
        if start < self._passed_to:
            return self._passed_to
        if fenced and not fenced[-1].is_closed:
            if (mark := _BARE.match(self._without_refs, start)) and mark[1].startswith(fenced[-1].mark):
                self._passed_to = mark.end()
                fenced[-1] = replace(fenced[-1], end=mark.end(), is_closed=True)
        elif (begin := _BEGIN.match(self._without_refs, start)) and self._concerns(begin["name"]):
            _, behind = self._read(begin)
            if _MARK.search(self._reply, start, behind):
                self._passed_to = behind
        return self._passed_to

    def _read(self, begin: re.Match[str]) -> tuple[ParsedCall | WrongCall | None, int]:
        """The call that begins there and the place behind it; None for prose."""
        start = begin.start()
        if start not in self._known:
            ref = bisect_left(self._refs, (start,))
            end = self._refs[ref][0] if ref < len(self._refs) else len(self._reply)
            self._known[start] = self._read_to(begin, bisect_left(self._line_ends, start), end)
        return self._known[start]

    def _read_to(self, begin: re.Match[str], line: int, end: int) -> tuple[ParsedCall | WrongCall | None, int]:
        reply, name, start = self._reply, begin["name"], begin.start("bracket")
        line_end = _line_end(reply, start)
        most = max(line_end, end) if self._n_lost < MOST_LOST else line_end
        scanned = scan(reply, start, min(most, start + MOST_CHARS))
        if scanned.end is None:
            self._n_lost += scanned.stopped - start
            if line_end < len(reply) and not reply[start:line_end].rstrip().endswith(_GOES_ON):
                return None, line_end
            return WrongCall(line, f"The call of {name} is not complete: {scanned.problem}.", name), line_end
        if reply[scanned.end : _line_end(reply, scanned.end)].strip():
            return None, line_end
        if name not in self._tools:
            return WrongCall(line, f"There is no tool {name}; did you mean {self._alike[name]}?", name), scanned.end
        if scanned.problem:
            return WrongCall(line, f"The call of {name} cannot be read: {scanned.problem}.", name), scanned.end
        return _call(name, reply[start : scanned.end], line, self._tools[name]), scanned.end

    def _concerns(self, name: str) -> bool:
        """Whether it is the name of a tool, or nearly; what has dots is a method of something else unless it is one."""
        if name in self._tools or "." in name:
            return name in self._tools
        if name not in self._alike and len(self._alike) < MOST_NAMES:
            self._alike[name] = "".join(get_close_matches(name, self._tools, n=1, cutoff=ALIKE))
        return bool(self._alike.get(name))


def _call(name: str, written: str, line: int, parameters: Sequence[str]) -> ParsedCall | WrongCall:
    try:
        positional, named = literals(written)
    except NotLiteral as error:
        return WrongCall(line, f"The call of {name} cannot be read: {error}.", name)
    if len(positional) > len(parameters):
        return WrongCall(
            line, f"{name} takes {len(parameters)} arguments ({', '.join(parameters)}), not {len(positional)}.", name
        )
    arguments = dict(zip(parameters, positional, strict=False))
    if twice := arguments.keys() & named.keys():
        return WrongCall(line, f"{name} has two values for {min(twice)}.", name)
    return ParsedCall(name, arguments | named, line)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


MOST_JSON = 2_000_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
NAMELESS = "unknown"


def native_call(name: str, arguments: str, number: int = 0) -> ParsedCall | WrongCall:
    """`number`: which of the reply's calls it is."""
    if number >= MOST_CALLS:
        return WrongCall(0, f"Only the first {MOST_CALLS} calls of a reply are run.", NAMELESS)
    if not _NAME.fullmatch(name):
        return WrongCall(0, "The call has no name that a tool can have.", NAMELESS)
    if len(arguments) > MOST_JSON:
        return WrongCall(0, f"The arguments of {name} have {len(arguments)} characters; {MOST_JSON} are read.", name)
    try:
        values = _decoded(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError) as error:
        why = "they are nested too deeply" if isinstance(error, RecursionError) else str(error)
        return WrongCall(0, f"The arguments of {name} are no JSON: {why}. Write one JSON object.", name)
    if not isinstance(values, dict):
        return WrongCall(0, f"The arguments of {name} are to be one JSON object.", name)
    return ParsedCall(name, values, 0)


def written(name: str, arguments: Mapping[str, Any]) -> str:
    """The call as a model writes it into a reply."""
    if all(_IDENTIFIER.fullmatch(key) for key in arguments):
        return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
    return f"{name}(**{dict(arguments)!r})"


def _decoded(arguments: str) -> Any:
    return _encodable(json.loads(arguments, parse_constant=_no_number, parse_float=_as_float))


def _encodable(value: Any) -> Any:
    """The value without lone surrogates, which no database and no editor takes."""
    match value:
        case str():
            return well_formed(value)
        case list():
            return [_encodable(one) for one in value]
        case dict():
            return {well_formed(key): _encodable(one) for key, one in value.items()}
    return value


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _as_float(written: str) -> float:
    """JSON has no way to say what is larger than a float holds, so nobody could be told of it."""
    return float(written) if isfinite(float(written)) else _no_number(written[:20])
