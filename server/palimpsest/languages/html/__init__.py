"""HTML as a `Language`."""

from collections import defaultdict
from collections.abc import Sequence

from tree_sitter import Node

from palimpsest.languages.base import Data, embedded
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Embedded

CSS, JAVASCRIPT = "css", "javascript"
_SCRIPTS = {
    "text/javascript": JAVASCRIPT,
    "application/javascript": JAVASCRIPT,
    "module": JAVASCRIPT,
    "importmap": "json",
    "application/json": "json",
    "application/ld+json": "json",
    "speculationrules": "json",
    "ts": "typescript",
    "tsx": "typescriptreact",
    "jsx": "javascriptreact",
    "text/babel": "javascriptreact",
}


class Html(Data):
    id = "html"
    name = "HTML"
    language_ids = ("html", "vue")
    suffixes = (".html", ".htm", ".xhtml", ".vue")
    grammar_module = "tree_sitter_html"
    # A quote is one only where it holds an attribute's value.
    lexical = Lexical((), (("<!--", "-->"),), raw_quotes=(('="', '"'), ("='", "'")))
    is_checked = False

    def embedded(self, parsed: Parsed, lines: range) -> Sequence[Embedded]:
        texts, said = dict[int, tuple[Node, str]](), defaultdict[int, set[str]](set)
        for captures in parsed.matches("embeds", lines.start, lines.stop):
            text = captures["text"][0]
            texts[text.start_byte] = text, CSS if "style" in captures else ""
            said[text.start_byte] |= {parsed.text_of(node).lower() for node in captures.get("said", ())}
        found = list[Embedded]()
        for start, (text, style) in sorted(texts.items(), key=lambda item: item[0]):
            language = style or _script(said[start])
            part = embedded(parsed, language, [text.range], text) if language else None
            found += [part] if part is not None else []
        return found


def _script(said: set[str]) -> str:
    """The language of a script whose start tag says this: its type, and the `lang` that some frameworks have."""
    named = next((kind for kind in sorted(said) if kind in _SCRIPTS), "")
    return _SCRIPTS[named] if named else "" if any("/" in kind or kind == "importmap" for kind in said) else JAVASCRIPT


LANGUAGE = Html()
