"""Bash as a `Language`: its table, and what its queries cannot tell.

Functions have no parameters, and calls no brackets.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import
from palimpsest.text.word_lists import word_lists

_HEREDOC = re.compile(r"(?<!<)<<-?\s*([\"']?)\\?(?P<word>[^\W\d]\w*)\1")
_OPENS = re.compile(r"(?:\b(?:then|do|else|in)|\{|\A\s*\(?[^()\s]+\))\s*(?:#.*)?\Z")
_CLAUSE = re.compile(r"\s*(?:fi|done|esac|else|elif|then|do)\b|\s*(?:[)\]}]|;;)")
_DEFINES = re.compile(r"(?:\bfunction\s+|^\s*)[\w:.-]+\s*\Z")
_WORDS = word_lists("palimpsest.languages.bash")
_OWN_FOLDER = r"dirname\b[^)]*(?:\$\{?0|BASH_SOURCE)|BASH_SOURCE[^}]*%/\*|\$\{0%/\*"
_SUBSTITUTED = re.compile(
    rf"\A(?:\$\((?=.*(?:{_OWN_FOLDER})).*\)|\$\{{(?:BASH_SOURCE(?:\[0\])?|0)%/\*\}})/(?P<rest>.*)\Z"
)
_VARIABLE = re.compile(r"\A\$\{?(?P<name>\w+)\}?/(?P<rest>.*)\Z")
_LITERAL = re.compile(r"[\w./+@-]+\Z")
_UP = re.compile(r"/(\.\.(?:/\.\.)*)[\"')\s&]")


class Bash(Base):
    id = "bash"
    name = "Bash"
    language_ids = ("shellscript", "bash", "sh", "zsh", "ksh")
    suffixes = (".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild", ".bashrc")
    clause = _CLAUSE
    defining = _DEFINES
    heredoc = _HEREDOC
    grammar_module = "tree_sitter_bash"
    lexical = Lexical(("#",), quotes=('"', "'", "`"), spaced_comments=True)
    doc_comments = ("#",)
    identifiers = frozenset({"variable_name", "word"})
    opaque = frozenset({"subscript"})
    import_hint = ""
    builtins = _WORDS["commands"] | _WORDS["variables"]
    common_words = _WORDS["keywords"] | _WORDS["commands"]
    receiver = ""

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """Commands are anywhere on the machine, and the environment and other scripts define variables."""
        text = parsed.text_of(name)
        return name.type != "variable_name" or text.upper() == text or super().may_be_elsewhere(parsed, name)

    def imported(self, parsed: Parsed, statement: Node) -> list[Import]:
        """Whatever a script defines can be used after it has been read."""
        found = super().imported(parsed, statement)
        paths = ((item, literal_path(item.module, parsed.snapshot.lines[: item.line])) for item in found)
        return [Import(path or "", "*", None, 1, item.line) for item, path in paths]

    def opens_block(self, statement: str) -> bool:
        return _OPENS.search(statement.rstrip().rpartition("\n")[2]) is not None


def literal_path(written: str, above: Sequence[str]) -> str | None:
    text = written.strip("\"'")
    if (own := _SUBSTITUTED.match(text)) is not None:
        text = own["rest"]
    elif (variable := _VARIABLE.match(text)) is not None:
        folder = _folder(variable["name"], above)
        if folder is None:
            return None
        text = folder + variable["rest"]
    return text if _LITERAL.match(text) and not text.startswith("/") else None


def _folder(name: str, above: Sequence[str]) -> str | None:
    """`` or `../` if the variable is the script's own folder or one around it; None if it is another one."""
    assigned = re.compile(rf"\b{re.escape(name)}=")
    line = next((line for line in reversed(above) if assigned.search(line)), "")
    if not re.search(_OWN_FOLDER, line):
        return None
    up = _UP.search(line)
    return "" if up is None else f"{up[1]}/"


LANGUAGE = Bash()
