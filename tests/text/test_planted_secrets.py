"""What is masked of secrets in many formats and places, and of what is no secret."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.sources import SERVER
from tests.text.planted_secrets import FORMATS, is_masked, made, planted, words_masked

from palimpsest.text.secret_formats import FORMS, Form
from palimpsest.text.tokens import masked


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.example)
def test_the_example_of_a_form_has_it_and_is_masked(form: Form) -> None:
    example = made(form.example, random.Random(1))[0]
    assert form.pattern.search(example)
    assert any(literal in example for literal in form.literals)
    assert masked(example) != example


@pytest.mark.slow(part="properties")
def test_secrets_of_any_service_are_masked_wherever_they_stand() -> None:
    everything = list(planted())
    missed = Counter(one.service for one in everything if not is_masked(one))
    assert len(FORMATS) > 500
    assert len(everything) > 10_000
    assert missed.total() <= 0.005 * len(everything), missed


def test_no_service_and_no_place_leaks() -> None:
    """A sample, of which most is masked in every place and of every service."""
    everything = list(planted(2_000, seed=2))
    missed = [one for one in everything if not is_masked(one)]
    assert len(missed) <= 0.01 * len(everything), missed
    assert max(Counter(one.place for one in missed).values(), default=0) <= 5
    assert max(Counter(one.service for one in missed if one.service != "password").values(), default=0) <= 1


def test_little_is_masked_in_this_projects_own_code() -> None:
    n_words, n_masked, what = words_masked(SERVER)
    assert n_masked <= 0.002 * n_words, what.most_common(20)
