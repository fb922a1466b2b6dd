"""Names of the classes of values, from the types that code declares.

In: a parse, where a member stands, and how a language writes declarations, members and calls.  Out: names of classes;
empty if nothing is declared in the document.  Does not infer types or follow imports.

    cart.add(x)          Cart cart                {"Cart"}
    this.find(n).item    Line find(int n)         {"Line"}, and then what `Line` says of `item`
    new Cart().add(x)                             {"Cart"}
    for (var line : lines) line.price()           {"Line"}, where `List<Line> lines`
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_name_around, enclosing, scope_at, scopes, with_aliases
from palimpsest.syntax.uses import Use, nodes_named, uses
from palimpsest.syntax.values import Scope

_DEEPEST = 6
"""Maximum number of steps from a value to its declaration."""
_MOST_NESTED = 12
_WORD = re.compile(r"[^\W\d]\w*")
Words = frozenset[str]
NOTHING: Words = frozenset()


@dataclass(frozen=True)
class TypedValues:
    """How a language writes what tells types.

    `members` and `calls` map types of nodes to the fields (object, member) and (called); `made` maps those that make
    an object or convert a value to the field of the type.  `declarators` may stand between a name and the declaration
    whose field `types` is the type; `inferred` are the words for a type that its value determines, `values` the fields
    of that value, `looped` the types of nodes whose value is gone through.  `arguments` are a type's own in brackets.
    """

    members: Mapping[str, tuple[str, str]]
    calls: Mapping[str, str]
    made: Mapping[str, str]
    this: frozenset[str]
    declarators: frozenset[str] = frozenset()
    types: tuple[str, ...] = ("type",)
    inferred: frozenset[str] = frozenset({"var"})
    values: tuple[str, ...] = ("value",)
    looped: frozenset[str] = frozenset()
    wrapped: frozenset[str] = frozenset({"parenthesized_expression"})
    arguments: frozenset[str] = frozenset({"type_arguments"})
    names: frozenset[str] = frozenset({"identifier", "type_identifier"})
    untyped: bool = False
    """Whether a declaration without a type is of its value's."""
    calls_make: bool = False
    """Whether a class is called to make an object of it."""
    nameless: frozenset[str] = frozenset()
    """Types of nodes that are a type without a name."""
    holders: frozenset[str] = frozenset()
    """Classes whose values give access to what their arguments say."""
    every_word: bool = False
    """Whether all names in a type tell what its values are, not the last one alone."""
    literals: frozenset[str] = frozenset()
    """Types of nodes that are a value of the language's own types, which are called so."""
    declarations: frozenset[str] = frozenset()
    """Types of nodes whose type or value is that of the names in them; empty: of all that have one."""
    fields: frozenset[str] = frozenset()
    """Types of nodes that declare a member, where no scope has the members of a class."""
    classes: frozenset[str] = frozenset({"class", "import"})
    """Roles of names whose members are those of a class or module that is called so."""
    implied: bool = True
    """Whether a name with a capital that nothing binds is a class: of the same package, say."""
    steps: int = 1
    """How many it takes from a declaration to the value that it gives."""
    is_ordered: bool = False
    """Whether a name is what the last place before it says; else what any place says that binds it."""

    def owners(self, parsed: Parsed, start: int, end: int) -> Words:
        """Names of the classes that own the member at these bytes."""
        head = self._head(parsed, start, end)
        return NOTHING if head is None else self._of_value(parsed, head, _DEEPEST)

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        """`a.b` of the member at these bytes in `a.b.name`; empty if it is more than dotted names."""
        head = self._head(parsed, start, end)
        text = "" if head is None else "".join(parsed.text_of(head).split())
        return text if text.replace(".", "").isidentifier() else ""

    def _head(self, parsed: Parsed, start: int, end: int) -> Node | None:
        node = parsed.node_at(start, end)
        above = None if node is None else node.parent
        if above is None or above.type not in self.members:
            return None
        return above.child_by_field_name(self.members[above.type][0])

    def _of_value(self, parsed: Parsed, node: Node, depth: int) -> Words:
        if depth <= 0:
            return NOTHING
        if node.type in self.this:
            return class_at(parsed, node)
        if node.type in self.names:
            return self._of_name(parsed, node, depth - 1)
        if node.type in self.made:
            made = node.child_by_field_name(self.made[node.type])
            return NOTHING if made is None else self.class_of(parsed, made)
        if node.type in self.wrapped and node.named_children:
            inner = node.child_by_field_name("value") or node.named_children[0]
            return self._of_value(parsed, inner, depth - 1)
        if node.type in self.calls:
            return self._of_call(parsed, node, depth - 1)
        if node.type in self.members:
            return self._of_member(parsed, node, depth - 1)
        if node.type in self.literals:
            calls = [child for child in node.named_children if child.type in self.calls]
            return frozenset({node.type}).union(*(self._of_value(parsed, call, depth - 1) for call in calls))
        return NOTHING

    def _of_name(self, parsed: Parsed, node: Node, depth: int) -> Words:
        name, binding = parsed.text_of(node), self._bindings(parsed, node)
        if binding is None:
            return frozenset({name}) if self.implied and name[:1].isupper() else NOTHING
        if self.is_ordered:
            binding = [use for use in binding if use.start <= node.start_byte][-1:]
        return frozenset().union(*(self._of_binding(parsed, use, depth) for use in binding))

    def _bindings(self, parsed: Parsed, name: Node) -> list[Use] | None:
        """The places that bind what a name means; None where none does."""
        places = uses(parsed, parsed.text_of(name))
        here = next((use for use in places if use.start == name.start_byte), None)
        if here is None:
            return []
        return None if here.belongs is None else [it for it in places if it.binds and it.belongs == here.belongs]

    def _of_binding(self, parsed: Parsed, use: Use, depth: int) -> Words:
        if use.role in self.classes:
            return frozenset({use.name})
        node = parsed.node_at(use.start, use.end)
        return NOTHING if node is None or use.role == "function" else self._of_declaration(parsed, node, depth)

    def _of_declaration(self, parsed: Parsed, name: Node, depth: int) -> Words:
        """The declared type of the variable with that name, else that of its value."""
        node, above = self._declaration(name)
        if above is None or (self.declarations and above.type not in self.declarations):
            return NOTHING
        declared = self.declared(above)
        if declared is None and self.untyped:
            given = self.given(above, name)
            return (
                NOTHING if given is None or given.id == node.id else self._of_value(parsed, given, depth - self.steps)
            )
        if declared is None:
            return NOTHING
        if parsed.text_of(declared) not in self.inferred:
            return self.class_of(parsed, declared)
        holder = above if above.type in self.looped else node
        value = self.given(holder, name)
        if value is None:  # a field without a name, behind the sign
            value = next((child.next_sibling for child in holder.children if child.type == "="), None)
        if value is None or value.id == name.id:
            return NOTHING
        if above.type in self.looped:
            return self._elements(parsed, value, depth - self.steps)
        return self._of_value(parsed, value, depth - self.steps)

    def _declaration(self, name: Node) -> tuple[Node, Node | None]:
        """What declares a variable, and the part of it with the name."""
        node, above = name, name.parent
        while above is not None and above.type in self.declarators:
            node, above = above, above.parent
        return node, above

    def given(self, holder: Node, name: Node) -> Node | None:
        """The value that a declaration gives to a name."""
        return next((found for f in self.values if (found := holder.child_by_field_name(f)) is not None), None)

    def declared(self, holder: Node) -> Node | None:
        """The type in a declaration."""
        return next((found for f in self.types if (found := holder.child_by_field_name(f)) is not None), None)

    def class_of(self, parsed: Parsed, written: Node) -> Words:
        """The last name of a type without its arguments: `Entry` of `Map.Entry<K, V>`."""
        if self.every_word:
            return frozenset(_WORD.findall(parsed.text_of(written)))
        for _ in range(_MOST_NESTED):
            if written.type in self.nameless:
                return frozenset({written.type})
            if written.type in self.names:
                return frozenset({parsed.text_of(written)})
            name = next((child for child in written.named_children if child.type in self.names), None)
            if name is not None and parsed.text_of(name) in self.holders:
                return frozenset({parsed.text_of(name)}) | self._arguments(parsed, written)
            inner = [child for child in written.named_children if child.type not in self.arguments]
            inner = [child for child in inner if child.type in self.names or child.named_child_count]
            if not inner:
                return NOTHING
            written = inner[-1]
        return NOTHING

    def _elements(self, parsed: Parsed, value: Node, depth: int) -> Words:
        """The classes in the arguments of the type that is declared for a name."""
        if value.type not in self.names or depth <= 0:
            return NOTHING
        found = set[str]()
        for use in self._bindings(parsed, value) or ():
            name = parsed.node_at(use.start, use.end)
            _, above = (None, None) if name is None else self._declaration(name)
            written = None if above is None else self.declared(above)
            found |= NOTHING if written is None else self._arguments(parsed, written)
        return frozenset(found)

    def _arguments(self, parsed: Parsed, written: Node) -> Words:
        """The classes in the arguments of a type."""
        found, rest = set[str](), [written]
        while rest:
            node = rest.pop()
            for child in node.named_children:
                if child.type in self.arguments:
                    found.update(*(self.class_of(parsed, argument) for argument in child.named_children))
                elif child.type not in self.names:
                    rest.append(child)
        return frozenset(found)

    def _of_call(self, parsed: Parsed, node: Node, depth: int) -> Words:
        """The declared type of what a function of the document returns."""
        called = node.child_by_field_name(self.calls[node.type])
        owners: Words | None = None
        if called is not None and called.type in self.members:
            held, member = self.members[called.type]
            head, called = called.child_by_field_name(held), called.child_by_field_name(member)
            owners = NOTHING if head is None else self._of_value(parsed, head, depth)
        elif node.type in self.members:
            head = node.child_by_field_name(self.members[node.type][0])
            owners = None if head is None else self._of_value(parsed, head, depth)
        if called is None or called.type not in self.names:
            return NOTHING
        found, name = set[str](), parsed.text_of(called)
        for scope in scopes(parsed):
            if scope.kind == "function" and scope.name == name and _may_own(scope, owners):
                written = self.returned(parsed, scope)
                found |= NOTHING if written is None else self.class_of(parsed, written)
        makes = self.calls_make and not found and name[:1].isupper()
        return frozenset({name}) if makes else frozenset(found)

    def returned(self, parsed: Parsed, scope: Scope) -> Node | None:
        """The declared type of what a function returns."""
        for captures in parsed.matches("scopes", scope.def_line, scope.def_line + 1):
            node = captures.get("function", [None])[0]
            if node is not None and parsed.text_of(captures["name"][0]) == scope.name:
                return self.declared(node)
        return None

    def _of_member(self, parsed: Parsed, node: Node, depth: int) -> Words:
        """The declared type of a member of a class in the document."""
        held, last = self.members[node.type]
        head, member = node.child_by_field_name(held), node.child_by_field_name(last)
        if head is None or member is None:
            return NOTHING
        owners = with_aliases(parsed, self._of_value(parsed, head, depth))
        return NOTHING.union(*self._of_fields(parsed, member, owners, depth)) if owners else NOTHING

    def _of_fields(self, parsed: Parsed, member: Node, owners: Words, depth: int) -> Iterator[Words]:
        """What each place says that declares a member of one of the classes."""
        name = parsed.text_of(member)
        for use in uses(parsed, name):
            if use.binds and use.belongs is not None and use.belongs.kind == "class" and use.belongs.name in owners:
                yield self._of_binding(parsed, use, depth)
        for place in nodes_named(parsed, name) if self.fields else ():
            above = place.parent
            declared = None if above is None or above.type not in self.fields else self.declared(above)
            if declared is not None and class_name(parsed, place) & owners:
                yield self.class_of(parsed, declared)


def _may_own(scope: Scope, owners: Words | None) -> bool:
    """Whether a function is a member of one of the classes; None: it is called by its plain name."""
    around = scope.class_name.rpartition(".")[2] if scope.is_method else ""
    return owners is None or around in owners


def class_name(parsed: Parsed, node: Node) -> Words:
    """The class whose code a node is in."""
    name = class_name_around(parsed, node.start_point.row).rpartition(".")[2]
    return frozenset({name}) if name else NOTHING


def class_at(parsed: Parsed, node: Node) -> Words:
    """The class whose code a node is in, and its bases."""
    for scope in enclosing(scope_at(parsed, node.start_point.row, 0)):
        if scope.kind == "class":
            return frozenset({scope.name}) | parsed.language.bases(parsed, scope)
        if scope.owner:
            return frozenset({scope.owner.rpartition(".")[2]})
    return NOTHING
