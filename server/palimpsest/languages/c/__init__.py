"""C: its table.  `words.py` lists what the language defines, `modules.py` says which file an include means."""

from palimpsest.languages.c.language import C
from palimpsest.languages.c.modules import CModules

LANGUAGE = C()
MODULES = CModules
