"""SQL: its table.  No grammar knows every dialect, so that its errors say nothing."""

from palimpsest.languages.base import Data
from palimpsest.syntax.lexical import Lexical


class Sql(Data):
    id = "sql"
    name = "SQL"
    language_ids = ("sql", "mysql", "plsql", "postgres", "pgsql", "sqlite")
    suffixes = (".sql",)
    grammar_module = "tree_sitter_sql"
    lexical = Lexical(("--",), (("/*", "*/"),), quotes=('"', "`"), block_quotes=("'",))
    is_checked = False


LANGUAGE = Sql()
