"""Where a name occurs in a document, its role there, and the scope it belongs to.

In: a parse and a name.  Out: `Use`s; names in comments and strings do not count.  Does not follow imports or infer
types.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.text.positions import utf8

Role = Literal[
    "function", "class", "parameter", "assigned", "import", "imported", "module", "member", "keyword", "declared", "use"
]
"""`import` binds a name here, `imported` is a name that has an alias here; `declared`: `global` and the like."""
RegionKind = Literal["file", "class", "function", "inner"]

_SPACES = ("command",)
_BINDING = frozenset({"function", "class", "parameter", "assigned", "import"})


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the text with its own names, in bytes; `inner` is a comprehension, or a block that has names of its
    own.  `name` is the name of a class; `space` tells names apart that mean different things where they are the same: a
    shell's commands and its variables."""

    kind: RegionKind
    start: int
    end: int
    name: str = ""
    space: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """One occurrence of a name, in bytes.

    `around` are the regions that contain it, innermost first.  `assigned`: a member that is given a value.  `belongs`
    is the region that owns the name; None for members, keywords and parts of modules, for names that the file does not
    bind, and for names bound elsewhere under another name.  `source` is the module of an import, as written.
    `declares`: it only says what is defined elsewhere, as a prototype does; `private`: no other file sees it.
    `is_property`: a parameter that is a member of the class as well.
    """

    name: str
    start: int
    end: int
    line: int
    role: Role
    around: tuple[Region, ...]
    belongs: Region | None = None
    assigned: bool = False
    source: str = ""
    declares: bool = False
    private: bool = False
    is_property: bool = False

    @property
    def binds(self) -> bool:
        return self.role in _BINDING


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the query found on the lines that contain a name, by node."""

    roles: dict[int, str]
    owners: dict[int, int]
    regions: dict[int, tuple[RegionKind, str]]
    outside: frozenset[int]


def uses(parsed: Parsed, name: str, also: str = "") -> list[Use]:
    """Every occurrence of `name` in document order, with the region it belongs to.

    With `also`, a region that binds that name counts as binding `name`, as it will once a rename is complete.
    """
    bound = _found(parsed, nodes_named(parsed, name), name)
    if parsed.language.texts:
        bound = sorted([*bound, *_in_texts(parsed, name)], key=lambda found: found[0].start)
    if not bound:
        return []
    binders = bound if not also else [*bound, *_found(parsed, nodes_named(parsed, also), also)]
    regions = _bound_regions(binders)
    declared = {(use.around[0], kind) for use, kind in binders if use.role == "declared"}
    bare = parsed.language.bare_members
    return [_resolved(use, kind, regions, declared, bare) for use, kind in bound]


def _in_texts(parsed: Parsed, name: str) -> Iterator[tuple[Use, str]]:
    """The uses in strings that the grammar does not see."""
    language = parsed.language
    for start, end, node in _occurrences(parsed, name):
        if node.type in language.texts and language.names_in(parsed, node, start, end):
            line = node.start_point.row + parsed.snapshot.utf8.count(b"\n", node.start_byte, start)
            use, label = _use(parsed, node, name, _seen(parsed, line))
            marks = tuple(map(utf8, language.member_marks)) if language.code_in_texts else ()
            role: Role = "member" if parsed.snapshot.utf8.endswith(marks, 0, start) else use.role
            yield replace(use, start=start, end=end, line=line, role=role), label


def uses_between(parsed: Parsed, start: int, end: int) -> list[Use]:
    """Every name that ends in the bytes `start..end`, the first excluded, in document order.  Which region each belongs
    to is not looked for."""
    nodes = _identifiers(parsed, start, end)
    return [_use(parsed, node, parsed.text_of(node), _seen(parsed, node.start_point.row))[0] for node in nodes]


def _identifiers(parsed: Parsed, start: int, end: int) -> list[Node]:
    found, rest = list[Node](), [] if parsed.root is None else [parsed.root]
    while rest:
        node = rest.pop()
        if node.end_byte <= start or node.start_byte >= end:
            continue
        if node.type in parsed.language.identifiers and node.end_byte <= end:
            found.append(node)
        rest += reversed(node.children)
    return found


def nodes_named(parsed: Parsed, name: str) -> list[Node]:
    """The identifiers spelled `name`, in document order."""
    types = parsed.language.identifiers
    found = _occurrences(parsed, name)
    return [node for at, end, node in found if node.type in types and (node.start_byte, node.end_byte) == (at, end)]


def _occurrences(parsed: Parsed, name: str) -> Iterator[tuple[int, int, Node]]:
    """Where the text has a name, in bytes, with the innermost node around it."""
    searched, data = utf8(name), parsed.snapshot.utf8
    at = data.find(searched) if name and parsed.root is not None else -1
    while at >= 0 and parsed.root is not None:
        end = at + len(searched)
        node = parsed.root.descendant_for_byte_range(at, end)
        if node is not None:
            yield at, end, node
        at = data.find(searched, end)


def _found(parsed: Parsed, nodes: Sequence[Node], name: str) -> list[tuple[Use, str]]:
    """The uses, not yet resolved, each with the query's own word for its role."""
    return [_use(parsed, node, name, _seen(parsed, node.start_point.row)) for node in nodes]


