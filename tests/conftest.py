"""The order of a whole run: files with slow tests first, so that no core is left alone with them at the end.

And hypothesis without its deadlines: on a busy machine any example takes longer than usual now and then.
"""

import pytest
from hypothesis import settings

settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: ("training" not in item.path.parts, item.path not in slow))
