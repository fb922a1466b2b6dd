"""YAML: its table."""

from palimpsest.languages.base import Data
from palimpsest.syntax.lexical import Lexical


class Yaml(Data):
    id = "yaml"
    name = "YAML"
    language_ids = ("yaml", "yml", "dockercompose", "github-actions-workflow")
    suffixes = (".yaml", ".yml")
    grammar_module = "tree_sitter_yaml"
    # An apostrophe is often no quote: plain text has it too.
    lexical = Lexical(("#",), quotes=('"',))


LANGUAGE = Yaml()
