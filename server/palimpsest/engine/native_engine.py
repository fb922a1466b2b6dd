"""One loaded model, its cache and the workspaces in it, put together.

In: a model file and settings.  Out: the parts, each with its own work.  Owns every native handle and belongs to one
thread.  Knows no request and no job.
"""

from collections.abc import Callable
from pathlib import Path

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.cache.stores import make_stores
from palimpsest.engine.cache.tokenizer import Tokenizer
from palimpsest.engine.cache.workspaces import Workspaces
from palimpsest.engine.generation.grammar import Grammars
from palimpsest.engine.generation.text_generator import TextGenerator
from palimpsest.engine.llama.native import Context
from palimpsest.engine.model.load import load
from palimpsest.models.profiles import Profile


class NativeEngine:
    """`pool` has the cells, `workspaces` who is in them, `generator` makes text behind them."""

    def __init__(
        self,
        path: Path,
        settings: EngineSettings,
        *,
        caution: bool = False,
        make_context: type[Context] = Context,
        end_suspended: Callable[[], bool] = lambda: False,
        profile: Profile | None = None,
    ) -> None:
        """Loads the model.  `end_suspended`: see `CellPool`; `profile`: see `load`.  Raises
        EngineUnavailable, ModelError, ContextTooLarge, InvalidArgument."""
        self.loaded = loaded = load(path, settings, caution=caution, make_context=make_context, profile=profile)
        self.model, self.context = loaded.model, loaded.context
        self.facts, self.vocab, self.sizes = loaded.facts, loaded.vocab, loaded.sizes
        self.in_place = loaded.in_place
        self.store = make_stores(path, settings, loaded.has_long_rope)
        self.tokenizer = Tokenizer(self.model, self.facts.header_start)
        self.workspaces = Workspaces(loaded, self.store, self.tokenizer, end_suspended)
        self.pool = self.workspaces.shared.pool
        self.grammars = Grammars(self.model, self.vocab, self.facts.eog)
        self.generator = TextGenerator(loaded, self.pool, self.tokenizer, self.grammars)

    def close(self) -> None:
        """Blocks go to the store, and as far as it is on disk they stay there."""
        try:
            self.workspaces.close_all()
        finally:
            self.generator.composer.close()
            self.loaded.close()

    def map(self, name: str) -> wire.CacheMap:
        """Of a workspace that is not known, a map with nothing in it; it does not come to be by being asked about."""
        known = self.workspaces.get(name)
        spans, free = known.map_spans() if known is not None else ([], [])
        return wire.CacheMap(
            n_ctx=self.sizes.n_ctx,
            used_cells=self.pool.used_cells,
            n_positions=self.sizes.n_positions,
            spans=spans,
            free=free,
            stored=self.store.keys_of(name),
            stored_bytes=self.store.bytes,
            stats=dict(self.pool.stats),
            memory=self.memory(),
            tails=list(known.tails) if known is not None else [],
            header_copies=known.header_copies if known is not None else 0,
        )

    def memory(self) -> dict[str, int]:
        """Bytes, as `wire.CacheMap` names them."""
        return {
            "model": self.model.n_bytes,
            "cache": self.context.cache_bytes,
            "compute": self.context.compute_bytes,
            "store": self.store.bytes,
            "disk": self.store.disk_bytes,
            "limit": self.loaded.max_bytes,
        }
