"""What an engine's deaths lead to, told with a clock of the test's own."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.providers import lifecycle as the_lifecycle
from palimpsest.providers.lifecycle import FIRST_WAIT_S, GIVE_UP_AT, LONGEST_WAIT_S, SOON_S, EngineLifecycle


def test_the_first_death_starts_the_same_engine_again() -> None:
    lifecycle = EngineLifecycle().loading().ready(10.0).died(15.0, "It was ended by SIGSEGV.")
    assert (lifecycle.state, lifecycle.n_failures, lifecycle.safe_mode) == ("restarting", 1, False)
    assert "SIGSEGV" in lifecycle.reason


def test_the_second_in_a_row_starts_it_with_caution_and_the_third_gives_up() -> None:
    second = EngineLifecycle().ready(0.0).died(1.0, "").ready(2.0).died(3.0, "")
    assert (second.state, second.safe_mode) == ("restarting", True)
    third = second.loading().ready(4.0).died(5.0, "how")
    assert third.state == "given_up"
    assert third.has_given_up
    assert "3 times" in third.reason


def test_deaths_far_apart_are_not_in_a_row() -> None:
    lifecycle = EngineLifecycle()
    for hour in range(10):
        start = hour * 3600.0
        lifecycle = lifecycle.loading().ready(start).died(start + SOON_S, "")
        assert (lifecycle.state, lifecycle.n_failures, lifecycle.safe_mode) == ("restarting", 1, False)


def test_a_model_that_takes_minutes_to_load_and_dies_at_once_is_given_up_all_the_same() -> None:
    lifecycle = EngineLifecycle()
    for start in (0.0, 300.0, 600.0):
        lifecycle = lifecycle.loading().ready(start + 240.0).died(start + 241.0, "")
    assert lifecycle.state == "given_up"


def test_deaths_before_it_was_ever_ready_count_as_well() -> None:
    lifecycle = EngineLifecycle()
    for now in (100.0, 500.0, 900.0):
        lifecycle = lifecycle.loading().died(now, "")
    assert lifecycle.state == "given_up"


def test_caution_stays_once_it_was_needed() -> None:
    lifecycle = EngineLifecycle().died(0.0, "").died(1.0, "").ready(2.0)
    later = lifecycle.died(2.0 + SOON_S, "")
    assert (later.n_failures, later.safe_mode, later.state) == (1, True, "restarting")


def test_one_that_leaves_in_good_order_is_started_again_and_not_counted() -> None:
    lifecycle = EngineLifecycle().ready(0.0).died(1.0, "").ready(2.0).left()
    assert (lifecycle.state, lifecycle.n_failures) == ("restarting", 1)


@pytest.mark.parametrize("attempt", [lambda c: c.died(0.0, ""), lambda c: c.failed("x"), lambda c: c.unavailable("x")])
def test_what_was_given_up_is_tried_again_after_growing_waits(
    attempt: Callable[[EngineLifecycle], EngineLifecycle],
) -> None:
    lifecycle = EngineLifecycle().died(0.0, "").died(0.0, "")
    waits = []
    for _ in range(12):
        lifecycle = attempt(lifecycle)
        waits.append(lifecycle.wait_s)
    assert waits == sorted(waits)
    assert waits[0] >= FIRST_WAIT_S
    assert waits[-1] == LONGEST_WAIT_S
    well = attempt(lifecycle.loading().ready(0.0)) if lifecycle.state == "failed" else lifecycle.loading().ready(0.0)
    assert well.wait_s in (0.0, FIRST_WAIT_S)


EVENTS: dict[str, Callable[[EngineLifecycle], EngineLifecycle]] = {
    "loading": lambda c: c.loading(),
    "ready": lambda c: c.ready(1.0),
    "suspected": lambda c: c.suspected(),
    "left": lambda c: c.left(),
    "died": lambda c: c.died(2.0, "how"),
    "failed": lambda c: c.failed("why"),
    "unavailable": lambda c: c.unavailable("why"),
    "away": lambda c: c.away("why"),
}
LIVING = ("starting", "loading", "ready", "suspected", "restarting", "away", "failed", "given_up")


def reachable() -> dict[str, EngineLifecycle]:
    """A course in each state that any events lead to, found by trying all."""
    found: dict[tuple[str, int, bool], EngineLifecycle] = {}
    new = [EngineLifecycle()]
    while new:
        lifecycle = new.pop()
        key = (lifecycle.state, min(lifecycle.n_failures, GIVE_UP_AT), lifecycle.ready_at is not None)
        if key not in found:
            found[key] = lifecycle
            new += [event(lifecycle) for event in EVENTS.values()]
    return {
        f"{state}-{n_failures}-{was_ready}": lifecycle for (state, n_failures, was_ready), lifecycle in found.items()
    }


@pytest.mark.parametrize("lifecycle", reachable().values(), ids=reachable().keys())
def test_what_lasts_has_a_cause_that_a_person_can_read(lifecycle: EngineLifecycle) -> None:
    assert lifecycle.cause.endswith(".") == lifecycle.is_lasting
    assert lifecycle.cause != lifecycle.state


def test_every_state_but_the_last_two_is_reached() -> None:
    assert {lifecycle.state for lifecycle in reachable().values()} == set(LIVING)


@pytest.mark.parametrize("lifecycle", reachable().values(), ids=reachable().keys())
def test_from_every_state_a_healthy_engine_leads_to_ready(lifecycle: EngineLifecycle) -> None:
    assert not lifecycle.is_final
    assert lifecycle.wait_s < 3600
    for way in (
        lifecycle.ready(5.0),
        lifecycle.loading().ready(5.0),
        lifecycle.suspected().ready(5.0),
    ):
        assert way.state == "ready"
        assert way.reason == ""
        assert way.wait_s == 0.0


@pytest.mark.parametrize("state", ["off", "closed"])
@pytest.mark.parametrize("event", EVENTS)
def test_the_last_two_stay(state: the_lifecycle.State, event: str) -> None:
    assert EVENTS[event](EngineLifecycle(state)) == EngineLifecycle(state)


def test_the_table_in_the_docstring_is_what_holds() -> None:
    assert the_lifecycle.__doc__ is not None
    rows = [re.split(r"  +", line.strip()) for line in the_lifecycle.__doc__.splitlines() if line.startswith("    ")]
    heads = rows[0][1:]
    first = {c.state: c for c in sorted(reachable().values(), key=lambda c: -c.n_failures)} | {
        "off": EngineLifecycle("off")
    }
    first |= {"closed": EngineLifecycle("closed")}
    told = {cells[0]: cells[1:] for cells in rows[1:] if len(cells) == len(heads) + 1}
    assert set(told) == set(first) == {*LIVING, "off", "closed"}
    for state, cells in told.items():
        for head, cell in zip(heads, cells, strict=True):
            after = EVENTS[head](first[state]).state
            assert (state, head, after) == (state, head, state if cell == "·" else cell.removesuffix(" *"))


def test_a_doubt_that_was_unfounded_makes_it_no_younger() -> None:
    lifecycle = EngineLifecycle().ready(0.0).suspected().ready(59.0).died(61.0, "")
    assert lifecycle.n_failures == 1


def test_being_told_again_that_it_is_ready_does_not_make_it_younger() -> None:
    lifecycle = EngineLifecycle().ready(0.0).ready(59.0).died(61.0, "")
    assert lifecycle.n_failures == 1
    assert EngineLifecycle().died(0.0, "").ready(1.0).ready(55.0).died(61.5, "").n_failures == 1


@given(st.lists(st.sampled_from(["loading", "ready", "left", "died"]), max_size=40), st.data())
def test_after_the_third_death_in_a_row_it_rests(events: list[str], data: st.DataObject) -> None:
    lifecycle, now = EngineLifecycle(), 0.0
    for event in events:
        now += data.draw(st.floats(0.0, 120.0))
        lifecycle = lifecycle.ready(now) if event == "ready" else _apply(lifecycle, event, now)
        if event == "died":
            assert lifecycle.has_given_up == (lifecycle.n_failures >= GIVE_UP_AT) == (lifecycle.wait_s > 0)
        assert lifecycle.safe_mode or lifecycle.n_failures < 2


def _apply(lifecycle: EngineLifecycle, event: str, now: float) -> EngineLifecycle:
    if event == "died":
        return lifecycle.died(now, "")
    return lifecycle.left() if event == "left" else lifecycle.loading()
