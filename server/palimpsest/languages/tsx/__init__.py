"""TSX: TypeScript with elements."""

from palimpsest.languages.javascript.modules import JavaScriptModules
from palimpsest.languages.tsx.language import Tsx

LANGUAGE = Tsx()
MODULES = JavaScriptModules
