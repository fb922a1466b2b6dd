"""Bash, and what else is written like it."""

from palimpsest.languages.bash.language import Bash
from palimpsest.languages.bash.modules import BashModules

LANGUAGE = Bash()
MODULES = BashModules
