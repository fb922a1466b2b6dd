"""VS Code, driven as a person drives it."""

import pytest

pytest.register_assert_rewrite(
    *(f"{__name__}.{name}" for name in ("completions", "edits", "engine", "next_edit", "settings", "views"))
)
