"""What `make test` tries in VS Code: a completion and an edit.  The rest is for `make test-all`."""

import pytest

from tests.editors.vscode.completions import test_tab_takes_all_of_the_servers_answer
from tests.editors.vscode.edits import test_a_code_action_shows_its_diff_and_is_applied_and_undone_in_one_step

__all__ = [
    "test_a_code_action_shows_its_diff_and_is_applied_and_undone_in_one_step",
    "test_tab_takes_all_of_the_servers_answer",
]
pytestmark = pytest.mark.timeout(600)
