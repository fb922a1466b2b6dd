"""What the names in a part of a document name, as far as the document tells.

In: a parse, bytes of it.  Out: members, and plain names that the document does not define.  Follows no import and reads
no file: whether another file has such a name is for others to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.unknown import bound_in
from palimpsest.syntax.uses import Use, uses, uses_between
from palimpsest.text.positions import utf8

MOST_PLACES = 40
"""Of a name in a document: one that stands there more often is hardly new, and looking at each would take too long."""

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
    data, language = parsed.snapshot.utf8, parsed.language
    first, last = data.count(b"\n", 0, start), data.count(b"\n", 0, end)
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


def _is_everywhere(parsed: Parsed, name: str) -> bool:
    return parsed.snapshot.utf8.count(utf8(name)) > MOST_PLACES


def _n_words(parsed: Parsed, name: str) -> int:
    return len(re.findall(rf"(?<![\w$]){re.escape(name)}(?![\w$])", parsed.snapshot.text))
