"""C: its table.  `words.py` lists what the language defines, `modules.py` says which file an include means."""

from palimpsest.languages.c.language import C

LANGUAGE = C()
