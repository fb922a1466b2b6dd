"""Workspaces as text: written, read, and taken in an order that goes on where it stopped, with any tokenizer."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.training.areas import write_wheel

from training import evaluate, shelf, texts, tokenizer, vocabulary
from training.data import LAYOUTS
from training.examples import Tail, Workspace
from training.shelf import Bookmark, Shelf
from training.vocabulary import Vocabulary

Run = Callable[[], list[Path]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`training.texts` on one small wheel, and the files that are there afterwards."""
    write_wheel(tmp_path, 20)
    # no door: the real sources take minutes
    monkeypatch.setattr("training.corpus.read_standard_library", lambda: iter(()))
    monkeypatch.setattr(sys, "argv", ["texts", "--wheels", str(tmp_path), "--out", str(tmp_path), "--processes", "1"])

    def run() -> list[Path]:
        texts.main()
        return sorted((tmp_path / "train").iterdir())

    return run


def test_a_name_in_no_encoding_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl.gz"
    assert texts.write([Workspace("areas", ("caf\udce9.py",), ())], path) == 1
    assert [workspace.blocks for workspace in texts.read(path)] == [("caf?.py",)]


def test_what_was_made_is_not_made_again(run: Run) -> None:
    first = run()
    assert len(first) > 1
    assert all(file.name.startswith("areas-") for file in first)
    kept, *_, again = first
    before = kept.stat().st_mtime_ns
    again.unlink()
    assert run() == first
    assert kept.stat().st_mtime_ns == before


def test_a_workspace_is_read_as_it_was_written(run: Run, tmp_path: Path) -> None:
    found = list(texts.read(run()[0]))
    assert texts.write(found, tmp_path / "again.jsonl.gz") == len(found) > 0
    assert list(texts.read(tmp_path / "again.jsonl.gz")) == found
    tails = [tail for workspace in found for tail in workspace.tails]
    assert {tail.layout for tail in tails} == {"spm", "repair"}
    assert any("<instruction>" in tail.prefix for tail in tails)


def workspace(n: int) -> Workspace:
    return Workspace(f"package {n}", (f"block {n}",), (Tail("spm", f"prefix {n}", "", f"middle {n}", "statement"),))


def fill(folder: Path, *names: str) -> None:
    for name in names:
        texts.write((workspace(int(name) * 10 + i) for i in range(5)), folder / f"{name}.jsonl.gz")


def as_it_is(found: Sequence[Workspace]) -> Any:
    """In the place of tokens: only the order matters."""
    return found


def shelf_of(folder: Path, bookmark: Bookmark | None = None) -> Any:
    return Shelf(folder, bookmark or Bookmark(), as_it_is)


def test_a_round_takes_each_workspace_once_and_the_next_all_again(tmp_path: Path) -> None:
    fill(tmp_path, *map(str, range(30)))
    found = shelf_of(tmp_path)
    rounds = [[found.next(30).package for _ in range(150)] for _ in range(2)]
    assert set(rounds[0]) == set(rounds[1]) == {f"package {10 * name + i}" for name in range(30) for i in range(5)}
    assert rounds[0] != rounds[1]


@pytest.mark.parametrize("n_before", [1, 59, 60, 61, 149])
def test_it_goes_on_where_it_stopped(tmp_path: Path, n_before: int) -> None:
    fill(tmp_path, *map(str, range(30)))
    found = shelf_of(tmp_path)
    for _ in range(n_before):
        found.next(30)
    saved = Bookmark(**found.bookmark.as_dict())
    rest = [found.next(30) for _ in range(40)]
    other = shelf_of(tmp_path, saved)
    assert [other.next(30) for _ in range(40)] == rest


def test_files_that_come_later_are_taken_when_all_processes_know_of_them(tmp_path: Path) -> None:
    fill(tmp_path, "1", "2")
    first, second = shelf_of(tmp_path), shelf_of(tmp_path)
    taken = [first.next(2) for _ in range(10)]
    fill(tmp_path, "3")
    assert [second.next(2) for _ in range(10)] == taken
    assert {first.next(3).package for _ in range(5)} == {f"package {n}" for n in range(30, 35)}
    assert len(first.known()) == 3


def test_without_workspaces_it_says_what_makes_them(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"training\.texts"):
        shelf_of(tmp_path).next(0)


@pytest.fixture(scope="module")
def embedded() -> Vocabulary:
    return vocabulary.read(evaluate.MODEL)


def test_a_files_vocabulary_is_the_one_it_was_made_with(embedded: Vocabulary) -> None:
    text = "def f(x):\n    return x['ü'] + 12  # <|endoftext|>\n"
    assert embedded.marks == tokenizer.MARKS
    assert embedded.encode(text) == tokenizer.load().encode(text, add_special_tokens=False).ids


def test_many_processes_encode_as_one_does(embedded: Vocabulary) -> None:
    found = [workspace(i) for i in range(20)]
    encoders = shelf.Encoders(evaluate.MODEL, 2)
    try:
        together, alone = encoders(found), shelf.encode_here(embedded)(found)
    finally:
        encoders.close()
    assert [[tail.tail.tolist() for tail in each.tails] for each in together] == [
        [tail.tail.tolist() for tail in each.tails] for each in alone
    ]
    assert all(each.tails for each in alone)


def test_a_tail_is_laid_out_suffix_first_and_ends_with_the_end(embedded: Vocabulary) -> None:
    tail = Tail("spm", "def f(x):\n   ", "\n", " return x + 1", "statement")
    found = shelf.encoded_tail(tail, embedded, shelf.Limits())
    assert found is not None
    assert found.layout == LAYOUTS.index("spm")
    assert found.suffix.tolist() == [tokenizer.SUFFIX, *embedded.encode("\n")]
    assert found.tail.tolist() == [
        tokenizer.PREFIX,
        *embedded.encode(tail.prefix),
        *embedded.encode(tail.middle),
        tokenizer.END,
    ]
    assert found.tail[found.first :].tolist() == [*embedded.encode(tail.middle), tokenizer.END]
    assert found.n_characters == len(tail.middle)


@pytest.mark.parametrize(
    "tail",
    [
        Tail("spm", "x = 1\n" * 400, "", "y = 2", "statement"),
        Tail("spm", "x", "y = 1\n" * 300, " = 2", "statement"),
        Tail("spm", "retu", "", "rn", "statement"),
    ],
    ids=["too long", "its suffix too long", "split otherwise behind its prefix"],
)
def test_a_tail_that_cannot_be_learned_as_it_is_asked_is_left_out(embedded: Vocabulary, tail: Tail) -> None:
    assert shelf.encoded_tail(tail, embedded, shelf.Limits()) is None
