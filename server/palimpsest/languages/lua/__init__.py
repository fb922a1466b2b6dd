"""Lua: its table.  Other modules here handle what queries cannot."""

from palimpsest.languages.lua.language import Lua
from palimpsest.languages.lua.modules import LuaModules

LANGUAGE = Lua()
MODULES = LuaModules
