"""TypeScript: its table, derived from JavaScript's."""

from palimpsest.languages.typescript.language import TypeScript

LANGUAGE = TypeScript()
