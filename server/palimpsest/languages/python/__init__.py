"""Python: its table.  What queries cannot tell is beside it."""

from palimpsest.languages.python.language import Python

LANGUAGE = Python()
