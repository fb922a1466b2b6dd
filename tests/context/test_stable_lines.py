"""What a block shows of the line that the cursor stands on."""

import pytest

from palimpsest.context.sources.stable_lines import stable


@pytest.mark.parametrize(
    ("full", "without", "last", "chosen"),
    [
        ("abc", "abc", "xyz", "abc"),  # the cursor is on none of them
        ("abc", "ac", None, "abc"),  # nothing is known from before
        ("abc", "ac", "abc", "abc"),  # nothing was typed
        ("aBc", "ac", "abc", "abc"),  # it is being edited
        ("abc", "ac", "ac", "ac"),  # it is being added
        ("abc", "ac", "abdc", "ac"),  # another is gone, too
        ("abc", "ac", "dbe", "ac"),  # all was different
    ],
)
def test_what_is_shown(full: str, without: str, last: str | None, chosen: str) -> None:
    assert stable(full, without, last) == chosen
