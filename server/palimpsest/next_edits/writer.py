"""Asks the model made for next edits (`next_edit.model`) how the lines at the cursor go on.

In: a document, a cursor.  Out: the smallest edits that make what it wrote of these lines.  Owner of the window that it
rewrites.

Files and changes that are over are blocks, each read by itself and once; only the change that goes on and the window
are read again.  Of a format whose sections do not stand apart, the whole prompt is.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from palimpsest import wire
from palimpsest.edits.line_edits import applied, normalised
from palimpsest.edits.suggestions.files import EditableFiles
from palimpsest.errors import ModelError, PalimpsestError
from palimpsest.languages.placeholders import placeholder
from palimpsest.languages.registry import language_of
from palimpsest.models import next_edit_models
from palimpsest.next_edits.events import EditEvent, earlier, events, is_told
from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.diffs import OffsetEdit, smallest_edits
from palimpsest.next_edits.formats.format import FilePart, NextEditFormat, NextEditPrompt, PromptPiece, WindowRequest
from palimpsest.next_edits.held_window import HeldWindow
from palimpsest.next_edits.policy import in_conflict, why_not
from palimpsest.providers.base.protocol import HasNextEditModel
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.syntax.places import rows_around
from palimpsest.text.conversations import is_conversation
from palimpsest.text.positions import well_formed
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.text.tokens import masked_block, masked_lines
from palimpsest.types import LineEdit
from palimpsest.window.events import DocumentChanged, NextEditModelFailed, SettingsChanged
from palimpsest.window.services import Services

MOST_TOKENS = 1024
CHARS_PER_TOKEN = 2.5
MORE_TOKENS = 128
"""The most that an answer may have, the most characters that count as a token of it, and what it may be longer."""
DRAFT = 32
"""Most of an answer is a copy of the window."""
MOST_FILES = 3
MOST_CHARS = 16 * MOST_TOKENS
"""The lines that are rewritten have at most this many characters, and an answer has no more."""
OF_NO_USE = "what the model wrote is of no use"
SAFE_MODE = "The engine died and goes on in safe mode, without a model for next edits."


@dataclass(frozen=True, slots=True)
class WrittenWindow:
    """What the model has written of the lines `window`, or why there is nothing; `is_answer`: it said so itself."""

    edits: tuple[OffsetEdit, ...] = ()
    window: range = range(0)
    why_not: str = ""
    is_answer: bool = True


class NextEditWriter:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._files = EditableFiles(services)
        self._held = HeldWindow()
        self._held_for = ""
        self.last_problem = ""
        """What the person was last told of the model: why it cannot be used."""

    def document_changed(self, event: DocumentChanged) -> None:
        self._held.changed(event.old, event.new, event.edits)

    async def write(self, snapshot: Snapshot, position: Position, made: EditEvent | None = None) -> WrittenWindow:
        """`made`: an edit that leads to this snapshot and is not made yet; that is asked about in the background."""
        try:
            return await self._write(snapshot, position, made)
        except ModelError as error:
            return self._refused(str(error))
        except PalimpsestError as error:
            return WrittenWindow(why_not=str(error), is_answer=False)

    async def _write(self, snapshot: Snapshot, position: Position, made: EditEvent | None) -> WrittenWindow:
        services = self._services
        if services.supervisor.target.is_remote:
            return self._refused(str(next_edit_models.ELSEWHERE))
        model = await asyncio.to_thread(next_edit_models.inspect, services.settings.next_edit.model)
        if model is None:
            return WrittenWindow(why_not="no model for them is set", is_answer=False)
        if services.supervisor.status.safe_mode:
            return self._refused(SAFE_MODE)
        if services.supervisor.target.next_edit_model is None:
            services.events.emit(SettingsChanged(frozenset({"engine"})))  # its file came behind the engine
            return WrittenWindow(why_not="its model is still being loaded", is_answer=False)
        format = FORMATS[model.format]
        past = self._events(snapshot, made)
        if not past:
            return WrittenWindow(why_not="nothing was edited yet", is_answer=False)
        parsed = services.parser.hurried(snapshot) if made is None else await asyncio.to_thread(parsed_alone, snapshot)
        asked = self._asked(format, parsed, position, past, HeldWindow() if made else self._held_of(format))
        if asked is not None and in_conflict(snapshot.lines, asked.around):
            return WrittenWindow(why_not="a merge conflict is near the cursor", is_answer=False)
        prompt = None if asked is None else format.prompt(asked)
        if asked is None or prompt is None:
            return WrittenWindow(why_not="the model cannot be asked about these lines", is_answer=False)
        request = request_of(services.workspace, format, asked, prompt, "background" if made else "suggestion")
        async with services.supervisor.engine() as engine:
            if not isinstance(engine, HasNextEditModel):
                return WrittenWindow(why_not="the engine has no model for them", is_answer=False)
            with services.usage.busy(), services.usage.spent("engine"):
                answer = await engine.for_next_edits().generate(request)
        choice = answer.choices[0]
        read = format.read(asked, prompt, choice.text, is_whole=choice.finish in ("end", "stop"))
        reason = read.refused or why_not(snapshot.lines, asked.window, read.text, earlier(past, snapshot, asked.window))
        if not reason and await asyncio.to_thread(_leaves_out, parsed, asked.window, read.text):
            reason = "it leaves code out"
        if reason:
            return WrittenWindow(why_not=f"{OF_NO_USE}: {reason}")
        return WrittenWindow(smallest_edits(snapshot, asked.window, read.text), asked.window)

    def _refused(self, why: str) -> WrittenWindow:
        """The person is told once: it is asked at each pause."""
        why = f"{next_edit_models.SETTING}: {why.removeprefix(f'{next_edit_models.SETTING}: ')}"
        if why != self.last_problem:
            self.last_problem = why
            self._services.events.emit(NextEditModelFailed(why))
        return WrittenWindow(why_not=why, is_answer=False)

    def _held_of(self, format: NextEditFormat) -> HeldWindow:
        if format.name != self._held_for:
            self._held, self._held_for = HeldWindow(), format.name
        return self._held

    def _events(self, snapshot: Snapshot, made: EditEvent | None) -> tuple[EditEvent, ...]:
        def may_show(it: Snapshot) -> bool:
            return it.uri == snapshot.uri or self._may_show(it.uri)

        past = events(self._services.activity.edits, may_show)
        if made is None:
            return past
        return (*(replace(event, is_open=False) for event in past), made) if is_told(made) else ()

    def _asked(
        self, format: NextEditFormat, parsed: Parsed, position: Position, past: Sequence[EditEvent], held: HeldWindow
    ) -> WindowRequest | None:
        snapshot = parsed.snapshot
        rows = rows_around(parsed, position.line, snapshot.byte_column(position))
        window, around = held.at(snapshot, position.line, format.window(snapshot.lines, position.line, rows))
        text = "\n".join(snapshot.lines[window.start : window.stop])
        if not window or len(text) > MOST_CHARS:
            return None
        lines = masked_lines("\n".join(snapshot.lines))
        if well_formed(text) != text or "\n".join(lines[window.start : window.stop]) != text:
            return None  # its answer would be without what no model can write, or may see
        newest = past[-1]
        is_here = newest.after.uri == snapshot.uri and newest.after.text == snapshot.text
        return WindowRequest(
            self._path(snapshot.uri),
            lines,
            window,
            around,
            position,
            original=masked_block(newest.original(window)) if is_here else text,
            files=tuple(self._pieces(snapshot.uri)),
            changes=tuple(event.change(self._path(event.after.uri)) for event in past),
        )

    def _pieces(self, uri: str) -> list[FilePart]:
        """Pieces of other documents that the person worked with lately, the oldest first."""
        parts = list[FilePart]()
        for chunk in self._services.activity.chunks:
            if chunk.uri != uri and self._may_show(chunk.uri) and len(parts) < MOST_FILES:
                parts.append(FilePart(self._path(chunk.uri), masked_block("\n".join(chunk.lines))))
        return parts[::-1]

    def _path(self, uri: str) -> str:
        return self._services.roots.locate(uri)[1]

    def _may_show(self, uri: str) -> bool:
        """Nothing of another document that is secret, ignored or outside, and none that a program writes; nor of what
        is being written in a conversation and is not said yet."""
        document = self._services.documents.find(uri)
        is_talk = document is not None and is_conversation(uri, document.lines)
        return not is_talk and self._files.may_edit(uri, document)


def clusters(snapshot: Snapshot, edits: Sequence[OffsetEdit]) -> Iterator[tuple[OffsetEdit, ...]]:
    """Edits, each with those that follow on the same or the next line."""
    near = list(edits[:1])
    for edit in edits[1:]:
        if snapshot.position(edit.start).line > snapshot.position(near[-1].end).line + 1:
            yield tuple(near)
            near = []
        near.append(edit)
    if near:
        yield tuple(near)


def as_one(text: str, edits: Sequence[OffsetEdit]) -> OffsetEdit:
    """All edits of a text as one, with what stands between."""
    start, new = edits[0].start, ""
    for edit, before in zip(edits, [start, *(edit.end for edit in edits)], strict=False):
        new += text[before : edit.start] + edit.text
    return OffsetEdit(start, edits[-1].end, new)


def _leaves_out(parsed: Parsed, window: range, text: str) -> bool:
    """Whether something stands in place of lines that were not written again."""
    lines = parsed.snapshot.lines
    edits = normalised(lines, [LineEdit(window.start, window.stop, tuple(text.split("\n")))])
    after = replace(parsed.snapshot, text="\n".join(applied(lines, edits)))
    return bool(placeholder(parsed, parse_snapshot(after, parsed.language), edits))


def parsed_alone(snapshot: Snapshot) -> Parsed:
    """Of a text that no document has yet."""
    return parse_snapshot(snapshot, language_of(snapshot.language_id, snapshot.uri))


def request_of(
    workspace: str, format: NextEditFormat, asked: WindowRequest, prompt: NextEditPrompt, slot: wire.Slot
) -> wire.GenerateRequest:
    """Pieces before the first of kind "text" are blocks, where none stands behind it."""
    first = next(n for n, piece in enumerate(prompt.pieces) if piece.kind == "text")
    stand_apart = not any(piece.kind != "text" for piece in prompt.pieces[first:])
    apart = prompt.pieces[:first] if stand_apart else ()
    tail = well_formed("".join(piece.text for piece in prompt.pieces[len(apart) :]))
    marks = list(format.tokens)
    footer = next((mark for mark in marks if tail.startswith(mark)), tail[:1])
    return wire.GenerateRequest(
        workspace=workspace,
        text=wire.TextTail(tail.removeprefix(footer), marks),
        slot=slot,
        sync=wire.SyncRequest(workspace, "", footer, _blocks(apart), slot, marks=marks),
        max_tokens=min(MOST_TOKENS, int(len(asked.text) / CHARS_PER_TOKEN) + MORE_TOKENS),
        stop=list(format.stops),
        sampling=wire.Sampling(temperature=0.0, seed=0),
        replace=f"{workspace}:nextEdit",
        draft=DRAFT,
    )


def _blocks(pieces: tuple[PromptPiece, ...]) -> list[wire.WantedBlock]:
    """The newest first, which is what they are worth."""
    texts = dict.fromkeys((piece.kind, well_formed(piece.text)) for piece in reversed(pieces))
    return [wire.WantedBlock(f"{kind}:{wire.text_hash(text)}", text, wire.text_hash(text)) for kind, text in texts]
