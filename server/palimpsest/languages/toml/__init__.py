"""TOML: its table."""

from palimpsest.languages.base import Data
from palimpsest.syntax.lexical import Lexical


class Toml(Data):
    id = "toml"
    name = "TOML"
    language_ids = ("toml",)
    suffixes = (".toml",)
    grammar_module = "tree_sitter_toml"
    lexical = Lexical(("#",), quotes=('"', "'"), block_quotes=('"""', "'''"))


LANGUAGE = Toml()
