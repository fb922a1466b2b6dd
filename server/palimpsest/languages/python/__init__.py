"""Python: its table.  Other modules here handle what queries cannot; `packages/` reads what Python modules offer."""

from palimpsest.languages.python.language import Python
from palimpsest.languages.python.packages.modules import PythonModules

LANGUAGE = Python()
MODULES = PythonModules
