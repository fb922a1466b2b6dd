"""What an engine's deaths lead to, told with a clock of the test's own."""

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engines.course import GIVE_UP_AT, SOON_S, Course


def test_the_first_death_starts_the_same_engine_again() -> None:
    course = Course().loading().ready(10.0).died(15.0, "It was ended by SIGSEGV.")
    assert (course.state, course.row, course.caution) == ("restarting", 1, False)
    assert "SIGSEGV" in course.reason


def test_the_second_in_a_row_starts_it_with_caution_and_the_third_gives_up() -> None:
    second = Course().ready(0.0).died(1.0, "").ready(2.0).died(3.0, "")
    assert (second.state, second.caution) == ("restarting", True)
    third = second.loading().ready(4.0).died(5.0, "how")
    assert third.state == "given_up"
    assert third.is_final
    assert "3 times" in third.reason


def test_deaths_far_apart_are_not_in_a_row() -> None:
    course = Course()
    for hour in range(10):
        start = hour * 3600.0
        course = course.loading().ready(start).died(start + SOON_S, "")
        assert (course.state, course.row, course.caution) == ("restarting", 1, False)


def test_a_model_that_takes_minutes_to_load_and_dies_at_once_is_given_up_all_the_same() -> None:
    course = Course()
    for start in (0.0, 300.0, 600.0):
        course = course.loading().ready(start + 240.0).died(start + 241.0, "")
    assert course.state == "given_up"


def test_deaths_before_it_was_ever_ready_count_as_well() -> None:
    course = Course()
    for now in (100.0, 500.0, 900.0):
        course = course.loading().died(now, "")
    assert course.state == "given_up"


def test_caution_stays_once_it_was_needed() -> None:
    course = Course().died(0.0, "").died(1.0, "").ready(2.0)
    later = course.died(2.0 + SOON_S, "")
    assert (later.row, later.caution, later.state) == (1, True, "restarting")


def test_one_that_leaves_in_good_order_is_started_again_and_not_counted() -> None:
    course = Course().ready(0.0).died(1.0, "").ready(2.0).left()
    assert (course.state, course.row) == ("restarting", 1)


def test_what_cannot_get_better_by_itself_is_final() -> None:
    assert Course().failed("The model file is missing.").is_final
    assert Course().unavailable("no engine here").is_final
    assert not Course().is_final
    assert not Course().ready(0.0).is_final


def test_being_told_again_that_it_is_ready_does_not_make_it_younger() -> None:
    course = Course().ready(0.0).ready(59.0).died(61.0, "")
    assert course.row == 1
    assert Course().died(0.0, "").ready(1.0).ready(55.0).died(61.5, "").row == 1


@given(st.lists(st.sampled_from(["loading", "ready", "left", "died"]), max_size=40), st.data())
def test_it_never_goes_on_after_the_third_death_in_a_row(events: list[str], data: st.DataObject) -> None:
    course, now = Course(), 0.0
    for event in events:
        now += data.draw(st.floats(0.0, 120.0))
        if course.is_final:
            break
        course = course.ready(now) if event == "ready" else _apply(course, event, now)
        assert course.is_final == (course.row >= GIVE_UP_AT)
        assert course.caution or course.row < 2


def _apply(course: Course, event: str, now: float) -> Course:
    if event == "died":
        return course.died(now, "")
    return course.left() if event == "left" else course.loading()
