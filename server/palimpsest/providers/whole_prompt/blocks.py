"""The beginning of a workspace's prompts, for servers that only know whole prompts: header, blocks, footer.

In: sync requests, counts of tokens.  Out: the blocks that fit, in a stable order; reports with their positions in the
prompt.  Knows no server and no tokenizer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest import wire
from palimpsest.errors import UnknownText
from palimpsest.wire import BlockReport, SyncAnswer, SyncRequest

REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block in the prompt; `start` is the position of its first token."""

    key: str
    text: str
    hash: str
    start: int
    tokens: int


class Order:
    """The order of one workspace's blocks.  A name includes the text: a block with another text is another block.

    A block keeps its place while it is remembered; a new one goes to the end.  So the blocks that stay form a beginning
    that was decoded before, those that change often move to the end, and a person who returns to a file gets the same
    prompt again."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._places: dict[str, int] = {}
        self._next = 0

    def arrange(self, names: Sequence[str]) -> list[str]:
        """`names` (each once) in their order."""
        for name in names:
            if name not in self._places:
                self._places[name] = self._next
                self._next += 1
        over = len(self._places) - max(self._remembered, len(names))
        if over > 0:
            wanted = set(names)
            for name in [name for name in self._places if name not in wanted][:over]:  # the oldest come first
                del self._places[name]
        return sorted(names, key=self._places.__getitem__)


@dataclass(slots=True)
class PromptBlocks:
    """The blocks of one workspace, in the order of the prompt."""

    header: str = ""
    footer: str = ""
    pieces: list[PlacedBlock] = field(default_factory=list)
    revision: int = 0
    n_header: int = 0
    n_footer: int = 0
    order: Order = field(default_factory=Order)

    def texts(self, request: SyncRequest) -> list[str]:
        """The texts of the requested blocks.  Raises UnknownText for one named by its hash that is not in the
        prompt."""
        here = {piece.hash: piece.text for piece in self.pieces}
        texts = [block.text if block.text is not None else here.get(block.hash) for block in request.blocks]
        if missing := [block.hash for block, text in zip(request.blocks, texts, strict=True) if text is None]:
            raise UnknownText(missing)
        return [text for text in texts if text is not None]

    def place(
        self, request: SyncRequest, texts: Sequence[str], tokens: Sequence[int], ends: tuple[int, int], room: int
    ) -> SyncAnswer:
        """Take the requested blocks that fit into `room` tokens, most valuable first.  `ends`: the tokens of header and
        footer.  Decodes nothing."""
        room_left = room - sum(ends)
        chosen: dict[str, PlacedBlock] = {}
        unfit: list[str] = []
        for block, text, n in zip(request.blocks, texts, tokens, strict=True):
            if n > room_left:
                unfit.append(block.key)
                continue
            room_left -= n
            digest = wire.text_hash(text)
            chosen[f"{block.key}\0{digest}"] = PlacedBlock(block.key, text, digest, 0, n)
        before = {(piece.key, piece.hash) for piece in self.pieces}
        pieces, at = list[PlacedBlock](), ends[0]
        for name in self.order.arrange(list(chosen)):
            piece = chosen[name]
            pieces.append(PlacedBlock(piece.key, piece.text, piece.hash, at, piece.tokens))
            at += piece.tokens
        changed = (request.header, request.footer, pieces) != (self.header, self.footer, self.pieces)
        self.revision += changed
        self.header, self.footer, self.pieces = request.header, request.footer, pieces
        self.n_header, self.n_footer = ends
        reports = [_report(piece, (piece.key, piece.hash) in before) for piece in pieces]
        reports += [BlockReport(key, 0, "unfit") for key in unfit]
        return SyncAnswer(self.revision, reports, unfit)

    @property
    def parts(self) -> list[str]:
        return [self.header, *(piece.text for piece in self.pieces), self.footer]

    @property
    def n_tokens(self) -> int:
        return self.n_header + sum(piece.tokens for piece in self.pieces) + self.n_footer

    def cache_map(self, n_ctx: int, decoded: int, reused: int) -> wire.CacheMap:
        """Here nothing is ever restored, moved or evicted."""
        stats = {"decoded": decoded, "reused": reused, "restored": 0, "moved": 0, "evicted": 0}
        spans = [wire.SpanReport(0, self.n_header, "", "header")] if self.n_header else []
        spans += [wire.SpanReport(p.start, p.start + p.tokens, p.key, "attached") for p in self.pieces]
        end = self.n_tokens
        if self.n_footer:
            spans.append(wire.SpanReport(end - self.n_footer, end, "", "footer"))
        return wire.CacheMap(n_ctx, end, n_ctx, spans, [(end, n_ctx)] if end < n_ctx else [], [], 0, stats)


def _report(piece: PlacedBlock, stood: bool) -> BlockReport:
    span = (piece.start, piece.start + piece.tokens)
    return BlockReport(piece.key, piece.tokens, "kept" if stood else "written", 0 if stood else piece.tokens, span=span)
