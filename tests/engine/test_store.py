"""The host store: KV by digest, in host memory, under a byte budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.arena.store import HostStore, StoredKV
from palimpsest.engine.cache.stores import MAX_NOTED, MAX_WORKSPACES, Stores


def kv(n_bytes: int, key: str = "", start: int = 0) -> StoredKV:
    return StoredKV(bytes(n_bytes), n_tokens=n_bytes // 10, start=start, key=key)


def test_what_is_put_comes_back_as_it_was():
    store, item = HostStore(100), kv(60, start=7)
    assert store.put("a", item)
    assert store.get("a") is item
    assert store.start_of("a") == 7
    assert "a" in store
    assert (len(store), store.bytes) == (1, 60)


def test_what_was_never_put_is_none():
    store = HostStore(100)
    assert store.get("a") is None
    assert store.start_of("a") is None
    assert not store.drop("a")


def test_the_least_recently_used_is_dropped_when_the_budget_is_exceeded():
    store = HostStore(100)
    for digest in "abc":
        store.put(digest, kv(30))
    store.get("a")
    store.put("d", kv(30))
    assert [digest for digest, _ in store.items()] == ["c", "a", "d"]


def test_looking_where_something_was_saved_is_no_use():
    store = HostStore(60)
    store.put("a", kv(30))
    store.put("b", kv(30))
    store.start_of("a")
    assert "a" in store
    store.put("c", kv(30))
    assert [digest for digest, _ in store.items()] == ["b", "c"]


def test_an_item_larger_than_the_budget_is_refused_and_drops_nothing():
    store = HostStore(100)
    store.put("a", kv(100))
    assert not store.put("b", kv(101))
    assert [digest for digest, _ in store.items()] == ["a"]


def test_a_budget_of_nothing_stores_nothing():
    store = HostStore(0)
    assert not store.enabled
    assert not store.put("a", kv(1))
    assert store.bytes == 0


def test_putting_a_digest_again_counts_it_once():
    store = HostStore(100)
    store.put("a", kv(60, start=1))
    store.put("a", kv(50, start=2))
    assert (store.bytes, store.start_of("a")) == (50, 2)


def test_of_one_key_only_the_newest_versions_are_kept():
    store = HostStore(1000, max_versions=2)
    store.put("other", kv(10, "other"))
    for i in range(5):
        store.put(f"version {i}", kv(10, "typed"))
    assert [digest for digest, _ in store.items()] == ["other", "version 3", "version 4"]


def test_clearing_takes_everything():
    store = HostStore(1000)
    for i in range(4):
        store.put(f"digest {i}", kv(10, key=f"window {i % 2}"))
    store.clear()
    assert (len(store), store.bytes) == (0, 0)


@pytest.mark.parametrize("data", [bytes(8), bytearray(8), memoryview(bytearray(16)).cast("H")[:4]])
def test_bytes_are_counted_whatever_holds_them(data):
    assert StoredKV(data, 1, 0).n_bytes == 8


@given(
    st.integers(0, 100),
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 60), st.sampled_from(["put", "get", "drop"]))),
)
def test_the_budget_holds_whatever_is_done(max_bytes, operations):
    store = HostStore(max_bytes)
    for digest, n, what in operations:
        if what == "put":
            assert store.put(digest, kv(n)) == (n <= max_bytes)
            assert (digest in store) == (n <= max_bytes) or n > max_bytes
        elif what == "get":
            assert (store.get(digest) is not None) == (digest in store)
        else:
            store.drop(digest)
            assert digest not in store
        assert sum(item.n_bytes for _, item in store.items()) == store.bytes <= max_bytes


def test_what_is_noted_of_workspaces_is_bounded() -> None:
    stores = Stores(1000)
    for i in (2 * MAX_NOTED - 1, 2 * MAX_NOTED, 3 * MAX_NOTED - 1):
        stores.put(f"d{i}", kv(1, key=f"block {i}"))
    for i in range(3 * MAX_NOTED):
        stores.note("w", f"d{i}")
    assert stores.keys_of("w") == [f"block {i}" for i in (2 * MAX_NOTED, 3 * MAX_NOTED - 1)], "what was named last"
    for i in range(3 * MAX_WORKSPACES):
        stores.note(f"w{i}", f"d{2 * MAX_NOTED}")
    known = [i for i in range(3 * MAX_WORKSPACES) if stores.keys_of(f"w{i}")]
    assert known == [*range(2 * MAX_WORKSPACES, 3 * MAX_WORKSPACES)]
