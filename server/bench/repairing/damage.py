"""Ways to break a function as people and models do, each with the edits that mend it.

In: the lines of a function that parses, a random generator.  Out: `Damage`: the broken lines and what mends them.
Knows no model and no edit format.
"""

from __future__ import annotations

import ast
import keyword
import re
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from palimpsest.prompt import titles
from palimpsest.types import LineEdit

NAME = re.compile(r"(?<![\w'\"])[A-Za-z_]\w{4,}")
KEYWORDS = frozenset(keyword.kwlist)
OPERATORS = [
    (" == ", " != "),
    (" is None", " is not None"),
    (" and ", " or "),
    (" + ", " - "),
    (" < ", " > "),
    (" not in ", " in "),
    (" <= ", " >= "),
    (" += ", " -= "),
]


@dataclass(frozen=True, slots=True)
class Damage:
    """`lines` are broken; `edits` of them (indexes from 0) give back what was there; `summary` says what they do."""

    kind: str
    lines: tuple[str, ...]
    edits: tuple[LineEdit, ...]
    summary: str

    @property
    def reply(self) -> tuple[str, ...]:
        """The edits as lines of ln-diff (docs/formats.md), where each edit is of one line."""
        return tuple(_numbered(edit) for edit in self.edits)


Breaker = Callable[[list[str], Random, Collection[str]], Damage | None]
"""Of a function's lines and the names that blocks define; None where it cannot be broken so.  Raises SyntaxError,
IndexError or ValueError for a function that does not stand alone once dedented."""


def at(lines: Sequence[str], index: int, *instead: str) -> tuple[str, ...]:
    return (*lines[:index], *instead, *lines[index + 1 :])


def replaced(kind: str, lines: Sequence[str], index: int, broken: str, summary: str) -> Damage:
    return Damage(kind, at(lines, index, broken), (LineEdit(index, index + 1, (lines[index],)),), summary)


def parsed(lines: Sequence[str]) -> ast.Module:
    return ast.parse(textwrap.dedent("\n".join(lines)))


def simple_statements(lines: Sequence[str]) -> list[tuple[int, ast.stmt, bool]]:
    """(line index, statement, has siblings) of the statements written on one line of their own."""
    found: list[tuple[int, ast.stmt, bool]] = []
    for node in ast.walk(parsed(lines)):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                for child in body:
                    if isinstance(child, ast.Assign | ast.AugAssign | ast.Expr | ast.Return | ast.AnnAssign):
                        one = child.lineno == child.end_lineno and not (
                            isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
                        )
                        if one and child.lineno > 1:
                            found.append((child.lineno - 1, child, len(body) > 1))
    return found


