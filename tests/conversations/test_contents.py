"""Texts are stored once, and any range of them is read as it was."""

import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest.conversations import contents as module
from palimpsest.conversations.contents import KeptTexts
from palimpsest.conversations.memory import Memory
from palimpsest.errors import NotFound

TEXTS = st.text(alphabet=st.sampled_from("a\n\r\0é😀\ud800x "), max_size=200)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, size=st.integers(1, 7), start=st.integers(0, 220), end=st.integers(0, 220), cuts=st.integers(1, 9))
def test_any_range_is_read_as_it_was_put(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, text: str, size: int, start: int, end: int, cuts: int
) -> None:
    # no door: a text of several pieces of the real size is tried once, not in every way
    monkeypatch.setattr(module, "PIECE_CHARS", size)
    whole = text + f"{size}"
    put = memory.contents.put(whole[at : at + cuts] for at in range(0, len(whole), cuts))
    lines = whole.split("\n")
    assert memory.contents.text(put.hash) == whole
    assert (put.n_chars, put.n_lines) == (len(whole), len(lines))
    assert memory.contents.slice(put.hash, start, end) == whole[start:end]
    kept = [line + "\n" for line in lines[:-1]] + lines[-1:]
    first, last = sorted((start % (len(kept) + 2), end % (len(kept) + 2)))
    assert memory.contents.lines(put.hash, first, last) == "".join(kept[first:last])
    at = start % (len(whole) + 1)
    assert memory.contents.line_of(put.hash, at) == whole.count("\n", 0, at)


def test_the_same_text_is_stored_once(memory: Memory) -> None:
    one, other = memory.contents.put("abc\n" * 1000), memory.contents.put(iter(["abc\n"] * 1000))
    assert one == other
    with memory.database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM content").fetchone()[0] == 1


def test_a_text_that_was_read_is_not_read_again(memory: Memory) -> None:
    name = memory.contents.put("abc\n" * 1000).hash
    whole = memory.contents.text(name)
    asked = list[str]()
    with memory.database.reading() as rows:
        rows.set_trace_callback(asked.append)
        assert memory.contents.text(name) == whole
        rows.set_trace_callback(None)
    assert not asked
    memory.contents.forget_unused(name)  # nothing names it
    with pytest.raises(NotFound):
        memory.contents.text(name)


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.booleans()), max_size=60))
def test_texts_that_are_kept_are_bounded_and_the_same(steps: list[tuple[str, bool]]) -> None:
    texts = {name: name * n for name, n in zip("abcde", (0, 3, 7, 10, 12), strict=True)}
    kept = KeptTexts(most_chars=20, longest=10)
    for name, is_put in steps:
        if is_put:
            assert kept.keep(name, texts[name]) == texts[name]
            assert kept.find(name) == (texts[name] if name != "e" else None)
        else:
            kept.forget(name)
            assert kept.find(name) is None
        there = {one: kept.find(one) for one in texts}
        assert sum(len(text or "") for text in there.values()) <= 20
        assert all(text in (None, texts[one]) for one, text in there.items())


def test_an_empty_text_has_no_line(memory: Memory) -> None:
    put = memory.contents.put("")
    assert (put.n_chars, put.n_lines, memory.contents.text(put.hash)) == (0, 0, "")


def test_a_source_that_fails_leaves_nothing(memory: Memory) -> None:
    def parts():  # type: ignore[no-untyped-def]
        yield "x" * 10_000_000
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        memory.contents.put(parts())
    with memory.database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM content").fetchone()[0] == 0
        assert rows.execute("SELECT count(*) FROM piece").fetchone()[0] == 0


KILLED = """
import os, signal, sys
from pathlib import Path
from palimpsest.conversations.memory import Memory

def parts():
    yield "x" * 10_000_000
    print("begun", flush=True)
    sys.stdin.read()

Memory.open(Path(sys.argv[1])).contents.put(parts())
"""


def test_what_a_killed_process_had_begun_to_write_goes_and_what_is_being_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "w.sqlite"

    def n_texts() -> int:
        memory = Memory.open(path)
        with memory.database.reading() as rows:
            count = int(rows.execute("SELECT count(*) FROM content").fetchone()[0])
        memory.close()
        return count

    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        assert n_texts() == 1, "its writer is there"
        process.kill()
        process.wait()
    assert n_texts() == 0
    memory = Memory.open(path)
    with memory.database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM piece").fetchone()[0] == 0
    memory.close()


def test_a_long_text_is_not_in_memory_as_a_whole(memory: Memory) -> None:
    def parts() -> Iterator[str]:
        for number in range(400):
            yield f"{number} {'x' * 99_000}\n"

    tracemalloc.start()
    try:
        put = memory.contents.put(parts())
        assert memory.contents.lines(put.hash, 200, 201).startswith("200 x")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert put.n_chars > 39_000_000
    assert peak < 20_000_000


def test_an_unknown_text_is_said_to_be_unknown(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.contents.text("0" * 32)
