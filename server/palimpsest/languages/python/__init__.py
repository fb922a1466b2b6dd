"""Python: its table.  What queries cannot tell is beside it; what its modules offer is in `packages/`."""

from palimpsest.languages.python.language import Python
from palimpsest.languages.python.packages.modules import PythonModules

LANGUAGE = Python()
MODULES = PythonModules