def misspelt(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    """One of several uses of a name with a slip of the finger."""
    text = "\n".join(lines)
    places = []
    for i, line in enumerate(lines[1:], start=1):
        for match in NAME.finditer(line.split("#")[0]):
            name = match.group()
            if name not in KEYWORDS and (name in known or len(re.findall(rf"\b{name}\b", text)) > 1):
                places.append((i, match.start(), name))
    if not places:
        return None
    index, start, name = rng.choice(places)
    k = rng.randrange(1, len(name) - 1)
    wrong = rng.choice(
        [name[:k] + name[k + 1 :], name[:k] + name[k] + name[k:], name[:k] + name[k + 1] + name[k] + name[k + 2 :]]
    )
    if wrong == name or wrong in known or re.search(rf"\b{wrong}\b", text):
        return None
    line = lines[index]
    return replaced(
        "misspelt", lines, index, line[:start] + wrong + line[start + len(name) :], titles.MISSPELT.format(name)
    )


def dropped(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    """A statement is gone; best one that sets a name used further down."""
    statements = [(i, s) for i, s, siblings in simple_statements(lines) if siblings]
    setting: list[tuple[int, ast.stmt]] = [
        (i, s)
        for i, s in statements
        if isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and re.search(rf"\b{s.targets[0].id}\b", "\n".join(lines[i + 1 :]))
    ]
    if not (statements := setting or statements):
        return None
    index, statement = rng.choice(statements)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            summary = titles.LACKS_LINE_OF.format(name)
        case ast.Return():
            summary = titles.LACKS_RETURN
        case _:
            summary = titles.LACKS_LINE
    return Damage("dropped", at(lines, index), (LineEdit(index, index, (lines[index],)),), summary)


def swapped(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    """Two arguments of a call in the wrong order; the function's own parameters tell the right one."""
    shift = len(lines[0]) - len(lines[0].lstrip())
    calls = []
    for node in ast.walk(parsed(lines)):
        if isinstance(node, ast.Call) and len(node.args) > 1 and node.lineno == node.end_lineno:
            a, b = node.args[:2]
            if isinstance(a, ast.Name | ast.Attribute) and isinstance(b, ast.Name | ast.Attribute | ast.Constant):
                calls.append((node.lineno - 1, a, b, ast.unparse(node.func)))
    if not calls:
        return None
    index, a, b, function = rng.choice(calls)
    line = lines[index]
    if not line.isascii() or index == 0:
        return None
    first, second = (slice(x.col_offset + shift, (x.end_col_offset or 0) + shift) for x in (a, b))
    broken = line[: first.start] + line[second] + line[first.stop : second.start] + line[first] + line[second.stop :]
    return None if broken == line else replaced("swapped", lines, index, broken, titles.SWAPPED.format(function))


def operator(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    """Another operator than the one meant."""
    places = []
    for i, line in enumerate(lines[1:], start=1):
        if '"' not in line and "'" not in line and "#" not in line:
            places += [(i, right, wrong) for pair in OPERATORS for right, wrong in (pair, pair[::-1]) if right in line]
    if not places:
        return None
    index, right, wrong = rng.choice(places)
    broken = lines[index].replace(right, wrong, 1)
    return replaced("operator", lines, index, broken, f"Use `{right.strip()}` instead of `{wrong.strip()}`.")


def no_return(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    """The last statement computes its value and drops it."""
    index = len(lines) - 1
    line = lines[index]
    if not re.match(r"\s+return \S", line):
        return None
    return replaced("no-return", lines, index, line.replace("return ", "", 1), "Return the result.")


def stale_signature(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    """The signature lacks a parameter that the body uses."""
    function = parsed(lines).body[0]
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    index = function.lineno - 1
    body = "\n".join(lines[function.body[0].lineno - 1 :])
    used = [a.arg for a in function.args.args if a.arg != "self" and re.search(rf"\b{a.arg}\b", body)]
    if not used or function.body[0].lineno == function.lineno:
        return None
    name = rng.choice(used)
    pattern = rf"(, |(?<=\()){name}\b[^,()\[\]]*(?=[,)])(, (?=\w))?"
    broken = re.sub(pattern, lambda m: (m[1] and m[2]) or "", lines[index])
    if broken == lines[index] or re.search(rf"\b{name}\b", broken):
        return None
    return replaced("stale-signature", lines, index, broken, titles.LACKS_PARAMETER.format(name))


def doubled(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    """A statement stands there twice."""
    statements = [i for i, s, _ in simple_statements(lines) if not isinstance(s, ast.Return)]
    if not statements:
        return None
    index = rng.choice(statements)
    if index + 1 < len(lines) and lines[index + 1] == lines[index]:
        return None
    broken = at(lines, index, lines[index], lines[index])
    return Damage("doubled", broken, (LineEdit(index + 1, index + 2, ()),), titles.TWICE)


def no_colon(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    places = [
        i
        for i, line in enumerate(lines)
        if line.endswith(":")
        and "#" not in line
        and line.split()
        and re.match(r"\s*(def|if|elif|else|for|while|with|try|except|finally|async)\b", line)
    ]
    if not places:
        return None
    index = rng.choice(places)
    return replaced("no-colon", lines, index, lines[index][:-1], titles.LACKS_COLON)


def open_bracket(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    places = [
        i
        for i, line in enumerate(lines)
        if i
        and line.endswith((")", "]", "}"))
        and "#" not in line
        and line.count("(") == line.count(")")
        and line.count("[") == line.count("]")
    ]
    if not places:
        return None
    index = rng.choice(places)
    return replaced("open-bracket", lines, index, lines[index][:-1], titles.LACKS_BRACKET)


def no_docstring(lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
    """Nothing is wrong, but the docstring the original had is missing."""
    function = parsed(lines).body[0]
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or len(function.body) < 2:
        return None
    first = function.body[0]
    if ast.get_docstring(function) is None or first.lineno != first.end_lineno or first.lineno == 1:
        return None
    index = first.lineno - 1
    return Damage("no-docstring", at(lines, index), (LineEdit(index, index, (lines[index],)),), "Add a docstring.")


def _numbered(edit: LineEdit) -> str:
    if not edit.lines:
        return f"L{edit.end}-"
    (text,) = edit.lines
    return f"L{edit.start}+ {text}" if edit.start == edit.end else f"L{edit.end} {text}"


WAYS: Mapping[str, Breaker] = {
    "misspelt": misspelt,
    "dropped": dropped,
    "swapped": swapped,
    "operator": operator,
    "no-return": no_return,
    "stale-signature": stale_signature,
}
"""The everyday ones, by the `kind` of what they make."""
