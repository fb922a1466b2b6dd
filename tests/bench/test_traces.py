"""Recorded sessions: the format, the texts they lead to, and their makers."""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.benches.replay import COMMITTED, committed
from bench.traces.buffers import Buffers
from bench.traces.format import (
    Cursor,
    Edit,
    Open,
    Pause,
    Request,
    Save,
    Trace,
    Yank,
    dump,
    parse,
    read,
    write,
)
from bench.traces.history import history, hunks, tree
from bench.traces.person import Person
from bench.traces.sessions import hopping, typing
from palimpsest.errors import InvalidArgument
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_text

number = st.integers(0, 10**6)
path = st.from_regex(r"[a-zé]{1,8}(/[a-z]{1,8}){0,2}\.py", fullmatch=True)
events = st.one_of(
    st.builds(Open, path),
    st.builds(Cursor, path, number, number),
    st.builds(Edit, path, number, number, number, number, st.text()),
    st.builds(Yank, path, number, number),
    st.builds(Save, path),
    st.builds(Pause, number),
    st.just(Request()),
)
traces = st.builds(
    Trace, st.text(), st.dictionaries(path, st.text(), max_size=3), st.lists(events, max_size=8).map(tuple), st.text()
)


@given(traces)
def test_a_trace_comes_back_as_it_was_written(trace: Trace) -> None:
    assert parse(dump(trace)) == trace


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.xz"])
def test_a_trace_is_a_file_plain_or_compressed(tmp_path: Path, suffix: str) -> None:
    trace = Trace("t", {"a.py": "é𐐀\n"}, (Open("a.py"), Request()), "by hand")
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    write(trace, first)
    write(trace, second)
    assert read(first) == trace
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "empty"),
        (["{"], ":1 is no JSON"),
        (["[]"], ":1 is no JSON object"),
        ([{"trace": 2, "name": ""}], "version 2"),
        ([{"trace": 1, "name": "", "files": {"/etc/passwd": ""}}], "'/etc/passwd'"),
        ([{"trace": 1, "name": "", "files": {"a.py": 1}}], "a.py is no text"),
        ([{"trace": 1, "name": ""}, {"do": "jump"}], ":2: 'jump' is none of open"),
        ([{"trace": 1, "name": ""}, {"do": "open", "file": "../a.py"}], "'../a.py' does not stay"),
        ([{"trace": 1, "name": ""}, {"do": "pause", "ms": -1}], ":2: -1 is below 0"),
        ([{"trace": 1, "name": ""}, {"do": "pause", "ms": "1"}], ":2: "),
        ([{"trace": 1, "name": ""}, {"do": "cursor", "file": "a.py", "line": 1}], ":2: "),
    ],
)
def test_what_is_wrong_with_a_trace_is_said(lines: list[object], words: str) -> None:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    with pytest.raises(InvalidArgument) as raised:
        parse(text, "t.jsonl")
    assert words in str(raised.value)


def test_a_place_that_a_file_does_not_have_is_said() -> None:
    with pytest.raises(InvalidArgument, match=r"a\.py has 2 lines, no line 7"):
        Buffers({"a.py": "x\n"}).follow(Cursor("a.py", 7, 0))


def replayed(trace: Trace) -> Buffers:
    buffers = Buffers(trace.files)
    for event in trace.events:
        buffers.follow(event)
    return buffers


lines = st.lists(st.sampled_from(["def f():", "    x = 1", "    # é𐐀", "", "    return x"]), max_size=7)


@given(lines, lines, st.integers(0, 5), st.integers(0, 99))
def test_a_person_makes_one_text_of_another(old: list[str], new: list[str], typed_lines: int, seed: int) -> None:
    person = Person({"a.py": "\n".join(old)}, seed, burst=5)
    person.turn_to("a.py")
    person.rewrite("a.py", "\n".join(new), typed_lines)
    trace = person.trace("t", "")
    assert replayed(trace).text("a.py") == "\n".join(new)
    assert replayed(parse(dump(trace))).text("a.py") == "\n".join(new)


def test_typing_is_one_character_after_the_other() -> None:
    person = Person({"a.py": "def f():\n    pass\n"}, 0, burst=4)
    person.go("a.py", 1, 8)
    person.type("\n    return 12")
    edits = [event.text for event in person.events if isinstance(event, Edit)]
    assert edits == ["\n    ", *"return 12"]
    assert sum(isinstance(event, Request) for event in person.events) >= 3


def test_hunks_of_a_diff() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@ x\n-a\n+b\n+c\n@@ -9,2 +9,0 @@\n-d\n-e\n"
    assert [(h.at, h.removed, h.added) for h in hunks(diff)] == [(0, 1, ("b", "c")), (9, 2, ())]


