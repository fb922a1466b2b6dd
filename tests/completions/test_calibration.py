"""How probable a text is said to be, once it was seen how often such texts came true."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.calibration import AS_SAID, N_BINS, Calibration, bin_of, fitted, middle

PROBABILITIES = st.floats(0.05, 0.95)
MAPS = st.builds(Calibration, st.floats(0.2, 1.5), st.floats(-1.5, 1.5))
COUNTS = st.dictionaries(
    st.integers(0, N_BINS - 1).map(str),
    st.tuples(st.integers(1, 100_000), st.floats(0, 1)).map(lambda it: (float(it[0]), it[0] * it[1])),
)


def test_before_anything_was_shown_it_is_what_the_model_says() -> None:
    assert fitted({}).slope == pytest.approx(1.0)
    assert fitted({}).offset == pytest.approx(0.0, abs=1e-9)
    assert AS_SAID.of(0.3) == pytest.approx(0.3)
    assert AS_SAID.of(0.0) == 0.0
    assert AS_SAID.of(1.0) == pytest.approx(1.0, abs=1e-4)


def test_what_came_true_less_often_than_was_said_is_said_to_be_less_probable() -> None:
    counts = {bin_of(said): (1000.0, 1000 * right) for said, right in ((0.55, 0.55), (0.75, 0.65), (0.97, 0.8))}
    calibration = fitted(counts)
    assert calibration.of(0.97) == pytest.approx(0.8, abs=0.03)
    assert calibration.of(0.75) == pytest.approx(0.65, abs=0.04)


def test_a_few_change_little() -> None:
    assert fitted({bin_of(0.9): (3.0, 0.0)}).of(0.9) > 0.7


@given(MAPS, PROBABILITIES)
def test_a_map_can_be_undone(calibration: Calibration, probability: float) -> None:
    assert calibration.undone(calibration.of(probability)) == pytest.approx(probability, rel=1e-3, abs=1e-4)


@given(MAPS, MAPS, PROBABILITIES)
def test_two_maps_are_one(one: Calibration, other: Calibration, probability: float) -> None:
    assert one.then(other).of(probability) == pytest.approx(other.of(one.of(probability)), abs=1e-3)


@given(COUNTS)
def test_the_order_of_two_texts_stays_whatever_was_counted(counts: dict[str, tuple[float, float]]) -> None:
    calibration = fitted(counts)
    said = [calibration.of(middle(number)) for number in range(N_BINS)]
    assert said == sorted(said)
    assert all(0 < one < 1 for one in said)
