"""textDocument/inlineCompletion, and `palimpsest/completion`: at a place it would be answered otherwise now.

In: a cursor.  Out: items whose range covers the word being typed, so that the client can match and replace it.
An answer that cannot be given in time is an empty one, never an error: the status says why.  Of what a later request
has overtaken it is null: that request's may be on the screen already, and a client takes it off for an empty one.
"""

import logging
import re

from lsprotocol import types as lsp

from palimpsest.completions.completions import Completed
from palimpsest.completions.lsp.commands import ACCEPTED
from palimpsest.completions.snippet import as_snippet
from palimpsest.errors import Cancelled, EngineError, InvalidArgument
from palimpsest.languages.registry import language_of
from palimpsest.lsp.convert import position_in, position_out
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.syntax.lexical import state_after
from palimpsest.text.positions import PositionEncoding
from palimpsest.text.snapshot import ContentChange, Position, Range
from palimpsest.window.events import CompletionChanged

logger = logging.getLogger(__name__)

CHANGED = "palimpsest/completion"
LONGEST_ITEM = 1_000
"""Characters of a menu's item that is gone on from."""
_WORD = re.compile(r"\w*")


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(lsp.TEXT_DOCUMENT_INLINE_COMPLETION)
    async def inline_completion(params: lsp.InlineCompletionParams) -> lsp.InlineCompletionList | None:
        session, encoding = window.session, window.client.encoding
        snapshot = session.documents.find(params.text_document.uri)
        if snapshot is None:
            return lsp.InlineCompletionList(items=[])
        position = position_in(snapshot, params.position, encoding)
        invoked = params.context.trigger_kind == lsp.InlineCompletionTriggerKind.Invoked
        options = window.settings.completion
        menu, selected = params.context.selected_completion_info, None
        if menu is not None and len(menu.text) <= LONGEST_ITEM:
            ends = (position_in(snapshot, end, encoding) for end in (menu.range.start, menu.range.end))
            selected = ContentChange(Range(*sorted(ends)), menu.text)
        try:
            completed = await session.completions.complete(
                snapshot.uri, position, n=options.n if invoked else 1, invoked=invoked, selected=selected
            )
        except Cancelled:
            return None
        except (EngineError, InvalidArgument) as error:
            logger.info("no completion: %s", error)
            completed = None
        return lsp.InlineCompletionList(items=_items(completed, encoding, snippets=options.snippets))

    def tell(event: CompletionChanged) -> None:
        snapshot, at = event.snapshot, position_out(event.snapshot, event.position, window.client.encoding)
        document = {"uri": snapshot.uri, "version": snapshot.version}
        position = {"line": at.line, "character": at.character}
        server.protocol.notify(CHANGED, {"textDocument": document, "position": position})

    window.session_listeners.append(lambda session: session.events.on(CompletionChanged, tell))


def _items(
    completed: Completed | None, encoding: PositionEncoding, *, snippets: bool
) -> list[lsp.InlineCompletionItem]:
    if completed is None:
        return []
    snapshot, position, selected = completed.snapshot, completed.position, completed.selected
    language, blanks = language_of(snapshot.language_id, snapshot.uri), ""
    if selected is not None and selected.range is not None:
        start, end, typed = selected.range.start, selected.range.end, selected.text
        before = snapshot.lines[start.line][: start.column] + typed
    else:
        end, start = position, completed.start or position
        line = snapshot.lines[position.line]
        before, blanks = line[: start.column], line[start.column : position.column]
        typed = "" if blanks else word_at_end(before)
        start = Position(position.line, start.column - len(typed))
    where = lsp.Range(position_out(snapshot, start, encoding), position_out(snapshot, end, encoding))
    line_start = snapshot.offset(Position(start.line, 0)) if snippets else 0
    state = state_after(snapshot.text[:line_start], language.lexical)
    items = []
    sure = {} if completed.sure is None else {"confidence": round(completed.sure, 4)}
    for text, id in zip(completed.texts, completed.ids, strict=True):
        snippet = as_snippet(before, text, language, state, typed=typed) if snippets else None
        items.append(
            lsp.InlineCompletionItem(
                insert_text=typed + text if snippet is None else lsp.StringValue(snippet),
                filter_text=blanks + typed + text,
                range=where,
                command=lsp.Command("Count an accepted completion", ACCEPTED, arguments=[{"id": id, **sure}]),
            )
        )
    return items


def word_at_end(text: str) -> str:
    r"""Looked for from the end: `\w*\Z` would be tried at every place of a long line, each time up to its end."""
    match = _WORD.match(text[::-1])
    return text[len(text) - match.end() :] if match is not None else ""
