"""Arguments and parameters.

In: a parse and their nodes.  Out: values.
"""

from __future__ import annotations

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Argument, Parameter


def argument(parsed: Parsed, node: Node) -> Argument:
    text = parsed.text_of(node)
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if node.type == "keyword_argument" and name is not None and value is not None:
        return Argument(node.start_byte, node.end_byte, text, parsed.text_of(name), parsed.text_of(value))
    return Argument(node.start_byte, node.end_byte, text, value=text, star=node.type.endswith("_splat"))


def parameters(parsed: Parsed, holder: Node) -> tuple[Parameter, ...]:
    found, only_keyword = list[Parameter](), False
    for node in holder.named_children:
        if node.type == "comment":
            continue
        text, name = parsed.text_of(node), _name_of(parsed, node)
        if node.type.endswith("_separator"):
            kind, only_keyword = "mark", only_keyword or text == "*"
        elif text.startswith("*"):
            kind, only_keyword = "star", True
        else:
            kind = "keyword" if only_keyword else "plain"
        value = node.child_by_field_name("value")
        found.append(Parameter(name, text, kind, "" if value is None else parsed.text_of(value)))
    return tuple(found)


def _name_of(parsed: Parsed, node: Node) -> str:
    while node.type != "identifier":
        inner = node.child_by_field_name("name") or next(iter(node.named_children), None)
        if inner is None:
            return ""
        node = inner
    return parsed.text_of(node)
