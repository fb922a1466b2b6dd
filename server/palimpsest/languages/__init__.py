"""The languages that are parsed: a folder each.

In: a language id or a file's name.  Out: a `Language` (`syntax/parse.py`).  A folder has a table (a `LANGUAGE` in its
`__init__.py`), a query file (`queries.scm`), and code for what `base.py` cannot tell from these.  Nobody else says the
name of a language.
"""
