"""C++: its table, which begins with C's."""

from palimpsest.languages.cpp.language import Cpp
from palimpsest.languages.cpp.modules import CppModules

LANGUAGE = Cpp()
MODULES = CppModules
