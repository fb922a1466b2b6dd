"""TSX: TypeScript with elements."""

from palimpsest.languages.tsx.language import Tsx

LANGUAGE = Tsx()
