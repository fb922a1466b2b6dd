"""Lua as a `Language`: its table, and what its queries cannot tell.

A class is a table that functions are put on, whatever library made it (`setmetatable`, `Class("Cart")`), since its
functions are all that its kinds have in common.
"""

import re
from pathlib import PurePosixPath

from palimpsest.languages.base import Base
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import enclosing, scope_at
from palimpsest.syntax.values import Scope
from palimpsest.text.word_lists import word_lists

WORDS = word_lists("palimpsest.languages.lua")
_OPENS = re.compile(r"\b(?:then|do|else|repeat)\s*(?:--.*)?\Z|\bfunction\b[^()]*\([^()]*\)\s*(?:--.*)?\Z")
_CLAUSE = re.compile(r"\s*(?:end|else|elseif|until)\b|\s*[)\]}]")
_PUT_ON = re.compile(r"\bfunction\s+(\w+)[.:]\w|^[ \t]*(\w+)\.\w+[ \t]*=[ \t]*function\b", re.M)
_HEAD = re.compile(r"(?<![\w.:)\]])([^\W\d]\w*)\s*[.:]\s*\Z")
_LONGEST_HEAD = 80
_DERIVED = re.compile(r"\bsetmetatable\s*\(\s*(\w+)\s*,\s*\{[^{}]{0,200}?\b__index\s*=\s*(\w+)")
"""A table that gets its base in a statement of its own."""
_DEFINES = re.compile(r"\bfunction(?:\s+[\w.:]+)?\s*\Z")


class Lua(Base):
    id = "lua"
    name = "Lua"
    language_ids = ("lua",)
    suffixes = (".lua",)
    test_names = ("{}_spec", "test_{}", "{}_test")
    clause = _CLAUSE
    defining = _DEFINES
    grammar_module = "tree_sitter_lua"
    lexical = Lexical(
        ("--",),
        # A long string has no escapes and ends with another mark than it begins with, as a block comment does.
        (("--[[", "]]"), ("--[=[", "]=]"), ("--[==[", "]==]"), ("[[", "]]"), ("[=[", "]=]"), ("[==[", "]==]")),
        quotes=('"', "'"),
    )
    doc_comments = ("---", "--")
    members = frozenset({"dot_index_expression"})
    opaque = frozenset({"bracket_index_expression", "method_index_expression", "function_call", "attribute"})
    import_hint = "require"
    builtins = WORDS["globals"]
    builtin_members = WORDS["members"]
    common_words = WORDS["keywords"] | builtins
    initializers = frozenset({"new", "init", "_init", "initialize", "ctor", "constructor", "create"})
    receiver = "self"
    omitted_body = " ... end"

    def holders(self, parsed: Parsed) -> frozenset[str]:
        return frozenset(one or other for one, other in _PUT_ON.findall(parsed.snapshot.text))

    def module_name(self, file: str) -> str:
        return ".".join(PurePosixPath(file).with_suffix("").parts).removesuffix(".init")

    def gives(self, source: str, file: str, module: str) -> bool:
        """As a file is required, from whatever folder."""
        name = source.replace("/", ".")
        return f".{module}".endswith(f".{name}")

    def takes_receiver(self, parsed: Parsed, scope: Scope) -> bool:
        return ":" not in self.signature(parsed, scope).partition("(")[0]

    def bases(self, parsed: Parsed, cls: Scope) -> frozenset[str]:
        later = (base for name, base in _DERIVED.findall(parsed.snapshot.text) if name == cls.name)
        return super().bases(parsed, cls) | frozenset(base for base in later if base != cls.name)

    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        """The table of a member behind its own name, and behind `self` in one of its functions."""
        data = parsed.snapshot.utf8
        head = _HEAD.search(data[max(0, start - _LONGEST_HEAD) : start].decode("utf-8", "replace"))
        if head is None:
            return frozenset()
        if head[1] != self.receiver:
            return frozenset({head[1]}) & self.holders(parsed)
        scope = scope_at(parsed, data.count(b"\n", 0, start), 0)
        return frozenset(around.class_name.rpartition(".")[2] for around in enclosing(scope) if around.owner)

    def opens_block(self, statement: str) -> bool:
        return _OPENS.search(statement.rstrip()) is not None


LANGUAGE = Lua()
