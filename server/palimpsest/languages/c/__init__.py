"""C: its table.  `words.txt` lists what the language defines, `modules.py` says which file an include means."""

from palimpsest.languages.c.language import C

LANGUAGE = C()
