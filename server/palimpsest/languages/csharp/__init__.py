"""C#: its table. `words.txt` lists what the language defines, `namespaces.py` reads `using` directives, `modules.py`
says which files a namespace has.
"""

from palimpsest.languages.csharp.language import CSharp

LANGUAGE = CSharp()
