"""What a ref's content is: its language, its category, and an id that fits it.

In: content, the attributes of its tag, names that are taken.  Out: words.  Knows no conversation.
Content is parsed once another process has lived through it.
"""

import json
import re
from collections.abc import Collection, Mapping

from palimpsest.documents.markdown import unfenced
from palimpsest.languages.embedded import called
from palimpsest.languages.registry import is_prose, language_of, languages
from palimpsest.syntax.parse import Parsed, parse_file
from palimpsest.syntax.scopes import scopes

CODE, DATA, TEXT = "code", "data", "text"
MOST_TRIED = 20_000
"""Characters of a content whose language is found by trying."""
HEAD = 1_500
"""Characters of its beginning that rule out most languages."""
MOST_CUT = 8
"""Errors that a beginning may have for ending in the middle."""
LONGEST_ID = 60
_NOT_IN_ID = re.compile(r"\W+")


def language_name(content: str, attributes: Mapping[str, str]) -> str:
    """The language of a content by the tag's `lang` or `language`, the fence that holds all of it, the tag's `path`, or
    what it defines; empty if nothing tells."""
    inner, fenced = unfenced(content)
    for name in (attributes.get("lang"), attributes.get("language"), fenced):
        if name:
            known = called(name.lower())
            return known.id if known is not None else name.lower()
    by_path = language_of("", attributes.get("path", ""))
    if by_path.grammar is not None:
        return by_path.id
    parsed = _tried(inner) if inner.strip() else None
    return "" if parsed is None else parsed.language.id


def category_of(content: str, language: str, attributes: Mapping[str, str]) -> str:
    """The tag's own word, else code, data or text."""
    if named := attributes.get("category", "").strip().lower():
        return named[:LONGEST_ID]
    if not language:
        return DATA if _is_json(content) else TEXT
    if is_prose(language):
        return TEXT
    known = called(language)
    return DATA if known is not None and known.whole_file else CODE


def suggested_id(content: str, language: str, taken: Collection[str]) -> str:
    """The name of the first definition inside, else one of the language; never one that is taken."""
    named = called(language) if language else None
    parsed = parse_file(content, named) if named is not None else None if language else _tried(content)
    name = _first_definition(parsed) if parsed is not None else ""
    base = _NOT_IN_ID.sub("_", name or f"{language or 'text'}_block").strip("_")[:LONGEST_ID] or "block"
    return next(one for one in (base, *(f"{base}_{n}" for n in range(2, len(taken) + 3))) if one not in taken)


def _first_definition(parsed: Parsed) -> str:
    return next((scope.name for scope in scopes(parsed) if scope.kind != "file" and scope.name), "")


def _tried(content: str) -> Parsed | None:
    """A parse in the first language in which the content has no error and defines something, most definitions first."""
    if len(content) > MOST_TRIED or not content.strip():
        return None
    tried = [it for it in languages() if it.grammar is not None and it.is_checked and not it.whole_file]
    if len(content) > HEAD:  # a log of 20,000 characters takes a parser up to 0.3 s, and there are many
        # Two, since one may end in the middle of a long string.
        heads = [content[: content.rfind("\n", 0, most) + 1 or most] for most in (HEAD, HEAD // 2)]
        tried = [it for it in tried if any(parse_file(head, it).n_errors <= MOST_CUT for head in heads)]
    parses = [parse_file(content, language) for language in tried]
    fitting = [parsed for parsed in parses if not parsed.n_errors and _first_definition(parsed)]
    return max(fitting, key=lambda parsed: len(scopes(parsed)), default=None)


def _is_json(content: str) -> bool:
    if not content.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True
