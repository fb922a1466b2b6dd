"""`training.data` from a wheel to arrays, and the arrays' layout: who sees what, at which positions."""

import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from tests.training.areas import module, write_wheel

from training import data, tokenizer
from training import plain as plain_module
from training.corpus import Module, Package
from training.layout import MIDDLE, PLAIN, Batch, Data, Group, Plain, alike, make_batch
from training.product import functions

HEADER, FOOTER = [0, 4090, 4091, 4092], [4093, 4094]  # tokens that the texts here do not have


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data of one small wheel."""
    folder = tmp_path_factory.mktemp("data")
    write_wheel(folder, 6)
    with pytest.MonkeyPatch.context() as patch:
        # no door: the real sources take minutes
        patch.setattr("training.corpus.read_standard_library", lambda: iter(()))
        patch.setattr("training.data.held_out", dict)
        patch.setattr(sys, "argv", ["data", "--wheels", str(folder), "--out", str(folder), "--processes", "1"])
        data.main()
    return folder


@pytest.fixture
def batch(made: Path) -> Batch:
    found = Data(made / "train.npz")
    return make_batch(found, range(min(5, len(found))), HEADER, FOOTER, np.random.default_rng(1))


def test_tokens_are_those_of_the_committed_vocabulary(made: Path) -> None:
    found, bpe = Data(made / "train.npz"), tokenizer.load()
    assert bpe.get_vocab_size() == tokenizer.N_VOCABULARY
    assert [bpe.token_to_id(token) for token in tokenizer.SPECIAL] == list(range(len(tokenizer.SPECIAL)))
    assert bpe.decode(found.blocks_of(0)[0].tolist()).startswith("<context type=")
    for layout, suffix, tail, first in found.tails_of(0):
        assert tail[-1] == tokenizer.END
        assert 0 < first < len(tail)
        assert (len(suffix) > 0) == (data.LAYOUTS[layout] in ("spm", "isolated"))


def test_every_token_is_a_query_once(batch: Batch) -> None:
    queries = np.concatenate([group.queries.reshape(-1) for group in batch.groups])
    padding = len(batch.tokens) - 1
    real = queries[queries != padding]
    assert sorted(real.tolist()) == list(range(padding))
    assert (queries[batch.back[:padding]] == np.arange(padding)).all()


def seen_by(batch: Batch, group: Group, row: int, column: int) -> list[int]:
    """What a query of a group sees, as `layout.Group` defines it."""
    n_queries, n_keys = group.queries.shape[1], group.keys.shape[1]
    hidden = {k for r, until, start, end in group.hidden if r == row and column < until for k in range(start, end)}
    return [int(group.keys[row, k]) for k in range(n_keys - n_queries + column + 1) if k not in hidden]


def test_a_token_sees_only_smaller_positions_and_one_header(batch: Batch) -> None:
    padding = len(batch.tokens) - 1
    for group in batch.groups:
        for row, column in np.ndindex(group.queries.shape):
            flat = group.queries[row, column]
            if flat == padding:
                continue
            seen = seen_by(batch, group, row, column)
            positions = batch.positions[seen]
            assert padding not in seen
            assert positions.max() == batch.positions[flat]
            assert len(set(positions.tolist())) == len(positions)
            if batch.tokens[flat] not in HEADER:
                assert (batch.tokens[seen] == HEADER[1]).sum() == 1


def test_the_middle_is_what_counts_most(batch: Batch) -> None:
    assert (batch.parts == MIDDLE).any()
    assert batch.weights[batch.parts == MIDDLE].min() > batch.weights[batch.parts != MIDDLE].max()
    assert (batch.targets[batch.parts == MIDDLE] == tokenizer.END).any()


def test_without_blocks_a_tail_sees_header_footer_and_itself(made: Path) -> None:
    found = Data(made / "train.npz")
    with_blocks, without = (
        make_batch(found, [0], HEADER, FOOTER, np.random.default_rng(1), mode) for mode in ("own", "none")
    )
    shorter = sum(len(block) + len(HEADER) for block in found.blocks_of(0))
    assert len(with_blocks.tokens) == len(without.tokens) + shorter


@pytest.fixture(scope="module")
def rows(made: Path) -> Plain:
    with pytest.MonkeyPatch.context() as patch:
        # no door: the real sources take minutes
        patch.setattr("training.corpus.read_standard_library", lambda: iter(()))
        patch.setattr("training.plain.kept_out", frozenset)
        patch.setattr(sys, "argv", ["plain", "--wheels", str(made), "--out", str(made)])
        plain_module.main()
    return Plain(made / "plain.npz")


def test_rows_of_plain_source_are_whole_lines_of_modules(rows: Plain) -> None:
    bpe = tokenizer.load()
    texts = [bpe.decode(rows.row(i).tolist()) for i in range(len(rows))]
    assert len(texts) == 6
    for text in texts:
        assert text.endswith("\n")
        assert text.startswith(('"""Areas', "def ", "    "))


def test_a_row_of_plain_source_is_wanted_whole_and_seen_by_nobody_else(made: Path, rows: Plain) -> None:
    batch = make_batch(Data(made / "train.npz"), [0], HEADER, FOOTER, np.random.default_rng(1), plain=[rows.row(0)])
    wanted = batch.targets[batch.parts == PLAIN]
    assert wanted.tolist() == rows.row(0).tolist()
    assert batch.positions.max() < 8192
    chosen = batch.chosen[batch.parts == PLAIN]
    own = set(range(int(chosen.min()) - len(HEADER) + 1, int(chosen.max()) + 2))
    for group in batch.groups:
        for row, column in np.ndindex(group.queries.shape):
            seen = set(seen_by(batch, group, row, column))
            assert own.isdisjoint(seen) or seen <= own | {len(batch.tokens) - 1}


def test_a_module_that_shares_a_function_with_a_held_out_package_is_no_plain_source() -> None:
    mine, theirs = (Module("areas", f"areas.kind_{n}", f"areas/kind_{n}.py", module(n)) for n in (1, 2))
    forbidden = set(functions(theirs))
    assert list(plain_module.unseen([mine, theirs], set(), forbidden)) == [mine]
    assert list(plain_module.unseen([mine, mine], set(), forbidden)) == [mine]


def test_groups_hold_what_is_of_about_one_size() -> None:
    sizes = [5, 700, 20, 60, 640, 70, 500, 5, 5]
    groups = alike(sizes, int, 4)
    assert sorted(size for group in groups for size in group) == sorted(sizes)
    assert all(len(group) <= 4 and max(group) - min(group) < 64 for group in groups)


def test_nothing_is_learned_of_a_package_that_is_kept_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of(name: str, *numbers: int) -> tuple[Package, Path, list[Module]]:
        modules = [Module(name, f"{name}.kind_{n}", f"{name}/kind_{n}.py", module(n)) for n in numbers]
        return Package(name, "1.0", "MIT"), tmp_path, modules

    # no door: which packages are held out is written in the code
    monkeypatch.setattr("training.data.held_out", lambda: {"held": "held==1.0"})
    monkeypatch.setattr("training.data.kept_out", lambda: frozenset({"held", "kept"}))
    options = Namespace(seed=0, max_modules=0, functions=100, out=tmp_path)
    found = {t.package.name: t for t in data.tasks([of("held", 1), of("kept", 2), of("areas", 1, 2, 3)], options)}
    assert found.keys() == {"held", "areas"}
    assert found["held"].is_held
    assert found["areas"].wanted == frozenset(functions(of("areas", 3)[2][0]))
