"""Which of a package's files are built here: what their names and first lines ask for.

In: file names, texts.  Out: whether a file belongs to what this machine builds.  Pure.

    cart_test.go    cart_windows.go    cart_linux_arm64.go    //go:build linux && !cgo
"""

import ast
import platform
import re
import sys

from palimpsest.text.word_lists import word_lists

TEST = "_test"
_WORDS = word_lists("palimpsest.languages.go")
_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64", "i686": "386", "i386": "386"}
_HERE = {"win32": "windows", "cygwin": "windows"}
_BUILD = re.compile(r"//go:build (.+)")
_PACKAGE = re.compile(r"package[ \t]+(\w+)")
_TAG = re.compile(r"[\w.]+")
_FIRST_LINES = 200
_LONGEST = 4_000
"""Characters of a condition."""


def system() -> str:
    return _HERE.get(sys.platform, sys.platform)


def processor() -> str:
    return _MACHINES.get(platform.machine().lower(), "")


def is_test(name: str) -> bool:
    return name.removesuffix(".go").endswith(TEST)


def asks_for(name: str) -> frozenset[str]:
    """The system and processor that a file's name asks for."""
    words = name.removesuffix(".go").removesuffix(TEST).split("_")[1:]
    if len(words) > 1 and words[-2] in _WORDS["systems"] and words[-1] in _WORDS["processors"]:
        return frozenset(words[-2:])
    return frozenset(words[-1:]) & (_WORDS["systems"] | _WORDS["processors"])


def is_for_here(name: str) -> bool:
    return asks_for(name) <= _tags()


def package_of(text: str) -> str:
    """The package that a file says it is of; empty if it says none."""
    for line in _head(text):
        if found := _PACKAGE.match(line):
            return found[1]
    return ""


def is_built(text: str) -> bool:
    """Whether a file's own condition is met here; one that cannot be read is."""
    for line in _head(text):
        if found := _BUILD.match(line):
            condition = found[1].partition("//")[0]
            try:
                return len(condition) > _LONGEST or _holds(condition)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return True
    return True


def _head(text: str) -> list[str]:
    """The lines up to the package's name."""
    lines = list[str]()
    for line in text.split("\n", _FIRST_LINES)[:_FIRST_LINES]:
        lines.append(line.strip())
        if _PACKAGE.match(line):
            break
    return lines


def _tags() -> frozenset[str]:
    unix = {"unix"} if system() in _WORDS["unix"] else set()
    return frozenset({system(), processor(), "gc", "cgo", *unix}) - {""}


def _holds(condition: str) -> bool:
    """`linux && (amd64 || !cgo)`.  Tags such as `go1.21` are set.  Raises if it makes no sense."""
    written = _TAG.sub(lambda tag: str(tag[0] in _tags() or tag[0].startswith("go1")), condition)
    for sign, word in (("&&", " and "), ("||", " or "), ("!", " not ")):
        written = written.replace(sign, word)
    return _value(ast.parse(written.strip(), mode="eval").body)


def _value(node: ast.expr) -> bool:
    match node:
        case ast.BoolOp(op=ast.And()):
            return all(map(_value, node.values))
        case ast.BoolOp():
            return any(map(_value, node.values))
        case ast.UnaryOp(op=ast.Not()):
            return not _value(node.operand)
        case ast.Constant(value=bool()):
            return node.value is True
    raise ValueError
