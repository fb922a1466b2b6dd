"""Syntax trees (`Parsed`) and the interface of a language (`Language`).

In: snapshots.  Out: parses.  Does not know about files, editors or particular languages: the differences between
languages are in the `Language` of a parse, which `languages/` implements.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import tree_sitter
from tree_sitter import Node, Point, Query, QueryCursor, Tree

from palimpsest.syntax.lexical import Lexical, tokens
from palimpsest.syntax.values import Argument, Embedded, Header, Import, Keywords, Parameter, Scope, Trial
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import Snapshot

MOST_PUNCTUATION = 5_000
"""Maximum number of unnamed nodes among the children of one node of broken code: a query takes quadratic time in them,
a minute for 200,000 open brackets."""
MOST_AT_ONCE = 500
"""Places at which a query may have begun to match and not ended: code has some 60, and calls that are nested 30,000
deep take quadratic time in them.  Of more, those that began first are given up."""
PATIENCE_S, PATIENCE_PER_BYTE_S = 0.05, 2e-6
"""One parse may take so much of the thread's own time. Sound code takes a tenth of that; the parsers take quadratic
time for some broken code, minutes for a megabyte of it."""
_CHUNK = 2048
"""Bytes that tree-sitter is given at a time."""
_FEWEST_OF_A_PART = 1024
"""Bytes of a part of a text that is tried alone."""
_SMALL = 16_384
"""Bytes that are parsed in a moment, so that a part more costs little."""
_CLAUSE = re.compile(r"\s*(else|catch|finally|case|default)\b|\s*[)\]}]")
_DEFINES = re.compile(r"\b(def|class|function|func|fn)\s+\w+\Z")
_PAIRS = ("()", "[]", "{}")
T = TypeVar("T")


class Language(Protocol):
    """What differs from one language to another, by who asks.

    `languages/base.py` has what a grammar's queries find, and says what the sections of a query file are.  A language
    without a grammar has no tree and no query; what needs one is empty there.  Lines are 0-based and half-open; nodes
    and bytes are those of the `Parsed` that comes with them.
    """

    # Which files are of a language, and which test them: for who looks for files
    id: str = ""
    """The name of its folder, or LSP's id if the language has no folder here."""
    name: str = ""
    """The name as people write it."""
    language_ids: tuple[str, ...] = ()
    """LSP's ids for it."""
    other_names: tuple[str, ...] = ()
    """What people call it where they show code of it."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of its file names, with the dot, in lower case."""
    header_suffixes: frozenset[str] = frozenset()
    """Suffixes of files that declare what others define."""
    others: Mapping[str, re.Pattern[str]] = MappingProxyType({})
    """The ids of other languages that files of these suffixes may be in, each with what only that language has."""
    test_names: tuple[str, ...] = ("test_{}", "{}_test")
    """What the test of a file is called, without the suffix, with `{}` for the file's own name."""
    tested_beside: tuple[str, ...] = ()
    """Suffixes of files in other languages that test its files, or that its tests are of."""
    fixture_files: tuple[str, ...] = ()
    """Names of files that have what tests in their folder and below take by the names of parameters."""

    def is_included(self, file: str) -> bool:
        """Whether other files include a file, so that they see what it has for itself."""
        return False

    def module_name(self, file: str) -> str:
        """The module name that imports use for a file (a path relative to its root, with `/`); else the file's own
        name."""
        return PurePosixPath(file).name

    # How a text becomes a tree, and what in it is a name, a string or another language: for parsers and searches
    text_end: bytes = b""
    """A line's end, where the grammar looks for one and not for the end of the text: a parser is given it behind one
    that has none."""
    is_checked: bool = True
    """Whether what the grammar calls an error is one; else nothing counts as an error."""
    identifiers: frozenset[str] = frozenset({"identifier"})
    """Types of nodes that are a single name."""
    texts: frozenset[str] = frozenset()
    """Types of nodes that are pieces of strings in which the grammar does not look for names (`names_in`)."""
    code_in_texts: bool = False
    """Whether these have code, members behind their objects too."""
    wrappers: frozenset[str] = frozenset()
    """Types of nodes that hold one definition, and what stands before it: `export`."""
    annotations: frozenset[str] = frozenset()
    """Types of nodes at the beginning of a definition that are not part of its header."""
    before_imports: frozenset[str] = frozenset()
    """Types of nodes at the top of a file that stand before its imports, besides documentation."""
    names_imported: re.Pattern[str] | None = None
    """An import of names that another one can join, in one line: what is before the names, they, what is behind."""

    @property
    def grammar(self) -> tree_sitter.Language | None: ...

    def query(self, section: str) -> Query | None:
        """A section of the query file, compiled; None if it does not exist."""

    def may_parse(self, text: str) -> bool:
        """Whether the grammar can be given a text; else the text has no tree."""

    def trial(self, snapshot: Snapshot) -> Trial:
        """What became of a process of its own that has parsed the text and what is embedded in it."""
        return "lives"

    def relaxed(self, code: bytes, *, is_broken: bool) -> bytes:
        """UTF-8 with blanks for what the grammar cannot know, every byte where it was; `is_broken`: as it is, it does
        not parse."""
        return code

    def embedded(self, parsed: Parsed, lines: range) -> Sequence[Embedded]:
        """The parts of a document that touch some lines and are in other languages, in order."""
        return ()

    # What lines say without a tree: for the editing block, and for what ends a completion
    lexical: Lexical = Lexical()
    indented: bool = False
    """Whether blocks are defined by indentation."""
    clause: re.Pattern[str] = _CLAUSE
    """How a line begins that belongs to the block above it."""
    defining: re.Pattern[str] = _DEFINES
    """The end of what stands before the parameters of a definition."""
    whole_file: bool = False
    """Whether an editing block is always a part of the whole file: in data and prose, which have no functions."""

    def statements(self, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        """The lines of each statement and comment in `start..end`, in order; blank lines are in none."""

    def headers(self, lines: Sequence[str], start: int, end: int) -> list[Header]:
        """The definitions in lines that do not parse, in order of their first line."""
        return []

    def is_string_open(self, lines: Sequence[str], start: int, end: int) -> bool:
        """Whether a string over several lines that begins in the lines does not end there."""
        return False

    def is_whole(self, line: str) -> bool:
        """Whether a statement that begins on the line certainly ends there."""
        if line.endswith("\\"):
            return False
        quote, open_ = "", list[str]()
        for token in tokens(line, self.lexical):
            quote = token.quote if token.kind in ("begin", "end") else quote
            if token.kind == "open":
                open_.append(line[token.start])
            elif token.kind == "close" and (not open_ or open_.pop() + line[token.start] not in _PAIRS):
                return False
        return not quote and not open_

    def opens_block(self, statement: str) -> bool:
        """Whether the body of a statement follows it."""
        # for braces: they are part of the block, so that it has several lines
        return "\n" in statement.strip()

    def continues_block(self, line: str) -> bool:
        """Whether a line indented like a block's head belongs to the block: a clause, a closing bracket."""
        return self.clause.match(line) is not None

    def defines(self, before: str) -> bool:
        """Whether the text before a bracket makes it the bracket of a definition's parameters."""
        return self.defining.search(before) is not None

    # Headers, documentation and members of definitions: for skeletons, blocks and descriptions
    doc_comments: tuple[str, ...] = ()
    """How comments begin that document the definition below them; empty if documentation is in a body."""
    omitted_body: str = " { ... }"
    """The text that replaces a body after its signature."""
    overloads: bool = False
    """Whether functions of the same name differ by their parameters."""
    hides_implementation: bool = False
    """Whether of a function with several signatures only those without a body can be called."""
    declares: bool = False
    """Whether what one file defines is declared in others, which include each other (`sees`)."""
    type_first: bool = False
    """Whether a declaration has its type before the name."""
    type_mark: str = ": "
    """What stands between a name and its type, if the name is first."""
    constructor: str = ""
    """The method that runs when a class is called; `{}` stands for the class's name; "" if it has no fixed name."""
    initializers: frozenset[str] = frozenset()
    """The methods in which an object gets its attributes."""
    receiver: str = "this"
    """The name of the object inside a method; "" if that is the first parameter."""
    instance_mark: str = ""
    """What the name of every attribute of an object begins with, where it has no receiver before it."""
    class_parts: tuple[str, ...] = ()
    """What the parts of a class are called whose members are used by the class's own name: `Cart.of`."""
    merges_classes: bool = False
    """Whether several declarations of one name in a file are one class."""

    def signature(self, parsed: Parsed, scope: Scope) -> str:
        """The header on one line, without anything before the definition itself."""

    def outline(self, parsed: Parsed, scope: Scope) -> str:
        """The signature with what replaces the body, if there is one."""

    def is_constructor(self, name: str, cls: str) -> bool:
        """Whether a method of that name runs when its class, of that name, is called."""
        return bool(name) and name == self.constructor.replace("{}", cls)

    def header(self, parsed: Parsed, scope: Scope) -> tuple[Parsed, range]:
        """A parse that contains the header, and its lines there: those of the document, unless these may not parse."""
        return parsed, range(scope.def_line, scope.header_end_line)

    def docstring(self, parsed: Parsed, scope: Scope) -> str | None:
        """The documentation in the body of a definition or file, without its delimiters and indent."""

    def leads(self, parsed: Parsed, node: Node) -> bool:
        """Whether a node directly above a definition belongs to it: an attribute, documentation."""

    def docstring_lines(self, parsed: Parsed, scope: Scope, end: int) -> tuple[int, int]:
        """(The line after the first line of its text, the line after its last line); (0, 0) if there is none before
        `end`."""
        return 0, 0

    def docstring_written(self, text: str) -> str:
        """One line of documentation as it is written in a body."""
        mark = next(iter(self.lexical.line_comments), "")
        return f"{mark} {text}".lstrip()

    def is_fixture(self, parsed: Parsed, scope: Scope) -> bool:
        """Whether a function makes what tests take by its name."""
        return False

    def takes_receiver(self, parsed: Parsed, scope: Scope) -> bool:
        """Whether a method's first parameter is its object, which calls do not pass."""
        return False

    def holders(self, parsed: Parsed) -> frozenset[str]:
        """Names of values that functions of the file are put on, which makes them classes (`@holder`)."""
        return frozenset()

    def bases(self, parsed: Parsed, cls: Scope) -> frozenset[str]:
        """The last names of a class's bases as written, and of what it mixes in."""

    # Which names are known without a definition, and who sees which: for lookups and renames
    builtins: frozenset[str] = frozenset()
    """Names that are known without a definition."""
    builtin_members: frozenset[str] = frozenset()
    """Members that values of built-in types have."""
    object_members: frozenset[str] = frozenset()
    """Members that every object, class and module has."""
    dynamic_members: tuple[str, ...] | None = None
    """Patterns of what a class or module has whose objects may have members that nobody wrote: `__getattr__`.  None:
    any may, or nobody can tell which class a value is of."""
    knows_builtins: bool = False
    """Whether `builtin_members` are all members of values of built-in types, and `owners` names these types too."""
    base_members: Mapping[str, frozenset[str]] = MappingProxyType({})
    """The members of classes of its own library that others are often derived from."""
    extensible: bool = False
    """Whether code outside of a class and its module may give it members, each defined by its name."""
    narrowing: frozenset[str] = frozenset({"instanceof", "is", "as", "match", "switch", "typeof", "when"})
    """Words that stand before or behind a value where code asks which class it is of."""
    common_words: frozenset[str] = frozenset()
    """Words that say nothing about the topic of a text that contains them."""
    global_names: bool = False
    """Whether code uses the classes of other files by their names alone."""
    bare_members: bool = False
    """Whether methods use the members of their class by plain names."""
    mixes_namespaces: bool = False
    """Whether classes take the functions of a namespace for their own members."""
    member_marks: tuple[str, ...] = (".",)
    """What stands between a value or a module and its member; first what stands behind the receiver."""
    sigil: str = ""
    """What the name of a variable begins with where it is declared, and the name of a member behind an object does
    not."""
    elements: str = ""
    """A pattern of the name in an element of markup that a function or class of the program makes, whose attributes are
    what that takes; "" where code has none."""

    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        """The names that a target binds, dotted ones too: `a`, `self.a`; of a parameter its own first."""

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """Whether a name that its document does not define may be defined in another file, without an import of that
        name: by an import of everything, in a base class, in a file of the same package."""

    def hides(self, parsed: Parsed, name: str, start: int) -> bool:
        """Whether a member of that name, which is declared at a byte, is for code near it alone (`is_near`)."""
        return False

    def is_near(self, file: str, other: str) -> bool:
        """Whether code in the file `other` may use what `file` hides."""
        return False

    def names_in(self, parsed: Parsed, text: Node, start: int, end: int) -> bool:
        """Whether the bytes are the name of a variable in a piece of a string: `$name`."""
        return False

    def renamed(self, parsed: Parsed, start: int, end: int, new: str) -> str:
        """What is written for a local name at these bytes that is `new` now: more than that where the old name is also
        a member's."""
        return new

    def takes_fixture(self, parsed: Parsed, name: str, start: int) -> bool:
        """Whether a parameter of that name, or a string, stands for a fixture."""
        return False

    # What imports give, and how they are written: for lookups, renames and new imports
    import_hint: str | tuple[str, ...] = "import"
    """A word that occurs on a line of every import, or several of which one does, so that only such lines are
    examined."""

    def imported(self, parsed: Parsed, statement: Node) -> list[Import]:
        """The names of one import statement."""

    def import_written(self, parsed: Parsed, item: Import) -> str:
        """One imported name as a statement on one line."""
        return parsed.snapshot.lines[item.line].strip()

    def repeats(self, parsed: Parsed, item: Import, other: Import) -> bool:
        """Whether an import gives nothing that another one in the same document does not."""
        return (item.module, item.name, item.level, item.bound) == (other.module, other.name, other.level, other.bound)

    def import_added(self, parsed: Parsed, item: Import) -> str:
        """A statement for a name that the file does not import yet, in its own style; "" where nobody can tell."""
        return ""

    def import_source(self, parsed: Parsed, name: Node) -> str:
        """The module, as written, that a name is imported from."""

    def packages(self, parsed: Parsed) -> Sequence[str]:
        """The packages or namespaces that the file declares what it defines to be in."""

    def gives(self, source: str, file: str, module: str) -> bool:
        """Whether an import from `source` in `file` may provide what `module` defines."""
        return False

    def sees(self, imported: Sequence[Import], file: str, other: str) -> bool:
        """Whether code in a file uses what another file defines by its plain name, without an import."""
        return False

    def means_module(self, head: str, imported: Sequence[Import], file: str, module: str) -> bool:
        """Whether `head`, as in `head.name`, refers to `module` because of one of the imports of `file`."""
        return False

    # Classes of values, calls and what these pass: for lookups and changed signatures
    labels: bool = False
    """Whether what stands before an argument is a part of the function's name, so that two may be the same."""
    has_labels: bool = False
    """Whether what arguments are passed by are labels, of which a call may have one twice."""
    keyword_mark: str = ""
    """What stands between the name and the value of an argument that is passed by name; "" if none is."""
    bare_calls: bool = False
    """Whether a method is called without brackets."""

    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        """Words for the classes that own the member at these bytes; empty if nothing is known."""
        return frozenset()

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        """`a.b` of the member at these bytes in `a.b.name`; empty if it is more than dotted names."""
        return ""

    def argument(self, parsed: Parsed, node: Node) -> Argument: ...

    def parameters(self, parsed: Parsed, holder: Node) -> tuple[Parameter, ...]: ...

    def is_awaited(self, call: Node) -> bool:
        return call.parent is not None and "await" in call.parent.type

    def is_chained(self, call: Node) -> bool:
        """Whether a call's value is used directly, as in `f().x`."""
        above = call.parent
        fields = ("object", "function", "value") if above is not None else ()
        return any(above.child_by_field_name(field) == call for field in fields if above is not None)

    def awaited(self, call: str, *, chained: bool) -> str:
        """The call with its value awaited."""
        return f"(await {call})" if chained else f"await {call}"

    def keywords(self, parsed: Parsed, scope: Scope) -> Keywords | None:
        """The names by which a call of a function or class may pass arguments; None where nobody can tell."""
        return None

    def by_name(self, name: str, value: str) -> str | None:
        """An argument passed by name; None if the language has no such arguments."""
        return f"{name.removeprefix(self.sigil)}{self.keyword_mark}{value}" if self.keyword_mark else None


@dataclass(frozen=True, eq=False)
class Parsed:
    """A snapshot with its tree; `tree` is None for a language without a grammar.  `part`: the lines that are in this
    language, if others are not.  `is_hurried`: the tree is that of an older version, its places moved; or there is none
    because the parse takes too long.  `as_written`: the tree of the text as it is, where `tree` is that of the text
    with blanks for what the grammar cannot know (`Language.relaxed`)."""

    snapshot: Snapshot
    tree: Tree | None
    language: Language
    part: range | None = None
    is_hurried: bool = False
    as_written: Tree | None = None
    _derived: dict[Callable[..., Any], Any] = field(default_factory=dict, repr=False)

    @property
    def root(self) -> Node | None:
        return None if self.tree is None else self.tree.root_node

    @property
    def lines(self) -> range:
        """The lines that are in the language."""
        return range(self.snapshot.line_count) if self.part is None else self.part

    @cached_property
    def n_errors(self) -> int:
        """ERROR and missing nodes."""
        return 0 if self.root is None or not self.language.is_checked else n_errors_in(broken_nodes(self.root))

    @cached_property
    def _is_too_wide(self) -> bool:
        """Whether queries would take too long, in which case the tree is not searched."""
        return self.root is not None and _is_wide(self.root)

    def once(self, make: Callable[[Parsed], T]) -> T:
        """`make(self)`, computed on first use and kept with this parse; `make` must be a module-level function."""
        if make not in self._derived:
            self._derived[make] = make(self)
        result: T = self._derived[make]
        return result

    def text_of(self, node: Node) -> str:
        return self.snapshot.utf8[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")

    def node_at(self, start: int, end: int) -> Node | None:
        """The smallest node that holds these bytes."""
        return None if self.root is None else self.root.descendant_for_byte_range(start, end)

    def path(self, node: Node) -> list[Node]:
        """The nodes from the root to one of the tree.  Each would look for the one above it from the root on."""
        path, above = list[Node](), self.root
        while above is not None:
            path.append(above)
            above = None if above == node else above.child_with_descendant(node)
        return path

    def matches(
        self, section: str, start_line: int | None = None, end_line: int = 0, *, max_depth: int | None = None
    ) -> list[dict[str, list[Node]]]:
        """Captures of a query section, in document order.

        With `start_line`, only matches that touch the lines `start..end`; with `max_depth`, only those that start at
        most that many nodes below the root, which is far cheaper than searching the whole tree.
        """
        cursor = self._cursor(section, start_line, end_line)
        if cursor is None or self.root is None:
            return []
        if max_depth is not None:
            cursor.set_max_start_depth(max_depth)
        return [captures for _, captures in cursor.matches(self.root)]

    def matches_in(self, node: Node, section: str) -> list[dict[str, list[Node]]]:
        """Captures of a query section in one node, in document order."""
        cursor = self._cursor(section, None, 0)
        return [] if cursor is None else [captures for _, captures in cursor.matches(node)]

    def captures(self, section: str, start_line: int, end_line: int) -> dict[str, list[Node]]:
        """Nodes by capture name, for cases where it does not matter which belong together; faster than `matches`."""
        cursor = self._cursor(section, start_line, end_line)
        return {} if cursor is None or self.root is None else cursor.captures(self.root)

    def _cursor(self, section: str, start_line: int | None, end_line: int) -> QueryCursor | None:
        query = None if self.tree is None or self._is_too_wide else self.language.query(section)
        if query is None:
            return None
        cursor = QueryCursor(query, match_limit=MOST_AT_ONCE)
        if start_line is not None:
            # Up to the end of the last line, not the start of the next one, which would include that line's first node.
            last = min(end_line, self.snapshot.line_count) - 1
            if last < start_line:
                return None
            cursor.set_point_range((start_line, 0), (last, len(utf8(self.snapshot.lines[last])) + 1))
        return cursor


def parse_file(text: str, language: Language, uri: str = "") -> Parsed:
    """A parse of a text that may be anything: it has no tree where another process does not live through it in time."""
    snapshot = Snapshot(uri, 0, language.id, text)
    if language.grammar is not None and language.may_parse(text) and language.trial(snapshot) != "lives":
        return Parsed(snapshot, None, language, is_hurried=True)
    return parse_snapshot(snapshot, language, is_tried=True)


def parse_text(text: str, language: Language) -> Parsed:
    """A temporary parse for a check: of a text that we write, or that is parsed already but for a part of it."""
    return parse_snapshot(Snapshot("", 0, language.id, text), language)


def parse_snapshot(snapshot: Snapshot, language: Language, *, is_tried: bool = False) -> Parsed:
    """A parse of such a text that will not be updated incrementally."""
    return Relaxing().parsed(parse_with(None, snapshot, language, is_tried=is_tried))


class Relaxing:
    """Parses a text once more if it did not parse, or if something in it misleads the grammar, with blanks for what the
    grammar cannot know; kept if less of it is wrong then.  Owner of the tree of that text, for its next version."""

    def __init__(self) -> None:
        self._code = b""
        self._tree: Tree | None = None

    def parsed(self, parsed: Parsed) -> Parsed:
        if parsed.root is None or parsed.part is not None:
            return parsed
        code, language = parsed.snapshot.utf8, parsed.language
        for is_broken in (True, False) if parsed.root.has_error else (False,):
            relaxed = language.relaxed(code, is_broken=is_broken)
            if relaxed == code or len(relaxed) != len(code) or (tree := self._parse(relaxed, language)) is None:
                continue
            found = replace(parsed, tree=tree, as_written=parsed.tree, _derived={})
            if found.n_errors < parsed.n_errors + (not is_broken):
                return found
        return parsed

    def _parse(self, code: bytes, language: Language) -> Tree | None:
        assert language.grammar is not None
        old = None if self._tree is None else self._tree.copy()
        if old is not None:
            old.edit(*_difference(self._code, code))
        tree = _tree(tree_sitter.Parser(language.grammar), code, language.text_end, old, None)
        self._code, self._tree = code, tree
        return tree


def _difference(old: bytes, new: bytes) -> tuple[int, int, int, Point, Point, Point]:
    """What is different between two texts, as one edit."""
    start = _n_equal(old, new, min(len(old), len(new)))
    most = min(len(old), len(new)) - start
    end = _n_equal(old[len(old) - most :][::-1], new[len(new) - most :][::-1], most)
    places = start, len(old) - end, len(new) - end
    return *places, _point(old, places[0]), _point(old, places[1]), _point(new, places[2])


def _n_equal(one: bytes, other: bytes, most: int) -> int:
    """How many bytes at the beginning are the same."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _point(code: bytes, at: int) -> Point:
    return Point(code.count(b"\n", 0, at), at - code.rfind(b"\n", 0, at) - 1)


def parse_part(snapshot: Snapshot, language: Language, part: Embedded) -> Parsed:
    """A parse of what is embedded in a document, with the document's own lines and bytes."""
    grammar = language.grammar if language.may_parse(snapshot.text) else None
    ranges, n = list(part.ranges), len(snapshot.utf8)
    if language.text_end and ranges and ranges[-1].end_byte == n:  # so that what stands behind is read, too
        last, (_, end, _, point) = ranges.pop(), _ends(snapshot.utf8, language.text_end)
        ranges.append(tree_sitter.Range(last.start_point, point, last.start_byte, end))
    parser = None if grammar is None else tree_sitter.Parser(grammar, included_ranges=ranges)
    return replace(parse_with(parser, snapshot, language), part=part.lines)


def parse_with(
    parser: tree_sitter.Parser | None,
    snapshot: Snapshot,
    language: Language,
    old_tree: Tree | None = None,
    patience_s: float | None = None,
    *,
    is_tried: bool = False,
) -> Parsed:
    """A parse that does not take long: else it has no tree, and is hurried.  `parser`: one that is kept.

    A text that no tree is known of, and that another process has not parsed (`is_tried`), is first tried in parts: some
    parsers are quick to read what is nested very deep, and then take quadratic time for its end.
    """
    if parser is None:
        grammar = language.grammar if language.may_parse(snapshot.text) else None
        if grammar is None:
            return Parsed(snapshot, None, language)
        parser = tree_sitter.Parser(grammar)
    data, tree = snapshot.utf8, None
    for length in [len(data)] if is_tried or old_tree is not None else _lengths(len(data)):
        tree = _tree(parser, data[:length], language.text_end, old_tree, patience_s)
        if tree is None:
            break
    return Parsed(snapshot, tree, language, is_hurried=tree is None)


def _lengths(length: int) -> list[int]:
    """Of the parts of a text that are tried, each twice as long as the one before, large ones four times."""
    times = 2 if length <= _SMALL else 4
    return [*(_lengths(length // times) if length >= times * _FEWEST_OF_A_PART else ()), length]


def _tree(
    parser: tree_sitter.Parser, data: bytes, end: bytes, old_tree: Tree | None, patience_s: float | None
) -> Tree | None:
    """None where it takes too long.  `end` stands behind the text.

    A text that ended earlier for the parser than it did before would end the process: what tree-sitter reads of a
    character that a piece of the text cuts, it asks for again.  All pieces are given in one object, since the bindings
    (0.26) keep a reference to each that they get: every key would cost as much memory as the document is long.
    """
    text, start = data if data.endswith(end) else data + end, time.thread_time()
    most = PATIENCE_S + PATIENCE_PER_BYTE_S * len(data)
    until = start + (most if patience_s is None else patience_s)
    piece, is_parsing = bytearray(), True

    def read(offset: int, _: object) -> bytes | bytearray:
        if not is_parsing:  # a tree goes on asking for the text of its nodes
            return text[offset : offset + _CHUNK]
        piece[:] = text[offset : offset + _CHUNK]
        return piece

    def is_over(*_: object) -> bool:
        return time.thread_time() > until

    without, with_end, point_without, point_with = _ends(data, text[len(data) :])
    if old_tree is not None and with_end > without:
        old_tree = old_tree.copy()
        old_tree.edit(without, without, with_end, point_without, point_without, point_with)
    try:
        if old_tree is None:
            tree = parser.parse(read, progress_callback=is_over)
        else:
            tree = parser.parse(read, old_tree, progress_callback=is_over)
    except ValueError:  # stopped: else it would go on with this text when it is given the next one
        parser.reset()
        return None
    finally:
        piece.clear()
        is_parsing = False
    if with_end > without:  # its places are those of the text
        tree.edit(without, with_end, without, point_without, point_with, point_without)
    return None if time.thread_time() > start + most else tree


def _ends(data: bytes, end: bytes) -> tuple[int, int, Point, Point]:
    """Where a text ends, and where it does with a line's `end` behind it."""
    point = _point(data, len(data))
    return len(data), len(data) + len(end), point, Point(point.row + 1, 0)


def broken_nodes(root: Node, touches: Callable[[Node], bool] = lambda _: True) -> Iterator[Node]:
    """The nodes that have errors or are some, of those below nodes that `touches` all the way."""
    rest = [root]
    while rest:
        node = rest.pop()
        if (node.has_error or node.is_missing) and touches(node):
            yield node
            rest.extend(node.children)


def _is_wide(root: Node) -> bool:
    return any(node.child_count - node.named_child_count > MOST_PUNCTUATION for node in broken_nodes(root))


def n_errors_in(nodes: Iterable[Node]) -> int:
    return sum(node.is_error or node.is_missing for node in nodes)
