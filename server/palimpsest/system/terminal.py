"""What a person reads in a terminal.

Out: a console that shows every text as it is.  Paths, names of models and messages come from outside, and none of them
is markup (`[q4]`) or an emoji (`:car:`); a style is said beside the text.
"""

from typing import Any

from rich.console import Console


def terminal(**more: Any) -> Console:
    return Console(markup=False, emoji=False, highlight=False, **more)
