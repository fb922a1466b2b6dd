"""Asks the model made for next edits (`next_edit.model`) how the lines at the cursor go on.

In: a document, a cursor.  Out: the smallest edits that make what it wrote of these lines.  Owner of the window that it
rewrites.

Files and changes that are over are blocks, each read by itself and once; only the change that goes on and the window
are read again.  Of a format whose sections do not stand apart, the whole prompt is.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

from palimpsest import wire
from palimpsest.edits.suggestions.files import Files
from palimpsest.errors import ModelError, PalimpsestError
from palimpsest.models import next_edit_models
from palimpsest.next_edits.changes import Site
from palimpsest.next_edits.events import events
from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.diffs import Replacement, replacements
from palimpsest.next_edits.formats.format import Asked, FilePart, Format, Piece, Prompt
from palimpsest.next_edits.held_window import HeldWindow
from palimpsest.providers.base.protocol import HasNextEditModel
from palimpsest.syntax.places import rows_around
from palimpsest.text.conversations import is_conversation
from palimpsest.text.positions import utf8, well_formed
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.window.events import DocumentChanged, NextEditModelFailed, SettingsChanged
from palimpsest.window.services import Services

logger = logging.getLogger(__name__)

MOST_TOKENS = 1024
CHARS_PER_TOKEN = 2.5
MORE_TOKENS = 128
"""The most that an answer may have, the most characters that count as a token of it, and what it may be longer."""
DRAFT = 32
"""Most of an answer is a copy of the window."""
MOST_FILES = 3
SAFE_MODE = "The engine died and goes on in safe mode, without a model for next edits."


class NextEditWriter:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._files = Files(services)
        self._held = HeldWindow()
        self._held_for = ""
        self._told = ""

    def document_changed(self, event: DocumentChanged) -> None:
        self._held.changed(event.new.uri, event.edits)

    async def edits(self, snapshot: Snapshot, position: Position) -> tuple[Replacement, ...]:
        """Nothing where there is no such model, it is still being loaded, or it has nothing of use to say."""
        services = self._services
        try:
            model = next_edit_models.inspect(services.settings.next_edit.model)
            if services.supervisor.status.safe_mode:
                self._tell(SAFE_MODE)
                return ()
            if model is not None and services.supervisor.target.next_edit_model is None:
                services.events.emit(SettingsChanged(frozenset({"engine"})))  # its file came behind the engine
                return ()
            format = FORMATS[model.format] if model is not None else None
            asked = None if format is None else self._asked(format, snapshot, position)
            prompt = None if format is None or asked is None else format.prompt(asked)
            if format is None or asked is None or prompt is None:
                return ()
            async with services.supervisor.engine() as engine:
                if not isinstance(engine, HasNextEditModel):
                    return ()
                request = request_of(services.workspace, format, asked, prompt)
                with services.usage.busy(), services.usage.spent("engine"):
                    answer = await engine.for_next_edits().generate(request)
        except ModelError as error:
            self._tell(str(error))
            return ()
        except PalimpsestError as error:
            logger.info("no next edit by its model: %s", error)
            return ()
        choice = answer.choices[0]
        read = format.read(asked, prompt, choice.text, is_whole=choice.finish in ("end", "stop"))
        if read.refused:
            logger.info("what the model for next edits wrote is of no use: %s", read.refused)
            return ()
        if reason := _why_not(asked, read.text):
            logger.debug("what the model for next edits wrote is not offered: %s", reason)
            return ()
        return replacements(snapshot, asked.window, read.text)

    def _tell(self, why: str) -> None:
        """Once: it is asked at each pause."""
        why = f"{next_edit_models.SETTING}: {why.removeprefix(f'{next_edit_models.SETTING}: ')}"
        if why != self._told:
            self._told = why
            self._services.events.emit(NextEditModelFailed(why))

    def _asked(self, format: Format, snapshot: Snapshot, position: Position) -> Asked | None:
        services = self._services
        told = events(services.activity.edits, lambda it: it.uri == snapshot.uri or self._may_show(it.uri))
        if not told:
            return None
        if format.name != self._held_for:
            self._held, self._held_for = HeldWindow(), format.name
        parsed = services.parser.hurried(snapshot)
        rows = rows_around(parsed, position.line, snapshot.byte_column(position))
        window, around = self._held.at(snapshot, position.line, format.window(snapshot.lines, position.line, rows))
        if not window:
            return None
        newest = told[-1]
        is_here = newest.after.uri == snapshot.uri and newest.after.text == snapshot.text
        text = "\n".join(snapshot.lines[window.start : window.stop])
        return Asked(
            self._path(snapshot.uri),
            snapshot.lines,
            window,
            around,
            position,
            original=newest.original(window) if is_here else text,
            files=tuple(self._pieces(snapshot.uri)),
            changes=tuple(event.change(self._path(event.after.uri)) for event in told),
        )

    def _pieces(self, uri: str) -> list[FilePart]:
        """Pieces of other documents that the person worked with lately, the oldest first."""
        found = list[FilePart]()
        for chunk in self._services.activity.chunks:
            if chunk.uri != uri and self._may_show(chunk.uri) and len(found) < MOST_FILES:
                found.append(FilePart(self._path(chunk.uri), "\n".join(chunk.lines)))
        return found[::-1]

    def _path(self, uri: str) -> str:
        return self._services.roots.locate(uri)[1]

    def _may_show(self, uri: str) -> bool:
        """Nothing of another document that is secret, ignored or outside, and none that a program writes; nor of what
        is being written in a conversation and is not said yet."""
        document = self._services.documents.find(uri)
        is_talk = document is not None and is_conversation(uri, document.lines)
        return not is_talk and self._files.may_edit(uri, document)


def first_cluster(edits: Sequence[Replacement]) -> tuple[Replacement, ...]:
    """The first edit, and those that follow on the same or the next line."""
    found = list(edits[:1])
    for edit in edits[1:]:
        if edit.range.start.line > found[-1].range.end.line + 1:
            break
        found.append(edit)
    return tuple(found)


def as_place(snapshot: Snapshot, edits: Sequence[Replacement]) -> Site:
    """All of them as one, with what stands between."""
    start, end = snapshot.offset(edits[0].range.start), snapshot.offset(edits[-1].range.end)
    text, at = "", start
    for edit in edits:
        text += snapshot.text[at : snapshot.offset(edit.range.start)] + edit.text
        at = snapshot.offset(edit.range.end)
    first, before = len(utf8(snapshot.text[:start])), snapshot.text[start:end]
    return Site(snapshot.uri, first, first + len(utf8(before)), before, text, "model", "what comes next")


def request_of(workspace: str, format: Format, asked: Asked, prompt: Prompt) -> wire.GenerateRequest:
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
        slot="suggestion",
        sync=wire.SyncRequest(workspace, "", footer, _blocks(apart), "suggestion", marks=marks),
        max_tokens=min(MOST_TOKENS, int(len(asked.text) / CHARS_PER_TOKEN) + MORE_TOKENS),
        stop=list(format.stops),
        sampling=wire.Sampling(temperature=0.0, seed=0),
        replace=f"{workspace}:nextEdit",
        draft=DRAFT,
    )


def _blocks(pieces: tuple[Piece, ...]) -> list[wire.WantedBlock]:
    """The newest first, which is what they are worth."""
    texts = dict.fromkeys((piece.kind, well_formed(piece.text)) for piece in reversed(pieces))
    return [wire.WantedBlock(f"{kind}:{wire.text_hash(text)}", text, wire.text_hash(text)) for kind, text in texts]


def _why_not(asked: Asked, text: str) -> str:
    """Why nobody would want it, "" where somebody may."""
    before, after = (re.sub(r"\s+", "", one) for one in (asked.text, text))
    if before == after:
        return "nothing but blanks would change"
    if before.startswith(after):
        return "it leaves out the end of the lines"
    return "it takes back what was just done" if text == asked.original != asked.text else ""
