"""Texts are stored once, and any range of them is read as it was."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest.errors import NotFound
from palimpsest.memory.contents import contents as module
from palimpsest.memory.owners.memory import Memory

TEXTS = st.text(alphabet=st.sampled_from("a\n\r\0é😀\ud800x "), max_size=200)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, size=st.integers(1, 7), start=st.integers(0, 220), end=st.integers(0, 220), cuts=st.integers(1, 9))
def test_any_range_is_read_as_it_was_put(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, text: str, size: int, start: int, end: int, cuts: int
) -> None:
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


def test_an_unknown_text_is_said_to_be_unknown(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.contents.text("0" * 32)
