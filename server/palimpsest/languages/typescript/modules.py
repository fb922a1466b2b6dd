"""Modules of TypeScript: JavaScript's."""

from palimpsest.languages.javascript.modules import JavaScriptModules

MODULES = JavaScriptModules
