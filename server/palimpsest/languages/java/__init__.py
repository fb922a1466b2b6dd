"""Java: its table.  `words.txt` lists what the language defines, `modules.py` says which files a package has."""

from palimpsest.languages.java.language import Java

LANGUAGE = Java()
