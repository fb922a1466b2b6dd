"""The two kinds of workspaces for llama-server's requests, one of each for a slot.

    chunks   edited in place: each extra chunk of an infill is a block; the window around the cursor follows them
    plain    one sequence from position 0, whose longest common beginning is reused: completions and chats

In: chunks of requests.  Out: workspaces of the engine, among all others.
"""

from collections.abc import Generator, Sequence
from typing import TypeVar
from xml.sax.saxutils import quoteattr

from palimpsest import wire
from palimpsest.engine.cache.header_copies import HeaderCopies
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.cache.pool import NONE
from palimpsest.engine.cache.tail import TailBase
from palimpsest.engine.cache.tokenizer import Tokens, WantedTokens
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama_server.requests.infill import ExtraChunk
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import EngineError
from palimpsest.types import FOOTER, HEADER

Kind = TypeVar("Kind", "ChunkWorkspace", "PlainWorkspace")
REPOSITORY, FILE, UNNAMED = "myproject\n", "filename\n", "tmp"
SNIPPET = "\n\n--- snippet ---\n\n"
"""What llama-server writes around extra chunks, which models have come to know."""


class Separators:
    """What marks the beginning of a file: the model's own tokens where it has any; for a model trained on our layout
    (`palimpsest.fim_layout`) the elements of docs/formats.md, since it has seen no others."""

    def __init__(self, engine: NativeEngine) -> None:
        api, vocab = library().api, engine.model.vocab
        self._tokens_of = engine.tokenizer.tokens_of
        self._ours = bool(engine.model.metadata("palimpsest.fim_layout"))
        self.repository, self.file = int(api.llama_vocab_fim_rep(vocab)), int(api.llama_vocab_fim_sep(vocab))

    @property
    def header(self) -> Tokens:
        if self._ours:
            return self._tokens_of(HEADER)
        return (self.repository, *self._tokens_of(REPOSITORY)) if self.repository >= 0 else ()

    @property
    def footer(self) -> Tokens:
        """The beginning of the file at the cursor."""
        if self._ours:
            return self._tokens_of(FOOTER)
        return (self.file, *self._tokens_of(FILE)) if self.file >= 0 else ()

    def chunk(self, chunk: ExtraChunk) -> Tokens:
        if self._ours:
            head = f'<context type="recent" name={quoteattr(chunk.filename or UNNAMED)}>\n'
            return self._tokens_of(f"{head}{chunk.text}\n</context>\n")
        if self.file < 0:
            return (*self._tokens_of(SNIPPET), *self._tokens_of(chunk.text))
        name = self._tokens_of(f"{chunk.filename or UNNAMED}\n")
        return (self.file, *name, *self._tokens_of(chunk.text))


class ChunkWorkspace(InPlaceWorkspace):
    """`window`: the text around the cursor when the attached chunks were chosen, None before the first."""

    def __init__(self, engine: NativeEngine, name: str) -> None:
        super().__init__(engine.workspaces.shared, name)
        self.window: tuple[str, str] | None = None
        self._separators = Separators(engine)
        self._chunks: dict[str, ExtraChunk] = {}

    def attach(self, chunks: Sequence[ExtraChunk], slot: wire.Slot) -> Generator[None, None, wire.SyncAnswer]:
        """Attach the chunks as blocks; the last is the most valuable."""
        self._chunks = {chunk.key: chunk for chunk in reversed(chunks)}
        return (yield from self.sync(self.request_of(slot)))

    def request_of(self, slot: wire.Slot) -> wire.SyncRequest:
        wanted = [wire.WantedBlock(key, chunk.text) for key, chunk in self._chunks.items()]
        return wire.SyncRequest(self.name, "", "", wanted, slot)

    def forget(self) -> None:
        super().forget()
        self.window = None

    def _tokens_of(self, request: wire.SyncRequest) -> WantedTokens:
        """As in every workspace, with the model's own tokens between files."""
        header = self.facts.header_start + self._separators.header
        footer = self._separators.footer or self._tokenizer.tokens_of("\n")
        blocks = {block.key: self._separators.chunk(self._chunks[block.key]) for block in request.blocks}
        return WantedTokens(header, footer, blocks)


class PlainWorkspace(Workspace):
    """A workspace without blocks: its tails begin at position 0 of an empty sequence."""

    def __init__(self, engine: NativeEngine, name: str) -> None:
        super().__init__(engine.workspaces.shared, name)
        self._seq = self.pool.take()

    @property
    def ready(self) -> bool:
        return True

    @property
    def base(self) -> TailBase:
        if self._seq == NONE:
            self._seq = self.pool.take()
        return TailBase(self._seq, 0, self.revision, HeaderCopies(self.pool))

    @property
    def base_seqs(self) -> tuple[int, ...]:
        return (self._seq,)

    def sync(self, request: wire.SyncRequest) -> Generator[None, None, wire.SyncAnswer]:
        yield from ()
        raise EngineError("This workspace has no blocks.")

    def forget(self) -> None:
        self.tails.abandon()
        self.pool.give(self._seq)
        self._seq = NONE
        self._revision += 1


def chunk_workspace(engine: NativeEngine, slot: int) -> ChunkWorkspace:
    return _workspace(engine, f"http-{slot}", ChunkWorkspace)


def plain_workspace(engine: NativeEngine, slot: int) -> PlainWorkspace:
    return _workspace(engine, f"http-{slot}:text", PlainWorkspace)


def _workspace(engine: NativeEngine, name: str, kind: type[Kind]) -> Kind:
    """The workspace of that name.  It replaces one of another kind, made by a client of the engine's own protocol."""
    known = engine.workspaces.get(name)
    if isinstance(known, kind):
        return known
    made = kind(engine, name)
    engine.workspaces.add(made)
    return made
