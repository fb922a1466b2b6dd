"""How many examples hypothesis makes of what a test describes."""

from typing import Any

from hypothesis import settings


def examples(times: float, **more: Any) -> settings:
    """So many times the examples that the profile has for most tests; `more` are other settings."""
    return settings(max_examples=round(times * settings().max_examples), **more)
