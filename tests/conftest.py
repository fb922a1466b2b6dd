"""Hypothesis' profiles, the order of a whole run, and what the collector of garbage need not look at."""

import gc
import os
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import settings

# No deadlines: on a busy machine any example takes longer than usual now and then.
settings.register_profile("short", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=200, derandomize="CI" in os.environ)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no core is left alone with them at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    n_slow = Counter(path.parent for path in slow)
    # A folder stays together: its fixtures of a whole session set variables for everything that is started.
    items.sort(
        key=lambda i: ("training" not in i.path.parts, -n_slow[i.path.parent], i.path.parent, i.path not in slow)
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Thousands of tests and all that they import stay to the end: nothing that lives so long is looked at again and
    again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
