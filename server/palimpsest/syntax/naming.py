"""What the names in a part of a document name, as far as the document tells.

In: a parse, bytes of it.  Out: members, and plain names that the document does not define.  Follows no import and reads
no file: whether another file has such a name is for others to say.
"""

import re
from dataclasses import dataclass

from tree_sitter import Node

from palimpsest.syntax.calls import Call, calls
from palimpsest.syntax.imports import Import, imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.unknown import bound_in
from palimpsest.syntax.uses import Use, uses, uses_between
from palimpsest.text.positions import utf8

MOST_PLACES = 40
"""A name that stands more often in a document is hardly new, and looking at each place would take too long."""

_WORDS = re.compile(r"[\w$]+")
_IS_ONE = (
    r"(?<!\w){head}(?:\s*\??:\s*|\s+|\s*=\s*(?:new\s+|&)?)(?:[*&\"']|mut\s+)*{owner}(?!\w|\s*[\[.])"
    r"|(?<!\w){owner}(?:<[^<>\n]{{0,80}}>)?(?:\s|[*&?]){{1,4}}{head}(?!\w)"
)
"""`head: Owner`, `head = Owner(`, `Owner *head`; not `head: list[Owner]`, `Owner[] head`."""


@dataclass(frozen=True, slots=True)
class Named:
    """A name at bytes `start..end`.  `is_member`: it stands behind a value or a module.  `may_be_elsewhere`: a plain
    name that another file may define, without an import of it."""

    name: str
    start: int
    end: int
    is_member: bool = False
    may_be_elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import statement names in some bytes: where its module and the name itself begin there, None where they
    stand outside.  `again`: the file has it already."""

    item: Import
    module_start: int | None
    start: int | None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """An argument that is passed by name, at bytes `start..`; `again`: the call has one of that name already."""

    name: str
    start: int
    call: Call
    again: bool = False


def unexplained(parsed: Parsed, start: int, end: int) -> list[Named]:
    """The members that are used in some bytes, and the plain names that neither the document nor the language defines,
    in order; a name that ends where the bytes begin is none of them.  A plain name that the document uses in other
    places, too, counts as defined by somebody; where the document does not parse, every word that it has there."""
    if parsed.root is None or parsed.is_hurried:
        return []
    found, plain = list[Named](), _plain(parsed, start, end)
    for use in uses_between(parsed, start, end):
        if use.role == "member" and not use.assigned:
            found.append(Named(use.name, use.start, use.end, is_member=True))
        elif use.role == "use" and use.start in plain and not _is_defined(parsed, use, start, end):
            found.append(Named(use.name, use.start, use.end, may_be_elsewhere=plain[use.start]))
    return found


def imported_between(parsed: Parsed, start: int, end: int) -> list[Imported]:
    """What the import statements name whose names end in some bytes; nothing of a statement that does not parse."""
    first, last = _rows(parsed, start, end)
    found, language = dict[int, Node](), parsed.language
    for captures in parsed.matches("imports", first, last + 1):
        node = captures["import"][0]
        if node.end_byte > start and node.start_byte < end and not node.has_error:
            found[node.start_byte] = node
    if not found:
        return []
    lines = {node.start_point.row for node in found.values()}
    known = [item for item in imports(parsed) if item.line not in lines and _is_of_file(parsed, item)]
    return [
        Imported(
            item,
            _begins(parsed, item.module, node, start, end),
            _begins(parsed, item.name or "", node, start, end),
            again=any(language.repeats(parsed, item, one) for one in known),
        )
        for node in found.values()
        for item in language.imported(parsed, node)
    ]


def given_between(parsed: Parsed, start: int, end: int) -> list[Given]:
    """The arguments that calls pass by name, whose names end in some bytes; nothing of a call that does not parse."""
    first, last = _rows(parsed, start, end)
    found = list[Given]()
    for call in calls(parsed, first, last + 1):
        names = set[str]()
        for one in call.arguments:
            if one.keyword and start < one.start + len(utf8(one.keyword)) <= end:
                again = one.keyword in names and not parsed.language.has_labels
                found.append(Given(one.keyword, one.start, call, again))
            names.add(one.keyword)
    return found


def used_at(parsed: Parsed, end: int) -> Use | None:
    """The use of a name that ends at a byte, with the region that defines it; None where it is defined, not used."""
    found = [use for use in uses_between(parsed, end - 1, end) if use.end == end]
    if not found or found[0].role == "member":
        return found[0] if found and not found[0].assigned else None
    return next((use for use in uses(parsed, found[0].name) if use.end == end and use.role == "use"), None)


def is_one_of(parsed: Parsed, head: str, owners: frozenset[str]) -> bool:
    """Whether the document says of a name that it is an object of one of some classes, and not a list of them, say."""
    name = re.escape(head.rpartition(".")[2])
    patterns = (_IS_ONE.format(head=name, owner=re.escape(owner)) for owner in owners if name)
    return any(re.search(pattern, parsed.snapshot.text) for pattern in patterns)


def _plain(parsed: Parsed, start: int, end: int) -> dict[int, bool]:
    """Where plain names begin that the lines and the language do not define; whether each may be elsewhere."""
    language, (first, last) = parsed.language, _rows(parsed, start, end)
    captures = parsed.captures("names", first, last + 1)
    unused = {node.start_byte for node in captures.get("unused", ())}
    nodes = [node for node in captures.get("name", ()) if start < node.end_byte <= end]
    own = bound_in(parsed, first, last + 1) | language.builtins | language.common_words
    return {
        node.start_byte: language.may_be_elsewhere(parsed, node)
        for node in nodes
        if node.start_byte not in unused and parsed.text_of(node) not in own
    }


def _is_defined(parsed: Parsed, use: Use, start: int, end: int) -> bool:
    if _is_everywhere(parsed, use.name) or (parsed.n_errors and _n_words(parsed, use.name) > 1):
        return True
    places = [one for one in uses(parsed, use.name) if one.role == "use"]
    here = (one.belongs is not None for one in places if one.start == use.start)
    return any(here) or any(one.belongs is None for one in places if not start < one.end <= end)


def _rows(parsed: Parsed, start: int, end: int) -> tuple[int, int]:
    data = parsed.snapshot.utf8
    return data.count(b"\n", 0, start), data.count(b"\n", 0, end)


def _is_of_file(parsed: Parsed, item: Import) -> bool:
    return not parsed.snapshot.lines[item.line][:1].isspace()


def _begins(parsed: Parsed, named: str, node: Node, start: int, end: int) -> int | None:
    """Where the last word of a name begins that a statement has in some bytes."""
    words = _WORDS.findall(named)
    if not words:
        return None
    text, at = parsed.snapshot.utf8, node.start_byte
    for found in re.finditer(rb"(?<![\w$])%b(?![\w$])" % re.escape(utf8(words[-1])), text[at : node.end_byte]):
        if start < at + found.end() <= end:
            return at + found.start()
    return None


def _is_everywhere(parsed: Parsed, name: str) -> bool:
    return parsed.snapshot.utf8.count(utf8(name)) > MOST_PLACES


def _n_words(parsed: Parsed, name: str) -> int:
    return len(re.findall(rf"(?<![\w$]){re.escape(name)}(?![\w$])", parsed.snapshot.text))
