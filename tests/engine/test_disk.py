"""The store on disk: what is read back is what was written, or nothing; bounded, shared, and no fault when refused."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.arena.store import StoredKV
from palimpsest.engine.cache.disk import DiskStore, StoredItem
from palimpsest.engine.cache.disk_file import Damaged, FileHeader, checksum, read, read_header, write
from palimpsest.engine.cache.stores import Stores

DATA = bytes(range(256)) * 5


def kv(n_bytes: int = 1000, fill: int = 0, start: int = 7) -> StoredKV:
    return StoredKV(bytes([fill]) * n_bytes, 10, start, "class:Cart")


def put(disk: DiskStore, digest: str, item: StoredKV) -> bool:
    taken = disk.put(digest, item)
    while isinstance(disk.get(digest), StoredKV):  # it waits to be written
        time.sleep(0.001)
    return taken


def read_of(item: StoredItem) -> object:
    found = item.read()
    return None if found is None else found.data


def files(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*/*"))


def test_a_later_store_of_the_same_model_reads_what_an_earlier_one_wrote(tmp_path: Path) -> None:
    first = DiskStore(tmp_path, "model", 10_000)
    assert first.put("a", StoredKV(DATA, 10, 7, "class:\ud800é"))
    first.close()
    second = DiskStore(tmp_path, "model", 10_000)
    item = second.get("a")
    assert item is not None
    assert (item.n_tokens, item.start, item.key, read_of(item)) == (10, 7, "class:\ud800é", DATA)
    assert second.start_of("a") == 7
    assert "a" in second
    assert second.start_of("b") is None
    second.close()


def test_what_waits_to_be_written_is_there_already(tmp_path: Path) -> None:
    disk = DiskStore(tmp_path, "model", 1 << 30)
    for i in range(20):
        assert disk.put(f"d{i}", kv(10_000, i))
        item = disk.get(f"d{i}")
        assert item is not None
        assert read_of(item) == kv(10_000, i).data
    disk.close()
    assert len(files(tmp_path)) == 20


def test_another_models_kv_is_never_read(tmp_path: Path) -> None:
    one, two = DiskStore(tmp_path, "one", 10_000), DiskStore(tmp_path, "two", 10_000)
    put(one, "a", kv())
    assert two.get("a") is None
    os.replace(tmp_path / "one" / "a.kv", tmp_path / "two" / "a.kv")
    assert two.get("a") is None
    assert files(tmp_path) == []
    put(one, "b", kv())
    os.replace(tmp_path / "one" / "b.kv", tmp_path / "one" / "c.kv")
    assert one.get("c") is None
    one.close()
    two.close()


def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    disk = DiskStore(tmp_path / "kv", "model", 10_000)
    put(disk, "a", kv())
    disk.close()
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "kv", tmp_path / "kv" / "model")] == [0o700] * 2
    assert (tmp_path / "kv" / "model" / "a.kv").stat().st_mode & 0o777 == 0o600


def test_what_was_used_least_recently_makes_way(tmp_path: Path) -> None:
    disk = DiskStore(tmp_path, "model", 4000)
    for i, digest in enumerate("abc"):
        put(disk, digest, kv())
        os.utime(tmp_path / "model" / f"{digest}.kv", (i, i))
    item = disk.get("a")
    assert item is not None
    assert item.read() is not None
    put(disk, "d", kv())
    assert files(tmp_path) == ["a", "c", "d"]
    assert not put(disk, "e", kv(5000))
    disk.close()


def test_the_bound_is_that_of_all_models_and_processes_together(tmp_path: Path) -> None:
    stores = [DiskStore(tmp_path, f"model {i % 2}", 5000) for i in range(4)]
    for i in range(24):
        put(stores[i % 4], f"d{i}", kv(fill=i))
        assert sum(path.stat().st_size for path in tmp_path.glob("*/*")) <= 5000 + 300
    for disk in stores:
        disk.close()
    assert DiskStore(tmp_path, "model 0", 1000).bytes <= 1000


def test_what_another_engine_removed_is_gone_and_no_fault(tmp_path: Path) -> None:
    disk = DiskStore(tmp_path, "model", 10_000)
    put(disk, "a", kv())
    item = disk.get("a")
    assert item is not None
    (tmp_path / "model" / "a.kv").unlink()
    assert item.read() is None
    assert disk.get("a") is None
    assert put(disk, "a", kv())
    assert disk.get("a") is not None
    disk.close()


def test_a_disk_that_refuses_is_let_alone_with_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    disk = DiskStore(tmp_path, "model", 10_000)
    put(disk, "a", kv())
    os.rename(tmp_path / "model", tmp_path / "elsewhere")
    (tmp_path / "model").write_text("no folder")
    with caplog.at_level(logging.WARNING):
        put(disk, "b", kv())
        assert not put(disk, "c", kv())
        assert disk.get("b") is None
    assert len(caplog.records) == 1
    disk.close()


def test_a_folder_that_cannot_be_made_is_no_fault(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    disk = DiskStore(tmp_path / "file", "model", 10_000)
    assert not disk.put("a", kv())
    assert disk.get("a") is None
    disk.close()
    assert len(caplog.records) == 1


def test_more_than_may_wait_is_not_kept_but_patience_is_rewarded(tmp_path: Path) -> None:
    disk = DiskStore(tmp_path, "model", 1 << 30, max_waiting=50_000)
    taken = [disk.put(f"d{i}", kv(40_000, i)) for i in range(20)]
    assert taken[0]
    patient = [disk.put(f"p{i}", kv(40_000, i), patient=True) for i in range(20)]
    assert all(patient)
    disk.close()
    assert len(files(tmp_path)) == sum(taken) + 20


def test_what_is_dropped_is_gone_whether_written_or_waiting(tmp_path: Path) -> None:
    disk = DiskStore(tmp_path, "model", 1 << 30)
    for i in range(30):
        disk.put(f"d{i}", kv(100_000, i))
    for i in range(30):
        disk.drop(f"d{i}")
    disk.close()
    assert files(tmp_path) == []


def test_half_written_files_of_long_ago_are_removed(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    for name, age in (("old", 1.0), ("new", None)):
        path = tmp_path / "model" / f".{name}.kv.1.tmp"
        path.write_bytes(b"x")
        if age is not None:
            os.utime(path, (age, age))
    DiskStore(tmp_path, "model", 1000).close()
    assert [path.name for path in (tmp_path / "model").iterdir()] == [".new.kv.1.tmp"]


@given(st.data())
def test_a_file_cut_off_or_changed_anywhere_is_never_read_back(tmp_path_factory: pytest.TempPathFactory, data) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.kv"
    header = FileHeader("model", "a", 10, 7, "class:Cart", len(DATA), checksum(DATA))
    write(path, header, DATA)
    assert read(path) == (header, DATA)
    raw = path.read_bytes()
    at = data.draw(st.integers(0, len(raw) - 1))
    kind = data.draw(st.sampled_from(["cut", "flip", "longer"]))
    bit = 1 << data.draw(st.integers(0, 7))
    changed = {"cut": raw[:at], "flip": raw[:at] + bytes([raw[at] ^ bit]) + raw[at + 1 :], "longer": raw + b"x"}[kind]
    path.write_bytes(changed)
    with pytest.raises(Damaged):
        read(path)
    if kind != "flip":
        with pytest.raises(Damaged):
            read_header(path)


def test_memorys_overflow_goes_to_disk_and_comes_back(tmp_path: Path) -> None:
    stores = Stores(2000, DiskStore(tmp_path, "model", 1 << 20))
    for i in range(6):
        stores.note("w", f"d{i}")
        assert stores.put(f"d{i}", kv(fill=i))
    assert stores.bytes <= 2000
    for i in range(6):
        item = stores.get(f"d{i}")
        assert item is not None
        assert read_of(item) == kv(fill=i).data
    assert stores.start_of("d0") == 7
    stores.close()
    assert len(files(tmp_path)) == 6


def test_what_a_workspace_forgets_is_gone_from_disk_whoever_wrote_it(tmp_path: Path) -> None:
    yesterday = Stores(10_000, DiskStore(tmp_path, "model", 1 << 20))
    for digest in "ab":
        yesterday.note("yesterday", digest)
        yesterday.put(digest, kv())
    yesterday.close()
    today = Stores(10_000, DiskStore(tmp_path, "model", 1 << 20))
    today.note("today", "a")
    assert "a" in today
    today.forget("today")
    assert "a" not in today
    assert "b" in today
    today.close()
    assert files(tmp_path) == ["b"]


def test_without_memory_the_disk_alone_is_the_store(tmp_path: Path) -> None:
    stores = Stores(0, DiskStore(tmp_path, "model", 1 << 20))
    assert stores.enabled
    assert stores.put("a", kv())
    assert "a" in stores
    stores.close()
    assert not Stores(0).enabled