def _seen(parsed: Parsed, line: int) -> _Seen:
    known = parsed.once(_by_line)
    if line not in known:
        known[line] = _looked_at(parsed, line)
    return known[line]


def _by_line(_: Parsed) -> dict[int, _Seen]:
    return {}


def _looked_at(parsed: Parsed, line: int) -> _Seen:
    roles, owners, outside = dict[int, str](), dict[int, int](), set[int]()
    regions = dict[int, tuple[RegionKind, str]]()
    for captures in parsed.matches("roles", line, line + 1):
        for label, nodes in captures.items():
            node, (kind, _, more) = nodes[0], label.partition(".")
            if kind == "scope" and more != "name":
                name = parsed.text_of(captures["scope.name"][0]) if "scope.name" in captures else ""
                if more != "inner" or node.id not in regions:  # a function's body is a block, too
                    regions[node.id] = more, name  # type: ignore[assignment]
            elif kind == "outside":
                outside.add(node.id)
            elif kind == "parameter":
                roles[node.id] = max(label, roles.get(node.id, ""), key=len)
                owners[node.id] = captures["owner"][0].id
            elif kind in ("scope", "owner") or roles.get(node.id, "").startswith("parameter"):
                continue
            elif len(label) > len(roles.get(node.id, "")):  # the more specific label wins: a member that is assigned
                roles[node.id] = label
    return _Seen(roles, owners, regions, frozenset(outside))


def _use(parsed: Parsed, node: Node, name: str, seen: _Seen) -> tuple[Use, str]:
    label = seen.roles.get(node.id, "use")
    role, _, more = label.partition(".")
    around, owner = list[Region](), seen.owners.get(node.id)
    space = more if more in _SPACES else ""
    skip_inner = False
    for above in reversed(parsed.path(node)):
        if above.id in seen.regions:
            kind, called = seen.regions[above.id]
            if kind == "inner" and skip_inner:
                skip_inner = False
            else:
                around.append(Region(kind, above.start_byte, above.end_byte, called, space))
        skip_inner = skip_inner or above.id in seen.outside
        if owner is not None and (body := _child(above, owner)) is not None:
            kind, called = seen.regions.get(body.id, ("function", ""))
            around.insert(0, Region(kind, body.start_byte, body.end_byte, called))
            owner = None
    if not around:  # the root is itself an error
        around.append(Region("file", 0, len(parsed.snapshot.utf8), "", space))
    source = parsed.language.import_source(parsed, node) if role in ("import", "imported") else ""
    use = Use(
        name,
        node.start_byte,
        node.end_byte,
        node.start_point.row,
        role,  # type: ignore[arg-type]
        tuple(around),
        assigned=more == "assigned" or role == "assigned",
        source=source,
        declares=more == "declares",
        private=more == "private",
        is_property=more == "member",
    )
    return use, label


def _child(node: Node, node_id: int) -> Node | None:
    return next((child for child in node.children if child.id == node_id), None)


def _bound_regions(found: Sequence[tuple[Use, str]]) -> dict[Region, int]:
    """The regions that bind the name, with the line where each first does."""
    declared = {use.around[0] for use, _ in found if use.role == "declared"}
    regions = dict[Region, int]()
    for use, label in found:
        home = _home(use, label)
        if use.binds and home not in declared:
            regions[home] = min(use.line, regions.get(home, use.line))
    return regions


def _home(use: Use, label: str) -> Region:
    """The region in which a use binds its name, ignoring declarations."""
    if label.endswith(".around") and use.binds:
        return next(region for region in use.around if region.kind != "inner")
    return use.around[0]


def _resolved(use: Use, label: str, bound: dict[Region, int], declared: set[tuple[Region, str]], bare: bool) -> Use:
    if use.role in ("member", "keyword", "module", "imported"):
        return use
    around = use.around
    if use.binds:
        home = _home(use, label)
        around = around[around.index(home) :]
    belongs = _lookup(use, around, bound, declared, bare)
    return replace(use, belongs=belongs)


def _lookup(
    use: Use, around: Sequence[Region], bound: dict[Region, int], declared: set[tuple[Region, str]], bare: bool
) -> Region | None:
    """The region that owns the name.  Unless members are used by their `bare` names, a class's names are visible only
    in its own body, and only after they are bound: in the body's `x = x`, the second `x` is the file's, whatever is in
    between."""
    if bare:
        return next((region for region in around if region in bound), None)
    for n, region in enumerate(around):
        if (region, "declared.file") in declared:
            return around[-1]
        if (region, "declared.around") in declared or (region.kind == "class" and n > 0):
            continue
        if region in bound and region.kind == "class" and not use.binds and use.line <= bound[region]:
            return around[-1] if around[-1] in bound else None
        if region in bound:
            return region
    return None
