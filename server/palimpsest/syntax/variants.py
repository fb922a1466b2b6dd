"""Whether several definitions of one name are one thing, told by the language.

In: uses that define a name.  Out: yes or no.  A property's getter and setter, the signatures of an overload, what one
condition or the other compiles are one; what is defined twice, one after the other, is two.  If in doubt no.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.uses import Use


def are_one(parsed: Parsed, found: Sequence[Use], others: Sequence[Use]) -> bool:
    """Whether definitions in one scope define one thing with others there, each with the next one.  It may have another
    name in those, while they have not followed a rename yet."""
    ordered = sorted((*found, *others), key=lambda use: use.start)
    names = {use.name for use in ordered}
    return bool(found) and all(_belong(parsed, one, other, names) for one, other in pairwise(ordered))


def _take_turns(parsed: Parsed, one: Use, other: Use) -> bool:
    """Whether only one of two is there, by a condition: in branches of one statement, or of the preprocessor."""
    branches = {node.id: node for use in (one, other) for node in _captured(parsed, use, "branch")}
    apart = [branch.parent for branch in branches.values() if _holds(branch, one) != _holds(branch, other)]
    if any(above is not None and _holds(above, one) and _holds(above, other) for above in apart):
        return True
    marks = [
        label
        for captures in parsed.matches("variants", one.line, other.line + 1)
        for label, nodes in captures.items()
        if label in ("turn", "over") and one.end <= nodes[0].start_byte < other.start
    ]
    return set(marks) == {"turn"}


def _belong(parsed: Parsed, one: Use, other: Use, names: Collection[str]) -> bool:
    if _take_turns(parsed, one, other):
        return True
    said, goes_on = _marks(parsed, one, names), _marks(parsed, other, names)
    if one.role != other.role:
        return False
    return "first" in said or "again" in goes_on or ("alike" in said and said["alike"] == goes_on.get("alike"))


def _marks(parsed: Parsed, use: Use, names: Collection[str]) -> dict[str, str]:
    """What is said of a definition: the first word of each capture, with the longest one."""
    found = dict[str, str]()
    for captures in parsed.matches("variants", use.line, use.line + 1):
        heads = {parsed.text_of(node) for node in captures.get("head", ())}
        for label, nodes in captures.items():
            if any(node.start_byte == use.start for node in nodes) and heads <= set(names):
                word = label.partition(".")[0]
                found[word] = max(label, found.get(word, ""), key=len)
    return found


def _captured(parsed: Parsed, use: Use, label: str) -> list[Node]:
    return [node for found in parsed.matches("variants", use.line, use.line + 1) for node in found.get(label, ())]


def _holds(node: Node, use: Use) -> bool:
    return node.start_byte <= use.start < node.end_byte
