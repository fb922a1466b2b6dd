"""Which refs are at a place of their conversation's document.

In: a document, a range.  Out: refs: those whose ids are written there, else those whose content is there; beside a
turn's text all that it has.
"""

from __future__ import annotations

from lsprotocol import types as lsp

from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.refs import Ref
from palimpsest.conversations.refs.tags import extract
from palimpsest.conversations.transcript.reading import DocumentTurn, parse
from palimpsest.errors import NotFound
from palimpsest.lsp.link_ids import ids
from palimpsest.text.snapshot import Snapshot


def turn_at(snapshot: Snapshot, line: int) -> DocumentTurn | None:
    return next((turn for turn in parse(snapshot.text).turns if turn.start <= line < turn.end), None)


def refs_at(memory: Memory, snapshot: Snapshot, conversation: str, range: lsp.Range) -> list[Ref]:
    """In the order of the text, each once.  Raises NotFound."""
    first, last = range.start.line, range.end.line
    turn = turn_at(snapshot, first)
    written = [one.id for line in snapshot.lines[first : last + 1] for one in ids(line) if one.kind == "ref"]
    if not written and turn is not None and turn.id is not None:
        written = _of_turn(memory, snapshot, turn, first, last)
    known = {ref.id: ref for ref in memory.refs.list(conversation)}
    return [known[id] for id in dict.fromkeys(written) if id in known]


def _of_turn(memory: Memory, snapshot: Snapshot, turn: DocumentTurn, first: int, last: int) -> list[str]:
    try:
        tagged = extract(memory.turns.text(memory.turns.get(turn.id or 0)))
    except NotFound:
        return []
    if first >= turn.text_end or first < turn.text_start:
        return [ref.id for ref in tagged.refs]
    skipped = len(tagged.shown) - len(tagged.shown.lstrip("\r\n"))  # which the document leaves out
    found = list[str]()
    for ref in tagged.refs:
        start, end = (
            turn.text_start + tagged.shown.count("\n", skipped, max(skipped, at)) for at in (ref.start, ref.end)
        )
        if start <= last and end >= first:
            found.append(ref.id)
    return found
