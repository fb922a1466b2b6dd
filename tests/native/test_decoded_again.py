"""The beginnings of blocks decoded once more, behind the blocks before them: what a trial of a model compares."""

import numpy as np
import pytest

from palimpsest import wire
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.checking.rows import decode_again, rows_of
from palimpsest.engine.llama.native import Logits
from palimpsest.engine.native_engine import NativeEngine
from tests.native.conftest import MakeEngine
from tests.native.helpers import sync, text

BLOCKS = [("a", text(1, 300)), ("b", text(2, 300)), ("c", text(3, 30))]
N = 16


def row(engine: NativeEngine, workspace: InPlaceWorkspace) -> Logits:
    """What the model says behind a tail."""
    request = wire.GenerateRequest("w", text=wire.TextTail("def one("))
    composed = engine.generator.composer.compose(request, 500)
    return rows_of(engine, workspace, composed, [1])[1][0]


@pytest.mark.parametrize("kind", ["fim", "swa"])
def test_blocks_see_those_before_them_and_are_themselves_again_afterwards(make_engine: MakeEngine, kind: str) -> None:
    engine = make_engine(kind)
    sync(engine, BLOCKS)
    workspace = engine.workspaces.open("w")
    assert isinstance(workspace, InPlaceWorkspace)
    in_place, free = row(engine, workspace), engine.pool.free_sequences
    decoded = engine.pool.stats["decoded"]
    decode_again(workspace, N)
    engine.workspaces.check()
    n = sum(min(N, len(block)) + len(workspace.header) for block in workspace.attended)
    assert engine.pool.stats["decoded"] - decoded == n
    assert engine.pool.free_sequences == free
    assert np.abs(row(engine, workspace) - in_place).max() > 1e-3, "or they saw nothing new"

    sync(engine, [])
    sync(engine, BLOCKS)
    engine.workspaces.check()
    np.testing.assert_allclose(row(engine, workspace), in_place, atol=1e-4)
