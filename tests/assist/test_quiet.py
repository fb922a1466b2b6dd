"""How sure a model must be of a completion."""

import gguf

from palimpsest.assist.completions.quiet import SURE, least
from palimpsest.models import default_model


def test_the_default_model_has_a_bound_of_its_own_and_others_have_none() -> None:
    field = gguf.GGUFReader(default_model.adapter()).fields["palimpsest.name"]
    name = bytes(field.parts[field.data[0]]).decode()
    assert 0 < least(-1.0, name) < 1
    assert list(SURE) == [name]
    assert least(-1.0, "another one") == 0
    assert least(-1.0, "") == 0


def test_what_a_person_chose_goes_before() -> None:
    (name,) = SURE
    assert least(0.0, name) == 0
    assert least(0.7, name) == least(0.7, "another one") == 0.7
