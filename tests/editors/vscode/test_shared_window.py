"""All that one window of VS Code is enough for: another takes ten seconds, and a server of its own as much."""

import pytest

from tests.editors.vscode.completions import *  # noqa: F403
from tests.editors.vscode.edits import *  # noqa: F403
from tests.editors.vscode.engine import *  # noqa: F403
from tests.editors.vscode.next_edit import *  # noqa: F403
from tests.editors.vscode.settings import *  # noqa: F403
from tests.editors.vscode.views import *  # noqa: F403

pytestmark = [pytest.mark.slow(part="editors"), pytest.mark.timeout(900)]
