"""JSON, with comments where a file has them: its table."""

from palimpsest.languages.base import Data
from palimpsest.syntax.lexical import Lexical


class Json(Data):
    id = "json"
    name = "JSON"
    language_ids = ("json", "jsonc", "json5", "jsonl")
    suffixes = (".json", ".jsonc", ".json5", ".jsonl", ".geojson", ".webmanifest")
    grammar_module = "tree_sitter_json"
    lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"',))
    identifiers = frozenset({"string_content"})


LANGUAGE = Json()
