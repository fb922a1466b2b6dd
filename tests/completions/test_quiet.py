"""How sure a model must be of a completion."""

import gguf
import pytest

from palimpsest.completions.quiet import SURE, is_sure
from palimpsest.completions.results import Result
from palimpsest.models import default_model


def result(tokens: float, lines: float | None = None) -> Result:
    return Result(("x",), confidence=tokens, share=lines)


def test_the_default_model_has_bounds_of_its_own_and_others_have_none() -> None:
    field = gguf.GGUFReader(default_model.adapter()).fields["palimpsest.name"]
    name = bytes(field.parts[field.data[0]]).decode()
    assert list(SURE) == [name]
    by_tokens, by_lines = SURE[name]
    for sure, tokens, lines in (
        (True, by_tokens, None),
        (False, by_tokens - 0.01, None),
        (True, by_tokens - 0.01, by_lines),
        (False, 1.0, by_lines - 0.01),
    ):
        assert is_sure(result(tokens, lines), -1.0, name) == sure
    assert is_sure(result(0.0), -1.0, "another one")
    assert is_sure(result(0.0, 0.0), -1.0, "")


@pytest.mark.parametrize("name", [*SURE, "another one"])
def test_what_a_person_chose_goes_before(name: str) -> None:
    assert is_sure(result(0.0, 0.0), 0.0, name)
    for tokens, lines in ((0.7, None), (0.1, 0.7)):
        assert is_sure(result(tokens, lines), 0.7, name)
        assert not is_sure(result(tokens, lines), 0.71, name)
