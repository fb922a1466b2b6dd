"""Languages without a grammar: prose, and code for which only comments and strings are known.

In: a language id.  Out: a `Language` without a tree.
"""

from collections.abc import Iterator, Sequence

from palimpsest.languages.base import Base
from palimpsest.syntax.lexical import Lexical
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages")
_PROSE = _WORDS["prose"] | {""}


class Plain(Base):
    def __init__(self, language_id: str) -> None:
        self.id = language_id
        self.name = language_id or "plain text"
        self.language_ids = (language_id,)
        if language_id in _WORDS["hash"]:
            self.lexical = Lexical(("#",), quotes=('"', "'"))
        elif language_id in _WORDS["dashes"]:
            self.lexical = Lexical(("--",), (("/*", "*/"),), quotes=('"', "'", "`"))
        elif language_id not in _PROSE:
            self.lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"', "'", "`"))

    def statements(self, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        """Paragraphs: lines between blank ones."""
        first = None
        for number in range(start, end):
            if not lines[number].strip():
                if first is not None:
                    yield range(first, number)
                first = None
            elif first is None:
                first = number
        if first is not None:
            yield range(first, end)


def is_prose(language_id: str) -> bool:
    """Whether a document with this language id is text for people."""
    return language_id in _PROSE
