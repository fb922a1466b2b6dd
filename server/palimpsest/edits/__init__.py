"""Edits that a model writes.

`formats/` reads and writes replies, `grammar.py` and `gbnf.py` hold a model to one, `check.py` and `validate.py` say
which edits stand; all of them are pure.  `suggestions/` asks for edits and keeps what is offered, `summaries.py` asks
for commit messages.
"""
