"""The parts of a replay that need no model: kinds of events, the floor, what llama.vim asks for, sums, the picture."""

import xml.etree.ElementTree as ET
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bench.replaying.cost import Cost, Decoded
from bench.replaying.kinds import (
    BACK,
    CHANGED,
    GONE,
    MOVED,
    NEW,
    OPENED,
    PASTED,
    REPLACED,
    SEEN,
    SEEN_ELSEWHERE,
    TYPED,
    Classifier,
    Measured,
    View,
    keyed,
    n_behind,
    n_new,
)
from bench.replaying.llama_vim import LlamaVim, alike
from bench.replaying.plot import nice, svg
from bench.replaying.tally import percentile, tallied
from bench.traces.buffers import Buffers
from bench.traces.format import Cursor, Edit, Event, Open, Pause, Save, Yank


def words(text: str) -> list[int]:
    return [hash(word) for word in text.split()]


def view(file: str, scope: str, prefix: str, blocks: dict[str, str] | None = None, typed: int = 1) -> View:
    return View(file, f"{file} {scope}", prefix, "after it", blocks, typed, 0)


def test_kinds_and_floors_of_a_session() -> None:
    classifier = Classifier(words)
    a = {"class:A": "one two three", "scope:a": "four five"}
    seen: list[tuple[str, int]] = []
    for now in (
        view("a.py", "f", "def f x", a),
        view("a.py", "f", "def f x y z"),
        view("a.py", "f", "def f x y z and many more words", typed=400),
        view("a.py", "g", "def g u", a),
        view("b.py", "h", "def h v", {"class:B": "six"}),
        view("a.py", "g", "def g u", a),
        view("b.py", "h", "def h v", {"class:B": "six seven"}),
        view("a.py", "k", "def k w", a),
    ):
        measured = classifier.follow(now)
        seen.append((measured.kind, measured.floor))
    assert seen == [
        (OPENED, 5 + 4),
        (TYPED, 2),  # x and y; z is still being typed
        (PASTED, 4),
        (MOVED, 4),
        (OPENED, 1 + 4),
        (SEEN, 0),
        (REPLACED, 1),
        (SEEN_ELSEWHERE, 4),
    ]


def test_what_comes_in_the_pause_behind_a_request_is_new_with_it() -> None:
    classifier = Classifier(words)
    first = classifier.follow(View("a.py", "a.py f", "def f x", "", {"k": "one two", "l": "three"}, 1, 0, {"k": "one"}))
    assert (first.floor, first.new_block) == (3 + 2, 3)
    assert first.changes == {"k": BACK, "l": GONE}  # the last that became of each
    later = classifier.follow(View("a.py", "a.py f", "def f x y", "", {"k": "one four", "m": "five"}, 1, 0))
    assert (later.kind, later.new_block, later.changes) == (REPLACED, 2, {"k": CHANGED, "m": NEW})


def test_a_block_is_shown_with_its_tags() -> None:
    shown = [{"type": "class", "name": "a.B", "text": "class B:", "editable": True, "tokens": 12}]
    assert dict(keyed(shown)) == {
        "class:a.B": '<context type="class" name="a.B" editable="true">\nclass B:\n</context>\n'
    }


short = st.lists(st.integers(0, 3), max_size=12).map(tuple)


@given(short, short)
def test_new_tokens_are_those_behind_a_change_or_fewer(old: tuple[int, ...], new: tuple[int, ...]) -> None:
    assert 0 <= n_new(old, new) <= n_behind(old, new) <= len(new)
    assert n_new(new, new) == n_behind(new, new) == 0
    assert n_new((), new) == len(new)


class Vim:
    """A session with llama.vim."""

    def __init__(self, files: dict[str, str]) -> None:
        self.buffers = Buffers(files)
        self.client = LlamaVim(self.buffers)

    def do(self, *events: Event) -> list[dict[str, Any]]:
        warm_ups = []
        for event in events:
            self.client.leave(event)
            self.buffers.follow(event)
            warm_ups += self.client.follow(event)
        return warm_ups


LONG = "\n".join(f"line {i}" for i in range(600))
OTHER = "\n".join(f"other {i}" for i in range(50))


def test_llama_vim_sends_so_many_lines_around_the_cursor() -> None:
    vim = Vim({"a.py": LONG})
    vim.do(Open("a.py"), Cursor("a.py", 300, 4))
    body = vim.client.request()
    assert body is not None
    assert body["input_prefix"] == "\n".join(f"line {i}" for i in range(300 - 256, 300)) + "\n"
    assert body["prompt"] == "line"
    assert body["input_suffix"] == " 300\n" + "\n".join(f"line {i}" for i in range(301, 301 + 64)) + "\n"
    assert body["input_extra"] == []
    assert vim.client.request() is None  # the answer is known


