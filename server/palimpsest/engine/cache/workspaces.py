"""The workspaces of one cache, by name: made when they are first asked for, closed when they must make way.

In: names.  Out: workspaces of the kind that the cache allows.  Knows no request.
"""

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.cache.pool import CellPool
from palimpsest.engine.cache.stores import Stores
from palimpsest.engine.cache.tokenizer import Tokenizer
from palimpsest.engine.cache.whole import WholeWorkspace
from palimpsest.engine.cache.workspace import Shared, Workspace
from palimpsest.engine.model.load import LoadedModel
from palimpsest.errors import DecodeError, EngineError

LOG = logging.getLogger("palimpsest.engine")
MANY_WORKSPACES = 128


class Workspaces(Mapping[str, Workspace]):
    """Opens and closes workspaces by name."""

    def __init__(
        self, loaded: LoadedModel, store: Stores, tokenizer: Tokenizer, end_suspended: Callable[[], bool]
    ) -> None:
        facts = loaded.facts
        filler = max(facts.header_start, default=0)
        pool = CellPool(loaded.context, self, reserve=loaded.in_place, filler=filler, end_suspended=end_suspended)
        self.shared = Shared(pool, store, tokenizer, loaded.sizes, facts, loaded.vocab)
        self._kind = InPlaceWorkspace if loaded.in_place else WholeWorkspace
        self._named: dict[str, Workspace] = {}

    def __getitem__(self, name: str) -> Workspace:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def open(self, name: str) -> Workspace:
        """The workspace of that name, made when there is none."""
        if name not in self._named:
            if len(self._named) >= MANY_WORKSPACES:  # names of requests that failed before anything was done
                for workspace in [w for w in self._named.values() if not w.seqs and not w.busy]:
                    del self._named[workspace.name]
            self._named[name] = self._kind(self.shared, name)
        return self._named[name]

    def add(self, workspace: Workspace) -> None:
        """One of another kind, in place of what had its name."""
        self.close(workspace.name)
        self._named[workspace.name] = workspace

    def oldest_first(self) -> Sequence[Workspace]:
        return sorted(self._named.values(), key=lambda w: w.last_used)

    def reset(self, name: str) -> None:
        """Forget what the workspace has here and in the store, also on disk."""
        workspace = self._named.pop(name, None)
        if workspace is not None:
            workspace.forget()
        self.shared.store.forget(name)

    def close(self, name: str) -> None:
        """Free its cells; its blocks' KV goes to the store."""
        workspace = self._named.pop(name, None)
        if workspace is None:
            return
        try:
            workspace.close()
        except DecodeError as error:  # whoever needed the room is not to blame
            LOG.warning("not all blocks of a closed workspace were kept: %s", error)
            self.shared.pool.recover(error, workspace)
        self.shared.store.keep(name)

    def close_all(self) -> None:
        """Have all that is resident on disk, where there is a store."""
        try:
            for name in list(self._named) if self.shared.store.on_disk else ():
                self.close(name)
            self.shared.store.close()
        except EngineError as error:
            LOG.warning("not all blocks were kept: %s", error)

    def save(self) -> Generator[None, None, None]:
        """Put copies of all that is resident where the store on disk finds them; yields between blocks."""
        for workspace in list(self._named.values()):
            if isinstance(workspace, InPlaceWorkspace):
                try:
                    yield from workspace.save()
                except DecodeError as error:
                    self.shared.pool.recover(error, workspace)
            self.shared.store.keep(workspace.name)

    def check(self) -> None:
        """Raises AssertionError where llama.cpp, the account of its cells and what workspaces think they have differ,
        or cells are in use that nobody knows of.  For tests, while no job is under way."""
        for workspace in self._named.values():
            workspace.check()
            workspace.tails.check()
        self.shared.pool.check({seq for workspace in self._named.values() for seq in workspace.seqs})
