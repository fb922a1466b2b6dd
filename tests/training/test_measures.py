"""Losses of a character and of a token are of the same middles, for models with any tokenizer and any layout."""

from pathlib import Path

import numpy as np
import pytest
from tests.models import written

from training import evaluate, held, measures
from training.arena import Arena
from training.examples import Tail, Workspace
from training.prompt import Prompt

BLOCK = '<context type="class" name="Cart" editable="true">\nclass Cart:\n    def add(self, item): ...\n</context>\n'
FOUND = [
    Workspace(
        f"package {n}",
        (BLOCK.replace("item", f"item_{n}"),),
        (
            Tail("spm", f"def total_{n}(cart):\n    return cart", "\n</editing>\n", f".price({n})", "statement"),
            Tail("repair", "L1 def f():\nL2     retrun 1\n", "", "L2     return 1\n", "misspelt"),
        ),
    )
    for n in range(2)
]


@pytest.mark.parametrize("kind", ["embedded", "fim", "plain"])
def test_nats_a_character_and_of_the_end_add_up_to_nats_a_token(kind: str, tmp_path: Path) -> None:
    path = evaluate.MODEL if kind == "embedded" else written(kind, tmp_path)
    arena = Arena(path, 512, 1)
    try:
        found = measures.middles(Prompt(arena), FOUND, 2)
    finally:
        arena.close()
    for layout, row in found.items():
        assert row["characters"] == sum(len(t.middle) for w in FOUND for t in w.tails if t.layout == layout)
        for mode, _ in measures.MODES:
            ends = row["end"][mode]
            assert (ends is not None) == (kind == "embedded")
            parts = row["a_character"][mode] * row["characters"] + (ends or 0.0) * row["middles"]
            assert parts == pytest.approx(row["loss"][mode] * row["tokens"], rel=1e-2)


def test_a_middle_ends_with_any_of_a_models_ends() -> None:
    logits = np.log(np.array([0.1, 0.3, 0.2, 0.4], np.float32))
    loss, is_likeliest = measures.of_any(logits, (1, 2))
    assert loss == pytest.approx(-np.log(0.5), rel=1e-5)
    assert not is_likeliest
    assert measures.of_any(logits, (0, 3)) == (pytest.approx(-np.log(0.5), rel=1e-5), True)


def test_fewer_are_shown_the_surer_the_model_must_be() -> None:
    shown = [(0.95, True, True), (0.4, True, False), (0.4, False, False), (0.05, False, False)]
    found = {
        row["least"]: (row["shown"], row["words"], row["lines"])
        for b in (0.0, 0.4, 0.6)
        for row in [measures.of_sure(shown, b)]
    }
    assert found == {0.0: (4, 2, 1), 0.4: (3, 2, 1), 0.6: (1, 1, 1)}


@pytest.mark.slow(part="training")
def test_words_and_lines_are_counted_by_how_sure_the_model_is() -> None:
    suffix = "\n    return total\n"
    cases = [
        held.Case(("def price_of(name): ...\n",), "def f(prices):\n    total = sum(", stem, "prices", "prices)", suffix)
        for stem in ("pr", "pri", "pric")
    ]
    arena = Arena(evaluate.MODEL, 1024, 1)
    try:
        found = measures.words(Prompt(arena), cases)
    finally:
        arena.close()
    first, *rest = found["sure"]
    assert (first["shown"], first["words"], first["lines"]) == (3, found["right"], found["lines"])
    assert all(a["shown"] >= b["shown"] for a, b in zip(found["sure"], rest, strict=False))


def test_a_share_of_the_sizes_keeps_what_they_are_drawn_from() -> None:
    sizes = evaluate.Sizes().times(0.1)
    assert (sizes.n_modules, sizes.n_words, sizes.n_middles) == (20, 50, 6)
    assert evaluate.Sizes().times(0.001).n_repairs == 1


def test_only_what_was_measured_is_compared() -> None:
    assert evaluate.compared({"words": {"right": 3, "lines": 1, "of": 4, "greedy": 2}}) == {
        "words": {"right": 3, "lines": 1, "of": 4}
    }


@pytest.mark.slow(part="training")
def test_this_projects_own_source_bears_another_name(tmp_path: Path) -> None:
    found = held.own_source(tmp_path, 2)
    assert found
    text = "".join(t for w in found for tail in w.tails for t in (*w.blocks, tail.prefix, tail.middle, tail.suffix))
    assert held.OWN_NAME in text
    assert "palimpsest" not in text.lower()
