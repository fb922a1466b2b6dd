"""What `go.mod` and `go.work` say.

In: their texts.  Out: a module's path, the modules that it requires and replaces, the folders of a workspace of
modules.  Pure; a line that makes no sense is left out.

    module example.com/shop
    require github.com/you/money v1.2.0
    replace github.com/you/money => ../money
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

_LONGEST_PATH = 512


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
