"""What a workspace's file may do with settings, and why.

Out: permissions, one of which each setting names (`settings.py`).

Anybody may have written a workspace's file (`palimpsest.toml`).  It may set what concerns the workspace's own code.
Only the user, in the configuration folder or in the editor, sets what costs time, memory or money, what is run or
loaded, where code is sent, and what the user is asked or told.  Settings that the editor sends count as the user's,
even those that it read from a folder (`.vscode/settings.json`): editors ask by themselves whether to trust a folder.
"""

from dataclasses import dataclass
from typing import Literal

SetBy = Literal["anyone", "adds", "off", "user", "editor"]
"""What a workspace's file may do with a setting.  `anyone`: set it.  `adds`: add to the user's list, and take nothing
away.  `off`: switch it off, not on.  `user`: nothing.  `editor`: nothing, and neither may the user's own file."""
IN_TABLE: dict[SetBy, str] = {"anyone": "yes", "adds": "adds", "off": "off", "user": "no", "editor": "no"}
"""The word in the column "workspace" of the documented table."""


@dataclass(frozen=True, slots=True)
class Permission:
    set_by: SetBy
    why: str


KEY = Permission("editor", "a key does not belong in a file")
DESTINATION = Permission("user", "it decides where code is sent")
PROGRAM = Permission("user", "it names a program that is run")
MODEL_FILE = Permission("user", "it names a file that native code loads")
NATIVE_CODE = Permission("user", "it names native code")
MACHINE = Permission("user", "the engine is the machine's, and shared: what it takes of memory, disk and processors")
WORK = Permission("user", "it decides how much work the engine gets, which may cost money")
ASKED = Permission("user", "it decides what the user is asked before something happens, or shown unasked")
INSTRUCTION = Permission("user", "it is what the user tells the model")
LOG = Permission("user", "the log is the user's")
INDEXING = Permission("user", "it decides how much of the user's processor and disk is used")
KEPT_OUT = Permission("adds", "it keeps files and languages out")
LESS_HELP = Permission("off", "a project may want less help than the user, not more")
OWN_CODE = Permission(
    "anyone", "it concerns the workspace's own code: what the model sees of it, and how an answer is written"
)
