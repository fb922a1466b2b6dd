"""Names that Go code knows without a definition, and the words of the language.

Out: sets of names, from the specification.
"""

from __future__ import annotations

_KEYWORDS = """
break case chan const continue default defer else fallthrough for func go goto if import interface map package range
return select struct switch type var
"""
_TYPES = """
any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8
uint16 uint32 uint64 uintptr
"""
_VALUES = "true false iota nil _ init main"
_FUNCTIONS = """
append cap clear close complex copy delete imag len make max min new panic print println real recover
"""

KEYWORDS = frozenset(_KEYWORDS.split())
NAMES = frozenset(" ".join((_TYPES, _VALUES, _FUNCTIONS)).split())
MEMBERS = frozenset({"Error", "String", "Close", "Read", "Write", "Len", "Less", "Swap", "Unwrap", "Is", "As"})
"""Methods of the language's own and the best known interfaces, which many types have."""
