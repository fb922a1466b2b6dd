"""TSX as a `Language`: what differs from TypeScript."""

from palimpsest.languages.javascript import ELEMENTS
from palimpsest.languages.typescript import TypeScript


class Tsx(TypeScript):
    id = "tsx"
    name = "TSX"
    language_ids = ("typescriptreact",)
    other_names: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = (".tsx",)
    elements = ELEMENTS
    grammar_module = "tree_sitter_typescript:language_tsx"
    query_files = ("../javascript/queries.scm", "../typescript/queries.scm", "queries.scm")


LANGUAGE = Tsx()
