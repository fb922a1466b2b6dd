"""The order of a whole run: files with slow tests first, so that no core is left alone with them at the end.

And hypothesis without its deadlines: on a busy machine any example takes longer than usual now and then.
"""

from collections import Counter

import pytest
from hypothesis import settings

settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    n_slow = Counter(path.parent for path in slow)
    # A folder stays together: its fixtures of a whole session set variables for everything that is started.
    items.sort(
        key=lambda i: ("training" not in i.path.parts, -n_slow[i.path.parent], i.path.parent, i.path not in slow)
    )