CART = '''"""A cart."""


class Cart:
    def __init__(self) -> None:
        self.items: list[str] = []

    def add(self, item: str) -> int:
        self.items.append(item)
        number = len(self.items)
        print(number)
        return number

    def drop(self, item: str) -> int:
        self.items.remove(item)
        number = len(self.items)
        print(number)
        return number

    def clear(self, why: str) -> int:
        self.items.clear()
        number = len(self.items)
        print(number)
        return number
'''


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three commits: two files; a changed one, a new one and one removed; something that is no Python."""
    folder = tmp_path_factory.mktemp("repo")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")

    def git(*arguments: str) -> None:
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)

    def commit() -> None:
        git("add", "-A")
        git("commit", "-q", "-m", "x", "--date", "2026-01-01T00:00:00Z")

    git("init", "-q")
    (folder / "cart.py").write_text(CART)
    (folder / "order.py").write_text(CART.replace("Cart", "Order").replace("cart", "order"))
    commit()
    (folder / "cart.py").write_text(
        CART.replace("        number = len", "        number = 1 + len").replace("clear(", "empty(")
    )
    (folder / "bill.py").write_text("def bill() -> int:\n    return 1\n\n\nTAX = 2\n")
    (folder / "order.py").unlink()
    commit()
    (folder / "notes.md").write_text("no Python\n")
    commit()
    return folder


def made(repo: Path) -> Trace:
    return history(repo, commits=9, until="HEAD", under=(), seed=3, burst=5, typed_lines=2, most_files=9)


def test_history_is_typed_in_as_it_was_committed(repo: Path) -> None:
    trace = made(repo)
    assert set(trace.files) == {"cart.py", "order.py"}
    buffers = replayed(trace)
    for file, text in tree(repo, "HEAD", ()).items():
        assert buffers.text(file) == text
    assert not buffers.modified
    assert trace.n_requests > 5
    assert sum(isinstance(event, Edit) and len(event.text) == 1 for event in trace.events) > 40


def test_the_same_history_is_the_same_trace(repo: Path) -> None:
    assert dump(made(repo)) == dump(made(repo))


def test_no_history_is_said(repo: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="git log"):
        made(tmp_path)
    with pytest.raises(InvalidArgument, match="no commit"):
        history(repo, commits=1, until="HEAD", under=("no",), seed=0, burst=5, typed_lines=2, most_files=9)


def test_a_person_hops_between_files(repo: Path) -> None:
    files = tree(repo, "HEAD~2", ())
    trace = hopping(files, n_files=2, hops=8, seed=1, burst=4)
    assert trace == hopping(files, n_files=2, hops=8, seed=1, burst=4)
    opened = [event.file for event in trace.events if isinstance(event, Open)]
    assert len(opened) >= 5
    assert set(opened) == {"cart.py", "order.py"}
    buffers = replayed(trace)
    for file in files:
        compile(buffers.text(file), file, "exec")
    with pytest.raises(InvalidArgument, match="3 files"):
        hopping(files, n_files=3, hops=8, seed=1, burst=4)


def go(name: str) -> str:
    """A file of three functions."""
    head = f"package shop\n\ntype {name} struct{{ n int }}\n"
    return head + "".join(
        f"\nfunc (c *{name}) Step{i}(amount int) int {{\n\ttotal := amount * {i}\n\tif total > c.n {{\n"
        f"\t\treturn 0\n\t}}\n\tc.add(total)\n\treturn total\n}}\n"
        for i in range(3)
    )


def test_a_person_hops_in_any_language_with_a_grammar() -> None:
    files = {"cart.go": go("Cart"), "list.go": go("List"), "notes.txt": "three\nfunctions\n"}
    trace = hopping(files, n_files=2, hops=8, seed=1, burst=4)
    for name in ("cart.go", "list.go"):
        parsed = parse_text(replayed(trace).text(name), language_of("", name))
        assert parsed.snapshot.text != files[name]
        assert not parsed.tree.root_node.has_error
    with pytest.raises(InvalidArgument, match="3 files"):
        hopping(files, n_files=3, hops=8, seed=1, burst=4)


def test_a_person_types_alone() -> None:
    function = "def f(a: int) -> int:\n" + "".join(f"    b{i} = a + {i}\n" for i in range(9)) + "    return a"
    trace = typing({"cart.py": CART, "other.py": function + "\n\n\n" + function + "\n"}, n_functions=2, seed=0, burst=6)
    assert not any(isinstance(event, Cursor) for event in trace.events[3:])
    assert replayed(trace).text("cart.py") == CART + f"\n\n{function}\n\n{function}"


@pytest.mark.parametrize("name", COMMITTED)
def test_the_committed_sessions_replay(name: str) -> None:
    trace = committed(name)
    replayed(trace)
    assert trace.name == name
    assert trace.n_requests > 100
