"""Text of any script, however it is cut, does not end the process that parses it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from palimpsest.languages.registry import languages

GRAMMARS = [language.id for language in languages() if language.grammar is not None]


@pytest.mark.parametrize("language_id", GRAMMARS)
def test_a_parse_that_is_stopped_anywhere_in_a_text_of_any_script_ends_nothing(language_id: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.syntax.hard_texts", language_id], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
