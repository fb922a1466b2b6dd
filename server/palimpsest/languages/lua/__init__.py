"""Lua: its table.  Other modules here handle what queries cannot."""

from palimpsest.languages.lua.language import Lua

LANGUAGE = Lua()
