"""Calls and function signatures as data.

In: a parse.  Out: calls with their arguments, functions with their parameters; positions in bytes.
"""

from dataclasses import dataclass

from palimpsest.syntax.parse import Language, Parsed, parse_text
from palimpsest.syntax.values import Argument, Parameter

__all__ = ["Argument", "Call", "Function", "Parameter", "calls", "first_argument", "functions"]

_OPENED = "f("


@dataclass(frozen=True, slots=True)
class Call:
    """`start..end` is the whole call, `inner` the text between the brackets; `name_start` is the start of its last
    name.

    `chained`: its value is used directly, as in `f().x`.
    """

    name: str
    name_start: int
    start: int
    end: int
    inner: tuple[int, int]
    arguments: tuple[Argument, ...]
    awaited: bool
    chained: bool
    line: int


@dataclass(frozen=True, slots=True)
class Function:
    """`name_start` is the start of its name, `line` the line of the name, `inner` the text between the brackets of its
    parameters."""

    name: str
    name_start: int
    line: int
    parameters: tuple[Parameter, ...]
    is_async: bool
    inner: tuple[int, int] = (0, 0)


def calls(parsed: Parsed, start_line: int, end_line: int) -> list[Call]:
    """The calls of plain names and members whose lines touch `start..end`, in document order."""
    found = []
    for captures in parsed.matches("calls", start_line, end_line):
        name, arguments, call = captures["function"][0], captures["arguments"][0], captures["call"][0]
        language = parsed.language
        awaited, chained = language.is_awaited(call), language.is_chained(call)
        given = tuple(language.argument(parsed, n) for n in arguments.named_children if "comment" not in n.type)
        inner = (arguments.start_byte + 1, arguments.end_byte - 1)
        start, end, line = call.start_byte, call.end_byte, name.start_point.row
        if not arguments.has_error and arguments.end_byte > arguments.start_byte + 1:
            called = parsed.text_of(name)
            found.append(Call(called, name.start_byte, start, end, inner, given, awaited, chained, line))
    return found


def functions(parsed: Parsed, start_line: int | None = None, end_line: int = 0) -> list[Function]:
    """The functions whose lines touch `start..end`, or all, in document order."""
    found = dict[int, Function]()
    for captures in parsed.matches("signatures", start_line, end_line):
        name, holder = captures["name"][0], captures["parameters"][0]
        if holder.has_error:
            continue
        known = found.get(name.id)  # of a function that may be asynchronous, there are two matches
        found[name.id] = Function(
            parsed.text_of(name),
            name.start_byte,
            name.start_point.row,
            parsed.language.parameters(parsed, holder),
            "async" in captures or (known is not None and known.is_async),
            (holder.start_byte + 1, holder.end_byte - 1),
        )
    return list(found.values())


def doubled(parsed: Parsed, start_line: int, end_line: int) -> int:
    """How many arguments and parameters in what touches some lines have the name of another one before them: grammars
    admit that, and languages do not.  What is only a mark (`_`) names nothing."""
    if parsed.language.labels:
        return 0
    given = [[one.keyword for one in call.arguments] for call in calls(parsed, start_line, end_line)]
    taken = [[one.name for one in function.parameters] for function in functions(parsed, start_line, end_line)]
    named = ([name for name in names if name.strip("_")] for names in (*given, *taken))
    return sum(len(names) - len(set(names)) for names in named)


def first_argument(text: str, language: Language) -> str:
    """The first argument in a text that may continue after it: `total, 3)` gives `total`; empty if it is not an
    expression."""
    lines = text.split("\n")
    for end in range(1, len(lines) + 1):
        part = "\n".join(lines[:end])
        for closed in (part, part + ")"):
            parsed = parse_text(_OPENED + closed, language)
            found = calls(parsed, 0, 1)
            outer = next((call for call in found if call.start == 0), None)
            if outer is not None and outer.arguments and not outer.arguments[0].star:
                return outer.arguments[0].text
    return ""
