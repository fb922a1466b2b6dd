"""C++: its table, which begins with C's."""

from palimpsest.languages.cpp.language import Cpp

LANGUAGE = Cpp()
