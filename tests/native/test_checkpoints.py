"""Models whose cache cannot be edited go back to the nearest checkpoint before a change: counted in tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.engine.cache.checkpoints import EVERY, LEAST, checkpoint_digests
from palimpsest.engine.cache.whole import WholeWorkspace
from tests.native.conftest import MakeEngine
from tests.native.helpers import CLOSE, FOOTER, ask, difference, fim, sized, sync, text

STATES = ["mamba", "hybrid", "mamba2", "delta"]
N = 60
"""Tokens of every block here."""


class Session:
    """Syncs of one workspace whose logits are compared with a prompt decoded from scratch, each time."""

    def __init__(self, make_engine: MakeEngine, kind: str, **settings: object) -> None:
        self.engine = make_engine(kind, **settings)
        self.footer = len(self.engine.model.tokenize(FOOTER))
        self.blocks = {key: sized(self.engine, N, i) for i, key in enumerate("abcd")}
        self.n_made = 4

    def change(self, key: str) -> None:
        self.n_made += 1
        self.blocks[key] = sized(self.engine, N, self.n_made)

    def decoded(self) -> int:
        """Tokens of blocks that a sync decoded; with them comes the footer, the first time the header."""
        first = not self.workspace.ready or not self.engine.store.enabled
        answer = sync(self.engine, list(self.blocks.items()))
        assert difference(self.engine, self.workspace) < CLOSE
        of_blocks = sum(report.decoded for report in answer.blocks)
        assert first or answer.decoded in (0, of_blocks + self.footer)
        return of_blocks

    @property
    def workspace(self) -> WholeWorkspace:
        workspace = self.engine.workspaces.open("w")
        assert isinstance(workspace, WholeWorkspace)
        return workspace


@pytest.mark.parametrize("kind", [*STATES, "mrope"])
def test_a_changed_block_costs_itself_and_what_stood_behind_it(make_engine: MakeEngine, kind: str) -> None:
    session = Session(make_engine, kind)
    session.decoded()
    session.change("b")
    assert session.decoded() == 3 * N
    assert list(session.workspace.blocks) == ["a", "c", "d", "b"], "what changes stands last"


@pytest.mark.parametrize("kind", [*STATES, "mrope"])
def test_a_block_that_changes_again_costs_itself_alone(make_engine: MakeEngine, kind: str) -> None:
    session = Session(make_engine, kind)
    session.decoded()
    session.change("a")
    session.decoded()
    for _ in range(3):
        session.change("a")
        assert session.decoded() <= N
    session.blocks.pop("a")
    assert session.decoded() == 0


@pytest.mark.parametrize("kind", STATES)
def test_blocks_seen_before_cost_what_the_memory_forgot(make_engine: MakeEngine, kind: str) -> None:
    """A recurrent model's state is all there is; a hybrid's attention cells went with the block."""
    session = Session(make_engine, kind)
    session.decoded()
    here, other = dict(session.blocks), dict(session.blocks)
    other["e"] = sized(session.engine, N, 20)
    del other["d"]
    for blocks in (other, here, other):
        session.blocks = blocks
        cost = session.decoded()
    assert cost == (0 if kind == "mamba" else N)
    assert (session.engine.pool.stats["restored"] > 0) == (kind == "mamba")


@pytest.mark.parametrize("kind", STATES)
def test_a_long_block_has_checkpoints_within(make_engine: MakeEngine, kind: str) -> None:
    session = Session(make_engine, kind)
    long = sized(session.engine, 900, 2)
    session.blocks["long"] = long + "\nx = 1\n"
    session.decoded()
    session.blocks["long"] = long + "\ny = 2\n"
    assert session.decoded() <= 2 * EVERY


@pytest.mark.parametrize("kind", STATES)
def test_without_a_store_it_is_right_all_the_same(make_engine: MakeEngine, kind: str) -> None:
    session = Session(make_engine, kind, store_mb=0)
    session.decoded()
    for key in "bda":
        session.change(key)
        session.decoded()


def test_a_later_engine_starts_with_a_recurrent_models_state(
    make_engine: MakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = Session(make_engine, "mamba", disk_mb=8)
    first.decoded()
    first.engine.close()
    second = Session(make_engine, "mamba", disk_mb=8)
    assert second.decoded() == 0
    second.change("d")
    assert second.decoded() == N


@pytest.mark.parametrize("kind", STATES)
def test_a_reset_forgets_the_states(make_engine: MakeEngine, kind: str) -> None:
    session = Session(make_engine, kind)
    session.decoded()
    session.engine.workspaces.reset("w")
    assert session.engine.store.bytes == 0
    assert session.decoded() == 4 * N


@pytest.mark.parametrize("kind", STATES)
def test_typing_costs_what_is_typed(make_engine: MakeEngine, kind: str) -> None:
    session = Session(make_engine, kind)
    session.decoded()
    prefix, suffix, typed = text(7, 600), text(11, 300), text(9, 60)
    ask(session.engine, fim(prefix, suffix))
    costs = [ask(session.engine, fim(prefix + typed[:i], suffix)).decoded for i in range(1, len(typed))]
    assert sum(costs) <= len(session.engine.model.tokenize(typed)) + 2
    assert max(costs) <= 10


@pytest.mark.parametrize("kind", STATES)
def test_typing_before_a_suffix_costs_the_suffix_too(make_engine: MakeEngine, kind: str) -> None:
    """A causal order has no way around that; what stands before the cursor is not decoded again."""
    session = Session(make_engine, kind)
    session.decoded()
    prefix, suffix, typed = text(7, 900), text(11, 200), text(9, 30)
    ask(session.engine, fim(prefix, suffix, layout="psm"))
    costs = [ask(session.engine, fim(prefix + typed[:i], suffix, layout="psm")).decoded for i in range(1, len(typed))]
    assert max(costs[1:]) <= len(session.engine.model.tokenize(suffix)) + 12
    assert 0 in costs, "an answer that typing agrees with stands"


def test_checkpoints_stand_at_block_ends_and_within_long_blocks() -> None:
    tokens = tuple(range(1200))
    ends = [10, 20, 100, 100 + 2 * EVERY + 5, 900, 905, 910]
    found = checkpoint_digests(tokens, ends)
    assert list(found) == [10, 100, 100 + EVERY, 105 + 2 * EVERY, 900, 905, 910]
    assert LEAST > 20
    changed = checkpoint_digests((*tokens[:700], 7, *tokens[701:]), ends)
    assert [n for n in found if changed[n] == found[n]] == [n for n in found if n <= 700]
    assert checkpoint_digests((1, 2), [0, 2, 2]).keys() == {2}