def test_llama_vim_warms_up_a_chunk_a_second_while_nothing_is_typed() -> None:
    vim = Vim({"a.py": LONG, "b.py": OTHER})
    assert vim.do(Open("a.py"), Pause(900)) == []
    warm_ups = vim.do(Open("b.py"), Pause(3500))
    assert [len(body["input_extra"]) for body in warm_ups] == [1, 2]  # of each file where it was entered
    assert {body["n_predict"] for body in warm_ups} == {0}
    assert all(chunk["text"].count("\n") <= 64 for chunk in warm_ups[-1]["input_extra"])
    assert vim.do(Yank("b.py", 3, 6), Pause(1000))[0]["input_extra"][-1]["text"] == "other 3\nother 4\nother 5\n"
    typed = [Edit("b.py", 0, i, 0, i, "x") for i in range(20)]
    assert vim.do(Yank("b.py", 30, 40), *typed) == []  # not while typing
    assert len(vim.do(Pause(4000))) == 1
    assert vim.do(Open("a.py"), Open("b.py"), Save("b.py"), Pause(9000)) != []


def test_alike_is_of_lines() -> None:
    assert alike(["a", "b"], ["b", "a"]) == 1.0
    assert alike(["a", "b"], ["c", "a"]) == 0.5


def test_sums_by_kind_and_the_better_peer() -> None:
    measured = [Measured(TYPED, 1, 0, 9), Measured(OPENED, 20, 11, 9), Measured(TYPED, 2, 0, 9)]
    ours = [Cost(d, 0, 5, ms, 0.0, 30) for d, ms in ((2, 10.0), (25, 50.0), (0, 30.0))]
    worse = [Cost(200, 50, 5, 100.0, 10.0, 30)] * 3
    better = [Cost(100, 50, 5, 100.0, 10.0, 30)] * 3
    result = tallied(measured, ours, {"a": worse, "b": better})
    assert set(result["events"]) == {TYPED, OPENED}
    typed = result["events"][TYPED]
    assert {"ours", "peer", "floor"} <= set(typed)
    assert (typed["requests"], typed["floor"], typed["ours"]["decoded"], typed["peer"]["decoded"]) == (2, 3, 2, 200)
    assert typed["ours"]["ms_p95"] == 30.0
    total = result["total"]
    assert {"ours", "peer", "ratio"} <= set(total)
    assert (total["ours"]["decoded"], total["peer"]["decoded"], total["floor"]) == (27, 300, 23)
    assert total["ratio"] == {"decoded": 0.09, "ms": round(90 / 330, 4)}
    alone = tallied(measured, ours, {})["total"]
    assert alone["peer"] is None
    assert alone["ratio"] is None


def test_the_excess_is_said_by_what_was_decoded_again() -> None:
    measured = [Measured(OPENED, 20, 11, 9), Measured(TYPED, 2, 0, 9, {"k": NEW})]
    ours = [
        Cost(31, 0, 5, 1.0, 0.0, 30, parts=Decoded(31, blocks=14, headers=3, tails=13)),
        Cost(4, 0, 5, 1.0, 0.0, 30).and_behind(6, 1.0, Decoded(6, tails=5)),
    ]
    result = tallied(measured, ours, {})
    opened = result["events"][OPENED]["excess"]
    assert opened == {"blocks": 3, "tails": 4, "headers": 3, "answers": 1, "all": 11}
    assert result["total"]["excess"]["all"] == 11 + 4
    assert result["requests"][1]["excess"] == {"blocks": 0, "tails": 3, "headers": 0, "answers": 1, "all": 4}
    assert result["requests"][1]["changes"] == {"k": NEW}


def test_percentiles() -> None:
    assert percentile([], 0.5) == 0.0
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(list(range(100)), 0.95) == 95


def test_the_picture_is_svg() -> None:
    picture = svg("a < b", {"ours": [1, 2, 3], "peer": [100, 200, 300], "floor": [0, 0, 0]})
    root = ET.fromstring(picture)
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 3
    assert "peer 600" in picture


@given(st.integers(0, 10**9))
def test_an_axis_ends_at_a_round_number_not_far_above(value: int) -> None:
    top = nice(value)
    assert top >= value
    assert top % 4 == 0
    assert top <= max(8, 2.5 * value)
