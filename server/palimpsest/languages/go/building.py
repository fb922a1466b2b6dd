"""What is built together: the modules that `go.mod` and `go.work` name, and which of a package's files are built here.

In: texts, file names.  Out: a module's path, the modules that it requires and replaces, the folders of a workspace of
modules; whether a file's name and first lines ask for what this machine builds.  Pure; a line that makes no sense is
left out.

    module example.com/shop
    require github.com/you/money v1.2.0
    replace github.com/you/money => ../money

    cart_test.go    cart_windows.go    cart_linux_arm64.go    //go:build linux && !cgo
"""

import ast
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

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
_LONGEST_PATH = 512


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


@dataclass(frozen=True, slots=True)
class Replaced:
    """What stands in for a module: another one, or a folder (no `version`).  `of`: which version it replaces; "" for
    every one."""

    path: str
    version: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True)
class ModFile:
    path: str = ""
    required: dict[str, str] = field(default_factory=dict)
    replaced: dict[str, tuple[Replaced, ...]] = field(default_factory=dict)

    def replacement(self, path: str, version: str) -> Replaced | None:
        """One for this version goes before one for every version."""
        found = sorted(self.replaced.get(path, ()), key=lambda one: not one.of)
        return next((one for one in found if one.of in ("", version)), None)


def mod_file(text: str) -> ModFile:
    path, required, replaced = "", dict[str, str](), dict[str, tuple[Replaced, ...]]()
    for verb, words in _statements(text):
        match verb, words:
            case "module", [name] if is_path(name):
                path = path or name
            case "require", [name, version] if is_path(name):
                required[name] = version
            case "replace", [name, *of, "=>", to] if len(of) <= 1:
                replaced[name] = (*replaced.get(name, ()), Replaced(to, "", "".join(of)))
            case "replace", [name, *of, "=>", to, version] if len(of) <= 1 and is_path(to):
                replaced[name] = (*replaced.get(name, ()), Replaced(to, version, "".join(of)))
    return ModFile(path, required, replaced)


def used_folders(text: str) -> list[str]:
    """The folders of the modules that a `go.work` puts together."""
    return [words[0] for verb, words in _statements(text) if verb == "use" and len(words) == 1]


def is_path(name: str) -> bool:
    """Whether it can be a package's path, which no part of leads elsewhere."""
    parts = name.split("/")
    return len(name) <= _LONGEST_PATH and "\\" not in name and "\0" not in name and not {"", ".", ".."} & set(parts)


def escaped(name: str) -> str:
    """A path or version as the module cache writes it: a capital letter is `!` and the small one."""
    return "".join(f"!{letter.lower()}" if "A" <= letter <= "Z" else letter for letter in name)


def _statements(text: str) -> Iterator[tuple[str, list[str]]]:
    """Verbs with their words; those in a block have the verb before it."""
    block = ""
    for line in text.splitlines():
        words = [word.strip('"`') for word in line.partition("//")[0].split()]
        if block and words == [")"]:
            block = ""
        elif block and words:
            yield block, words
        elif len(words) == 2 and words[1] == "(":
            block = words[0]
        elif words:
            yield words[0], words[1:]
