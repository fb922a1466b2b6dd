"""Which known model suits a machine: by its memory, by what it computes, and by its licence."""

from pathlib import Path

import pytest

from palimpsest.cli import model
from palimpsest.command_line import main
from palimpsest.models.catalogue import SMALL_GIB
from palimpsest.models.known import FREE, KNOWN, NEXT_EDIT, SOON_S, Machine, Purpose, fits, line_s, recommended
from palimpsest.models.machine import this_machine

GIB = 1 << 30
GPUS = {gigabytes: Machine(64 * GIB, 8, "RTX", gigabytes * GIB) for gigabytes in (4, 8, 16, 24)}
APPLE_8, APPLE_16 = (Machine(gib * GIB, 8, "graphics processor of Apple's") for gib in (8, 16))


@pytest.mark.parametrize(
    ("machine", "completion", "next_edits", "conversations"),
    [
        (Machine(64 * GIB, 2), "qwen2.5-coder-0.5b", "sweep-0.5b", ""),
        (Machine(64 * GIB, 1), "granite-4.0-350m", "", ""),
        (Machine(16 * GIB, 4), "qwen2.5-coder-1.5b-instruct", "sweep-1.5b", "qwen2.5-coder-1.5b-instruct"),
        (Machine(64 * GIB, 32), "qwen3-coder-30b-q4", "sweep-1.5b", "qwen3-coder-30b-q4"),
        (Machine(4 * GIB, 16), "qwen2.5-coder-0.5b", "sweep-0.5b", ""),
        (Machine(1 * GIB, 16), "", "", ""),
        (APPLE_16, "qwen2.5-coder-7b-instruct-q4", "zeta-2.1-q4", "qwen2.5-coder-7b-instruct-q4"),
        (APPLE_8, "qwen2.5-coder-1.5b-instruct", "sweep-1.5b", "qwen2.5-coder-1.5b-instruct"),
        (GPUS[4], "qwen2.5-coder-1.5b-instruct", "sweep-1.5b", "qwen2.5-coder-1.5b-instruct"),
        (GPUS[8], "qwen2.5-coder-7b-instruct-q4", "sweep-1.5b", "qwen2.5-coder-7b-instruct-q4"),
        (GPUS[16], "qwen2.5-coder-14b-instruct-q4", "zeta-2.1-q4", "qwen2.5-coder-14b-instruct-q4"),
        (GPUS[24], "qwen3-coder-30b-q4", "zeta-2.1-q4", "qwen3-coder-30b-q4"),
    ],
)
def test_the_best_that_fits_and_answers_soon(
    machine: Machine, completion: str, next_edits: str, conversations: str
) -> None:
    asked: list[tuple[Purpose, float, str]] = [
        ("completion", 0, completion),
        ("next edits", SMALL_GIB, next_edits),
        ("conversations", 0, conversations),
    ]
    for purpose, beside, name in asked:
        choice = recommended(machine, purpose, beside)
        assert (choice.model.name if choice.model else "") == name
        assert choice.reason
        if choice.model:
            assert line_s(choice.model, machine) <= SOON_S
            assert (choice.model.memory_gib + beside) * GIB <= machine.room


def test_the_documents_say_the_same_of_graphics_processors() -> None:
    """The table in docs/models.md: what is recommended for 4, 8, 16 and 24 GB."""
    text = (Path(__file__).parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
    for gigabytes, machine in GPUS.items():
        asked = (recommended(machine), recommended(machine, "next edits", SMALL_GIB))
        names = [choice.model.name for choice in (*asked, recommended(machine, "conversations")) if choice.model]
        assert f"| {gigabytes} GB | `{names[0]}` | `{names[1]}` | `{names[2]}` |" in text


def test_only_free_ones_are_recommended_whatever_the_machine() -> None:
    for gib in range(1, 65):
        for cores in (1, 2, 4, 8, 64):
            for gpu in (0, 4, 6, 8, 24):
                choice = recommended(Machine(gib * GIB, cores, "RTX" if gpu else "", gpu * GIB))
                assert choice.model is None or choice.model.licence in FREE


def test_the_3b_is_not_free_and_says_so() -> None:
    assert [known.licence for known in KNOWN if "-3b" in known.name] == ["Qwen Research"]


def test_a_mixture_of_experts_is_as_fast_as_what_it_reads() -> None:
    sparse, dense = (next(one for one in KNOWN if one.name == name) for name in ("mellum2-12b-q4", "seed-coder-8b"))
    assert line_s(sparse, GPUS[16]) < line_s(dense, GPUS[16]) / 4


def test_more_memory_than_compute_is_said() -> None:
    reason = recommended(Machine(64 * GIB, 2)).reason
    assert "on 2 cores" in reason
    assert "would fit the memory, but take" in reason


def test_the_memory_that_a_model_must_fit_is_named() -> None:
    assert recommended(GPUS[8]).reason.endswith("the best that fits the 8 GiB of the RTX")
    assert recommended(Machine(64 * GIB, 8, "RTX", GIB)).reason == "none fits the 1 GiB of the RTX"
    assert recommended(Machine(1 * GIB, 16)).reason == "none fits half of 1 GiB of memory"
    assert recommended(APPLE_16).reason.endswith("the best that fits half of 16 GiB of memory")


def test_all_take_more_memory_than_their_file() -> None:
    assert all(known.memory_gib * GIB > known.size_gb * 1e9 for known in (*KNOWN, *NEXT_EDIT))


def test_each_is_pinned_or_left_to_the_hubs_hash_and_has_a_name_of_its_own() -> None:
    every = (*KNOWN, *NEXT_EDIT)
    assert len({known.name for known in every}) == len(every)
    assert all(len(known.revision) == 40 or known.revision == "main" for known in every)
    assert all(len(known.sha256) == 64 or (known.revision, known.sha256) == ("main", "") for known in every)
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
