"""The default implementation of a language: a table, and what a grammar's queries find.

In: a parse, nodes, lines.  Out: as `syntax.parse.Language` says.  A language derives from `Base`, sets the
values of its table and overrides what differs.  If queries find no answer, it is empty: in doubt nothing is done.

A query file has sections, each headed by a line `;; name` and compiled on its own, so that a keystroke runs only what
it needs.  A section that is missing, or does not fit the installed grammar, finds nothing:

    scopes       @function, @class or @namespace with @name and @body, if it has one; @outer if decorators belong to it;
                 @owner, the class of a member that is written outside it; @adds for what adds members to a class that
                 is declared elsewhere; @described if it is a text or another's name that it is called by, as a test is;
                 @holder for a value that is a class if functions are put on it (`holders`)
    imports      one @import per import statement; @module, which may be in quotes, with the @name and @alias that it
                 gives; @level has a character for each folder that it is above the file; @default is what the module's
                 default is called here, @whole what all of it is, or one @name; @all
                 if all that it has can be used by its name alone
    names        @name for an identifier, @unused where it only names a member, an argument or a definition
    parameters   one @parameter per parameter of a function; with its @name if one @parameter declares several, and
                 their @type; @several if it is taken apart and each name in it is one; @receiver is the name of the
                 object of a method with an @owner
    assignments  @target, which may hold several identifiers, with @type and @value, @types if it is that of each of
                 them, with @mark before it, or with @written, all of it as it should be shown; @local if it is a
                 variable of a block, not a member; @static marks a target once more that is a member of the class and
                 not of its objects; @member if it is only a member of a class, @promoted if that is said among the
                 parameters of one of its methods
    bases        one @base per class that a class is derived from
    mixins       one @mixin per class whose members a class takes over by a statement in its body
    pieces       @piece, what a long editing block of a `whole_file` language is cut between
    shape        @block of statements, @bracket pair, @string, @quote that opens one, @comment, @definition, @error
    binds        @name for an identifier that is bound there, or @target, which may hold several
    verbatim     @verbatim: white space inside of it counts
    comments     @comment
    roles        @scope.*: a part with its own names; @function, @class, @parameter (with the @owner of its name, and
                 `.member` if it is a member as well), @assigned, @import: what binds a name there; @declared.*,
                 @member, @keyword, @module: what else it is; with `.declares` where it is defined elsewhere, `.private`
                 where no other file sees it, `.command` where it is none of the variables of that name
    variants     what several definitions of one name say of being one thing: the @name's node is @first where others
                 follow it, @again where it goes on with one before (with the @head that it names there), @alike (with
                 `.static` and the like) where it is one with others that are said so, @other where it is allowed and
                 another thing; @branch: what takes turns with the rest of the node above it; @turn between two parts
                 that take turns, @over where they begin or end
    calls        @function, its last name, and @arguments of a @call
    signatures   @name and @parameters of a @function, @async where it is one
    indented     @block that must have a statement, nodes whose children stand @together at one indent, @clause that
                 must have its parent's indent, what @needs_clause beside its body, and a
                 comma that @needs_name behind it
    documented   the second documentation of one definition, @again
    embeds       @text in another @language
    tags         @opening and @closing, the names in the tags of one element of markup
    packages     @package: the name of a package or namespace that the file declares itself to be in
    exports      what a file of JavaScript offers by one @statement: what is @declared, what it calls @local or a
                 @value, under a @name if others call it so, or what is @all of it
    passed_on    what a file of JavaScript offers of other modules by one @statement: of the @module, in quotes, the
                 @name under an @alias, @whole for all of it under a name, or @all
    aliases      @alias, another name of the class @class
    enumerators  @name, a constant of the enum @class that is used without its name
    pairs        what may be swapped in a @pair: @first and @second, or the children of @elements
"""

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import tree_sitter
from tree_sitter import Node, Point, Query, Range

