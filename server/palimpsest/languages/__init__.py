"""The supported languages, one folder each.

In: a language id or a file's name.  Out: a `Language` (`syntax/parse.py`).  A folder has a table (a `LANGUAGE` in its
`__init__.py`), a query file (`queries.scm`), and code for what `base.py` cannot derive from these.  No code elsewhere
names a particular language.
"""
