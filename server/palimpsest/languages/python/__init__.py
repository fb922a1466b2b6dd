"""Python: its table.  Other modules here handle what queries cannot; `packages/` reads what Python modules offer."""

from palimpsest.languages.python.language import Python

LANGUAGE = Python()