from palimpsest.languages import doc_comments, grammars
from palimpsest.languages.trying import trying
from palimpsest.languages.typed_values import TypedValues
from palimpsest.syntax.calls import functions
from palimpsest.syntax.definitions import definition, first_of
from palimpsest.syntax.imports import imports
from palimpsest.syntax.lexical import tokens
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.scopes import children, class_around, members, scopes
from palimpsest.syntax.values import Argument, Embedded, Import, Keywords, Parameter, Scope, Trial
from palimpsest.text.snapshot import Snapshot

_WORD = re.compile(r"\w+")
_MANY = ("rest", "splat", "spread", "variadic")
"""Parts of the grammars' names for a parameter or an argument that stands for several."""
_TAKES_NONE = re.compile(r"\*(?!\*)")
"""A parameter for many arguments that are passed without names."""
_DEFAULTS = ("value", "right", "default_value")
"""Fields of the default value of a parameter."""
_NO_BODY = ";"
_PARTS_OF_IMPORTS = ("name", "alias", "default", "whole", "module")
_DEFAULT, _EVERYTHING = "default", "*"
_QUOTES = "'\"`"
_BEFORE = 16
"""Bytes before a member, enough for `before_own`."""
_LONGEST_STATEMENT = 100
"""Maximum number of lines; a longer statement has a bracket that is never closed."""
_LONGEST_HEREDOC = 400
"""Maximum number of lines; a longer here document has an end that is never written."""

Statements = Callable[[Sequence[str], int, int], Iterator[range]]


def _behind_sign(nodes: Sequence[Node]) -> Node | None:
    """What stands behind the sign `=` among some nodes."""
    return next((node.next_sibling for node in nodes if node.type == "="), None)


def _one_word(parsed: Parsed, node: Node) -> str:
    """A name without the blanks between its parts, a text as it is."""
    text = parsed.text_of(node)
    return text if text.startswith(tuple(_QUOTES)) else "".join(text.split())


