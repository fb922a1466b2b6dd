"""Which known model suits a machine: by its memory, by what it computes, and by its licence."""

import pytest

from palimpsest.cli import model
from palimpsest.command_line import main
from palimpsest.models.known import FREE, KNOWN, NEXT_EDIT, SOON_S, Machine, fits, line_s, recommended
from palimpsest.models.machine import this_machine

GIB = 1 << 30


@pytest.mark.parametrize(
    ("machine", "name"),
    [
        (Machine(64 * GIB, 2), "qwen2.5-coder-0.5b"),
        (Machine(64 * GIB, 1), ""),
        (Machine(16 * GIB, 4), "qwen2.5-coder-1.5b-instruct"),
        (Machine(64 * GIB, 32), "qwen2.5-coder-1.5b-instruct"),
        (Machine(4 * GIB, 16), "qwen2.5-coder-0.5b"),
        (Machine(1 * GIB, 16), ""),
        (Machine(16 * GIB, 8, "graphics processor of Apple's"), "qwen2.5-coder-7b-instruct-q4"),
        (Machine(8 * GIB, 8, "graphics processor of Apple's"), "qwen2.5-coder-1.5b-instruct"),
        (Machine(16 * GIB, 4, "RTX", 8 * GIB), "qwen2.5-coder-7b-instruct-q4"),
        (Machine(64 * GIB, 4, "RTX", 24 * GIB), "qwen2.5-coder-14b-instruct-q4"),
    ],
)
def test_the_largest_that_fits_and_answers_soon(machine: Machine, name: str) -> None:
    choice = recommended(machine)
    assert (choice.model.name if choice.model else "") == name
    assert choice.reason
    if choice.model:
        assert line_s(choice.model, machine) <= SOON_S
        assert choice.model.memory_gib * GIB <= machine.room


def test_only_free_ones_are_recommended_whatever_the_machine() -> None:
    for gib in range(1, 65):
        for cores in (1, 2, 4, 8, 64):
            for gpu in (0, 4, 6, 8, 24):
                choice = recommended(Machine(gib * GIB, cores, "RTX" if gpu else "", gpu * GIB))
                assert choice.model is None or choice.model.licence in FREE


def test_the_3b_is_not_free_and_says_so() -> None:
    assert [known.licence for known in KNOWN if "-3b" in known.name] == ["Qwen Research"]


def test_more_memory_than_compute_is_said() -> None:
    reason = recommended(Machine(64 * GIB, 2)).reason
    assert "on 2 cores" in reason
    assert "would fit the memory, but take" in reason


def test_all_take_more_memory_than_their_file() -> None:
    assert all(known.memory_gib * GIB > known.size_gb * 1e9 for known in (*KNOWN, *NEXT_EDIT))


def test_each_is_pinned_and_has_a_name_of_its_own() -> None:
    every = (*KNOWN, *NEXT_EDIT)
    assert len({known.name for known in every}) == len(every)
    assert all((len(known.revision), len(known.sha256)) == (40, 64) for known in every)
    assert all(known.is_free for known in NEXT_EDIT)


def test_those_too_large_for_this_machine_are_marked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # no door: what machine this is
    monkeypatch.setattr(model, "this_machine", lambda: Machine(4 * GIB, 16))
    assert main(["model", "list"]) == 0
    marked = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.endswith(model.TOO_LARGE)]
    assert marked == [known.name for known in (*KNOWN, *NEXT_EDIT) if known.memory_gib > 2]
    assert all(fits(known, Machine(0, 4)) for known in KNOWN), "nobody knows"


def test_this_machine_has_some() -> None:
    machine = this_machine()
    assert machine.memory > GIB // 4
    assert machine.cores >= 1
