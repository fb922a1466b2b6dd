"""TypeScript as a `Language`: what differs from JavaScript."""

from palimpsest.languages.javascript import JavaScript
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.typescript")


class TypeScript(JavaScript):
    id = "typescript"
    name = "TypeScript"
    language_ids: tuple[str, ...] = ("typescript",)
    other_names: tuple[str, ...] = ("ts",)
    suffixes: tuple[str, ...] = (".ts", ".mts", ".cts")
    grammar_module = "tree_sitter_typescript:language_typescript"
    query_files: tuple[str, ...] = ("../javascript/queries.scm", "queries.scm")
    hidden_by = frozenset({"private"})
    elements = ""
    merges_classes = True
    hides_implementation = True
    builtins = JavaScript.builtins | _WORDS["types"]
    common_words = JavaScript.common_words | _WORDS["keywords"] | _WORDS["types"]


LANGUAGE = TypeScript()
