"""Ruby as a `Language`: its table, and what its queries cannot tell."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.syntax.calls import functions
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_around
from palimpsest.syntax.values import Argument, Import, Keywords, Parameter, Scope
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.ruby")
_HEREDOC = re.compile(r"<<[~-]?([\"'`]?)(?P<word>[A-Z_a-z]\w*)\1")
_BEGINS = r"(?:if|unless|while|until|for|case|begin)\b"
_OPENS = re.compile(
    rf"\A\s*(?:(?:private|protected|public)\s+)?def\b(?!.*\)\s*=|\s*[\w.?!]+\s*=\s)|\A\s*(?:class|module|{_BEGINS})"
    r"|\A\s*(?:else|elsif|when|in|rescue|ensure)\b"
    rf"|\bdo\s*(?:\|[^|]*\|)?\s*(?:#.*)?\Z|=\s*{_BEGINS}"
)
_ENDS = re.compile(r"\bend\b\W*\Z")
_CLAUSE = re.compile(r"\s*(?:end|else|elsif|when|in|rescue|ensure)\b|\s*[)\]}]")
_DEFINES = re.compile(r"\bdef\s+(?:self\.)?\w+[?!=]?\s*\Z")
_MAGIC = re.compile(r"(?m)^(?:-\*-.*|frozen_string_literal:.*|(?:en)?coding:.*|warn_indent:.*|rubocop:.*|typed:.*)\n?")
_FOLDERS = re.compile(r"\A(?:.*/)?(?:lib|app/[^/]+(?:/concerns)?)/(?=.)")
_SAY_WHO = frozenset({"private", "protected", "public", "module_function", "private_class_method", "private_constant"})
"""What is called with the names of methods."""
_METHODS = frozenset({"method", "singleton_method"})


class Ruby(Base):
    id = "ruby"
    name = "Ruby"
    language_ids = ("ruby",)
    suffixes = (".rb", ".rake", ".gemspec", ".ru", ".rbi")
    test_names = ("{}_spec", "{}_test", "test_{}")
    before_own = re.compile(r"self\.\Z")
    keyword_mark = ": "
    clause = _CLAUSE
    defining = _DEFINES
    heredoc = _HEREDOC
    grammar_module = "tree_sitter_ruby"
    # A string may go on for lines, but hardly ever does; a stray quote in a pattern must not swallow the file.
    lexical = Lexical(("#",), (("=begin", "=end"),), quotes=('"', "'", "`"))
    doc_comments = ("#",)
    identifiers = frozenset(
        {"identifier", "constant", "instance_variable", "class_variable", "global_variable", "hash_key_symbol"}
    )
    opaque = frozenset({"call", "element_reference", "scope_resolution"})
    texts = frozenset({"simple_symbol"})
    import_hint = "require"
    builtins = _WORDS["constants"] | _WORDS["functions"]
    builtin_members = _WORDS["members"] | _WORDS["functions"]
    common_words = _WORDS["keywords"] | builtins
    constructor = "initialize"
    initializers = frozenset({"initialize"})
    receiver = "self"
    global_names = True
    class_parts = ("self",)
    instance_mark = "@"
    omitted_body = " ... end"
    bare_members = True
    merges_classes = True
    bare_calls = True
    mixes_namespaces = True

    def names_in(self, parsed: Parsed, text: Node, start: int, end: int) -> bool:
        """The name of a method that is given to what says who may use it, `private :total`."""
        call = text.parent.parent if text.parent is not None and text.parent.type == "argument_list" else None
        said = call.child_by_field_name("method") if call is not None and call.type == "call" else None
        is_whole = (text.start_byte + 1, text.end_byte) == (start, end)
        return is_whole and said is not None and parsed.text_of(said) in _SAY_WHO

    def outline(self, parsed: Parsed, scope: Scope) -> str:
        written = self.signature(parsed, scope)
        return f"{written} ..." if written.endswith(" =") else super().outline(parsed, scope)

    def docstring(self, parsed: Parsed, scope: Scope) -> str | None:
        found = super().docstring(parsed, scope)
        return _MAGIC.sub("", found).strip() or None if found else found

    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        if target.type == "simple_symbol":
            yield parsed.text_of(target).removeprefix(":")
        else:
            yield from super().bound(parsed, target)

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """A constant may be loaded by anybody, and a word may be a method of a module that is mixed in: only a name in
        a method of a class that stands alone is known to be a variable or a method of the document."""
        if name.type != "identifier":
            return True
        cls = class_around(parsed, name.start_point.row)
        # outside of a method, a block may run with another object as its `self`
        if cls is None or self.bases(parsed, cls) or not any(node.type in _METHODS for node in parsed.path(name)):
            return True
        body = "\n".join(parsed.snapshot.lines[cls.start_line : cls.end_line])
        return re.search(r"\b(?:include|extend|prepend|method_missing|define_method|instance_eval)\b", body) is not None

    def imported(self, parsed: Parsed, statement: Node) -> list[Import]:
        """Whatever a file defines can be used after it has been required."""
        method = statement.child_by_field_name("method")
        level = 1 if method is not None and parsed.text_of(method) == "require_relative" else 0
        found = super().imported(parsed, statement)
        return [Import(item.module, "*", None, level, item.line) for item in found]

    def module_name(self, file: str) -> str:
        """`shop/cart` for `lib/shop/cart.rb` and `app/models/shop/cart.rb`, as `require` and autoloading have it."""
        path = PurePosixPath(file)
        return _FOLDERS.sub("", path.with_suffix("").as_posix()) if path.suffix == ".rb" else path.name

    def is_own_member(self, parsed: Parsed, start: int, end: int) -> bool:
        return parsed.snapshot.utf8[start : start + 1] == b"@" or super().is_own_member(parsed, start, end)

    def argument(self, parsed: Parsed, node: Node) -> Argument:
        found = super().argument(parsed, node)
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if node.type != "pair" or key is None or key.type != "hash_key_symbol":
            return found
        written = parsed.text_of(key) if value is None else parsed.text_of(value)
        return Argument(found.start, found.end, found.text, parsed.text_of(key), written)

    def parameter(self, parsed: Parsed, node: Node) -> Parameter:
        found = super().parameter(parsed, node)
        kinds = {"keyword_parameter": "keyword", "block_parameter": "mark"}
        return replace(found, kind=kinds.get(node.type, found.kind))

    def opens_block(self, statement: str) -> bool:
        line = statement.rstrip().rpartition("\n")[2]
        return _OPENS.search(line) is not None and _ENDS.search(line) is None

    def keywords(self, parsed: Parsed, scope: Scope) -> Keywords | None:
        """A function that names none takes them together as its last argument."""
        declared = functions(parsed, scope.def_line, scope.header_end_line)
        has_own = any(one.kind == "keyword" for function in declared for one in function.parameters)
        return super().keywords(parsed, scope) if has_own and scope.kind == "function" else None


LANGUAGE = Ruby()
