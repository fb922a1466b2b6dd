"""Modules of Python."""

from palimpsest.languages.python.packages.modules import PythonModules

MODULES = PythonModules
