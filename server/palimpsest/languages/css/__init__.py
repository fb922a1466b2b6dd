"""CSS: its table."""

from palimpsest.languages.base import Data
from palimpsest.syntax.lexical import Lexical


class Css(Data):
    id = "css"
    name = "CSS"
    language_ids = ("css",)
    suffixes = (".css",)
    grammar_module = "tree_sitter_css"
    lexical = Lexical((), (("/*", "*/"),), quotes=('"', "'"))
    omitted_body = " { ... }"


LANGUAGE = Css()
