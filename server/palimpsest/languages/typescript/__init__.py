"""TypeScript: its table, derived from JavaScript's."""

from palimpsest.languages.javascript.modules import JavaScriptModules
from palimpsest.languages.typescript.language import TypeScript

LANGUAGE = TypeScript()
MODULES = JavaScriptModules
