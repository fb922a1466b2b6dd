"""JavaScript as a `Language`: its table, and what its own modules tell better than queries.

Of imports, the module is as written, and a module as a whole has no name.  A module's own name is its path without
suffix, `src/cart`; of a folder's `index` it is the folder.

    import cart from "./cart.js"              ./cart.js, default as cart
    import { total as sum } from "./cart.js"  ./cart.js, total as sum
    import * as money from "money"            money as money
    const fs = require("fs")                  fs as fs
    const { read: get } = require("fs")       fs, read as get
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.languages.javascript import exports
from palimpsest.languages.typed_values import TypedValues
from palimpsest.syntax.imports import imports
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import, Scope
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.javascript")
_AFTER = r"[=(,:\[!&|?{};]"
REGEX = rf"/(?:(?<={_AFTER}/)|(?<={_AFTER} /)|(?<=return /))(?![/*])(?:\\.|\[(?:\\.|[^\]\n\\])*\]|[^/\n\\\[])+/"
"""A regular expression: behind what no operand can be."""
_DEFINES = re.compile(
    r"(?:\bfunction\b\s*\*?\s*[\w$]*|\bclass\s+[\w$]+|^\s*(?:async\s+|static\s+|get\s+|set\s+)+[\w$#]+)\Z"
)
_IS = " ="
_OBJECT = "{}"
"""The class of an object of which nothing says that it is another's."""
ELEMENTS = r"<([A-Z][\w$]*(?:\.[\w$]+)*)"
_NAMED_BY = {
    "assignment_pattern": "left",
    "object_assignment_pattern": "left",
    "pair_pattern": "value",
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
}
"""Where in a part of a pattern the names are that it binds."""
SUFFIXES = (".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
"""Files with these suffixes import each other."""
_DEFAULT, _EVERYTHING = "default", "*"
MOST_ROWS = 100
"""Lines of a statement in which its module is looked for."""
_INDEX = "index"
_ROOTS = ("@/", "~/", "#/")
"""How projects commonly begin a path from the folder of their sources."""
_MODULE = frozenset({"import_statement", "export_statement"})
_NAMES_IMPORTED = re.compile(
    r"""(import\s+(?:[\w$]+\s*,\s*)?\{\s*)([^{}]+?)(,?\s*\}\s*from\s*(?:"[^"]*"|'[^']*')\s*;?\s*)"""
)
"""`import { a, b } from "m"`, with a default or without."""

_TYPED = TypedValues(
    members={"member_expression": ("object", "property")},
    calls={"call_expression": "function"},
    made={"new_expression": "constructor", "as_expression": "type"},
    this=frozenset({"this"}),
    types=("type", "return_type"),
    wrapped=frozenset({"parenthesized_expression", "await_expression", "non_null_expression"}),
    names=frozenset({"identifier", "type_identifier", "property_identifier", "private_property_identifier"}),
    untyped=True,
    nameless=frozenset({"object_type"}),
)


class JavaScript(Base):
    id = "javascript"
    name = "JavaScript"
    language_ids: tuple[str, ...] = ("javascript", "javascriptreact")
    other_names: tuple[str, ...] = ("js", "jsx", "node")
    suffixes: tuple[str, ...] = (".js", ".jsx", ".mjs", ".cjs")
    test_names = ("{}.test", "{}.spec", "{}-test", "{}_test")
    tested_beside = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx")
    query_files: tuple[str, ...] = ("queries.scm", "own.scm")
    defining = _DEFINES
    grammar_module = "tree_sitter_javascript"
    values = _TYPED
    lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"', "'"), block_quotes=("`",), literals=REGEX)
    doc_comments = ("/**",)
    identifiers = frozenset(
        {
            "identifier",
            "property_identifier",
            "private_property_identifier",
            "shorthand_property_identifier",
            "shorthand_property_identifier_pattern",
            "type_identifier",
        }
    )
    members = frozenset({"member_expression"})
    opaque = frozenset({"this", "comment", "computed_property_name", "string", "number", "subscript_expression"})
    import_hint = ("import", "require")
    member_marks = (".", "?.")
    builtins = _WORDS["globals"] | _WORDS["platform"] | _WORDS["tests"]
    builtin_members = _WORDS["members"]
    object_members = _WORDS["of_objects"]
    dynamic_members = ("Proxy", r"\bassign\b", "definePropert(y|ies)", r"\[\w+\s*(:|in\s)[^]]*\]\??:")
    base_members = MappingProxyType({"Error": _WORDS["of_errors"], "TypeError": _WORDS["of_errors"]})
    before_imports = frozenset({"hash_bang_line"})
    common_words = _WORDS["keywords"] | _WORDS["globals"]
    elements = ELEMENTS
    constructor = "constructor"
    initializers = frozenset({"constructor"})
    annotations = frozenset({"decorator"})
    leading = frozenset({"comment", "decorator"})
    wrappers = frozenset({"export_statement", "ambient_declaration"})
    names_imported = _NAMES_IMPORTED

    # Definitions
    def signature(self, parsed: Parsed, scope: Scope) -> str:
        """Of a value without what leads to its body; whole where a call is around the function, `memo(`."""
        text = super().signature(parsed, scope).removesuffix(_IS)
        return text + _closing(text)

    def outline(self, parsed: Parsed, scope: Scope) -> str:
        header = super().signature(parsed, scope)
        if not scope.has_body or not (_closing(header) or header.endswith(_IS)):
            return super().outline(parsed, scope)
        return header + self.omitted_body + _closing(header)

    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        node = parsed.node_at(start, end)
        is_key = node is not None and node.parent is not None and node.parent.type not in self.members
        if node is None or not is_key or node.type != "property_identifier":
            return super().owners(parsed, start, end)
        made = _described(node)
        return frozenset({_OBJECT}) if made is None else _TYPED.class_of(parsed, made)

    # Names
    def hides(self, parsed: Parsed, name: str, start: int) -> bool:
        return name.startswith("#") or super().hides(parsed, name, start)

    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        named = target.child_by_field_name(_NAMED_BY[target.type]) if target.type in _NAMED_BY else None
        return super().bound(parsed, target if named is None else named)

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """A script that imports and exports nothing shares its names with others of the page."""
        return not parsed.once(_is_module)

    def renamed(self, parsed: Parsed, start: int, end: int, new: str) -> str:
        """A short property, `{ item }`, is a member too, and so is what is taken out of one; in `module.exports` it is
        the name that others use."""
        node = parsed.node_at(start, end)
        is_short = node is not None and node.type.startswith("shorthand_property_identifier")
        is_short = is_short and node is not None and not exports.lists(parsed, node)
        return f"{parsed.text_of(node)}: {new}" if is_short and node is not None else new

    # Imports and modules
    def import_written(self, parsed: Parsed, item: Import) -> str:
        """One imported name as a statement, in the way of the statement that it is from."""
        line = parsed.snapshot.lines[item.line]
        source = f'"{item.module}"'
        if not line.lstrip().startswith(("import", "export")):
            if item.name is None:
                return f"const {item.bound} = require({source});"
            named = item.name if item.alias is None else f"{item.name}: {item.alias}"
            return f"const {{ {named} }} = require({source});"
        start = "import type" if line.lstrip().startswith("import type ") else "import"
        if item.name is None:
            return f"{start} * as {item.bound} from {source};"
        if item.name == _DEFAULT:
            return f"{start} {item.bound} from {source};"
        named = item.name if item.alias is None else f"{item.name} as {item.alias}"
        return f"{start} {{ {named} }} from {source};"

    def import_added(self, parsed: Parsed, item: Import) -> str:
        """A new statement, in the way of those that the file has.  Whether a module is a value of its own or has it by
        name, others' imports do not tell for sure, so only names are imported."""
        there = imports(parsed)
        lines = [_with_source(parsed, one) for one in there]
        if item.name in (None, _EVERYTHING):
            return ""
        quote = "'" if sum("'" in line for line in lines) > len(lines) / 2 else '"'
        end = "" if lines and not any(line.rstrip().endswith(";") for line in lines) else ";"
        if lines and not any(parsed.snapshot.lines[one.line].lstrip().startswith("import") for one in there):
            named = f"{item.name}: {item.alias}" if item.alias else item.name
            is_required = item.name != _DEFAULT and any("require(" in line for line in lines)
            return f"const {{ {named} }} = require({quote}{item.module}{quote}){end}" if is_required else ""
        named = item.bound if item.name == _DEFAULT else f"{{ {item.name}{f' as {item.alias}' if item.alias else ''} }}"
        return f"import {named} from {quote}{item.module}{quote}{end}"

    def repeats(self, parsed: Parsed, item: Import, other: Import) -> bool:
        """Also where a module is loaded by a call that a statement imports already."""
        ways = [parsed.snapshot.lines[one.line].lstrip().startswith("import") for one in (item, other)]
        is_same = item.module.removeprefix("node:") == other.module.removeprefix("node:")
        return (ways == [False, True] and is_same) or super().repeats(parsed, item, other)

    def module_name(self, file: str) -> str:
        return module_name(file)

    def gives(self, source: str, file: str, module: str) -> bool:
        """Whether an import from `source` in `file` may mean a module."""
        if source.startswith("."):
            path = posixpath.normpath(posixpath.join(PurePosixPath(file).parent.as_posix(), source))
            return module == module_name(path) or module == path
        for root in _ROOTS:
            if source.startswith(root):
                end = module_name(source.removeprefix(root))
                return module == end or module.endswith(f"/{end}")
        return False

    def import_source(self, parsed: Parsed, name: Node) -> str:
        """Of what is passed on of another module, too."""
        above = next((node for node in reversed(parsed.path(name)) if node.type == "export_statement"), None)
        source = above.child_by_field_name("source") if above is not None else None
        return super().import_source(parsed, name) if source is None else parsed.text_of(source)[1:-1]

    def means_module(self, head: str, imported: Sequence[Import], file: str, module: str) -> bool:
        whole = (item for item in imported if item.bound == head and item.name is None)
        return any(self.gives(item.module, file, module) for item in whole)


def _described(key: Node) -> Node | None:
    """The type that is said of the object that has the key, `const one: Cart = { size: 1 }`."""
    holder = key.parent.parent if key.parent is not None else None
    above = holder.parent if holder is not None and holder.type in ("object", "object_pattern") else None
    if above is None:
        return None
    is_said = above.type in ("as_expression", "satisfies_expression")
    return above.named_children[-1] if is_said else above.child_by_field_name("type")


def _closing(header: str) -> str:
    """The brackets that are still open behind a header."""
    return ")" * (header.count("(") - header.count(")"))


def _with_source(parsed: Parsed, item: Import) -> str:
    """The line of a statement that has its module, which may be some lines below its first."""
    below = parsed.snapshot.lines[item.line : item.line + MOST_ROWS]
    quoted = (f"'{item.module}'", f'"{item.module}"')
    return next((line for line in below if any(text in line for text in quoted)), below[0])


def module_name(file: str) -> str:
    """`src/cart.js` is `src/cart`, `src/cart/index.js` too."""
    bare = _without_suffix(file)
    folder, name = posixpath.split(bare)
    return folder if name == _INDEX and folder else bare


def _without_suffix(file: str) -> str:
    suffix = next((one for one in SUFFIXES if file.lower().endswith(one)), "")
    return file[: len(file) - len(suffix)]


def _is_module(parsed: Parsed) -> bool:
    if parsed.root is None:
        return False
    if any(child.type in _MODULE for child in parsed.root.children):
        return True
    return "require(" in parsed.snapshot.text or "module.exports" in parsed.snapshot.text


LANGUAGE = JavaScript()
