"""Bash, and what else is written like it."""

from palimpsest.languages.bash.language import Bash

LANGUAGE = Bash()