def words_before(parsed: Parsed, start: int) -> list[str]:
    """The words on a line before a byte."""
    data = parsed.snapshot.utf8
    return _WORD.findall(data[data.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace"))


class Base(Language):
    """What queries find, and what is the same in most languages; `Language` says what is asked, and has the rest."""

    grammar_module = ""
    """The grammar's package as it is imported, with the function in it: `tree_sitter_x` or `tree_sitter_x:language_y`.
    """
    query_files: tuple[str, ...] = ("queries.scm",)
    """Relative to the language's folder (`../other/queries.scm`); a section of a later file replaces an earlier one, or
    with the head `;; more name` adds to it."""
    between_doc: tuple[str, ...] = ()
    """How lines begin that may stand between such a comment and the definition: attributes."""
    members: frozenset[str] = frozenset()
    """Types of nodes that are a member together with its head, `self.a`."""
    opaque: frozenset[str] = frozenset()
    """Types of nodes that may occur in a target but bind nothing."""
    values: TypedValues | None = None
    """None where nothing is known of them."""
    before_body: frozenset[str] = frozenset()
    """Types of nodes between a header and its body that a signature leaves out."""
    before_own: re.Pattern[str] | None = None
    """What stands before a member of the class around, where `values` tells nothing: `this.`."""
    named_arguments: frozenset[str] = frozenset()
    """Types of nodes that are an argument and may have its name."""
    parameter_types: frozenset[str] = frozenset()
    """Types of nodes that are a parameter; empty if all that stand between the brackets are."""
    heredoc: re.Pattern[str] | None = None
    """The mark of a text that begins on the next line and ends with a line that has the group `word` alone."""
    hidden_by: frozenset[str] = frozenset()
    """Words before a member's name by which only its own file sees it."""
    leading: frozenset[str] = frozenset()
    """Types of nodes that belong to the definition directly below them: attributes, and comments."""

    # Grammar
    @cached_property
    def grammar(self) -> tree_sitter.Language | None:
        return grammars.load(self.grammar_module)

    @cached_property
    def _queries(self) -> grammars.Queries:
        package = importlib.import_module(type(self).__module__).__package__ or ""
        texts = grammars.sections(package, self.query_files) if self.grammar is not None else {}
        return grammars.Queries(self.id, self.grammar, texts)

    def query(self, section: str) -> Query | None:
        return self._queries.get(section)

    def may_parse(self, text: str) -> bool:
        return grammars.may_parse(self.grammar_module.partition(":")[0], text)

    def trial(self, snapshot: Snapshot) -> Trial:
        return trying().trial(self.id, snapshot)

    # Lines
    def statements(self, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        if self.heredoc is None:
            return self._statements(lines, start, end)
        return _with_heredocs(lines, start, end, self.heredoc, self._statements)

    def _statements(self, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        """A line, and those that follow while a string or a bracket (not a brace) is open, or after a backslash."""
        depth, quote, first = 0, "", None
        for number in range(start, end):
            if first is None and not lines[number].strip():
                continue
            first, escaped = number if first is None else first, False
            for token in tokens(lines[number], self.lexical, quote):
                escaped = token.kind == "escape" and token.end == len(lines[number])
                quote = token.quote if token.kind in ("begin", "end") else quote
                if token.kind in ("open", "close") and lines[number][token.start] not in "{}":
                    depth += 1 if token.kind == "open" else -1
            quote = quote if escaped or quote not in self.lexical.quotes else ""
            if (depth <= 0 and not quote and not escaped) or number - first >= _LONGEST_STATEMENT:
                yield range(first, number + 1)
                depth, quote, first = 0, "", None
        if first is not None:
            yield range(first, end)

    # Definitions
    def signature(self, parsed: Parsed, scope: Scope) -> str:
        matches = parsed.matches("scopes", scope.def_line, scope.def_line + 1)
        for captures in sorted(matches, key=lambda captures: "body" not in captures):
            _, node = definition(captures)
            first = first_of(parsed, node)
            if first.start_point.row == scope.def_line and parsed.text_of(captures["name"][0]) == scope.name:
                bodies = [child for child in node.children if child.type in self.before_body]
                end = next((body.start_byte for body in [*bodies, *captures.get("body", ())]), node.end_byte)
                header = parsed.snapshot.utf8[first.start_byte : end]
                return " ".join(header.decode("utf-8", "surrogatepass").split()).removesuffix(_NO_BODY)
        return " ".join(" ".join(parsed.snapshot.lines[scope.def_line : scope.header_end_line]).split())

    def outline(self, parsed: Parsed, scope: Scope) -> str:
        written = self.signature(parsed, scope)
        if scope.has_body:
            return written + self.omitted_body
        last = parsed.snapshot.lines[scope.end_line - 1].rstrip()
        return written + _NO_BODY if last.endswith(_NO_BODY) and not written.endswith(_NO_BODY) else written

    def docstring(self, parsed: Parsed, scope: Scope) -> str | None:
        return doc_comments.docstring(parsed, scope, self.doc_comments, self.between_doc)

    def leads(self, parsed: Parsed, node: Node) -> bool:
        return node.type in self.leading or doc_comments.is_one(parsed, node, self.doc_comments)

    # Names
    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        if target.type in self.identifiers:
            yield parsed.text_of(target)
        elif target.type in self.members:
            yield "".join(parsed.text_of(target).split())
        elif target.type not in self.opaque:
            names = [child for child in target.children_by_field_name("name") if child.is_named]
            for child in names or target.named_children:
                yield from self.bound(parsed, child)

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        return any(item.bound == "*" for item in imports(parsed))

    def hides(self, parsed: Parsed, name: str, start: int) -> bool:
        return not self.hidden_by.isdisjoint(words_before(parsed, start))

    # Imports and modules
    def imported(self, parsed: Parsed, statement: Node) -> list[Import]:
        line, found = statement.start_point.row, dict[int, Import]()
        for captures in parsed.matches_in(statement, "imports"):
            nodes = [captures[part][0] if part in captures else None for part in _PARTS_OF_IMPORTS]
            first = next((node for node in nodes if node is not None), None)
            if first is None or first.start_byte == first.end_byte or captures["import"][0].id != statement.id:
                continue  # perhaps it is still being typed
            if "module" in captures or "level" in captures:
                name, alias, default, whole, module = (None if it is None else _one_word(parsed, it) for it in nodes)
                name = _EVERYTHING if "all" in captures else _DEFAULT if default is not None else name
                level = sum(len(_one_word(parsed, node)) for node in captures.get("level", ()))
                bound = default or whole or alias
                found[first.start_byte] = Import((module or "").strip(_QUOTES), name, bound, level, line)
        return [found[start] for start in sorted(found)]

    def import_source(self, parsed: Parsed, name: Node) -> str:
        row, written = name.start_point.row, parsed.text_of(name)
        for captures in parsed.matches("imports", row, row + 1):
            statement = captures["import"][0]
            if statement.start_byte <= name.start_byte < statement.end_byte:
                for item in self.imported(parsed, statement):
                    if written in (item.bound, item.name):
                        return item.module
        return ""

    def packages(self, parsed: Parsed) -> Sequence[str]:
        declared = parsed.matches("packages")
        named = ["".join(parsed.text_of(node).split()) for found in declared for node in found.get("package", ())]
        return [*named, *(scope.qualified_name for scope in scopes(parsed) if scope.kind == "namespace")]

    # Values and calls
    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        if self.values is not None:
            return self.values.owners(parsed, start, end)
        is_own = self.is_own_member(parsed, start, end)
        cls = class_around(parsed, parsed.snapshot.utf8.count(b"\n", 0, start)) if is_own else None
        return frozenset() if cls is None else frozenset({cls.name})

    def is_own_member(self, parsed: Parsed, start: int, end: int) -> bool:
        """Whether what stands before a member says that it is one of the class around."""
        before = parsed.snapshot.utf8[max(0, start - _BEFORE) : start].decode("utf-8", "replace")
        return self.before_own is not None and self.before_own.search(before) is not None

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        return "" if self.values is None else self.values.head(parsed, start, end)

    def bases(self, parsed: Parsed, cls: Scope) -> frozenset[str]:
        header = range(cls.def_line, cls.header_end_line)
        matches = parsed.matches("bases", header.start, header.stop)  # of a class around this one, too
        found = [node for captures in matches for node in captures.get("base", ())]
        bases = [node for node in found if node.start_point.row in header]
        inside = self.query("mixins") is not None and cls.body_start_line < cls.end_line
        inner = children(parsed, cls) if inside else ()
        for captures in parsed.matches("mixins", cls.body_start_line, cls.end_line) if inside else ():
            mixed = captures["mixin"][0]
            if not any(scope.start_line <= mixed.start_point.row < scope.end_line for scope in inner):
                bases.append(mixed)
        return frozenset(parsed.text_of(node) for node in bases)

    def argument(self, parsed: Parsed, node: Node) -> Argument:
        text = parsed.text_of(node)
        name = node.child_by_field_name("name") if node.type in self.named_arguments else None
        if name is not None:
            value = node.child_by_field_name("value") or node.named_children[-1]
            return Argument(node.start_byte, node.end_byte, text, parsed.text_of(name), parsed.text_of(value))
        return Argument(node.start_byte, node.end_byte, text, value=text, star=any(word in node.type for word in _MANY))

    def parameters(self, parsed: Parsed, holder: Node) -> tuple[Parameter, ...]:
        every = [node for node in holder.named_children if "comment" not in node.type]
        types = self.parameter_types
        return tuple(self.parameter(parsed, node) for node in every if not types or node.type in types)

    def parameter(self, parsed: Parsed, node: Node) -> Parameter:
        """With its default value, which some grammars have behind it."""
        value = next((it for field in _DEFAULTS if (it := node.child_by_field_name(field)) is not None), None)
        value, text = value or _behind_sign(node.children), parsed.text_of(node)
        behind = _behind_sign([] if node.next_sibling is None else [node.next_sibling])
        if behind is not None:
            value, text = behind, f"{text} = {parsed.text_of(behind)}"
        kind = "star" if any(word in node.type for word in _MANY) else "plain"
        return Parameter(next(self.bound(parsed, node), ""), text, kind, "" if value is None else parsed.text_of(value))

    def keywords(self, parsed: Parsed, scope: Scope) -> Keywords | None:
        """Of a class, those of its constructors, where it has some; a class with labels may have those of its bases."""
        if scope.kind == "class":
            made = [one for one in members(parsed, scope) if self.is_constructor(one.name, scope.name)]
            found = [self.keywords(parsed, one) for one in made]
            header = self._passed_by_name(parsed, scope)
            found += [] if header is None else [Keywords(header)]
            known = [one for one in found if one is not None]
            if not found or known != found:
                return None
            return Keywords(frozenset[str]().union(*(one.names for one in known)), inherited=self.has_labels)
        names = self._passed_by_name(parsed, scope)
        return None if names is None else Keywords(names)

    def _passed_by_name(self, parsed: Parsed, scope: Scope) -> frozenset[str] | None:
        """By the parameters in a header; None where there are none, or one takes whatever is passed."""
        declared = functions(parsed, scope.def_line, scope.header_end_line)
        found = [one.parameters for one in declared if one.name == scope.name and one.line == scope.def_line]
        if len(found) != 1 or any(one.kind == "star" and not _TAKES_NONE.match(one.text) for one in found[0]):
            return None
        return frozenset(one.name.removeprefix(self.sigil) for one in found[0] if one.kind in ("plain", "keyword"))


def _heredocs(lines: Sequence[str], start: int, end: int, mark: re.Pattern[str]) -> list[range]:
    """The lines of each here document that begins in `start..end`, its last line included: text that begins on the line
    after its mark and ends with a line of its own, the group `word` of the mark."""
    found, number = list[range](), start
    while number < end:
        number += 1
        for match in mark.finditer(lines[number - 1]):
            last = range(number, min(end, number + _LONGEST_HEREDOC))
            stop = next((n for n in last if lines[n].strip().rstrip(";,)") == match["word"]), None)
            if stop is not None:
                found.append(range(number, stop + 1))
                number = stop + 1
    return found


def _with_heredocs(
    lines: Sequence[str], start: int, end: int, mark: re.Pattern[str], plain: Statements
) -> Iterator[range]:
    """The statements that `plain` finds, where a here document belongs to the statement before it."""
    texts = _heredocs(lines, start, end, mark)
    if not texts:
        yield from plain(lines, start, end)
        return
    blanked = list(lines)
    for text in texts:
        blanked[text.start : text.stop] = [""] * len(text)
    pending: range | None = None
    for statement in plain(blanked, start, end):
        if pending is not None:
            yield pending
        stop = max((text.stop for text in texts if statement.start < text.start <= statement.stop), default=0)
        while any(text.start == stop for text in texts):
            stop = next(text.stop for text in texts if text.start == stop)
        pending = range(statement.start, max(statement.stop, stop))
    if pending is not None:
        yield pending


class Data(Base):
    """What languages of data and prose have in common.  Their editing blocks are parts of the whole file, cut between
    what the section `pieces` finds; nothing in them is a name that code uses."""

    whole_file = True
    import_hint: str | tuple[str, ...] = ()
    omitted_body = ""

    def statements(self, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        """Each line that is not blank."""
        return (range(number, number + 1) for number in range(start, end) if lines[number].strip())

    def is_whole(self, line: str) -> bool:
        return True


def embedded(parsed: Parsed, language: str, ranges: Sequence[Range], text: Node) -> Embedded | None:
    """What is embedded where `text` is, with its lines: those that have nothing else.  None if there is no such line,
    and the code shares its only one with what is around it."""
    start, end = text.start_point.row, text.end_point.row
    lines = parsed.snapshot.lines
    if start == end:
        return Embedded(language, tuple(ranges), range(start, end + 1)) if parsed.text_of(text).strip() else None
    before, behind = _code_points(parsed, text.start_point), _code_points(parsed, text.end_point)
    start += not lines[start][before:].strip()
    end += bool(lines[end][:behind].strip())
    return Embedded(language, tuple(ranges), range(start, end)) if start < end else None


def _code_points(parsed: Parsed, point: Point) -> int:
    return parsed.snapshot.at_point(point.row, point.column).column
