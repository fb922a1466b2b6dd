"""Pure: the closing tag that follows its opening one, or the other way round.

In: parses before and after an edit, the document as it is now.  Out: changes and their sites.  Which tags belong
together only the tree of before can tell, so a tag is known by its number; nothing follows once there are more tags, or
fewer.
"""

import re
from collections.abc import Iterator

from palimpsest.next_edits.changes import Site, TagChange
from palimpsest.next_edits.targets import File, where
from palimpsest.syntax.parse import Parsed, parse_text

_TAG = re.compile(rb"</?([A-Za-z_][\w:.-]*)")


def tag_changes(before: Parsed, after: Parsed) -> Iterator[TagChange]:
    old, new = _names(before), _names(after)
    if len(old) != len(new):
        return
    for pair in _pairs(before):
        for edited, partner in (pair, pair[::-1]):
            if old[edited] == old[partner] == new[partner] != new[edited]:
                yield TagChange(after.snapshot.uri, old[edited], new[edited], edited, partner, len(new))


def tag_places(change: TagChange, file: File) -> Iterator[Site]:
    parsed, tags = file.parsed, file.parsed.once(_tags)
    names = _names(parsed)
    if len(tags) != change.of or (names[change.edited], names[change.partner]) != (change.new, change.old):
        return
    (start, end), data = tags[change.partner], parsed.snapshot.utf8
    text = data[:start] + change.new.encode() + data[end:]
    made = parse_text(text.decode("utf-8", "surrogatepass"), parsed.language) if parsed.part is None else None
    pair = tuple(sorted((change.edited, change.partner)))
    if made is None or pair in _pairs(made):  # a `br` is never closed
        scope, message = where(parsed, data.count(b"\n", 0, start)), f"{change.old} is {change.new} now"
        yield Site(file.uri, start, end, change.old, change.new, "rename", message, scope)


def _names(parsed: Parsed) -> list[str]:
    data = parsed.snapshot.utf8
    return [data[start:end].decode("utf-8", "replace") for start, end in parsed.once(_tags)]


def _tags(parsed: Parsed) -> tuple[tuple[int, int], ...]:
    """What may be the name of a tag, in bytes: what the tree has of tags of which one is wrong, nobody can tell."""
    has_tags = parsed.language.query("tags") is not None
    return tuple(tags.span(1) for tags in _TAG.finditer(parsed.snapshot.utf8)) if has_tags else ()


def _pairs(parsed: Parsed) -> list[tuple[int, int]]:
    """The numbers of those that open and close one element."""
    number = {place: n for n, place in enumerate(parsed.once(_tags))}
    pairs = list[tuple[int, int]]()
    for captures in parsed.matches("tags") if number else ():
        places = [(node.start_byte, node.end_byte) for node in (captures["opening"][0], captures["closing"][0])]
        if all(place in number for place in places):
            pairs.append((number[places[0]], number[places[1]]))
    return pairs
