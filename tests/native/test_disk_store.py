"""The store on disk under a real cache: a later engine starts with the earlier one's blocks."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.engine.cache.disk_file import FileHeader, checksum, read, write
from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.cache.stores import kv_identity
from palimpsest.engine.llama.native import Run
from tests.native.conftest import MakeCore, MakeEngine
from tests.native.helpers import CLOSE, TestedEngine, difference, done, request, sized, sync, text

BLOCKS = [(f"class:{i}", text(i, 250)) for i in range(12)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "palimpsest" / "kv"


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.kv"))


def written(make_engine: MakeEngine, kind: str = "fim", **settings: object) -> None:
    """An engine that had the blocks, and is gone."""
    engine = make_engine(kind, disk_mb=64, **settings)
    assert {report.action for report in sync(engine, BLOCKS, "yesterday").blocks} == {"written"}
    engine.close()


def begun(make_engine: MakeEngine, kind: str = "fim", **settings: object) -> TestedEngine:
    return make_engine(kind, disk_mb=64, **settings)


@pytest.mark.parametrize("kind", ["fim", "plain", "swa"])
def test_a_later_engine_decodes_no_block_again(make_engine: MakeEngine, folder: Path, kind: str) -> None:
    written(make_engine, kind)
    assert len(files(folder)) == len(BLOCKS)
    engine = begun(make_engine, kind)
    answer = sync(engine, BLOCKS)
    assert {(report.action, report.decoded) for report in answer.blocks} == {("restored", 0)}
    assert answer.restored == sum(report.tokens for report in answer.blocks)
    assert answer.moved == 0
    assert difference(engine, engine.workspaces.open("w")) < CLOSE


def test_blocks_in_another_place_than_they_were_saved_at(make_engine: MakeEngine) -> None:
    written(make_engine)
    engine = begun(make_engine)
    sync(engine, [("first", sized(engine, 150, 30))])
    answer = sync(engine, [("first", sized(engine, 150, 30)), *BLOCKS[::-1]])
    assert sum(report.decoded for report in answer.blocks) == 0
    workspace = engine.workspaces.open("w")
    assert isinstance(workspace, InPlaceWorkspace)
    assert workspace.arena is not None
    assert difference(engine, workspace) < CLOSE


def test_damaged_files_are_decoded_instead(make_engine: MakeEngine, folder: Path) -> None:
    written(make_engine)
    random = Random(5)
    damaged = files(folder)[:7]
    for i, path in enumerate(damaged):
        raw = bytearray(path.read_bytes())
        at = random.randrange(len(raw))
        if i % 2:
            raw[at] ^= 1 << random.randrange(8)
            path.write_bytes(raw)
        else:
            path.write_bytes(raw[:at])
    engine = begun(make_engine)
    answer = sync(engine, BLOCKS)
    actions = [report.action for report in answer.blocks]
    assert (actions.count("restored"), actions.count("written")) == (5, 7)
    assert difference(engine, engine.workspaces.open("w")) < CLOSE
    engine.close()
    assert len(files(folder)) == len(BLOCKS)
    again = begun(make_engine)
    assert sync(again, BLOCKS).restored > 0
    assert difference(again, again.workspaces.open("w")) < CLOSE


def test_files_of_another_kind_of_cache_do_not_fit_and_are_decoded(make_engine: MakeEngine, folder: Path) -> None:
    """What only llama.cpp can see, behind a checksum that is right."""
    written(make_engine)
    (own,) = {path.parent for path in files(folder)}
    for path in files(folder):
        header, data = read(path)
        data = data[: len(data) // 2]
        made = FileHeader(own.name, header.digest, header.n_tokens, header.start, header.key, len(data), checksum(data))
        write(path, made, data)
    engine = begun(make_engine)
    assert {report.action for report in sync(engine, BLOCKS).blocks} == {"written"}
    assert difference(engine, engine.workspaces.open("w")) < CLOSE


def test_files_that_another_engine_has_written_anew_are_read_as_they_are_now(
    make_engine: MakeEngine, folder: Path
) -> None:
    """The same blocks at other positions, after their headers were read."""
    written(make_engine)
    engine = begun(make_engine)
    workspace = engine.workspaces.open("w")
    assert isinstance(workspace, InPlaceWorkspace)
    sync(engine, [])
    known = {path.stem: engine.store.start_of(path.stem) for path in files(folder)}
    for path in files(folder):
        header, _ = read(path)
        assert header.start == known[path.stem]
        path.unlink()
    other = make_engine(disk_mb=64)
    sync(other, [("first", sized(other, 150, 30)), *BLOCKS[::-1]], "elsewhere")
    other.close()
    moved = [path for path in files(folder) if path.stem in known and read(path)[0].start != known[path.stem]]
    assert len(moved) > 6
    assert {report.action for report in sync(engine, BLOCKS).blocks} == {"restored"}
    engine.workspaces.check()
    assert difference(engine, workspace) < CLOSE


def test_a_file_with_fewer_cells_than_it_says_is_not_taken(make_engine: MakeEngine, folder: Path) -> None:
    """One whose checksum is right, as another block's state under this one's name would be."""
    written(make_engine)
    one, *others = files(folder)
    _, data = read(one)
    for path in others:
        header = read(path)[0]
        own = path.parent.name
        write(path, FileHeader(own, header.digest, header.n_tokens, header.start, "", len(data), checksum(data)), data)
    engine = begun(make_engine)
    actions = [report.action for report in sync(engine, BLOCKS).blocks]
    assert actions.count("restored") == 1
    assert actions.count("written") == len(BLOCKS) - 1
    engine.workspaces.check()
    assert difference(engine, engine.workspaces.open("w")) < CLOSE


def test_a_copy_that_only_finds_no_room_is_kept(make_engine: MakeEngine, folder: Path) -> None:
    written(make_engine)
    engine = begun(make_engine)
    sync(engine, [])
    seq = engine.pool.take()
    n = engine.pool.free_cells - 20
    for start in range(0, n, engine.context.n_batch):
        engine.context.decode([Run([5] * min(engine.context.n_batch, n - start), start, seq)])
    workspace = engine.workspaces.open("w")
    assert isinstance(workspace, InPlaceWorkspace)
    # no door: that the room ends between two looks at it cannot be brought about
    limits = workspace._limits
    # no door: that the room ends between two looks at it cannot be brought about
    workspace._limits = lambda: replace(limits(), cells_free=4000)  # type: ignore[method-assign]
    assert {report.action for report in sync(engine, BLOCKS[:3]).blocks} == {"unfit"}
    # no door: it is what was put there above
    del workspace._limits
    engine.pool.give(seq)
    assert len(files(folder)) == len(BLOCKS)
    assert {report.action for report in sync(engine, BLOCKS).blocks} == {"restored"}
    assert difference(engine, workspace) < CLOSE


@pytest.mark.parametrize("change", [{"type_k": "f16"}, {"kind": "short"}])
def test_another_cache_type_or_model_starts_with_nothing(make_engine: MakeEngine, change: dict[str, str]) -> None:
    written(make_engine)
    engine = begun(make_engine, **change)  # type: ignore[arg-type]
    assert {report.action for report in sync(engine, BLOCKS).blocks} <= {"written", "unfit"}


def test_a_changed_model_file_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(bytes(9 << 20))
    names = {kv_identity(path, EngineSettings(), False)}
    facts = path.stat()
    for at in (100, 5 << 20, (9 << 20) - 1):
        with path.open("r+b") as file:
            file.seek(at)
            file.write(b"x")
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        names.add(kv_identity(path, EngineSettings(), False))
    assert len(names) == 4


def test_a_reset_forgets_the_copies_on_disk_too(make_engine: MakeEngine, folder: Path) -> None:
    written(make_engine)
    engine = begun(make_engine)
    sync(engine, BLOCKS[:6])
    engine.workspaces.reset("w")
    answer = sync(engine, BLOCKS)
    assert [report.action for report in answer.blocks] == ["written"] * 6 + ["restored"] * 6
    engine.workspaces.reset("w")
    engine.close()
    assert files(folder) == []


def test_a_closed_workspaces_blocks_are_there_for_another_one(make_engine: MakeEngine) -> None:
    engine = begun(make_engine)
    sync(engine, BLOCKS, "one")
    engine.workspaces.close("one")
    answer = sync(engine, BLOCKS, "two")
    assert sum(report.decoded for report in answer.blocks) == 0
    assert difference(engine, engine.workspaces.open("two")) < CLOSE


def test_what_is_saved_while_idle_is_there_after_a_crash(make_core: MakeCore, folder: Path) -> None:
    core = make_core(disk_mb=64, idle_after_s=0.05)
    synced = core.sync(request(BLOCKS)).result()
    while len(files(folder)) < len(BLOCKS):
        time.sleep(0.01)
    other = make_core(disk_mb=64)
    answer = other.sync(request(BLOCKS)).result()
    assert answer.restored == sum(report.tokens for report in synced.blocks)
    assert core.sync(request(BLOCKS)).result().decoded == 0, "what was saved is still resident"


def test_saving_makes_way_for_whatever_comes(make_engine: MakeEngine, folder: Path) -> None:
    engine = begun(make_engine)
    sync(engine, BLOCKS)
    saving = engine.workspaces.save()
    next(saving)
    sync(engine, [("other", text(40)), *BLOCKS[3:]])
    for _ in saving:
        pass
    assert difference(engine, engine.workspaces.open("w")) < CLOSE
    sync(engine, BLOCKS)
    done(engine.workspaces.save())
    ends = time.monotonic() + 10
    while len(files(folder)) < len(BLOCKS) + 1 and time.monotonic() < ends:
        time.sleep(0.01)
    assert len(files(folder)) == len(BLOCKS) + 1


def test_nothing_is_written_unless_asked_for(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(own=True)
    sync(engine, BLOCKS)
    engine.close()
    assert not folder.exists()
