"""Threads that wait for one another in a loop are as many as there are cores for them."""

from __future__ import annotations

from palimpsest.engine.llama.threads import FIRST_REST_S, LEAST_S, LONGEST_REST_S, Threads


def test_with_cores_of_their_own_all_threads_stay() -> None:
    threads = Threads(8)
    for time in range(100):
        assert threads.begin(time) == 8
        threads.ended(time, 1.0, 7.9)


def test_where_others_have_the_cores_there_are_as_many_as_are_left() -> None:
    threads = Threads(8)
    threads.ended(0.0, 1.0, 5.5)
    assert threads.begin(0.1) == 5
    threads.ended(0.1, 1.0, 4.9)
    assert threads.begin(0.2) == 5
    threads.ended(0.2, 1.0, 0.3)
    assert threads.begin(0.3) == 1, "one at least"


def test_all_are_tried_again_more_and_more_seldom_until_there_is_room() -> None:
    threads, time, pauses = Threads(2), 0.0, []
    for _ in range(9):
        threads.ended(time, 1.0, 0.9)
        since = time
        while threads.begin(time) == 1:
            threads.ended(time, 1.0, 0.9)
            time += 1.0
        pauses.append(time - since)
    assert pauses[:3] == [FIRST_REST_S, 2 * FIRST_REST_S, 4 * FIRST_REST_S]
    assert pauses[-1] == LONGEST_REST_S
    threads.ended(time, 1.0, 2.0)
    assert threads.begin(time) == 2
    threads.ended(time, 1.0, 0.9)
    assert threads.begin(time + FIRST_REST_S) == 2, "it had room, so that it begins anew"


def test_one_decode_that_was_held_up_tells_nothing() -> None:
    threads = Threads(2)
    for time in range(20):
        threads.ended(time, LEAST_S / 8, LEAST_S / 8 * (2.0 if time % 4 else 1.2))
        assert threads.begin(time) == 2


def test_two_threads_stay_where_they_miss_less_than_one_of_them_does() -> None:
    threads = Threads(2)
    threads.ended(0.0, 1.0, 1.7)
    assert threads.begin(0.0) == 2, "beside a program that has half a core"
    threads.ended(0.0, 1.0, 1.4)
    assert threads.begin(0.0) == 1
