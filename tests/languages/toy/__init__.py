"""A language of a table and a query file, as a person adds one: a part of JavaScript."""

from palimpsest.languages.base import Base
from palimpsest.syntax.lexical import Lexical


class Toy(Base):
    id = "toy"
    name = "Toy"
    language_ids = ("toy",)
    suffixes = (".toy",)
    grammar_module = "tree_sitter_javascript"
    lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"', "'"), block_quotes=("`",))
    doc_comments = ("/**", "///")
    annotations = frozenset({"decorator"})
    identifiers = frozenset({"identifier", "property_identifier"})
    members = frozenset({"member_expression"})
    builtins = frozenset({"Math"})
    initializers = frozenset({"constructor"})


LANGUAGE = Toy()
